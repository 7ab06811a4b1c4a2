/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packets that the stack hands over as one. */
#ifndef ROX_GRO_H
#define ROX_GRO_H

#include <linux/skbuff.h>

#include "proto/opcode.h"

struct list_head;
struct sock;

/**
 * rox_gro_receive - a NIC's packet, on its way into the stack
 * @sk:   of this namespace, on the port that the packet is for
 * @held: packets that wait for others of their flows
 * @skb:  its GRO offset is at the BTH
 *
 * Context: NAPI, RCU read side. Return: one of @held that is to wait no longer, or
 * NULL; @skb may be part of it now. -EINPROGRESS if it was taken off the stack's hands.
 */
struct sk_buff *rox_gro_receive(struct sock *sk, struct list_head *held,
				struct sk_buff *skb);

/**
 * rox_gro_complete - a list goes on into the stack
 * @sk:  as above
 * @skb: the first packet
 * @bth: offset of its BTH
 *
 * Context: as above. Return: 0.
 */
int rox_gro_complete(struct sock *sk, struct sk_buff *skb, int bth);

/**
 * rox_gro_open - make single packets of what came in as one
 * @sk:  of this namespace
 * @skb: data at the UDP header, which is in one piece of memory; consumed
 *
 * Context: softirq. Return: the first packet, all others linked behind it by next,
 * their data at the UDP header too; or a super-packet of ours as it is; NULL if they
 * are lost, which UDP has counted.
 */
struct sk_buff *rox_gro_open(struct sock *sk, struct sk_buff *skb);

#endif
