// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Same host. Nothing about the protocol is decided here: the two machines that
 * otherwise talk by packets are handed each other's, in the sender's context.
 * A run of packets of one message is handed over as one, and its bytes move from
 * the one registered memory to the other at once. PSNs, keys, receives, errors
 * and completions are those of the wire, so a connection may change from one
 * way to the other with any packet.
 *
 * Who sends owns its own send side and the other's receive side meanwhile. It
 * never waits for the latter: if somebody is at it, the wire is there.
 */
#include <linux/percpu.h>
#include <linux/processor.h>

#include "burst.h"
#include "complete.h"
#include "copy.h"
#include "direct.h"
#include "execute.h"
#include "mr.h"
#include "qp.h"
#include "recv.h"
#include "respond.h"
#include "trace.h"
#include "wqe.h"
#include "xmit.h"

/* An owner that is about to leave is cheaper to wait for than a packet. */
#define MAX_SPINS	100
/* With infinite RNR retries: until the peer posts, and in case it never can. */
#define LONG_WAIT_NS	(100 * NSEC_PER_MSEC)

/*
 * A completion handler may post, and would nest here. The inner message takes
 * the wire. Used with BHs disabled.
 */
static DEFINE_PER_CPU(bool, in_direct);

/* ---- the other end ---- */

static bool is_peer(const struct rox_qp *qp, const struct rox_qp *peer)
{
	return peer->dev->rnet == qp->dev->rnet && peer->service == qp->service &&
	       READ_ONCE(peer->dev->direct);
}

static bool is_connected(const struct rox_qp *qp, const struct rox_qp *peer)
{
	const struct rox_av *a = &qp->av, *b = &peer->av;

	if (!peer->av_valid || peer->dqpn != qp->qpn || a->ipv6 != b->ipv6)
		return false;
	if (a->ipv6)
		return ipv6_addr_equal(&a->daddr6, &b->saddr6) &&
		       ipv6_addr_equal(&a->saddr6, &b->daddr6) &&
		       (a->ifindex == b->ifindex ||
			!(ipv6_addr_type(&a->saddr6) & IPV6_ADDR_LINKLOCAL));
	return a->daddr4 == b->saddr4 && a->saddr4 == b->daddr4;
}

/* Is what is sent next what the peer expects? Else a packet is under way to it. */
static bool is_next(const struct rox_qp *qp, const struct rox_qp *peer)
{
	return peer->rq.resp.epsn == qp->sq.req.cursor;
}

static bool enter(struct rox_run *run)
{
	int spins;

	for (spins = 0; spins < MAX_SPINS; spins++) {
		if (rox_run_enter(run))
			return true;
		cpu_relax();
	}
	return false;
}

/* Whoever else came meanwhile left a note, or a packet. */
static void leave(struct rox_qp *peer)
{
	struct rox_run *run = &peer->rq.run;

	rox_respond_fold_counts(peer);
	peer->rq.resp.run = 1;
	if (READ_ONCE(peer->state) == IB_QPS_ERR || !rox_run_leave(run)) {
		rox_run_yield(run);
		rox_respond_run(peer);
	}
	this_cpu_write(in_direct, false);
}

/* Nothing is left to do or to send of what came before. */
static bool is_at_rest(struct rox_rq *rq)
{
	struct rox_resp_pkt reply;

	return rq->resp.running && !rq->resp.dead && !rq->backoff_until &&
	       skb_queue_empty_lockless(&rq->inbox) &&
	       !rox_resp_next(&rq->resp, &reply);
}

/* Take the receive side of @peer, referenced, if it can act on a request now. */
static bool take(struct rox_qp *peer)
{
	struct rox_rq *rq = &peer->rq;

	if (!rox_recv_takes_requests(READ_ONCE(peer->state)) || !enter(&rq->run))
		return false;
	rox_run_take_note(&rq->run);
	this_cpu_write(in_direct, true);
	if (rox_recv_takes_requests(READ_ONCE(peer->state)) && is_at_rest(rq)) {
		rq->resp.run = ROX_WINDOW_PKTS;
		return true;
	}
	/* What it has to do is seen to as if we had left a note. */
	leave(peer);
	return false;
}

struct rox_qp *rox_direct_open(struct rox_qp *qp)
{
	struct rox_qp *peer;

	if (!READ_ONCE(qp->dev->direct) || this_cpu_read(in_direct) ||
	    !rox_req_is_clear(&qp->sq.req))
		return NULL;
	peer = rox_qp_get_again(qp->dqpn, &qp->sq.peer);
	if (!peer)
		return NULL;
	if (is_peer(qp, peer) && READ_ONCE(peer->dqpn) == qp->qpn &&
	    rox_xmit_is_local(qp->dev, &qp->av) && take(peer)) {
		if (is_connected(qp, peer) && is_next(qp, peer))
			return peer;
		leave(peer);
	}
	rox_qp_put(peer);
	return NULL;
}

void rox_direct_close(struct rox_qp *peer)
{
	leave(peer);
	rox_qp_put(peer);
}

/* ---- receives that are waited for ---- */

/* (C'), (D'): whoever posts kicks. True if somebody just did. */
static bool await_post(struct rox_rq *rq)
{
	if (!rq->ring.hdr)
		return false;		/* nobody can */
	rq->asks_kick = true;
	WRITE_ONCE(rq->sender_waits, true);
	rox_ring_need_kick(&rq->ring, true);
	return rox_ring_peek(&rq->ring, rq->ring.pos);
}

void rox_direct_stop_awaiting(struct rox_rq *rq)
{
	rq->asks_kick = false;
	WRITE_ONCE(rq->sender_waits, false);
	rox_ring_need_kick(&rq->ring, false);
}

static void hurry(struct rox_qp *sender)
{
	WRITE_ONCE(sender->sq.hurry, true);
	if (rox_may_run_here())
		rox_send_run(sender);
	else
		rox_send_defer(sender);
}

/* The sender of a connection of this host, with a reference. */
static struct rox_qp *get_sender(const struct rox_qp *qp)
{
	struct rox_qp *sender = rox_qp_get(READ_ONCE(qp->dqpn));

	if (!sender || (is_peer(qp, sender) && READ_ONCE(sender->dqpn) == qp->qpn))
		return sender;
	rox_qp_put(sender);
	return NULL;
}

void rox_direct_posted(struct rox_qp *qp)
{
	struct rox_rq *rq = &qp->rq;
	struct rox_qp *sender;

	/* A kick may have been for the send side: the sender would ask in vain. */
	if (!READ_ONCE(rq->sender_waits) || !rox_ring_peek(&rq->ring, READ_ONCE(rq->ring.pos)))
		return;
	if (!xchg(&rq->sender_waits, false))
		return;
	sender = get_sender(qp);
	if (sender) {
		hurry(sender);
		rox_qp_put(sender);
	} else {
		rox_respond_defer(qp);	/* which stops asking for kicks */
	}
}

/* The peer has said RNR. Its post, not the timer, is to end that. */
static void wait_for_post(struct rox_qp *qp, struct rox_qp *peer, u64 now)
{
	if (await_post(&peer->rq))
		rox_req_hurry(&qp->sq.req, now);
	else
		rox_req_rest(&qp->sq.req, now + LONG_WAIT_NS);
}

/* ---- a run of packets ---- */

/* Of a message the last one counts as the message. */
static void count(struct rox_qp *qp, const struct rox_pkt *pkt)
{
	u16 flags = rox_pkt_op(pkt)->flags;

	if ((flags & ROX_OPF_REQUEST) && (flags & ROX_OPF_LAST))
		rox_count(qp->dev, ROX_CNT_DIRECT_MSGS, 1);
	rox_count(qp->dev, ROX_CNT_DIRECT_BYTES, pkt->payload_bytes);
}

/* READ responses: from the responder's memory to the requester's list. */
static int take_reply(struct rox_qp *qp, struct rox_qp *peer,
		      const struct rox_resp_pkt *reply)
{
	const struct rox_sge sge = {
		.addr = reply->va,
		.length = reply->hdr.payload_bytes,
		.lkey = reply->rkey,
	};
	const struct rox_sgl sgl = {
		.pd = peer->pd,
		.sge = &sge,
		.num_sge = 1,
		.access = IB_ACCESS_REMOTE_READ,
	};
	const struct rox_buf src = { .sgl = &sgl };

	count(peer, &reply->hdr);
	return rox_complete_reply(qp, &reply->hdr, &src);
}

static void take_replies(struct rox_qp *qp, struct rox_qp *peer)
{
	struct rox_responder *resp = &peer->rq.resp;
	struct rox_resp_pkt reply;

	while (rox_resp_next(resp, &reply)) {
		if (take_reply(qp, peer, &reply))
			rox_respond_read_failed(peer, &reply);
		else
			rox_resp_sent(resp, &reply);
	}
}

/* As rox_respond_request(). Our own fault comes first: the peer never hears of it. */
static int hand_over(struct rox_qp *qp, struct rox_qp *peer, struct rox_request *req)
{
	struct rox_mr *held;
	int err;

	trace_rox_send(qp, &req->pkt);
	if (rox_hold_payload(&req->payload, req->pkt.payload_bytes, &held))
		return -EFAULT;
	err = rox_respond_request(peer, req);
	if (held)
		rox_mr_put(held);
	if (!err)
		count(qp, &req->pkt);
	return err;
}

void rox_direct_send(struct rox_qp *qp, struct rox_qp *peer,
		     const struct rox_req_pkt *pkt, u64 now)
{
	struct rox_requester *req = &qp->sq.req;
	struct rox_sgl sgl;
	struct rox_request request = {
		.pkt = pkt->hdr,
		.payload = rox_wr_payload(pkt->wr, qp->pd, pkt->offset, &sgl),
	};
	int err;

	err = hand_over(qp, peer, &request);
	if (err == -EFAULT) {
		rox_req_fail(req, ROX_WC_LOC_PROT_ERR);
		return;
	}
	rox_req_sent(req, pkt, now);
	take_replies(qp, peer);
	if (req->rnr_waiting)
		wait_for_post(qp, peer, now);
	else if (peer->rq.asks_kick)
		rox_direct_stop_awaiting(&peer->rq);
	if (peer->rq.resp.dead)
		rox_qp_error(peer, peer->rq.event);
}

/* ---- a datagram ---- */

static int deliver_ud(struct rox_qp *qp, struct rox_qp *peer, struct rox_av *av,
		      const struct rox_req_pkt *pkt)
{
	struct rox_sgl sgl;
	struct rox_request request = {
		.pkt = pkt->hdr,
		.payload = rox_wr_payload(pkt->wr, qp->pd, pkt->offset, &sgl),
	};
	int err = -EAGAIN;

	if (!is_peer(qp, peer) || !rox_xmit_is_local(qp->dev, av) || !take(peer))
		return -EAGAIN;
	/* With a wrong Q_Key it is dropped, and counted, as a packet. */
	if (peer->qkey == pkt->hdr.qkey) {
		rox_packet_grh(av, &pkt->hdr, request.grh);
		request.ifindex = av->ifindex;
		err = hand_over(qp, peer, &request);
		if (err && err != -EFAULT)
			err = 0;
	}
	leave(peer);
	return err;
}

int rox_direct_send_ud(struct rox_qp *qp, struct rox_av *av,
		       const struct rox_req_pkt *pkt)
{
	struct rox_qp *peer;
	int err;

	if (!READ_ONCE(qp->dev->direct) || this_cpu_read(in_direct))
		return -EAGAIN;
	peer = rox_qp_get(pkt->hdr.dqpn);
	if (!peer)
		return -EAGAIN;
	err = deliver_ud(qp, peer, av, pkt);
	rox_qp_put(peer);
	return err;
}
