// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains functions that turn a struct rox_pkt into header bytes. */

#include "pkt.h"

static void put_bth(const struct rox_pkt *p, u8 *b)
{
	b[0] = p->opcode;
	b[1] = (u8)((p->solicited ? ROX_BTH1_SOLICITED : 0) |
		    (p->migreq ? ROX_BTH1_MIGREQ : 0) |
		    (p->pad << ROX_BTH1_PAD_SHIFT & ROX_BTH1_PAD_MASK));
	put_unaligned_be16(p->pkey, b + 2);
	b[4] = (u8)((p->fecn ? ROX_BTH4_FECN : 0) |
		    (p->becn ? ROX_BTH4_BECN : 0));
	rox_put_be24(p->dqpn, b + 5);
	b[8] = p->ackreq ? ROX_BTH8_ACKREQ : 0;
	rox_put_be24(p->psn, b + 9);
}

static u8 *put_deth(const struct rox_pkt *p, u8 *b)
{
	put_unaligned_be32(p->qkey, b);
	b[4] = 0;
	rox_put_be24(p->sqpn, b + 5);
	return b + ROX_DETH_BYTES;
}

static u8 *put_reth(const struct rox_pkt *p, u8 *b)
{
	put_unaligned_be64(p->va, b);
	put_unaligned_be32(p->rkey, b + 8);
	put_unaligned_be32(p->dma_len, b + 12);
	return b + ROX_RETH_BYTES;
}

static u8 *put_atomic_eth(const struct rox_pkt *p, u8 *b)
{
	put_unaligned_be64(p->va, b);
	put_unaligned_be32(p->rkey, b + 8);
	put_unaligned_be64(p->swap_add, b + 12);
	put_unaligned_be64(p->compare, b + 20);
	return b + ROX_ATOMIC_ETH_BYTES;
}

static u8 *put_aeth(const struct rox_pkt *p, u8 *b)
{
	b[0] = p->syndrome;
	rox_put_be24(p->msn, b + 1);
	return b + ROX_AETH_BYTES;
}

static u8 *put_atomic_ack_eth(const struct rox_pkt *p, u8 *b)
{
	put_unaligned_be64(p->atomic_orig, b);
	return b + ROX_ATOMIC_ACK_ETH_BYTES;
}

/* In wire order, as parse.c reads them. */
static void put_extension_headers(u8 hdrs, const struct rox_pkt *p, u8 *b)
{
	if (hdrs & ROX_HDR_DETH)
		b = put_deth(p, b);
	if (hdrs & ROX_HDR_RETH)
		b = put_reth(p, b);
	if (hdrs & ROX_HDR_ATOMIC)
		b = put_atomic_eth(p, b);
	if (hdrs & ROX_HDR_AETH)
		b = put_aeth(p, b);
	if (hdrs & ROX_HDR_ATOMIC_ACK)
		b = put_atomic_ack_eth(p, b);
	if (hdrs & ROX_HDR_IMM)
		memcpy(b, &p->imm, sizeof(p->imm));
	if (hdrs & ROX_HDR_IETH)
		put_unaligned_be32(p->ieth, b);
	if (hdrs & ROX_HDR_CNP)
		memset(b, 0, ROX_CNP_PAD_BYTES);
}

u32 rox_build(const struct rox_pkt *p, u8 *buf)
{
	const struct rox_opcode *op = rox_pkt_op(p);

	put_bth(p, buf);
	put_extension_headers(op->hdrs, p, buf + ROX_BTH_BYTES);
	return op->hdr_bytes;
}
