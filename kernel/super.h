/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Super-packets: what follows on UDP's header is several packets from BTH to ICRC, one
 * behind the other in one piece of memory, all of the first one's length but the last,
 * which may be shorter (SKB_GSO_UDP_L4).
 *
 * The stack makes packets of it by what it knows of UDP, if it has to. Within a host it
 * need not, and the receiver takes them out of the buffer one by one: the buffer's data
 * and length are those of one packet, and move on to the next.
 */
#ifndef ROX_SUPER_H
#define ROX_SUPER_H

#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ip.h>

#include "copy.h"
#include "proto/pkt.h"
#include "qp.h"

/**
 * rox_super_seal - the lengths and the checksum of a super-packet that leaves
 * @skb: IP header first; its gso_size and gso_segs tell of the packets
 *
 * Context: any.
 */
void rox_super_seal(struct sk_buff *skb);

/**
 * rox_super_is_ours - was it sent as it is by rox on this host?
 * @skb: received, its headers behind IP's may or may not be there
 *
 * Then nothing can have damaged it: it never left this machine's memory, and its bytes
 * are where the sender put them. As for CHECKSUM_PARTIAL, nobody computes again what
 * protects them on a wire. Context: any.
 */
bool rox_super_is_ours(const struct sk_buff *skb);

/* What the stack remembers of a packet, and we behind that. */
struct rox_super_cb {
	union {
		struct inet_skb_parm h4;
		struct inet6_skb_parm h6;
	};
	u16 unit;	/* bytes of a packet but the last; 0: it is one */
};

static inline struct rox_super_cb *rox_super_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct rox_super_cb) > sizeof(skb->cb));
	return (struct rox_super_cb *)skb->cb;
}

/* It is a packet as any, for all that is known yet. */
static inline void rox_super_none(struct sk_buff *skb)
{
	rox_super_cb(skb)->unit = 0;
}

/* If it is one, @skb becomes its first packet. Data is behind UDP. */
static inline void rox_super_first(struct sk_buff *skb)
{
	if (!skb_is_gso(skb) || !rox_super_is_ours(skb))
		return;
	rox_super_cb(skb)->unit = skb_shinfo(skb)->gso_size;
	skb->len = skb_shinfo(skb)->gso_size;
}

/* @skb becomes its next packet. False if there is none. */
static inline bool rox_super_next(struct sk_buff *skb)
{
	u32 unit = rox_super_cb(skb)->unit, left;

	if (!unit)
		return false;
	skb->data += skb->len;
	left = skb_tail_pointer(skb) - skb->data;
	skb->len = min(left, unit);
	return left;
}

static inline bool rox_super_is_one(const struct sk_buff *skb)
{
	return rox_super_cb(skb)->unit;
}

/* From the present packet on. */
static inline u32 rox_super_bytes(const struct sk_buff *skb)
{
	return rox_super_is_one(skb) ? skb_tail_pointer(skb) - skb->data : skb->len;
}

static inline u32 rox_super_nr(const struct sk_buff *skb)
{
	return rox_super_is_one(skb) ?
	       DIV_ROUND_UP(rox_super_bytes(skb), rox_super_cb(skb)->unit) : 1;
}

/**
 * rox_super_payload - a packet's payload, together with those that go on where it ends
 * @skb:     its present packet; becomes the last of those
 * @merge:   more than one packet may be
 * @pmtu:    bytes of a full one
 * @pkt:     of the first, parsed; a run then
 * @payload: result
 *
 * Context: as for rox_super_next().
 */
void rox_super_payload(struct sk_buff *skb, bool merge, u32 pmtu, struct rox_pkt *pkt,
		       struct rox_buf *payload);

/**
 * rox_super_fix_ip - the IP header that a packet of a super-packet would have had
 * @skb: its present packet
 * @ip:  a copy of the super-packet's header
 *
 * Context: any.
 */
void rox_super_fix_ip(const struct sk_buff *skb, u8 *ip);

/**
 * rox_super_note - one was received, and is not one of those behind a gap
 * @supers: of the side that it is for
 * @bytes:  its length
 *
 * Context: owner of the side.
 */
void rox_super_note(struct rox_supers *supers, u32 bytes);

/* Neither side has sent or received any. Context: owner of the side. */
void rox_super_reset(struct rox_supers *supers);

/**
 * rox_super_trusted - up to which length do super-packets arrive whole?
 * @ours:   of the side that sends
 * @losses: something that changes whenever packets may have been lost
 * @damaged: something that changes whenever the peer's namespace drops damaged ones
 * @peers:  of the side that receives them, in this module; may be in use
 *
 * Those need no ICRC; see rox_trust().
 * Context: owner of the side that sends. Return: bytes; 0: not even short ones.
 */
u32 rox_super_trusted(struct rox_supers *ours, u32 losses, u32 damaged,
		      const struct rox_supers *peers);

#endif
