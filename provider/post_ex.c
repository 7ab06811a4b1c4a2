/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The ibv_wr_*() builders. Requests are written straight into reserved ring
 * slots under the queue's lock; wr_complete publishes them and kicks once.
 *
 * An error does not end a batch: it is kept, what follows is ignored, and
 * wr_complete gives everything back and returns it.
 */
#include <errno.h>

#include "doorbell.h"
#include "rox.h"

static struct rox_sq *to_sq(struct ibv_qp_ex *qp)
{
	return &to_rox_qp_ex(qp)->sq;
}

static void fail(struct rox_sq *sq, int err)
{
	if (!sq->err)
		sq->err = err;
	sq->cur = NULL;
}

static void wr_start(struct ibv_qp_ex *ibqp)
{
	struct rox_sq *sq = to_sq(ibqp);

	rox_lock(&sq->lock);
	sq->start_prod = sq->ring.prod;
	sq->err = rox_sq_check_state(ibqp->qp_base.state);
	sq->cur = NULL;
	sq->ud_addr_missing = false;
}

static void wr_abort(struct ibv_qp_ex *ibqp)
{
	struct rox_sq *sq = to_sq(ibqp);

	rox_ring_cancel(&sq->ring, sq->start_prod);
	rox_unlock(&sq->lock);
}

static int wr_complete(struct ibv_qp_ex *ibqp)
{
	struct rox_qp *qp = to_rox_qp_ex(ibqp);
	struct rox_sq *sq = &qp->sq;
	int err;

	if (unlikely(sq->ud_addr_missing))
		fail(sq, EINVAL);
	err = sq->err;
	if (unlikely(err) || sq->ring.prod == sq->start_prod) {
		wr_abort(ibqp);
		return err;
	}
	rox_ring_submit(&sq->ring);
	rox_unlock(&sq->lock);
	return rox_doorbell(qp, &sq->ring);
}

/* A new request, or NULL if the batch has failed already or does now. */
static struct rox_sqe *begin_wr(struct ibv_qp_ex *ibqp,
				enum rox_wr_opcode opcode)
{
	struct rox_sq *sq = to_sq(ibqp);
	struct rox_sqe *sqe = NULL;

	if (unlikely(ibqp->wr_flags & ~ROX_SQ_WR_FLAGS || sq->ud_addr_missing))
		fail(sq, EINVAL);
	if (likely(!sq->err)) {
		sqe = rox_ring_reserve(&sq->ring);
		if (unlikely(!sqe))
			fail(sq, ENOMEM);
	}
	if (likely(sqe)) {
		rox_sqe_start(sqe, ibqp->wr_id, opcode,
			      rox_sq_flags(sq, ibqp->wr_flags));
		sq->ud_addr_missing = sq->is_ud;
	}
	sq->cur = sqe;
	return sqe;
}

static void wr_send(struct ibv_qp_ex *qp)
{
	begin_wr(qp, ROX_WR_SEND);
}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_SEND_WITH_IMM);

	if (likely(sqe))
		sqe->imm = imm;
}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t rkey)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_SEND_WITH_INV);

	if (likely(sqe))
		sqe->imm = rkey;
}

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t rkey)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_LOCAL_INV);

	if (likely(sqe))
		sqe->imm = rkey;
}

static void wr_rdma_read(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_RDMA_READ);

	if (likely(sqe))
		rox_sqe_remote(sqe, addr, rkey);
}

static void wr_rdma_write(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t addr)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_RDMA_WRITE);

	if (likely(sqe))
		rox_sqe_remote(sqe, addr, rkey);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey,
			      uint64_t addr, __be32 imm)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_RDMA_WRITE_WITH_IMM);

	if (unlikely(!sqe))
		return;
	rox_sqe_remote(sqe, addr, rkey);
	sqe->imm = imm;
}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey,
			      uint64_t addr, uint64_t compare, uint64_t swap)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_ATOMIC_CMP_AND_SWP);

	if (unlikely(!sqe))
		return;
	rox_sqe_remote(sqe, addr, rkey);
	rox_sqe_atomic(sqe, compare, swap);
}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey,
				uint64_t addr, uint64_t add)
{
	struct rox_sqe *sqe = begin_wr(qp, ROX_WR_ATOMIC_FETCH_AND_ADD);

	if (unlikely(!sqe))
		return;
	rox_sqe_remote(sqe, addr, rkey);
	rox_sqe_atomic(sqe, add, 0);
}

static void wr_set_ud_addr(struct ibv_qp_ex *qp, struct ibv_ah *ah,
			   uint32_t remote_qpn, uint32_t remote_qkey)
{
	struct rox_sq *sq = to_sq(qp);

	if (unlikely(!sq->cur))
		return;
	if (unlikely(!ah)) {
		fail(sq, EINVAL);
		return;
	}
	rox_sqe_ud(sq->cur, to_rox_ah(ah)->number, remote_qpn, remote_qkey);
	sq->ud_addr_missing = false;
}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t num_sge,
			    const struct ibv_sge *sges)
{
	struct rox_sq *sq = to_sq(qp);

	if (unlikely(!sq->cur))
		return;
	if (unlikely(num_sge > sq->max_sge))
		fail(sq, EINVAL);
	else
		rox_sqe_sges(sq->cur, sges, num_sge);
}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	wr_set_sge_list(qp, 1, &sge);
}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t num_buf,
				    const struct ibv_data_buf *bufs)
{
	struct rox_sq *sq = to_sq(qp);
	struct rox_sqe *sqe = sq->cur;
	size_t i;

	if (unlikely(!sqe))
		return;
	if (unlikely(!(ROX_SQ_INLINE_OPS & (1U << sqe->opcode)))) {
		fail(sq, EINVAL);
		return;
	}
	for (i = 0; i < num_buf; i++) {
		if (!rox_sqe_inline(sqe, bufs[i].addr, bufs[i].length,
				    sq->max_inline)) {
			fail(sq, EINVAL);
			return;
		}
	}
}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_data_list(qp, 1, &buf);
}

/* rox_qp_set_builders - offer the operations the program asked for */
void rox_qp_set_builders(struct rox_qp *qp, uint64_t send_ops)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;

	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline_data;
	ex->wr_set_inline_data_list = wr_set_inline_data_list;
	if (qp->sq.is_ud)
		ex->wr_set_ud_addr = wr_set_ud_addr;

#define OFFER(flag, op)                                  \
	do {                                             \
		if (send_ops & IBV_QP_EX_WITH_##flag)    \
			ex->op = op;                     \
	} while (0)
	OFFER(SEND, wr_send);
	OFFER(SEND_WITH_IMM, wr_send_imm);
	OFFER(SEND_WITH_INV, wr_send_inv);
	OFFER(LOCAL_INV, wr_local_inv);
	OFFER(RDMA_READ, wr_rdma_read);
	OFFER(RDMA_WRITE, wr_rdma_write);
	OFFER(RDMA_WRITE_WITH_IMM, wr_rdma_write_imm);
	OFFER(ATOMIC_CMP_AND_SWP, wr_atomic_cmp_swp);
	OFFER(ATOMIC_FETCH_AND_ADD, wr_atomic_fetch_add);
#undef OFFER
}
