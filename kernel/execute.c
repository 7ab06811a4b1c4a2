// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Requests carried out: one function for each kind, and receive completions. */

#include "copy.h"
#include "execute.h"
#include "mr.h"
#include "qp.h"
#include "trace.h"
#include "vlan.h"
#include "wqe.h"

/* ---- receive completions ---- */

static void post_cqe(struct rox_qp *qp, struct rox_cqe *cqe, bool solicited)
{
	struct rox_rq *rq = &qp->rq;

	cqe->wr_id = rq->cur->wr_id;
	cqe->qp_num = qp->qpn;
	cqe->qp = qp->named;
	cqe->free_to = rq->ring.pos;	/* only one is held */
	rq->cur_held = false;
	trace_rox_cqe(cqe);
	rox_cq_post(qp->rcq, cqe, solicited);
}

static void complete_error(struct rox_qp *qp, enum ib_wc_status status)
{
	struct rox_cqe cqe = { .status = status, .opcode = IB_WC_RECV };

	post_cqe(qp, &cqe, false);
}

void rox_exec_flush_one(struct rox_qp *qp)
{
	complete_error(qp, IB_WC_WR_FLUSH_ERR);
}

/* What is told of a datagram besides. Programs are not told of VLANs. */
static void describe_datagram(const struct rox_exec *ex, struct rox_cqe *cqe)
{
	const struct rox_request *req = ex->req;

	cqe->byte_len += ROX_GRH_BYTES;
	cqe->src_qp = req->pkt.sqpn;
	cqe->flags |= ROX_CQE_GRH;
	if (!ex->qp->uctx)
		cqe->kernel_vlan = rox_vlan_of(ex->qp->dev, req->grh, req->ifindex);
}

void rox_exec_complete(const struct rox_exec *ex)
{
	const struct rox_pkt *pkt = &ex->req->pkt;
	u8 hdrs = rox_pkt_op(pkt)->hdrs;
	struct rox_cqe cqe = {
		.status = IB_WC_SUCCESS,
		.opcode = ex->op->kind == ROX_RESP_WRITE ?
			  IB_WC_RECV_RDMA_WITH_IMM : IB_WC_RECV,
		.byte_len = ex->op->msg_bytes,
		.src_qp = ex->qp->dqpn,
	};

	if (ex->qp->service == ROX_SVC_UD)
		describe_datagram(ex, &cqe);
	if (hdrs & ROX_HDR_IMM) {
		cqe.flags |= ROX_CQE_WITH_IMM;
		memcpy(&cqe.imm, &pkt->imm, sizeof(cqe.imm));
	}
	if (hdrs & ROX_HDR_IETH) {
		cqe.flags |= ROX_CQE_WITH_INV;
		cqe.imm = pkt->ieth;
	}
	post_cqe(ex->qp, &cqe, pkt->solicited);
}

/* ---- refusals ---- */

static enum rox_exec_result refuse(struct rox_exec *ex, u8 syndrome, enum rox_drop why)
{
	ex->syndrome = syndrome;
	ex->why = why;
	return ROX_EXEC_REFUSED;
}

/* The peer may not do that; nobody here is told but by an event. */
static enum rox_exec_result refuse_access(struct rox_exec *ex)
{
	ex->qp->rq.event = IB_EVENT_QP_ACCESS_ERR;
	return refuse(ex, ROX_AETH_NAK_REM_ACC, ROX_DROP_ACCESS);
}

/* The receive is at fault: it says so itself, so there is no event. */
static enum rox_exec_result refuse_recv(struct rox_exec *ex, enum ib_wc_status status,
					u8 syndrome, enum rox_drop why)
{
	ex->qp->rq.event = 0;
	complete_error(ex->qp, status);
	if (ex->qp->service != ROX_SVC_RC)
		rox_qp_error(ex->qp, 0);
	return refuse(ex, syndrome, why);
}

/*
 * Too long for its receive. RC: both ends learn of it (IBA 9.9.3). UC and UD
 * drop the message, and the receive waits for the next one.
 */
static enum rox_exec_result refuse_length(struct rox_exec *ex)
{
	if (ex->qp->service == ROX_SVC_RC)
		return refuse_recv(ex, IB_WC_LOC_LEN_ERR, ROX_AETH_NAK_INV_REQ,
				   ROX_DROP_RECV_LENGTH);
	return refuse(ex, 0, ROX_DROP_RECV_LENGTH);
}

/* ---- placing ---- */

/* The message needs a receive: hold one. */
static enum rox_exec_result hold_recv(struct rox_exec *ex)
{
	struct rox_rq *rq = &ex->qp->rq;

	if (!rq->cur_held && rox_wqe_take_recv(ex->qp) == -ENOENT)
		return ROX_EXEC_NO_RECV;
	if (rq->cur->malformed)
		return refuse_recv(ex, IB_WC_LOC_QP_OP_ERR, ROX_AETH_NAK_REM_OP,
				   ROX_DROP_ACCESS);
	return ROX_EXEC_DONE;
}

static int place_grh(const struct rox_exec *ex, const struct rox_sgl *sgl)
{
	struct rox_buf src = { .mem = ex->req->grh };

	return rox_copy_to_sgl(sgl, 0, &src, ROX_GRH_BYTES);
}

static int place_send(const struct rox_exec *ex, u32 grh_bytes)
{
	const struct rox_rwr *rwr = ex->qp->rq.cur;
	const struct rox_sgl sgl = {
		.pd = ex->qp->pd,
		.sge = rwr->sge,
		.num_sge = rwr->num_sge,
	};
	int err;

	if (grh_bytes) {
		err = place_grh(ex, &sgl);
		if (err)
			return err;
	}
	return rox_copy_to_sgl(&sgl, ex->op->offset + grh_bytes, &ex->req->payload,
			       ex->req->pkt.payload_bytes);
}

static enum rox_exec_result do_send(struct rox_exec *ex)
{
	u32 grh_bytes = ex->qp->service == ROX_SVC_UD ? ROX_GRH_BYTES : 0;
	const struct rox_pkt *pkt = &ex->req->pkt;
	u64 end = (u64)ex->op->offset + grh_bytes + pkt->payload_bytes;
	enum rox_exec_result held = hold_recv(ex);
	int err;

	if (held != ROX_EXEC_DONE)
		return held;
	if (end > ex->qp->rq.cur->bytes)
		return refuse_length(ex);
	err = place_send(ex, grh_bytes);
	if (err == -EFAULT)
		return ROX_EXEC_NO_SOURCE;
	if (err)
		return refuse_recv(ex, IB_WC_LOC_PROT_ERR, ROX_AETH_NAK_REM_OP,
				   ROX_DROP_ACCESS);
	if ((rox_pkt_op(pkt)->hdrs & ROX_HDR_IETH) &&
	    rox_mr_invalidate(ex->qp->pd, pkt->ieth))
		return refuse_access(ex);
	return ROX_EXEC_DONE;
}

/*
 * All of a WRITE is allowed before any of it is done, and before a receive is taken
 * for it. What is copied at once, and takes none, is looked up once.
 */
static bool is_checked_by_copy(const struct rox_resp_op *op)
{
	return !op->first || (op->last && !op->completes);
}

static enum rox_exec_result do_write(struct rox_exec *ex)
{
	const struct rox_resp_op *op = ex->op;
	struct ib_pd *pd = ex->qp->pd;
	enum rox_exec_result held;
	int err;

	if (!is_checked_by_copy(op) &&
	    rox_check_key(pd, op->rkey, op->range_va, op->range_len, IB_ACCESS_REMOTE_WRITE))
		return refuse_access(ex);
	if (op->completes) {
		held = hold_recv(ex);
		if (held != ROX_EXEC_DONE)
			return held;
	}
	err = rox_copy_to_key(pd, op->rkey, op->va, &ex->req->payload, op->len);
	if (err == -EFAULT)
		return ROX_EXEC_NO_SOURCE;
	return err ? refuse_access(ex) : ROX_EXEC_DONE;
}

/* The bytes are read when the responses are sent. */
static enum rox_exec_result do_read(struct rox_exec *ex)
{
	if (rox_check_key(ex->qp->pd, ex->op->rkey, ex->op->va, ex->op->len,
			  IB_ACCESS_REMOTE_READ))
		return refuse_access(ex);
	return ROX_EXEC_DONE;
}

static enum rox_exec_result do_atomic(struct rox_exec *ex)
{
	const struct rox_pkt *pkt = &ex->req->pkt;
	int err;

	err = rox_copy_atomic(ex->qp->pd, pkt->rkey, pkt->va,
			      pkt->opcode == ROX_OP_RC_COMPARE_SWAP,
			      pkt->compare, pkt->swap_add, &ex->orig);
	if (!err)
		return ROX_EXEC_DONE;
	if (err != -EINVAL)
		return refuse_access(ex);
	ex->qp->rq.event = IB_EVENT_QP_REQ_ERR;
	return refuse(ex, ROX_AETH_NAK_INV_REQ, ROX_DROP_ACCESS);
}

enum rox_exec_result rox_execute(struct rox_exec *ex)
{
	switch (ex->op->kind) {
	case ROX_RESP_SEND:
		return do_send(ex);
	case ROX_RESP_WRITE:
		return do_write(ex);
	case ROX_RESP_READ:
		return do_read(ex);
	case ROX_RESP_ATOMIC:
		return do_atomic(ex);
	}
	return refuse(ex, ROX_AETH_NAK_INV_REQ, ROX_DROP_UNSUPPORTED);
}
