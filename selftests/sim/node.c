// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the owner of one engine: it does what a kernel would do. */

#include <stdlib.h>

#include "sim.h"

void node_init(struct node *n)
{
	struct world *w = n->world;

	n->mem = malloc(MEM_BYTES);
	n->model = malloc(MEM_BYTES);
	n->pool = malloc(POOL_BYTES);
	n->recv_buf = malloc(w->recv_cap + 1);
	n->ops = calloc(n->nr_ops + 1, sizeof(*n->ops));
	n->wants = calloc(n->nr_ops + 1, sizeof(*n->wants));
	draw_bytes(w, n->mem, MEM_BYTES);
	draw_bytes(w, n->pool, POOL_BYTES);
	memcpy(n->model, n->mem, MEM_BYTES);
	n->wake_at = ROX_TIME_NEVER;
	n->first_bad_seq = ~0u;
}

void node_free(struct node *n)
{
	u32 i;

	for (i = 0; n->ops && i < n->posted; i++) {
		free(n->ops[i].sink);
		free(n->ops[i].want);
		free(n->ops[i].seen);
	}
	foreign_free(n);
	free(n->ops);
	free(n->ends);
	free(n->wants);
	free(n->recv_buf);
	free(n->pool);
	free(n->model);
	free(n->mem);
	memset(n, 0, sizeof(*n));
}

void node_wake(struct node *n, u64 latest)
{
	struct world *w = n->world;
	u64 at = w->now + (latest ? within(w, latest) : 0);

	n->wake_at = min(n->wake_at, at);
}

/* ---- in ---- */

static void place(struct node *n, const struct rox_req_place *pl, const u8 *payload)
{
	struct op *op = op_of(pl->wr);
	struct world *w = n->world;
	u32 at;

	CHECK(w, !op->answered);
	if (op->fail_place && chance(w, 50)) {
		rox_req_placed(&n->req, pl, ROX_WC_LOC_PROT_ERR);
		return;
	}
	if (pl->atomic) {
		CHECK(w, pl->orig == op->want_orig);
		op->answered = true;
	} else {
		CHECK(w, pl->offset + pl->bytes <= op->length);
		for (at = pl->offset; at < pl->offset + pl->bytes; at += n->req_cfg.pmtu) {
			CHECK(w, !op->seen[at / n->req_cfg.pmtu]);
			op->seen[at / n->req_cfg.pmtu] = 1;
		}
		memcpy(op->sink + pl->offset, payload, pl->bytes);
		op->placed += pl->bytes;
		op->answered = op->placed == op->length;
	}
	/* The last chance of an operation that is to fail. */
	if (op->fail_place && op->answered)
		rox_req_placed(&n->req, pl, ROX_WC_LOC_PROT_ERR);
	else
		rox_req_placed(&n->req, pl, ROX_WC_SUCCESS);
}

void node_response(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct rox_req_place pl;
	u32 una = n->req.una;
	enum rox_drop why;

	why = rox_req_rx(&n->req, p, n->world->now, &pl);
	if (why != ROX_DROP_NONE)
		world_trace(n->world, n, "not taken", p, rox_drop_name(why));
	else if (pl.bytes || pl.atomic)
		place(n, &pl, payload);
	if (why == ROX_DROP_NONE || why == ROX_DROP_STALE)
		judge_response(n, p, why);
	if (n->req.una != una || n->req.rnr_waiting)
		n->life_at = n->world->now;
}

void node_packet(struct node *n, const u8 *buf, u32 bytes)
{
	struct world *w = n->world;
	enum rox_drop why;
	struct rox_pkt p;
	const u8 *payload;

	if (!wire_check(buf, bytes, &p, &why))
		return;
	world_trace(w, n, "recv", &p, "");
	CHECK(w, p.dqpn == n->qpn);
	payload = buf + FRAME_BYTES + p.hdr_bytes;
	if (n->foreign && (rox_pkt_op(&p)->flags & ROX_OPF_REQUEST))
		foreign_request(n, &p, payload);
	else if (n->foreign)
		foreign_response(n, &p, payload);
	else if (rox_pkt_op(&p)->flags & ROX_OPF_REQUEST)
		exec_request(n, &p, payload);
	else
		node_response(n, &p, payload);
	node_wake(n, chance(w, 60) ? 0 : n->idle_ns);
}

/* ---- out ---- */

static bool reply_is_swallowed(const struct node *n, const struct rox_resp_pkt *pkt)
{
	return (n->habits & HABIT_NAK_NEVER) &&
	       pkt->hdr.opcode == ROX_OP_RC_ACKNOWLEDGE &&
	       pkt->hdr.syndrome == ROX_AETH_NAK_PSN_SEQ;
}

static bool is_ack(const struct rox_resp_pkt *pkt)
{
	return pkt->hdr.opcode == ROX_OP_RC_ACKNOWLEDGE;
}

static bool pump_reply(struct node *n)
{
	struct world *w = n->world;
	struct rox_resp_pkt pkt;
	const u8 *from;

	if (!rox_resp_next(&n->resp, &pkt))
		return false;
	if ((n->habits & HABIT_LAZY_REPLIES) && is_ack(&pkt) && chance(w, 50)) {
		node_wake(n, n->idle_ns);
		return false;
	}
	if (!exec_gather_read(n, &pkt, &from)) {
		world_trace(w, n, "source gone", &pkt.hdr, "");
		rox_resp_read_fail(&n->resp, &pkt);
		return true;
	}
	if (!reply_is_swallowed(n, &pkt))
		wire_send(n, &pkt.hdr, from);
	if ((n->habits & HABIT_ACK_TWICE) && is_ack(&pkt) && chance(w, 30))
		wire_send(n, &pkt.hdr, from);
	rox_resp_sent(&n->resp, &pkt);
	if ((n->habits & HABIT_NAK_AFTER_RNR) && is_ack(&pkt) &&
	    (pkt.hdr.syndrome & ROX_AETH_KIND_MASK) == ROX_AETH_RNR_NAK)
		n->resp.nak_sent = false;
	return true;
}

static void do_local(struct node *n, struct op *op)
{
	enum rox_wc_status status = ROX_WC_SUCCESS;

	judge_local(n, op);
	op->executed = true;
	if (n->world->fault == FAULT_LOCAL && n->id == 0 &&
	    op->seq == n->world->fault_seq)
		status = ROX_WC_MW_BIND_ERR;
	rox_req_local_done(&n->req, status);
}

/* Planning again gives the same and changes nothing. */
static void plan_twice(struct node *n, const struct rox_req_pkt *pkt)
{
	struct rox_requester before = n->req;
	struct rox_req_pkt again;

	CHECK(n->world, rox_req_next(&n->req, n->world->now, &again) == ROX_REQ_SEND);
	CHECK(n->world, !memcmp(&before, &n->req, sizeof(before)));
	CHECK(n->world, !memcmp(&pkt->hdr, &again.hdr, sizeof(again.hdr)));
	CHECK(n->world, pkt->wr == again.wr && pkt->offset == again.offset);
}

/* @pkt goes out, by wire or at once: false if its bytes cannot be read. */
static bool send_request(struct node *n, struct rox_req_pkt *pkt, bool near)
{
	struct world *w = n->world;
	struct op *op = op_of(pkt->wr);
	const u8 *payload = op->source ? op->source + pkt->offset : NULL;
	bool refused = false;

	if (op->fail_send && (chance(w, 20) ||
			      pkt->offset + pkt->hdr.payload_bytes == op->length)) {
		rox_req_fail(&n->req, ROX_WC_LOC_PROT_ERR);
		return false;
	}
	if (!op->begun)
		judge_first_packet(n, op);
	op->begun = true;
	judge_request(n, pkt);
	if (n->req.una == n->req.psn)
		n->life_at = w->now;
	if (near)
		near_request(n, &pkt->hdr, payload);
	else if (w->service == ROX_SVC_RC && !w->perfect && chance(w, 1))
		refused = true;
	else
		wire_send(n, &pkt->hdr, payload);
	rox_req_sent(&n->req, pkt, w->now);
	/* The local queue had no room after all. */
	if (refused)
		rox_req_unsent(&n->req, pkt->hdr.psn,
			       rox_psn_add(pkt->hdr.psn, pkt->nr_psn), w->now);
	return true;
}

bool node_pump_request(struct node *n, bool near)
{
	struct world *w = n->world;
	struct rox_req_pkt pkt;

	if (!near)
		n->req.run = min(n->run, rox_req_burst(&n->req));
	switch (rox_req_next(&n->req, w->now, &pkt)) {
	case ROX_REQ_SEND:
		if (chance(w, 3))
			plan_twice(n, &pkt);
		/* Back-pressure: later, then. */
		if (chance(w, 1)) {
			node_wake(n, n->idle_ns);
			return false;
		}
		if (send_request(n, &pkt, near) && near)
			near_replies(n);
		return true;
	case ROX_REQ_LOCAL:
		do_local(n, op_of(pkt.wr));
		return true;
	case ROX_REQ_BLOCKED:
		/* Nothing may stop for ever. */
		CHECK(w, rox_req_deadline(&n->req) != ROX_TIME_NEVER);
		CHECK(w, n->req.una != n->req.psn || n->req.rnr_waiting);
		break;
	case ROX_REQ_IDLE:
		break;
	}
	return false;
}

static void retire(struct node *n)
{
	struct rox_wr *wr;

	while ((wr = rox_req_complete(&n->req)))
		judge_completion(n, wr, op_of(wr));
	if (n->req.state == ROX_REQ_ERROR && !n->errored) {
		n->errored = true;
		n->error_at = n->world->now;
	}
}

void node_run(struct node *n)
{
	u32 left = n->quantum;
	bool more = true;

	if (n->foreign) {
		foreign_run(n);
		return;
	}
	n->wake_at = ROX_TIME_NEVER;
	near_run(n);
	while (left-- && more) {
		if (chance(n->world, 50)) {
			more = pump_reply(n);
			more |= node_pump_request(n, false);
		} else {
			more = node_pump_request(n, false);
			more |= pump_reply(n);
		}
		if (chance(n->world, 20))
			retire(n);
	}
	retire(n);
	judge_invariants(n);
	if (more)
		node_wake(n, n->idle_ns);
}

/* ---- time ---- */

void node_tick(struct node *n)
{
	if (n->foreign)
		foreign_tick(n);
	else
		rox_req_tick(&n->req, n->world->now);
	node_wake(n, 0);
}

void node_drain(struct node *n)
{
	struct world *w = n->world;
	bool on = n->req.state == ROX_REQ_RUNNING;

	rox_req_drain(&n->req, on);
	n->drain_at = ROX_TIME_NEVER;
	if (on || n->drains-- > 1)
		n->drain_at = w->now + 1 + within(w, on ? 3 * MS : 30 * MS);
	node_wake(n, 0);
}
