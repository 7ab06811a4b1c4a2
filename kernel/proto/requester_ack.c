// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the receiving side of the requester: what ACKs, NAKs, READ
 * responses and atomic ACKs say about the packets in flight (IBA 9.7.5.1,
 * 9.7.5.2, 9.7.6).
 *
 * A response speaks for all requests before it. The exception are READs and
 * atomics: they are finished by their own response only, so one that is passed
 * over has lost its response and is asked again (IBA 9.7.5.1.2). Responses that
 * follow a lost one are kept: what was placed is remembered packet by packet.
 */

#include "requester_impl.h"

static void speed_up(struct rox_requester *r, u32 acked)
{
	if (r->cwnd >= r->cfg.window)
		return;
	/* Until something is lost, with each window that is used twice as many. */
	if (!r->lost) {
		if (rox_req_inflight(r) + acked > r->cwnd / 2)
			r->cwnd = min(r->cwnd + acked, r->cfg.window);
		return;
	}
	r->cwnd_acked += acked;
	if (r->cwnd_acked < r->cwnd)
		return;
	r->cwnd_acked = 0;
	r->cwnd++;
}

/* una moved, by @n packets. */
static void progress(struct rox_requester *r, u32 n, u64 now)
{
	speed_up(r, n);
	if (rox_psn_before(r->cursor, r->una)) {
		r->cursor = r->una;
		r->again = r->oldest;
	}
	if (rox_psn_before(r->asked, r->una))
		r->asked = r->una;
	/* Answers to what came before say nothing of a peer that is not ready. */
	if (!r->rnr_row || rox_psn_after(r->una, r->rnr_psn)) {
		r->rnr_waiting = false;
		r->rnr_probing = false;
		r->rnr_left = r->cfg.rnr_retry;
		r->rnr_row = 0;
	}
	rox_rto_progress(r, now);
}

static void set_got(struct rox_requester *r, u32 psn, bool on)
{
	u32 bit = psn % ROX_REQ_MAX_WINDOW;

	if (on)
		r->got[bit / 32] |= 1u << (bit % 32);
	else
		r->got[bit / 32] &= ~(1u << (bit % 32));
}

/* Of @wr, which una lies in: how many more packets are done with. */
static u32 nr_finished(struct rox_requester *r, const struct rox_wr *wr)
{
	u32 i = rox_psn_sub(r->una, wr->first_psn);

	if (!rox_wr_wants_data(wr))
		return min(wr->nr_psn - i, rox_psn_sub(r->reached, r->una));
	if (!rox_req_got(r, r->una))
		return 0;
	set_got(r, r->una, false);
	if (rox_wr_is_atomic(wr) || i + 1 == rox_req_piece_end(r, wr, i))
		r->rd_inflight--;
	return 1;
}

/* Move una past all that was carried out, and answered where it must be. */
static void advance(struct rox_requester *r, u64 now)
{
	u32 before = r->una;
	u32 n;

	while (rox_req_live(r) && r->una != r->reached) {
		n = nr_finished(r, rox_req_wr(r, r->oldest));
		if (!n)
			break;
		r->una = rox_psn_add(r->una, n);
		rox_req_settle(r);
	}
	if (rox_req_live(r) && r->una != before)
		progress(r, rox_psn_sub(r->una, before), now);
}

/* The WR that PSN @psn, known to be in flight, belongs to. */
static struct rox_wr *wr_of_psn(const struct rox_requester *r, u32 psn)
{
	struct rox_wr *wr = rox_req_wr(r, r->oldest);
	u32 i;

	for (i = r->oldest; i != r->head; i++) {
		wr = rox_req_wr(r, i);
		if (rox_psn_sub(psn, wr->first_psn) < wr->nr_psn)
			break;
	}
	return wr;
}

/*
 * Peers of the rdma_rxe kind answer a part of a READ again, but then never what
 * lies before that part. So whatever is asked again of a piece begins with the
 * first packet that is missing of it: not after @psn, at or after una.
 */
static u32 lowest_missing(const struct rox_requester *r, u32 psn)
{
	const struct rox_wr *wr = wr_of_psn(r, psn);
	u32 back;

	if (!rox_wr_is_read(wr))
		return psn;
	back = rox_psn_sub(psn, wr->first_psn) % r->cfg.read_chunk;
	back = min(back, rox_psn_sub(psn, r->una));
	while (back && rox_req_got(r, rox_psn_sub(psn, back)))
		back--;
	return rox_psn_sub(psn, back);
}

/*
 * The peer says that it carried out all before @end. READs and atomics among
 * them whose answer is not here have lost it; they are asked again, once.
 */
static void reach(struct rox_requester *r, u32 end, u64 now)
{
	if (rox_psn_after(end, r->reached))
		r->reached = end;
	advance(r, now);
	if (!rox_req_live(r) || !rox_psn_before(r->asked, r->reached))
		return;
	if (r->una != r->reached)
		rox_req_resend(r, lowest_missing(r, r->asked), r->reached);
	r->asked = r->reached;
}

/* An answer that does not fit the question (IBA 9.9.2.1, "bad response"). */
static enum rox_drop bad_response(struct rox_requester *r, struct rox_wr *wr)
{
	rox_req_fail_wr(r, wr, ROX_WC_BAD_RESP_ERR);
	return ROX_DROP_SEQUENCE;
}

static enum rox_drop rx_ack(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	reach(r, rox_psn_add(p->psn, 1), now);
	return ROX_DROP_NONE;
}

/*
 * IBA 9.7.5.2.8: wait, then send again from the PSN of the NAK. Answers that are
 * missing of what came before are asked for again then.
 */
static enum rox_drop rx_rnr_nak(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	/* A second one for a packet that was not sent again yet is an echo. */
	bool echo = r->rnr_waiting || !rox_psn_after(r->cursor, p->psn);

	reach(r, p->psn, now);
	if (!rox_req_live(r))
		return ROX_DROP_NONE;
	if (echo)
		return ROX_DROP_STALE;
	r->counts.rnr_naks++;
	if (r->cfg.rnr_retry != 7 && !r->rnr_left--) {
		rox_req_fail_wr(r, wr_of_psn(r, p->psn), ROX_WC_RNR_RETRY_EXC_ERR);
		return ROX_DROP_NONE;
	}
	rox_req_resend(r, r->una, r->psn);
	rox_rto_rnr(r, p->psn, p->syndrome & ROX_AETH_VALUE_MASK, now);
	return ROX_DROP_NONE;
}

/* The peer dropped all from there on: go back, once (IBA 9.7.5.2.8). */
static enum rox_drop rx_seq_nak(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	r->counts.seq_naks++;
	reach(r, p->psn, now);
	if (!rox_req_live(r) || r->rnr_waiting)
		return ROX_DROP_NONE;
	if (r->nak_seen && r->nak_psn == p->psn)
		return ROX_DROP_NONE;
	r->nak_seen = true;
	r->nak_psn = p->psn;
	rox_req_slow_down(r);
	rox_req_resend(r, p->psn, r->psn);
	return ROX_DROP_NONE;
}

/*
 * The peer is in the error state and will answer nothing any more, so a READ
 * whose response is missing cannot be asked again: it is flushed.
 */
static enum rox_drop rx_fatal_nak(struct rox_requester *r, const struct rox_pkt *p,
				  enum rox_wc_status status, u64 now)
{
	reach(r, p->psn, now);
	if (rox_req_live(r))
		rox_req_fail_wr(r, wr_of_psn(r, p->psn), status);
	return ROX_DROP_NONE;
}

static enum rox_drop rx_nak(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	switch (p->syndrome) {
	case ROX_AETH_NAK_PSN_SEQ:
		return rx_seq_nak(r, p, now);
	case ROX_AETH_NAK_INV_REQ:
		return rx_fatal_nak(r, p, ROX_WC_REM_INV_REQ_ERR, now);
	case ROX_AETH_NAK_REM_ACC:
		return rx_fatal_nak(r, p, ROX_WC_REM_ACCESS_ERR, now);
	case ROX_AETH_NAK_REM_OP:
		return rx_fatal_nak(r, p, ROX_WC_REM_OP_ERR, now);
	}
	return ROX_DROP_UNSUPPORTED;
}

static enum rox_drop rx_acknowledge(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	u8 kind = p->syndrome & ROX_AETH_KIND_MASK;

	if (kind == ROX_AETH_ACK)
		return rx_ack(r, p, now);
	/* What was carried out cannot be refused: an echo. */
	if (rox_psn_before(p->psn, r->reached))
		return ROX_DROP_STALE;
	if (kind == ROX_AETH_RNR_NAK)
		return rx_rnr_nak(r, p, now);
	if (kind == ROX_AETH_NAK)
		return rx_nak(r, p, now);
	return ROX_DROP_UNSUPPORTED;
}

/* @n READ packets from @psn on, or an atomic, are answered. */
static void answered(struct rox_requester *r, u32 psn, u32 n, u64 now)
{
	u32 end = rox_psn_add(psn, n);
	u32 i;

	for (i = 0; i < n; i++)
		set_got(r, rox_psn_add(psn, i), true);
	if (rox_psn_sub(r->asked, psn) < n)
		r->asked = end;
	reach(r, end, now);
}

/*
 * What is asked again may begin and end anywhere in a piece, so FIRST and LAST
 * say little; but where a piece ends a response must end. A run may answer
 * several pieces, if it was several that were asked for.
 */
static bool read_fits(const struct rox_requester *r, const struct rox_wr *wr,
		      u32 i, const struct rox_pkt *p)
{
	bool last = rox_pkt_op(p)->flags & ROX_OPF_LAST;
	u32 bytes = p->run * r->cfg.pmtu;
	u32 end = i + p->run;

	if (end > wr->nr_psn || rox_psn_sub(p->psn, r->una) + p->run > rox_req_inflight(r))
		return false;
	if (end == wr->nr_psn)
		bytes = wr->length - i * r->cfg.pmtu;
	return p->payload_bytes == bytes &&
	       (last || p->run > 1 || end != rox_req_piece_end(r, wr, i));
}

static enum rox_drop rx_read(struct rox_requester *r, const struct rox_pkt *p,
			     u64 now, struct rox_req_place *place)
{
	struct rox_wr *wr = wr_of_psn(r, p->psn);
	u32 i = rox_psn_sub(p->psn, wr->first_psn);

	if (!rox_wr_is_read(wr) || !read_fits(r, wr, i, p))
		return bad_response(r, wr);
	if (!p->payload_bytes) {
		answered(r, p->psn, 1, now);
		return ROX_DROP_NONE;
	}
	place->wr = wr;
	place->offset = i * r->cfg.pmtu;
	place->bytes = p->payload_bytes;
	return ROX_DROP_NONE;
}

static enum rox_drop rx_atomic(struct rox_requester *r, const struct rox_pkt *p,
			       struct rox_req_place *place)
{
	struct rox_wr *wr = wr_of_psn(r, p->psn);

	if (!rox_wr_is_atomic(wr))
		return bad_response(r, wr);
	place->wr = wr;
	place->atomic = true;
	place->orig = p->atomic_orig;
	return ROX_DROP_NONE;
}

static enum rox_drop rx_data(struct rox_requester *r, const struct rox_pkt *p,
			     u64 now, struct rox_req_place *place)
{
	if (rox_req_got(r, p->psn))
		return ROX_DROP_DUPLICATE;
	reach(r, p->psn, now);
	if (!rox_req_live(r))
		return ROX_DROP_NONE;
	r->rx_psn = p->psn;
	r->rx_run = p->run;
	r->rx_at = now;
	if (rox_pkt_op(p)->flags & ROX_OPF_READ)
		return rx_read(r, p, now, place);
	return rx_atomic(r, p, place);
}

bool rox_req_awaits(const struct rox_requester *r, u32 psn)
{
	return rox_psn_sub(psn, r->una) < rox_req_inflight(r) && !rox_req_got(r, psn);
}

enum rox_drop rox_req_rx(struct rox_requester *r, const struct rox_pkt *p,
			 u64 now, struct rox_req_place *place)
{
	memset(place, 0, sizeof(*place));
	if (!rox_req_live(r))
		return ROX_DROP_QP_STATE;
	if (r->cfg.service != ROX_SVC_RC || (p->opcode & ROX_SVC_MASK) != ROX_SVC_RC)
		return ROX_DROP_SERVICE;
	if (!(rox_pkt_op(p)->flags & ROX_OPF_RESPONSE))
		return ROX_DROP_OPCODE;
	if (rox_psn_sub(p->psn, r->una) >= rox_req_inflight(r)) {
		if (!rox_psn_before(p->psn, r->una))
			return ROX_DROP_GHOST;
		r->counts.stale_acks++;
		return ROX_DROP_STALE;
	}
	if (rox_pkt_op(p)->flags & (ROX_OPF_READ | ROX_OPF_ATOMIC))
		return rx_data(r, p, now, place);
	return rx_acknowledge(r, p, now);
}

void rox_req_placed(struct rox_requester *r, const struct rox_req_place *place,
		    enum rox_wc_status status)
{
	if (!rox_req_live(r) || (!place->bytes && !place->atomic))
		return;
	if (status == ROX_WC_SUCCESS)
		answered(r, r->rx_psn, r->rx_run, r->rx_at);
	else
		rox_req_fail_wr(r, place->wr, status);
}
