// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packets of an independent implementation: see vectors/generate.py. */

#include "packet.h"

static const struct vector {
	const char *name;
	const char *hex;	/* from the IP header to the ICRC */
	u32 imm;		/* most significant byte first on the wire */
	struct rox_pkt want;	/* without the immediate */
} vectors[] = {
#include "vectors/vectors.h"
};

#define ROOM 256

/* The vector's bytes, split, and its expected packet, completed. */
static void load(struct kunit *test, const struct vector *v, u8 buf[ROOM],
		 struct frame *f, struct rox_pkt *want)
{
	u32 n = hex_bytes(v->hex, buf, ROOM);

	KUNIT_ASSERT_TRUE_MSG(test, frame_split(buf, n, f), "%s", v->name);
	*want = v->want;
	put_unaligned_be32(v->imm, &want->imm);
}

static void vectors__parse(struct kunit *test)
{
	struct rox_pkt p, want;
	struct frame f;
	u8 buf[ROOM];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		load(test, &vectors[i], buf, &f, &want);
		KUNIT_EXPECT_EQ_MSG(test,
				    rox_parse(f.bth, f.bytes, f.bytes, &p),
				    ROX_DROP_NONE, "%s", vectors[i].name);
		packet_expect_eq(test, &p, &want);
	}
}

static void vectors__icrc(struct kunit *test)
{
	struct rox_pkt want;
	struct frame f;
	u8 buf[ROOM], icrc[ROX_ICRC_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		load(test, &vectors[i], buf, &f, &want);
		frame_icrc(&f, icrc);
		KUNIT_EXPECT_MEMEQ_MSG(test, icrc, f.bth + f.bytes - 4, 4,
				       "%s", vectors[i].name);
	}
}

static void vectors__build(struct kunit *test)
{
	struct rox_pkt want;
	struct frame f;
	u8 buf[ROOM], again[ROX_MAX_HDR_BYTES];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		load(test, &vectors[i], buf, &f, &want);
		KUNIT_EXPECT_EQ(test, rox_build(&want, again), want.hdr_bytes);
		KUNIT_EXPECT_MEMEQ_MSG(test, again, f.bth, want.hdr_bytes,
				       "%s", vectors[i].name);
	}
}

/* Each opcode over IPv4 and IPv6, each count of pad bytes. */
static void vectors__are_complete(struct kunit *test)
{
	u8 seen[256][2] = { 0 };
	u32 pads[4] = { 0 }, i;
	struct rox_pkt want;
	struct frame f;
	u8 buf[ROOM];
	int op;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		load(test, &vectors[i], buf, &f, &want);
		seen[want.opcode][f.is_ipv6]++;
		pads[want.pad]++;
	}
	for_each_opcode(op)
		KUNIT_EXPECT_TRUE_MSG(test, seen[op][0] && seen[op][1],
				      "opcode %s", rox_opcodes[op].name);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_GT(test, pads[i], 10);
}

static struct kunit_case vectors_cases[] = {
	KUNIT_CASE(vectors__parse),
	KUNIT_CASE(vectors__icrc),
	KUNIT_CASE(vectors__build),
	KUNIT_CASE(vectors__are_complete),
	{}
};

static struct kunit_suite vectors_suite = {
	.name = "vectors",
	.test_cases = vectors_cases,
};

kunit_test_suite(vectors_suite);
