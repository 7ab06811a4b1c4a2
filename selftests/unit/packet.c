// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains functions that make, compare and take apart packets. */

#include "packet.h"
#include "proto/icrc.h"

int packet_next_opcode(int op)
{
	do
		op++;
	while (op < 256 && !rox_opcodes[op].hdr_bytes);
	return op;
}

static void random_payload(struct random *r, u16 flags, struct rox_pkt *p)
{
	u32 n;

	if (!(flags & ROX_OPF_PAYLOAD))
		return;
	if (flags & ROX_OPF_FULL)
		n = 256u << random_below(r, 5);
	else if (flags & ROX_OPF_FIRST)
		n = random_below(r, ROX_MAX_PAYLOAD_BYTES + 1);
	else
		n = 1 + random_below(r, ROX_MAX_PAYLOAD_BYTES);
	p->payload_bytes = n;
	p->pad = -n & 3;
}

static void random_address(struct random *r, struct rox_pkt *p)
{
	p->va = random_u64(r);
	p->rkey = (u32)random_u64(r);
}

static void random_headers(struct random *r, u8 hdrs, struct rox_pkt *p)
{
	if (hdrs & (ROX_HDR_RETH | ROX_HDR_ATOMIC))
		random_address(r, p);
	if (hdrs & ROX_HDR_RETH)
		p->dma_len = (u32)random_u64(r);
	if (hdrs & ROX_HDR_DETH) {
		p->qkey = (u32)random_u64(r);
		p->sqpn = random_below(r, 1 << 24);
	}
	if (hdrs & ROX_HDR_ATOMIC) {
		p->swap_add = random_u64(r);
		p->compare = random_u64(r);
	}
	if (hdrs & ROX_HDR_AETH) {
		p->syndrome = (u8)random_u64(r);
		p->msn = random_below(r, 1 << 24);
	}
	if (hdrs & ROX_HDR_ATOMIC_ACK)
		p->atomic_orig = random_u64(r);
	if (hdrs & ROX_HDR_IMM)
		random_fill(r, &p->imm, sizeof(p->imm));
	if (hdrs & ROX_HDR_IETH)
		p->ieth = (u32)random_u64(r);
}

void packet_random(struct random *r, u8 opcode, struct rox_pkt *p)
{
	const struct rox_opcode *op = &rox_opcodes[opcode];

	memset(p, 0, sizeof(*p));
	p->opcode = opcode;
	p->hdr_bytes = op->hdr_bytes;
	p->solicited = random_below(r, 2);
	p->migreq = random_below(r, 2);
	p->ackreq = random_below(r, 2);
	p->fecn = random_below(r, 2);
	p->becn = random_below(r, 2);
	p->pkey = (u16)random_u64(r);
	p->dqpn = random_below(r, 1 << 24);
	p->psn = random_below(r, 1 << 24);
	random_headers(r, op->hdrs, p);
	random_payload(r, op->flags, p);
}

u32 packet_bytes(const struct rox_pkt *p, u8 buf[ROX_MAX_HDR_BYTES])
{
	memset(buf, 0, ROX_MAX_HDR_BYTES);
	return rox_build(p, buf) + p->payload_bytes + p->pad + ROX_ICRC_BYTES;
}

#define EXPECT_FIELD(field) \
	KUNIT_EXPECT_EQ_MSG(test, a->field, b->field, "opcode %s", name)

void packet_expect_eq(struct kunit *test, const struct rox_pkt *a,
		      const struct rox_pkt *b)
{
	const char *name = rox_pkt_op(b)->name;

	EXPECT_FIELD(opcode);
	EXPECT_FIELD(pad);
	EXPECT_FIELD(solicited);
	EXPECT_FIELD(migreq);
	EXPECT_FIELD(ackreq);
	EXPECT_FIELD(fecn);
	EXPECT_FIELD(becn);
	EXPECT_FIELD(syndrome);
	EXPECT_FIELD(pkey);
	EXPECT_FIELD(dqpn);
	EXPECT_FIELD(psn);
	EXPECT_FIELD(qkey);
	EXPECT_FIELD(sqpn);
	EXPECT_FIELD(msn);
	EXPECT_FIELD(rkey);
	EXPECT_FIELD(dma_len);
	EXPECT_FIELD(ieth);
	EXPECT_FIELD(imm);
	EXPECT_FIELD(va);
	EXPECT_FIELD(swap_add);
	EXPECT_FIELD(compare);
	EXPECT_FIELD(atomic_orig);
	EXPECT_FIELD(hdr_bytes);
	EXPECT_FIELD(payload_bytes);
}

/* Zero what rox_build() always writes as zero. */
static void clear_reserved(const struct rox_pkt *p, u8 *buf)
{
	u8 hdrs = rox_pkt_op(p)->hdrs;

	buf[4] &= 0xc0;
	buf[8] &= 0x80;
	if (hdrs & ROX_HDR_DETH)
		buf[ROX_BTH_BYTES + 4] = 0;
	if (hdrs & ROX_HDR_CNP)
		memset(buf + ROX_BTH_BYTES, 0, ROX_CNP_PAD_BYTES);
}

void packet_expect_rebuilt(struct kunit *test, const struct rox_pkt *p,
			   const u8 *buf)
{
	u8 seen[ROX_MAX_HDR_BYTES], again[ROX_MAX_HDR_BYTES];

	memcpy(seen, buf, p->hdr_bytes);
	clear_reserved(p, seen);
	KUNIT_EXPECT_EQ(test, rox_build(p, again), p->hdr_bytes);
	KUNIT_EXPECT_MEMEQ(test, again, seen, p->hdr_bytes);
}

bool frame_split(const u8 *ip, u32 bytes, struct frame *f)
{
	u32 ip_bytes, next, total;

	if (bytes < 20 + 8)
		return false;
	f->is_ipv6 = ip[0] >> 4 == 6;
	ip_bytes = f->is_ipv6 ? 40 : 20;
	if (ip[0] != 0x45 && !f->is_ipv6)
		return false;
	next = f->is_ipv6 ? ip[6] : ip[9];
	total = f->is_ipv6 ? 40u + get_unaligned_be16(ip + 4) :
			     get_unaligned_be16(ip + 2);
	if (next != 17 || total > bytes ||
	    total < ip_bytes + 8 + ROX_BTH_BYTES + ROX_ICRC_BYTES)
		return false;
	f->ip = ip;
	f->udp = ip + ip_bytes;
	f->bth = f->udp + 8;
	f->bytes = total - ip_bytes - 8;
	return get_unaligned_be16(f->udp + 2) == ROX_UDP_PORT &&
	       get_unaligned_be16(f->udp + 4) == f->bytes + 8;
}

void frame_icrc(const struct frame *f, u8 icrc[ROX_ICRC_BYTES])
{
	u32 crc = f->is_ipv6 ? rox_icrc_begin_v6(f->ip, f->udp, f->bth) :
			       rox_icrc_begin_v4(f->ip, f->udp, f->bth);

	crc = rox_crc32(crc, f->bth + ROX_BTH_BYTES,
			f->bytes - ROX_BTH_BYTES - ROX_ICRC_BYTES);
	rox_icrc_end(crc, icrc);
}

static u32 hex_digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

u32 hex_bytes(const char *hex, u8 *to, u32 room)
{
	u32 n = 0;

	for (; *hex; hex++) {
		if (*hex == ' ')
			continue;
		if (n == room)
			return 0;
		to[n++] = (u8)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
		hex++;
	}
	return n;
}
