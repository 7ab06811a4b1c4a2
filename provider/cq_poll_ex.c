/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ibv_cq_ex: completions read field by field. The queue's lock is
 * held from a successful start_poll to end_poll.
 */
#include <errno.h>
#include <time.h>

#include "doorbell.h"
#include "freed.h"
#include "rox.h"

/*
 * A copy, and given back: the program may post for what it sees, destroy or reset the queue
 * pair, or resize the queue, before it is done with it.
 */
static int show_next(struct rox_cq *cq)
{
	struct rox_cq_ring *ring = rox_cq_ring(cq);
	const struct rox_cqe *cqe = rox_cq_ring_peek(ring);
	struct rox_freed freed = {};

	cq->shows = cqe;
	if (!cqe)
		return ENOENT;
	cq->cur = *cqe;
	rox_freed_add(&freed, ring, cqe);
	rox_cq_ring_advance(ring);
	rox_freed_release(&freed, ring);
	cq->vcq.cq_ex.wr_id = cq->cur.wr_id;
	cq->vcq.cq_ex.status = cq->cur.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *ibcq, struct ibv_poll_cq_attr *attr)
{
	struct rox_cq *cq = to_rox_cq_ex(ibcq);
	int ret;

	if (unlikely(attr->comp_mask))
		return EINVAL;
	if (rox_cq_has_none(cq))
		return ENOENT;

	rox_lock(&cq->lock);
	ret = show_next(cq);
	/* Nothing to show: the program will not call end_poll. */
	if (ret)
		rox_unlock(&cq->lock);
	return ret;
}

static int next_poll(struct ibv_cq_ex *ibcq)
{
	return show_next(to_rox_cq_ex(ibcq));
}

static void end_poll(struct ibv_cq_ex *ibcq)
{
	struct rox_cq *cq = to_rox_cq_ex(ibcq);
	bool any = cq->shows;

	rox_unlock(&cq->lock);
	/* next_poll found nothing more. */
	if (!any)
		rox_kick_before_waiting(cq);
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.vendor_err;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.flags;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq)
{
	return (__be32)to_rox_cq_ex(cq)->cur.imm;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.src_qp;
}

static uint8_t read_sl(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.sl;
}

/* RoCE has no LIDs. */
static uint32_t read_slid(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint8_t read_dlid_path_bits(struct ibv_cq_ex *cq)
{
	return 0;
}

static uint64_t read_completion_ts(struct ibv_cq_ex *cq)
{
	return to_rox_cq_ex(cq)->cur.timestamp_ns;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t read_completion_wallclock_ns(struct ibv_cq_ex *cq)
{
	return read_completion_ts(cq) +
	       (clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
}

/* rox_cq_set_pollers - offer the fields the program asked for, and only those */
void rox_cq_set_pollers(struct rox_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;

#define OFFER(flag, op)                         \
	do {                                    \
		if (wc_flags & IBV_WC_EX_##flag)\
			ex->op = op;            \
	} while (0)
	OFFER(WITH_BYTE_LEN, read_byte_len);
	OFFER(WITH_IMM, read_imm_data);
	OFFER(WITH_QP_NUM, read_qp_num);
	OFFER(WITH_SRC_QP, read_src_qp);
	OFFER(WITH_SLID, read_slid);
	OFFER(WITH_SL, read_sl);
	OFFER(WITH_DLID_PATH_BITS, read_dlid_path_bits);
	OFFER(WITH_COMPLETION_TIMESTAMP, read_completion_ts);
	OFFER(WITH_COMPLETION_TIMESTAMP_WALLCLOCK, read_completion_wallclock_ns);
#undef OFFER
}
