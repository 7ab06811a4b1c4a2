// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A reply came: place what it brings and let the requester move on. */

#include "complete.h"
#include "copy.h"
#include "qp.h"
#include "recv.h"
#include "trace.h"
#include "wqe.h"

/* 0, or -EFAULT if the payload, not its destination, is at fault. */
static int place(struct rox_qp *qp, const struct rox_buf *payload,
		 const struct rox_req_place *what)
{
	const struct rox_sgl sgl = {
		.pd = qp->pd,
		.sge = to_rox_wr_slot(what->wr)->sge,
		.num_sge = what->wr->num_sge,
	};
	const struct rox_buf orig = { .mem = &what->orig };
	int err;

	if (what->atomic)
		err = rox_copy_to_sgl(&sgl, what->offset, &orig, sizeof(what->orig));
	else
		err = rox_copy_to_sgl(&sgl, what->offset, payload, what->bytes);
	if (err == -EFAULT)
		return err;
	rox_req_placed(&qp->sq.req, what, err ? ROX_WC_LOC_PROT_ERR : ROX_WC_SUCCESS);
	return 0;
}

/**
 * rox_complete_reply - hand one reply to the requester
 * @qp:      the QP
 * @pkt:     its headers, checked
 * @payload: what it carries
 *
 * Retiring what is finished is the caller's.
 * Context: owner of the send side, BHs disabled.
 * Return: 0; -EFAULT if the payload could not be read: the reply was not given.
 */
int rox_complete_reply(struct rox_qp *qp, const struct rox_pkt *pkt,
		       const struct rox_buf *payload)
{
	struct rox_req_place what = {};
	enum rox_drop why;

	trace_rox_complete(qp, pkt);
	why = rox_req_rx(&qp->sq.req, pkt, ktime_get_ns(), &what);
	if (why)
		rox_drop(qp->dev, qp->qpn, why);
	/* A NAK, or an ACK of nothing that waits for bytes, names no WR. */
	return what.wr ? place(qp, payload, &what) : 0;
}

/**
 * rox_complete_packet - hand one reply packet to the requester
 * @qp:  the QP
 * @skb: from sq.inbox; consumed
 *
 * Context: owner of the send side, BHs disabled.
 */
void rox_complete_packet(struct rox_qp *qp, struct sk_buff *skb)
{
	struct rox_buf payload = { .skb = skb };
	struct rox_pkt pkt;
	enum rox_drop why;

	why = rox_recv_read(qp, skb, &pkt);
	if (why) {
		rox_drop(qp->dev, qp->qpn, why);
		kfree_skb(skb);
		return;
	}
	payload.offset = rox_pkt_op(&pkt)->hdr_bytes;
	rox_complete_reply(qp, &pkt, &payload);
	consume_skb(skb);
}
