/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* ibv_post_send() and ibv_post_recv(): a list in, one publication, one kick. */
#include <errno.h>

#include "doorbell.h"
#include "rox.h"

static int check_wr(const struct rox_sq *sq, const struct ibv_send_wr *wr)
{
	if (!rox_sq_takes(sq, wr->opcode))
		return EINVAL;
	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return EINVAL;
	if (wr->send_flags & ~ROX_SQ_WR_FLAGS)
		return EINVAL;
	if (wr->send_flags & IBV_SEND_INLINE &&
	    !(ROX_SQ_INLINE_OPS & (1U << wr->opcode)))
		return EINVAL;
	if (sq->is_ud && !wr->wr.ud.ah)
		return EINVAL;
	return 0;
}

static void put_ud_address(struct rox_sqe *sqe, const struct ibv_send_wr *wr)
{
	rox_sqe_ud(sqe, to_rox_ah(wr->wr.ud.ah)->number, wr->wr.ud.remote_qpn,
		   wr->wr.ud.remote_qkey);
}

static void put_operands(struct rox_sqe *sqe, const struct ibv_send_wr *wr)
{
	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		rox_sqe_remote(sqe, wr->wr.atomic.remote_addr,
			       wr->wr.atomic.rkey);
		rox_sqe_atomic(sqe, wr->wr.atomic.compare_add,
			       wr->wr.atomic.swap);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		sqe->imm = wr->imm_data;
		SWITCH_FALLTHROUGH;
	case IBV_WR_RDMA_WRITE:
	case IBV_WR_RDMA_READ:
		rox_sqe_remote(sqe, wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		break;
	case IBV_WR_SEND_WITH_IMM:
		sqe->imm = wr->imm_data;
		break;
	case IBV_WR_SEND_WITH_INV:
	case IBV_WR_LOCAL_INV:
		sqe->imm = wr->invalidate_rkey;
		break;
	default:
		break;
	}
}

static int put_inline(const struct rox_sq *sq, struct rox_sqe *sqe,
		      const struct ibv_send_wr *wr)
{
	const struct ibv_sge *sge = wr->sg_list;
	int i;

	for (i = 0; i < wr->num_sge; i++, sge++)
		if (!rox_sqe_inline(sqe, (void *)(uintptr_t)sge->addr,
				    sge->length, sq->max_inline))
			return EINVAL;
	return 0;
}

static int put_payload(const struct rox_sq *sq, struct rox_sqe *sqe,
		       const struct ibv_send_wr *wr)
{
	if (wr->opcode == IBV_WR_LOCAL_INV)
		return 0;
	if (wr->send_flags & IBV_SEND_INLINE)
		return put_inline(sq, sqe, wr);
	rox_sqe_sges(sqe, wr->sg_list, wr->num_sge);
	return 0;
}

static int put_wr(struct rox_sq *sq, const struct ibv_send_wr *wr)
{
	uint32_t before = sq->ring.prod;
	struct rox_sqe *sqe;
	int err;

	err = check_wr(sq, wr);
	if (err)
		return err;
	sqe = rox_ring_reserve(&sq->ring);
	if (!sqe)
		return ENOMEM;
	rox_sqe_start(sqe, wr->wr_id, wr->opcode,
		      rox_sq_flags(sq, wr->send_flags));
	put_operands(sqe, wr);
	if (sq->is_ud)
		put_ud_address(sqe, wr);
	err = put_payload(sq, sqe, wr);
	if (err)
		rox_ring_cancel(&sq->ring, before);
	return err;
}

/* Returns whether anything was published; *wr is then the first left out. */
static bool put_list(struct rox_sq *sq, struct ibv_send_wr **wr, int *err)
{
	uint32_t before;
	bool any;

	rox_lock(&sq->lock);
	before = sq->ring.prod;
	for (*err = 0; *wr; *wr = (*wr)->next) {
		*err = put_wr(sq, *wr);
		if (*err)
			break;
	}
	any = sq->ring.prod != before;
	if (any)
		rox_ring_submit(&sq->ring);
	rox_unlock(&sq->lock);
	return any;
}

int rox_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	struct ibv_send_wr *left = wr;
	int err, gone;

	err = rox_sq_check_state(ibqp->state);
	if (unlikely(err)) {
		*bad_wr = wr;
		return err;
	}
	if (put_list(&qp->sq, &left, &err)) {
		gone = rox_doorbell(qp, &qp->sq.ring);
		if (unlikely(gone && !err)) {
			err = gone;
			left = wr;
		}
	}
	if (unlikely(err))
		*bad_wr = left;
	return err;
}

/*
 * rox_post_recv - no system call, as a rule
 *
 * The kernel asks for a kick of a receive queue when the queue pair is in the
 * error state, to flush, and when a sender of the same host waits for a receive.
 */
int rox_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	struct ibv_recv_wr *left;
	int err, gone = 0;

	if (unlikely(ibqp->state == IBV_QPS_RESET)) {
		*bad_wr = wr;
		return EINVAL;
	}
	err = rox_rq_post(&qp->rq, wr, &left);
	if (left != wr)
		gone = rox_doorbell(qp, &qp->rq.ring);
	if (unlikely(gone && !err)) {
		err = gone;
		left = wr;
	}
	if (unlikely(err))
		*bad_wr = left;
	return err;
}
