// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The receive side of a QP, by its owner: requests in, bytes placed, receive
 * completions out, replies out. The responder machine decides; this file drives
 * it, execute.c carries single operations out.
 *
 * Posting a receive needs no kick but in the error state, where receives are
 * flushed as they come, and when a sender of this host waits for one (direct.c).
 */

#include <linux/bottom_half.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include "burst.h"
#include "compat/hrtimer.h"
#include "copy.h"
#include "direct.h"
#include "execute.h"
#include "inbox.h"
#include "net.h"
#include "proto/psn.h"
#include "proto/segment.h"
#include "qp.h"
#include "recv.h"
#include "respond.h"
#include "super.h"
#include "trace.h"
#include "wqe.h"
#include "xmit.h"

/* Rounds of one run, notes included, before the worker gets it. */
#define MAX_ROUNDS	8
/* Receives flushed in one turn. */
#define MAX_FLUSH	512
/* As in send.c, for READ responses. */
#define BACKOFF_NS	NSEC_PER_MSEC
#define BACKOFF_SHIFT	4
#define MAX_BACKOFFS	8

/* ---- requests ---- */

static int execute(struct rox_qp *qp, const struct rox_request *req,
		   const struct rox_resp_op *op)
{
	struct rox_responder *resp = &qp->rq.resp;
	struct rox_exec ex = { .qp = qp, .req = req, .op = op };
	const struct rox_pkt *pkt = &req->pkt;

	switch (rox_execute(&ex)) {
	case ROX_EXEC_DONE:
		rox_resp_commit(resp, pkt, op, ex.orig);
		if (op->completes)
			rox_exec_complete(&ex);
		return 0;
	case ROX_EXEC_NO_RECV:
		rox_resp_rnr(resp, pkt);
		rox_drop(qp->dev, qp->qpn, ROX_DROP_NO_RECV);
		break;
	case ROX_EXEC_REFUSED:
		rox_resp_refuse(resp, pkt, ex.syndrome);
		rox_drop(qp->dev, qp->qpn, ex.why);
		break;
	case ROX_EXEC_NO_SOURCE:
		return -EFAULT;
	}
	return -EINVAL;
}

/**
 * rox_respond_established - a request is acted on: for the first time since RTR?
 * @qp: whose it is
 *
 * IBA 11.6.3.1. Context: owner of the receive side.
 */
void rox_respond_established(struct rox_qp *qp)
{
	if (qp->comm_est || READ_ONCE(qp->state) != IB_QPS_RTR)
		return;
	qp->comm_est = true;
	rox_qp_event(qp, IB_EVENT_COMM_EST);
}

/**
 * rox_respond_request - act on one request
 * @qp:  whose it is
 * @req: its headers checked: QP state, source, partition, Q_Key
 *
 * Replies may be due then.
 * Context: owner of the receive side, BHs disabled.
 * Return: 0 if it was carried out; -EFAULT if the payload could not be read, and
 * nothing is changed; -EINVAL if the request was dropped or refused.
 */
int rox_respond_request(struct rox_qp *qp, const struct rox_request *req)
{
	struct rox_rq *rq = &qp->rq;
	struct rox_resp_op op;

	trace_rox_respond(qp, &req->pkt);
	rox_respond_established(qp);
	switch (rox_resp_rx(&rq->resp, &req->pkt, &op)) {
	case ROX_RESP_EXEC:
		return execute(qp, req, &op);
	case ROX_RESP_FATAL:
		rq->event = op.drop == ROX_DROP_ACCESS ? IB_EVENT_QP_ACCESS_ERR :
							 IB_EVENT_QP_REQ_ERR;
		fallthrough;
	case ROX_RESP_DROP:
	case ROX_RESP_DONE:
		if (op.drop)
			rox_drop(qp->dev, qp->qpn, op.drop);
		break;
	}
	return -EINVAL;
}

/*
 * What verbs promise in front of a datagram: an IPv6 header, or 20 zero bytes
 * and an IPv4 header (IBA A17.4.5.2).
 */
static void read_grh(const struct sk_buff *skb, u8 *grh)
{
	bool ip4 = ip_hdr(skb)->version == 4;
	u32 bytes = ip4 ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);

	memset(grh, 0, ROX_GRH_BYTES - bytes);
	memcpy(grh + ROX_GRH_BYTES - bytes, skb_network_header(skb), bytes);
	if (rox_super_is_one(skb))
		rox_super_fix_ip(skb, grh + ROX_GRH_BYTES - bytes);
}

/* One packet, or more of a super-packet, to whose last @skb moves on. */
static void handle(struct rox_qp *qp, struct sk_buff *skb)
{
	struct rox_request req;
	enum rox_drop why;

	why = rox_recv_read(qp, skb, true, &req.pkt);
	if (why) {
		rox_drop(qp->dev, qp->qpn, why);
		return;
	}
	/* What was received before, if anything, is not part of a run. */
	rox_super_payload(skb, req.pkt.psn == qp->rq.resp.epsn, qp->pmtu, &req.pkt,
			  &req.payload);
	if (qp->service == ROX_SVC_UD) {
		read_grh(skb, req.grh);
		req.ifindex = rox_net_ifindex(skb);
	}
	/* A packet can always be read. */
	rox_respond_request(qp, &req);
}

static void handle_all(struct rox_qp *qp, struct sk_buff *skb)
{
	u32 bytes = rox_super_bytes(skb), epsn = qp->rq.resp.epsn;

	do {
		handle(qp, skb);
	} while (rox_super_next(skb));
	if (rox_super_is_one(skb) && epsn != qp->rq.resp.epsn)
		rox_super_note(&qp->rq.supers, bytes);
}

static void drain_inbox(struct rox_qp *qp, u32 *budget)
{
	struct sk_buff_head skbs;
	struct sk_buff *skb;

	/* Some may come while others are worked on. */
	do {
		*budget -= rox_inbox_take(qp, &qp->rq.inbox, *budget, &skbs);
		while ((skb = __skb_dequeue(&skbs))) {
			handle_all(qp, skb);
			consume_skb(skb);
		}
	} while (*budget && !skb_queue_empty_lockless(&qp->rq.inbox));
}

/* ---- replies ---- */

static void count_reply(struct rox_qp *qp, const struct rox_pkt *hdr)
{
	trace_rox_reply(qp, hdr);
	if (hdr->opcode == ROX_OP_RC_ACKNOWLEDGE &&
	    (hdr->syndrome & ROX_AETH_KIND_MASK) == ROX_AETH_ACK)
		rox_count(qp->dev, ROX_CNT_ACKS_SENT, 1);
}

/* One packet of @pkt's run: an error, or -EAGAIN without memory. */
static int add_packet(struct rox_qp *qp, u32 i, const struct rox_resp_pkt *pkt,
		      const struct rox_source *source, struct rox_burst *burst)
{
	struct rox_pkt hdr;
	u8 *payload;
	int err;

	rox_split(&pkt->hdr, qp->pmtu, i, &hdr);
	payload = rox_burst_begin(burst, qp->dev, &qp->av, &hdr, pkt->hdr.run - i);
	if (!payload)
		return -EAGAIN;
	err = pkt->read ? rox_source_read(source, i * qp->pmtu, payload, hdr.payload_bytes) : 0;
	if (err)
		return err;
	count_reply(qp, &hdr);
	rox_burst_add(burst, &qp->av, &hdr);
	return 0;
}

/* All packets of @pkt, as above. */
static int build_run(struct rox_qp *qp, const struct rox_resp_pkt *pkt,
		     struct rox_burst *burst)
{
	const struct rox_sge sge = {
		.addr = pkt->va,
		.length = pkt->hdr.payload_bytes,
		.lkey = pkt->rkey,
	};
	const struct rox_sgl sgl = {
		.pd = qp->pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_READ,
	};
	struct rox_source source = { .sgl = &sgl };
	int err = 0;
	u32 i;

	if (pkt->hdr.run > 1) {
		rox_xmit_plan(qp, &qp->av, qp->dqpn, false, burst);
		rox_burst_expect(burst, &pkt->hdr, qp->pmtu);
		rox_source_open(&source, &sgl, 0, sge.length);
	}
	for (i = 0; i < pkt->hdr.run && !err; i++)
		err = add_packet(qp, i, pkt, &source, burst);
	rox_source_close(&source);
	if (err)
		rox_burst_free(burst);
	return err;
}

/*
 * An enum rox_xmit_result, or the error of reading what a READ asked for. @sent: packets
 * that left before the queue was full.
 */
static int transmit(struct rox_qp *qp, const struct rox_resp_pkt *pkt, u32 *sent)
{
	struct rox_burst burst = {};
	int err = build_run(qp, pkt, &burst);
	enum rox_xmit_result result;

	*sent = 0;
	if (err)
		return err == -EAGAIN ? ROX_XMIT_CONGESTED : err;
	result = rox_xmit(qp->dev, &qp->av, &burst, &pkt->hdr);
	if (result == ROX_XMIT_CONGESTED)
		*sent = rox_psn_sub(burst.psn, pkt->hdr.psn);
	return result;
}

/*
 * A lost ACK is made up for by the next one. A lost READ response costs the
 * peer a time-out, so it waits until the local queue has room.
 */
static bool back_off(struct rox_rq *rq, const struct rox_resp_pkt *pkt)
{
	if (!pkt->read)
		return false;
	if (rq->backoffs == MAX_BACKOFFS) {
		rq->backoffs = 0;
		return false;
	}
	rq->backoff_until = ktime_get_ns() +
			    (BACKOFF_NS << min(rq->backoffs, BACKOFF_SHIFT));
	rq->backoffs++;
	hrtimer_start(&rq->timer, ns_to_ktime(rq->backoff_until),
		      HRTIMER_MODE_ABS_SOFT);
	return true;
}

/**
 * rox_respond_read_failed - what a READ response is to carry cannot be read
 * @qp:  whose response
 * @pkt: as planned
 *
 * Context: owner of the receive side.
 */
void rox_respond_read_failed(struct rox_qp *qp, const struct rox_resp_pkt *pkt)
{
	struct rox_rq *rq = &qp->rq;

	rox_resp_read_fail(&rq->resp, pkt);
	if (rq->resp.dead)
		rq->event = IB_EVENT_QP_ACCESS_ERR;
	rox_drop(qp->dev, qp->qpn, ROX_DROP_ACCESS);
}

/* False: not now. */
static bool send_reply(struct rox_qp *qp, const struct rox_resp_pkt *pkt)
{
	struct rox_rq *rq = &qp->rq;
	struct rox_resp_pkt part = *pkt;
	u32 sent;
	int ret = transmit(qp, pkt, &sent);

	if (ret < 0) {
		rox_respond_read_failed(qp, pkt);
		return true;
	}
	if (ret == ROX_XMIT_CONGESTED) {
		if (pkt->hdr.run > 1)
			rq->careful = ROX_CAREFUL_PKTS;
		part.hdr.run = sent;
		if (sent)
			rox_resp_sent(&rq->resp, &part);
		part.hdr.run = pkt->hdr.run - sent;
		if (back_off(rq, pkt))
			return false;
	} else {
		rq->backoffs = 0;
	}
	rox_resp_sent(&rq->resp, &part);
	return true;
}

/* True once nothing is owed. */
static bool send_replies(struct rox_qp *qp, u32 *budget)
{
	struct rox_rq *rq = &qp->rq;
	struct rox_resp_pkt pkt;

	/* What is asked for again was lost: by a path that does not bear bursts? */
	if (rq->resp.counts.duplicates != rq->counted.duplicates)
		rq->careful = ROX_CAREFUL_PKTS;
	if (rq->backoff_until > ktime_get_ns())
		return false;
	rq->backoff_until = 0;
	rq->resp.run = rq->backoffs || rq->careful ? 1 : rox_qp_burst(qp);
	while (rox_resp_next(&rq->resp, &pkt)) {
		if (!*budget || !send_reply(qp, &pkt))
			return false;
		*budget -= min(*budget, pkt.hdr.run);
		rq->careful -= min(rq->careful, pkt.hdr.run);
	}
	return true;
}

/* ---- the turn ---- */

/**
 * rox_respond_fold_counts - add what the responder counted to the hw counters
 * @qp: the QP
 *
 * Context: owner of the receive side.
 */
void rox_respond_fold_counts(struct rox_qp *qp)
{
	const struct rox_resp_counts *now = &qp->rq.resp.counts;
	struct rox_resp_counts *then = &qp->rq.counted;

	if (!memcmp(now, then, sizeof(*now)))
		return;
	rox_count(qp->dev, ROX_CNT_DUPLICATES, now->duplicates - then->duplicates);
	rox_count(qp->dev, ROX_CNT_OUT_OF_SEQ, now->out_of_order - then->out_of_order);
	rox_count(qp->dev, ROX_CNT_RNR_SENT, now->rnr_naks - then->rnr_naks);
	rox_count(qp->dev, ROX_CNT_NAK_SENT, now->naks - then->naks);
	*then = *now;
}

/* (C'), (D'): the ring is empty, and whoever posts will kick. */
static bool flush_is_over(struct rox_rq *rq)
{
	if (!rq->ring.hdr)
		return true;
	rox_ring_need_kick(&rq->ring, true);
	return !rox_ring_peek(&rq->ring, rq->ring.pos);
}

/*
 * In this state nothing is done for the peer, but it is said. Of what is there
 * now: while another CPU receives, there may be no end to it.
 */
static void discard_inbox(struct rox_qp *qp)
{
	struct sk_buff_head skbs;
	struct sk_buff *skb;

	rox_inbox_take(qp, &qp->rq.inbox, U32_MAX, &skbs);
	while ((skb = __skb_dequeue(&skbs))) {
		rox_drop_many(qp->dev, qp->qpn, rox_super_nr(skb), ROX_DROP_QP_STATE);
		kfree_skb(skb);
	}
}

/* True if there is more to flush. */
static bool flush(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;
	u32 n;

	discard_inbox(qp);
	smp_rmb(); /* pairs with rox_qp_error()'s xchg: failing is set before the state */
	if (READ_ONCE(qp->sq.failing))
		return false;	/* the send side comes here once it has told */
	for (n = 0; n < MAX_FLUSH; n++) {
		if (rq->cur_held || rox_wqe_take_recv(qp) != -ENOENT)
			rox_exec_flush_one(qp);
		else if (flush_is_over(rq))
			return false;
	}
	return true;
}

/* True if there is more to do. */
static bool turn(struct rox_qp *qp, struct rox_budget *budget)
{
	struct rox_rq *rq = &qp->rq;
	bool quiet;

	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		return flush(qp);
	if (!rq->resp.running) {
		discard_inbox(qp);
		return false;
	}
	drain_inbox(qp, &budget->in);
	quiet = send_replies(qp, &budget->out);
	rox_respond_fold_counts(qp);
	if (rq->asks_kick && !READ_ONCE(rq->sender_waits))
		rox_direct_stop_awaiting(rq);
	if (quiet && rq->resp.dead)
		rox_qp_error(qp, rq->event);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		return flush(qp);
	return (!budget->out && !quiet) ||
	       (!budget->in && !skb_queue_empty_lockless(&rq->inbox));
}

/**
 * rox_respond_run - see to the receive side
 * @qp: referenced
 *
 * Returns at once if somebody else is at it. Takes no lock, may be called with
 * any lock held that completion handlers do not take.
 * Context: process or softirq.
 */
void rox_respond_run(struct rox_qp *qp)
{
	struct rox_budget budget = ROX_QUANTUM;
	struct rox_run *run = &qp->rq.run;
	u32 rounds = 0;
	bool more;

	/* Not preempted as the owner: this may be another program's thread. */
	local_bh_disable();
	if (!rox_run_enter(run))
		goto out;
	do {
		rox_run_take_note(run);
		more = turn(qp, &budget);
		if (more || ++rounds == MAX_ROUNDS) {
			rox_run_yield(run);
			rox_respond_defer(qp);
			break;
		}
	} while (!rox_run_leave(run));
out:
	local_bh_enable();
}

/* ---- life ---- */

static void respond_work(struct work_struct *work)
{
	struct rox_qp *qp = container_of(work, struct rox_qp, rq.work);

	rox_count(qp->dev, ROX_CNT_WORKER_RUNS, 1);
	rox_respond_run(qp);
	rox_qp_put(qp);
}

static enum hrtimer_restart respond_timer(struct hrtimer *timer)
{
	rox_run_by_timer(container_of(timer, struct rox_qp, rq.timer), rox_respond_run,
			 rox_respond_defer);
	return HRTIMER_NORESTART;
}

/**
 * rox_rq_init - make a receive side whose ring and limits are set ready to run
 * @qp: new
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM; rox_rq_fini() undoes it.
 */
int rox_rq_init(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;

	rox_run_init(&rq->run);
	skb_queue_head_init(&rq->inbox);
	INIT_WORK(&rq->work, respond_work);
	hrtimer_setup(&rq->timer, respond_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);

	rox_resp_init(&rq->resp, NULL, 0);
	rq->cur = kzalloc(struct_size(rq->cur, sge, rq->max_sge), GFP_KERNEL_ACCOUNT);
	return rq->cur ? 0 : -ENOMEM;
}

/**
 * rox_rq_stop - nobody runs this side any more
 * @qp: unpublished, no verb but destroy acts on it
 *
 * Work and packets that come after this find the side owned for good.
 * Context: process, may sleep for one turn of the present owner.
 */
void rox_rq_stop(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;

	rox_run_lock(&rq->run);
	hrtimer_cancel(&rq->timer);
	if (cancel_work_sync(&rq->work))
		rox_qp_put(qp);
}

/**
 * rox_rq_fini - free what a stopped receive side holds
 * @qp: nobody else has a reference any more
 *
 * The records of READs and atomics are the caller's.
 * Context: process.
 */
void rox_rq_fini(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;

	rox_inbox_purge(qp, &rq->inbox);
	kfree(rq->cur);
}

/**
 * rox_rq_reset - forget everything that was posted and received
 * @qp: on its way to RESET
 *
 * The ring's indices go on from where they are: cons moves up to prod. The
 * records of READs and atomics are the caller's to give again.
 * Context: owner of the receive side, process.
 */
void rox_rq_reset(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;

	rox_resp_init(&rq->resp, NULL, 0);
	memset(&rq->counted, 0, sizeof(rq->counted));
	rox_super_reset(&rq->supers);
	rox_inbox_purge(qp, &rq->inbox);
	rq->cur_held = false;
	rq->event = 0;
	rq->backoff_until = 0;
	rq->backoffs = 0;
	rq->careful = 0;
	rq->asks_kick = false;
	WRITE_ONCE(rq->sender_waits, false);
	if (!rq->ring.hdr)
		return;
	rq->ring.pos += rox_ring_peek(&rq->ring, rq->ring.pos);	/* (B) */
	rox_ring_release(&rq->ring, rq->ring.pos);	/* (E) */
	rox_ring_need_kick(&rq->ring, false);
}
