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

#define SPLIT_PMTU	1024

/* The opcode of packet @i of @n, the run being this part of a message of @wr. */
static int expected_opcode(const struct row *w, bool first, bool last, u32 i, u32 n)
{
	return rox_segment_opcode(w->service, w->wr, first && i == 0,
				  last && i == n - 1);
}

static void expect_split(struct kunit *test, const struct row *w, bool first,
			 bool last, u32 n)
{
	struct rox_pkt run, one;
	struct random r = { .state = n };
	u32 i;

	packet_random(&r, (u8)rox_segment_opcode(w->service, w->wr, first, last), &run);
	run.run = n;
	run.psn = 0xfffffe;
	run.pad = 3;
	run.ackreq = true;
	run.solicited = true;
	run.payload_bytes = n * SPLIT_PMTU - 3;
	for (i = 0; i < n; i++) {
		rox_split(&run, SPLIT_PMTU, i, &one);
		KUNIT_EXPECT_EQ(test, one.opcode, expected_opcode(w, first, last, i, n));
		KUNIT_EXPECT_EQ(test, one.hdr_bytes, rox_opcodes[one.opcode].hdr_bytes);
		KUNIT_EXPECT_EQ(test, one.run, 1);
		KUNIT_EXPECT_EQ(test, one.psn, (0xfffffe + i) & 0xffffff);
		KUNIT_EXPECT_EQ(test, one.payload_bytes, SPLIT_PMTU - (i == n - 1 ? 3 : 0));
		KUNIT_EXPECT_EQ(test, one.pad, i == n - 1 ? 3 : 0);
		KUNIT_EXPECT_EQ(test, one.ackreq, i == n - 1);
		KUNIT_EXPECT_EQ(test, one.solicited, i == n - 1);
		KUNIT_EXPECT_EQ(test, one.va, run.va);
		KUNIT_EXPECT_EQ(test, one.dqpn, run.dqpn);
	}
}

static void rox_split__every_message_in_every_place(struct kunit *test)
{
	u32 i, place, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (place = 0; place < 4; place++)
			for (n = 1; n <= 4; n++)
				if (rows[i].op[0] != rows[i].op[1] && rows[i].op[1] >= 0)
					expect_split(test, &rows[i], place & 2, place & 1, n);
}

static void rox_split__read_responses(struct kunit *test)
{
	struct rox_pkt run = { .run = 3, .payload_bytes = 3 * SPLIT_PMTU }, one;
	u32 place, i;

	for (place = 0; place < 4; place++) {
		run.opcode = rox_read_response_opcode(place & 2, place & 1);
		for (i = 0; i < 3; i++) {
			rox_split(&run, SPLIT_PMTU, i, &one);
			KUNIT_EXPECT_EQ(test, one.opcode,
					rox_read_response_opcode((place & 2) && !i,
								 (place & 1) && i == 2));
		}
	}
}

/* What rox_merge() is shown of a packet: no byte behind the BTH. */
static bool merge(struct rox_pkt *run, const struct rox_pkt *next)
{
	u8 buf[ROX_MAX_HDR_BYTES];

	rox_build(next, buf);
	return rox_merge(run, SPLIT_PMTU, buf, next->hdr_bytes + next->payload_bytes +
					       next->pad + ROX_ICRC_BYTES);
}

/* A run of two full packets, the first of them as parsed, and the second one. */
static void make_two(u8 opcode, struct rox_pkt *first, struct rox_pkt *second)
{
	struct rox_pkt run = {
		.opcode = opcode,
		.pkey = 0xffff,
		.dqpn = 0x123456,
		.psn = 0xffffff,
		.run = 2,
		.payload_bytes = 2 * SPLIT_PMTU,
	};

	rox_split(&run, SPLIT_PMTU, 0, first);
	rox_split(&run, SPLIT_PMTU, 1, second);
}

static void expect_merged(struct kunit *test, const struct row *w, bool first, bool last,
			  u32 n)
{
	bool plain = w->wr == ROX_WR_SEND || w->wr == ROX_WR_RDMA_WRITE;
	struct random r = { .state = n };
	struct rox_pkt run, one, merged;
	u32 i;

	packet_random(&r, (u8)rox_segment_opcode(w->service, w->wr, first, last), &run);
	run.run = n;
	run.pad = last ? 3 : 0;
	run.ackreq = true;
	run.payload_bytes = n * SPLIT_PMTU - run.pad;
	rox_split(&run, SPLIT_PMTU, 0, &merged);
	for (i = 1; i < n; i++) {
		rox_split(&run, SPLIT_PMTU, i, &one);
		if (last && i == n - 1 && !plain) {
			KUNIT_EXPECT_FALSE(test, merge(&merged, &one));
			return;
		}
		KUNIT_ASSERT_TRUE(test, merge(&merged, &one));
		KUNIT_EXPECT_EQ(test, merged.run, i + 1);
	}
	KUNIT_EXPECT_FALSE(test, merge(&merged, &one));
	merged.hdr_bytes = run.hdr_bytes;
	packet_expect_eq(test, &merged, &run);
}

static void rox_merge__makes_of_packets_the_run_that_was_split(struct kunit *test)
{
	u32 i, place, n;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (place = 0; place < 4; place++)
			for (n = 2; n <= 4; n++)
				if (rows[i].op[0] != rows[i].op[1] && rows[i].op[1] >= 0)
					expect_merged(test, &rows[i], place & 2, place & 1, n);
}

static void rox_merge__read_responses_but_the_last(struct kunit *test)
{
	struct rox_pkt first, second;
	u8 opcode;

	make_two(ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, &first, &second);
	KUNIT_EXPECT_TRUE(test, merge(&first, &second));
	KUNIT_EXPECT_EQ(test, first.opcode, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST);
	KUNIT_EXPECT_EQ(test, first.payload_bytes, 2 * SPLIT_PMTU);
	for (opcode = ROX_OP_RC_RDMA_READ_RESPONSE_LAST;
	     opcode <= ROX_OP_RC_RDMA_READ_RESPONSE_ONLY; opcode++) {
		make_two(opcode, &first, &second);
		KUNIT_EXPECT_FALSE(test, merge(&first, &second));
	}
}

static void rox_merge__nothing_of_another_flow(struct kunit *test)
{
	struct rox_pkt first, second, run;

	make_two(ROX_OP_RC_SEND_FIRST, &run, &second);
#define REFUSES(what) do {						\
	struct rox_pkt next = second;					\
	first = run;							\
	what;								\
	KUNIT_EXPECT_FALSE(test, merge(&first, &next));			\
	KUNIT_EXPECT_EQ(test, first.run, 1);				\
	KUNIT_EXPECT_EQ(test, first.payload_bytes, SPLIT_PMTU);		\
} while (0)
	REFUSES(next.psn++);
	REFUSES(next.psn--);
	REFUSES(next.dqpn++);
	REFUSES(next.pkey--);
	REFUSES(next.opcode |= ROX_SVC_UC);
	REFUSES(next.opcode = ROX_OP_RC_RDMA_WRITE_MIDDLE);
	REFUSES(next.opcode = ROX_OP_RC_SEND_FIRST);
	REFUSES(first.ackreq = true);
	REFUSES(first.solicited = true);
	REFUSES(first.opcode = ROX_OP_RC_SEND_ONLY);
	REFUSES(first.opcode = ROX_OP_RC_ACKNOWLEDGE);
	REFUSES(first.opcode = 0xff);
#undef REFUSES
	KUNIT_EXPECT_TRUE(test, merge(&run, &second));
}

static void rox_merge__lengths(struct kunit *test)
{
	u32 bytes, whole = ROX_BTH_BYTES + SPLIT_PMTU + ROX_ICRC_BYTES;
	struct rox_pkt first, second, run;
	u8 buf[ROX_MAX_HDR_BYTES];
	bool fits;

	make_two(ROX_OP_RC_SEND_FIRST, &run, &second);
	rox_build(&second, buf);
	for (bytes = 0; bytes < 2 * whole; bytes++) {
		first = run;
		KUNIT_EXPECT_EQ(test, rox_merge(&first, SPLIT_PMTU, buf, bytes), bytes == whole);
	}
	buf[0] = ROX_OP_RC_SEND_LAST;
	for (bytes = 0; bytes < 2 * whole; bytes++) {
		first = run;
		fits = bytes % 4 == 0 && bytes > ROX_BTH_BYTES + ROX_ICRC_BYTES &&
		       bytes <= whole;
		KUNIT_EXPECT_EQ(test, rox_merge(&first, SPLIT_PMTU, buf, bytes), fits);
		KUNIT_EXPECT_EQ(test, first.payload_bytes, SPLIT_PMTU +
				(fits ? bytes - ROX_BTH_BYTES - ROX_ICRC_BYTES : 0));
	}
}

static void rox_merge__pad_and_version(struct kunit *test)
{
	u32 whole = ROX_BTH_BYTES + SPLIT_PMTU + ROX_ICRC_BYTES;
	struct rox_pkt first, second, run;
	u8 buf[ROX_MAX_HDR_BYTES];

	make_two(ROX_OP_RC_SEND_FIRST, &run, &second);
	rox_build(&second, buf);
	buf[1] = 1 << ROX_BTH1_PAD_SHIFT;
	first = run;
	KUNIT_EXPECT_FALSE(test, rox_merge(&first, SPLIT_PMTU, buf, whole));
	buf[0] = ROX_OP_RC_SEND_LAST;
	first = run;
	KUNIT_EXPECT_TRUE(test, rox_merge(&first, SPLIT_PMTU, buf, whole));
	KUNIT_EXPECT_EQ(test, first.payload_bytes, 2 * SPLIT_PMTU - 1);
	KUNIT_EXPECT_EQ(test, first.opcode, ROX_OP_RC_SEND_ONLY);
	buf[1] = 1;	/* of a later transport */
	first = run;
	KUNIT_EXPECT_FALSE(test, rox_merge(&first, SPLIT_PMTU, buf, whole));
	/* Nothing but pad. */
	buf[1] = 3 << ROX_BTH1_PAD_SHIFT;
	first = run;
	KUNIT_EXPECT_TRUE(test, rox_merge(&first, SPLIT_PMTU, buf,
					  ROX_BTH_BYTES + 4 + ROX_ICRC_BYTES));
	KUNIT_EXPECT_EQ(test, first.payload_bytes, SPLIT_PMTU + 1);
}

static struct kunit_case segment_cases[] = {
	KUNIT_CASE(rox_merge__makes_of_packets_the_run_that_was_split),
	KUNIT_CASE(rox_merge__read_responses_but_the_last),
	KUNIT_CASE(rox_merge__nothing_of_another_flow),
	KUNIT_CASE(rox_merge__lengths),
	KUNIT_CASE(rox_merge__pad_and_version),
	KUNIT_CASE(rox_split__every_message_in_every_place),
	KUNIT_CASE(rox_split__read_responses),
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
