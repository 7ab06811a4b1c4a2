// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Super-packets: what makes one of a buffer, and what is believed of one; see super.h. */
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ip6_checksum.h>
#include <net/udp.h>

#include "pktmem.h"
#include "proto/segment.h"
#include "proto/wire.h"
#include "super.h"

/*
 * UDP hands it over whole to a socket like ours only as a tunnel's. As a list it goes to
 * no NIC: those that know of tunnels might look for the inner headers.
 */
#define SUPER_TYPE	(SKB_GSO_UDP_L4 | SKB_GSO_UDP_TUNNEL | SKB_GSO_FRAGLIST)

/* Of the addresses, which the stack or a NIC completes if it has to make packets. */
static __sum16 pseudo_checksum(const struct sk_buff *skb, u32 bytes)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	const struct iphdr *ip = ip_hdr(skb);

	return ip->version == 4 ? ~udp_v4_check(bytes, ip->saddr, ip->daddr, 0) :
				  ~udp_v6_check(bytes, &ip6->saddr, &ip6->daddr, 0);
}

void rox_super_seal(struct sk_buff *skb)
{
	struct skb_shared_info *info = skb_shinfo(skb);
	u32 bytes = skb->len - skb_transport_offset(skb);

	info->gso_type = SUPER_TYPE;
	udp_hdr(skb)->len = htons(bytes);
	/* Packets that the stack makes have one, then. The ICRC does not cover it. */
	udp_hdr(skb)->check = pseudo_checksum(skb, bytes);
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb_transport_header(skb) - skb->head;
	skb->csum_offset = offsetof(struct udphdr, check);
}

bool rox_super_is_ours(const struct sk_buff *skb)
{
	const struct skb_shared_info *info = skb_shinfo(skb);

	return info->gso_type == SUPER_TYPE &&
	       skb->ip_summed == CHECKSUM_PARTIAL && !skb->encapsulation &&
	       !skb_is_nonlinear(skb) && rox_pktmem_is_ours(skb) &&
	       info->gso_size >= ROX_BTH_BYTES + ROX_ICRC_BYTES &&
	       skb->len > info->gso_size;
}

/* Bytes of the packet behind the present one. */
static u32 next_bytes(const struct sk_buff *skb)
{
	u32 left = rox_super_bytes(skb) - skb->len;

	return min_t(u32, left, rox_super_cb(skb)->unit);
}

void rox_super_payload(struct sk_buff *skb, bool merge, u32 pmtu, struct rox_pkt *pkt,
		       struct rox_buf *payload)
{
	const u8 *first = skb->data + pkt->hdr_bytes;

	if (!rox_super_is_one(skb)) {
		*payload = (struct rox_buf){ .skb = skb, .offset = pkt->hdr_bytes };
		return;
	}
	while (merge && pkt->payload_bytes == pkt->run * pmtu &&
	       rox_merge(pkt, pmtu, skb->data + skb->len, next_bytes(skb)))
		rox_super_next(skb);
	*payload = (struct rox_buf){
		.chunks = first,
		.chunk_bytes = pkt->run > 1 ? pmtu : ROX_MAX_PAYLOAD_BYTES,
		.gap_bytes = ROX_ICRC_BYTES + ROX_BTH_BYTES,
	};
}

void rox_super_fix_ip(const struct sk_buff *skb, u8 *ip)
{
	u32 bytes = sizeof(struct udphdr) + skb->len, nr;
	struct ipv6hdr *ip6 = (struct ipv6hdr *)ip;
	struct iphdr *ip4 = (struct iphdr *)ip;

	if (ip4->version == 6) {
		ip6->payload_len = htons(bytes);
		return;
	}
	nr = (skb->data - skb_transport_header(skb)) / rox_super_cb(skb)->unit;
	ip4->tot_len = htons(sizeof(*ip4) + bytes);
	ip4->id = htons(ntohs(ip4->id) + nr);
	ip_send_check(ip4);
}

void rox_super_note(struct rox_supers *supers, u32 bytes)
{
	if (bytes < supers->longest)
		return;
	WRITE_ONCE(supers->longest, bytes);
	WRITE_ONCE(supers->received, supers->received + 1);
}

void rox_super_reset(struct rox_supers *supers)
{
	WRITE_ONCE(supers->longest, 0);
	WRITE_ONCE(supers->received, 0);
	supers->trust = (struct rox_trust){};
}

u32 rox_super_trusted(struct rox_supers *ours, u32 losses, u32 damaged,
		      const struct rox_supers *peers)
{
	return rox_trust(&ours->trust, losses, damaged, READ_ONCE(peers->received)) ?
	       READ_ONCE(peers->longest) : 0;
}
