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

/**
 * rox_xmit - finish a packet and send it
 * @dev: counts it
 * @av:  as for rox_xmit_alloc()
 * @skb: from there, payload written; consumed
 * @hdr: as for rox_xmit_alloc()
 *
 * Pads, computes the ICRC over the bytes that leave, routes. Context: BHs
 * disabled, no lock held.
 */
enum rox_xmit_result rox_xmit(struct rox_device *dev, struct rox_av *av,
			      struct sk_buff *skb, const struct rox_pkt *hdr);

#endif
