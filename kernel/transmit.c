// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a packet that the requester has planned to the network: payload gathered,
 * packets of RC collected in bursts, and what becomes of those that the queues of
 * this host refuse.
 */
#include <linux/mm.h>

#include "copy.h"
#include "direct.h"
#include "proto/psn.h"
#include "proto/segment.h"
#include "qp.h"
#include "trace.h"
#include "transmit.h"
#include "wqe.h"
#include "xmit.h"

/* Waits for the local queue: the first, and how often it doubles. */
#define BACKOFF_NS	(100 * NSEC_PER_USEC)
#define BACKOFF_SHIFT	6
/* In a row, some two seconds; then the packet counts as lost. */
#define MAX_BACKOFFS	300
/* Packet memory that a QP may add to a full queue before it waits for room. */
#define CLOG_BYTES	(16 << 10)

/* @bytes of the message from @offset on. */
static int gather(struct rox_qp *qp, const struct rox_req_pkt *pkt, u32 offset,
		  u8 *dst, u32 bytes)
{
	const struct rox_wr_slot *slot = to_rox_wr_slot(pkt->wr);
	const struct rox_sgl sgl = {
		.pd = qp->pd,
		.sge = slot->sge,
		.num_sge = pkt->wr->num_sge,
	};

	if (!bytes)
		return 0;
	if (pkt->wr->flags & ROX_SQE_INLINE) {
		memcpy(dst, slot->bytes + offset, bytes);
		return 0;
	}
	return rox_copy_from_sgl(&sgl, offset, dst, bytes);
}

/*
 * RC has its window, and the connection manager is not to wait for others. Nor is
 * he who sends little, because what is queued is everybody's: somebody else's may
 * be stuck there. Who has waited in vain long enough does so once only, until there
 * is room again.
 */
static bool waits_for_room(struct rox_qp *qp, const struct rox_av *av)
{
	struct rox_sq *sq = &qp->sq;

	if (qp->service == ROX_SVC_RC || qp->type == IB_QPT_GSI)
		return false;
	if (!rox_xmit_is_clogged(qp->dev, av)) {
		sq->clog_bytes = 0;
		sq->impatient = false;
		return false;
	}
	if (sq->backoffs >= MAX_BACKOFFS)
		sq->impatient = true;
	return !sq->impatient && sq->clog_bytes >= CLOG_BYTES;
}

/* One packet of @pkt's run: an error, or -EAGAIN without memory. */
static int add_packet(struct rox_qp *qp, const struct rox_av *av, u32 i,
		      const struct rox_req_pkt *pkt, struct rox_burst *burst)
{
	struct sk_buff *skb;
	struct rox_pkt hdr;
	int err;

	rox_split(&pkt->hdr, qp->pmtu, i, &hdr);
	skb = rox_xmit_alloc(qp->dev, av, &hdr);
	if (!skb)
		return -EAGAIN;
	err = gather(qp, pkt, pkt->offset + i * qp->pmtu, rox_xmit_payload(skb),
		     hdr.payload_bytes);
	if (err) {
		kfree_skb(skb);
		return err;
	}
	trace_rox_send(qp, &hdr);
	rox_burst_add(burst, av, skb, &hdr);
	return 0;
}

/* All packets of @pkt: 0, an error of reading the payload, or -EAGAIN without memory. */
static int build_run(struct rox_qp *qp, const struct rox_av *av,
		     const struct rox_req_pkt *pkt, struct rox_burst *run)
{
	int err = 0;
	u32 i;

	for (i = 0; i < pkt->hdr.run && !err; i++)
		err = add_packet(qp, av, i, pkt, run);
	if (err)
		rox_burst_free(run);
	return err;
}

/* An enum rox_xmit_result, or the error of reading the payload. */
static int transmit(struct rox_qp *qp, struct rox_av *av,
		    const struct rox_req_pkt *pkt)
{
	struct rox_burst burst = {};
	int err;

	if (waits_for_room(qp, av)) {
		rox_count(qp->dev, ROX_CNT_BACKOFFS, 1);
		return ROX_XMIT_CONGESTED;
	}
	err = build_run(qp, av, pkt, &burst);
	if (err)
		return err == -EAGAIN ? ROX_XMIT_CONGESTED : err;
	qp->sq.clog_bytes += burst.head->truesize;
	return rox_xmit(qp->dev, av, &burst, &pkt->hdr);
}

/* UD: the AH may be destroyed any time, its entry lives until the grace period. */
static int transmit_ud(struct rox_qp *qp, const struct rox_req_pkt *pkt)
{
	struct rox_ah_entry *ah;
	int ret = -ENOENT;

	rcu_read_lock();
	ah = rox_ah_find(qp->dev, pkt->wr->rkey, qp->pd);
	if (ah) {
		ret = rox_direct_send_ud(qp, &ah->av, pkt);
		if (ret == -EAGAIN)
			ret = transmit(qp, &ah->av, pkt);
	}
	rcu_read_unlock();
	return ret;
}

/* True if the packet is to be tried again later. */
static bool back_off(struct rox_sq *sq, u64 now)
{
	if (sq->backoffs == MAX_BACKOFFS) {
		sq->backoffs = 0;
		return false;
	}
	sq->backoff_until = now + (BACKOFF_NS << min(sq->backoffs, BACKOFF_SHIFT));
	sq->backoffs++;
	return true;
}

static void fail_planned(struct rox_qp *qp, int err)
{
	rox_req_fail(&qp->sq.req, err == -ENOENT ? ROX_WC_LOC_QP_OP_ERR :
						   ROX_WC_LOC_PROT_ERR);
}

/* UC, UD. False: not now. */
static bool send_packet(struct rox_qp *qp, const struct rox_req_pkt *pkt, u64 now)
{
	struct rox_sq *sq = &qp->sq;
	int ret;

	ret = qp->service == ROX_SVC_UD ? transmit_ud(qp, pkt) :
					  transmit(qp, &qp->av, pkt);
	if (ret < 0) {
		fail_planned(qp, ret);
		return true;
	}
	if (ret != ROX_XMIT_CONGESTED)
		sq->backoffs = 0;
	else if (back_off(sq, now))
		return false;
	rox_req_sent(&sq->req, pkt, now);
	return true;
}

/**
 * rox_transmit_flush - what was put into a burst leaves
 * @qp:    RC
 * @burst: may be empty, is empty then
 * @now:   ktime_get_ns()
 *
 * Context: owner of the send side, BHs disabled.
 * Return: false if it did not: it is planned again after backoff_until.
 */
bool rox_transmit_flush(struct rox_qp *qp, struct rox_burst *burst, u64 now)
{
	const struct rox_pkt hdr = { .opcode = ROX_SVC_RC, .dqpn = qp->dqpn };
	struct rox_sq *sq = &qp->sq;
	u32 psn = burst->psn, end = burst->end, nr = burst->nr;
	enum rox_xmit_result result;

	if (!nr)
		return true;
	result = rox_xmit(qp->dev, &qp->av, burst, &hdr);
	*burst = (struct rox_burst){};
	if (result != ROX_XMIT_CONGESTED) {
		sq->backoffs = 0;
		sq->careful -= min(sq->careful, nr);
		return true;
	}
	if (nr > 1)
		sq->careful = ROX_CAREFUL_PKTS;
	if (!back_off(sq, now))
		return true;
	rox_req_unsent(&sq->req, psn, end, now);
	return false;
}

/* RC: to the burst, which leaves before if it cannot take it. False: not now. */
static bool send_run(struct rox_qp *qp, const struct rox_req_pkt *pkt,
		     struct rox_burst *burst, u64 now)
{
	struct rox_burst run = {};
	int err = build_run(qp, &qp->av, pkt, &run);

	if (err == -EAGAIN && back_off(&qp->sq, now))
		return false;
	if (err && err != -EAGAIN) {
		fail_planned(qp, err);
		return true;
	}
	if (burst->nr && (qp->sq.req.run == 1 || !rox_burst_fits(burst, &run)) &&
	    !rox_transmit_flush(qp, burst, now)) {
		rox_burst_free(&run);
		return false;
	}
	/* Without memory for so long: as if it had been lost. */
	if (!err) {
		rox_burst_join(burst, &run);
		burst->end = rox_psn_add(pkt->hdr.psn, pkt->nr_psn);
	}
	rox_req_sent(&qp->sq.req, pkt, now);
	return true;
}

/**
 * rox_transmit - carry out what the requester has planned
 * @qp:    whose send side it is
 * @pkt:   as planned
 * @burst: RC: where it goes; rox_transmit_flush() before the side is given up
 * @now:   ktime_get_ns()
 *
 * The requester knows of it then: that it was sent, or why it cannot be.
 * Context: owner of the send side, BHs disabled.
 * Return: false if it is to be planned again after backoff_until.
 */
bool rox_transmit(struct rox_qp *qp, const struct rox_req_pkt *pkt,
		  struct rox_burst *burst, u64 now)
{
	if (qp->service == ROX_SVC_RC)
		return send_run(qp, pkt, burst, now);
	return send_packet(qp, pkt, now);
}
