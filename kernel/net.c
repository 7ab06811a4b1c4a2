// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Namespaces: sockets on port 4791, the list of devices, and the end of both. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/wait.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "compat/tunnel.h"
#include "device.h"
#include "gro.h"
#include "net.h"
#include "qp.h"

static unsigned int rox_net_id;

/*
 * One for all namespaces, so that the last link's put touches nothing of a
 * namespace that ends as soon as it has no link.
 */
static DEFINE_MUTEX(links_mutex);
static DECLARE_WAIT_QUEUE_HEAD(links_gone);

/**
 * rox_net_of - a namespace's share of rox
 * @net: held by the caller
 *
 * Context: any. Return: never NULL while the module is loaded.
 */
struct rox_net *rox_net_of(struct net *net)
{
	return net_generic(net, rox_net_id);
}

/* What it owns may be as long as the netdev takes, whatever was heard of the path. */
static void ignore_path_mtu(struct sock *sk)
{
	ip_sock_set_mtu_discover(sk, IP_PMTUDISC_INTERFACE);
	if (sk->sk_family == AF_INET6)
		inet6_sk(sk)->pmtudisc = IPV6_PMTUDISC_INTERFACE;
}

static int open_socket(struct rox_net *rnet, sa_family_t family,
		       struct socket **sock)
{
	/* No checksum is required with IPv6 either: RoCE sends none. */
	struct udp_port_cfg port = {
		.family = family,
		.local_udp_port = htons(ROCE_V2_UDP_DPORT),
		.ipv6_v6only = 1,
	};
	struct udp_tunnel_sock_cfg tunnel = {
		.sk_user_data = rnet,
		.encap_type = 1,
		.encap_rcv = rox_recv,
		.gro_receive = rox_gro_receive,
		.gro_complete = rox_gro_complete,
	};
	int err;

	err = udp_sock_create(rnet->net, &port, sock);
	if (err) {
		*sock = NULL;
		return err;
	}
	udp_allow_gso((*sock)->sk);
	ignore_path_mtu((*sock)->sk);
	rox_tunnel_setup(rnet->net, *sock, &tunnel);
	return 0;
}

/* No packet that comes from now on knows the namespace's share. */
static void disconnect_socket(struct socket *sock)
{
	if (sock)
		rcu_assign_sk_user_data(sock->sk, NULL);
}

static void close_socket(struct socket **sock)
{
	if (*sock) {
		kernel_sock_shutdown(*sock, SHUT_RDWR);
		sock_release(*sock);
	}
	*sock = NULL;
}

/*
 * What udp_tunnel_sock_release() does, with one grace period for both: an
 * expedited one, as in rox_net_del_device().
 */
static void close_sockets(struct rox_net *rnet)
{
	disconnect_socket(rnet->sock4);
	disconnect_socket(rnet->sock6);
	synchronize_rcu_expedited();
	close_socket(&rnet->sock6);
	close_socket(&rnet->sock4);
}

static int open_sockets(struct rox_net *rnet)
{
	int err;

	err = open_socket(rnet, AF_INET, &rnet->sock4);
	if (err)
		return err;
	err = open_socket(rnet, AF_INET6, &rnet->sock6);
	/* A host may have no IPv6, built or booted without. */
	if (!err || err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		return 0;
	close_sockets(rnet);
	return err;
}

/**
 * rox_net_get - a link begins: open the sockets if it is the first
 * @rnet: of a namespace that cannot end now
 *
 * Context: process, may sleep. Return: 0 or the error of binding, which is
 * -EADDRINUSE if somebody else has port 4791.
 */
int rox_net_get(struct rox_net *rnet)
{
	int err = 0;

	mutex_lock(&links_mutex);
	if (!rnet->nr_links)
		err = open_sockets(rnet);
	if (!err)
		rnet->nr_links++;
	mutex_unlock(&links_mutex);
	return err;
}

/**
 * rox_net_put - a link ended: close the sockets if it was the last
 * @rnet: may be gone when this returns
 *
 * Context: process, may sleep.
 */
void rox_net_put(struct rox_net *rnet)
{
	mutex_lock(&links_mutex);
	if (rnet->nr_links == 1)
		close_sockets(rnet);
	rnet->nr_links--;
	mutex_unlock(&links_mutex);
	wake_up_all(&links_gone);
}

/**
 * rox_net_add_device - let packets and the netdev's events find a device
 * @rnet: its namespace's share
 * @dev:  its GID table exists
 *
 * Once more is no harm. Context: process.
 */
void rox_net_add_device(struct rox_net *rnet, struct rox_device *dev)
{
	spin_lock_bh(&rnet->list_lock);
	if (list_empty(&dev->link))
		list_add_tail_rcu(&dev->link, &rnet->devices);
	spin_unlock_bh(&rnet->list_lock);
}

/**
 * rox_net_del_device - undo rox_net_add_device(), if it was done
 * @rnet: its namespace's share
 * @dev:  not found by anyone when this returns
 *
 * Context: process, waits for an RCU grace period; an expedited one, because a
 * program that polls on every CPU makes ordinary ones long.
 */
void rox_net_del_device(struct rox_net *rnet, struct rox_device *dev)
{
	bool listed;

	spin_lock_bh(&rnet->list_lock);
	listed = !list_empty(&dev->link);
	if (listed)
		list_del_rcu(&dev->link);
	spin_unlock_bh(&rnet->list_lock);
	if (listed)
		synchronize_rcu_expedited();
}

/**
 * rox_net_has_guid - is a node GUID taken in this namespace?
 * @rnet: the namespace's share
 * @guid: to be looked for
 *
 * Context: any.
 */
bool rox_net_has_guid(struct rox_net *rnet, __be64 guid)
{
	struct rox_device *dev;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &rnet->devices, link)
		found |= dev->ib.node_guid == guid;
	rcu_read_unlock();
	return found;
}

static void destination_gid(const struct sk_buff *skb, union ib_gid *gid)
{
	const struct iphdr *ip = ip_hdr(skb);

	if (ip->version == 4)
		ipv6_addr_set_v4mapped(ip->daddr, (struct in6_addr *)gid->raw);
	else
		memcpy(gid->raw, &ipv6_hdr(skb)->daddr, sizeof(gid->raw));
}

/* @ndev: whose address it is to be, or NULL for any. */
static bool device_has_gid(struct rox_device *dev, const union ib_gid *gid,
			   struct net_device *ndev)
{
	const struct ib_gid_attr *attr;

	/* Its QP1 goes first: packets for that are not to hold up a device that goes. */
	if (!rcu_access_pointer(dev->gsi))
		return false;
	/* The table may be looked at only while the device is registered. */
	if (!ib_device_try_get(&dev->ib))
		return false;
	attr = rdma_find_gid_by_port(&dev->ib, gid, IB_GID_TYPE_ROCE_UDP_ENCAP,
				     1, ndev);
	if (!IS_ERR(attr))
		rdma_put_gid_attr(attr);
	ib_device_put(&dev->ib);
	return !IS_ERR(attr);
}

/**
 * rox_net_find_device - whose QP1 a packet is for
 * @rnet: of the socket that received it
 * @skb:  network header valid
 *
 * The device that has the packet's destination address in its GID table; a
 * link-local one, which may be there on other links too, as that of the netdev
 * the packet came in by. If there are several it is the oldest, because the
 * connection manager picks the same one when a program binds to an address.
 *
 * Context: softirq, RCU read side. Return: the device or NULL.
 */
struct rox_device *rox_net_find_device(struct rox_net *rnet, const struct sk_buff *skb)
{
	struct net_device *ndev = NULL;
	struct rox_device *dev;
	union ib_gid gid;

	destination_gid(skb, &gid);
	if (ipv6_addr_type((struct in6_addr *)gid.raw) & IPV6_ADDR_LINKLOCAL) {
		ndev = dev_get_by_index_rcu(rnet->net, rox_net_ifindex(skb));
		if (!ndev)
			return NULL;
	}
	list_for_each_entry_rcu(dev, &rnet->devices, link)
		if (device_has_gid(dev, &gid, ndev))
			return dev;
	return NULL;
}

/**
 * rox_net_ingress_device - the device that a packet came in by
 * @rnet: of the socket that received it
 * @skb:  received
 *
 * Cheap, so a flood of packets that nobody wants may ask. Several devices may
 * share the netdev: the oldest.
 *
 * Context: softirq, RCU read side. Return: the device, or NULL, for instance
 * for what a program sends to an address of its own machine.
 */
struct rox_device *rox_net_ingress_device(struct rox_net *rnet, const struct sk_buff *skb)
{
	struct rox_device *dev;

	list_for_each_entry_rcu(dev, &rnet->devices, link)
		if (dev->ndev == skb->dev)
			return dev;
	return NULL;
}

/**
 * rox_net_oldest_device - of a namespace
 * @rnet: the namespace's
 *
 * Context: softirq, RCU read side. Return: the device, or NULL if there is none.
 */
struct rox_device *rox_net_oldest_device(struct rox_net *rnet)
{
	return list_first_or_null_rcu(&rnet->devices, struct rox_device, link);
}

/**
 * rox_net_takes_early - did an administrator choose the early take for a packet's link?
 * @rnet: of the socket that it is for
 * @skb:  with the netdev that it came in by
 *
 * Context: softirq, RCU read side.
 */
bool rox_net_takes_early(struct rox_net *rnet, const struct sk_buff *skb)
{
	struct rox_device *dev;

	list_for_each_entry_rcu(dev, &rnet->devices, link)
		if (dev->ndev == skb->dev && READ_ONCE(dev->early))
			return true;
	return false;
}

static int __net_init rox_net_init(struct net *net)
{
	struct rox_net *rnet = rox_net_of(net);

	rnet->net = net;
	spin_lock_init(&rnet->list_lock);
	INIT_LIST_HEAD(&rnet->devices);
	return 0;
}

/*
 * The namespace's netdevs are gone or moved elsewhere already, and each took
 * its devices with it: event.c has queued that, and no program can hold it up.
 * What may be left is to let the last of it finish.
 */
static void __net_exit rox_net_exit(struct net *net)
{
	struct rox_net *rnet = rox_net_of(net);

	wait_event(links_gone, !READ_ONCE(rnet->nr_links));
	/* The put that made it so may still be about to let go of the mutex. */
	mutex_lock(&links_mutex);
	mutex_unlock(&links_mutex);
}

static struct pernet_operations rox_net_ops = {
	.init = rox_net_init,
	.exit = rox_net_exit,
	.id = &rox_net_id,
	.size = sizeof(struct rox_net),
};

/**
 * rox_net_register - begin to know namespaces
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rox_net_register(void)
{
	return register_pernet_subsys(&rox_net_ops);
}

/**
 * rox_net_unregister - forget them; no link is left
 *
 * Context: process.
 */
void rox_net_unregister(void)
{
	unregister_pernet_subsys(&rox_net_ops);
}
