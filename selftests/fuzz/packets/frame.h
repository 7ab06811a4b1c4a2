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
#define IP_BYTES	20
#define UDP_BYTES	8
#define BTH_AT		(IP_BYTES + UDP_BYTES)
#define FRAME_BYTES	9200

struct frame {
	size_t bytes;			/* from the IP header on */
	uint8_t eth[ETH_BYTES];		/* in front of it */
	uint8_t ip[FRAME_BYTES];
};

struct path {
	uint32_t from, to;		/* network order */
	uint16_t sport;
};

/* Headers of @p, @p->payload_bytes times @fill, pad, ICRC. */
void frame_make(struct frame *f, const struct path *path, const struct rox_pkt *p,
		uint8_t fill);
/* After a change: lengths as they are in @f->bytes, ICRC, IP checksum. */
void frame_resize(struct frame *f, size_t bytes);
void frame_seal(struct frame *f);
void frame_ip_checksum(uint8_t *ip);

/* main.c's two ways out. */
struct link {
	int fd;				/* AF_PACKET */
	int ifindex;
	uint8_t to[6], from[6];
	int tap;			/* or -1 */
	uint8_t tap_mac[6];
	int refused;			/* by the tap device: the last errno */
};

void link_open(struct link *link, const char *ns, const char *netdev,
	       const char *peer);
void link_send(struct link *link, struct frame *f);
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
