// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A WQE is copied from the ring once, each field of its head and then as much as the
 * head's copy says. Checks look at the copy only, so it does not matter what user space
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

/* Each field is read once, where it stays. The length is that of inline bytes, if any. */
static void copy_head(struct rox_wr *wr, const struct rox_sqe *src)
{
	wr->wr_id = READ_ONCE(src->wr_id);
	wr->opcode = READ_ONCE(src->opcode);
	wr->flags = READ_ONCE(src->flags);
	wr->num_sge = READ_ONCE(src->num_sge);
	wr->length = READ_ONCE(src->inline_len);
	wr->imm = READ_ONCE(src->imm);
	wr->rkey = READ_ONCE(src->rkey);
	wr->remote_addr = READ_ONCE(src->remote_addr);
	wr->compare_add = READ_ONCE(src->compare_add);
	wr->swap = READ_ONCE(src->swap);
}

static enum rox_wc_status check_head(const struct rox_qp *qp,
				     const struct wqe_rule *rule,
				     const struct rox_wr *wr)
{
	if (!rule || (wr->flags & ~ROX_SQE_FLAGS))
		return ROX_WC_LOC_QP_OP_ERR;

	if (wr->flags & ROX_SQE_INLINE) {
		if (!(rule->flags & WQE_INLINE))
			return ROX_WC_LOC_QP_OP_ERR;
		return wr->length <= qp->sq.max_inline ?
		       ROX_WC_SUCCESS : ROX_WC_LOC_LEN_ERR;
	}

	if (wr->num_sge > qp->sq.max_sge)
		return ROX_WC_LOC_QP_OP_ERR;
	if (wr->num_sge && (rule->flags & WQE_NO_DATA))
		return ROX_WC_LOC_QP_OP_ERR;
	return ROX_WC_SUCCESS;
}

/* The second and last look at the ring: at most what check_head() let pass. */
static enum rox_wc_status copy_data(struct rox_wr_slot *slot, const void *src)
{
	u8 num_sge = slot->wr.num_sge;
	s64 bytes;

	if (slot->wr.flags & ROX_SQE_INLINE) {
		memcpy(slot->bytes, src, slot->wr.length);
		slot->wr.num_sge = 0;
		return ROX_WC_SUCCESS;
	}

	/* One is what most have, and not worth a call. */
	if (num_sge == 1)
		slot->sge[0] = *(const struct rox_sge *)src;
	else
		memcpy(slot->sge, src, num_sge * sizeof(struct rox_sge));
	barrier();	/* the copy is made now, not again at each use */
	bytes = rox_sgl_bytes(slot->sge, num_sge);
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

	copy_head(&slot->wr, src);
	rule = find_rule(qp, slot->wr.opcode);
	status = READ_ONCE(src->reserved) ? ROX_WC_LOC_QP_OP_ERR :
		 check_head(qp, rule, &slot->wr);
	if (!status)
		status = copy_data(slot, src + 1);
	if (!status)
		status = check_length(qp, rule, &slot->wr);
	sq->ring.pos++;
	if (status)
		slot->wr.length = 0;
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
	barrier();	/* as for a send request */

	rwr->wr_id = rqe.wr_id;
	rwr->num_sge = 0;
	rwr->bytes = 0;
	rwr->malformed = true;
	if (rqe.num_sge <= rq->max_sge && !rqe.reserved) {
		memcpy(rwr->sge, src + 1, rqe.num_sge * sizeof(struct rox_sge));
		barrier();
		/* There may be room for more than the longest message. */
		bytes = rox_sgl_bytes(rwr->sge, rqe.num_sge);
		if (bytes < 0)
			bytes = ROX_MAX_MSG;
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
