// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A WQE is copied from the ring once, head first and then as much as the head's
 * copy says. Checks look at the copy only, so it does not matter what user space
 * does to the ring meanwhile.
 */

#include "copy.h"
#include "qp.h"
#include "trace.h"
#include "wqe.h"

#define SVC_RC		BIT(0)
#define SVC_UC		BIT(1)
#define SVC_UD		BIT(2)

#define WQE_INLINE	BIT(0)	/* may carry its bytes */
#define WQE_ATOMIC	BIT(1)
#define WQE_NO_DATA	BIT(2)	/* a local operation */
#define WQE_KERNEL	BIT(3)	/* not for users */

struct wqe_rule {
	u8 services;
	u8 flags;
};

static const struct wqe_rule rules[] = {
	[ROX_WR_RDMA_WRITE]		= { SVC_RC | SVC_UC, WQE_INLINE },
	[ROX_WR_RDMA_WRITE_WITH_IMM]	= { SVC_RC | SVC_UC, WQE_INLINE },
	[ROX_WR_SEND]			= { SVC_RC | SVC_UC | SVC_UD, WQE_INLINE },
	[ROX_WR_SEND_WITH_IMM]		= { SVC_RC | SVC_UC | SVC_UD, WQE_INLINE },
	[ROX_WR_RDMA_READ]		= { SVC_RC, 0 },
	[ROX_WR_ATOMIC_CMP_AND_SWP]	= { SVC_RC, WQE_ATOMIC },
	[ROX_WR_ATOMIC_FETCH_AND_ADD]	= { SVC_RC, WQE_ATOMIC },
	[ROX_WR_LOCAL_INV]		= { SVC_RC | SVC_UC, WQE_NO_DATA },
	[ROX_WR_SEND_WITH_INV]		= { SVC_RC, WQE_INLINE },
	[ROX_WR_REG_MR]			= { SVC_RC | SVC_UC, WQE_NO_DATA | WQE_KERNEL },
};

#define ATOMIC_BYTES	8

static const struct wqe_rule *find_rule(const struct rox_qp *qp, u8 opcode)
{
	u8 service = qp->service == ROX_SVC_RC ? SVC_RC :
		     qp->service == ROX_SVC_UC ? SVC_UC : SVC_UD;
	const struct wqe_rule *rule;

	if (opcode >= ARRAY_SIZE(rules))
		return NULL;
	rule = &rules[opcode];
	if (!(rule->services & service))
		return NULL;
	if ((rule->flags & WQE_KERNEL) && qp->uctx)
		return NULL;
	return rule;
}

static enum rox_wc_status check_head(const struct rox_qp *qp,
				     const struct wqe_rule *rule,
				     const struct rox_sqe *sqe)
{
	if (!rule || sqe->reserved || (sqe->flags & ~ROX_SQE_FLAGS))
		return ROX_WC_LOC_QP_OP_ERR;

	if (sqe->flags & ROX_SQE_INLINE) {
		if (!(rule->flags & WQE_INLINE))
			return ROX_WC_LOC_QP_OP_ERR;
		return sqe->inline_len <= qp->sq.max_inline ?
		       ROX_WC_SUCCESS : ROX_WC_LOC_LEN_ERR;
	}

	if (sqe->num_sge > qp->sq.max_sge)
		return ROX_WC_LOC_QP_OP_ERR;
	if (sqe->num_sge && (rule->flags & WQE_NO_DATA))
		return ROX_WC_LOC_QP_OP_ERR;
	return ROX_WC_SUCCESS;
}

/* The second and last look at the ring: at most what check_head() let pass. */
static enum rox_wc_status copy_data(const struct rox_sqe *sqe, const void *src,
				    struct rox_wr_slot *slot)
{
	s64 bytes;

	if (sqe->flags & ROX_SQE_INLINE) {
		memcpy(slot->bytes, src, sqe->inline_len);
		slot->wr.num_sge = 0;
		slot->wr.length = sqe->inline_len;
		return ROX_WC_SUCCESS;
	}

	/* One is what most have, and not worth a call. */
	if (sqe->num_sge == 1)
		slot->sge[0] = *(const struct rox_sge *)src;
	else
		memcpy(slot->sge, src, sqe->num_sge * sizeof(struct rox_sge));
	barrier();
	bytes = rox_sgl_bytes(slot->sge, sqe->num_sge);
	if (bytes < 0)
		return ROX_WC_LOC_LEN_ERR;
	slot->wr.length = bytes;
	return ROX_WC_SUCCESS;
}

static enum rox_wc_status check_length(const struct rox_qp *qp,
				       const struct wqe_rule *rule,
				       struct rox_wr *wr)
{
	if (rule->flags & WQE_ATOMIC) {
		if (wr->length < ATOMIC_BYTES)
			return ROX_WC_LOC_LEN_ERR;
		wr->length = ATOMIC_BYTES;
	}
	if (qp->service == ROX_SVC_UD && wr->length > qp->sq.req.cfg.pmtu)
		return ROX_WC_LOC_LEN_ERR;
	return ROX_WC_SUCCESS;
}

static void fill_wr(struct rox_wr *wr, const struct rox_sqe *sqe)
{
	wr->wr_id = sqe->wr_id;
	wr->opcode = sqe->opcode;
	wr->flags = sqe->flags;
	wr->num_sge = sqe->num_sge;
	wr->length = 0;
	wr->imm = sqe->imm;
	wr->rkey = sqe->rkey;
	wr->remote_addr = sqe->remote_addr;
	wr->compare_add = sqe->compare_add;
	wr->swap = sqe->swap;
}

u32 rox_wqe_slot_bytes(u32 max_sge, u32 max_inline)
{
	u32 data = max_t(u32, max_sge * sizeof(struct rox_sge), max_inline);

	return ALIGN(sizeof(struct rox_wr_slot) + data, __alignof__(u64));
}

void rox_wqe_accept(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;
	const struct rox_sqe *src = rox_ring_slot(&sq->ring, sq->ring.pos);
	struct rox_wr_slot *slot = to_rox_wr_slot(rox_req_slot(&sq->req));
	const struct wqe_rule *rule;
	enum rox_wc_status status;
	struct rox_sqe sqe;

	memcpy(&sqe, src, sizeof(sqe));
	barrier();	/* the copy is made now, not again at each use */
	sq->ring.pos++;

	fill_wr(&slot->wr, &sqe);
	rule = find_rule(qp, sqe.opcode);
	status = check_head(qp, rule, &sqe);
	if (!status)
		status = copy_data(&sqe, src + 1, slot);
	if (!status)
		status = check_length(qp, rule, &slot->wr);
	if (!rule)
		slot->wr.opcode = ROX_WR_SEND;

	trace_rox_wqe(qp, &slot->wr, status);
	rox_req_accept(&sq->req, status);
}

int rox_wqe_take_recv(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;
	struct rox_rwr *rwr = rq->cur;
	const struct rox_rqe *src;
	struct rox_rqe rqe;
	s64 bytes = -EINVAL;

	if (!rq->ring.hdr || !rox_ring_peek(&rq->ring, rq->ring.pos))
		return -ENOENT;

	src = rox_ring_slot(&rq->ring, rq->ring.pos);
	memcpy(&rqe, src, sizeof(rqe));
	barrier();	/* as above */

	rwr->wr_id = rqe.wr_id;
	rwr->num_sge = 0;
	rwr->bytes = 0;
	rwr->malformed = true;
	if (rqe.num_sge <= rq->max_sge && !rqe.reserved) {
		memcpy(rwr->sge, src + 1, rqe.num_sge * sizeof(struct rox_sge));
		barrier();
		bytes = rox_sgl_bytes(rwr->sge, rqe.num_sge);
	}

	WRITE_ONCE(rq->ring.pos, rq->ring.pos + 1);	/* of rox_direct_posted() */
	rox_ring_release(&rq->ring, rq->ring.pos);	/* (E) */
	rq->cur_held = true;
	if (bytes < 0)
		return -EINVAL;

	rwr->num_sge = rqe.num_sge;
	rwr->bytes = bytes;
	rwr->malformed = false;
	return 0;
}
