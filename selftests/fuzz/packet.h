/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Packets as the fuzzers of the machines choose them. */
#ifndef ROX_FUZZ_PACKET_H
#define ROX_FUZZ_PACKET_H

#include "input.h"
#include "proto/pkt.h"
#include "proto/psn.h"

/* A PSN: mostly @base itself, often near it, seldom any. */
static inline u32 take_psn(struct input *in, u32 base)
{
	u8 how = take_u8(in);

	if (how < 160)
		return base;
	if (how < 240)
		return rox_psn_add(base, (u32)(how - 200));
	return take_u32(in) & ROX_PSN_MASK;
}

/* A length: mostly one that matters for @pmtu. */
static inline u32 take_length(struct input *in, u32 pmtu)
{
	u8 how = take_u8(in);

	switch (how & 7) {
	case 0:
		return 0;
	case 1:
		return pmtu;
	case 2:
		return pmtu * (how >> 3);
	case 3:
		return pmtu * (how >> 3) + take_u8(in);
	case 4:
		return pmtu * (how >> 3) - 1;
	case 5:
		return take_u16(in);
	case 6:
		return take_u32(in);
	}
	return how >> 3;
}

/* A payload that @opcode might carry; the parser decides whether it may. */
static inline u32 take_payload(struct input *in, u8 opcode, u32 pmtu)
{
	u16 flags = rox_opcodes[opcode].flags;
	u32 n;

	if (!(flags & ROX_OPF_PAYLOAD))
		return 0;
	n = take_length(in, pmtu);
	if ((flags & ROX_OPF_FULL) && n != 0)
		return n & 1 ? pmtu : n;
	return n % (pmtu + 8);
}

/*
 * Only what the parser lets through reaches a machine. Goes by the bytes, so
 * that the machine sees no field that its headers do not carry.
 */
static inline bool through_parser(struct rox_pkt *p)
{
	u8 buf[ROX_MAX_HDR_BYTES];
	u32 n, total;

	if (!rox_pkt_op(p)->hdr_bytes)
		return false;
	p->pad = -p->payload_bytes & 3;
	n = rox_build(p, buf);
	total = n + p->payload_bytes + p->pad + ROX_ICRC_BYTES;
	return rox_parse(buf, n, total, p) == ROX_DROP_NONE;
}

/* The bytes of a run that lie before its last packet. */
static inline u32 before_last(const struct rox_pkt *p, u32 pmtu)
{
	return (p->run - 1) * pmtu;
}

/*
 * A run has the headers of any of its packets, all of them full but the last:
 * the parser is asked about that one.
 */
static inline bool run_through_parser(struct rox_pkt *p, u32 pmtu)
{
	u32 run = p->run, before = before_last(p, pmtu);
	bool ok;

	p->payload_bytes -= before;
	ok = through_parser(p);
	p->payload_bytes += before;
	p->run = run;
	return ok;
}

/* What a machine sends must pass the peer's parser and mean the same there. */
static inline void check_well_formed(const struct rox_pkt *p, u32 pmtu)
{
	const struct rox_opcode *op = rox_pkt_op(p);
	struct rox_pkt got = *p;
	u8 a[ROX_MAX_HDR_BYTES], b[ROX_MAX_HDR_BYTES];

	CHECK(p->run && (p->run == 1 || p->payload_bytes > before_last(p, pmtu)));
	CHECK(op->hdr_bytes && p->hdr_bytes == op->hdr_bytes);
	CHECK(p->pad == (-p->payload_bytes & 3));
	CHECK(p->payload_bytes <= p->run * pmtu);
	CHECK(!(op->flags & ROX_OPF_FULL) || p->payload_bytes == p->run * pmtu);
	CHECK(run_through_parser(&got, pmtu));
	CHECK(got.psn == p->psn && got.dqpn == p->dqpn);
	CHECK(got.payload_bytes == p->payload_bytes);
	CHECK(rox_build(p, a) == rox_build(&got, b));
	CHECK(!memcmp(a, b, op->hdr_bytes));
}

#endif
