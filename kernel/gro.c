// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Several packets of a flow as one, a list (SKB_GSO_FRAGLIST): what xmit.c of the same
 * host sent so, or what is collected here as it comes from a NIC. Each but the first
 * still has its own headers in front of its data, which starts behind UDP; in the
 * first one's headers are the lengths of all.
 *
 * If a list turns out to be for somebody else, the stack takes it apart, and numbers
 * the IP headers upwards from the first one's ID. So only packets that are numbered
 * like that are collected, and they leave again as they came.
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/gro.h>
#include <net/ip.h>

#include "gro.h"

/* As many as the stack collects of a UDP flow. */
#define MAX_PKTS	64
/* What a length in the first one's IP header can tell. */
#define MAX_BYTES	65535

/* ---- collecting ---- */

/* Does @ip stand where number @nr of a list that begins with @first would have it? */
static bool follows4(const struct iphdr *ip, const struct iphdr *first, u16 nr)
{
	return ip->ihl == sizeof(*ip) / 4 && ip->protocol == IPPROTO_UDP &&
	       first->ihl == ip->ihl && first->tos == ip->tos &&
	       first->ttl == ip->ttl && ip->frag_off == htons(IP_DF) &&
	       first->frag_off == ip->frag_off &&
	       ntohs(ip->id) == (u16)(ntohs(first->id) + nr);
}

static bool follows6(const struct ipv6hdr *ip, const struct ipv6hdr *first)
{
	return ip->nexthdr == IPPROTO_UDP && first->nexthdr == IPPROTO_UDP &&
	       ip6_flowinfo(ip) == ip6_flowinfo(first) && ip->hop_limit == first->hop_limit;
}

static u32 ip_bytes_of(const struct sock *sk)
{
	return sk->sk_family == AF_INET ? sizeof(struct iphdr) : sizeof(struct ipv6hdr);
}

/* Addresses, ports and protocol are known to be the same. @ip: offset of IP in both. */
static bool follows(const struct sk_buff *skb, const struct sk_buff *first, int ip,
		    u32 ip_bytes)
{
	u8 room[sizeof(struct ipv6hdr) + sizeof(struct udphdr)] __aligned(4);
	const void *hdr, *first_hdr = first->data + ip;
	const struct udphdr *udp, *first_udp;

	hdr = skb_header_pointer(skb, ip, ip_bytes + sizeof(*udp), room);
	if (!hdr)
		return false;
	/* The checksum of the first one is changed when the list is complete. */
	udp = hdr + ip_bytes;
	first_udp = first_hdr + ip_bytes;
	if (udp->check || first_udp->check)
		return false;
	if (ip_bytes == sizeof(struct iphdr))
		return follows4(hdr, first_hdr, NAPI_GRO_CB(first)->count);
	return follows6(hdr, first_hdr);
}

static bool fits(const struct sk_buff *skb, const struct sk_buff *first)
{
	return !NAPI_GRO_CB(skb)->flush && skb_gro_len(skb) <= skb_shinfo(first)->gso_size &&
	       first->len + skb->len <= MAX_BYTES;
}

static void append(struct sk_buff *skb, struct sk_buff *first, int ip)
{
	if (NAPI_GRO_CB(first)->last == first)
		skb_shinfo(first)->frag_list = skb;
	else
		NAPI_GRO_CB(first)->last->next = skb;
	NAPI_GRO_CB(first)->last = skb;
	NAPI_GRO_CB(first)->count++;

	/*
	 * A socket of this host may be charged for all of them; one flow's are of
	 * one socket. The first one gives back what it is charged for by its size.
	 */
	skb->destructor = NULL;
	skb->sk = NULL;
	skb_set_network_header(skb, ip);
	skb_pull(skb, skb_gro_offset(skb));
	first->len += skb->len;
	first->data_len += skb->len;
	first->truesize += skb->truesize;
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

struct sk_buff *rox_gro_receive(struct sock *sk, struct list_head *held, struct sk_buff *skb)
{
	struct sk_buff *first = flow_of(held);
	u32 ip_bytes = ip_bytes_of(sk);
	int ip = skb_gro_offset(skb) - (int)(sizeof(struct udphdr) + ip_bytes);
	bool last;

	if (!first)
		return NULL;
	if (ip < 0 || !fits(skb, first) || !follows(skb, first, ip, ip_bytes) ||
	    !pskb_may_pull(skb, skb_gro_offset(skb)))
		return first;
	last = skb_gro_len(skb) < skb_shinfo(first)->gso_size;
	append(skb, first, ip);
	return last || NAPI_GRO_CB(first)->count >= MAX_PKTS ? first : NULL;
}

int rox_gro_complete(struct sock *sk, struct sk_buff *skb, int bth)
{
	/* Not a tunnel, as which the stack knows such sockets. */
	skb->encapsulation = 0;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST | SKB_GSO_UDP_TUNNEL;
	skb_shinfo(skb)->gso_segs = NAPI_GRO_CB(skb)->count;
	return 0;
}

/* ---- taking apart ---- */

/*
 * They were, when they were put together. If the first has other addresses now,
 * something on the way translates them, which no ICRC survives.
 */
static bool are_alike(const struct sk_buff *head, const struct sk_buff *skb)
{
	if (ip_hdr(head)->version == 4)
		return ip_hdr(skb)->version == 4 &&
		       ip_hdr(skb)->saddr == ip_hdr(head)->saddr &&
		       ip_hdr(skb)->daddr == ip_hdr(head)->daddr;
	return ip_hdr(skb)->version == 6 &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &ipv6_hdr(head)->saddr) &&
	       ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &ipv6_hdr(head)->daddr);
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

/* A packet that somebody else looks at too, or its clone. */
static struct sk_buff *own(struct sk_buff *skb)
{
	struct sk_buff *clone;

	if (!skb_shared(skb))
		return skb;
	clone = skb_clone(skb, GFP_ATOMIC);
	consume_skb(skb);
	return clone;
}

static enum rox_drop open_list(struct sk_buff *skb)
{
	struct sk_buff *last = skb, *next, *one;

	next = skb_shinfo(skb)->frag_list;
	if (next && !are_alike(skb, next))
		return ROX_DROP_ICRC;
	if (skb_unclone(skb, GFP_ATOMIC))
		return ROX_DROP_NO_MEMORY;
	/* Whoever is charged for memory is so for that of all. */
	skb_orphan(skb);

	skb_shinfo(skb)->frag_list = NULL;
	skb_gso_reset(skb);
	while ((one = next)) {
		next = one->next;
		skb->len -= one->len;
		skb->data_len -= one->len;
		skb->truesize -= one->truesize;
		one = own(one);
		if (!one)
			continue;	/* as lost on the way */
		resemble(one, skb);
		last->next = one;
		last = one;
	}
	last->next = NULL;
	write_own_lengths(skb);
	return ROX_DROP_NONE;
}

/* Bytes of several packets behind one header: the stack knows how. */
static struct sk_buff *cut(struct sock *sk, struct sk_buff *skb)
{
	struct sk_buff *first, *one;

	__skb_push(skb, -skb_mac_offset(skb));
	first = udp_rcv_segment(sk, skb, sk->sk_family == AF_INET);
	for (one = first; one; one = one->next)
		__skb_pull(one, skb_transport_offset(one));
	return first;
}

enum rox_drop rox_gro_open(struct sock *sk, struct sk_buff **skb)
{
	u32 type = skb_is_gso(*skb) ? skb_shinfo(*skb)->gso_type : 0;

	if (type & SKB_GSO_FRAGLIST)
		return open_list(*skb);
	/* It may be one that the stack cut. */
	skb_mark_not_on_list(*skb);
	if (type & SKB_GSO_UDP_L4)
		*skb = cut(sk, *skb);
	return ROX_DROP_NONE;
}
