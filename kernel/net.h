/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A network namespace's share of rox: its two UDP sockets on port 4791 and its
 * devices. The sockets are open while the namespace has a link.
 */
#ifndef ROX_NET_H
#define ROX_NET_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <net/net_namespace.h>

struct rox_device;
struct sk_buff;

struct rox_net {
	struct net *net;
	struct mutex lock;		/* opening, closing, the list's writers */
	u32 nr_links;
	struct socket *sock4;
	struct socket *sock6;
	struct list_head devices;	/* struct rox_device.link, RCU */
};

int rox_net_register(void);
void rox_net_unregister(void);

struct rox_net *rox_net_of(struct net *net);

/**
 * rox_net_get - a link begins: open the sockets if it is the first
 * @extack: gets a message that says what holds port 4791
 *
 * Context: process, may sleep. Return: 0 or the error of binding.
 */
int rox_net_get(struct rox_net *rnet, struct netlink_ext_ack *extack);

/* A link ended: close the sockets if it was the last. May sleep. */
void rox_net_put(struct rox_net *rnet);

void rox_net_add_device(struct rox_net *rnet, struct rox_device *dev);
void rox_net_del_device(struct rox_net *rnet, struct rox_device *dev);

/**
 * rox_net_find_device - whose QP1 a packet is for
 * @skb: received, network header valid
 *
 * The device that has the packet's destination address in its GID table.
 * Context: softirq, RCU read side. Return: the device or NULL.
 */
struct rox_device *rox_net_find_device(struct rox_net *rnet, const struct sk_buff *skb);

#endif
