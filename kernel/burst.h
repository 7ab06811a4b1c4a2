/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Complete packets, and those of RC that leave together: one behind the other in one
 * buffer, a super-packet, if the other end takes it as that, or else as a list.
 */
#ifndef ROX_BURST_H
#define ROX_BURST_H

#include <linux/skbuff.h>

#include "av.h"
#include "proto/pkt.h"

struct rox_device;

/* {} is none. Of UC and UD, only short messages that are alike leave together. */
struct rox_burst {
	struct sk_buff *head;	/* packets and super-packets, linked by their next */
	struct sk_buff *tail;
	u32 psn;		/* of the first; the others follow on it */
	u32 end;		/* PSN after all that it asks for; the requester's */
	u32 nr;			/* packets */
	u32 bytes;
	u32 first;		/* bytes of the first packet */
	u32 longest;		/* of any */
	bool planned;		/* rox_xmit_plan() was asked */
	bool may_super;		/* there may be super-packets, as that said */
	u32 trusted;		/* bytes of those that need no ICRC, at most */
	u32 last;		/* of the last packet that is expected, from BTH to ICRC */
	bool messages;		/* of short messages, each one like the others */
	bool has_super;
	bool has_bare;		/* some have none */
	bool despite;		/* longer than the route says that its path bears */
	/* Between rox_burst_begin() and rox_burst_add(): */
	struct sk_buff *begun;	/* not in the list yet; NULL: part of @tail */
	u8 *bth;
	/* While packets are added: */
	u32 unit;		/* from BTH to ICRC of @tail's first */
	u32 room;		/* packets that may still be put behind it */
	bool bare;		/* without ICRC */
};

/**
 * rox_burst_expect - which packets are to come
 * @burst: empty
 * @run:   they, planned as one
 * @pmtu:  bytes of a full one
 *
 * For bursts that may have super-packets. Context: any.
 */
void rox_burst_expect(struct rox_burst *burst, const struct rox_pkt *run, u32 pmtu);

/**
 * rox_burst_expect_alike - likewise, of messages of a packet each
 * @burst: empty
 * @hdr:   one of them; the others have headers and payload of the same length
 *
 * Context: any.
 */
void rox_burst_expect_alike(struct rox_burst *burst, const struct rox_pkt *hdr);

/* Is @hdr one of those expected, for the last buffer of @burst? */
bool rox_burst_awaits(const struct rox_burst *burst, const struct rox_pkt *hdr);

/**
 * rox_burst_begin - the next packet of a burst: its headers are written
 * @burst: so far
 * @dev:   counts it if there is no memory
 * @av:    where it goes, the same for all of a burst
 * @hdr:   the planned packet; its PSN follows on the last one's
 * @left:  packets of this run, or of those that are alike, that are still to come, this
 *         one included
 *
 * Context: BHs disabled.
 * Return: where the payload goes, hdr->payload_bytes of it, and rox_burst_add() is
 * next, or rox_burst_undo(), or rox_burst_free(); or NULL (out of memory: back off).
 */
u8 *rox_burst_begin(struct rox_burst *burst, struct rox_device *dev,
		    const struct rox_av *av, const struct rox_pkt *hdr, u32 left);

/**
 * rox_burst_add - finish the packet that was begun, its payload is written
 * @burst: so far
 * @av:    as for rox_burst_begin()
 * @hdr:   as for rox_burst_begin()
 *
 * Pads, and computes the ICRC over the bytes that leave. Context: any.
 */
void rox_burst_add(struct rox_burst *burst, const struct rox_av *av,
		   const struct rox_pkt *hdr);

/* The packet that was begun is not to be. */
void rox_burst_undo(struct rox_burst *burst, const struct rox_pkt *hdr);

/* Does @more go on where @burst ends, and do both fit into one? */
bool rox_burst_fits(const struct rox_burst *burst, const struct rox_burst *more);

/*
 * Put the packets of @more, which is empty then, to the end of @burst; those that it
 * expects go there too.
 */
void rox_burst_join(struct rox_burst *burst, struct rox_burst *more);

/* It is not to be sent. */
void rox_burst_free(struct rox_burst *burst);

/* Take the first buffer off, ready to go: @burst is the rest then. NULL: there is none. */
struct sk_buff *rox_burst_pop(struct rox_burst *burst);

/**
 * rox_burst_seal_list - one buffer of all packets, none of them a super-packet
 * @burst:  two at least
 * @tunnel: mark it as a tunnel's
 *
 * As the stack's own aggregation has it. Context: any.
 */
void rox_burst_seal_list(const struct rox_burst *burst, bool tunnel);

/**
 * rox_packet_grh - the IP header that a packet would have had
 * @av:  where it goes
 * @hdr: as planned
 * @grh: 40 bytes; an IPv4 header is the last 20
 *
 * Context: any.
 */
void rox_packet_grh(const struct rox_av *av, const struct rox_pkt *hdr, u8 *grh);

#endif
