// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <rdma/rox-abi.h>

#include "packet.h"
#include "proto/segment.h"

static void rox_nr_pkts__edges(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(0, 1024), 1);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(1, 1024), 1);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(1024, 1024), 1);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(1025, 1024), 2);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(2048, 1024), 2);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(0xffffffff, 4096), 1u << 20);
	KUNIT_EXPECT_EQ(test, rox_nr_pkts(0x80000000, 256), 1u << 23);
}

/* Opcodes in the order only, first, middle, last; -1: none. */
struct row {
	u8 service;
	u8 wr;
	int op[4];
};

#define SINGLE(op) { (op), (op), (op), (op) }
#define NONE SINGLE(-1)

static const struct row rows[] = {
	{ ROX_SVC_RC, ROX_WR_SEND, { 0x04, 0x00, 0x01, 0x02 } },
	{ ROX_SVC_RC, ROX_WR_SEND_WITH_IMM, { 0x05, 0x00, 0x01, 0x03 } },
	{ ROX_SVC_RC, ROX_WR_SEND_WITH_INV, { 0x17, 0x00, 0x01, 0x16 } },
	{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, { 0x0a, 0x06, 0x07, 0x08 } },
	{ ROX_SVC_RC, ROX_WR_RDMA_WRITE_WITH_IMM, { 0x0b, 0x06, 0x07, 0x09 } },
	{ ROX_SVC_RC, ROX_WR_RDMA_READ, SINGLE(0x0c) },
	{ ROX_SVC_RC, ROX_WR_ATOMIC_CMP_AND_SWP, SINGLE(0x13) },
	{ ROX_SVC_RC, ROX_WR_ATOMIC_FETCH_AND_ADD, SINGLE(0x14) },
	{ ROX_SVC_RC, ROX_WR_LOCAL_INV, NONE },
	{ ROX_SVC_RC, ROX_WR_BIND_MW, NONE },
	{ ROX_SVC_RC, ROX_WR_REG_MR, NONE },
	{ ROX_SVC_UC, ROX_WR_SEND, { 0x24, 0x20, 0x21, 0x22 } },
	{ ROX_SVC_UC, ROX_WR_SEND_WITH_IMM, { 0x25, 0x20, 0x21, 0x23 } },
	{ ROX_SVC_UC, ROX_WR_SEND_WITH_INV, NONE },
	{ ROX_SVC_UC, ROX_WR_RDMA_WRITE, { 0x2a, 0x26, 0x27, 0x28 } },
	{ ROX_SVC_UC, ROX_WR_RDMA_WRITE_WITH_IMM, { 0x2b, 0x26, 0x27, 0x29 } },
	{ ROX_SVC_UC, ROX_WR_RDMA_READ, NONE },
	{ ROX_SVC_UC, ROX_WR_ATOMIC_CMP_AND_SWP, NONE },
	{ ROX_SVC_UC, ROX_WR_ATOMIC_FETCH_AND_ADD, NONE },
	{ ROX_SVC_UD, ROX_WR_SEND, { 0x64, -1, -1, -1 } },
	{ ROX_SVC_UD, ROX_WR_SEND_WITH_IMM, { 0x65, -1, -1, -1 } },
	{ ROX_SVC_UD, ROX_WR_SEND_WITH_INV, NONE },
	{ ROX_SVC_UD, ROX_WR_RDMA_WRITE, NONE },
	{ ROX_SVC_UD, ROX_WR_RDMA_WRITE_WITH_IMM, NONE },
	{ ROX_SVC_UD, ROX_WR_RDMA_READ, NONE },
};

static void rox_segment_opcode__whole_table(struct kunit *test)
{
	const struct row *w;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		w = &rows[i];
		KUNIT_EXPECT_EQ_MSG(test, rox_segment_opcode(w->service, w->wr,
							     true, true),
				    w->op[0], "row %u only", i);
		KUNIT_EXPECT_EQ_MSG(test, rox_segment_opcode(w->service, w->wr,
							     true, false),
				    w->op[1], "row %u first", i);
		KUNIT_EXPECT_EQ_MSG(test, rox_segment_opcode(w->service, w->wr,
							     false, false),
				    w->op[2], "row %u middle", i);
		KUNIT_EXPECT_EQ_MSG(test, rox_segment_opcode(w->service, w->wr,
							     false, true),
				    w->op[3], "row %u last", i);
	}
}

/* Whatever the arguments, the answer is -1 or a request of that service. */
static void rox_segment_opcode__any_argument(struct kunit *test)
{
	u32 service, wr, place;
	int op;

	for (service = 0; service < 256; service++)
		for (wr = 0; wr < 256; wr++)
			for (place = 0; place < 4; place++) {
				op = rox_segment_opcode((u8)service, (u8)wr,
							place & 1, place & 2);
				if (op == -1)
					continue;
				KUNIT_ASSERT_EQ(test, op & ROX_SVC_MASK, service);
				KUNIT_ASSERT_TRUE(test, rox_opcodes[op].flags &
							ROX_OPF_REQUEST);
			}
}

static void rox_read_response_opcode__places(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_read_response_opcode(true, false), 0x0d);
	KUNIT_EXPECT_EQ(test, rox_read_response_opcode(false, false), 0x0e);
	KUNIT_EXPECT_EQ(test, rox_read_response_opcode(false, true), 0x0f);
	KUNIT_EXPECT_EQ(test, rox_read_response_opcode(true, true), 0x10);
}

static struct kunit_case segment_cases[] = {
	KUNIT_CASE(rox_nr_pkts__edges),
	KUNIT_CASE(rox_segment_opcode__whole_table),
	KUNIT_CASE(rox_segment_opcode__any_argument),
	KUNIT_CASE(rox_read_response_opcode__places),
	{}
};

static struct kunit_suite segment_suite = {
	.name = "segment",
	.test_cases = segment_cases,
};

kunit_test_suite(segment_suite);
