// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several packets of a flow as one, a list (SKB_GSO_FRAGLIST): what xmit.c of the same
 * host sent so, or what is collected here as it comes from a NIC. Each but the first
 * still has its own headers in front of its data, which starts behind UDP; in the
 * first one's headers are the lengths of all.
 *
 * Collected is only what is for an address of this host: what the stack does to a list
 * that it forwards, it does to the first packet. Even so it may go on, by a rule of
 * netfilter for example. Then the stack takes it apart, and numbers the IP headers
 * upwards from the first one's ID; so only packets that are numbered like that are
 * collected.
 */
#include <linux/err.h>
#include <linux/if_vlan.h>
#include <linux/inetdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/addrconf.h>
#include <net/gro.h>
#include <net/ip.h>
#include <net/route.h>

#include "early.h"
#include "gro.h"
#include "super.h"

/* As many as the stack collects of a UDP flow. */
#define MAX_PKTS	64
/* What a length in the first one's IP header can tell. */
#define MAX_BYTES	65535

/* ---- collecting ---- */

static u32 ip_bytes_of(const struct sock *sk)
{
	return sk->sk_family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* Headers as rox sends them, in memory or in @room, where nothing comes before IP. */
struct headers {
	const struct iphdr *ip4;	/* either */
	const struct ipv6hdr *ip6;
	const struct udphdr *udp;
	u8 opcode;
	u8 room[sizeof(struct ipv6hdr) + sizeof(struct udphdr) + 1] __aligned(4);
};

static bool read_headers(const struct sock *sk, const struct sk_buff *skb,
			 struct headers *h)
{
	u32 ip_bytes = ip_bytes_of(sk);
	u32 bytes = ip_bytes + sizeof(struct udphdr);
	const void *at;

	if (skb_gro_offset(skb) != bytes)
		return false;
	at = skb_header_pointer(skb, 0, bytes + sizeof(h->opcode), h->room);
	if (!at)
		return false;
	h->ip4 = at;
	h->ip6 = at;
	h->udp = at + ip_bytes;
	h->opcode = *(const u8 *)(at + bytes);
	return true;
}

static bool is_plain(const struct sock *sk, const struct sk_buff *skb,
		     const struct headers *h)
{
	u32 bytes = skb_gro_len(skb) + sizeof(*h->udp);

	/* The checksum of a list's first packet would be changed. */
	if (h->udp->check || ntohs(h->udp->len) != bytes)
		return false;
	if (sk->sk_family == AF_INET)
		return h->ip4->ihl == sizeof(*h->ip4) / 4 &&
		       h->ip4->protocol == IPPROTO_UDP &&
		       h->ip4->frag_off == htons(IP_DF) &&
		       ntohs(h->ip4->tot_len) == sizeof(*h->ip4) + bytes;
	return h->ip6->version == 6 && h->ip6->nexthdr == IPPROTO_UDP &&
	       ntohs(h->ip6->payload_len) == bytes;
}

/*
 * Pages that a program may still write to would have to be copied; the stack does
 * that for the first packet only.
 */
static bool may_collect(const struct sock *sk, struct sk_buff *skb, struct headers *h)
{
	return !NAPI_GRO_CB(skb)->flush && skb->pkt_type == PACKET_HOST &&
	       !skb_zcopy(skb) && read_headers(sk, skb, h) && is_plain(sk, skb, h);
}

static bool is_local(const struct sock *sk, const struct sk_buff *skb,
		     const struct headers *h)
{
	struct net *net = dev_net(skb->dev);

	if (sk->sk_family == AF_INET)
		return inet_addr_type(net, h->ip4->daddr) == RTN_LOCAL;
#if IS_ENABLED(CONFIG_IPV6)
	return ipv6_chk_addr(net, &h->ip6->daddr, skb->dev, 0);
#else
	return false;
#endif
}

/*
 * What is somebody else's too, a bridge's or a VLAN's, goes the stack's way, and so do
 * pages that a program may still write to.
 */
static bool is_ours_alone(struct sk_buff *skb)
{
	return skb->pkt_type == PACKET_HOST && !skb_vlan_tag_present(skb) &&
	       !rcu_access_pointer(skb->dev->rx_handler) && !skb_zcopy(skb);
}

/* True if @skb is consumed. */
static bool take(struct sock *sk, struct sk_buff *skb)
{
	bool whole = skb_is_gso(skb) || skb_has_frag_list(skb);
	struct headers h;

	return is_ours_alone(skb) && read_headers(sk, skb, &h) &&
	       (whole ? rox_super_is_ours(skb) : is_plain(sk, skb, &h)) &&
	       is_local(sk, skb, &h) && pskb_may_pull(skb, skb_gro_offset(skb)) &&
	       rox_early_take(sk, skb);
}

/*
 * Nothing waits behind the end of a message. So what a NIC pads, a message of no
 * bytes, finds none waiting, which 7.3 would let it overtake.
 */
static bool goes_on(const struct headers *h)
{
	return rox_opcodes[h->opcode].flags & ROX_OPF_FULL;
}

/* Addresses, ports and protocol are known to be the same. */
static bool follows(const struct sock *sk, const struct headers *h,
		    const struct sk_buff *first)
{
	const struct ipv6hdr *ip6 = (const struct ipv6hdr *)first->data;
	const struct iphdr *ip4 = (const struct iphdr *)first->data;

	if (sk->sk_family == AF_INET)
		return h->ip4->tos == ip4->tos && h->ip4->ttl == ip4->ttl &&
		       ntohs(h->ip4->id) == (u16)(ntohs(ip4->id) + NAPI_GRO_CB(first)->count);
	return ip6_flowinfo(h->ip6) == ip6_flowinfo(ip6) &&
	       h->ip6->hop_limit == ip6->hop_limit;
}

static bool fits(const struct sk_buff *skb, const struct sk_buff *first)
{
	return skb->ip_summed == first->ip_summed &&
	       skb->csum_level == first->csum_level &&
	       skb_gro_len(skb) <= skb_shinfo(first)->gso_size &&
	       first->len + skb->len <= MAX_BYTES;
}

static void append(struct sk_buff *skb, struct sk_buff *first)
{
	if (NAPI_GRO_CB(first)->last == first)
		skb_shinfo(first)->frag_list = skb;
	else
		NAPI_GRO_CB(first)->last->next = skb;
	NAPI_GRO_CB(first)->last = skb;
	NAPI_GRO_CB(first)->count++;

	/*
	 * A socket of this host may be charged for all of them, the same, or the stack
	 * would not have called them one flow. The first one gives back what it is
	 * charged for by its size.
	 */
	skb->destructor = NULL;
	skb->sk = NULL;
	skb_set_network_header(skb, 0);
	skb_pull(skb, skb_gro_offset(skb));
	first->len += skb->len;
	first->data_len += skb->len;
	first->truesize += skb->truesize;
	skb_shinfo(first)->flags |= skb_shinfo(skb)->flags & SKBFL_SHARED_FRAG;
	NAPI_GRO_CB(skb)->same_flow = 1;
}

static struct sk_buff *flow_of(struct list_head *held)
{
	struct sk_buff *first;

	list_for_each_entry(first, held, list)
		if (NAPI_GRO_CB(first)->same_flow)
			return first;
	return NULL;
}

/* Does @skb become part of the list? */
static bool join(const struct sock *sk, struct sk_buff *skb, struct sk_buff *first,
		 const struct headers *h)
{
	if (!fits(skb, first) || !follows(sk, h, first) ||
	    !pskb_may_pull(skb, skb_gro_offset(skb)))
		return false;
	append(skb, first);
	return true;
}

struct sk_buff *rox_gro_receive(struct sock *sk, struct list_head *held, struct sk_buff *skb)
{
	struct sk_buff *first = flow_of(held);
	u32 bytes = skb_gro_len(skb);
	struct headers h;
	bool may;

	/* It would overtake those that wait. */
	if (static_branch_unlikely(&rox_early_chosen) && !first && take(sk, skb))
		return ERR_PTR(-EINPROGRESS);
	may = may_collect(sk, skb, &h);
	if (may && first && join(sk, skb, first, &h)) {
		if (goes_on(&h) && bytes == skb_shinfo(first)->gso_size &&
		    NAPI_GRO_CB(first)->count < MAX_PKTS)
			return NULL;
		return first;
	}
	/* It begins a list, or does not wait. */
	if (!may || !goes_on(&h) || !is_local(sk, skb, &h))
		NAPI_GRO_CB(skb)->flush = 1;
	return first;
}

int rox_gro_complete(struct sock *sk, struct sk_buff *skb, int bth)
{
	/* Not a tunnel, as which the stack knows such sockets. */
	skb->encapsulation = 0;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST | SKB_GSO_UDP_TUNNEL;
	skb_shinfo(skb)->gso_segs = NAPI_GRO_CB(skb)->count;
	/* That was a sum of the first packet's bytes. */
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;
	return 0;
}

/* ---- taking apart ---- */

static __be32 ports_of(const u8 *udp)
{
	return *(const __be32 *)udp;
}

/* @head's data is at UDP, @skb's behind it. */
static bool is_alike(const struct sk_buff *head, const struct sk_buff *skb)
{
	if (ports_of(head->data) != ports_of(skb->data - sizeof(struct udphdr)))
		return false;
	if (ip_hdr(head)->version == 4)
		return ip_hdr(skb)->version == 4 &&
		       ip_hdr(skb)->saddr == ip_hdr(head)->saddr &&
		       ip_hdr(skb)->daddr == ip_hdr(head)->daddr;
	return ip_hdr(skb)->version == 6 &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &ipv6_hdr(head)->saddr) &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &ipv6_hdr(head)->daddr);
}

/*
 * Is it as it was put together, and nobody else's too? Something on the way may have
 * moved bytes from one packet to another, or may translate the first one's addresses.
 */
static bool is_untouched(const struct sk_buff *head)
{
	const struct skb_shared_info *info = skb_shinfo(head);
	const struct sk_buff *skb;

	if (!(info->gso_type & SKB_GSO_FRAGLIST) || !(info->gso_type & SKB_GSO_UDP_L4) ||
	    info->gso_type & SKB_GSO_DODGY || head->encapsulation || skb_cloned(head) ||
	    skb_pagelen(head) - sizeof(struct udphdr) != info->gso_size)
		return false;
	for (skb = info->frag_list; skb; skb = skb->next)
		if (skb_shared(skb) || !is_alike(head, skb))
			return false;
	return info->frag_list;
}

static void write_own_lengths(struct sk_buff *skb)
{
	u8 *ip = skb_network_header(skb);

	((struct udphdr *)skb->data)->len = htons(skb->len);
	if (ip_hdr(skb)->version == 4) {
		ip_hdr(skb)->tot_len = htons(skb->data + skb->len - ip);
		ip_send_check(ip_hdr(skb));
	} else {
		ipv6_hdr(skb)->payload_len =
			htons(skb->data + skb->len - ip - sizeof(struct ipv6hdr));
	}
}

/* What the stack found out about the first is true for all. */
static void resemble(struct sk_buff *skb, const struct sk_buff *head)
{
	skb->dev = head->dev;
	skb->skb_iif = head->skb_iif;
	memcpy(skb->cb, head->cb, sizeof(skb->cb));
	__skb_push(skb, sizeof(struct udphdr));
}

static void open_list(struct sk_buff *head)
{
	struct sk_buff *skb;

	/* Whoever is charged for memory is so for that of all. */
	skb_orphan(head);
	head->next = skb_shinfo(head)->frag_list;
	skb_shinfo(head)->frag_list = NULL;
	skb_gso_reset(head);
	for (skb = head->next; skb; skb = skb->next) {
		head->len -= skb->len;
		head->data_len -= skb->len;
		head->truesize -= skb->truesize;
		resemble(skb, head);
	}
	write_own_lengths(head);
}

/* What the stack knows how to, and counts if it cannot. */
static struct sk_buff *cut(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *first, *one;

	__skb_push(skb, -skb_mac_offset(skb));
	first = udp_rcv_segment(sk, skb, sk->sk_family == AF_INET);
	for (one = first; one; one = one->next)
		__skb_pull(one, skb_transport_offset(one));
	return first;
}

struct sk_buff *rox_gro_open(struct sock *sk, struct sk_buff *skb)
{
	/* It may be one that the stack cut. */
	skb_mark_not_on_list(skb);
	if (!skb_is_gso(skb) || rox_super_is_ours(skb) ||
	    !(skb_shinfo(skb)->gso_type & (SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST)))
		return skb;
	if (!is_untouched(skb))
		return cut(sk, skb);
	open_list(skb);
	return skb;
}
