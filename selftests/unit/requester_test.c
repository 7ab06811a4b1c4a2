// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the requester's sending side. */

#include <stdio.h>

#include "send_queue.h"

static void rox_req_start__limits_what_is_configured(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 0;
	q.cfg.read_chunk = 0;
	q.cfg.min_rto_ns = 0;
	sq_restart(&q);
	KUNIT_EXPECT_EQ(test, q.r.cfg.window, 2);
	KUNIT_EXPECT_EQ(test, q.r.cfg.read_chunk, 1);
	KUNIT_EXPECT_GT(test, q.r.cfg.min_rto_ns, 0);
	q.cfg.window = ~0u;
	sq_restart(&q);
	KUNIT_EXPECT_LE(test, q.r.cfg.window, ROX_PSN_HALF / 2);
}

static void rox_req_reconfigure__takes_effect(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.rnr_retry = 0;
	q.cfg.pmtu = 4096;
	rox_req_reconfigure(&q.r, &q.cfg);
	KUNIT_EXPECT_EQ(test, q.r.cfg.pmtu, SQ_PMTU);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_send_all(&q);
	sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 1);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_RNR_RETRY_EXC_ERR);
}

static void rox_req_drain__finishes_what_it_began(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 3 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_send(&q);
	rox_req_drain(&q.r, true);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 2);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	KUNIT_EXPECT_FALSE(test, rox_req_drained(&q.r));
	sq_ack(&q, 2);
	KUNIT_EXPECT_FALSE(test, rox_req_drained(&q.r));
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, rox_req_drained(&q.r));
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	rox_req_drain(&q.r, false);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_drained__empty_queue(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_FALSE(test, rox_req_drained(&q.r));
	rox_req_drain(&q.r, true);
	KUNIT_EXPECT_TRUE(test, rox_req_drained(&q.r));
}

static void rox_req_error__blames_the_oldest_unfinished(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_send_all(&q);
	sq_ack(&q, 0);
	rox_req_error(&q.r, ROX_WC_FATAL_ERR);
	rox_req_error(&q.r, ROX_WC_RETRY_EXC_ERR);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_FATAL_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
	KUNIT_EXPECT_EQ(test, q.r.failed, ROX_WC_FATAL_ERR);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

static void rox_req_error__nobody_to_blame(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	rox_req_error(&q.r, ROX_WC_FATAL_ERR);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
}

static void rox_req_error__flushes_a_local_operation_behind(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	sq_post(&q, ROX_WR_REG_MR, 0, 0);
	sq_send_all(&q);
	rox_req_local_done(&q.r, ROX_WC_SUCCESS);
	rox_req_error(&q.r, ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
}

static void rox_req_resume__goes_on_with_new_ones(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_UD);
	sq_post(&q, ROX_WR_SEND, SQ_PMTU + 1, 0);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 0);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_ERROR);
	rox_req_resume(&q.r);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
}

static void rox_req_accept__before_start_waits(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	rox_req_init(&q.r, q.slots, sizeof(q.slots[0]), SQ_SLOTS);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	rox_req_start(&q.r, &q.cfg, SQ_PSN);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_accept__malformed_in_its_turn(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	rox_req_slot(&q.r)->opcode = ROX_WR_SEND;
	rox_req_accept(&q.r, ROX_WC_LOC_QP_OP_ERR);
	sq_post(&q, ROX_WR_SEND, 10, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
}

static void rox_req_next__write_headers(struct kunit *test)
{
	struct send_queue q;
	struct rox_pkt *h = &q.pkt.hdr;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_WRITE_WITH_IMM, 2 * SQ_PMTU + 5, ROX_SQE_SOLICITED);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_RDMA_WRITE_FIRST);
	KUNIT_EXPECT_EQ(test, h->psn, SQ_PSN);
	KUNIT_EXPECT_EQ(test, h->dma_len, 2 * SQ_PMTU + 5);
	KUNIT_EXPECT_EQ(test, h->payload_bytes, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, h->dqpn, 0x77);
	KUNIT_EXPECT_EQ(test, h->hdr_bytes, ROX_BTH_BYTES + ROX_RETH_BYTES);
	KUNIT_EXPECT_FALSE(test, h->solicited);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_RDMA_WRITE_MIDDLE);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_RDMA_WRITE_LAST_WITH_IMM);
	KUNIT_EXPECT_EQ(test, h->psn, 0);
	KUNIT_EXPECT_EQ(test, q.pkt.offset, 2 * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, h->payload_bytes, 5);
	KUNIT_EXPECT_EQ(test, h->pad, 3);
	KUNIT_EXPECT_TRUE(test, h->solicited);
	KUNIT_EXPECT_TRUE(test, h->ackreq);
	KUNIT_EXPECT_MEMEQ(test, &h->imm, &q.pkt.wr->imm, 4);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

static void rox_req_next__invalidate_header(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND_WITH_INV, 0, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.opcode, ROX_OP_RC_SEND_ONLY_WITH_INVALIDATE);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.ieth, 0x01020304);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.payload_bytes, 0);
}

static void rox_req_next__atomic_headers(struct kunit *test)
{
	struct send_queue q;
	struct rox_pkt *h = &q.pkt.hdr;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_ATOMIC_CMP_AND_SWP, 8, 0);
	sq_post(&q, ROX_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_COMPARE_SWAP);
	KUNIT_EXPECT_EQ(test, h->compare, 11);
	KUNIT_EXPECT_EQ(test, h->swap_add, 22);
	KUNIT_EXPECT_EQ(test, h->va, 0x10000);
	KUNIT_EXPECT_EQ(test, h->payload_bytes, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_FETCH_ADD);
	KUNIT_EXPECT_EQ(test, h->swap_add, 11);
}

static void rox_req_next__read_in_pieces(struct kunit *test)
{
	struct send_queue q;
	struct rox_pkt *h = &q.pkt.hdr;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 6 * SQ_PMTU + 1, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_RDMA_READ_REQUEST);
	KUNIT_EXPECT_EQ(test, h->dma_len, 4 * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, q.pkt.nr_psn, 4);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, h->psn, rox_psn_add(SQ_PSN, 4));
	KUNIT_EXPECT_EQ(test, h->va, 0x10000 + 4 * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, h->dma_len, 2 * SQ_PMTU + 1);
	KUNIT_EXPECT_EQ(test, q.pkt.nr_psn, 3);
	KUNIT_EXPECT_EQ(test, q.r.rd_inflight, 2);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

static void rox_req_next__largest_read(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 1u << 31, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.wr->nr_psn, 1u << 23);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, SQ_PMTU),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
}

static void rox_req_next__read_larger_than_window(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 2;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 4 * SQ_PMTU, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_next__window_ends_with_ackreq(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 100 * SQ_PMTU, 0);
	for (i = 0; i < 8; i++) {
		KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
		KUNIT_EXPECT_EQ(test, q.pkt.hdr.ackreq, i % 2 == 1);
	}
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	KUNIT_EXPECT_NE(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
	sq_ack(&q, 1);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 2);
}

/* As many packets as there is room for, but not one for each ACK. */
static void rox_req_next__a_run_fits_the_window(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 16;
	sq_restart(&q);
	q.r.run = 6;
	sq_post(&q, ROX_WR_SEND, 100 * SQ_PMTU, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 3);	/* 6, 6 and 4 */
	KUNIT_EXPECT_EQ(test, rox_psn_sub(q.r.psn, SQ_PSN), 16);
	sq_ack(&q, 2);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 3);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.nr_psn, 4);
	sq_ack(&q, 19);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 3);
	sq_ack(&q, 35);
	q.r.run = 13;
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);	/* for 3 there is room */
}

/* The opcode of what follows a SEND, and whether the SEND asks for an ACK then. */
static bool asks_before(u8 opcode, u8 flags, u32 max_rd_atomic)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 64;
	q.cfg.max_rd_atomic = max_rd_atomic;
	sq_restart(&q);
	q.r.run = 4;
	sq_post(&q, ROX_WR_SEND, 1, 0);
	if (opcode != 0xff)
		sq_post(&q, opcode, 8, flags);
	sq_send(&q);
	return q.pkt.hdr.ackreq;
}

/* The last of several messages asks for all, unless one might wait for the ACK. */
static void rox_req_next__one_ack_for_several_messages(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	KUNIT_EXPECT_TRUE(test, asks_before(0xff, 0, 1));
	KUNIT_EXPECT_FALSE(test, asks_before(ROX_WR_SEND, 0, 1));
	KUNIT_EXPECT_FALSE(test, asks_before(ROX_WR_RDMA_WRITE, ROX_SQE_SIGNALED, 1));
	KUNIT_EXPECT_TRUE(test, asks_before(ROX_WR_SEND, ROX_SQE_FENCE, 1));
	KUNIT_EXPECT_TRUE(test, asks_before(ROX_WR_RDMA_READ, 0, 1));
	KUNIT_EXPECT_TRUE(test, asks_before(ROX_WR_ATOMIC_CMP_AND_SWP, 0, 0));
	KUNIT_EXPECT_TRUE(test, asks_before(ROX_WR_LOCAL_INV, 0, 1));
	KUNIT_EXPECT_TRUE(test, asks_before(0x77, 0, 1));

	/* Each quarter of a window asks, too. */
	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 16;
	sq_restart(&q);
	q.r.run = 4;
	for (i = 0; i < 12; i++)
		sq_post(&q, ROX_WR_SEND, 1, 0);
	for (i = 0; i < 12; i++) {
		KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
		KUNIT_EXPECT_EQ(test, q.pkt.hdr.ackreq, i % 4 == 3);
	}
	/* What goes again is not followed by anything. */
	rox_req_unsent(&q.r, rox_psn_add(SQ_PSN, 9), q.r.psn, q.now);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_TRUE(test, q.pkt.hdr.ackreq);
}

/* What did not leave goes again, and nothing else; READs and the like included. */
static void rox_req_unsent__goes_again(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 3 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 2 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 5);
	rox_req_unsent(&q.r, rox_psn_add(SQ_PSN, 2), rox_psn_add(SQ_PSN, 5), q.now);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 2));
	KUNIT_EXPECT_TRUE(test, q.pkt.again);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);	/* the READ; the rest has left */
	KUNIT_EXPECT_EQ(test, q.r.cursor, q.r.psn);
	KUNIT_EXPECT_EQ(test, q.r.rd_inflight, 1);

	/* Acknowledged meanwhile, or never sent: no effect. */
	sq_ack(&q, 2);
	rox_req_unsent(&q.r, SQ_PSN, q.r.psn, q.now);
	rox_req_unsent(&q.r, q.r.psn, q.r.psn, q.now);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 0);
}

/* It is this host's queue that is full: the peer has its time when it is reached. */
static void rox_req_unsent__costs_no_retries(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.retry_cnt = 0;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	for (i = 0; i < 100; i++) {
		KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
		rox_req_unsent(&q.r, SQ_PSN, rox_psn_add(SQ_PSN, 1), q.now);
		q.now += SQ_MS / 2;
		rox_req_tick(&q.r, q.now);
	}
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
	KUNIT_EXPECT_EQ(test, q.r.counts.timeouts, 0);
}

/* Two messages posted; the first was sent, and left asking to the second. */
static void send_first_of_two(struct kunit *test, struct send_queue *q)
{
	sq_start(q, ROX_SVC_RC);
	q->cfg.window = 64;
	sq_restart(q);
	q->r.run = 4;
	sq_post(q, ROX_WR_SEND, 1, 0);
	sq_post(q, ROX_WR_SEND, 1, 0);
	KUNIT_ASSERT_EQ(test, sq_send(q), ROX_REQ_SEND);
	KUNIT_EXPECT_FALSE(test, q->pkt.hdr.ackreq);
}

/* A message that asked for nothing, since another one was to follow, which cannot. */
static void rox_req_fail__the_message_before_asks_after_all(struct kunit *test)
{
	struct send_queue q;

	send_first_of_two(test, &q);
	KUNIT_ASSERT_EQ(test, sq_next(&q), ROX_REQ_SEND);
	rox_req_fail(&q.r, ROX_WC_LOC_PROT_ERR);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, SQ_PSN);
	KUNIT_EXPECT_TRUE(test, q.pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_PROT_ERR);
}

static void rox_req_drain__the_last_message_asks_after_all(struct kunit *test)
{
	struct send_queue q;

	send_first_of_two(test, &q);
	rox_req_drain(&q.r, true);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_TRUE(test, q.pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, rox_req_drained(&q.r));
}

static void rox_req_burst__not_before_the_peer_is_ready(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 2);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send(&q);
	sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 1);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 1);
	rox_req_hurry(&q.r, q.now);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 1);
	sq_send(&q);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 2);

	/* Losses make it shorter, and what is lost again and again goes one by one. */
	q.cfg.window = 64;
	sq_restart(&q);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 16);
	sq_post(&q, ROX_WR_SEND, 64 * SQ_PMTU, 0);
	sq_send_all(&q);
	sq_aeth(&q, 0, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 8);
	for (i = 0; i < 2; i++) {
		sq_send_all(&q);
		q.now = rox_req_deadline(&q.r);
		rox_req_tick(&q.r, q.now);
	}
	KUNIT_EXPECT_EQ(test, rox_req_burst(&q.r), 1);
}

static void rox_req_next__max_rd_atomic(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.max_rd_atomic = 2;
	sq_restart(&q);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 2);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_next__no_rd_atomic_is_an_error(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.max_rd_atomic = 0;
	sq_restart(&q);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_QP_OP_ERR);
}

static void rox_req_next__read_goes_on_without_rd_atomic(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.read_chunk = 1;
	sq_restart(&q);
	sq_post(&q, ROX_WR_RDMA_READ, 2 * SQ_PMTU, 0);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	q.cfg.max_rd_atomic = 0;
	rox_req_reconfigure(&q.r, &q.cfg);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
}

static void rox_req_next__fence(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_SEND, 1, ROX_SQE_FENCE);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_next__local_operations(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_REG_MR, 0, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_post(&q, ROX_WR_LOCAL_INV, 0, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_LOCAL);
	KUNIT_EXPECT_EQ(test, q.pkt.wr->opcode, ROX_WR_REG_MR);
	rox_req_local_done(&q.r, ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	/* The SEND may have to go again, and needs its key then. */
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_LOCAL);
	rox_req_local_done(&q.r, ROX_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_ERROR);
}

static void rox_req_next__ud(struct kunit *test)
{
	struct send_queue q;
	struct rox_wr *wr;

	sq_start(&q, ROX_SVC_UD);
	sq_post(&q, ROX_WR_SEND, SQ_PMTU, 0);
	wr = sq_post(&q, ROX_WR_SEND_WITH_IMM, 0, 0);
	wr->compare_add = 0x123456;
	wr->swap = ROX_QKEY_PRIVILEGED | 5;
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.dqpn, 11);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.qkey, 22);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.sqpn, 0x55);
	KUNIT_EXPECT_FALSE(test, q.pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.dqpn, 0x123456);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.qkey, 0x1234);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 1));
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
}

static void rox_req_next__uc_has_no_read(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_UC);
	sq_post(&q, ROX_WR_SEND, 50 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 50);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_QP_OP_ERR);
}

static void rox_req_sent__of_another_plan_is_ignored(struct kunit *test)
{
	struct rox_req_pkt old;
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_next(&q);
	old = q.pkt;
	sq_send(&q);
	rox_req_sent(&q.r, &old, q.now);
	KUNIT_EXPECT_EQ(test, q.r.psn, rox_psn_add(SQ_PSN, 1));
}

static void rox_req_fail__in_its_turn(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_post(&q, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_send(&q);
	sq_send(&q);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_SEND);
	rox_req_fail(&q.r, ROX_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_ERROR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_PROT_ERR);
}

static struct kunit_case requester_cases[] = {
	KUNIT_CASE(rox_req_start__limits_what_is_configured),
	KUNIT_CASE(rox_req_reconfigure__takes_effect),
	KUNIT_CASE(rox_req_drain__finishes_what_it_began),
	KUNIT_CASE(rox_req_drained__empty_queue),
	KUNIT_CASE(rox_req_error__blames_the_oldest_unfinished),
	KUNIT_CASE(rox_req_error__nobody_to_blame),
	KUNIT_CASE(rox_req_error__flushes_a_local_operation_behind),
	KUNIT_CASE(rox_req_resume__goes_on_with_new_ones),
	KUNIT_CASE(rox_req_accept__before_start_waits),
	KUNIT_CASE(rox_req_accept__malformed_in_its_turn),
	KUNIT_CASE(rox_req_next__write_headers),
	KUNIT_CASE(rox_req_next__invalidate_header),
	KUNIT_CASE(rox_req_next__atomic_headers),
	KUNIT_CASE(rox_req_next__read_in_pieces),
	KUNIT_CASE(rox_req_next__largest_read),
	KUNIT_CASE(rox_req_next__read_larger_than_window),
	KUNIT_CASE(rox_req_next__window_ends_with_ackreq),
	KUNIT_CASE(rox_req_next__a_run_fits_the_window),
	KUNIT_CASE(rox_req_next__one_ack_for_several_messages),
	KUNIT_CASE(rox_req_unsent__goes_again),
	KUNIT_CASE(rox_req_unsent__costs_no_retries),
	KUNIT_CASE(rox_req_fail__the_message_before_asks_after_all),
	KUNIT_CASE(rox_req_drain__the_last_message_asks_after_all),
	KUNIT_CASE(rox_req_burst__not_before_the_peer_is_ready),
	KUNIT_CASE(rox_req_next__max_rd_atomic),
	KUNIT_CASE(rox_req_next__no_rd_atomic_is_an_error),
	KUNIT_CASE(rox_req_next__read_goes_on_without_rd_atomic),
	KUNIT_CASE(rox_req_next__fence),
	KUNIT_CASE(rox_req_next__local_operations),
	KUNIT_CASE(rox_req_next__ud),
	KUNIT_CASE(rox_req_next__uc_has_no_read),
	KUNIT_CASE(rox_req_sent__of_another_plan_is_ignored),
	KUNIT_CASE(rox_req_fail__in_its_turn),
	{}
};

static struct kunit_suite requester_suite = {
	.name = "requester",
	.test_cases = requester_cases,
};

kunit_test_suite(requester_suite);
