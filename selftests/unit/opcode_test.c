// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include "packet.h"

static const struct {
	u8 hdr;
	u8 bytes;
} headers[] = {
	{ ROX_HDR_DETH, 8 },
	{ ROX_HDR_RETH, 16 },
	{ ROX_HDR_ATOMIC, 28 },
	{ ROX_HDR_AETH, 4 },
	{ ROX_HDR_ATOMIC_ACK, 8 },
	{ ROX_HDR_IMM, 4 },
	{ ROX_HDR_IETH, 4 },
	{ ROX_HDR_CNP, 16 },
};

static bool name_has(const char *name, const char *part)
{
	return strstr(name, part);
}

static void rox_opcodes__count(struct kunit *test)
{
	int op, n = 0;

	for_each_opcode(op)
		n++;
	KUNIT_EXPECT_EQ(test, n, 23 + 12 + 2 + 1);
}

static void rox_opcodes__empty_rows_are_empty(struct kunit *test)
{
	int op;

	for (op = 0; op < 256; op++) {
		if (rox_opcodes[op].hdr_bytes)
			continue;
		KUNIT_EXPECT_EQ(test, rox_opcodes[op].hdrs, 0);
		KUNIT_EXPECT_EQ(test, rox_opcodes[op].flags, 0);
		KUNIT_EXPECT_NULL(test, rox_opcodes[op].name);
	}
}

static void rox_opcodes__hdr_bytes_is_the_sum(struct kunit *test)
{
	int op;
	u32 i, sum;

	for_each_opcode(op) {
		sum = 12;
		for (i = 0; i < ARRAY_SIZE(headers); i++)
			if (rox_opcodes[op].hdrs & headers[i].hdr)
				sum += headers[i].bytes;
		KUNIT_EXPECT_EQ_MSG(test, rox_opcodes[op].hdr_bytes, sum,
				    "opcode 0x%02x", op);
		KUNIT_EXPECT_LE(test, sum, ROX_MAX_HDR_BYTES);
		KUNIT_EXPECT_EQ(test, sum % 4, 0);
	}
}

/* UC has RC's first twelve opcodes, UD two of them, with a DETH in front. */
static void rox_opcodes__services_agree(struct kunit *test)
{
	const struct rox_opcode *rc, *other;
	int op;

	for (op = 0; op < 12; op++) {
		rc = &rox_opcodes[op];
		other = &rox_opcodes[ROX_SVC_UC | op];
		KUNIT_EXPECT_EQ(test, other->hdrs, rc->hdrs);
		KUNIT_EXPECT_EQ(test, other->flags, rc->flags);
		KUNIT_EXPECT_STREQ(test, other->name + 3, rc->name + 3);
	}
	for (op = ROX_OP_RC_SEND_ONLY; op <= ROX_OP_RC_SEND_ONLY_WITH_IMM; op++) {
		rc = &rox_opcodes[op];
		other = &rox_opcodes[ROX_SVC_UD | op];
		KUNIT_EXPECT_EQ(test, other->hdrs, rc->hdrs | ROX_HDR_DETH);
		KUNIT_EXPECT_EQ(test, other->flags, rc->flags);
		KUNIT_EXPECT_STREQ(test, other->name + 3, rc->name + 3);
	}
}

static u16 flags_of_name(const char *name)
{
	u16 flags = 0;

	if (name_has(name, "FIRST"))
		flags |= ROX_OPF_FIRST | ROX_OPF_FULL;
	if (name_has(name, "MIDDLE"))
		flags |= ROX_OPF_FULL;
	if (name_has(name, "LAST"))
		flags |= ROX_OPF_LAST;
	if (name_has(name, "ONLY") || name_has(name, "READ_REQUEST") ||
	    name_has(name, "COMPARE_SWAP") || name_has(name, "FETCH_ADD"))
		flags |= ROX_OPF_FIRST | ROX_OPF_LAST;
	if (name_has(name, "SEND"))
		flags |= ROX_OPF_SEND | ROX_OPF_PAYLOAD;
	if (name_has(name, "WRITE"))
		flags |= ROX_OPF_WRITE | ROX_OPF_PAYLOAD;
	if (name_has(name, "READ"))
		flags |= ROX_OPF_READ;
	if (name_has(name, "READ_RESPONSE"))
		flags |= ROX_OPF_PAYLOAD;
	if (name_has(name, "ATOMIC") || name_has(name, "COMPARE_SWAP") ||
	    name_has(name, "FETCH_ADD"))
		flags |= ROX_OPF_ATOMIC;
	if (name_has(name, "ACKNOWLEDGE") || name_has(name, "RESPONSE"))
		flags |= ROX_OPF_RESPONSE;
	else if (!name_has(name, "CNP"))
		flags |= ROX_OPF_REQUEST;
	else
		flags |= ROX_OPF_CNP;
	return flags;
}

static void rox_opcodes__flags_follow_from_the_name(struct kunit *test)
{
	int op;

	for_each_opcode(op)
		KUNIT_EXPECT_EQ_MSG(test, rox_opcodes[op].flags,
				    flags_of_name(rox_opcodes[op].name),
				    "opcode %s", rox_opcodes[op].name);
}

static u8 hdrs_of_name(const char *name)
{
	u8 hdrs = 0;

	if (!strncmp(name, "UD_", 3))
		hdrs |= ROX_HDR_DETH;
	if (name_has(name, "WRITE_FIRST") || name_has(name, "WRITE_ONLY") ||
	    name_has(name, "READ_REQUEST"))
		hdrs |= ROX_HDR_RETH;
	if (name_has(name, "COMPARE_SWAP") || name_has(name, "FETCH_ADD"))
		hdrs |= ROX_HDR_ATOMIC;
	if (name_has(name, "ACKNOWLEDGE") ||
	    (name_has(name, "RESPONSE") && !name_has(name, "MIDDLE")))
		hdrs |= ROX_HDR_AETH;
	if (name_has(name, "ATOMIC_ACKNOWLEDGE"))
		hdrs |= ROX_HDR_ATOMIC_ACK;
	if (name_has(name, "_IMM"))
		hdrs |= ROX_HDR_IMM;
	if (name_has(name, "_INVALIDATE"))
		hdrs |= ROX_HDR_IETH;
	if (name_has(name, "CNP"))
		hdrs |= ROX_HDR_CNP;
	return hdrs;
}

static void rox_opcodes__hdrs_follow_from_the_name(struct kunit *test)
{
	int op;

	for_each_opcode(op)
		KUNIT_EXPECT_EQ_MSG(test, rox_opcodes[op].hdrs,
				    hdrs_of_name(rox_opcodes[op].name),
				    "opcode %s", rox_opcodes[op].name);
}

/* The numbers, from IBA table 38, independent of enum rox_op. */
static void rox_opcodes__numbers(struct kunit *test)
{
	static const struct {
		u8 op;
		const char *name;
	} known[] = {
		{ 0x00, "RC_SEND_FIRST" },
		{ 0x04, "RC_SEND_ONLY" },
		{ 0x05, "RC_SEND_ONLY_WITH_IMM" },
		{ 0x06, "RC_RDMA_WRITE_FIRST" },
		{ 0x0a, "RC_RDMA_WRITE_ONLY" },
		{ 0x0c, "RC_RDMA_READ_REQUEST" },
		{ 0x0d, "RC_RDMA_READ_RESPONSE_FIRST" },
		{ 0x10, "RC_RDMA_READ_RESPONSE_ONLY" },
		{ 0x11, "RC_ACKNOWLEDGE" },
		{ 0x12, "RC_ATOMIC_ACKNOWLEDGE" },
		{ 0x13, "RC_COMPARE_SWAP" },
		{ 0x14, "RC_FETCH_ADD" },
		{ 0x16, "RC_SEND_LAST_WITH_INVALIDATE" },
		{ 0x17, "RC_SEND_ONLY_WITH_INVALIDATE" },
		{ 0x24, "UC_SEND_ONLY" },
		{ 0x64, "UD_SEND_ONLY" },
		{ 0x65, "UD_SEND_ONLY_WITH_IMM" },
		{ 0x81, "CNP" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(known); i++)
		KUNIT_EXPECT_STREQ(test, rox_opcodes[known[i].op].name,
				   known[i].name);
	/* Reserved in RC; the other service is not ours. */
	KUNIT_EXPECT_EQ(test, rox_opcodes[0x15].hdr_bytes, 0);
	KUNIT_EXPECT_EQ(test, rox_opcodes[0x44].hdr_bytes, 0);
}

static struct kunit_case opcode_cases[] = {
	KUNIT_CASE(rox_opcodes__count),
	KUNIT_CASE(rox_opcodes__empty_rows_are_empty),
	KUNIT_CASE(rox_opcodes__hdr_bytes_is_the_sum),
	KUNIT_CASE(rox_opcodes__services_agree),
	KUNIT_CASE(rox_opcodes__flags_follow_from_the_name),
	KUNIT_CASE(rox_opcodes__hdrs_follow_from_the_name),
	KUNIT_CASE(rox_opcodes__numbers),
	{}
};

static struct kunit_suite opcode_suite = {
	.name = "opcode",
	.test_cases = opcode_cases,
};

kunit_test_suite(opcode_suite);
