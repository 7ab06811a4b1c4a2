/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packets for the suites: made at random, compared, taken from a frame. */
#ifndef ROX_UNIT_PACKET_H
#define ROX_UNIT_PACKET_H

#include <kunit/test.h>

#include "proto/pkt.h"
#include "random.h"

/* The parts of a frame that carries RoCE v2. */
struct frame {
	bool is_ipv6;
	const u8 *ip;
	const u8 *udp;
	const u8 *bth;
	u32 bytes;		/* from the BTH to the end of the ICRC */
};

/* The next opcode after @op (-1 at first) that exists; 256 after the last. */
int packet_next_opcode(int op);

#define for_each_opcode(op)						\
	for (op = packet_next_opcode(-1); op < 256; op = packet_next_opcode(op))

/* Random values in those fields that @opcode carries, a payload that it may. */
void packet_random(struct random *r, u8 opcode, struct rox_pkt *p);

/*
 * The first bytes of the packet; payload, pad and ICRC, as far as they fit, are
 * zeros. Returns how long all of it would be.
 */
u32 packet_bytes(const struct rox_pkt *p, u8 buf[ROX_MAX_HDR_BYTES]);

/* Every field, also those that the opcode does not carry. */
void packet_expect_eq(struct kunit *test, const struct rox_pkt *a,
		      const struct rox_pkt *b);

/* Built again, @p gives the header bytes at @buf, their reserved bits zero. */
void packet_expect_rebuilt(struct kunit *test, const struct rox_pkt *p,
			   const u8 *buf);

/* False if the @bytes at @ip are no IP, UDP and RoCE v2 of that length. */
bool frame_split(const u8 *ip, u32 bytes, struct frame *f);

/* The ICRC that belongs at the end of @f. */
void frame_icrc(const struct frame *f, u8 icrc[ROX_ICRC_BYTES]);

/* Bytes from hexadecimal digits and spaces; returns how many. */
u32 hex_bytes(const char *hex, u8 *to, u32 room);

#endif
