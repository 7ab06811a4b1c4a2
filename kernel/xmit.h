/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From a planned packet to the network: buffer, IP and UDP headers, ICRC, route. */
#ifndef ROX_XMIT_H
#define ROX_XMIT_H

#include <linux/skbuff.h>

#include "av.h"
#include "proto/pkt.h"

struct rox_device;

enum rox_xmit_result {
	ROX_XMIT_SENT,
	ROX_XMIT_CONGESTED,	/* the local queue dropped it: back off */
	ROX_XMIT_LOST,		/* no route, filtered, no neighbour: as lost on the way */
};

/**
 * rox_xmit_alloc - a buffer with room for all headers, payload, pad and ICRC
 * @dev: counts it if there is no memory
 * @av:  where it goes
 * @hdr: the planned packet; its headers are written at once
 *
 * Context: BHs disabled. Return: the buffer, or NULL (out of memory: back off).
 */
struct sk_buff *rox_xmit_alloc(struct rox_device *dev, const struct rox_av *av,
			       const struct rox_pkt *hdr);

/* Where the payload goes; the caller fills hdr->payload_bytes. */
u8 *rox_xmit_payload(struct sk_buff *skb);

/* Packets that leave as one: {} is none. Those of UC and UD leave one by one. */
struct rox_burst {
	struct sk_buff *head;	/* linked by their next */
	struct sk_buff *tail;
	u32 psn;		/* of the first; the others follow on it */
	u32 end;		/* PSN after all that it asks for; the requester's */
	u32 nr;
	u32 bytes;
	u32 longest;		/* bytes of a packet */
};

/**
 * rox_burst_add - finish a packet and put it at the end of a burst
 * @burst: so far
 * @av:    as for rox_xmit_alloc(), and the same for all of a burst
 * @skb:   from there, payload written
 * @hdr:   as for rox_xmit_alloc(); its PSN follows on the last one's
 *
 * Pads, and computes the ICRC over the bytes that leave. Context: any.
 */
void rox_burst_add(struct rox_burst *burst, const struct rox_av *av,
		   struct sk_buff *skb, const struct rox_pkt *hdr);

/* Does @more go on where @burst ends, and do both fit into one? */
bool rox_burst_fits(const struct rox_burst *burst, const struct rox_burst *more);

/* Put the packets of @more, which is empty then, to the end of @burst. */
void rox_burst_join(struct rox_burst *burst, struct rox_burst *more);

/* It is not to be sent. */
void rox_burst_free(struct rox_burst *burst);

/**
 * rox_xmit - send a burst
 * @dev:   counts it
 * @av:    as for rox_burst_add()
 * @burst: one packet at least; consumed
 * @hdr:   of any of its packets
 *
 * Context: BHs disabled, no lock held. Return: what became of all of it.
 */
enum rox_xmit_result rox_xmit(struct rox_device *dev, struct rox_av *av,
			      struct rox_burst *burst, const struct rox_pkt *hdr);

/*
 * Does so much wait in the queues of this host that a packet which nothing else
 * holds back should wait too? RC has its window.
 */
bool rox_xmit_is_clogged(struct rox_device *dev, const struct rox_av *av);

/* Does the route to @av's destination stay on this host? BHs disabled. */
bool rox_xmit_is_local(struct rox_device *dev, struct rox_av *av);

/**
 * rox_xmit_grh - the IP header that a packet would have had
 * @av:  where it goes
 * @hdr: as planned
 * @grh: 40 bytes; an IPv4 header is the last 20
 *
 * Context: any.
 */
void rox_xmit_grh(const struct rox_av *av, const struct rox_pkt *hdr, u8 *grh);

#endif
