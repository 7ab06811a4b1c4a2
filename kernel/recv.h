/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What recv.c tells the owner of a side about a packet from its inbox. */
#ifndef ROX_RECV_H
#define ROX_RECV_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

#include "proto/pkt.h"

struct rox_device;
struct rox_net;
struct rox_qp;

/**
 * rox_recv_read - parse a packet and check that the QP may act on it
 * @qp:  by its owner of the side that the packet is for
 * @skb: from the inbox
 * @request: of the receive side's
 * @pkt: result
 *
 * Checks what needs the QP's attributes to hold still: state, peer's address,
 * partition and Q_Key; of packets that came in one, also whose they are.
 * Context: owner of a side.
 * Return: ROX_DROP_NONE, or why it may not.
 */
enum rox_drop rox_recv_read(const struct rox_qp *qp, const struct sk_buff *skb,
			    bool request, struct rox_pkt *pkt);

/* May a QP in @state act on requests? */
static inline bool rox_recv_takes_requests(enum ib_qp_state state)
{
	return state == IB_QPS_RTR || state == IB_QPS_RTS || state == IB_QPS_SQD ||
	       state == IB_QPS_SQE;
}

/**
 * rox_drop - count and trace a packet that is not acted on
 * @dev: whose counter, or NULL if no device is concerned
 * @qpn: it was for
 * @why: not ROX_DROP_NONE
 *
 * The one place that knows about drops; frees nothing. Context: any.
 */
void rox_drop(const struct rox_device *dev, u32 qpn, enum rox_drop why);

/* The same for @nr packets. */
void rox_drop_many(const struct rox_device *dev, u32 qpn, u32 nr, enum rox_drop why);

/**
 * rox_recv_early - a packet was taken early
 * @rnet: its namespace's share
 * @skb:  as for rox_recv(), one packet or a super-packet of ours; consumed
 *
 * Context: softirq, RCU read side.
 */
void rox_recv_early(struct rox_net *rnet, struct sk_buff *skb);

#endif
