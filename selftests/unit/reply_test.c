// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the responder's sending side. */

#include <stdio.h>

#include "recv_queue.h"

/* The next reply is a READ response for packet @n. */
static void expect_data(struct kunit *test, struct recv_queue *q, u32 n, u8 opcode,
			u64 va, u32 bytes)
{
	KUNIT_ASSERT_TRUE(test, rq_reply(q));
	KUNIT_EXPECT_TRUE(test, q->reply.read);
	KUNIT_EXPECT_EQ(test, q->reply.hdr.opcode, opcode);
	KUNIT_EXPECT_EQ(test, q->reply.hdr.psn, rox_psn_add(RQ_PSN, n));
	KUNIT_EXPECT_EQ(test, q->reply.va, va);
	KUNIT_EXPECT_EQ(test, q->reply.rkey, 0xabcd);
	KUNIT_EXPECT_EQ(test, q->reply.hdr.payload_bytes, bytes);
	KUNIT_EXPECT_EQ(test, q->reply.hdr.dqpn, 0x99);
}

static void rox_resp_next__read(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rq_read(&q, 0, 2 * RQ_PMTU + 6), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.len, 2 * RQ_PMTU + 6);
	expect_data(test, &q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10000, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 1);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, 0x10100, RQ_PMTU);
	expect_data(test, &q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10200, 6);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.pad, 2);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	KUNIT_EXPECT_EQ(test, rq_read(&q, 3, 0), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.len, 0);
	expect_data(test, &q, 3, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0x10000, 0);
}

static void rox_resp_next__changes_nothing(struct kunit *test)
{
	struct rox_resp_pkt again;
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 1);
	KUNIT_EXPECT_TRUE(test, rox_resp_next(&q.r, &q.reply));
	KUNIT_EXPECT_TRUE(test, rox_resp_next(&q.r, &again));
	KUNIT_EXPECT_MEMEQ(test, &q.reply.hdr, &again.hdr, sizeof(again.hdr));
}

static void rox_resp_next__in_psn_order(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 2 * RQ_PMTU);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 2, 1);
	rq_recv(&q, ROX_OP_RC_FETCH_ADD, 3, 0);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 5, 1);
	expect_data(test, &q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10000, RQ_PMTU);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10100, RQ_PMTU);
	KUNIT_ASSERT_TRUE(test, rq_reply(&q));
	KUNIT_EXPECT_EQ(test, q.reply.hdr.opcode, ROX_OP_RC_ATOMIC_ACKNOWLEDGE);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 3);
	/* The NAK speaks for the SEND too. */
	rq_expect_aeth(test, &q, 4, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_next__ack_before_a_later_read(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1);
	rq_read(&q, 1, 1);
	rq_expect_aeth(test, &q, 0, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 1);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0x10000, 1);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 2);
}

static void rox_resp_next__acks_are_coalesced(struct kunit *test)
{
	struct rox_pkt quiet = rq_pkt(ROX_OP_RC_SEND_ONLY, 2, 1);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 1, 1);
	quiet.ackreq = false;
	rq_take(&q, &quiet);
	rq_expect_aeth(test, &q, 1, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 2);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static struct rox_pkt part_of_read(u32 n, u64 va, u32 bytes)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_RDMA_READ_REQUEST, n, 0);

	p.va = va;
	p.dma_len = bytes;
	return p;
}

static void rox_resp_next__replay_of_a_part(struct kunit *test)
{
	struct rox_pkt p = part_of_read(1, 0x10100, 2 * RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 4 * RQ_PMTU);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 4, 1);
	while (rq_reply(&q))
		;
	KUNIT_EXPECT_EQ(test, rq_take(&q, &p), ROX_RESP_DONE);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10100, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 1);
	expect_data(test, &q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10200, RQ_PMTU);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_next__replay_restarts_a_pass(struct kunit *test)
{
	struct rox_pkt p = part_of_read(1, 0x10100, RQ_PMTU + 1);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 2 * RQ_PMTU + 1);
	expect_data(test, &q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10000, RQ_PMTU);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, 0x10100, RQ_PMTU);
	rq_take(&q, &p);
	expect_data(test, &q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10100, RQ_PMTU);
	expect_data(test, &q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10200, 1);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

/* Parts that are missing here and there: the answer itself goes on. */
static void rox_resp_next__replays_do_not_stop_the_answer(struct kunit *test)
{
	struct rox_pkt a = part_of_read(0, 0x10000, RQ_PMTU);
	struct rox_pkt b = part_of_read(2, 0x10200, RQ_PMTU);
	struct recv_queue q;
	u32 i;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 6 * RQ_PMTU);
	for (i = 0; i < 4; i++)
		rq_reply(&q);
	rq_take(&q, &a);
	rq_take(&q, &b);
	rq_take(&q, &b);
	expect_data(test, &q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0x10000, RQ_PMTU);
	expect_data(test, &q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0x10200, RQ_PMTU);
	expect_data(test, &q, 4, ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, 0x10400, RQ_PMTU);
	expect_data(test, &q, 5, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10500, RQ_PMTU);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

/* A requester that goes back again wants the rest once, not twice. */
static void rox_resp_next__replay_is_superseded(struct kunit *test)
{
	struct rox_pkt a = part_of_read(0, 0x10000, 4 * RQ_PMTU);
	struct rox_pkt b = part_of_read(2, 0x10200, 2 * RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 4 * RQ_PMTU);
	while (rq_reply(&q))
		;
	rq_take(&q, &a);
	expect_data(test, &q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10000, RQ_PMTU);
	rq_take(&q, &b);
	expect_data(test, &q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 0x10200, RQ_PMTU);
	expect_data(test, &q, 3, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, 0x10300, RQ_PMTU);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_next__too_many_replays(struct kunit *test)
{
	struct recv_queue q;
	struct rox_pkt p;
	u32 i;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 64 * RQ_PMTU);
	while (rq_reply(&q))
		;
	for (i = 0; i <= ROX_RESP_REPLAYS; i++) {
		p = part_of_read(2 * i, 0x10000 + 2 * i * RQ_PMTU, RQ_PMTU);
		KUNIT_EXPECT_EQ(test, rq_take(&q, &p),
				i < ROX_RESP_REPLAYS ? ROX_RESP_DONE : ROX_RESP_DROP);
	}
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_BUSY);
	for (i = 0; rq_reply(&q); i++)
		KUNIT_EXPECT_EQ(test, q.reply.hdr.psn, rox_psn_add(RQ_PSN, 2 * i));
	KUNIT_EXPECT_EQ(test, i, ROX_RESP_REPLAYS);
}

static void rox_resp_next__replay_of_what_was_not_read(struct kunit *test)
{
	struct rox_pkt rows[] = {
		part_of_read(0, 0x10000, 2 * RQ_PMTU + 1),
		part_of_read(1, 0x10000, 2 * RQ_PMTU),
		part_of_read(0, 0x0ffff, 1),
		part_of_read(0, 0x10001, 2 * RQ_PMTU),
		part_of_read(0, 0x10200, 1),
		part_of_read(0, ~0ull, 1),
		part_of_read(2, 0x10000, 1),
		part_of_read(0, 0x10000, 1),
	};
	struct recv_queue q;
	u32 i;

	rows[7].rkey++;
	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 2 * RQ_PMTU);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 2, 1);
	while (rq_reply(&q))
		;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		KUNIT_EXPECT_EQ_MSG(test, rq_take(&q, &rows[i]), ROX_RESP_DROP, "row %u", i);
		KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	}
	KUNIT_EXPECT_FALSE(test, q.r.dead);
}

static void rox_resp_read_fail__in_the_middle(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 3 * RQ_PMTU);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 3, 1);
	rq_read(&q, 4, 1);
	rq_reply(&q);
	KUNIT_ASSERT_TRUE(test, rox_resp_next(&q.r, &q.reply));
	rox_resp_read_fail(&q.r, &q.reply);
	KUNIT_EXPECT_TRUE(test, q.r.dead);
	rq_expect_aeth(test, &q, 1, ROX_AETH_NAK_REM_ACC);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 0);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_read_fail__of_an_echo_is_no_error(struct kunit *test)
{
	struct rox_pkt p = part_of_read(0, 0x10000, RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, RQ_PMTU);
	rq_reply(&q);
	rq_take(&q, &p);
	KUNIT_ASSERT_TRUE(test, rox_resp_next(&q.r, &q.reply));
	rox_resp_read_fail(&q.r, &q.reply);
	KUNIT_EXPECT_FALSE(test, q.r.dead);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static struct kunit_case reply_cases[] = {
	KUNIT_CASE(rox_resp_next__read),
	KUNIT_CASE(rox_resp_next__changes_nothing),
	KUNIT_CASE(rox_resp_next__in_psn_order),
	KUNIT_CASE(rox_resp_next__ack_before_a_later_read),
	KUNIT_CASE(rox_resp_next__acks_are_coalesced),
	KUNIT_CASE(rox_resp_next__replay_of_a_part),
	KUNIT_CASE(rox_resp_next__replay_restarts_a_pass),
	KUNIT_CASE(rox_resp_next__replays_do_not_stop_the_answer),
	KUNIT_CASE(rox_resp_next__replay_is_superseded),
	KUNIT_CASE(rox_resp_next__too_many_replays),
	KUNIT_CASE(rox_resp_next__replay_of_what_was_not_read),
	KUNIT_CASE(rox_resp_read_fail__in_the_middle),
	KUNIT_CASE(rox_resp_read_fail__of_an_echo_is_no_error),
	{}
};

static struct kunit_suite reply_suite = {
	.name = "reply",
	.test_cases = reply_cases,
};

kunit_test_suite(reply_suite);
