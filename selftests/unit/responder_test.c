// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the responder's receiving side. */

#include <stdio.h>

#include "recv_queue.h"

static void rox_resp_rx__not_for_us(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rox_resp_init(&q.r, q.ring, RQ_RECORDS);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_QP_STATE);
	rq_restart(&q);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 0, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_SERVICE);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_ACKNOWLEDGE, 0, 0), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_OPCODE);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_rx__send(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_FIRST, 0, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.kind, ROX_RESP_SEND);
	KUNIT_EXPECT_TRUE(test, q.op.first && q.op.needs_recv && !q.op.last);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_MIDDLE, 1, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, !q.op.first && !q.op.needs_recv && !q.op.completes);
	KUNIT_EXPECT_EQ(test, q.op.offset, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_LAST, 2, 5), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.last && !q.op.needs_recv && q.op.completes);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, 2 * RQ_PMTU + 5);
	rq_expect_aeth(test, &q, 2, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 1);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 3, 0), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.needs_recv && q.op.completes);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, 0);
}

static void rox_resp_rx__write(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_RDMA_WRITE_FIRST, 0, RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	p.dma_len = RQ_PMTU + 7;
	KUNIT_EXPECT_EQ(test, rq_take(&q, &p), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.kind, ROX_RESP_WRITE);
	KUNIT_EXPECT_EQ(test, q.op.range_va, 0x10000);
	KUNIT_EXPECT_EQ(test, q.op.range_len, RQ_PMTU + 7);
	KUNIT_EXPECT_FALSE(test, q.op.needs_recv);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_RDMA_WRITE_LAST_WITH_IMM, 1, 7),
			ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.va, 0x10000 + RQ_PMTU);
	KUNIT_EXPECT_EQ(test, q.op.rkey, 0xabcd);
	KUNIT_EXPECT_EQ(test, q.op.len, 7);
	KUNIT_EXPECT_EQ(test, q.op.range_len, 0);
	KUNIT_EXPECT_TRUE(test, q.op.needs_recv && q.op.completes);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, RQ_PMTU + 7);
}

static void rox_resp_rx__empty_write(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_RDMA_WRITE_ONLY, 0, 0), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.len, 0);
	KUNIT_EXPECT_EQ(test, q.op.range_len, 0);
}

/* One packet that must be refused, after those that lead to it. */
struct invalid_row {
	const char *why;
	u8 before;		/* opcode of a packet in front, 0xff: none */
	u8 opcode;
	u32 payload;
	u32 dma_len;
	enum rox_drop drop;
};

static const struct invalid_row invalid_rows[] = {
	{ "middle at the beginning", 0xff, ROX_OP_RC_SEND_MIDDLE, RQ_PMTU, 0, ROX_DROP_SEQUENCE },
	{ "last at the beginning", 0xff, ROX_OP_RC_SEND_LAST, 1, 0, ROX_DROP_SEQUENCE },
	{ "first in a message", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_SEND_FIRST, RQ_PMTU, 0,
	  ROX_DROP_SEQUENCE },
	{ "only in a message", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_SEND_ONLY, 1, 0,
	  ROX_DROP_SEQUENCE },
	{ "read in a message", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_RDMA_READ_REQUEST, 0, 1,
	  ROX_DROP_SEQUENCE },
	{ "atomic in a message", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_FETCH_ADD, 0, 0,
	  ROX_DROP_SEQUENCE },
	{ "write goes on as send", ROX_OP_RC_RDMA_WRITE_FIRST, ROX_OP_RC_SEND_LAST, 1, 0,
	  ROX_DROP_SEQUENCE },
	{ "send goes on as write", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_RDMA_WRITE_LAST, 1, 0,
	  ROX_DROP_SEQUENCE },
	{ "short first", 0xff, ROX_OP_RC_SEND_FIRST, RQ_PMTU - 1, 0, ROX_DROP_LENGTH },
	{ "long first", 0xff, ROX_OP_RC_SEND_FIRST, RQ_PMTU + 1, 0, ROX_DROP_LENGTH },
	{ "short middle", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_SEND_MIDDLE, 4, 0, ROX_DROP_LENGTH },
	{ "empty last", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_SEND_LAST, 0, 0, ROX_DROP_LENGTH },
	{ "long last", ROX_OP_RC_SEND_FIRST, ROX_OP_RC_SEND_LAST, RQ_PMTU + 1, 0,
	  ROX_DROP_LENGTH },
	{ "long only", 0xff, ROX_OP_RC_SEND_ONLY, RQ_PMTU + 1, 0, ROX_DROP_LENGTH },
	{ "write of one packet too long", 0xff, ROX_OP_RC_RDMA_WRITE_ONLY, 5, 4,
	  ROX_DROP_LENGTH },
	{ "write of one packet too short", 0xff, ROX_OP_RC_RDMA_WRITE_ONLY, 5, 6,
	  ROX_DROP_LENGTH },
	{ "write that ends with its first", 0xff, ROX_OP_RC_RDMA_WRITE_FIRST, RQ_PMTU, RQ_PMTU,
	  ROX_DROP_LENGTH },
	{ "write too long", ROX_OP_RC_RDMA_WRITE_FIRST, ROX_OP_RC_RDMA_WRITE_LAST, 11, 0,
	  ROX_DROP_LENGTH },
	{ "write too short", ROX_OP_RC_RDMA_WRITE_FIRST, ROX_OP_RC_RDMA_WRITE_LAST, 9, 0,
	  ROX_DROP_LENGTH },
	{ "write that does not end", ROX_OP_RC_RDMA_WRITE_FIRST, ROX_OP_RC_RDMA_WRITE_MIDDLE,
	  RQ_PMTU, 0, ROX_DROP_LENGTH },
	{ "write of a message too long", 0xff, ROX_OP_RC_RDMA_WRITE_FIRST, RQ_PMTU, 0x80000001,
	  ROX_DROP_LENGTH },
	{ "read too long", 0xff, ROX_OP_RC_RDMA_READ_REQUEST, 0, 0x80000001, ROX_DROP_LENGTH },
};

static u32 lead_in(struct recv_queue *q, const struct invalid_row *row)
{
	struct rox_pkt p = rq_pkt(row->before, 0, RQ_PMTU);

	if (row->before == 0xff)
		return 0;
	p.dma_len = RQ_PMTU + 10;
	rq_take(q, &p);
	return 1;
}

static void rox_resp_rx__invalid_requests(struct kunit *test)
{
	const struct invalid_row *row;
	struct recv_queue q;
	struct rox_pkt p;
	u32 n;

	for (row = invalid_rows; row < invalid_rows + ARRAY_SIZE(invalid_rows); row++) {
		rq_start(&q, ROX_SVC_RC);
		n = lead_in(&q, row);
		p = rq_pkt(row->opcode, n, row->payload);
		p.dma_len = row->dma_len;
		KUNIT_EXPECT_EQ_MSG(test, rq_look(&q, &p), ROX_RESP_FATAL, "%s", row->why);
		KUNIT_EXPECT_EQ_MSG(test, q.op.drop, row->drop, "%s", row->why);
		rq_expect_aeth(test, &q, n, ROX_AETH_NAK_INV_REQ);
		KUNIT_EXPECT_TRUE(test, q.r.dead);
		KUNIT_EXPECT_EQ(test, rq_look(&q, &p), ROX_RESP_DROP);
		KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	}
}

static void rox_resp_rx__longest_send(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	q.cfg.max_msg = 2 * RQ_PMTU;
	rq_restart(&q);
	rq_recv(&q, ROX_OP_RC_SEND_FIRST, 0, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_MIDDLE, 1, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_LAST, 2, 1), ROX_RESP_FATAL);
}

static void rox_resp_rx__access_of_the_qp(struct kunit *test)
{
	static const struct {
		u8 allow;
		u8 opcode;
	} rows[] = {
		{ ROX_RESP_ALLOW_WRITE, ROX_OP_RC_RDMA_WRITE_ONLY },
		{ ROX_RESP_ALLOW_READ, ROX_OP_RC_RDMA_READ_REQUEST },
		{ ROX_RESP_ALLOW_ATOMIC, ROX_OP_RC_FETCH_ADD },
		{ ROX_RESP_ALLOW_ATOMIC, ROX_OP_RC_COMPARE_SWAP },
	};
	struct recv_queue q;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rq_start(&q, ROX_SVC_RC);
		q.cfg.allow = rows[i].allow;
		rox_resp_reconfigure(&q.r, &q.cfg);
		KUNIT_EXPECT_EQ(test, rq_recv(&q, rows[i].opcode, 0, 0), ROX_RESP_EXEC);
		q.cfg.allow = 7 & ~rows[i].allow;
		rox_resp_reconfigure(&q.r, &q.cfg);
		KUNIT_EXPECT_EQ(test, rq_recv(&q, rows[i].opcode, 1, 0), ROX_RESP_FATAL);
		KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_ACCESS);
	}
}

static void rox_resp_rx__one_nak_for_a_gap(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 1, 1), ROX_RESP_DONE);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_OUT_OF_ORDER);
	rq_expect_aeth(test, &q, 0, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 2, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1);
	rq_expect_aeth(test, &q, 0, ROX_AETH_ACK_UNLIMITED);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 2, 1);
	rq_expect_aeth(test, &q, 1, ROX_AETH_NAK_PSN_SEQ);
}

static void rox_resp_rx__a_closed_gap_needs_no_nak(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 1, 1);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1);
	rq_expect_aeth(test, &q, 0, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_rx__duplicate_send_gets_the_latest_ack(struct kunit *test)
{
	struct recv_queue q;
	u32 i;

	rq_start(&q, ROX_SVC_RC);
	for (i = 0; i < 3; i++)
		rq_recv(&q, ROX_OP_RC_SEND_ONLY, i, 1);
	rq_expect_aeth(test, &q, 2, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 0, 1), ROX_RESP_DONE);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_DUPLICATE);
	rq_expect_aeth(test, &q, 2, ROX_AETH_ACK_UNLIMITED);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 3);
	KUNIT_EXPECT_EQ(test, q.r.counts.duplicates, 1);
}

static void rox_resp_rx__duplicate_atomic_gets_the_same_answer(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_recv(&q, ROX_OP_RC_FETCH_ADD, 0, 0);
	rq_recv(&q, ROX_OP_RC_SEND_ONLY, 1, 0);
	while (rq_reply(&q))
		;
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_FETCH_ADD, 0, 0), ROX_RESP_DONE);
	KUNIT_ASSERT_TRUE(test, rq_reply(&q));
	KUNIT_EXPECT_EQ(test, q.reply.hdr.opcode, ROX_OP_RC_ATOMIC_ACKNOWLEDGE);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.psn, RQ_PSN);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.atomic_orig, 0x1111);
	KUNIT_EXPECT_EQ(test, q.reply.hdr.msn, 1);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_RDMA_READ_REQUEST, 0, 0), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_FETCH_ADD, 1, 0), ROX_RESP_DROP);
}

static void rox_resp_rx__more_reads_than_records(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 1);
	rq_read(&q, 1, 1);
	KUNIT_EXPECT_EQ(test, rq_read(&q, 2, 1), ROX_RESP_FATAL);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_BUSY);
	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 1);
	rq_read(&q, 1, 1);
	rq_reply(&q);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_FETCH_ADD, 2, 0), ROX_RESP_EXEC);
}

static void rox_resp_rx__more_atomics_than_records(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_recv(&q, ROX_OP_RC_FETCH_ADD, 0, 0);
	rq_recv(&q, ROX_OP_RC_FETCH_ADD, 1, 0);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_FETCH_ADD, 2, 0), ROX_RESP_FATAL);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_BUSY);
}

/* What was a READ is not carried out as an atomic the second time. */
static void rox_resp_rx__duplicate_of_another_kind(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 1);
	while (rq_reply(&q))
		;
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_FETCH_ADD, 0, 0), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_DUPLICATE);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

/* The requester has its answer, so an echo of the request must not count. */
static void rox_resp_rx__replay_does_not_hold_a_record(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 1);
	rq_read(&q, 1, 1);
	while (rq_reply(&q))
		;
	rq_read(&q, 0, 1);
	KUNIT_EXPECT_EQ(test, rq_read(&q, 2, 1), ROX_RESP_EXEC);
}

/* ... but a part of the answer is not an answer. */
static void rox_resp_rx__part_of_an_answer_holds_a_record(struct kunit *test)
{
	struct rox_pkt part = rq_pkt(ROX_OP_RC_RDMA_READ_REQUEST, 0, 0);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_read(&q, 0, 3 * RQ_PMTU);
	rq_read(&q, 3, 1);
	part.dma_len = RQ_PMTU;
	rq_take(&q, &part);
	rq_reply(&q);
	KUNIT_EXPECT_EQ(test, rq_read(&q, 4, 1), ROX_RESP_FATAL);
}

static void rox_resp_rx__no_records(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rox_resp_init(&q.r, NULL, 0);
	rox_resp_start(&q.r, &q.cfg, RQ_PSN);
	KUNIT_EXPECT_EQ(test, rq_read(&q, 0, 1), ROX_RESP_FATAL);
}

static void rox_resp_rnr__silence_behind_it(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_SEND_ONLY, 0, 1);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rq_look(&q, &p), ROX_RESP_EXEC);
	rox_resp_rnr(&q.r, &p);
	rq_expect_aeth(test, &q, 0, ROX_AETH_RNR_NAK | 12);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_RC_SEND_ONLY, 1, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
	KUNIT_EXPECT_EQ(test, rq_take(&q, &p), ROX_RESP_EXEC);
	rq_expect_aeth(test, &q, 0, ROX_AETH_ACK_UNLIMITED);
}

static void rox_resp_rnr__write_with_imm_counts_once(struct kunit *test)
{
	struct rox_pkt first = rq_pkt(ROX_OP_RC_RDMA_WRITE_FIRST, 0, RQ_PMTU);
	struct rox_pkt last = rq_pkt(ROX_OP_RC_RDMA_WRITE_LAST_WITH_IMM, 1, 10);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	first.dma_len = RQ_PMTU + 10;
	rq_take(&q, &first);
	KUNIT_EXPECT_EQ(test, rq_look(&q, &last), ROX_RESP_EXEC);
	rox_resp_rnr(&q.r, &last);
	KUNIT_EXPECT_EQ(test, rq_take(&q, &last), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.va, 0x10000 + RQ_PMTU);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, RQ_PMTU + 10);
}

static void rox_resp_refuse__ends_it(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_RDMA_WRITE_ONLY, 0, 1);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_RC);
	rq_look(&q, &p);
	rox_resp_refuse(&q.r, &p, ROX_AETH_NAK_REM_ACC);
	KUNIT_EXPECT_TRUE(test, q.r.dead);
	rq_expect_aeth(test, &q, 0, ROX_AETH_NAK_REM_ACC);
	KUNIT_EXPECT_EQ(test, rq_look(&q, &p), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_QP_STATE);
}

static void rox_resp_rx__uc_gap_drops_the_message(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_FIRST, 0, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.needs_recv);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_MIDDLE, 2, RQ_PMTU), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_LAST, 3, 1), ROX_RESP_DROP);
	/* The receive of the broken message serves the next one. */
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 4, 1), ROX_RESP_EXEC);
	KUNIT_EXPECT_FALSE(test, q.op.needs_recv);
	KUNIT_EXPECT_EQ(test, q.op.offset, 0);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 9, 1), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.needs_recv);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 8, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_DUPLICATE);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

/* A forged packet far ahead took the connection's next eight million along. */
static void rox_resp_rx__uc_far_ahead_costs_one_message(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_FIRST, 0, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_MIDDLE, 0x7fffff, RQ_PMTU),
			ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_LAST, 1, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 2, 1), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 3, 1), ROX_RESP_EXEC);
	/* Overtaken still is late. */
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 3 - ROX_UC_LATE + 1, 1),
			ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_DUPLICATE);
}

static void rox_resp_rx__uc_new_message_without_an_end(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	rq_recv(&q, ROX_OP_UC_SEND_FIRST, 0, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 1, 1), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, q.op.offset, 0);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, 1);
}

static void rox_resp_rx__uc_invalid_is_skipped(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_FIRST, 0, 4), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_LENGTH);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_LAST, 1, 4), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 2, 4), ROX_RESP_EXEC);
	KUNIT_EXPECT_FALSE(test, q.r.dead);
}

static void rox_resp_rnr__uc_skips_the_message(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_UC_SEND_FIRST, 0, RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	rq_look(&q, &p);
	rox_resp_rnr(&q.r, &p);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_LAST, 1, 4), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 2, 4), ROX_RESP_EXEC);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_refuse__uc_skips_the_message(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_UC_RDMA_WRITE_FIRST, 0, RQ_PMTU);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	p.dma_len = RQ_PMTU + 1;
	KUNIT_EXPECT_EQ(test, rq_look(&q, &p), ROX_RESP_EXEC);
	rox_resp_refuse(&q.r, &p, ROX_AETH_NAK_REM_ACC);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_RDMA_WRITE_LAST, 1, 1), ROX_RESP_DROP);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_RDMA_WRITE_ONLY, 2, 1), ROX_RESP_EXEC);
	KUNIT_EXPECT_FALSE(test, q.r.dead);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static void rox_resp_rx__ud(struct kunit *test)
{
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UD);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UD_SEND_ONLY, 77, RQ_PMTU), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.first && q.op.last && q.op.needs_recv && q.op.completes);
	KUNIT_EXPECT_EQ(test, q.op.msg_bytes, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UD_SEND_ONLY_WITH_IMM, 3, 0), ROX_RESP_EXEC);
	KUNIT_EXPECT_TRUE(test, q.op.needs_recv);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UD_SEND_ONLY, 0, RQ_PMTU + 1), ROX_RESP_DROP);
	KUNIT_EXPECT_FALSE(test, rq_reply(&q));
}

static struct kunit_case responder_cases[] = {
	KUNIT_CASE(rox_resp_rx__not_for_us),
	KUNIT_CASE(rox_resp_rx__send),
	KUNIT_CASE(rox_resp_rx__write),
	KUNIT_CASE(rox_resp_rx__empty_write),
	KUNIT_CASE(rox_resp_rx__invalid_requests),
	KUNIT_CASE(rox_resp_rx__longest_send),
	KUNIT_CASE(rox_resp_rx__access_of_the_qp),
	KUNIT_CASE(rox_resp_rx__one_nak_for_a_gap),
	KUNIT_CASE(rox_resp_rx__a_closed_gap_needs_no_nak),
	KUNIT_CASE(rox_resp_rx__duplicate_send_gets_the_latest_ack),
	KUNIT_CASE(rox_resp_rx__duplicate_atomic_gets_the_same_answer),
	KUNIT_CASE(rox_resp_rx__more_reads_than_records),
	KUNIT_CASE(rox_resp_rx__more_atomics_than_records),
	KUNIT_CASE(rox_resp_rx__duplicate_of_another_kind),
	KUNIT_CASE(rox_resp_rx__replay_does_not_hold_a_record),
	KUNIT_CASE(rox_resp_rx__part_of_an_answer_holds_a_record),
	KUNIT_CASE(rox_resp_rx__no_records),
	KUNIT_CASE(rox_resp_rnr__silence_behind_it),
	KUNIT_CASE(rox_resp_rnr__write_with_imm_counts_once),
	KUNIT_CASE(rox_resp_refuse__ends_it),
	KUNIT_CASE(rox_resp_rx__uc_gap_drops_the_message),
	KUNIT_CASE(rox_resp_rx__uc_far_ahead_costs_one_message),
	KUNIT_CASE(rox_resp_rx__uc_new_message_without_an_end),
	KUNIT_CASE(rox_resp_rx__uc_invalid_is_skipped),
	KUNIT_CASE(rox_resp_rnr__uc_skips_the_message),
	KUNIT_CASE(rox_resp_refuse__uc_skips_the_message),
	KUNIT_CASE(rox_resp_rx__ud),
	{}
};

static struct kunit_suite responder_suite = {
	.name = "responder",
	.test_cases = responder_cases,
};

kunit_test_suite(responder_suite);
