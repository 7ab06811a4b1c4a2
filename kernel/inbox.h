/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Received packets that wait for the owner of a side. Their data starts at the BTH
 * and ends with the ICRC; the IP header still is in front of it. A super-packet is
 * its first one; see super.h.
 *
 * All of a device's inboxes together hold ROX_INBOXES_BYTES, and some more for each
 * CPU: nobody pays for them, and an owner may be kept off its CPU for long. What is
 * more is dropped, but where there is no owner: it does not stay there.
 */
#ifndef ROX_INBOX_H
#define ROX_INBOX_H

#include <linux/sizes.h>
#include <linux/skbuff.h>

struct rox_qp;
struct rox_run;

#define ROX_INBOXES_BYTES	SZ_32M

/**
 * rox_inboxes_are_full - is there as much as a device's inboxes may hold?
 * @qp: of the device
 *
 * Context: any.
 */
bool rox_inboxes_are_full(const struct rox_qp *qp);

/**
 * rox_inbox_put - leave packets to the owner of a side
 * @qp:    the QP
 * @run:   one of its sides, which the caller runs next
 * @inbox: the same side's
 * @skbs:  moved, the first ones first; what there is no room for stays
 *
 * Context: any but hard interrupts.
 */
void rox_inbox_put(const struct rox_qp *qp, const struct rox_run *run,
		   struct sk_buff_head *inbox, struct sk_buff_head *skbs);

/**
 * rox_inbox_take - the oldest packets
 * @qp:    the QP
 * @inbox: one of its two
 * @nr:    at most so many, but for the rest of a super-packet
 * @skbs:  result, new: the caller's now, without a lock
 *
 * Context: any but hard interrupts; one at a time for an inbox.
 * Return: how many packets of @nr those are, super-packets taken apart.
 */
u32 rox_inbox_take(const struct rox_qp *qp, struct sk_buff_head *inbox, u32 nr,
		   struct sk_buff_head *skbs);

/**
 * rox_inbox_purge - free all packets
 * @qp:    the QP
 * @inbox: one of its two
 *
 * Context: as rox_inbox_take().
 */
void rox_inbox_purge(const struct rox_qp *qp, struct sk_buff_head *inbox);

#endif
