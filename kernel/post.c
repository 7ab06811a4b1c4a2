// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Kernel users' posts. They go through the same rings as a program's, in the
 * same format, so that there is one data path; only nobody maps these rings.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>

#include "direct.h"
#include "qp.h"

#define SAME_OPCODE(name) \
	static_assert((int)ROX_WR_##name == (int)IB_WR_##name)
SAME_OPCODE(RDMA_WRITE);
SAME_OPCODE(RDMA_WRITE_WITH_IMM);
SAME_OPCODE(SEND);
SAME_OPCODE(SEND_WITH_IMM);
SAME_OPCODE(RDMA_READ);
SAME_OPCODE(ATOMIC_CMP_AND_SWP);
SAME_OPCODE(ATOMIC_FETCH_AND_ADD);
SAME_OPCODE(LOCAL_INV);
SAME_OPCODE(SEND_WITH_INV);
SAME_OPCODE(REG_MR);

static_assert(sizeof(struct ib_sge) == sizeof(struct rox_sge) &&
	      offsetof(struct ib_sge, length) == offsetof(struct rox_sge, length) &&
	      offsetof(struct ib_sge, lkey) == offsetof(struct rox_sge, lkey));
/* A wr_cqe travels as wr_id. */
static_assert(sizeof(struct ib_cqe *) == sizeof(u64));

#define OP(name)	BIT_ULL(ROX_WR_##name)
#define OPS_UD		(OP(SEND) | OP(SEND_WITH_IMM))
#define OPS_UC		(OPS_UD | OP(RDMA_WRITE) | OP(RDMA_WRITE_WITH_IMM) | \
			 OP(LOCAL_INV) | OP(REG_MR))
#define OPS_RC		(OPS_UC | OP(SEND_WITH_INV) | OP(RDMA_READ) | \
			 OP(ATOMIC_CMP_AND_SWP) | OP(ATOMIC_FETCH_AND_ADD))
#define OPS_INLINE	(OPS_UD | OP(SEND_WITH_INV) | OP(RDMA_WRITE) | \
			 OP(RDMA_WRITE_WITH_IMM))

static u64 ops_of(const struct rox_qp *qp)
{
	switch (qp->service) {
	case ROX_SVC_RC:
		return OPS_RC;
	case ROX_SVC_UC:
		return OPS_UC;
	default:
		return OPS_UD;
	}
}

static u8 sqe_flags(int send_flags)
{
	return (send_flags & IB_SEND_SIGNALED ? ROX_SQE_SIGNALED : 0) |
	       (send_flags & IB_SEND_SOLICITED ? ROX_SQE_SOLICITED : 0) |
	       (send_flags & IB_SEND_FENCE ? ROX_SQE_FENCE : 0) |
	       (send_flags & IB_SEND_INLINE ? ROX_SQE_INLINE : 0);
}

static void fill_ud(struct rox_sqe *sqe, const struct ib_ud_wr *wr)
{
	sqe->rkey = container_of(wr->ah, struct rox_ah, ib)->entry->number;
	sqe->compare_add = wr->remote_qpn;
	sqe->swap = wr->remote_qkey;
}

static void fill_rdma(struct rox_sqe *sqe, const struct ib_rdma_wr *wr)
{
	sqe->rkey = wr->rkey;
	sqe->remote_addr = wr->remote_addr;
}

static void fill_atomic(struct rox_sqe *sqe, const struct ib_atomic_wr *wr)
{
	sqe->rkey = wr->rkey;
	sqe->remote_addr = wr->remote_addr;
	sqe->compare_add = wr->compare_add;
	sqe->swap = wr->swap;
}

static void fill_reg(struct rox_sqe *sqe, const struct ib_reg_wr *wr)
{
	sqe->rkey = wr->key;
	sqe->compare_add = (uintptr_t)wr->mr;
	sqe->swap = wr->access;
}

static void fill_operation(const struct rox_qp *qp, struct rox_sqe *sqe,
			   const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		fill_rdma(sqe, rdma_wr(wr));
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		fill_atomic(sqe, atomic_wr(wr));
		break;
	case IB_WR_REG_MR:
		fill_reg(sqe, reg_wr(wr));
		break;
	default:
		if (qp->service == ROX_SVC_UD)
			fill_ud(sqe, ud_wr(wr));
	}
}

/* The key in host order, or immediate data in wire order. */
static u32 imm_of(const struct ib_send_wr *wr)
{
	if (wr->opcode == IB_WR_LOCAL_INV || wr->opcode == IB_WR_SEND_WITH_INV)
		return wr->ex.invalidate_rkey;
	return (__force u32)wr->ex.imm_data;
}

static int fill_inline(const struct rox_sq *sq, struct rox_sqe *sqe,
		       const struct ib_send_wr *wr)
{
	u8 *to = (u8 *)(sqe + 1);
	const struct ib_sge *sge;
	u32 bytes = 0;
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		sge = &wr->sg_list[i];
		if (sge->length > sq->max_inline - bytes)
			return -EINVAL;
		/* An address to the CPU, whatever the key. */
		memcpy(to + bytes, (void *)(uintptr_t)sge->addr, sge->length);
		bytes += sge->length;
	}
	sqe->inline_len = bytes;
	return 0;
}

static int fill_payload(const struct rox_sq *sq, struct rox_sqe *sqe,
			const struct ib_send_wr *wr)
{
	if (wr->opcode == IB_WR_LOCAL_INV || wr->opcode == IB_WR_REG_MR)
		return 0;
	if (wr->num_sge < 0 || wr->num_sge > sq->max_sge)
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE)
		return fill_inline(sq, sqe, wr);
	sqe->num_sge = wr->num_sge;
	memcpy(sqe + 1, wr->sg_list, wr->num_sge * sizeof(struct rox_sge));
	return 0;
}

static int post_one_send(struct rox_qp *qp, const struct ib_send_wr *wr)
{
	struct rox_sq *sq = &qp->sq;
	struct rox_sqe *sqe;
	int err;

	if (wr->opcode >= 64 || !(ops_of(qp) & BIT_ULL(wr->opcode)))
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE && !(OPS_INLINE & BIT_ULL(wr->opcode)))
		return -EINVAL;
	if (!sq->ring.hdr || !rox_ring_reserve(&sq->ring, sq->post_pos))
		return -ENOMEM;

	sqe = rox_ring_slot(&sq->ring, sq->post_pos);
	*sqe = (struct rox_sqe) {
		.wr_id = wr->wr_id,
		.opcode = wr->opcode,
		.flags = sqe_flags(wr->send_flags),
		.imm = imm_of(wr),
	};
	fill_operation(qp, sqe, wr);
	err = fill_payload(sq, sqe, wr);
	if (err)
		return err;
	sq->post_pos++;
	return 0;
}

static bool takes_sends(enum ib_qp_state state)
{
	return state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE || state == IB_QPS_ERR;
}

/**
 * rox_may_run_here - may the caller run a side of a QP?
 *
 * Soft interrupts run on the way out of hard ones; a side cannot from inside.
 * With PREEMPT_RT a caller that disabled interrupts does not show, so nobody may.
 * Context: any.
 */
bool rox_may_run_here(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT) && !irqs_disabled() && !in_hardirq();
}

/**
 * rox_post_send - verb, for kernel users
 * @ibqp: the QP
 * @wr:   list of requests
 * @bad:  the first that was not posted, if any
 *
 * Sends in the caller where that is possible. In a completion handler it
 * leaves a note to the one who called the handler.
 *
 * Context: any.
 * Return: 0; -EINVAL (state, request); -ENOMEM (queue full). What precedes
 * *@bad is posted.
 */
int rox_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	struct rox_sq *sq = &qp->sq;
	unsigned long flags;
	int err = 0;

	if (qp->uctx || !takes_sends(READ_ONCE(qp->state))) {
		*bad = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&sq->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = post_one_send(qp, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	if (sq->ring.hdr)
		rox_ring_submit(&sq->ring, sq->post_pos);	/* (A) */
	spin_unlock_irqrestore(&sq->post_lock, flags);

	if (rox_may_run_here())
		rox_send_run(qp);
	else
		rox_send_defer(qp);
	return err;
}

static int post_one_recv(struct rox_rq *rq, const struct ib_recv_wr *wr)
{
	struct rox_rqe *rqe;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return -EINVAL;
	if (!rq->ring.hdr || !rox_ring_reserve(&rq->ring, rq->post_pos))
		return -ENOMEM;

	rqe = rox_ring_slot(&rq->ring, rq->post_pos++);
	*rqe = (struct rox_rqe) {
		.wr_id = wr->wr_id,
		.num_sge = wr->num_sge,
	};
	memcpy(rqe + 1, wr->sg_list, wr->num_sge * sizeof(struct rox_sge));
	return 0;
}

/* Nothing but a request uses a receive, unless it is to be flushed. */
static void flush_recvs(struct rox_qp *qp)
{
	if (READ_ONCE(qp->state) != IB_QPS_ERR)
		return;
	if (rox_may_run_here())
		rox_respond_run(qp);
	else
		rox_respond_defer(qp);
}

/**
 * rox_post_recv - verb, for kernel users
 * @ibqp: the QP
 * @wr:   list of requests
 * @bad:  the first that was not posted, if any
 *
 * Context: any.
 * Return: 0; -EINVAL (state, request); -ENOMEM (queue full). What precedes
 * *@bad is posted.
 */
int rox_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	struct rox_rq *rq = &qp->rq;
	unsigned long flags;
	int err = 0;

	if (qp->uctx || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad = wr;
		return -EINVAL;
	}

	spin_lock_irqsave(&rq->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = post_one_recv(rq, wr);
		if (err) {
			*bad = wr;
			break;
		}
	}
	if (rq->ring.hdr)
		rox_ring_submit(&rq->ring, rq->post_pos);	/* (A) */
	spin_unlock_irqrestore(&rq->post_lock, flags);

	/* Pairs with the flusher: it sets the state, then looks at the ring. */
	smp_mb();
	flush_recvs(qp);
	rox_direct_posted(qp);
	return err;
}
