// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the receiving side of the requester: what ACKs, NAKs, READ
 * responses and atomic ACKs say about the packets in flight (IBA 9.7.5.1,
 * 9.7.5.2, 9.7.6).
 *
 * A response speaks for all requests before it. The exception are READs and
 * atomics: they are finished by their own response only, so one that is passed
 * over has lost its response and is asked again (IBA 9.7.5.1.2).
 */

#include "requester_impl.h"

/* una moved. */
static void progress(struct rox_requester *r, u64 now)
{
	if (rox_psn_before(r->cursor, r->una)) {
		r->cursor = r->una;
		r->next = r->oldest;
	}
	r->gap_seen = false;
	r->rnr_waiting = false;
	r->rnr_probing = false;
	r->rnr_left = r->cfg.rnr_retry;
	r->rnr_row = 0;
	rox_rto_progress(r, now);
}

/*
 * Packets before @end have arrived. Stops at a READ or atomic, whose response
 * is missing then; true if una is @end.
 */
static bool ack_until(struct rox_requester *r, u32 end)
{
	struct rox_wr *wr;
	u32 left;

	while (rox_req_live(r) && r->una != end) {
		wr = rox_req_wr(r, r->oldest);
		if (rox_wr_wants_data(wr))
			return false;
		left = wr->nr_psn - rox_psn_sub(r->una, wr->first_psn);
		left = min(left, rox_psn_sub(end, r->una));
		r->una = rox_psn_add(r->una, left);
		rox_req_settle(r);
	}
	return rox_req_live(r);
}

/* The peer misses una, or we miss its answer: go back, once. */
static void gap(struct rox_requester *r)
{
	if (r->gap_seen || r->rnr_waiting)
		return;
	r->gap_seen = true;
	rox_req_go_back(r);
}

/* ack_until() and its consequences. */
static bool reach(struct rox_requester *r, u32 end, u64 now)
{
	u32 before = r->una;
	bool reached = ack_until(r, end);

	if (!rox_req_live(r))
		return false;
	if (r->una != before)
		progress(r, now);
	if (!reached)
		gap(r);
	return reached;
}

/* An answer that does not fit the question (IBA 9.9.2.1, "bad response"). */
static enum rox_drop bad_response(struct rox_requester *r)
{
	rox_req_fail_wr(r, rox_req_wr(r, r->oldest), ROX_WC_BAD_RESP_ERR);
	return ROX_DROP_SEQUENCE;
}

static enum rox_drop rx_ack(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	reach(r, rox_psn_add(p->psn, 1), now);
	return ROX_DROP_NONE;
}

/* IBA 9.7.5.2.8: wait, then send again from the PSN of the NAK. */
static enum rox_drop rx_rnr_nak(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	if (!reach(r, p->psn, now))
		return ROX_DROP_NONE;
	/* A second one for a packet that was not sent again yet is an echo. */
	if (r->rnr_waiting || r->cursor == r->una)
		return ROX_DROP_STALE;
	r->counts.rnr_naks++;
	if (r->cfg.rnr_retry != 7 && !r->rnr_left--) {
		rox_req_fail_wr(r, rox_req_wr(r, r->oldest), ROX_WC_RNR_RETRY_EXC_ERR);
		return ROX_DROP_NONE;
	}
	rox_req_go_back(r);
	rox_rto_rnr(r, p->syndrome & ROX_AETH_VALUE_MASK, now);
	return ROX_DROP_NONE;
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
 * The peer is in the error state and will answer nothing any more, so a READ
 * whose response is missing cannot be asked again: it is flushed.
 */
static enum rox_drop rx_fatal_nak(struct rox_requester *r, const struct rox_pkt *p,
				  enum rox_wc_status status)
{
	ack_until(r, p->psn);
	if (rox_req_live(r))
		rox_req_fail_wr(r, wr_of_psn(r, p->psn), status);
	return ROX_DROP_NONE;
}

static enum rox_drop rx_nak(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	switch (p->syndrome) {
	case ROX_AETH_NAK_PSN_SEQ:
		r->counts.seq_naks++;
		if (reach(r, p->psn, now))
			gap(r);
		return ROX_DROP_NONE;
	case ROX_AETH_NAK_INV_REQ:
		return rx_fatal_nak(r, p, ROX_WC_REM_INV_REQ_ERR);
	case ROX_AETH_NAK_REM_ACC:
		return rx_fatal_nak(r, p, ROX_WC_REM_ACCESS_ERR);
	case ROX_AETH_NAK_REM_OP:
		return rx_fatal_nak(r, p, ROX_WC_REM_OP_ERR);
	}
	return ROX_DROP_UNSUPPORTED;
}

static enum rox_drop rx_acknowledge(struct rox_requester *r, const struct rox_pkt *p, u64 now)
{
	switch (p->syndrome & ROX_AETH_KIND_MASK) {
	case ROX_AETH_ACK:
		return rx_ack(r, p, now);
	case ROX_AETH_RNR_NAK:
		return rx_rnr_nak(r, p, now);
	case ROX_AETH_NAK:
		return rx_nak(r, p, now);
	}
	return ROX_DROP_UNSUPPORTED;
}

/* The packet at una was answered by what was placed. */
static void answered(struct rox_requester *r, u64 now)
{
	struct rox_wr *wr = rox_req_wr(r, r->oldest);
	u32 i = rox_psn_sub(r->una, wr->first_psn);

	if (rox_wr_is_atomic(wr) || i + 1 == rox_req_piece_end(r, wr, i))
		r->rd_inflight--;
	r->una = rox_psn_add(r->una, 1);
	rox_req_settle(r);
	if (rox_req_live(r))
		progress(r, now);
}

/*
 * A part of a READ that is asked again begins with FIRST or ONLY wherever it
 * is, so only the end of a piece tells by its opcode what it is.
 */
static bool read_fits(const struct rox_requester *r, const struct rox_wr *wr,
		      u32 i, const struct rox_pkt *p)
{
	bool last = i + 1 == rox_req_piece_end(r, wr, i);
	u32 bytes = r->cfg.pmtu;

	if (i + 1 == wr->nr_psn)
		bytes = wr->length - i * r->cfg.pmtu;
	return p->payload_bytes == bytes && last == !!(rox_pkt_op(p)->flags & ROX_OPF_LAST);
}

static enum rox_drop rx_read(struct rox_requester *r, const struct rox_pkt *p,
			     u64 now, struct rox_req_place *place)
{
	struct rox_wr *wr;
	u32 i;

	if (!reach(r, p->psn, now))
		return ROX_DROP_OUT_OF_ORDER;
	wr = rox_req_wr(r, r->oldest);
	i = rox_psn_sub(r->una, wr->first_psn);
	if (!rox_wr_is_read(wr) || !read_fits(r, wr, i, p))
		return bad_response(r);
	if (!p->payload_bytes) {
		answered(r, now);
		return ROX_DROP_NONE;
	}
	place->wr = wr;
	place->offset = i * r->cfg.pmtu;
	place->bytes = p->payload_bytes;
	return ROX_DROP_NONE;
}

static enum rox_drop rx_atomic(struct rox_requester *r, const struct rox_pkt *p,
			       u64 now, struct rox_req_place *place)
{
	struct rox_wr *wr;

	if (!reach(r, p->psn, now))
		return ROX_DROP_OUT_OF_ORDER;
	wr = rox_req_wr(r, r->oldest);
	if (!rox_wr_is_atomic(wr))
		return bad_response(r);
	place->wr = wr;
	place->atomic = true;
	place->orig = p->atomic_orig;
	return ROX_DROP_NONE;
}

static enum rox_drop rx_in_flight(struct rox_requester *r, const struct rox_pkt *p,
				  u64 now, struct rox_req_place *place)
{
	u16 flags = rox_pkt_op(p)->flags;

	if (flags & ROX_OPF_READ)
		return rx_read(r, p, now, place);
	if (flags & ROX_OPF_ATOMIC)
		return rx_atomic(r, p, now, place);
	return rx_acknowledge(r, p, now);
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
	r->rx_at = now;
	if (rox_psn_sub(p->psn, r->una) < rox_req_inflight(r))
		return rx_in_flight(r, p, now, place);
	if (!rox_psn_before(p->psn, r->una))
		return ROX_DROP_GHOST;
	r->counts.stale_acks++;
	return ROX_DROP_STALE;
}

void rox_req_placed(struct rox_requester *r, const struct rox_req_place *place,
		    enum rox_wc_status status)
{
	if (!rox_req_live(r) || (!place->bytes && !place->atomic))
		return;
	if (status == ROX_WC_SUCCESS)
		answered(r, r->rx_at);
	else
		rox_req_fail_wr(r, place->wr, status);
}
