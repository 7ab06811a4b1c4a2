/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the files of the requester share: requester.c (sending), requester_whole.c (whole
 * messages), requester_ack.c (responses) and rto.c (time).
 *
 * The invariants they keep:
 *
 *   tail <= oldest <= next <= head      (free-running WR indices)
 *   una <= cursor <= psn                (modulo 2^24, at most a window apart)
 *   una <= asked <= reached <= psn
 *   una lies in WR oldest, psn in WR next; while cursor is before psn, packets
 *   are sent again, from cursor in WR again up to resend_end
 *   una != psn  =>  the retransmission timer or the RNR timer is armed
 */
#ifndef ROX_PROTO_REQUESTER_IMPL_H
#define ROX_PROTO_REQUESTER_IMPL_H

#include "requester.h"
#include "segment.h"

/* However much is lost. */
#define ROX_REQ_MIN_WINDOW	2
/* Before anything is known of the path. */
#define ROX_REQ_FIRST_WINDOW	64

enum rox_wr_state {
	ROX_WR_QUEUED,		/* nothing of it was sent; status set: malformed */
	ROX_WR_BEGUN,		/* some of its packets were sent */
	ROX_WR_SENT,		/* all of them were, at least once */
	ROX_WR_FAILED,		/* gets its status when those before it are done */
	ROX_WR_DONE,		/* status is final */
};

static inline bool rox_wr_is_read(const struct rox_wr *wr)
{
	return wr->opcode == ROX_WR_RDMA_READ;
}

static inline bool rox_wr_is_atomic(const struct rox_wr *wr)
{
	return wr->opcode == ROX_WR_ATOMIC_CMP_AND_SWP ||
	       wr->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD;
}

/* An ACK is not enough: the response brings something. */
static inline bool rox_wr_wants_data(const struct rox_wr *wr)
{
	return rox_wr_is_read(wr) || rox_wr_is_atomic(wr);
}

static inline bool rox_req_live(const struct rox_requester *r)
{
	return r->state == ROX_REQ_RUNNING || r->state == ROX_REQ_DRAINING;
}

static inline bool rox_req_is_rc(const struct rox_requester *r)
{
	return r->cfg.service == ROX_SVC_RC;
}

/* Packets before the next one that the peer may still have to answer. */
static inline u32 rox_req_unanswered(const struct rox_requester *r)
{
	return rox_psn_sub(r->cursor, r->una);
}

static inline u32 rox_req_psns(const struct rox_requester *r, const struct rox_wr *wr)
{
	return rox_wr_is_atomic(wr) ? 1 : rox_nr_pkts(wr->length, r->cfg.pmtu);
}

static inline u32 rox_req_inflight(const struct rox_requester *r)
{
	return rox_psn_sub(r->psn, r->una);
}

static inline bool rox_req_resending(const struct rox_requester *r)
{
	return r->cursor != r->psn;
}

/* Packets that may be in flight now. */
static inline u32 rox_req_window(const struct rox_requester *r)
{
	return min(r->cfg.window, r->cwnd);
}

/* Packets were lost. */
static inline void rox_req_slow_down(struct rox_requester *r)
{
	r->lost = true;
	r->cwnd = max_t(u32, rox_req_window(r) / 2, ROX_REQ_MIN_WINDOW);
	r->cwnd_acked = 0;
}

/* The packet of a READ at which the piece that holds packet @i ends. */
static inline u32 rox_req_piece_end(const struct rox_requester *r,
				    const struct rox_wr *wr, u32 i)
{
	u32 end = i - i % r->cfg.read_chunk + r->cfg.read_chunk;

	return min(end, wr->nr_psn);
}

/* READs and atomics that packets @i to @i + @n - 1 of @wr count as. */
static inline u32 rox_req_nr_pieces(const struct rox_requester *r,
				    const struct rox_wr *wr, u32 i, u32 n)
{
	if (!rox_wr_is_read(wr))
		return rox_wr_wants_data(wr);
	return (i + n + r->cfg.read_chunk - 1) / r->cfg.read_chunk - i / r->cfg.read_chunk;
}

/* Mark WRs finished as far as una says so; fail the oldest if it is due. */
void rox_req_settle(struct rox_requester *r);

/* @wr completes with @status, the machine is in ERROR. */
void rox_req_fail_wr(struct rox_requester *r, struct rox_wr *wr,
		     enum rox_wc_status status);

/* Is READ or atomic packet @psn, in flight, answered already? */
static inline bool rox_req_got(const struct rox_requester *r, u32 psn)
{
	u32 bit = psn % ROX_REQ_MAX_WINDOW;

	return r->got[bit / 32] >> (bit % 32) & 1;
}

/* Send again what is missing from @from up to @end. */
void rox_req_resend(struct rox_requester *r, u32 from, u32 end);

/* Timer side of: a packet was sent; una moved; an RNR NAK says wait. */
void rox_rto_sent(struct rox_requester *r, const struct rox_req_pkt *pkt, u64 now);
void rox_rto_progress(struct rox_requester *r, u64 now);
void rox_rto_unsent(struct rox_requester *r, u32 psn, u64 now);
void rox_rto_rnr(struct rox_requester *r, u32 psn, u8 code, u64 now);

#endif
