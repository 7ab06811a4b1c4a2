// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets are built complete, IP header included, because the ICRC covers that: nothing
 * behind ip_local_out() may change a byte that is not masked. So they are never
 * fragmented, and single ones have no UDP checksum.
 *
 * Several pass routes, netfilter and queues as one. The stack takes that apart as
 * late as it can, if it has to, and numbers the IP headers on from the first one's ID;
 * so have we for the ICRC: the ID is the PSN. With DF set it may be anything (RFC 6864).
 */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "burst.h"
#include "pktmem.h"
#include "proto/icrc.h"
#include "proto/psn.h"
#include "proto/segment.h"
#include "qp.h"
#include "recv.h"
#include "super.h"

/* CRC instructions take so many bytes at a time. */
#define CRC_ALIGN	16

/* What a packet without a hop limit in its address vector gets. */
#define DEFAULT_TTL	64

/* ---- headers ---- */

static u32 ip_bytes(const struct rox_av *av)
{
	return av->ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
}

/* Of what is in front of the BTH. */
static u32 front_bytes(const struct rox_av *av)
{
	return ip_bytes(av) + sizeof(struct udphdr);
}

/* From the BTH to the ICRC. */
static u32 ib_bytes(const struct rox_pkt *hdr)
{
	return rox_pkt_op(hdr)->hdr_bytes + hdr->payload_bytes + hdr->pad + ROX_ICRC_BYTES;
}

static void fill_udp(struct udphdr *udp, const struct rox_av *av, u32 bytes)
{
	udp->source = htons(av->sport);
	udp->dest = htons(ROX_UDP_PORT);
	udp->len = htons(bytes);
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

static void fill_ip6(struct ipv6hdr *ip, const struct rox_av *av, u32 bytes)
{
	ip6_flow_hdr(ip, av->tos, htonl(av->flow_label));
	ip->payload_len = htons(bytes - sizeof(*ip));
	ip->nexthdr = IPPROTO_UDP;
	ip->hop_limit = av->ttl ?: DEFAULT_TTL;
	ip->saddr = av->saddr6;
	ip->daddr = av->daddr6;
}

/* All that is in front of the BTH, of a packet of @bytes altogether. */
static void write_front(u8 *front, const struct rox_av *av, u32 psn, u32 bytes)
{
	if (av->ipv6) {
		fill_ip6((struct ipv6hdr *)front, av, bytes);
	} else {
		fill_ip4((struct iphdr *)front, av, bytes);
		((struct iphdr *)front)->id = htons((u16)psn);
	}
	fill_udp((struct udphdr *)(front + ip_bytes(av)), av, bytes - ip_bytes(av));
}

/* When every other byte is in its place. */
static void write_icrc(const u8 *front, u32 ip_bytes, const u8 *bth, u8 *icrc)
{
	const u8 *udp = front + ip_bytes;
	u32 crc;

	crc = ip_bytes == sizeof(struct iphdr) ? rox_icrc_begin_v4(front, udp, bth) :
						 rox_icrc_begin_v6(front, udp, bth);
	crc = rox_crc32(crc, bth + ROX_BTH_BYTES, icrc - bth - ROX_BTH_BYTES);
	rox_icrc_end(crc, icrc);
}

void rox_packet_grh(const struct rox_av *av, const struct rox_pkt *hdr, u8 *grh)
{
	u32 bytes = front_bytes(av) + ib_bytes(hdr);
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

/* ---- packets ---- */

u32 rox_qp_burst(const struct rox_qp *qp)
{
	/* Without a path MTU it has no path yet, but may have to be flushed. */
	if (qp->service != ROX_SVC_RC || !qp->pmtu || !READ_ONCE(qp->dev->bursts) ||
	    READ_ONCE(qp->av.singly) || rox_pktmem_is_short())
		return 1;
	return rox_burst_most(qp->pmtu);
}

/*
 * Of a run's, what has more headers than the others is the first of a super-packet: there
 * is at most one more of its length.
 */
static u32 alike(const struct rox_burst *burst, const struct rox_pkt *hdr, u32 left)
{
	return rox_pkt_op(hdr)->hdr_bytes > ROX_BTH_BYTES && !burst->messages ? min(left, 2U) :
										left;
}

/* A buffer for @burst->room packets like @hdr, of which one is begun. */
static struct sk_buff *begin_skb(struct rox_burst *burst, const struct rox_av *av,
				 const struct rox_pkt *hdr)
{
	u32 front = front_bytes(av), bytes = ib_bytes(hdr);
	struct sk_buff *skb = NULL;

	if (burst->room > 1)
		skb = rox_pktmem_alloc_many(front + CRC_ALIGN, bytes, &burst->room);
	if (!skb) {
		skb = rox_pktmem_alloc(front + CRC_ALIGN + bytes);
		burst->room = 1;
	}
	if (!skb)
		return NULL;

	/* Most of what the ICRC covers then begins where CPUs like it to. */
	skb_reserve(skb, -(front + ROX_BTH_BYTES) & (CRC_ALIGN - 1));
	skb_put(skb, front + bytes);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, ip_bytes(av));
	skb->protocol = htons(av->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	return skb;
}

void rox_burst_expect(struct rox_burst *burst, const struct rox_pkt *run, u32 pmtu)
{
	struct rox_pkt last;

	rox_split(run, pmtu, run->run - 1, &last);
	burst->last = ib_bytes(&last);
}

void rox_burst_expect_alike(struct rox_burst *burst, const struct rox_pkt *hdr)
{
	burst->messages = true;
	burst->last = ib_bytes(hdr);
}

bool rox_burst_awaits(const struct rox_burst *burst, const struct rox_pkt *hdr)
{
	return burst->messages && burst->room && hdr->run == 1 &&
	       burst->nr < ROX_BURST_PKTS &&
	       ib_bytes(hdr) == burst->unit &&
	       rox_psn_add(burst->psn, burst->nr) == hdr->psn;
}

/* How long the super-packet will be that begins with @bytes; for ever if it will be none. */
static u32 super_bytes(const struct rox_burst *burst, u32 bytes, u32 left)
{
	u32 nr = burst->room;

	if (nr < left)
		return nr > 1 ? nr * bytes : U32_MAX;
	/* With the last one of the run, if that has not more headers. */
	if (burst->last <= bytes)
		return nr > 1 ? (nr - 1) * bytes + burst->last : U32_MAX;
	return nr > 2 ? (nr - 1) * bytes : U32_MAX;
}

u8 *rox_burst_begin(struct rox_burst *burst, struct rox_device *dev,
		    const struct rox_av *av, const struct rox_pkt *hdr, u32 left)
{
	u32 bytes = ib_bytes(hdr);

	burst->begun = NULL;
	if (burst->room && bytes <= burst->unit) {
		burst->bth = skb_put(burst->tail, bytes);
	} else {
		burst->room = burst->may_super ? alike(burst, hdr, left) : 1;
		burst->begun = begin_skb(burst, av, hdr);
		if (!burst->begun) {
			rox_drop(dev, hdr->dqpn, ROX_DROP_NO_MEMORY);
			return NULL;
		}
		burst->bth = burst->begun->data + front_bytes(av);
		burst->bare = super_bytes(burst, bytes, left) <= burst->trusted;
		burst->has_bare |= burst->bare;
	}
	rox_build(hdr, burst->bth);
	return burst->bth + rox_pkt_op(hdr)->hdr_bytes;
}

static void append(struct rox_burst *burst, struct sk_buff *skb, u32 bytes)
{
	if (burst->head)
		burst->tail->next = skb;
	else
		burst->head = skb;
	burst->tail = skb;
	burst->unit = bytes;
}

/* The packet is part of the last buffer, which until the second was a packet as any. */
static void count_super(struct rox_burst *burst, u32 bytes)
{
	struct skb_shared_info *info = skb_shinfo(burst->tail);

	burst->has_super = true;
	info->gso_size = burst->unit;
	info->gso_segs = max_t(u16, info->gso_segs, 1) + 1;
	/* Only the last one may be shorter. */
	if (bytes < burst->unit)
		burst->room = 1;
}

void rox_burst_add(struct rox_burst *burst, const struct rox_av *av,
		   const struct rox_pkt *hdr)
{
	u32 bytes = ib_bytes(hdr), all = front_bytes(av) + bytes;
	u8 *icrc = burst->bth + bytes - ROX_ICRC_BYTES;
	u8 room[sizeof(struct ipv6hdr) + sizeof(struct udphdr)] __aligned(4);
	u8 *front = burst->begun ? burst->begun->data : room;

	if (burst->begun || !burst->bare)
		write_front(front, av, hdr->psn, all);
	memset(icrc - hdr->pad, 0, hdr->pad);
	if (burst->bare)
		memset(icrc, 0, ROX_ICRC_BYTES);
	else
		write_icrc(front, ip_bytes(av), burst->bth, icrc);
	if (burst->begun)
		append(burst, burst->begun, bytes);
	else
		count_super(burst, bytes);
	burst->begun = NULL;
	burst->room--;

	if (!burst->nr) {
		burst->psn = hdr->psn;
		burst->first = all;
	}
	burst->nr++;
	burst->bytes += all;
	burst->longest = max(burst->longest, all);
}

void rox_burst_undo(struct rox_burst *burst, const struct rox_pkt *hdr)
{
	if (burst->begun)
		kfree_skb(burst->begun);
	else
		skb_trim(burst->tail, burst->tail->len - ib_bytes(hdr));
	burst->begun = NULL;
	burst->room = 0;
}

/* ---- bursts ---- */

bool rox_burst_fits(const struct rox_burst *burst, const struct rox_burst *more)
{
	return !burst->nr ||
	       (rox_psn_add(burst->psn, burst->nr) == more->psn &&
		burst->may_super == more->may_super &&
		burst->has_bare == more->has_bare &&
		/* The first stands for the others where lengths are asked for. */
		more->longest <= burst->first &&
		burst->nr + more->nr <= ROX_BURST_PKTS &&
		burst->bytes + more->bytes <= ROX_BURST_MAX_BYTES);
}

void rox_burst_join(struct rox_burst *burst, struct rox_burst *more)
{
	if (!more->nr)
		return;
	if (!burst->nr) {
		*burst = *more;
	} else {
		burst->tail->next = more->head;
		burst->tail = more->tail;
		burst->nr += more->nr;
		burst->bytes += more->bytes;
		burst->longest = max(burst->longest, more->longest);
		burst->has_super |= more->has_super;
		burst->planned |= more->planned;
		burst->messages = more->messages;
		burst->unit = more->unit;
		burst->room = more->room;
		burst->bare = more->bare;
	}
	*more = (struct rox_burst){};
}

void rox_burst_free(struct rox_burst *burst)
{
	kfree_skb(burst->begun);
	kfree_skb_list(burst->head);
	*burst = (struct rox_burst){};
}

/* It has become no super-packet after all. */
static void add_icrc(struct sk_buff *skb)
{
	write_icrc(skb->data, skb_transport_offset(skb),
		   skb_transport_header(skb) + sizeof(struct udphdr),
		   skb_tail_pointer(skb) - ROX_ICRC_BYTES);
}

struct sk_buff *rox_burst_pop(struct rox_burst *burst)
{
	struct sk_buff *skb = burst->head;
	u32 nr;

	if (!skb)
		return NULL;
	burst->head = skb->next;
	skb_mark_not_on_list(skb);
	nr = max_t(u32, skb_shinfo(skb)->gso_segs, 1);
	if (nr > 1)
		rox_super_seal(skb);
	else if (burst->has_bare)
		add_icrc(skb);
	burst->nr -= nr;
	burst->psn = rox_psn_add(burst->psn, nr);
	return skb;
}

/*
 * All but the first begin behind UDP, and the lengths in the first packet's headers
 * become those of all.
 */
void rox_burst_seal_list(const struct rox_burst *burst, bool tunnel)
{
	struct sk_buff *head = burst->head, *skb;
	struct skb_shared_info *info = skb_shinfo(head);

	info->gso_size = head->len - skb_transport_offset(head) - sizeof(struct udphdr);
	info->gso_segs = burst->nr;
	info->gso_type = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST;
	if (tunnel)
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
