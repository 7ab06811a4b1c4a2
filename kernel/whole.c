// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Same host, a message as a whole: what two machines would agree on packet by packet,
 * if it is a SEND or a WRITE, short, with nothing before it under way, and nothing is
 * wrong with it. While something may still be in its way neither machine has changed,
 * though the receive it needs may be held, and some of its bytes written. Once it is
 * done both are told. In any other case it goes as direct.c has it, and comes to what
 * stood in its way again: what happens then is decided in one place.
 */
#include "copy.h"
#include "direct.h"
#include "execute.h"
#include "mr.h"
#include "qp.h"
#include "respond.h"
#include "trace.h"
#include "wqe.h"

/* Copied with bottom halves disabled. */
#define MOST_BYTES	(4 * ROX_QUANTUM_BYTES)

/*
 * Is a receive there, and large enough? It stays held if it is not, as it does when
 * packets find that out. A WRITE takes one when it is allowed.
 */
static bool hold_recv(struct rox_qp *peer, const struct rox_resp_op *op)
{
	struct rox_rq *rq = &peer->rq;

	if (op->kind == ROX_RESP_WRITE &&
	    rox_check_key(peer->pd, op->rkey, op->va, op->len, IB_ACCESS_REMOTE_WRITE))
		return false;
	if (!rq->cur_held && rox_wqe_take_recv(peer))
		return false;
	if (rq->cur->malformed)
		return false;
	return op->kind == ROX_RESP_WRITE || op->msg_bytes <= rq->cur->bytes;
}

static bool place(struct rox_qp *peer, const struct rox_resp_op *op,
		  const struct rox_buf *from)
{
	struct rox_sgl sgl = { .pd = peer->pd, .sge = peer->rq.cur->sge };

	if (op->completes && !hold_recv(peer, op))
		return false;
	if (op->kind == ROX_RESP_WRITE)
		return !rox_copy_to_key(peer->pd, op->rkey, op->va, from, op->len);
	sgl.num_sge = peer->rq.cur->num_sge;
	return !rox_copy_to_sgl(&sgl, 0, from, op->msg_bytes);
}

static bool move(struct rox_qp *qp, struct rox_qp *peer, const struct rox_wr *wr,
		 const struct rox_resp_op *op)
{
	struct rox_sgl sgl;
	struct rox_buf from = rox_wr_payload(wr, qp->pd, 0, &sgl);
	struct rox_mr *held;
	bool moved;

	/* Our own fault comes first: the peer never hears of it. */
	if (rox_hold_payload(&from, wr->length, &held))
		return false;
	moved = place(peer, op, &from);
	if (held)
		rox_mr_put(held);
	return moved;
}

static void conclude(struct rox_qp *qp, const struct rox_exec *ex, struct rox_wr *wr)
{
	const struct rox_pkt *pkt = &ex->req->pkt;
	struct rox_qp *peer = ex->qp;

	trace_rox_send(qp, pkt);
	trace_rox_respond(peer, pkt);
	rox_respond_established(peer);
	rox_resp_commit(&peer->rq.resp, pkt, ex->op, 0);
	rox_req_whole_done(&qp->sq.req, wr, pkt);
	if (peer->rq.asks_kick)
		rox_direct_stop_awaiting(&peer->rq);
	rox_count(qp->dev, ROX_CNT_DIRECT_MSGS, 1);
	rox_count(qp->dev, ROX_CNT_DIRECT_BYTES, pkt->payload_bytes);
	if (ex->op->completes)
		rox_exec_complete(ex);
}

int rox_whole_send(struct rox_qp *qp, struct rox_qp *peer)
{
	struct rox_request req;
	struct rox_wr *wr = rox_req_whole(&qp->sq.req, &req.pkt);
	struct rox_resp_op op;
	struct rox_exec ex = { .qp = peer, .req = &req, .op = &op };

	if (!wr || wr->length > MOST_BYTES)
		return -EAGAIN;
	req.pkt.dqpn = qp->dqpn;
	if (!rox_resp_whole(&peer->rq.resp, &req.pkt, &op) || !move(qp, peer, wr, &op))
		return -EAGAIN;
	conclude(qp, &ex, wr);
	return (int)req.pkt.payload_bytes;
}
