/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A packet as the protocol core sees it: all headers from the BTH on, in host
 * order, and where the payload lies. parse.c makes one from hostile bytes;
 * build.c makes bytes from one.
 */
#ifndef ROX_PROTO_PKT_H
#define ROX_PROTO_PKT_H

#include "drop.h"
#include "opcode.h"

struct rox_pkt {
	u8 opcode;
	u8 pad;			/* 0..3 zero bytes after the payload */
	bool solicited;
	bool migreq;
	bool ackreq;
	bool fecn;
	bool becn;
	u8 syndrome;		/* AETH */
	u16 pkey;
	u32 dqpn;
	u32 psn;
	u32 qkey;		/* DETH */
	u32 sqpn;		/* DETH */
	u32 msn;		/* AETH */
	u32 rkey;		/* RETH, AtomicETH */
	u32 dma_len;		/* RETH */
	u32 ieth;		/* key to invalidate */
	__be32 imm;		/* as on the wire and in a completion */
	u64 va;			/* RETH, AtomicETH */
	u64 swap_add;		/* AtomicETH */
	u64 compare;		/* AtomicETH */
	u64 atomic_orig;	/* AtomicAckETH */
	u32 hdr_bytes;		/* BTH and extension headers */
	u32 payload_bytes;	/* without pad and ICRC */
	/*
	 * PSNs that this packet's payload takes up: 1 on the wire. A run of
	 * packets is planned as one, and between QPs of one host it is handed
	 * over as one; else rox_split() cuts it. Its opcode says
	 * whether it begins and ends the message, not cut by the path MTU.
	 */
	u32 run;
};

static inline const struct rox_opcode *rox_pkt_op(const struct rox_pkt *p)
{
	return &rox_opcodes[p->opcode];
}

/**
 * rox_parse - read the headers of a received packet
 * @buf:   the packet from the BTH on
 * @avail: bytes readable at @buf; at least min(@total, ROX_MAX_HDR_BYTES)
 * @total: bytes of the UDP payload: headers, payload, pad and ICRC
 * @p:     result, whole only if ROX_DROP_NONE is returned
 *
 * Checks everything that the bytes alone decide: lengths, version, opcode, pad
 * count, payload against what the opcode allows. Path MTU, keys and sequence
 * are for the machines. Reads no byte at or beyond @avail. IBA 9.6.1.
 *
 * Return: ROX_DROP_NONE, or why the packet is malformed.
 */
enum rox_drop rox_parse(const u8 *buf, u32 avail, u32 total, struct rox_pkt *p);

/**
 * rox_build - write the headers of a packet
 * @p:   opcode and the fields its headers need; pad is taken from @p->pad
 * @buf: room for ROX_MAX_HDR_BYTES
 *
 * The reserved bits are zero, the transport version is 0.
 *
 * Return: bytes written, the opcode's hdr_bytes.
 */
u32 rox_build(const struct rox_pkt *p, u8 *buf);

#endif
