// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way out: routes, and what leaves by them. UC and UD are charged to the
 * namespace's socket until they have left the host, so that what waits in queues is
 * known; freeing them calls nothing of this module.
 *
 * Several packets pass routes, netfilter and queues as one; see burst.h. The stack
 * takes it apart as late as it can: before a real NIC, or not before the receiver within
 * a host.
 */

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/route.h>
#include <net/sock.h>

#include "burst.h"
#include "device.h"
#include "net.h"
#include "proto/psn.h"
#include "qp.h"
#include "recv.h"
#include "super.h"
#include "xmit.h"

/*
 * Of packets in the queues of this host, at most, by memory: some fifty, which a
 * gigabit carries away in less than the five milliseconds that fq_codel allows.
 */
#define MAX_QUEUED_BYTES	(128 << 10)

/* Does a route leave by the interface that the source GID is on, or by one
 * stacked above or below it?
 */
static bool leaves_by(struct net *net, const struct dst_entry *dst, int ifindex)
{
	struct net_device *out = dst_dev_rcu(dst);
	struct net_device *ndev;

	if (out->ifindex == ifindex)
		return true;
	ndev = dev_get_by_index_rcu(net, ifindex);
	return ndev && (netdev_has_upper_dev_all_rcu(ndev, out) ||
			netdev_has_upper_dev_all_rcu(out, ndev));
}

static struct dst_entry *lookup4(struct net *net, const struct rox_av *av, int oif)
{
	struct flowi4 fl4;
	struct rtable *rt;

	flowi4_init_output(&fl4, oif, 0, av->tos & ~INET_ECN_MASK,
			   RT_SCOPE_UNIVERSE, IPPROTO_UDP, 0, av->daddr4,
			   av->saddr4, htons(ROX_UDP_PORT), htons(av->sport),
			   sock_net_uid(net, NULL));
	rt = ip_route_output_key(net, &fl4);
	return IS_ERR(rt) ? NULL : &rt->dst;
}

static struct dst_entry *lookup6(struct net *net, const struct rox_av *av, int oif)
{
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.flowi6_uid = sock_net_uid(net, NULL),
		.daddr = av->daddr6,
		.saddr = av->saddr6,
		.flowlabel = ip6_make_flowinfo(av->tos, htonl(av->flow_label)),
		.fl6_dport = htons(ROX_UDP_PORT),
		.fl6_sport = htons(av->sport),
	};
	struct dst_entry *dst = ip6_dst_lookup_flow(net, NULL, &fl6, NULL);

	return IS_ERR(dst) ? NULL : dst;
}

static bool is_local(const struct rox_av *av, const struct dst_entry *dst)
{
	if (av->ipv6)
		return container_of(dst, struct rt6_info, dst)->rt6i_flags & RTF_LOCAL;
	return container_of(dst, struct rtable, dst)->rt_flags & RTCF_LOCAL;
}

static bool needs_oif(const struct rox_av *av)
{
	return av->ipv6 && (ipv6_addr_type(&av->daddr6) & IPV6_ADDR_LINKLOCAL);
}

/* A route whatever the interface comes first: only that one may be local. */
static struct dst_entry *lookup(struct net *net, const struct rox_av *av)
{
	struct dst_entry *(*by)(struct net *net, const struct rox_av *av, int oif) =
		av->ipv6 ? lookup6 : lookup4;
	struct dst_entry *dst;

	if (!needs_oif(av)) {
		dst = by(net, av, 0);
		if (dst && (is_local(av, dst) || leaves_by(net, dst, av->ifindex)))
			return dst;
		dst_release(dst);
	}
	return by(net, av, av->ifindex);
}

/*
 * IPv4 has one route for all who go the same way, but for groups, where each has its own:
 * that is kept for nobody, as nobody is charged for it.
 */
static bool is_shared(const struct dst_entry *dst)
{
	u16 type = container_of(dst, struct rtable, dst)->rt_type;

	return type != RTN_MULTICAST && type != RTN_BROADCAST;
}

/* A route with a reference, or NULL. */
static struct dst_entry *route(struct net *net, struct rox_av *av)
{
	struct dst_entry *dst = dst_cache_get(&av->dst);

	if (dst)
		return dst;

	WRITE_ONCE(av->singly, false);
	rcu_read_lock();
	dst = lookup(net, av);
	rcu_read_unlock();
	if (!dst)
		return NULL;
	if (av->ipv6)
		dst_cache_set_ip6(&av->dst, dst, &av->saddr6);
	else if (is_shared(dst))
		dst_cache_set_ip4(&av->dst, dst, av->saddr4);
	return dst;
}

static struct sock *socket_of(const struct rox_device *dev, const struct rox_av *av)
{
	const struct rox_net *rnet = dev->rnet;
	struct socket *sock = av->ipv6 ? rnet->sock6 : rnet->sock4;

	return sock ? sock->sk : NULL;
}

static const struct rt6_info *route6(const struct dst_entry *dst)
{
	return container_of(dst, const struct rt6_info, dst);
}

/* Was the route made for what somebody on the network told of it, by ICMP? */
static bool is_hearsay(const struct rox_av *av, const struct dst_entry *dst)
{
	if (dst_xfrm(dst))
		return false;
	if (av->ipv6)
		return route6(dst)->rt6i_flags & RTF_CACHE;
	return container_of(dst, struct rtable, dst)->rt_pmtu;
}

/* Bytes of IPv6 that the operator allows on a route made by hearsay, 0 for any. RCU read side. */
static u32 configured6(const struct rt6_info *rt)
{
	const struct fib6_info *from = rcu_dereference(rt->from);
	const struct inet6_dev *idev = READ_ONCE(rt->rt6i_idev);	/* IPv6 may be off */

	if (from && from->fib6_pmtu)
		return from->fib6_pmtu;
	return idev ? READ_ONCE(idev->cnf.mtu6) : 0;
}

/* What the route bore if nobody had told anything. */
static u32 configured_mtu(const struct rox_av *av, const struct dst_entry *dst)
{
	u32 mtu, set;

	rcu_read_lock();
	mtu = min(READ_ONCE(dst_dev_rcu(dst)->mtu), IP_MAX_MTU);
	set = av->ipv6 ? configured6(route6(dst)) : dst_metric_raw(dst, RTAX_MTU);
	rcu_read_unlock();
	if (set)
		mtu = min(mtu, set);
	return mtu - lwtunnel_headroom(dst->lwtstate, mtu);
}

/*
 * Does the route bear @bytes? That the path does not, a card is not told. Neither are we:
 * IP believes everybody who says so of any UDP port, and keeps it for ten minutes.
 */
static bool bears(const struct rox_av *av, const struct dst_entry *dst, u32 bytes,
		  bool *despite)
{
	*despite = bytes > dst_mtu(dst);
	return !*despite || (is_hearsay(av, dst) && bytes <= configured_mtu(av, dst));
}

/*
 * What waits while too much is queued is charged. Else a packet has an owner only if it is
 * sent despite what was told: the socket is not one that asks how much the path bears.
 * A list is not charged: kernels that take it apart return less than was taken.
 */
static void own(const struct rox_device *dev, const struct rox_av *av,
		const struct rox_burst *burst, const struct rox_pkt *hdr,
		struct sk_buff *skb)
{
	struct sock *sk = socket_of(dev, av);

	if (!sk)
		return;
	if ((hdr->opcode & ROX_SVC_MASK) != ROX_SVC_RC) {
		skb_set_owner_w(skb, sk);
	} else if (burst->despite) {
		sock_hold(sk);
		skb->sk = sk;
		skb->destructor = sock_efree;
	}
}

static enum rox_xmit_result result_of(int err)
{
	if (err == NET_XMIT_DROP)
		return ROX_XMIT_CONGESTED;
	/* CN: some packet of the queue was dropped, perhaps not this one. */
	if (err == 0 || err == NET_XMIT_CN)
		return ROX_XMIT_SENT;
	return ROX_XMIT_LOST;
}

static void count(struct rox_device *dev, u32 qpn, u32 nr, u32 bytes,
		  enum rox_xmit_result result)
{
	switch (result) {
	case ROX_XMIT_SENT:
		rox_count(dev, ROX_CNT_SENT_PKTS, nr);
		rox_count(dev, ROX_CNT_SENT_BYTES, bytes);
		break;
	case ROX_XMIT_CONGESTED:
		rox_count(dev, ROX_CNT_BACKOFFS, 1);
		break;
	case ROX_XMIT_LOST:
		rox_drop_many(dev, qpn, nr, ROX_DROP_XMIT);
		break;
	}
}

/*
 * UDP hands a list over whole to a socket like ours only if it is said to be of a
 * tunnel. A device that cannot have it so would take it apart.
 */
static bool leaves_as_tunnel(const struct dst_entry *dst)
{
	bool can;

	rcu_read_lock();
	can = dst_dev_rcu(dst)->features & NETIF_F_GSO_UDP_TUNNEL;
	rcu_read_unlock();
	return can;
}

/*
 * Does the stack take lists apart as they are, by this route? Transformations write
 * between the headers, and headers in front of them need room in each packet.
 */
static bool bears_bursts(const struct dst_entry *dst)
{
	bool fits;

	rcu_read_lock();
	fits = LL_RESERVED_SPACE(dst_dev_rcu(dst)) + dst->header_len <= MAX_HEADER;
	rcu_read_unlock();
	return fits && !dst_xfrm(dst) && !dst->lwtstate;
}

/*
 * IPv6 asks the packet for its socket. IPv4 is told of one only where that is needed, as
 * filters of the control group that the socket was made in apply then.
 */
static enum rox_xmit_result local_out(struct net *net, const struct rox_av *av,
				      const struct rox_burst *burst, struct sk_buff *skb)
{
	if (av->ipv6)
		return result_of(ip6_local_out(net, NULL, skb));
	return result_of(ip_local_out(net, burst->despite ? skb->sk : NULL, skb));
}

/*
 * Buffer by buffer. The first that is refused, and all behind it, do not leave:
 * burst->psn is theirs.
 */
static enum rox_xmit_result send_each(struct rox_device *dev, const struct rox_av *av,
				      struct rox_burst *burst, const struct rox_pkt *hdr,
				      struct dst_entry *dst)
{
	u32 front = skb_transport_offset(burst->head) + sizeof(struct udphdr);
	enum rox_xmit_result result = ROX_XMIT_SENT;
	u32 nr, bytes, psn = burst->psn;
	struct sk_buff *skb;

	while (result != ROX_XMIT_CONGESTED && (skb = rox_burst_pop(burst))) {
		nr = rox_psn_sub(burst->psn, psn);
		bytes = skb->len + (nr - 1) * front;
		skb_dst_set(skb, dst_clone(dst));
		own(dev, av, burst, hdr, skb);
		result = local_out(dev->rnet->net, av, burst, skb);
		count(dev, hdr->dqpn, nr, bytes, result);
		if (result != ROX_XMIT_CONGESTED)
			psn = burst->psn;
	}
	dst_release(dst);
	rox_burst_free(burst);
	burst->psn = psn;
	return result;
}

/* All of it as one; consumes @dst. */
static enum rox_xmit_result send_one(struct rox_device *dev, const struct rox_av *av,
				     const struct rox_burst *burst,
				     const struct rox_pkt *hdr, struct dst_entry *dst)
{
	struct sk_buff *skb = burst->head;
	enum rox_xmit_result result;

	if (burst->nr > 1)
		rox_burst_seal_list(burst, leaves_as_tunnel(dst));
	skb_dst_set(skb, dst);
	own(dev, av, burst, hdr, skb);
	result = local_out(dev->rnet->net, av, burst, skb);
	count(dev, hdr->dqpn, burst->nr, burst->bytes, result);
	return result;
}

enum rox_xmit_result rox_xmit(struct rox_device *dev, struct rox_av *av,
			      struct rox_burst *burst, const struct rox_pkt *hdr)
{
	struct dst_entry *dst = route(dev->rnet->net, av);
	bool fits = dst && bears(av, dst, burst->longest, &burst->despite);
	u32 psn = burst->psn;

	/* Which of them are too long, the route tells one by one. */
	if (dst && !fits && burst->nr > 1) {
		dst_release(dst);
		WRITE_ONCE(av->singly, true);
		rox_burst_free(burst);
		burst->psn = psn;
		return ROX_XMIT_CONGESTED;
	}
	if (!fits) {
		dst_release(dst);
		rox_drop_many(dev, hdr->dqpn, burst->nr, ROX_DROP_ROUTE);
		rox_burst_free(burst);
		return ROX_XMIT_LOST;
	}
	if (burst->nr > 1 && !bears_bursts(dst))
		WRITE_ONCE(av->singly, true);
	else if (!burst->has_super && !burst->has_bare)
		return send_one(dev, av, burst, hdr, dst);
	return send_each(dev, av, burst, hdr, dst);
}

/*
 * Devices that no wire is on have a list of buffers as one, and so they have these. To
 * make packets of a super-packet, their bytes would be copied.
 */
#define SUPER_FEATURES	(NETIF_F_FRAGLIST | NETIF_F_GSO_FRAGLIST | NETIF_F_HW_CSUM | \
			 NETIF_F_GSO_UDP_L4 | NETIF_F_GSO_UDP_TUNNEL)

static bool takes_super(struct rox_device *dev, struct rox_av *av)
{
	struct dst_entry *dst = route(dev->rnet->net, av);
	bool takes;

	if (!dst)
		return false;
	rcu_read_lock();
	takes = (dst_dev_rcu(dst)->features & SUPER_FEATURES) == SUPER_FEATURES &&
		READ_ONCE(dst_dev_rcu(dst)->gso_max_size) > ROX_BURST_MAX_BYTES;
	rcu_read_unlock();
	takes = takes && bears_bursts(dst);
	dst_release(dst);
	return takes;
}

/* Numbers say enough: to be wrong costs time only. */
static bool is_peer(const struct rox_qp *qp, const struct rox_qp *peer)
{
	return qp->service == ROX_SVC_UD ? peer->service == ROX_SVC_UD :
					   READ_ONCE(peer->dqpn) == qp->qpn;
}

/* Of RC only is it said what became of it. */
static u32 trusted(struct rox_qp *qp, bool request, const struct rox_qp *peer)
{
	const struct rox_req_counts *c = &qp->sq.req.counts;
	u32 damaged;

	if (qp->service != ROX_SVC_RC)
		return 0;
	rcu_read_lock();
	damaged = READ_ONCE(peer->dev->rnet->damaged);
	rcu_read_unlock();
	if (request)
		return rox_super_trusted(&qp->sq.supers, c->retransmits + c->timeouts +
					 c->seq_naks, damaged, &peer->rq.supers);
	return rox_super_trusted(&qp->rq.supers, qp->rq.resp.counts.duplicates, damaged,
				 &peer->sq.supers);
}

void rox_xmit_plan(struct rox_qp *qp, struct rox_av *av, u32 dqpn, bool request,
		   struct rox_burst *burst)
{
	struct rox_qp *peer;

	burst->planned = true;
	if (READ_ONCE(qp->dev->bursts) != ROX_BURSTS_ON || !takes_super(qp->dev, av))
		return;
	peer = rox_qp_get(dqpn);
	if (!peer)
		return;
	burst->may_super = is_peer(qp, peer);
	if (burst->may_super)
		burst->trusted = trusted(qp, request, peer);
	rox_qp_put(peer);
}

bool rox_xmit_is_clogged(struct rox_device *dev, const struct rox_av *av)
{
	const struct sock *sk = socket_of(dev, av);

	return sk && sk_wmem_alloc_get(sk) > MAX_QUEUED_BYTES;
}

bool rox_xmit_is_local(struct rox_device *dev, struct rox_av *av)
{
	struct dst_entry *dst = route(dev->rnet->net, av);
	bool local = dst && is_local(av, dst);

	dst_release(dst);
	return local;
}
