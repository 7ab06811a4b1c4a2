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

/* What a planned packet's payload is gathered from. */
static struct rox_sgl sgl_of(const struct rox_qp *qp, const struct rox_req_pkt *pkt)
{
	return (struct rox_sgl){
		.pd = qp->pd,
		.sge = to_rox_wr_slot(pkt->wr)->sge,
		.num_sge = pkt->wr->num_sge,
	};
}

/*
 * One packet of @pkt's run, and @more of its kind to come: an error, or -EAGAIN without
 * memory.
 */
static int add_packet(struct rox_qp *qp, const struct rox_av *av, u32 i, u32 more,
		      const struct rox_req_pkt *pkt, const struct rox_source *source,
		      struct rox_burst *burst)
{
	struct rox_pkt hdr;
	u8 *payload;
	int err;

	rox_split(&pkt->hdr, qp->pmtu, i, &hdr);
	payload = rox_burst_begin(burst, qp->dev, av, &hdr, 1 + more);
	if (!payload)
		return -EAGAIN;
	err = gather(source, pkt->wr, pkt->offset + i * qp->pmtu, payload,
		     hdr.payload_bytes);
	if (err) {
		rox_burst_undo(burst, &hdr);
		return err;
	}
	trace_rox_send(qp, &hdr);
	rox_burst_add(burst, av, &hdr);
	return 0;
}

/* All packets of @pkt: 0, an error of reading the payload, or -EAGAIN without memory. */
static int build_run(struct rox_qp *qp, struct rox_av *av,
		     const struct rox_req_pkt *pkt, struct rox_burst *run)
{
	const struct rox_sgl sgl = sgl_of(qp, pkt);
	struct rox_source source = { .sgl = &sgl };
	int err = 0;
	u32 i;

	rox_xmit_plan(qp, av, pkt->hdr.dqpn, true, run);
	rox_burst_expect(run, &pkt->hdr, qp->pmtu);
	if (!(pkt->wr->flags & ROX_SQE_INLINE))
		rox_source_open(&source, &sgl, pkt->offset, pkt->hdr.payload_bytes);
	for (i = 0; i < pkt->hdr.run && !err; i++)
		err = add_packet(qp, av, i, pkt->hdr.run - i - 1, pkt, &source, run);
	rox_source_close(&source);
	if (err)
		rox_burst_free(run);
	return err;
}

/* The packet of a short message, to which @more like it are to come; likewise. */
static int add_message(struct rox_qp *qp, const struct rox_av *av, u32 more,
		       const struct rox_req_pkt *pkt, struct rox_burst *burst)
{
	const struct rox_sgl sgl = sgl_of(qp, pkt);
	const struct rox_source source = { .sgl = &sgl };

	return add_packet(qp, av, 0, more, pkt, &source, burst);
}

static bool may_go_together(const struct rox_qp *qp, const struct rox_av *av)
{
	return qp->service == ROX_SVC_RC ? qp->sq.req.run > 1 :
					   !qp->sq.backoffs && !READ_ONCE(av->singly);
}

/* As what has been collected, if that is known; or else if it is worth it to find out. */
static void plan_message(struct rox_qp *qp, struct rox_av *av, const struct rox_req_pkt *pkt,
			 const struct rox_burst *before, struct rox_burst *burst)
{
	if (!may_go_together(qp, av))
		return;
	if (before && before->planned) {
		burst->planned = true;
		burst->may_super = before->may_super;
		burst->trusted = before->trusted;
	} else if (rox_req_alike(&qp->sq.req, pkt, 1)) {
		rox_xmit_plan(qp, av, pkt->hdr.dqpn, true, burst);
	}
}

/*
 * Likewise, as the first of those that are like it, if it can be one of several. How many
 * those are costs some time to find out, so whether it is worth it comes first.
 */
static int begin_message(struct rox_qp *qp, struct rox_av *av, const struct rox_req_pkt *pkt,
			 const struct rox_burst *before, struct rox_burst *burst, u32 *more)
{
	*more = 0;
	plan_message(qp, av, pkt, before, burst);
	if (burst->may_super) {
		*more = rox_req_alike(&qp->sq.req, pkt, ROX_BURST_PKTS - 1);
		rox_burst_expect_alike(burst, &pkt->hdr);
	}
	return add_message(qp, av, *more, pkt, burst);
}

/* An enum rox_xmit_result, or the error of reading the payload. */
static int transmit(struct rox_qp *qp, struct rox_av *av, const struct rox_req_pkt *pkt,
		    u32 *sent)
{
	struct rox_req_pkt like;
	struct rox_burst burst = {};
	u32 more, i;
	int ret;

	*sent = 0;
	if (waits_for_room(qp, av)) {
		rox_count(qp->dev, ROX_CNT_BACKOFFS, 1);
		return ROX_XMIT_CONGESTED;
	}
	ret = begin_message(qp, av, pkt, NULL, &burst, &more);
	if (ret)
		return ret == -EAGAIN ? ROX_XMIT_CONGESTED : ret;
	/* One whose payload cannot be read is tried, and fails, when its turn comes. */
	for (i = 1; i <= more; i++) {
		rox_req_like(&qp->sq.req, pkt, i, &like);
		if (!rox_burst_awaits(&burst, &like.hdr) ||
		    add_message(qp, av, more - i, &like, &burst))
			break;
	}
	qp->sq.clog_bytes += burst.head->truesize;
	*sent = burst.nr;
	ret = rox_xmit(qp->dev, av, &burst, &pkt->hdr);
	if (ret == ROX_XMIT_CONGESTED)
		*sent = 0;
	return ret;
}

/* UD: the AH may be destroyed any time, its entry lives until the grace period. */
static int transmit_ud(struct rox_qp *qp, const struct rox_req_pkt *pkt, u32 *sent)
{
	struct rox_ah_entry *ah;
	int ret = -ENOENT;

	rcu_read_lock();
	ah = rox_ah_find(qp->dev, pkt->wr->rkey, qp->pd);
	if (ah) {
		*sent = 1;
		ret = rox_direct_send_ud(qp, &ah->av, pkt);
		if (ret == -EAGAIN)
			ret = transmit(qp, &ah->av, pkt, sent);
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

/* @n messages, of which @pkt is the first planned one, are sent, or lost. */
static void tell_sent(struct rox_requester *req, const struct rox_req_pkt *pkt, u32 n,
		      u64 now)
{
	struct rox_req_pkt like;

	rox_req_sent(req, pkt, now);
	while (--n && rox_req_next(req, now, &like) == ROX_REQ_SEND)
		rox_req_sent(req, &like, now);
}

/* UC, UD. How many packets; 0: not now. */
static u32 send_packets(struct rox_qp *qp, const struct rox_req_pkt *pkt, u64 now)
{
	struct rox_sq *sq = &qp->sq;
	u32 sent;
	int ret;

	ret = qp->service == ROX_SVC_UD ? transmit_ud(qp, pkt, &sent) :
					  transmit(qp, &qp->av, pkt, &sent);
	if (ret < 0) {
		fail_planned(qp, ret);
		return 1;
	}
	if (ret != ROX_XMIT_CONGESTED)
		sq->backoffs = 0;
	else if (back_off(sq, now))
		return 0;
	sent = max(sent, 1U);
	tell_sent(&sq->req, pkt, sent, now);
	return sent;
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
	if (burst->planned)
		sq->unwired = burst->may_super;
	sq->sent_by = smp_processor_id();
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
	u32 more;
	int err;

	if (pkt->hdr.run > 1)
		err = build_run(qp, &qp->av, pkt, &run);
	else if (rox_burst_awaits(burst, &pkt->hdr))
		err = add_message(qp, &qp->av, burst->room - 1, pkt, burst);
	else
		err = begin_message(qp, &qp->av, pkt, burst, &run, &more);
	if (err == -EAGAIN && back_off(&qp->sq, now))
		return false;
	if (err && err != -EAGAIN) {
		fail_planned(qp, err);
		return true;
	}
	if (run.nr && burst->nr && (qp->sq.req.run == 1 || !rox_burst_fits(burst, &run)) &&
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
 * The requester knows of it then: that it was sent, or why it cannot be. Of UD some
 * messages behind it may have gone with it.
 * Context: owner of the send side, BHs disabled.
 * Return: for how many packets that was work; 0 if it is to be planned again after
 * backoff_until.
 */
u32 rox_transmit(struct rox_qp *qp, const struct rox_req_pkt *pkt,
		 struct rox_burst *burst, u64 now)
{
	if (qp->service != ROX_SVC_RC)
		return send_packets(qp, pkt, now);
	return send_run(qp, pkt, burst, now) ? pkt->hdr.run : 0;
}
