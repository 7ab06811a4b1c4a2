// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A reply came: place what it brings and let the requester move on. */

#include "complete.h"
#include "copy.h"
#include "qp.h"
#include "recv.h"
#include "super.h"
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

/* One packet, or more of a super-packet, to whose last @skb moves on. Was it due? */
static bool complete_one(struct rox_qp *qp, struct sk_buff *skb)
{
	struct rox_buf payload;
	struct rox_pkt pkt;
	enum rox_drop why;
	bool due;

	why = rox_recv_read(qp, skb, false, &pkt);
	if (why) {
		rox_drop(qp->dev, qp->qpn, why);
		return false;
	}
	/* What has come before, if anything, is not part of a run. */
	due = rox_req_awaits(&qp->sq.req, pkt.psn);
	rox_super_payload(skb, due, qp->pmtu, &pkt, &payload);
	rox_complete_reply(qp, &pkt, &payload);
	return due;
}

/**
 * rox_complete_packet - hand a reply packet, or several in one, to the requester
 * @qp:  the QP
 * @skb: from sq.inbox; consumed
 *
 * Context: owner of the send side, BHs disabled.
 */
void rox_complete_packet(struct rox_qp *qp, struct sk_buff *skb)
{
	u32 bytes = rox_super_bytes(skb);
	bool due = false;

	do {
		due |= complete_one(qp, skb);
	} while (rox_super_next(skb));
	if (rox_super_is_one(skb) && due)
		rox_super_note(&qp->sq.supers, bytes);
	consume_skb(skb);
}
