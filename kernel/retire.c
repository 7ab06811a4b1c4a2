// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Finished work requests: their slots go back to the program, and completions say so. */

#include "qp.h"
#include "retire.h"
#include "trace.h"

static const u8 wc_opcodes[] = {
	[ROX_WR_RDMA_WRITE]		= IB_WC_RDMA_WRITE,
	[ROX_WR_RDMA_WRITE_WITH_IMM]	= IB_WC_RDMA_WRITE,
	[ROX_WR_SEND]			= IB_WC_SEND,
	[ROX_WR_SEND_WITH_IMM]		= IB_WC_SEND,
	[ROX_WR_RDMA_READ]		= IB_WC_RDMA_READ,
	[ROX_WR_ATOMIC_CMP_AND_SWP]	= IB_WC_COMP_SWAP,
	[ROX_WR_ATOMIC_FETCH_AND_ADD]	= IB_WC_FETCH_ADD,
	[ROX_WR_LOCAL_INV]		= IB_WC_LOCAL_INV,
	[ROX_WR_SEND_WITH_INV]		= IB_WC_SEND,
	[ROX_WR_REG_MR]			= IB_WC_REG_MR,
};

static void post_cqe(struct rox_qp *qp, const struct rox_wr *wr)
{
	struct rox_cqe cqe = {
		.wr_id = wr->wr_id,
		.qp_num = qp->qpn,
		.byte_len = wr->length,
		.status = wr->status,
		.opcode = wc_opcodes[wr->opcode],
		.qp = qp->named,
		.free_to = qp->sq.retired,
	};

	if (wr->status && wr->status != ROX_WC_WR_FLUSH_ERR)
		rox_count(qp->dev, ROX_CNT_SEND_ERRORS, 1);
	trace_rox_cqe(&cqe);
	rox_cq_post(qp->scq, &cqe, false);
}

/* A failed requester takes the QP along: into ERR, or SQE where that exists. */
static void follow_failure(struct rox_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	if (qp->sq.req.state != ROX_REQ_ERROR ||
	    (state != IB_QPS_RTS && state != IB_QPS_SQD))
		return;
	if (qp->service == ROX_SVC_RC) {
		WRITE_ONCE(qp->sq.failing, true);
		rox_qp_error(qp, 0);
	} else {
		rox_qp_sq_error(qp);
	}
}

/* The error has been posted: now receives may be flushed. */
static void failure_is_told(struct rox_qp *qp)
{
	WRITE_ONCE(qp->sq.failing, false);
	rox_respond_run(qp);
}

/**
 * rox_retire - complete what the requester has finished
 * @qp: the QP
 *
 * The slot goes back, and the QP has failed, before a completion says so. And
 * the first completion a CQ shows of a failed QP is the one that says why.
 * Context: owner of the send side, BHs disabled. Return: how many work requests.
 */
u32 rox_retire(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;
	struct rox_wr *wr;
	u32 n = 0;

	follow_failure(qp);
	while ((wr = rox_req_complete(&sq->req))) {
		n++;
		sq->retired++;
		if (!wr->status && !sq->signal_all &&
		    !(wr->flags & ROX_SQE_SIGNALED))
			continue;
		rox_ring_release(&sq->ring, sq->retired);	/* (E) */
		post_cqe(qp, wr);
	}
	if (n)
		rox_ring_release(&sq->ring, sq->retired);	/* (E) */
	if (sq->failing)
		failure_is_told(qp);
	return n;
}
