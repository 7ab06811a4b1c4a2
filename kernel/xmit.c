// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way out. A packet is built complete, IP header included, because the ICRC
 * covers that: nothing behind ip_local_out() may change a byte that is not masked.
 * So it is never fragmented and has no UDP checksum. UC and UD are charged to the
 * namespace's socket until they have left the host, so that what waits in queues is
 * known; freeing them calls nothing of this module.
 *
 * Several packets of RC pass routes, netfilter and queues as one, as a list of
 * complete packets (SKB_GSO_FRAGLIST). The stack takes it apart as late as it can:
 * before a real NIC, or not before the receiver's gro.c within a host. It numbers
 * the IP headers on from the first one's ID, and so have we for the ICRC: the ID is
 * the PSN. With DF set it may be anything (RFC 6864).
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
#include <net/route.h>
#include <net/sock.h>

#include "device.h"
#include "net.h"
#include "pktmem.h"
#include "proto/icrc.h"
#include "proto/psn.h"
#include "qp.h"
#include "recv.h"
#include "xmit.h"

/*
 * Of packets in the queues of this host, at most, by memory: some fifty, which a
 * gigabit carries away in less than the five milliseconds that fq_codel allows.
 */
#define MAX_QUEUED_BYTES	(128 << 10)

/* CRC instructions take so many bytes at a time. */
#define CRC_ALIGN	16

/* What a packet without a hop limit in its address vector gets. */
#define DEFAULT_TTL	64

static u32 ip_bytes(const struct rox_av *av)
{
	return av->ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
}

static u32 packet_bytes(const struct rox_av *av, const struct rox_pkt *hdr)
{
	return ip_bytes(av) + sizeof(struct udphdr) + rox_pkt_op(hdr)->hdr_bytes +
	       hdr->payload_bytes + hdr->pad + ROX_ICRC_BYTES;
}

struct sk_buff *rox_xmit_alloc(struct rox_device *dev, const struct rox_av *av,
			       const struct rox_pkt *hdr)
{
	u32 headers = ip_bytes(av) + sizeof(struct udphdr);
	u32 bytes = packet_bytes(av, hdr);
	struct sk_buff *skb;

	skb = rox_pktmem_alloc(bytes + CRC_ALIGN);
	if (!skb) {
		rox_drop(dev, hdr->dqpn, ROX_DROP_NO_MEMORY);
		return NULL;
	}

	/* Most of what the ICRC covers then begins where CPUs like it to. */
	skb_reserve(skb, -(headers + ROX_BTH_BYTES) & (CRC_ALIGN - 1));
	skb_put(skb, bytes);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, ip_bytes(av));
	rox_build(hdr, skb->data + headers);
	return skb;
}

static u8 *bth_of(struct sk_buff *skb)
{
	return skb_transport_header(skb) + sizeof(struct udphdr);
}

u8 *rox_xmit_payload(struct sk_buff *skb)
{
	u8 *bth = bth_of(skb);

	return bth + rox_opcodes[bth[0]].hdr_bytes;
}

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
	else
		dst_cache_set_ip4(&av->dst, dst, av->saddr4);
	return dst;
}

static void write_udp(struct sk_buff *skb, const struct rox_av *av)
{
	struct udphdr *udp = udp_hdr(skb);

	udp->source = htons(av->sport);
	udp->dest = htons(ROX_UDP_PORT);
	udp->len = htons(skb->len - skb_transport_offset(skb));
	udp->check = 0;
}

static void fill_ip4(struct iphdr *ip, const struct rox_av *av, u32 bytes)
{
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tos = av->tos;
	ip->tot_len = htons(bytes);
	ip->id = 0;
	ip->frag_off = htons(IP_DF);
	ip->ttl = av->ttl ?: DEFAULT_TTL;
	ip->protocol = IPPROTO_UDP;
	ip->check = 0;
	ip->saddr = av->saddr4;
	ip->daddr = av->daddr4;
}

static void write_ip4(struct sk_buff *skb, const struct rox_av *av, u32 psn)
{
	fill_ip4(ip_hdr(skb), av, skb->len);
	ip_hdr(skb)->id = htons((u16)psn);
	skb->protocol = htons(ETH_P_IP);
}

static void fill_ip6(struct ipv6hdr *ip, const struct rox_av *av, u32 bytes)
{
	ip6_flow_hdr(ip, av->tos, htonl(av->flow_label));
	ip->payload_len = htons(bytes - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = av->ttl ?: DEFAULT_TTL;
	ip->saddr = av->saddr6;
	ip->daddr = av->daddr6;
}

static void write_ip6(struct sk_buff *skb, const struct rox_av *av)
{
	fill_ip6(ipv6_hdr(skb), av, skb->len);
	skb->protocol = htons(ETH_P_IPV6);
}

/* Pad and ICRC, when every other byte is in its place. */
static void write_tail(struct sk_buff *skb, const struct rox_av *av, u8 pad)
{
	u8 *ip = skb_network_header(skb);
	u8 *udp = skb_transport_header(skb);
	u8 *bth = bth_of(skb);
	u8 *icrc = skb_tail_pointer(skb) - ROX_ICRC_BYTES;
	u32 crc;

	memset(icrc - pad, 0, pad);
	crc = av->ipv6 ? rox_icrc_begin_v6(ip, udp, bth) :
			 rox_icrc_begin_v4(ip, udp, bth);
	crc = rox_crc32(crc, bth + ROX_BTH_BYTES, icrc - bth - ROX_BTH_BYTES);
	rox_icrc_end(crc, icrc);
}

static struct sock *socket_of(const struct rox_device *dev, const struct rox_av *av)
{
	const struct rox_net *rnet = dev->rnet;
	struct socket *sock = av->ipv6 ? rnet->sock6 : rnet->sock4;

	return sock ? sock->sk : NULL;
}

/* What waits while too much is queued, and nothing else. */
static bool is_charged(const struct rox_pkt *hdr)
{
	return (hdr->opcode & ROX_SVC_MASK) != ROX_SVC_RC;
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

static void drop_burst(struct rox_device *dev, u32 qpn, const struct rox_burst *burst,
		       enum rox_drop why)
{
	u32 i;

	for (i = 0; i < burst->nr; i++)
		rox_drop(dev, qpn, why);
}

static void count(struct rox_device *dev, u32 qpn, const struct rox_burst *burst,
		  enum rox_xmit_result result)
{
	switch (result) {
	case ROX_XMIT_SENT:
		rox_count(dev, ROX_CNT_SENT_PKTS, burst->nr);
		rox_count(dev, ROX_CNT_SENT_BYTES, burst->bytes);
		break;
	case ROX_XMIT_CONGESTED:
		rox_count(dev, ROX_CNT_BACKOFFS, 1);
		break;
	case ROX_XMIT_LOST:
		drop_burst(dev, qpn, burst, ROX_DROP_XMIT);
		break;
	}
}

/* ---- bursts ---- */

u32 rox_qp_burst(const struct rox_qp *qp)
{
	/* Without a path MTU it has no path yet, but may have to be flushed. */
	if (qp->service != ROX_SVC_RC || !qp->pmtu || !READ_ONCE(qp->dev->bursts) ||
	    READ_ONCE(qp->av.singly) || rox_pktmem_is_short())
		return 1;
	return min_t(u32, ROX_BURST_BYTES / qp->pmtu, ROX_BURST_PKTS);
}

void rox_burst_add(struct rox_burst *burst, const struct rox_av *av,
		   struct sk_buff *skb, const struct rox_pkt *hdr)
{
	struct rox_burst one = {
		.head = skb,
		.tail = skb,
		.psn = hdr->psn,
		.nr = 1,
		.bytes = skb->len,
		.longest = skb->len,
	};

	write_udp(skb, av);
	if (av->ipv6)
		write_ip6(skb, av);
	else
		write_ip4(skb, av, hdr->psn);
	write_tail(skb, av, hdr->pad);
	rox_burst_join(burst, &one);
}

bool rox_burst_fits(const struct rox_burst *burst, const struct rox_burst *more)
{
	return !burst->nr ||
	       (rox_psn_add(burst->psn, burst->nr) == more->psn &&
		/* The first stands for the others where lengths are asked for. */
		more->longest <= burst->head->len &&
		burst->nr + more->nr <= ROX_BURST_PKTS &&
		burst->bytes + more->bytes <= ROX_BURST_MAX_BYTES);
}

void rox_burst_join(struct rox_burst *burst, struct rox_burst *more)
{
	if (!burst->nr) {
		*burst = *more;
	} else {
		burst->tail->next = more->head;
		burst->tail = more->tail;
		burst->nr += more->nr;
		burst->bytes += more->bytes;
		burst->longest = max(burst->longest, more->longest);
	}
	*more = (struct rox_burst){};
}

void rox_burst_free(struct rox_burst *burst)
{
	kfree_skb_list(burst->head);
	*burst = (struct rox_burst){};
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
 * As the stack's own aggregation has it: all but the first begin behind UDP, and the
 * lengths in the first packet's headers become those of all.
 */
static void seal_burst(const struct rox_burst *burst)
{
	struct sk_buff *head = burst->head, *skb;
	struct skb_shared_info *info = skb_shinfo(head);

	if (burst->nr == 1)
		return;
	info->gso_size = head->len - skb_transport_offset(head) - sizeof(struct udphdr);
	info->gso_segs = burst->nr;
	info->gso_type = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST;
	if (leaves_as_tunnel(skb_dst(head)))
		info->gso_type |= SKB_GSO_UDP_TUNNEL;
	info->frag_list = head->next;
	skb_mark_not_on_list(head);
	for (skb = info->frag_list; skb; skb = skb->next) {
		skb_pull(skb, skb_transport_offset(skb) + sizeof(struct udphdr));
		head->len += skb->len;
		head->data_len += skb->len;
		head->truesize += skb->truesize;
	}
	udp_hdr(head)->len = htons(head->len - skb_transport_offset(head));
	head->ip_summed = CHECKSUM_UNNECESSARY;
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

static enum rox_xmit_result local_out(struct net *net, const struct rox_av *av,
				      struct sk_buff *skb)
{
	return result_of(av->ipv6 ? ip6_local_out(net, NULL, skb) :
				    ip_local_out(net, NULL, skb));
}

/* What becomes of the first: if that leaves, the others may be lost as any. */
static enum rox_xmit_result send_each(struct net *net, const struct rox_av *av,
				      struct sk_buff *head)
{
	struct sk_buff *skb, *next, *rest = head->next;
	enum rox_xmit_result result;

	for (skb = rest; skb; skb = skb->next)
		skb_dst_set(skb, dst_clone(skb_dst(head)));
	skb_mark_not_on_list(head);
	result = local_out(net, av, head);
	if (result == ROX_XMIT_CONGESTED) {
		kfree_skb_list(rest);
		return result;
	}
	for (skb = rest; skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		local_out(net, av, skb);
	}
	return result;
}

/* A burst that has its route. */
static enum rox_xmit_result send_burst(struct rox_device *dev, struct rox_av *av,
				       const struct rox_burst *burst,
				       const struct rox_pkt *hdr)
{
	struct net *net = dev->rnet->net;
	struct sk_buff *skb = burst->head;
	struct sock *sk = socket_of(dev, av);

	if (burst->nr > 1 && !bears_bursts(skb_dst(skb))) {
		WRITE_ONCE(av->singly, true);
		return send_each(net, av, skb);
	}
	seal_burst(burst);
	if (sk && is_charged(hdr))
		skb_set_owner_w(skb, sk);
	return local_out(net, av, skb);
}

enum rox_xmit_result rox_xmit(struct rox_device *dev, struct rox_av *av,
			      struct rox_burst *burst, const struct rox_pkt *hdr)
{
	struct dst_entry *dst = route(dev->rnet->net, av);
	enum rox_xmit_result result;

	/* Which of them are too long, the route tells one by one. */
	if (dst && burst->nr > 1 && burst->longest > dst_mtu(dst)) {
		dst_release(dst);
		WRITE_ONCE(av->singly, true);
		rox_burst_free(burst);
		return ROX_XMIT_CONGESTED;
	}
	if (!dst || burst->longest > dst_mtu(dst)) {
		dst_release(dst);
		drop_burst(dev, hdr->dqpn, burst, ROX_DROP_ROUTE);
		rox_burst_free(burst);
		return ROX_XMIT_LOST;
	}
	skb_dst_set(burst->head, dst);
	result = send_burst(dev, av, burst, hdr);
	count(dev, hdr->dqpn, burst, result);
	return result;
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

void rox_xmit_grh(const struct rox_av *av, const struct rox_pkt *hdr, u8 *grh)
{
	u32 bytes = packet_bytes(av, hdr);
	struct iphdr *ip;

	if (av->ipv6) {
		fill_ip6((struct ipv6hdr *)grh, av, bytes);
		return;
	}
	ip = (struct iphdr *)(grh + ROX_GRH_BYTES - sizeof(*ip));
	memset(grh, 0, ROX_GRH_BYTES - sizeof(*ip));
	fill_ip4(ip, av, bytes);
	ip_send_check(ip);
}
