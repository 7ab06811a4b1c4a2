// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A reply came: place what it brings and let the requester move on. */

#include "copy.h"
#include "qp.h"
#include "recv.h"
#include "trace.h"
#include "wqe.h"

static enum rox_wc_status place(struct rox_qp *qp, const struct sk_buff *skb,
				const struct rox_pkt *pkt,
				struct rox_req_place *what)
{
	const struct rox_sgl sgl = {
		.pd = qp->pd,
		.sge = to_rox_wr_slot(what->wr)->sge,
		.num_sge = what->wr->num_sge,
	};
	struct rox_buf src = { .skb = skb, .offset = rox_pkt_op(pkt)->hdr_bytes };
	u32 bytes = what->bytes;

	if (what->atomic) {
		src.mem = &what->orig;
		bytes = sizeof(what->orig);
	}
	if (!bytes)
		return ROX_WC_SUCCESS;
	return rox_copy_to_sgl(&sgl, what->offset, &src, bytes) ?
	       ROX_WC_LOC_PROT_ERR : ROX_WC_SUCCESS;
}

/**
 * rox_complete_packet - hand one reply to the requester
 * @qp:  the QP
 * @skb: from sq.inbox; consumed
 *
 * Retiring what is finished is the caller's.
 * Context: owner of the send side, BHs disabled.
 */
void rox_complete_packet(struct rox_qp *qp, struct sk_buff *skb)
{
	struct rox_req_place what = {};
	struct rox_pkt pkt;
	enum rox_drop why;

	why = rox_recv_read(qp, skb, &pkt);
	if (!why) {
		trace_rox_complete(qp, &pkt);
		why = rox_req_rx(&qp->sq.req, &pkt, ktime_get_ns(), &what);
	}
	if (why) {
		rox_drop(qp->dev, qp->qpn, why);
		kfree_skb(skb);
		return;
	}
	/* A NAK, or an ACK of nothing that waits for bytes, names no WR. */
	if (what.wr)
		rox_req_placed(&qp->sq.req, &what, place(qp, skb, &pkt, &what));
	consume_skb(skb);
}
