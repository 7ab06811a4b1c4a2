// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the receiving side of the responder: what a request packet
 * asks for, and what follows from having done it (IBA 9.7.4, 9.7.5.1, 9.8.2,
 * 9.8.3). reply.c has the sending side.
 */

#include "responder.h"
#include "segment.h"

void rox_resp_init(struct rox_responder *r, struct rox_resource *ring, u32 nr)
{
	memset(r, 0, sizeof(*r));
	r->run = 1;
	rox_resources_init(&r->res, ring, nr);
}

void rox_resp_start(struct rox_responder *r, const struct rox_resp_config *cfg, u32 psn)
{
	r->cfg = *cfg;
	r->epsn = psn & ROX_PSN_MASK;
	r->running = true;
}

void rox_resp_reconfigure(struct rox_responder *r, const struct rox_resp_config *cfg)
{
	r->cfg.allow = cfg->allow;
	r->cfg.min_rnr_timer = cfg->min_rnr_timer;
}

/* ---- what is owed ---- */

static void owe_ack(struct rox_responder *r)
{
	r->ack_due = true;
	r->ack_psn = rox_psn_sub(r->epsn, 1);
	r->ack_msn = r->msn;
}

/* A NAK speaks for everything before it, so no ACK is needed as well. */
static void owe_nak(struct rox_responder *r, u8 syndrome)
{
	r->ack_due = false;
	r->nak_due = true;
	r->nak_sent = true;
	r->nak_psn = r->epsn;
	r->nak_msn = r->msn;
	r->nak_syndrome = syndrome;
}

static enum rox_resp_verdict drop(struct rox_resp_op *op, enum rox_drop why)
{
	op->drop = why;
	return ROX_RESP_DROP;
}

/* UC: nothing more of this message; its receive WQE serves the next one. */
static void skip_message(struct rox_responder *r)
{
	r->in_msg = false;
	r->skipping = true;
}

static void owe_fatal(struct rox_responder *r, u8 syndrome)
{
	r->counts.naks++;
	owe_nak(r, syndrome);
	r->dead = true;
}

/* The request is invalid: RC says so and dies, UC ignores the message. */
static enum rox_resp_verdict invalid(struct rox_responder *r, const struct rox_pkt *p,
				     struct rox_resp_op *op, enum rox_drop why)
{
	if (r->cfg.service == ROX_SVC_RC) {
		owe_fatal(r, ROX_AETH_NAK_INV_REQ);
		op->drop = why;
		return ROX_RESP_FATAL;
	}
	skip_message(r);
	r->epsn = rox_psn_add(p->psn, p->run);
	return drop(op, why);
}

/* ---- a request in its turn: is it valid, and what does it ask for ---- */

static bool is_allowed(const struct rox_responder *r, u16 flags)
{
	if (flags & ROX_OPF_WRITE)
		return r->cfg.allow & ROX_RESP_ALLOW_WRITE;
	if (flags & ROX_OPF_READ)
		return r->cfg.allow & ROX_RESP_ALLOW_READ;
	if (flags & ROX_OPF_ATOMIC)
		return r->cfg.allow & ROX_RESP_ALLOW_ATOMIC;
	return true;
}

/* FIRST, MIDDLE, LAST and ONLY follow each other as they should (IBA 9.7.4.1.3). */
static bool is_in_sequence(const struct rox_responder *r, u16 flags)
{
	if (flags & ROX_OPF_FIRST)
		return !r->in_msg;
	return r->in_msg && (flags & r->msg_kind);
}

/* All but the last packet of a message are full, and the last is not empty.
 * A run is full but for its last packet, which is not empty.
 */
static inline bool is_cut_right(const struct rox_responder *r, const struct rox_pkt *p, u16 flags)
{
	if (flags & ROX_OPF_FULL)
		return p->payload_bytes == p->run * r->cfg.pmtu;
	if (p->payload_bytes > p->run * r->cfg.pmtu)
		return false;
	if (p->run > 1)
		return p->payload_bytes > (p->run - 1) * r->cfg.pmtu;
	return (flags & ROX_OPF_FIRST) || p->payload_bytes;
}

/* The payload so far agrees with the length that the RETH announced. */
static bool write_fits(const struct rox_responder *r, u16 flags, u32 total, u32 bytes)
{
	if (total > r->cfg.max_msg)
		return false;
	return (flags & ROX_OPF_LAST) ? bytes == total : bytes < total;
}

/* The fields both kinds of payload have. @op->msg_bytes is set. */
static enum rox_resp_verdict exec_payload(const struct rox_responder *r, u16 flags,
					  bool takes_recv, struct rox_resp_op *op)
{
	op->first = flags & ROX_OPF_FIRST;
	op->last = flags & ROX_OPF_LAST;
	op->needs_recv = takes_recv && !r->recv_held;
	op->completes = takes_recv && op->last;
	return ROX_RESP_EXEC;
}

static enum rox_resp_verdict exec_send(struct rox_responder *r, const struct rox_pkt *p,
				       struct rox_resp_op *op)
{
	u16 flags = rox_pkt_op(p)->flags;

	op->kind = ROX_RESP_SEND;
	op->offset = (flags & ROX_OPF_FIRST) ? 0 : r->msg_bytes;
	op->msg_bytes = op->offset + p->payload_bytes;
	if (op->msg_bytes > r->cfg.max_msg)
		return invalid(r, p, op, ROX_DROP_LENGTH);
	return exec_payload(r, flags, true, op);
}

static enum rox_resp_verdict exec_write(struct rox_responder *r, const struct rox_pkt *p,
					struct rox_resp_op *op)
{
	u16 flags = rox_pkt_op(p)->flags;
	bool first = flags & ROX_OPF_FIRST;
	u32 total = first ? p->dma_len : r->msg_len;
	u32 before = first ? 0 : r->msg_bytes;

	op->kind = ROX_RESP_WRITE;
	op->msg_bytes = before + p->payload_bytes;
	if (!write_fits(r, flags, total, op->msg_bytes))
		return invalid(r, p, op, ROX_DROP_LENGTH);
	op->len = p->payload_bytes;
	op->rkey = first ? p->rkey : r->msg_rkey;
	op->va = (first ? p->va : r->msg_va) + before;
	if (first) {
		op->range_va = p->va;
		op->range_len = total;
	}
	return exec_payload(r, flags, (flags & ROX_OPF_LAST) &&
			    (rox_pkt_op(p)->hdrs & ROX_HDR_IMM), op);
}

static enum rox_resp_verdict exec_read(struct rox_responder *r, const struct rox_pkt *p,
				       struct rox_resp_op *op)
{
	op->kind = ROX_RESP_READ;
	op->first = true;
	op->last = true;
	op->rkey = p->rkey;
	op->va = p->va;
	op->len = p->dma_len;
	if (p->dma_len > r->cfg.max_msg)
		return invalid(r, p, op, ROX_DROP_LENGTH);
	if (rox_resources_full(&r->res))
		return invalid(r, p, op, ROX_DROP_BUSY);
	return ROX_RESP_EXEC;
}

static enum rox_resp_verdict exec_atomic(struct rox_responder *r, const struct rox_pkt *p,
					 struct rox_resp_op *op)
{
	op->kind = ROX_RESP_ATOMIC;
	op->first = true;
	op->last = true;
	op->rkey = p->rkey;
	op->va = p->va;
	op->len = 8;
	if (rox_resources_full(&r->res))
		return invalid(r, p, op, ROX_DROP_BUSY);
	return ROX_RESP_EXEC;
}

static enum rox_resp_verdict exec(struct rox_responder *r, const struct rox_pkt *p,
				  struct rox_resp_op *op)
{
	u16 flags = rox_pkt_op(p)->flags;

	if (!is_in_sequence(r, flags))
		return invalid(r, p, op, ROX_DROP_SEQUENCE);
	if (!is_allowed(r, flags))
		return invalid(r, p, op, ROX_DROP_ACCESS);
	if (!is_cut_right(r, p, flags))
		return invalid(r, p, op, ROX_DROP_LENGTH);
	if (flags & ROX_OPF_SEND)
		return exec_send(r, p, op);
	if (flags & ROX_OPF_WRITE)
		return exec_write(r, p, op);
	if (flags & ROX_OPF_READ)
		return exec_read(r, p, op);
	return exec_atomic(r, p, op);
}

/* ---- duplicates (IBA 9.7.5.1.3, 9.7.5.1.4) ---- */

/* Does @p ask for a part of READ @res? @nr: of so many packets */
static bool is_part(const struct rox_resource *res, const struct rox_pkt *p, u32 nr)
{
	u32 i = rox_psn_sub(p->psn, res->first_psn);

	if (res->atomic || p->rkey != res->rkey || nr > res->nr_psn - i)
		return false;
	return p->va >= res->va && p->va - res->va <= res->len &&
	       p->dma_len <= res->len - (u32)(p->va - res->va);
}

/*
 * A READ whose answer is still under way is asked for again, up to its end:
 * go back in the answer. False if that is not so.
 */
static bool rewind(const struct rox_responder *r, struct rox_resource *res,
		   const struct rox_pkt *p, u32 nr)
{
	u32 i = rox_psn_sub(p->psn, res->first_psn);

	if (!res->pending || i + nr != res->nr_psn ||
	    p->va - res->va != (u64)i * r->cfg.pmtu)
		return false;
	if (i <= res->sent) {
		res->sent = i;
		res->from = i;
	}
	return true;
}

/*
 * One that begins or ends where @p does is superseded: the requester knows by
 * now what else it misses. Else a free one, or NULL.
 */
static struct rox_replay *replay_for(struct rox_responder *r, const struct rox_pkt *p, u32 nr)
{
	struct rox_replay *rp;

	for (rp = r->replays; rp < r->replays + r->nr_replays; rp++) {
		if (rp->psn == p->psn ||
		    rox_psn_add(rp->psn, rp->nr_psn) == rox_psn_add(p->psn, nr))
			return rp;
	}
	if (r->nr_replays == ROX_RESP_REPLAYS)
		return NULL;
	r->nr_replays++;
	return rp;
}

static enum rox_resp_verdict replay_read(struct rox_responder *r, struct rox_resource *res,
					 const struct rox_pkt *p, struct rox_resp_op *op)
{
	u32 nr = rox_nr_pkts(p->dma_len, r->cfg.pmtu);
	struct rox_replay *rp;

	if (!is_part(res, p, nr))
		return ROX_RESP_DROP;
	if (rewind(r, res, p, nr))
		return ROX_RESP_DONE;
	rp = replay_for(r, p, nr);
	if (!rp)
		return drop(op, ROX_DROP_BUSY);
	*rp = (struct rox_replay) {
		.va = p->va,
		.rkey = p->rkey,
		.len = p->dma_len,
		.psn = p->psn,
		.nr_psn = nr,
		.msn = res->msn,
	};
	return ROX_RESP_DONE;
}

static enum rox_resp_verdict duplicate(struct rox_responder *r, const struct rox_pkt *p,
				       struct rox_resp_op *op)
{
	u16 flags = rox_pkt_op(p)->flags;
	struct rox_resource *res;

	r->counts.duplicates++;
	op->drop = ROX_DROP_DUPLICATE;
	if (flags & (ROX_OPF_SEND | ROX_OPF_WRITE)) {
		if (!r->nak_due)
			owe_ack(r);
		return ROX_RESP_DONE;
	}
	res = rox_resources_find(&r->res, p->psn);
	if (!res)
		return ROX_RESP_DROP;
	if (flags & ROX_OPF_READ)
		return replay_read(r, res, p, op);
	if (!res->atomic)
		return ROX_RESP_DROP;
	rox_resources_pend(&r->res, res);
	return ROX_RESP_DONE;
}

/* ---- sequence ---- */

static enum rox_resp_verdict rx_rc(struct rox_responder *r, const struct rox_pkt *p,
				   struct rox_resp_op *op)
{
	if (p->psn == r->epsn)
		return exec(r, p, op);
	if (rox_psn_before(p->psn, r->epsn))
		return duplicate(r, p, op);
	r->counts.out_of_order++;
	op->drop = ROX_DROP_OUT_OF_ORDER;
	if (r->nak_sent)
		return ROX_RESP_DROP;
	r->counts.naks++;
	owe_nak(r, ROX_AETH_NAK_PSN_SEQ);
	return ROX_RESP_DONE;
}

/*
 * Only so far behind a packet is late: what is further behind was not overtaken,
 * but a packet of somebody else's had moved the expected PSN ahead.
 */
static bool is_late(const struct rox_responder *r, const struct rox_pkt *p)
{
	u32 behind = rox_psn_sub(r->epsn, p->psn);

	return behind && behind <= ROX_UC_LATE;
}

/*
 * IBA 9.8.2.2: a gap ends the message it is in, and any FIRST or ONLY begins a
 * new one. What comes late is dropped, so that messages arrive in order and
 * once even if the network reorders or duplicates.
 */
static enum rox_resp_verdict rx_uc(struct rox_responder *r, const struct rox_pkt *p,
				   struct rox_resp_op *op)
{
	bool first = rox_pkt_op(p)->flags & ROX_OPF_FIRST;

	if (is_late(r, p)) {
		r->counts.duplicates++;
		return drop(op, ROX_DROP_DUPLICATE);
	}
	if (p->psn != r->epsn) {
		r->counts.out_of_order++;
		skip_message(r);
	}
	if (first) {
		r->in_msg = false;
		r->skipping = false;
	}
	if (r->skipping) {
		r->epsn = rox_psn_add(p->psn, p->run);
		return drop(op, ROX_DROP_OUT_OF_ORDER);
	}
	r->epsn = p->psn;
	return exec(r, p, op);
}

static enum rox_resp_verdict rx_ud(struct rox_responder *r, const struct rox_pkt *p,
				   struct rox_resp_op *op)
{
	if (p->payload_bytes > r->cfg.pmtu)
		return drop(op, ROX_DROP_LENGTH);
	op->kind = ROX_RESP_SEND;
	op->msg_bytes = p->payload_bytes;
	return exec_payload(r, rox_pkt_op(p)->flags, true, op);
}

enum rox_resp_verdict rox_resp_rx(struct rox_responder *r, const struct rox_pkt *p,
				  struct rox_resp_op *op)
{
	memset(op, 0, sizeof(*op));
	if (!r->running || r->dead)
		return drop(op, ROX_DROP_QP_STATE);
	if ((p->opcode & ROX_SVC_MASK) != r->cfg.service)
		return drop(op, ROX_DROP_SERVICE);
	if (!(rox_pkt_op(p)->flags & ROX_OPF_REQUEST))
		return drop(op, ROX_DROP_OPCODE);
	if (r->cfg.service == ROX_SVC_RC)
		return rx_rc(r, p, op);
	if (r->cfg.service == ROX_SVC_UC)
		return rx_uc(r, p, op);
	return rx_ud(r, p, op);
}

bool rox_resp_whole(const struct rox_responder *r, const struct rox_pkt *p,
		    struct rox_resp_op *op)
{
	u16 flags = rox_pkt_op(p)->flags;
	bool send = flags & ROX_OPF_SEND;

	if (!r->running || r->dead || r->in_msg || p->psn != r->epsn ||
	    p->payload_bytes > r->cfg.max_msg || !is_allowed(r, flags) ||
	    !is_cut_right(r, p, flags))
		return false;
	*op = (struct rox_resp_op) {
		.kind = send ? ROX_RESP_SEND : ROX_RESP_WRITE,
		.first = true,
		.last = true,
		.completes = send || (rox_pkt_op(p)->hdrs & ROX_HDR_IMM),
		.msg_bytes = p->payload_bytes,
		.rkey = p->rkey,
		.va = p->va,
		.len = p->payload_bytes,
		.range_va = p->va,
		.range_len = p->payload_bytes,
	};
	op->needs_recv = op->completes && !r->recv_held;
	return true;
}

/* ---- outcomes ---- */

static void commit_payload(struct rox_responder *r, const struct rox_pkt *p,
			   const struct rox_resp_op *op)
{
	r->recv_held = (r->recv_held || op->needs_recv) && !op->completes;
	r->in_msg = !op->last;
	r->skipping = false;
	r->msg_kind = rox_pkt_op(p)->flags & (ROX_OPF_SEND | ROX_OPF_WRITE);
	r->msg_bytes = op->msg_bytes;
	if (!op->first)
		return;
	r->msg_va = p->va;
	r->msg_rkey = p->rkey;
	r->msg_len = p->dma_len;
}

/* Remember it, and owe the reply. */
static u32 commit_resource(struct rox_responder *r, const struct rox_pkt *p,
			   const struct rox_resp_op *op, u64 orig)
{
	struct rox_resource *res = rox_resources_add(&r->res);

	if (!res)
		return 1;
	res->atomic = op->kind == ROX_RESP_ATOMIC;
	res->va = p->va;
	res->rkey = p->rkey;
	res->orig = orig;
	res->len = op->len;
	res->first_psn = p->psn;
	res->nr_psn = res->atomic ? 1 : rox_nr_pkts(op->len, r->cfg.pmtu);
	res->msn = rox_psn_add(r->msn, 1);
	rox_resources_pend(&r->res, res);
	return res->nr_psn;
}

void rox_resp_commit(struct rox_responder *r, const struct rox_pkt *p,
		     const struct rox_resp_op *op, u64 orig)
{
	bool answers = op->kind == ROX_RESP_READ || op->kind == ROX_RESP_ATOMIC;
	u32 psns = p->run;

	if (answers)
		psns = commit_resource(r, p, op, orig);
	else
		commit_payload(r, p, op);
	if (r->cfg.service == ROX_SVC_UD)
		return;
	r->epsn = rox_psn_add(p->psn, psns);
	if (op->last)
		r->msn = rox_psn_add(r->msn, 1);
	if (r->cfg.service != ROX_SVC_RC)
		return;
	r->nak_sent = false;
	r->nak_due = false;
	if (p->ackreq && !answers)
		owe_ack(r);
}

void rox_resp_rnr(struct rox_responder *r, const struct rox_pkt *p)
{
	if (r->cfg.service == ROX_SVC_RC) {
		r->counts.rnr_naks++;
		owe_nak(r, ROX_AETH_RNR_NAK |
			(r->cfg.min_rnr_timer & ROX_AETH_VALUE_MASK));
	} else if (r->cfg.service == ROX_SVC_UC) {
		skip_message(r);
		r->epsn = rox_psn_add(p->psn, p->run);
	}
}

void rox_resp_refuse(struct rox_responder *r, const struct rox_pkt *p, u8 syndrome)
{
	r->recv_held = false;
	if (r->cfg.service == ROX_SVC_RC) {
		owe_fatal(r, syndrome);
	} else if (r->cfg.service == ROX_SVC_UC) {
		skip_message(r);
		r->epsn = rox_psn_add(p->psn, p->run);
	}
}
