/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A RoCE v2 packet as bytes, right in every checksum or wrong on purpose. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/icrc.h"
#include "proto/pkt.h"

#define ETH_BYTES	14
#define IP4_BYTES	20
#define IP6_BYTES	40
#define UDP_BYTES	8
#define FRAME_BYTES	9200

struct frame {
	size_t bytes;			/* from the IP header on */
	size_t ip_bytes;		/* of that one */
	uint8_t eth[ETH_BYTES];		/* in front of it */
	uint8_t ip[FRAME_BYTES];
};

struct path {
	bool ipv6;
	uint8_t from[16], to[16];	/* the first four for IPv4 */
	uint16_t sport;
};

static inline bool is_ipv6(const struct frame *f)
{
	return f->ip[0] >> 4 == 6;
}

static inline size_t bth_at(const struct frame *f)
{
	return f->ip_bytes + UDP_BYTES;
}

/* Headers of @p, @p->payload_bytes times @fill, pad, ICRC. */
void frame_make(struct frame *f, const struct path *path, const struct rox_pkt *p,
		uint8_t fill);
/* After a change: lengths as they are in @f->bytes, ICRC, IP checksum. */
void frame_resize(struct frame *f, size_t bytes);
void frame_seal(struct frame *f);
void frame_ip_checksum(uint8_t *ip);
/* RoCE has none. */
void frame_udp_checksum(struct frame *f);
/* An extension header of eight bytes behind that of IPv6. */
void frame_extend(struct frame *f, uint8_t type);

/* main.c's two ways out. */
struct link {
	int fd;				/* AF_PACKET */
	int ifindex;
	uint8_t to[6], from[6];
	int tap;			/* or -1 */
	uint8_t tap_mac[6];
	int refused;			/* by the tap device: the last errno */
	struct frame *batch;
	unsigned int queued;
};

void link_open(struct link *link, const char *ns, const char *netdev,
	       const char *peer);
/* When there are enough of them, or by link_flush(). */
void link_send(struct link *link, struct frame *f);
void link_flush(struct link *link);
/* As fast as they go. */
void link_send_all(struct link *link, struct frame *frames, unsigned int nr);
/* In two IP fragments; the first is @first bytes of IP payload, times 8. */
void link_send_fragments(struct link *link, const struct frame *f, unsigned int first);
/* What came back from the device to the wire, into @buf; 0: nothing. */
size_t link_receive(struct link *link, uint8_t *buf, size_t room);

/* tap.c: by a tap device, cut and labelled in odd ways. */
void tap_open(struct link *link, const char *name);
void tap_send(struct link *link, uint64_t *seed, const struct frame *f);
/* In pieces of memory of that length, the last one of all the rest. */
void tap_send_cut(struct link *link, const struct frame *f, size_t piece);
/* @nr packets of the same length as one super-packet for the stack to cut. */
void tap_send_gso(struct link *link, struct frame *f, unsigned int nr);

#endif
