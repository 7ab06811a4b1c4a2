// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains what the requester knows of whole messages: one that may be handed to a
 * peer of the same host, and short ones that may go together.
 */

#include "requester_impl.h"

/* ---- handed over as a whole ---- */

static bool is_message(const struct rox_wr *wr)
{
	return wr->opcode == ROX_WR_SEND || wr->opcode == ROX_WR_SEND_WITH_IMM ||
	       wr->opcode == ROX_WR_RDMA_WRITE ||
	       wr->opcode == ROX_WR_RDMA_WRITE_WITH_IMM;
}

static struct rox_pkt describe(const struct rox_requester *r, const struct rox_wr *wr)
{
	struct rox_pkt p = {
		.opcode = (u8)rox_segment_opcode(r->cfg.service, wr->opcode, true, true),
		.solicited = wr->flags & ROX_SQE_SOLICITED,
		.psn = r->psn,
		.rkey = wr->rkey,
		.dma_len = wr->length,
		.va = wr->remote_addr,
		.payload_bytes = wr->length,
		.run = rox_req_psns(r, wr),
	};

	memcpy(&p.imm, &wr->imm, sizeof(p.imm));
	return p;
}

struct rox_wr *rox_req_whole(const struct rox_requester *r, struct rox_pkt *p)
{
	struct rox_wr *wr = rox_req_wr(r, r->next);

	if (r->state != ROX_REQ_RUNNING || r->next == r->head || r->una != r->psn ||
	    r->oldest != r->next || r->cfg.service == ROX_SVC_UD)
		return NULL;
	if (wr->state != ROX_WR_QUEUED || wr->status != ROX_WC_SUCCESS || !is_message(wr))
		return NULL;
	*p = describe(r, wr);
	return wr;
}

void rox_req_whole_done(struct rox_requester *r, struct rox_wr *wr, const struct rox_pkt *p)
{
	wr->first_psn = p->psn;
	wr->nr_psn = p->run;
	wr->state = ROX_WR_DONE;
	r->psn = rox_psn_add(p->psn, p->run);
	r->cursor = r->psn;
	r->una = r->psn;
	r->reached = r->psn;
	r->asked = r->psn;
	r->asked_end = r->psn;
	r->next++;
	r->oldest = r->next;
	r->since_ackreq = 0;
	r->unasked = false;
	r->rnr_left = r->cfg.rnr_retry;
	r->rnr_row = 0;
	/* It is not to be left behind so far that it seems to be ahead. */
	r->recover = r->psn;
}

/* ---- alike ---- */

static bool is_like(const struct rox_requester *r, const struct rox_wr *wr,
		    const struct rox_wr *first)
{
	if (wr->status != ROX_WC_SUCCESS || wr->opcode != first->opcode ||
	    wr->length != first->length || wr->flags & ROX_SQE_FENCE)
		return false;
	return r->cfg.service != ROX_SVC_UD ||
	       (wr->rkey == first->rkey && wr->compare_add == first->compare_add &&
		wr->swap == first->swap);
}

u32 rox_req_alike(const struct rox_requester *r, const struct rox_req_pkt *pkt, u32 most)
{
	const struct rox_wr *wr = pkt->wr;
	u32 n;

	if (pkt->again || wr->nr_psn != 1 || rox_wr_wants_data(wr) ||
	    r->state != ROX_REQ_RUNNING)
		return 0;
	most = min(most, r->head - r->next - 1);
	/* A window holds one packet at least, which is the planned one. */
	if (rox_req_is_rc(r))
		most = min(most, rox_req_window(r) - rox_req_unanswered(r) - 1);
	for (n = 0; n < most; n++)
		if (!is_like(r, rox_req_wr(r, r->next + 1 + n), wr))
			break;
	return n;
}
