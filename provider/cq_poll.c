/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "doorbell.h"
#include "freed.h"
#include "rox.h"

#define ROX_WC_SAME(ours, theirs) \
	static_assert((int)(ours) == (int)(theirs), #ours " differs")
ROX_WC_SAME(ROX_CQE_GRH, IBV_WC_GRH);
ROX_WC_SAME(ROX_CQE_WITH_IMM, IBV_WC_WITH_IMM);
ROX_WC_SAME(ROX_CQE_WITH_INV, IBV_WC_WITH_INV);

static void decode_cqe(const struct rox_cqe *cqe, struct ibv_wc *wc)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->vendor_err = cqe->vendor_err;
	wc->byte_len = cqe->byte_len;
	/* Wire order with IMM, host order with INV: either way as it is. */
	wc->invalidated_rkey = cqe->imm;
	wc->qp_num = cqe->qp_num;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->flags;
	wc->pkey_index = cqe->pkey_index;
	wc->slid = 0;
	wc->sl = cqe->sl;
	wc->dlid_path_bits = 0;
}

/* rox_cq_poll - no lock when there is nothing */
int rox_cq_poll(struct ibv_cq *ibcq, int num_entries, struct ibv_wc *wc)
{
	struct rox_cq *cq = to_rox_cq(ibcq);
	struct rox_freed freed = {};
	const struct rox_cqe *cqe;
	struct rox_cq_ring *ring;
	int n = 0;

	if (rox_cq_has_none(cq))
		return 0;

	rox_lock(&cq->lock);
	ring = rox_cq_ring(cq);
	while (n < num_entries && (cqe = rox_cq_ring_peek(ring))) {
		decode_cqe(cqe, &wc[n++]);
		rox_freed_add(&freed, ring, cqe);
		rox_cq_ring_advance(ring);
	}
	if (n)
		rox_freed_release(&freed, ring);
	rox_unlock(&cq->lock);
	return n;
}
