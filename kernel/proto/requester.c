// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the sending side of the requester: which packet is next,
 * and what becomes of work requests (IBA 9.7, 9.8.1, 10.8).
 */

#include "requester_impl.h"

static bool is_local(const struct rox_wr *wr)
{
	return wr->opcode == ROX_WR_LOCAL_INV || wr->opcode == ROX_WR_BIND_MW ||
	       wr->opcode == ROX_WR_REG_MR;
}

static bool later_index(u32 a, u32 b)
{
	return (s32)(a - b) > 0;
}

/* ---- life ---- */

void rox_req_init(struct rox_requester *r, void *slots, u32 stride, u32 nr_slots)
{
	memset(r, 0, sizeof(*r));
	r->slots = slots;
	r->stride = stride;
	r->nr_slots = nr_slots;
	r->state = ROX_REQ_STOPPED;
	r->run = 1;
	r->rto_at = ROX_TIME_NEVER;
}

void rox_req_start(struct rox_requester *r, const struct rox_req_config *cfg, u32 psn)
{
	r->cfg = *cfg;
	r->cfg.window = min_t(u32, max_t(u32, cfg->window, 2), ROX_REQ_MAX_WINDOW);
	r->cfg.read_chunk = min_t(u32, max_t(u32, cfg->read_chunk, 1),
				  ROX_REQ_MAX_WINDOW);
	r->cfg.min_rto_ns = max_t(u64, cfg->min_rto_ns, 1000);
	r->rnr_left = cfg->rnr_retry;
	r->cwnd = min_t(u32, r->cfg.window, ROX_REQ_FIRST_WINDOW);
	r->psn = psn & ROX_PSN_MASK;
	r->una = r->psn;
	r->cursor = r->psn;
	r->reached = r->psn;
	r->asked = r->psn;
	r->asked_end = r->psn;
	r->state = ROX_REQ_RUNNING;
}

void rox_req_reconfigure(struct rox_requester *r, const struct rox_req_config *cfg)
{
	r->cfg.timeout = cfg->timeout;
	r->cfg.retry_cnt = cfg->retry_cnt;
	r->cfg.rnr_retry = cfg->rnr_retry;
	r->cfg.max_rd_atomic = cfg->max_rd_atomic;
	r->cfg.qkey = cfg->qkey;
	r->rnr_left = cfg->rnr_retry;
}

/*
 * The packet before @end asked for no ACK, because another one was to follow, which
 * does not. It goes again, and asks.
 */
static void ask_after_all(struct rox_requester *r, u32 end)
{
	if (!r->unasked || rox_req_resending(r) || !rox_psn_before(r->una, end))
		return;
	rox_req_resend(r, rox_psn_sub(end, 1), end);
}

void rox_req_drain(struct rox_requester *r, bool on)
{
	if (!rox_req_live(r))
		return;
	r->state = on ? ROX_REQ_DRAINING : ROX_REQ_RUNNING;
	/* What has begun ends, and asks. */
	if (on && (r->next == r->head || rox_req_wr(r, r->next)->state == ROX_WR_QUEUED))
		ask_after_all(r, r->psn);
}

bool rox_req_drained(const struct rox_requester *r)
{
	if (r->state != ROX_REQ_DRAINING || r->tail != r->oldest)
		return false;
	return r->oldest == r->head ||
	       rox_req_wr(r, r->oldest)->state == ROX_WR_QUEUED;
}

static void enter_error(struct rox_requester *r, enum rox_wc_status status)
{
	r->state = ROX_REQ_ERROR;
	r->failed = status;
	r->rto_at = ROX_TIME_NEVER;
	r->rnr_waiting = false;
}

void rox_req_fail_wr(struct rox_requester *r, struct rox_wr *wr,
		     enum rox_wc_status status)
{
	wr->status = status;
	wr->state = ROX_WR_DONE;
	enter_error(r, status);
}

void rox_req_error(struct rox_requester *r, enum rox_wc_status status)
{
	if (r->state == ROX_REQ_ERROR)
		return;
	if (r->oldest != r->head && status != ROX_WC_WR_FLUSH_ERR)
		rox_req_fail_wr(r, rox_req_wr(r, r->oldest), status);
	else
		enter_error(r, status);
}

/* Also a local operation that was carried out: its turn comes after the error. */
static void flush(struct rox_wr *wr)
{
	if (wr->state != ROX_WR_DONE || wr->status == ROX_WC_SUCCESS)
		wr->status = ROX_WC_WR_FLUSH_ERR;
	wr->state = ROX_WR_DONE;
}

void rox_req_resume(struct rox_requester *r)
{
	if (r->state != ROX_REQ_ERROR)
		return;
	for (; r->oldest != r->head; r->oldest++)
		flush(rox_req_wr(r, r->oldest));
	r->next = r->head;
	r->cursor = r->psn;
	r->una = r->psn;
	r->failed = 0;
	r->state = ROX_REQ_RUNNING;
}

/* ---- work requests ---- */

void rox_req_accept(struct rox_requester *r, enum rox_wc_status bad)
{
	struct rox_wr *wr = rox_req_slot(r);

	wr->status = bad;
	wr->state = ROX_WR_QUEUED;
	wr->first_psn = 0;
	wr->nr_psn = 0;
	r->head++;
}

static bool is_finished(const struct rox_requester *r, const struct rox_wr *wr)
{
	if (wr->state == ROX_WR_SENT)
		return rox_psn_sub(r->una, wr->first_psn) == wr->nr_psn;
	return wr->state == ROX_WR_DONE;
}

void rox_req_settle(struct rox_requester *r)
{
	struct rox_wr *wr;

	while (r->oldest != r->head) {
		wr = rox_req_wr(r, r->oldest);
		if (!is_finished(r, wr))
			break;
		wr->state = ROX_WR_DONE;
		r->oldest++;
	}
	if (later_index(r->oldest, r->next))
		r->next = r->oldest;
	if (r->oldest == r->head)
		return;
	wr = rox_req_wr(r, r->oldest);
	if (wr->state == ROX_WR_FAILED && rox_req_live(r))
		rox_req_fail_wr(r, wr, wr->status);
}

void rox_req_fail(struct rox_requester *r, enum rox_wc_status status)
{
	u32 planned = rox_req_resending(r) ? r->again : r->next;
	struct rox_wr *wr = rox_req_wr(r, planned);

	if (!rox_req_live(r) || planned == r->head)
		return;
	ask_after_all(r, wr->state == ROX_WR_QUEUED ? r->psn : wr->first_psn);
	wr->status = status;
	wr->state = ROX_WR_FAILED;
	rox_req_settle(r);
}

void rox_req_local_done(struct rox_requester *r, enum rox_wc_status status)
{
	struct rox_wr *wr = rox_req_wr(r, r->next);

	if (!rox_req_live(r) || r->next == r->head || !is_local(wr))
		return;
	wr->status = status;
	wr->state = status == ROX_WC_SUCCESS ? ROX_WR_DONE : ROX_WR_FAILED;
	if (status == ROX_WC_SUCCESS)
		r->next++;
	rox_req_settle(r);
}

struct rox_wr *rox_req_complete(struct rox_requester *r)
{
	if (r->tail == r->oldest) {
		if (r->state != ROX_REQ_ERROR || r->oldest == r->head)
			return NULL;
		flush(rox_req_wr(r, r->oldest));
		r->oldest++;
		if (later_index(r->oldest, r->next))
			r->next = r->oldest;
	}
	return rox_req_wr(r, r->tail++);
}

/* ---- sending again ---- */

void rox_req_resend(struct rox_requester *r, u32 from, u32 end)
{
	if (rox_req_resending(r) && rox_psn_before(r->cursor, from))
		from = r->cursor;
	if (rox_req_resending(r) && rox_psn_before(end, r->resend_end))
		end = r->resend_end;
	r->cursor = from;
	r->resend_end = end;
	r->again = r->oldest;
	r->since_ackreq = 0;
	r->rtt_timing = false;
}

/* How many packets from the @i-th of @wr on, where cursor is, arrived. */
static u32 nr_arrived(const struct rox_requester *r, const struct rox_wr *wr, u32 i)
{
	if (rox_wr_wants_data(wr))
		return rox_req_got(r, r->cursor);
	if (!rox_psn_before(r->cursor, r->reached))
		return 0;
	return min(wr->nr_psn - i, rox_psn_sub(r->reached, r->cursor));
}

/* Move cursor to the next packet that is missing, or else to psn. */
static void find_missing(struct rox_requester *r)
{
	struct rox_wr *wr;
	u32 i, n;

	while (rox_req_resending(r)) {
		if (!rox_psn_before(r->cursor, r->resend_end)) {
			r->cursor = r->psn;
			return;
		}
		wr = rox_req_wr(r, r->again);
		i = rox_psn_sub(r->cursor, wr->first_psn);
		if (!wr->nr_psn || i >= wr->nr_psn) {
			r->again++;
			continue;
		}
		n = nr_arrived(r, wr, i);
		if (!n)
			return;
		r->cursor = rox_psn_add(r->cursor, n);
	}
}

/* ---- the next packet ---- */

/* What only this machine can find wrong with a WR. */
static enum rox_wc_status check(const struct rox_requester *r, const struct rox_wr *wr)
{
	if (wr->status != ROX_WC_SUCCESS)
		return wr->status;
	if (is_local(wr))
		return ROX_WC_SUCCESS;
	if (rox_segment_opcode(r->cfg.service, wr->opcode, true, true) < 0)
		return ROX_WC_LOC_QP_OP_ERR;
	if (rox_wr_wants_data(wr) && !r->cfg.max_rd_atomic)
		return ROX_WC_LOC_QP_OP_ERR;
	if (r->cfg.service == ROX_SVC_UD && wr->length > r->cfg.pmtu)
		return ROX_WC_LOC_LEN_ERR;
	return ROX_WC_SUCCESS;
}

/*
 * A fenced WR waits for earlier READs and atomics. An invalidation waits for
 * everything: what is sent again must still find its key (IBA 10.8.3.3).
 */
static bool must_wait(const struct rox_requester *r, const struct rox_wr *wr)
{
	if (wr->opcode == ROX_WR_LOCAL_INV)
		return r->oldest != r->next;
	return (wr->flags & ROX_SQE_FENCE) && r->rd_inflight;
}

/* May a packet that consumes @n PSNs go, or go again? */
static bool has_room(const struct rox_requester *r, const struct rox_wr *wr, u32 n)
{
	if (!rox_req_is_rc(r) || !rox_req_unanswered(r))
		return true;
	if (!rox_req_resending(r) && rox_wr_wants_data(wr) &&
	    r->rd_inflight >= r->cfg.max_rd_atomic)
		return false;
	return rox_req_unanswered(r) + n <= rox_req_window(r);
}

static bool is_plain_data(const struct rox_wr *wr)
{
	return !is_local(wr) && !rox_wr_wants_data(wr) && !(wr->flags & ROX_SQE_FENCE);
}

/* Will the next WR's packets follow at once, with nothing that they wait for? */
static bool is_followed(const struct rox_requester *r)
{
	const struct rox_wr *wr = rox_req_wr(r, r->next + 1);

	return r->next + 1 != r->head && r->state == ROX_REQ_RUNNING &&
	       is_plain_data(wr) && check(r, wr) == ROX_WC_SUCCESS;
}

/*
 * Ask for an ACK wherever the flow could otherwise stop with nothing to answer,
 * and often enough for the window to move on smoothly. One for the last of several
 * messages speaks for all. @n: packets of the run
 */
static bool wants_ack(const struct rox_requester *r, u32 n, bool last, bool again)
{
	if (!rox_req_is_rc(r))
		return false;
	if (r->read_runs || r->rnr_probing ||
	    r->since_ackreq + n >= rox_req_window(r) / 4)
		return true;
	/* With bursts only it follows at once. */
	if (last && (again || r->run == 1 || !is_followed(r)))
		return true;
	if (again && rox_psn_add(r->cursor, n) == r->resend_end)
		return true;
	return rox_req_unanswered(r) + n >= rox_req_window(r);
}

static void plan_address(const struct rox_requester *r, const struct rox_wr *wr,
			 struct rox_pkt *h)
{
	h->pkey = r->cfg.pkey;
	h->migreq = r->cfg.migreq;
	h->dqpn = r->cfg.dqpn;
	if (r->cfg.service != ROX_SVC_UD)
		return;
	h->dqpn = (u32)wr->compare_add & 0xffffff;
	h->sqpn = r->cfg.sqpn;
	h->qkey = (u32)wr->swap;
	if (h->qkey & ROX_QKEY_PRIVILEGED)
		h->qkey = r->cfg.qkey;
}

/* The extension headers of SEND and WRITE, and their piece of payload. */
static void plan_data(const struct rox_requester *r, const struct rox_wr *wr,
		      struct rox_req_pkt *pkt)
{
	struct rox_pkt *h = &pkt->hdr;

	h->run = pkt->nr_psn;
	h->payload_bytes = min(wr->length - pkt->offset, h->run * r->cfg.pmtu);
	h->pad = -h->payload_bytes & 3;
	h->va = wr->remote_addr;
	h->rkey = wr->rkey;
	h->dma_len = wr->length;
	h->ieth = wr->imm;
	memcpy(&h->imm, &wr->imm, sizeof(h->imm));
}

static void plan_read(const struct rox_requester *r, const struct rox_wr *wr,
		      struct rox_req_pkt *pkt)
{
	struct rox_pkt *h = &pkt->hdr;

	h->va = wr->remote_addr + pkt->offset;
	h->rkey = wr->rkey;
	h->dma_len = min(wr->length - pkt->offset, pkt->nr_psn * r->cfg.pmtu);
}

static void plan_atomic(const struct rox_wr *wr, struct rox_req_pkt *pkt)
{
	struct rox_pkt *h = &pkt->hdr;

	h->va = wr->remote_addr;
	h->rkey = wr->rkey;
	if (wr->opcode == ROX_WR_ATOMIC_CMP_AND_SWP) {
		h->swap_add = wr->swap;
		h->compare = wr->compare_add;
	} else {
		h->swap_add = wr->compare_add;
	}
}

static void plan_kind(const struct rox_requester *r, const struct rox_wr *wr,
		      struct rox_req_pkt *pkt)
{
	if (rox_wr_is_read(wr))
		plan_read(r, wr, pkt);
	else if (rox_wr_is_atomic(wr))
		plan_atomic(wr, pkt);
	else
		plan_data(r, wr, pkt);
}

/* @i: which packet of @wr */
static void plan(const struct rox_requester *r, struct rox_wr *wr, u32 i,
		 struct rox_req_pkt *pkt)
{
	bool first = i == 0 || rox_wr_is_read(wr);
	bool last = i + pkt->nr_psn == wr->nr_psn || rox_wr_is_read(wr);
	struct rox_pkt *h = &pkt->hdr;

	memset(h, 0, sizeof(*h));
	h->run = 1;
	pkt->wr = wr;
	pkt->offset = i * r->cfg.pmtu;
	h->opcode = (u8)rox_segment_opcode(r->cfg.service, wr->opcode, first, last);
	h->hdr_bytes = rox_pkt_op(h)->hdr_bytes;
	h->psn = r->cursor;
	h->ackreq = wants_ack(r, pkt->nr_psn, last, pkt->again);
	h->solicited = last && (wr->flags & ROX_SQE_SOLICITED) &&
		       !rox_wr_wants_data(wr);
	plan_address(r, wr, h);
	plan_kind(r, wr, pkt);
}

void rox_req_like(const struct rox_requester *r, const struct rox_req_pkt *pkt, u32 i,
		  struct rox_req_pkt *like)
{
	*like = *pkt;
	like->wr = rox_req_wr(r, r->next + i);
	like->hdr.psn = rox_psn_add(pkt->hdr.psn, i);
	like->hdr.solicited = like->wr->flags & ROX_SQE_SOLICITED;
	plan_data(r, like->wr, like);
}

/*
 * Of the READ piece at packet @i of @wr: how many are to be asked for. Again,
 * one request takes in all that is missing of a piece, see lowest_missing().
 */
static u32 read_psns(const struct rox_requester *r, const struct rox_wr *wr, u32 i)
{
	u32 n = rox_req_piece_end(r, wr, i) - i;
	u32 run = r->read_runs ? min(r->run, r->cfg.window) : 1, left = wr->nr_psn - i;

	/* A run is of whole pieces, as they are counted one by one, or to the end. */
	if (!rox_req_resending(r))
		return max(n, left > run ? run - run % r->cfg.read_chunk : left);
	n = min(n, rox_psn_sub(r->resend_end, r->cursor));
	while (rox_req_got(r, rox_psn_add(r->cursor, n - 1)))
		n--;
	return n;
}

/*
 * Of @n packets of a run, as many as there is room for. Not few of them, though: they
 * would go one by one, as ACKs come.
 */
static u32 fit(const struct rox_requester *r, u32 n)
{
	u32 window = rox_req_window(r);
	u32 room = window - min(rox_req_unanswered(r), window);

	if (!rox_req_is_rc(r) || !rox_req_unanswered(r) || room < max_t(u32, window / 4, 1))
		return n;
	return min(n, room);
}

/* How many PSNs the packet at cursor takes up, the @i-th of @wr. */
static u32 packet_psns(const struct rox_requester *r, const struct rox_wr *wr, u32 i)
{
	u32 n;

	if (rox_wr_is_read(wr))
		return read_psns(r, wr, i);
	n = min(min(r->run, r->cfg.window), wr->nr_psn - i);
	if (rox_req_resending(r))
		n = min(n, rox_psn_sub(r->resend_end, r->cursor));
	return fit(r, n);
}

/* Plan the packet at cursor, which lies in @wr. */
static enum rox_req_verdict go_on(const struct rox_requester *r, struct rox_wr *wr,
				  struct rox_req_pkt *pkt)
{
	u32 i = rox_psn_sub(r->cursor, wr->first_psn);

	if (wr->state == ROX_WR_FAILED)
		return ROX_REQ_BLOCKED;
	pkt->again = rox_req_resending(r);
	pkt->nr_psn = packet_psns(r, wr, i);
	if (!has_room(r, wr, pkt->nr_psn))
		return ROX_REQ_BLOCKED;
	plan(r, wr, i, pkt);
	return ROX_REQ_SEND;
}

/* Nothing of WR next was sent yet. */
static enum rox_req_verdict begin(struct rox_requester *r, struct rox_wr *wr,
				  struct rox_req_pkt *pkt)
{
	if (r->state == ROX_REQ_DRAINING)
		return r->oldest == r->next ? ROX_REQ_IDLE : ROX_REQ_BLOCKED;
	wr->status = check(r, wr);
	if (wr->status != ROX_WC_SUCCESS) {
		if (r->oldest != r->next)
			return ROX_REQ_BLOCKED;
		rox_req_fail_wr(r, wr, wr->status);
		return ROX_REQ_IDLE;
	}
	if (must_wait(r, wr))
		return ROX_REQ_BLOCKED;
	pkt->wr = wr;
	if (is_local(wr))
		return ROX_REQ_LOCAL;
	wr->first_psn = r->psn;
	wr->nr_psn = rox_req_psns(r, wr);
	return go_on(r, wr, pkt);
}

enum rox_req_verdict rox_req_next(struct rox_requester *r, u64 now,
				  struct rox_req_pkt *pkt)
{
	struct rox_wr *wr;

	if (!rox_req_live(r))
		return ROX_REQ_IDLE;
	if (r->rnr_waiting)
		rox_req_tick(r, now);
	if (r->rnr_waiting)
		return ROX_REQ_BLOCKED;
	find_missing(r);
	/* The peer may not be ready yet, and would drop all that follows. */
	if (r->rnr_probing && r->cursor != r->una)
		return ROX_REQ_BLOCKED;
	if (rox_req_resending(r))
		return go_on(r, rox_req_wr(r, r->again), pkt);
	if (r->next == r->head)
		return ROX_REQ_IDLE;
	wr = rox_req_wr(r, r->next);
	if (wr->state == ROX_WR_QUEUED)
		return begin(r, wr, pkt);
	return go_on(r, wr, pkt);
}

/* ---- packets ---- */

u32 rox_req_burst(const struct rox_requester *r)
{
	/* Whether the peer is ready, and whether anything gets through, one packet tells. */
	if (r->rnr_waiting || r->rnr_probing || r->retries > 1)
		return 1;
	return max_t(u32, rox_req_window(r) / 4, 1);
}

/* A packet of @wr that was not sent before. */
static void sent_new(struct rox_requester *r, struct rox_wr *wr, u32 i, u32 n)
{
	bool last = i + n == wr->nr_psn;

	r->psn = r->cursor;
	r->rd_inflight += rox_req_nr_pieces(r, wr, i, n);
	wr->state = last ? ROX_WR_SENT : ROX_WR_BEGUN;
	if (last)
		r->next++;
	if (rox_req_is_rc(r))
		return;
	r->una = r->psn;
	rox_req_settle(r);
}

void rox_req_sent(struct rox_requester *r, const struct rox_req_pkt *pkt, u64 now)
{
	struct rox_wr *wr = pkt->wr;
	u32 i = rox_psn_sub(pkt->hdr.psn, wr->first_psn);

	if (!rox_req_live(r) || pkt->hdr.psn != r->cursor)
		return;
	r->since_ackreq = pkt->hdr.ackreq ? 0 : r->since_ackreq + pkt->hdr.run;
	if (pkt->hdr.ackreq || rox_wr_wants_data(wr))
		r->unasked = false;
	else if (i + pkt->nr_psn == wr->nr_psn)
		r->unasked = rox_req_is_rc(r);
	r->cursor = rox_psn_add(r->cursor, pkt->nr_psn);
	if ((pkt->hdr.ackreq || rox_wr_wants_data(wr)) &&
	    rox_psn_before(r->asked_end, r->cursor))
		r->asked_end = r->cursor;
	if (pkt->again)
		r->counts.retransmits += pkt->hdr.run;
	else
		sent_new(r, wr, i, pkt->nr_psn);
	if (rox_req_is_rc(r))
		rox_rto_sent(r, pkt, now);
}

bool rox_req_answer_is_due(const struct rox_requester *r)
{
	return rox_req_live(r) && !rox_req_resending(r) &&
	       rox_psn_before(r->una, r->asked_end);
}

void rox_req_unsent(struct rox_requester *r, u32 psn, u32 end, u64 now)
{
	if (!rox_req_live(r) || rox_psn_sub(psn, r->una) >= rox_req_inflight(r))
		return;
	rox_req_resend(r, psn, end);
	rox_rto_unsent(r, psn, now);
}
