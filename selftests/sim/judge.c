// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains what must hold, during the run and at its end. */

#include <stdlib.h>

#include "sim.h"

/* ---- received messages ---- */

static bool is_write(const struct op *op)
{
	return op->opcode == ROX_WR_RDMA_WRITE_WITH_IMM;
}

static u8 wire_hdrs(const struct op *op)
{
	switch (op->opcode) {
	case ROX_WR_SEND_WITH_IMM:
	case ROX_WR_RDMA_WRITE_WITH_IMM:
		return ROX_HDR_IMM;
	case ROX_WR_SEND_WITH_INV:
		return ROX_HDR_IETH;
	}
	return 0;
}

/* Is what @n received the message @op? */
static bool is_message(const struct node *n, const struct op *op,
		       const struct rox_pkt *p, const struct rox_resp_op *ro)
{
	u8 hdrs = rox_pkt_op(p)->hdrs & (ROX_HDR_IMM | ROX_HDR_IETH);
	const u8 *got = is_write(op) ? n->mem + (op->va - MEM_VA) : n->recv_buf;

	if (ro->kind != (is_write(op) ? ROX_RESP_WRITE : ROX_RESP_SEND))
		return false;
	if (hdrs != wire_hdrs(op) || ro->msg_bytes != op->length)
		return false;
	if ((hdrs & ROX_HDR_IMM) && memcmp(&p->imm, &op->imm, 4))
		return false;
	if ((hdrs & ROX_HDR_IETH) && p->ieth != op->imm)
		return false;
	if (p->solicited != !!(op->flags & ROX_SQE_SOLICITED))
		return false;
	return !op->length || !memcmp(got, op->source, op->length);
}

static void received_rc(struct node *n, const struct rox_pkt *p,
			const struct rox_resp_op *ro)
{
	struct world *w = n->world;
	struct node *from = n->peer;

	CHECK(w, n->got < from->nr_wants);
	CHECK(w, is_message(n, from->wants[n->got].op, p, ro));
	n->got++;
}

/* UC: in order, but some are missing. */
static void received_uc(struct node *n, const struct rox_pkt *p,
			const struct rox_resp_op *ro)
{
	struct node *from = n->peer;

	while (n->got < from->nr_wants) {
		if (is_message(n, from->wants[n->got++].op, p, ro))
			return;
	}
	world_fail(n->world, "received what was not sent, or in wrong order");
}

static void received_ud(struct node *n, const struct rox_pkt *p,
			const struct rox_resp_op *ro)
{
	struct want_recv *best = NULL, *want;
	struct node *from = n->peer;
	struct world *w = n->world;
	u32 i;

	for (i = 0; i < from->nr_wants; i++) {
		want = &from->wants[i];
		if ((!best || want->times < best->times) &&
		    is_message(n, want->op, p, ro))
			best = want;
	}
	CHECK(w, best);
	CHECK(w, !best->times || w->channels[from->id].dup);
	best->times++;
	CHECK(w, p->qkey == n->req_cfg.qkey);
	CHECK(w, p->sqpn == from->qpn);
}

void judge_received(struct node *n, const struct rox_pkt *p,
		    const struct rox_resp_op *ro)
{
	n->received++;
	if (n->world->service == ROX_SVC_RC)
		received_rc(n, p, ro);
	else if (n->world->service == ROX_SVC_UC)
		received_uc(n, p, ro);
	else
		received_ud(n, p, ro);
}

/* ---- responses ---- */

/* How many messages of @n end before @psn. */
static u32 messages_before(const struct node *n, u32 psn)
{
	u32 i = n->nr_ends;

	while (i && !rox_psn_before(n->ends[i - 1], psn))
		i--;
	return i;
}

/*
 * The MSN counts the messages carried out: for a READ or atomic with its own,
 * for an ACK with the one that ends there, for a NAK without (IBA 9.7.7.1).
 */
static void check_msn(struct node *n, const struct rox_pkt *p)
{
	bool nak = !(rox_pkt_op(p)->flags & (ROX_OPF_READ | ROX_OPF_ATOMIC)) &&
		   (p->syndrome & ROX_AETH_KIND_MASK) != ROX_AETH_ACK;
	u32 want = messages_before(n, nak ? p->psn : rox_psn_add(p->psn, 1));

	if (rox_pkt_op(p)->flags & (ROX_OPF_READ | ROX_OPF_ATOMIC))
		want = messages_before(n, p->psn) + 1;
	CHECK(n->world, p->msn == (want & ROX_PSN_MASK));
}

void judge_response(struct node *n, const struct rox_pkt *p, enum rox_drop why)
{
	if (rox_pkt_op(p)->hdrs & ROX_HDR_AETH)
		check_msn(n, p);
	if (why != ROX_DROP_NONE || p->psn != n->req.una ||
	    p->opcode != ROX_OP_RC_ACKNOWLEDGE)
		return;
	if ((p->syndrome & ROX_AETH_KIND_MASK) != ROX_AETH_RNR_NAK)
		return;
	/* Until then nothing may be sent, unless there is progress. */
	n->rnr_until = n->world->now + rox_rnr_ns(p->syndrome & ROX_AETH_VALUE_MASK);
	n->rnr_una = p->psn;
}

/* @n is about to send @pkt. */
void judge_request(struct node *n, const struct rox_req_pkt *pkt)
{
	struct world *w = n->world;
	bool ends = rox_pkt_op(&pkt->hdr)->flags & ROX_OPF_LAST;

	if (n->rnr_until > w->now)
		CHECK(w, n->req.una != n->rnr_una);
	if (pkt->again || !ends || w->service != ROX_SVC_RC)
		return;
	if (n->nr_ends == n->room_ends) {
		n->room_ends = 2 * n->room_ends + 64;
		n->ends = realloc(n->ends, n->room_ends * sizeof(*n->ends));
	}
	n->ends[n->nr_ends++] = rox_psn_add(pkt->hdr.psn, pkt->nr_psn - 1);
}

/* ---- completions ---- */

static bool wants_answer(const struct op *op)
{
	return op->opcode == ROX_WR_RDMA_READ ||
	       op->opcode == ROX_WR_ATOMIC_CMP_AND_SWP ||
	       op->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD;
}

static void succeeded(struct node *n, const struct op *op)
{
	struct world *w = n->world;

	CHECK(w, n->first_bad_seq == ~0u);
	if (wants_answer(op) && op->length)
		CHECK(w, op->answered);
	if (op->opcode == ROX_WR_RDMA_READ && op->length)
		CHECK(w, !memcmp(op->sink, op->want, op->length));
	CHECK(w, !(w->fault == FAULT_RKEY && n->id == 0 && op->seq == w->fault_seq));
}

/* Operation @op is the first that fails: may it, and with this status? */
static void first_failure(struct node *n, const struct op *op, u8 status)
{
	struct world *w = n->world;

	n->first_bad = status;
	n->first_bad_seq = (u32)op->seq;
	CHECK(w, w->fault != FAULT_NONE && n->id == 0);
	if (w->fault == FAULT_DEAD) {
		CHECK(w, status == ROX_WC_RETRY_EXC_ERR);
		return;
	}
	CHECK(w, op->seq <= w->fault_seq);
	if (op->seq == w->fault_seq && status == w->fault_status)
		return;
	/* The NAK, or an answer before it, was lost or is late, and this end or the other is dead. */
	CHECK(w, !w->perfect && (n->peer->resp.dead || n->unlucky ||
				 (w->fault == FAULT_SCATTER &&
				  status == ROX_WC_WR_FLUSH_ERR)));
	if (status == ROX_WC_RETRY_EXC_ERR)
		CHECK(w, n->req_cfg.timeout);
	else
		CHECK(w, status == ROX_WC_WR_FLUSH_ERR && wants_answer(op));
}

static void later_failure(struct node *n, const struct op *op, u8 status)
{
	struct world *w = n->world;

	if (status == ROX_WC_WR_FLUSH_ERR)
		return;
	CHECK(w, op->seq == w->fault_seq && status == w->fault_status);
	CHECK(w, n->first_bad == ROX_WC_WR_FLUSH_ERR);
}

void judge_completion(struct node *n, const struct rox_wr *wr, struct op *op)
{
	struct world *w = n->world;

	if (w->verbose)
		world_trace(w, n, "complete", NULL, wr->status ? "with error" : "");
	CHECK(w, op->seq == n->completed);
	CHECK(w, wr->wr_id == op->seq);
	n->completed++;
	if (wr->status == ROX_WC_SUCCESS)
		succeeded(n, op);
	else if (n->first_bad_seq == ~0u)
		first_failure(n, op, wr->status);
	else
		later_failure(n, op, wr->status);
}

/* ---- order ---- */

static bool answers_missing(const struct node *n, const struct op *op)
{
	u64 i;

	for (i = n->completed; i < op->seq; i++) {
		if (wants_answer(&n->ops[i]) && n->ops[i].length &&
		    !n->ops[i].answered)
			return true;
	}
	return false;
}

void judge_first_packet(struct node *n, const struct op *op)
{
	struct world *w = n->world;

	CHECK(w, n->req.state == ROX_REQ_RUNNING);
	if (op->flags & ROX_SQE_FENCE)
		CHECK(w, !answers_missing(n, op));
}

void judge_local(struct node *n, const struct op *op)
{
	struct world *w = n->world;

	CHECK(w, !op->executed);
	CHECK(w, n->req.state == ROX_REQ_RUNNING);
	CHECK(w, op->seq >= n->local_seq);
	n->local_seq = (u32)op->seq + 1;
	if (op->flags & ROX_SQE_FENCE)
		CHECK(w, !answers_missing(n, op));
	if (op->opcode == ROX_WR_LOCAL_INV)
		CHECK(w, n->req.una == n->req.psn);
}

/* ---- the machine, seen from inside ---- */

static void in_order(struct node *n, const struct rox_requester *r)
{
	struct world *w = n->world;
	u32 inflight = rox_psn_sub(r->psn, r->una);
	u32 most = max(r->cfg.window, r->cfg.read_chunk);
	u32 reached = rox_psn_sub(r->reached, r->una);

	CHECK(w, r->oldest - r->tail <= NR_SLOTS);
	CHECK(w, r->next - r->oldest <= NR_SLOTS);
	CHECK(w, r->head - r->next <= NR_SLOTS);
	CHECK(w, r->head - r->tail <= NR_SLOTS);
	CHECK(w, rox_psn_sub(r->cursor, r->una) <= inflight);
	if (w->service == ROX_SVC_RC) {
		CHECK(w, reached <= inflight);
		CHECK(w, rox_psn_sub(r->asked, r->una) <= reached);
	}
	CHECK(w, inflight <= most);
	CHECK(w, r->rd_inflight <= r->cfg.max_rd_atomic);
	CHECK(w, inflight || !r->rd_inflight);
}

void judge_invariants(struct node *n)
{
	const struct rox_requester *r = &n->req;
	struct world *w = n->world;
	bool armed = rox_req_deadline(r) != ROX_TIME_NEVER;

	if (r->state == ROX_REQ_ERROR) {
		CHECK(w, !armed);
		return;
	}
	in_order(n, r);
	CHECK(w, armed == (r->una != r->psn));
	if (r->state == ROX_REQ_DRAINING && rox_req_drained(r))
		CHECK(w, r->una == r->psn);
}

/* ---- the end ---- */

static bool is_done(const struct node *n)
{
	return n->completed == n->nr_ops && n->wake_at == ROX_TIME_NEVER;
}

bool judge_finished(const struct world *w)
{
	return is_done(&w->nodes[0]) && is_done(&w->nodes[1]) &&
	       wire_next_at(w) == ROX_TIME_NEVER;
}

/* IBA 9.7.6.1.3: not before the budget is used up, and not much later. */
static void dead_in_time(struct node *n)
{
	struct world *w = n->world;
	u64 t = max(rox_ack_timeout_ns(n->req_cfg.timeout), n->req_cfg.min_rto_ns);
	u64 budget = t * (n->req_cfg.retry_cnt + 1);
	u64 took = n->error_at - n->life_at;

	CHECK(w, took >= budget);
	CHECK(w, took <= budget + t + MS);
}

static bool memory_is_known(const struct node *n)
{
	const struct world *w = n->world;
	u8 opcode;

	if (!n->errored)
		return true;
	if (w->fault == FAULT_DEAD || w->fault == FAULT_SCATTER ||
	    w->fault == FAULT_READ_SOURCE || n->first_bad_seq != w->fault_seq)
		return false;
	/* It may be written in part. */
	opcode = n->ops[w->fault_seq].opcode;
	return (w->fault != FAULT_GATHER && w->fault != FAULT_NO_RECV) ||
	       opcode == ROX_WR_SEND;
}

/* What @n sent has arrived at its peer. */
static void end_rc(struct node *n)
{
	struct world *w = n->world;

	if (memory_is_known(n)) {
		CHECK(w, n->peer->got == n->nr_wants);
		CHECK(w, !memcmp(n->peer->mem, n->peer->model, MEM_BYTES));
	}
	if (w->fault == FAULT_DEAD && n->errored)
		dead_in_time(n);
	if (w->fault == FAULT_NO_RECV && n->id == 0 && w->perfect)
		CHECK(w, n->req.counts.rnr_naks == n->req_cfg.rnr_retry + 1u);
	if (w->fault != FAULT_NONE && w->fault != FAULT_DEAD && n->id == 0)
		CHECK(w, n->errored);
}

/* With a network that loses nothing, and receives in time, nothing is missing. */
static void end_unreliable(struct node *n)
{
	struct world *w = n->world;

	if (!w->perfect || w->late_recvs)
		return;
	CHECK(w, n->peer->received == n->nr_wants);
	if (w->service == ROX_SVC_UC)
		CHECK(w, !memcmp(n->peer->mem, n->peer->model, MEM_BYTES));
}

/* If nothing was lost or late, nothing is sent twice. */
static void nothing_in_vain(struct node *n)
{
	const struct rox_req_counts *c = &n->req.counts;
	struct world *w = n->world;

	if (!w->perfect || w->late_recvs || w->fault == FAULT_NO_RECV ||
	    w->fault == FAULT_DEAD || !n->patient)
		return;
	if (n->peer->habits || n->peer->foreign || n->foreign)
		return;
	CHECK(w, !c->retransmits && !c->timeouts && !c->seq_naks && !c->rnr_naks);
	CHECK(w, !n->peer->resp.counts.duplicates);
}

void judge_end(struct world *w)
{
	struct node *n;

	for (n = w->nodes; n < w->nodes + 2; n++) {
		CHECK(w, n->req.tail == n->req.head);
		CHECK(w, rox_req_deadline(&n->req) == ROX_TIME_NEVER);
		CHECK(w, n->errored == (n->first_bad_seq != ~0u));
		CHECK(w, n->recv_taken - n->received <= 1);
		nothing_in_vain(n);
		if (w->service == ROX_SVC_RC)
			end_rc(n);
		else
			end_unreliable(n);
	}
}
