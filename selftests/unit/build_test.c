// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include "packet.h"

#define SEED 4791

static void rox_build__bth(struct kunit *test)
{
	static const u8 want[] = {
		0x02, 0xf0, 0xff, 0xff, 0x40, 0x01, 0x02, 0x03,
		0x80, 0xfe, 0xdc, 0xba,
	};
	struct rox_pkt p = {
		.opcode = ROX_OP_RC_SEND_LAST, .solicited = true,
		.migreq = true, .pad = 3, .pkey = 0xffff, .becn = true,
		.dqpn = 0x010203, .ackreq = true, .psn = 0xfedcba,
	};
	u8 buf[ROX_MAX_HDR_BYTES];

	KUNIT_EXPECT_EQ(test, rox_build(&p, buf), 12);
	KUNIT_EXPECT_MEMEQ(test, buf, want, 12);
}

static void rox_build__write_with_imm(struct kunit *test)
{
	static const u8 want[] = {
		0x0b, 0x00, 0x80, 0x01, 0x80, 0, 0, 0x11, 0, 0, 0, 0x07,
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
		0xde, 0xad, 0xbe, 0xef, 0x00, 0x00, 0x10, 0x01,
		0xca, 0xfe, 0xba, 0xbe,
	};
	struct rox_pkt p = {
		.opcode = ROX_OP_RC_RDMA_WRITE_ONLY_WITH_IMM, .pkey = 0x8001,
		.fecn = true, .dqpn = 0x11, .psn = 7,
		.va = 0x1122334455667788ull, .rkey = 0xdeadbeef,
		.dma_len = 0x1001,
	};
	u8 buf[ROX_MAX_HDR_BYTES];

	memcpy(&p.imm, "\xca\xfe\xba\xbe", 4);
	KUNIT_EXPECT_EQ(test, rox_build(&p, buf), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
}

/* Wider values than their fields: the neighbours stay as they are. */
static void rox_build__cuts_to_the_field(struct kunit *test)
{
	struct rox_pkt p = {
		.opcode = ROX_OP_UD_SEND_ONLY, .pad = 0xff, .dqpn = ~0u,
		.psn = ~0u, .sqpn = ~0u,
	};
	static const u8 want[] = {
		0x64, 0x30, 0, 0, 0, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 0xff,
		0, 0, 0, 0, 0, 0xff, 0xff, 0xff,
	};
	u8 buf[ROX_MAX_HDR_BYTES];

	KUNIT_EXPECT_EQ(test, rox_build(&p, buf), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
}

static void rox_build__cnp(struct kunit *test)
{
	struct rox_pkt p = {
		.opcode = ROX_OP_CNP, .pkey = 0xffff, .becn = true,
		.dqpn = 0x118,
	};
	static const u8 want[28] = {
		0x81, 0, 0xff, 0xff, 0x40, 0, 0x01, 0x18,
	};
	u8 buf[ROX_MAX_HDR_BYTES];

	memset(buf, 0xff, sizeof(buf));
	KUNIT_EXPECT_EQ(test, rox_build(&p, buf), sizeof(want));
	KUNIT_EXPECT_MEMEQ(test, buf, want, sizeof(want));
}

/* Writes what it says, every byte of it, and not one more. */
static void rox_build__writes_exactly_hdr_bytes(struct kunit *test)
{
	struct random r = { SEED };
	u8 zeros[ROX_MAX_HDR_BYTES + 1], ones[ROX_MAX_HDR_BYTES + 1];
	struct rox_pkt p;
	u32 n;
	int op;

	for_each_opcode(op) {
		packet_random(&r, (u8)op, &p);
		memset(zeros, 0, sizeof(zeros));
		memset(ones, 0xff, sizeof(ones));
		n = rox_build(&p, zeros);
		KUNIT_EXPECT_EQ(test, n, rox_opcodes[op].hdr_bytes);
		KUNIT_EXPECT_EQ(test, rox_build(&p, ones), n);
		KUNIT_EXPECT_MEMEQ(test, zeros, ones, n);
		KUNIT_EXPECT_EQ(test, zeros[n], 0);
		KUNIT_EXPECT_EQ(test, ones[n], 0xff);
	}
}

static void rox_build__parse_gives_it_back(struct kunit *test)
{
	struct random r = { SEED };
	u8 buf[ROX_MAX_HDR_BYTES];
	struct rox_pkt p, got;
	u32 i, total;
	int op;

	for_each_opcode(op) {
		for (i = 0; i < 1000; i++) {
			packet_random(&r, (u8)op, &p);
			total = packet_bytes(&p, buf);
			KUNIT_ASSERT_EQ(test, rox_parse(buf, min(total, 40u),
							total, &got),
					ROX_DROP_NONE);
			packet_expect_eq(test, &got, &p);
		}
	}
}

static struct kunit_case build_cases[] = {
	KUNIT_CASE(rox_build__bth),
	KUNIT_CASE(rox_build__write_with_imm),
	KUNIT_CASE(rox_build__cuts_to_the_field),
	KUNIT_CASE(rox_build__cnp),
	KUNIT_CASE(rox_build__writes_exactly_hdr_bytes),
	KUNIT_CASE(rox_build__parse_gives_it_back),
	{}
};

static struct kunit_suite build_suite = {
	.name = "build",
	.test_cases = build_cases,
};

kunit_test_suite(build_suite);
