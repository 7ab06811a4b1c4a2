// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a packet that the requester has planned to the network: payload gathered,
 * packets of RC collected in bursts, and what becomes of those that the queues of
 * this host refuse.
 */
#include <linux/mm.h>

#include "burst.h"
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
static int gather(const struct rox_source *source, const struct rox_wr *wr, u32 offset,
		  u8 *dst, u32 bytes)
{
	if (!bytes)
		return 0;
	if (!(wr->flags & ROX_SQE_INLINE))
		return rox_source_read(source, offset, dst, bytes);
	memcpy(dst, to_rox_wr_slot((struct rox_wr *)wr)->bytes + offset, bytes);
	return 0;
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
		      const struct rox_req_pkt *pkt, const struct rox_source *source,
		      struct rox_burst *burst)
{
	struct rox_pkt hdr;
	u8 *payload;
	int err;

	rox_split(&pkt->hdr, qp->pmtu, i, &hdr);
	payload = rox_burst_begin(burst, qp->dev, av, &hdr, pkt->hdr.run - i);
	if (!payload)
		return -EAGAIN;
	err = gather(source, pkt->wr, pkt->offset + i * qp->pmtu, payload,
		     hdr.payload_bytes);
	if (err)
		return err;
	trace_rox_send(qp, &hdr);
	rox_burst_add(burst, av, &hdr);
	return 0;
}

/* All packets of @pkt: 0, an error of reading the payload, or -EAGAIN without memory. */
static int build_run(struct rox_qp *qp, const struct rox_av *av,
		     const struct rox_req_pkt *pkt, struct rox_burst *run)
{
	const struct rox_sgl sgl = {
		.pd = qp->pd,
		.sge = to_rox_wr_slot(pkt->wr)->sge,
		.num_sge = pkt->wr->num_sge,
	};
	struct rox_source source = { .sgl = &sgl };
	int err = 0;
	u32 i;

	if (pkt->hdr.run > 1) {
		rox_xmit_plan(qp, true, run);
		rox_burst_expect(run, &pkt->hdr, qp->pmtu);
		if (!(pkt->wr->flags & ROX_SQE_INLINE))
			rox_source_open(&source, &sgl, pkt->offset, pkt->hdr.payload_bytes);
	}
	for (i = 0; i < pkt->hdr.run && !err; i++)
		err = add_packet(qp, av, i, pkt, &source, run);
	rox_source_close(&source);
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
	u32 end = burst->end, nr = burst->nr;
	enum rox_xmit_result result;
	u32 psn;

	if (!nr)
		return true;
	result = rox_xmit(qp->dev, &qp->av, burst, &hdr);
	psn = burst->psn;
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
