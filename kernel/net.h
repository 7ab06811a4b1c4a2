/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A network namespace's share of rox: its two UDP sockets on port 4791 and its
 * devices. The sockets are open while the namespace has a link.
 */
#ifndef ROX_NET_H
#define ROX_NET_H

#include <linux/ipv6.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <net/ip.h>
#include <net/net_namespace.h>
#include <net/sock.h>

struct rox_device;
struct sk_buff;

struct rox_net {
	struct net *net;
	u32 nr_links;			/* under the mutex of net.c, as the sockets */
	struct socket *sock4;
	struct socket *sock6;		/* NULL where there is no IPv6 */
	spinlock_t list_lock;		/* the list's writers */
	struct list_head devices;	/* struct rox_device.link, RCU; in the order made */
	u32 damaged;			/* changes when packets are dropped for their ICRC */
};

int rox_net_register(void);
void rox_net_unregister(void);

struct rox_net *rox_net_of(struct net *net);

/**
 * rox_net_of_sock - the namespace's share that a receiving socket belongs to
 * @sk: as given to rox_recv()
 *
 * Context: RCU read side, as an encap_rcv callback is. Return: NULL if the
 * socket is just being closed; the packet is to be dropped then.
 */
static inline struct rox_net *rox_net_of_sock(const struct sock *sk)
{
	return rcu_dereference_sk_user_data(sk);
}

/**
 * rox_net_ifindex - of the netdev that a packet came in by
 * @skb: received, its cb as the stack left it
 *
 * In a VRF the netdev, not its master. Of what comes from the own machine with IPv6
 * that of the address, with IPv4 lo. Context: any.
 */
static inline int rox_net_ifindex(const struct sk_buff *skb)
{
	return ip_hdr(skb)->version == 4 ? IPCB(skb)->iif : IP6CB(skb)->iif;
}

int rox_net_get(struct rox_net *rnet);
void rox_net_put(struct rox_net *rnet);

void rox_net_add_device(struct rox_net *rnet, struct rox_device *dev);
void rox_net_del_device(struct rox_net *rnet, struct rox_device *dev);
bool rox_net_has_guid(struct rox_net *rnet, __be64 guid);

struct rox_device *rox_net_find_device(struct rox_net *rnet, const struct sk_buff *skb);
struct rox_device *rox_net_ingress_device(struct rox_net *rnet, const struct sk_buff *skb);
struct rox_device *rox_net_oldest_device(struct rox_net *rnet);
bool rox_net_takes_early(struct rox_net *rnet, const struct sk_buff *skb);

#endif
