/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets between recv.c and the owner of a side. While one waits in an inbox
 * its data starts at the BTH and ends with the ICRC; the IP header still is
 * in front of it. No pointer is kept in it.
 */
#ifndef ROX_RECV_H
#define ROX_RECV_H

#include <linux/sizes.h>
#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>

#include "proto/pkt.h"

struct rox_device;
struct rox_qp;

/**
 * rox_recv_read - parse a packet and check that the QP may act on it
 * @qp:  by its owner of the side that the packet is for
 * @skb: from the inbox
 * @pkt: result
 *
 * Checks what needs the QP's attributes to hold still: state, peer's address,
 * partition and Q_Key. Context: owner of a side.
 * Return: ROX_DROP_NONE, or why it may not.
 */
enum rox_drop rox_recv_read(const struct rox_qp *qp, const struct sk_buff *skb,
			    struct rox_pkt *pkt);

/*
 * Inboxes. All of a device's together hold so many bytes, and some more for each CPU:
 * nobody pays for them, and an owner may be kept off its CPU for long. What is more
 * is dropped.
 */
#define ROX_INBOXES_BYTES	SZ_32M

/**
 * rox_inbox_put - leave a packet to the owner of a side
 * @qp:    the QP
 * @inbox: one of its two
 * @skb:   consumed if it got in
 *
 * Context: any. Return: false if there is no room.
 */
bool rox_inbox_put(const struct rox_qp *qp, struct sk_buff_head *inbox,
		   struct sk_buff *skb);

/**
 * rox_inbox_take - the oldest packet
 * @qp:    the QP
 * @inbox: one of its two
 *
 * Context: any. Return: the packet, the caller's now, or NULL.
 */
struct sk_buff *rox_inbox_take(const struct rox_qp *qp, struct sk_buff_head *inbox);

/**
 * rox_inbox_purge - free all packets
 * @qp:    the QP
 * @inbox: one of its two
 *
 * Context: any but hard interrupts.
 */
void rox_inbox_purge(const struct rox_qp *qp, struct sk_buff_head *inbox);

/* May a QP in @state act on requests? */
bool rox_recv_takes_requests(enum ib_qp_state state);

/**
 * rox_drop - count and trace a packet that is not acted on
 * @dev: whose counter, or NULL if no device is concerned
 * @qpn: it was for
 * @why: not ROX_DROP_NONE
 *
 * The one place that knows about drops; frees nothing. Context: any.
 */
void rox_drop(const struct rox_device *dev, u32 qpn, enum rox_drop why);

#endif
