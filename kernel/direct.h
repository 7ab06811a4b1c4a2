/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Both QPs are of this host: what one sends, the other is given. */
#ifndef ROX_DIRECT_H
#define ROX_DIRECT_H

#include "proto/requester.h"

struct rox_av;
struct rox_qp;
struct rox_rq;

/**
 * rox_direct_open - take the receive side of a connection's other end
 * @qp: RC or UC
 *
 * NULL if what @qp sends next has to go over the wire: the peer is not of this
 * host and namespace, somebody else is at its receive side, a packet is under
 * way to it, or the link says so.
 *
 * Context: owner of the send side, BHs disabled.
 * Return: the peer, for rox_direct_close(); or NULL.
 */
struct rox_qp *rox_direct_open(struct rox_qp *qp);
void rox_direct_close(struct rox_qp *peer);

/**
 * rox_direct_send - hand a planned run of packets to the peer, and take its reply
 * @qp:   the sender
 * @peer: from rox_direct_open()
 * @pkt:  from rox_req_next()
 * @now:  time
 *
 * Does what rox_req_sent() or rox_req_fail() and rox_req_rx() are for.
 * Context: as for rox_direct_open().
 */
void rox_direct_send(struct rox_qp *qp, struct rox_qp *peer,
		     const struct rox_req_pkt *pkt, u64 now);

/**
 * rox_whole_send - hand the next message to the peer as a whole (whole.c)
 * @qp:   the sender
 * @peer: from rox_direct_open()
 *
 * Context: as for rox_direct_open().
 * Return: its bytes; or -EAGAIN: neither machine has changed, and rox_req_next()
 * knows what to do. A receive may be held then, and some of the bytes written.
 */
int rox_whole_send(struct rox_qp *qp, struct rox_qp *peer);

/**
 * rox_direct_send_ud - hand a datagram to a QP of this host
 * @qp:  the sender
 * @av:  where it goes
 * @pkt: from rox_req_next()
 *
 * Context: owner of the send side, BHs disabled, RCU read side.
 * Return: 0: delivered, or lost as on the wire; -EAGAIN: has to go over the
 * wire; -EFAULT: the payload cannot be read.
 */
int rox_direct_send_ud(struct rox_qp *qp, struct rox_av *av,
		       const struct rox_req_pkt *pkt);

/* The peer's wait is over: posts need no kick. Context: owner of the receive side. */
void rox_direct_stop_awaiting(struct rox_rq *rq);

/**
 * rox_direct_posted - receives were posted to a QP
 * @qp: referenced, or owned by its creator
 *
 * If its peer waits for that, it goes on now, in the caller or by the worker.
 * Context: any.
 */
void rox_direct_posted(struct rox_qp *qp);

#endif
