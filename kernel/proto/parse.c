// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains functions that turn hostile bytes into a struct rox_pkt. */

#include "pkt.h"

static void get_bth(const u8 *b, struct rox_pkt *p)
{
	p->opcode = b[0];
	p->solicited = b[1] & ROX_BTH1_SOLICITED;
	p->migreq = b[1] & ROX_BTH1_MIGREQ;
	p->pad = (b[1] & ROX_BTH1_PAD_MASK) >> ROX_BTH1_PAD_SHIFT;
	p->pkey = get_unaligned_be16(b + 2);
	p->fecn = b[4] & ROX_BTH4_FECN;
	p->becn = b[4] & ROX_BTH4_BECN;
	p->dqpn = rox_get_be24(b + 5);
	p->ackreq = b[8] & ROX_BTH8_ACKREQ;
	p->psn = rox_get_be24(b + 9);
}

static const u8 *get_deth(const u8 *b, struct rox_pkt *p)
{
	p->qkey = get_unaligned_be32(b);
	p->sqpn = rox_get_be24(b + 5);
	return b + ROX_DETH_BYTES;
}

static const u8 *get_reth(const u8 *b, struct rox_pkt *p)
{
	p->va = get_unaligned_be64(b);
	p->rkey = get_unaligned_be32(b + 8);
	p->dma_len = get_unaligned_be32(b + 12);
	return b + ROX_RETH_BYTES;
}

static const u8 *get_atomic_eth(const u8 *b, struct rox_pkt *p)
{
	p->va = get_unaligned_be64(b);
	p->rkey = get_unaligned_be32(b + 8);
	p->swap_add = get_unaligned_be64(b + 12);
	p->compare = get_unaligned_be64(b + 20);
	return b + ROX_ATOMIC_ETH_BYTES;
}

static const u8 *get_aeth(const u8 *b, struct rox_pkt *p)
{
	p->syndrome = b[0];
	p->msn = rox_get_be24(b + 1);
	return b + ROX_AETH_BYTES;
}

static const u8 *get_atomic_ack_eth(const u8 *b, struct rox_pkt *p)
{
	p->atomic_orig = get_unaligned_be64(b);
	return b + ROX_ATOMIC_ACK_ETH_BYTES;
}

/* In wire order; the caller has checked that all headers of @hdrs are there. */
static void get_extension_headers(u8 hdrs, const u8 *b, struct rox_pkt *p)
{
	if (hdrs & ROX_HDR_DETH)
		b = get_deth(b, p);
	if (hdrs & ROX_HDR_RETH)
		b = get_reth(b, p);
	if (hdrs & ROX_HDR_ATOMIC)
		b = get_atomic_eth(b, p);
	if (hdrs & ROX_HDR_AETH)
		b = get_aeth(b, p);
	if (hdrs & ROX_HDR_ATOMIC_ACK)
		b = get_atomic_ack_eth(b, p);
	if (hdrs & ROX_HDR_IMM)
		memcpy(&p->imm, b, sizeof(p->imm));
	if (hdrs & ROX_HDR_IETH)
		p->ieth = get_unaligned_be32(b);
}

/*
 * @area is what lies between the headers and the ICRC: payload and pad. Every
 * header is a multiple of four bytes long, so payload and pad together are.
 */
static enum rox_drop get_payload(u16 flags, u32 area, struct rox_pkt *p)
{
	if (area % 4)
		return ROX_DROP_LENGTH;
	if (p->pad > area)
		return ROX_DROP_PAD;
	p->payload_bytes = area - p->pad;
	if (!(flags & ROX_OPF_PAYLOAD))
		return area ? ROX_DROP_LENGTH : ROX_DROP_NONE;
	if (p->payload_bytes > ROX_MAX_PAYLOAD_BYTES)
		return ROX_DROP_LENGTH;
	/* Only a message of one packet may be empty. IBA 9.7.4.1.6 */
	if (!p->payload_bytes &&
	    (flags & (ROX_OPF_FIRST | ROX_OPF_FULL)) != ROX_OPF_FIRST)
		return ROX_DROP_LENGTH;
	/* A path MTU is a multiple of four. */
	if ((flags & ROX_OPF_FULL) && p->pad)
		return ROX_DROP_PAD;
	return ROX_DROP_NONE;
}

enum rox_drop rox_parse(const u8 *buf, u32 avail, u32 total, struct rox_pkt *p)
{
	const struct rox_opcode *op;
	u32 whole;

	memset(p, 0, sizeof(*p));
	p->run = 1;
	if (avail < ROX_BTH_BYTES || total < ROX_BTH_BYTES + ROX_ICRC_BYTES)
		return ROX_DROP_SHORT;
	if (buf[1] & ROX_BTH1_TVER_MASK)
		return ROX_DROP_VERSION;
	get_bth(buf, p);
	op = rox_pkt_op(p);
	if (!op->hdr_bytes)
		return ROX_DROP_OPCODE;
	p->hdr_bytes = op->hdr_bytes;
	whole = p->hdr_bytes + ROX_ICRC_BYTES;
	if (avail < p->hdr_bytes || total < whole)
		return ROX_DROP_SHORT;
	get_extension_headers(op->hdrs, buf + ROX_BTH_BYTES, p);
	return get_payload(op->flags, total - whole, p);
}
