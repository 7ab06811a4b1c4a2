// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include "packet.h"

#define SEED 4791

/*
 * Parses a copy that ends where its array does, so that the sanitizer sees a
 * read at or beyond @avail.
 */
static enum rox_drop parse_tight(const u8 *buf, u32 avail, u32 total,
				 struct rox_pkt *p)
{
	u8 copy[ROX_MAX_HDR_BYTES];
	u8 *at = copy + sizeof(copy) - avail;

	memcpy(at, buf, avail);
	return rox_parse(at, avail, total, p);
}

/* The verdict on @opcode with @area bytes of payload and pad. */
static enum rox_drop verdict(u8 opcode, u32 area, u8 pad)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { opcode, (u8)(pad << 4) };
	struct rox_pkt p;

	return parse_tight(buf, sizeof(buf), rox_opcodes[opcode].hdr_bytes +
			   area + ROX_ICRC_BYTES, &p);
}

static void rox_parse__bth(struct kunit *test)
{
	static const u8 buf[] = {
		0x04, 0x60, 0x12, 0x34, 0x80, 0xab, 0xcd, 0xef,
		0x80, 0x98, 0x76, 0x54,
	};
	struct rox_pkt p, want = {
		.opcode = ROX_OP_RC_SEND_ONLY, .pad = 2, .migreq = true,
		.ackreq = true, .fecn = true, .pkey = 0x1234, .dqpn = 0xabcdef,
		.psn = 0x987654, .hdr_bytes = 12, .payload_bytes = 6,
	};

	KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 12 + 8 + 4, &p),
			ROX_DROP_NONE);
	packet_expect_eq(test, &p, &want);
}

static void rox_parse__each_flag_alone(struct kunit *test)
{
	u8 buf[12] = { ROX_OP_RC_SEND_ONLY };
	struct rox_pkt p;

	buf[1] = 0x80;
	KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 16, &p), ROX_DROP_NONE);
	KUNIT_EXPECT_TRUE(test, p.solicited && !p.migreq && !p.pad);
	buf[1] = 0x40;
	KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 16, &p), ROX_DROP_NONE);
	KUNIT_EXPECT_TRUE(test, !p.solicited && p.migreq && !p.pad);
	buf[1] = 0;
	buf[4] = 0x40;
	KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 16, &p), ROX_DROP_NONE);
	KUNIT_EXPECT_TRUE(test, p.becn && !p.fecn && !p.ackreq);
}

static void rox_parse__reserved_bits_are_ignored(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { ROX_OP_UD_SEND_ONLY };
	struct rox_pkt p, want;

	KUNIT_EXPECT_EQ(test, rox_parse(buf, 40, 24, &want), ROX_DROP_NONE);
	buf[4] = 0x3f;
	buf[8] = 0x7f;
	buf[16] = 0xff;
	KUNIT_EXPECT_EQ(test, rox_parse(buf, 40, 24, &p), ROX_DROP_NONE);
	packet_expect_eq(test, &p, &want);
}

/* The extension headers of @opcode are the bytes 1, 2, 3 and so on. */
static void parse_counting(struct kunit *test, u8 opcode, struct rox_pkt *p)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { opcode };
	u32 n = rox_opcodes[opcode].hdr_bytes, i;

	for (i = ROX_BTH_BYTES; i < n; i++)
		buf[i] = (u8)(i - ROX_BTH_BYTES + 1);
	KUNIT_ASSERT_EQ(test, parse_tight(buf, n, n + ROX_ICRC_BYTES, p),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, p->hdr_bytes, n);
}

static void rox_parse__deth(struct kunit *test)
{
	struct rox_pkt p;

	parse_counting(test, ROX_OP_UD_SEND_ONLY_WITH_IMM, &p);
	KUNIT_EXPECT_EQ(test, p.qkey, 0x01020304);
	KUNIT_EXPECT_EQ(test, p.sqpn, 0x060708);
	KUNIT_EXPECT_MEMEQ(test, &p.imm, "\x09\x0a\x0b\x0c", 4);
}

static void rox_parse__reth(struct kunit *test)
{
	struct rox_pkt p;

	parse_counting(test, ROX_OP_RC_RDMA_WRITE_ONLY_WITH_IMM, &p);
	KUNIT_EXPECT_EQ(test, p.va, 0x0102030405060708ull);
	KUNIT_EXPECT_EQ(test, p.rkey, 0x090a0b0c);
	KUNIT_EXPECT_EQ(test, p.dma_len, 0x0d0e0f10);
	KUNIT_EXPECT_MEMEQ(test, &p.imm, "\x11\x12\x13\x14", 4);
}

static void rox_parse__atomic_eth(struct kunit *test)
{
	struct rox_pkt p;

	parse_counting(test, ROX_OP_RC_COMPARE_SWAP, &p);
	KUNIT_EXPECT_EQ(test, p.va, 0x0102030405060708ull);
	KUNIT_EXPECT_EQ(test, p.rkey, 0x090a0b0c);
	KUNIT_EXPECT_EQ(test, p.swap_add, 0x0d0e0f1011121314ull);
	KUNIT_EXPECT_EQ(test, p.compare, 0x15161718191a1b1cull);
}

static void rox_parse__aeth(struct kunit *test)
{
	struct rox_pkt p;

	parse_counting(test, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, &p);
	KUNIT_EXPECT_EQ(test, p.syndrome, 1);
	KUNIT_EXPECT_EQ(test, p.msn, 0x020304);
	KUNIT_EXPECT_EQ(test, p.atomic_orig, 0x05060708090a0b0cull);
}

static void rox_parse__ieth(struct kunit *test)
{
	struct rox_pkt p;

	parse_counting(test, ROX_OP_RC_SEND_ONLY_WITH_INVALIDATE, &p);
	KUNIT_EXPECT_EQ(test, p.ieth, 0x01020304);
}

static void rox_parse__cnp(struct kunit *test)
{
	struct rox_pkt p;

	/* Nothing is asked of the reserved bytes but to be there. */
	parse_counting(test, ROX_OP_CNP, &p);
	KUNIT_EXPECT_EQ(test, p.payload_bytes, 0);
	KUNIT_EXPECT_EQ(test, verdict(ROX_OP_CNP, 4, 0), ROX_DROP_LENGTH);
}

static void rox_parse__absent_headers_give_zeros(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES];
	struct rox_pkt p, want = {
		.opcode = ROX_OP_RC_SEND_MIDDLE, .hdr_bytes = 12,
		.payload_bytes = 256,
	};

	memset(buf, 0xff, sizeof(buf));
	memset(buf, 0, ROX_BTH_BYTES);
	buf[0] = ROX_OP_RC_SEND_MIDDLE;
	memset(&p, 0xff, sizeof(p));
	KUNIT_EXPECT_EQ(test, rox_parse(buf, 40, 12 + 256 + 4, &p),
			ROX_DROP_NONE);
	packet_expect_eq(test, &p, &want);
}

static void rox_parse__every_opcode(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { 0 };
	enum rox_drop why;
	struct rox_pkt p;
	int op;
	u32 area;

	for (op = 0; op < 256; op++) {
		buf[0] = (u8)op;
		area = rox_opcodes[op].flags & ROX_OPF_PAYLOAD ? 256 : 0;
		why = rox_parse(buf, 40, rox_opcodes[op].hdr_bytes + area + 4,
				&p);
		if (rox_opcodes[op].hdr_bytes)
			KUNIT_EXPECT_EQ_MSG(test, why, ROX_DROP_NONE,
					    "opcode 0x%02x", op);
		why = rox_parse(buf, 40, 300, &p);
		if (!rox_opcodes[op].hdr_bytes)
			KUNIT_EXPECT_EQ_MSG(test, why, ROX_DROP_OPCODE,
					    "opcode 0x%02x", op);
	}
}

static void rox_parse__version(struct kunit *test)
{
	u8 buf[12] = { ROX_OP_RC_SEND_ONLY };
	struct rox_pkt p;
	u8 version;

	for (version = 1; version < 16; version++) {
		buf[1] = version;
		KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 16, &p),
				ROX_DROP_VERSION);
	}
	/* The opcodes of another version are not ours to judge. */
	buf[0] = 0xff;
	KUNIT_EXPECT_EQ(test, parse_tight(buf, 12, 16, &p), ROX_DROP_VERSION);
}

static void rox_parse__total_below_the_headers(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { 0 };
	struct rox_pkt p;
	u32 total;
	int op;

	for_each_opcode(op) {
		buf[0] = (u8)op;
		for (total = 0; total < rox_opcodes[op].hdr_bytes + 4u; total++)
			KUNIT_EXPECT_EQ_MSG(test,
					    parse_tight(buf, min(total, 40u),
							total, &p),
					    ROX_DROP_SHORT, "opcode %s of %u",
					    rox_opcodes[op].name, total);
	}
}

/* Also when the caller promises more than it can read. */
static void rox_parse__avail_below_the_headers(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { 0 };
	struct rox_pkt p;
	u32 avail;
	int op;

	for_each_opcode(op) {
		buf[0] = (u8)op;
		for (avail = 0; avail < rox_opcodes[op].hdr_bytes; avail++)
			KUNIT_EXPECT_EQ(test, parse_tight(buf, avail, 1024, &p),
					ROX_DROP_SHORT);
	}
}

static void rox_parse__headers_alone_are_enough(struct kunit *test)
{
	struct random r = { SEED };
	u8 buf[ROX_MAX_HDR_BYTES];
	struct rox_pkt p, got;
	u32 total;
	int op;

	for_each_opcode(op) {
		packet_random(&r, (u8)op, &p);
		total = packet_bytes(&p, buf);
		KUNIT_EXPECT_EQ(test, parse_tight(buf, p.hdr_bytes, total, &got),
				ROX_DROP_NONE);
		packet_expect_eq(test, &got, &p);
	}
}

static void rox_parse__not_a_multiple_of_four(struct kunit *test)
{
	u32 area;
	int op;

	for_each_opcode(op)
		for (area = 1; area < 16; area++)
			if (area % 4)
				KUNIT_EXPECT_EQ(test, verdict((u8)op, area, 0),
						ROX_DROP_LENGTH);
}

static void rox_parse__huge_total(struct kunit *test)
{
	u8 buf[ROX_MAX_HDR_BYTES] = { 0 };
	struct rox_pkt p;
	u32 total;
	int op;

	for_each_opcode(op) {
		buf[0] = (u8)op;
		for (total = 0xffffffff; total > 0xffffffc0; total--)
			KUNIT_EXPECT_EQ(test, rox_parse(buf, 40, total, &p),
					ROX_DROP_LENGTH);
	}
}

static void rox_parse__pad_without_payload(struct kunit *test)
{
	u8 pad;
	int op;

	for_each_opcode(op)
		for (pad = 1; pad < 4; pad++)
			KUNIT_EXPECT_EQ_MSG(test, verdict((u8)op, 0, pad),
					    ROX_DROP_PAD, "opcode %s",
					    rox_opcodes[op].name);
}

static void rox_parse__pad_of_a_full_packet(struct kunit *test)
{
	u8 pad;
	int op;

	for_each_opcode(op) {
		if (!(rox_opcodes[op].flags & ROX_OPF_FULL))
			continue;
		KUNIT_EXPECT_EQ(test, verdict((u8)op, 256, 0), ROX_DROP_NONE);
		for (pad = 1; pad < 4; pad++)
			KUNIT_EXPECT_EQ(test, verdict((u8)op, 256, pad),
					ROX_DROP_PAD);
	}
}

static void rox_parse__payload_where_none_belongs(struct kunit *test)
{
	int op;

	for_each_opcode(op) {
		if (rox_opcodes[op].flags & ROX_OPF_PAYLOAD)
			continue;
		KUNIT_EXPECT_EQ(test, verdict((u8)op, 0, 0), ROX_DROP_NONE);
		KUNIT_EXPECT_EQ(test, verdict((u8)op, 4, 0), ROX_DROP_LENGTH);
		KUNIT_EXPECT_EQ(test, verdict((u8)op, 4, 3), ROX_DROP_LENGTH);
	}
}

static void rox_parse__empty(struct kunit *test)
{
	enum rox_drop want;
	int op;

	for_each_opcode(op) {
		if (!(rox_opcodes[op].flags & ROX_OPF_PAYLOAD))
			continue;
		want = strstr(rox_opcodes[op].name, "ONLY") ? ROX_DROP_NONE :
							      ROX_DROP_LENGTH;
		KUNIT_EXPECT_EQ_MSG(test, verdict((u8)op, 0, 0), want,
				    "opcode %s", rox_opcodes[op].name);
	}
}

static void rox_parse__most_payload(struct kunit *test)
{
	u8 pad;
	int op;

	for_each_opcode(op) {
		if (!(rox_opcodes[op].flags & ROX_OPF_PAYLOAD))
			continue;
		KUNIT_EXPECT_EQ(test, verdict((u8)op, 4096, 0), ROX_DROP_NONE);
		for (pad = 0; pad < 4; pad++)
			KUNIT_EXPECT_EQ(test, verdict((u8)op, 4100, pad),
					ROX_DROP_LENGTH);
		if (rox_opcodes[op].flags & ROX_OPF_FULL)
			continue;
		for (pad = 1; pad < 4; pad++)
			KUNIT_EXPECT_EQ(test, verdict((u8)op, 4096, pad),
					ROX_DROP_NONE);
	}
}

/* What must hold of any packet that was let through. */
static void expect_sound(struct kunit *test, const struct rox_pkt *p, u32 total)
{
	const struct rox_opcode *op = rox_pkt_op(p);

	KUNIT_ASSERT_EQ(test, p->hdr_bytes, op->hdr_bytes);
	KUNIT_ASSERT_EQ(test, (u64)p->hdr_bytes + p->payload_bytes + p->pad + 4,
			total);
	KUNIT_ASSERT_LE(test, p->payload_bytes, ROX_MAX_PAYLOAD_BYTES);
	KUNIT_ASSERT_LE(test, p->pad, 3);
	KUNIT_ASSERT_EQ(test, (p->payload_bytes + p->pad) % 4, 0);
	if (!(op->flags & ROX_OPF_PAYLOAD))
		KUNIT_ASSERT_EQ(test, p->payload_bytes, 0);
	if (!(op->flags & ROX_OPF_FIRST) && op->flags & ROX_OPF_PAYLOAD)
		KUNIT_ASSERT_NE(test, p->payload_bytes, 0);
}

static void expect_read_right(struct kunit *test, const struct rox_pkt *p,
			      const u8 *buf, u32 total)
{
	expect_sound(test, p, total);
	packet_expect_rebuilt(test, p, buf);
}

/* A packet with one bit changed is refused, or read as what it now says. */
static void rox_parse__bit_flips(struct kunit *test)
{
	struct random r = { SEED };
	u8 buf[ROX_MAX_HDR_BYTES];
	struct rox_pkt p, got;
	u32 total, bit;
	int op;

	for_each_opcode(op) {
		packet_random(&r, (u8)op, &p);
		total = packet_bytes(&p, buf);
		for (bit = 0; bit < 8 * p.hdr_bytes; bit++) {
			buf[bit / 8] ^= (u8)(1 << bit % 8);
			if (!parse_tight(buf, min(total, 40u), total, &got))
				expect_read_right(test, &got, buf, total);
			buf[bit / 8] ^= (u8)(1 << bit % 8);
		}
	}
}

static void rox_parse__garbage(struct kunit *test)
{
	struct random r = { SEED };
	u8 buf[ROX_MAX_HDR_BYTES];
	struct rox_pkt p;
	u32 i, total, passed = 0;

	for (i = 0; i < 300000; i++) {
		random_fill(&r, buf, sizeof(buf));
		buf[1] &= 0xf0;
		total = random_below(&r, i % 2 ? 64 : 4400);
		if (parse_tight(buf, min(total, 40u), total, &p))
			continue;
		passed++;
		expect_sound(test, &p, total);
	}
	KUNIT_EXPECT_GT(test, passed, 1000);
}

static struct kunit_case parse_cases[] = {
	KUNIT_CASE(rox_parse__bth),
	KUNIT_CASE(rox_parse__each_flag_alone),
	KUNIT_CASE(rox_parse__reserved_bits_are_ignored),
	KUNIT_CASE(rox_parse__deth),
	KUNIT_CASE(rox_parse__reth),
	KUNIT_CASE(rox_parse__atomic_eth),
	KUNIT_CASE(rox_parse__aeth),
	KUNIT_CASE(rox_parse__ieth),
	KUNIT_CASE(rox_parse__cnp),
	KUNIT_CASE(rox_parse__absent_headers_give_zeros),
	KUNIT_CASE(rox_parse__every_opcode),
	KUNIT_CASE(rox_parse__version),
	KUNIT_CASE(rox_parse__total_below_the_headers),
	KUNIT_CASE(rox_parse__avail_below_the_headers),
	KUNIT_CASE(rox_parse__headers_alone_are_enough),
	KUNIT_CASE(rox_parse__not_a_multiple_of_four),
	KUNIT_CASE(rox_parse__huge_total),
	KUNIT_CASE(rox_parse__pad_without_payload),
	KUNIT_CASE(rox_parse__pad_of_a_full_packet),
	KUNIT_CASE(rox_parse__payload_where_none_belongs),
	KUNIT_CASE(rox_parse__empty),
	KUNIT_CASE(rox_parse__most_payload),
	KUNIT_CASE(rox_parse__bit_flips),
	KUNIT_CASE(rox_parse__garbage),
	{}
};

static struct kunit_suite parse_suite = {
	.name = "parse",
	.test_cases = parse_cases,
};

kunit_test_suite(parse_suite);
