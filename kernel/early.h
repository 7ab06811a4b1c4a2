/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The early take: packets of links for which an administrator chose that are taken where
 * a NIC's driver hands them to the stack, before IP, and so netfilter, has seen them.
 */
#ifndef ROX_EARLY_H
#define ROX_EARLY_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct rox_device;
struct sk_buff;
struct sock;

/* Did anybody choose it? */
DECLARE_STATIC_KEY_FALSE(rox_early_chosen);

/**
 * rox_early_choose - should a link's packets be taken early?
 * @dev: the link's
 * @on:  that
 *
 * Of several links of a netdev it is enough if it is chosen for one. Who chose it has
 * to choose otherwise before the device goes. Context: process, may sleep.
 */
void rox_early_choose(struct rox_device *dev, bool on);

/**
 * rox_early_take - act on a packet here and now, if that was chosen
 * @sk:  of its namespace, on the port that it is for
 * @skb: data at the IP header, which is a plain one, in one piece with UDP's; for an
 *       address of this host; one packet, or a super-packet of ours
 *
 * Context: softirq, RCU read side. Return: true if @skb is consumed.
 */
bool rox_early_take(const struct sock *sk, struct sk_buff *skb);

#endif
