// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the requester's receiving side. */

#include <stdio.h>

#include "send_queue.h"

/* Three SENDs of one packet, in flight. */
static void start_sends(struct send_queue *q, u32 n)
{
	sq_start(q, ROX_SVC_RC);
	while (n--)
		sq_post(q, ROX_WR_SEND, 1, 0);
	sq_send_all(q);
}

static void rox_req_rx__ack_is_cumulative(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 3);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 1), ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
}

static void rox_req_rx__ghosts_and_echoes(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 3);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 3), ROX_DROP_GHOST);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 1000), ROX_DROP_GHOST);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 3, ROX_AETH_NAK_INV_REQ), ROX_DROP_GHOST);
	sq_ack(&q, 1);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 1), ROX_DROP_STALE);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 0, ROX_AETH_NAK_REM_ACC), ROX_DROP_STALE);
	KUNIT_EXPECT_EQ(test, q.r.counts.stale_acks, 2);
	sq_ack(&q, 2);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 2), ROX_DROP_STALE);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 3), ROX_DROP_GHOST);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
}

static void rox_req_rx__not_for_us(struct kunit *test)
{
	struct rox_pkt p = sq_answer(ROX_OP_RC_SEND_ONLY, 0);
	struct send_queue q;

	start_sends(&q, 1);
	KUNIT_EXPECT_EQ(test, rox_req_rx(&q.r, &p, q.now, &q.place), ROX_DROP_OPCODE);
	p.opcode = ROX_OP_UC_SEND_ONLY;
	KUNIT_EXPECT_EQ(test, rox_req_rx(&q.r, &p, q.now, &q.place), ROX_DROP_SERVICE);
	rox_req_error(&q.r, ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 0), ROX_DROP_QP_STATE);
	sq_start(&q, ROX_SVC_UC);
	KUNIT_EXPECT_EQ(test, sq_ack(&q, 0), ROX_DROP_SERVICE);
}

static void rox_req_rx__reserved_syndromes(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 1);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 0, 0x40), ROX_DROP_UNSUPPORTED);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 0, ROX_AETH_NAK | 4), ROX_DROP_UNSUPPORTED);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
}

static void rox_req_rx__sequence_nak_once_for_a_gap(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 4);
	sq_aeth(&q, 1, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_TRUE(test, q.pkt.again);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 1));
	sq_aeth(&q, 1, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 2);
	sq_ack(&q, 1);
	sq_aeth(&q, 2, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 2);
	KUNIT_EXPECT_EQ(test, q.r.counts.retransmits, 5);
}

static void rox_req_rx__last_of_a_pass_asks_for_an_ack(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 64;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 20 * SQ_PMTU, 0);
	sq_send(&q);
	sq_send(&q);
	sq_send(&q);
	sq_aeth(&q, 0, ROX_AETH_NAK_PSN_SEQ);
	sq_send(&q);
	sq_send(&q);
	KUNIT_EXPECT_FALSE(test, q.pkt.hdr.ackreq);
	sq_send(&q);
	KUNIT_EXPECT_TRUE(test, q.pkt.again);
	KUNIT_EXPECT_TRUE(test, q.pkt.hdr.ackreq);
	sq_send(&q);
	KUNIT_EXPECT_FALSE(test, q.pkt.again);
}

static void rox_req_answer_is_due__until_the_packet_that_asked_is_acknowledged(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 64;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 20 * SQ_PMTU, 0);
	for (i = 0; i < 16; i++) {
		KUNIT_EXPECT_FALSE(test, rox_req_answer_is_due(&q.r));
		sq_send(&q);
		KUNIT_EXPECT_EQ(test, q.pkt.hdr.ackreq, i == 15);
	}
	KUNIT_EXPECT_TRUE(test, rox_req_answer_is_due(&q.r));
	sq_send(&q);
	sq_ack(&q, 14);
	KUNIT_EXPECT_TRUE(test, rox_req_answer_is_due(&q.r));
	sq_ack(&q, 15);
	KUNIT_EXPECT_FALSE(test, rox_req_answer_is_due(&q.r));
}

static void rox_req_answer_is_due__not_while_something_is_sent_again(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 4);
	KUNIT_EXPECT_TRUE(test, rox_req_answer_is_due(&q.r));
	sq_aeth(&q, 1, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_FALSE(test, rox_req_answer_is_due(&q.r));
	sq_send_all(&q);
	KUNIT_EXPECT_TRUE(test, rox_req_answer_is_due(&q.r));
}

static void rox_req_answer_is_due__never_after_an_error(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 4);
	rox_req_error(&q.r, ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_FALSE(test, rox_req_answer_is_due(&q.r));
}

static void rox_req_answer_is_due__of_a_read(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 2 * SQ_PMTU, 0);
	sq_send(&q);
	KUNIT_EXPECT_TRUE(test, rox_req_answer_is_due(&q.r));
}

static void rox_req_rx__ack_overtakes_the_resending(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 4);
	sq_aeth(&q, 0, ROX_AETH_NAK_PSN_SEQ);
	sq_send(&q);
	sq_ack(&q, 2);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 3));
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

static void rox_req_rx__rnr_nak(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 3);
	sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 20);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), q.now + rox_rnr_ns(20));
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 20), ROX_DROP_STALE);
	q.now += rox_rnr_ns(20);
	rox_req_tick(&q.r, q.now - 1);
	KUNIT_EXPECT_EQ(test, rox_req_next(&q.r, q.now - 1, &q.pkt), ROX_REQ_BLOCKED);
	rox_req_tick(&q.r, q.now);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 20), ROX_DROP_STALE);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, q.r.counts.rnr_naks, 1);
	/* What follows waits for the answer to the first. */
	KUNIT_EXPECT_TRUE(test, q.pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	sq_ack(&q, 1);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_rx__rnr_retries_run_out(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	start_sends(&q, 1);
	for (i = 0; i < 2; i++) {
		sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 1);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
		q.now += rox_rnr_ns(1);
		KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	}
	sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 1);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_RNR_RETRY_EXC_ERR);
}

static void rox_req_rx__rnr_retries_refill_and_never_end(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	start_sends(&q, 2);
	for (i = 0; i < 5; i++) {
		sq_aeth(&q, i / 2, ROX_AETH_RNR_NAK | 1);
		q.now += rox_rnr_ns(1);
		sq_send_all(&q);
		if (i == 1)
			sq_ack(&q, 0);
		if (i == 1)
			KUNIT_EXPECT_EQ(test, q.r.rnr_left, 2);
		if (i == 3)
			break;
	}
	q.cfg.rnr_retry = 7;
	rox_req_reconfigure(&q.r, &q.cfg);
	for (i = 0; i < 100; i++) {
		KUNIT_EXPECT_EQ(test, sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 1), ROX_DROP_NONE);
		q.now = rox_req_deadline(&q.r);
		sq_send_all(&q);
	}
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
}

static void rox_req_rx__progress_ends_the_rnr_wait(struct kunit *test)
{
	struct send_queue q;

	start_sends(&q, 2);
	sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 20);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 1));
}

static void rox_req_rx__fatal_naks(struct kunit *test)
{
	static const struct {
		u8 syndrome;
		enum rox_wc_status status;
	} rows[] = {
		{ ROX_AETH_NAK_INV_REQ, ROX_WC_REM_INV_REQ_ERR },
		{ ROX_AETH_NAK_REM_ACC, ROX_WC_REM_ACCESS_ERR },
		{ ROX_AETH_NAK_REM_OP, ROX_WC_REM_OP_ERR },
	};
	struct send_queue q;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		start_sends(&q, 3);
		sq_aeth(&q, 1, rows[i].syndrome);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), rows[i].status);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
		KUNIT_EXPECT_EQ(test, q.r.failed, rows[i].status);
	}
}

static void rox_req_rx__fatal_nak_behind_a_lost_response(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	sq_aeth(&q, 1, ROX_AETH_NAK_REM_OP);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_REM_OP_ERR);
}

/* A READ of seven packets in pieces of four and three. */
static void start_read(struct send_queue *q)
{
	sq_start(q, ROX_SVC_RC);
	sq_post(q, ROX_WR_RDMA_READ, 6 * SQ_PMTU + 1, 0);
	sq_send_all(q);
}

static void rox_req_rx__read(struct kunit *test)
{
	static const u8 opcodes[] = {
		ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE,
		ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, ROX_OP_RC_RDMA_READ_RESPONSE_LAST,
		ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE,
		ROX_OP_RC_RDMA_READ_RESPONSE_LAST,
	};
	struct send_queue q;
	u32 i;

	start_read(&q);
	for (i = 0; i < 7; i++) {
		KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
		KUNIT_EXPECT_EQ(test, sq_data(&q, i, opcodes[i], i < 6 ? SQ_PMTU : 1),
				ROX_DROP_NONE);
		KUNIT_EXPECT_EQ(test, q.place.offset, i * SQ_PMTU);
	}
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, q.r.rd_inflight, 0);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
}

static void rox_req_rx__empty_read(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 0, 0);
	sq_send_all(&q);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, q.place.bytes, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
}

/* The last packet asks for @nr packets of a READ, from the @n-th on. */
static void expect_read(struct kunit *test, const struct send_queue *q, u32 n, u32 nr)
{
	const struct rox_pkt *h = &q->pkt.hdr;
	u32 left = q->pkt.wr->length - n * SQ_PMTU;

	KUNIT_EXPECT_EQ(test, h->opcode, ROX_OP_RC_RDMA_READ_REQUEST);
	KUNIT_EXPECT_TRUE(test, q->pkt.again);
	KUNIT_EXPECT_EQ(test, h->psn, rox_psn_add(SQ_PSN, n));
	KUNIT_EXPECT_EQ(test, h->va, 0x10000 + n * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, h->dma_len, min(left, nr * SQ_PMTU));
}

static void rox_req_rx__lost_response_is_asked_for(struct kunit *test)
{
	struct send_queue q;

	start_read(&q);
	sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 3, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, SQ_PMTU),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, q.place.offset, 3 * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 1, 2);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	/* The part begins with FIRST. */
	KUNIT_EXPECT_EQ(test, sq_data(&q, 1, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, SQ_PMTU),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, q.r.rd_inflight, 2);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 2, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, SQ_PMTU),
			ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, q.r.rd_inflight, 1);
	KUNIT_EXPECT_EQ(test, rox_psn_sub(q.r.una, SQ_PSN), 4);
}

static void rox_req_rx__each_hole_is_asked_for_once(struct kunit *test)
{
	static const u8 middle = ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE;
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.read_chunk = 8;
	sq_restart(&q);
	sq_post(&q, ROX_WR_RDMA_READ, 8 * SQ_PMTU, 0);
	sq_send_all(&q);
	sq_data(&q, 1, middle, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 0, 1);
	sq_data(&q, 2, middle, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	sq_data(&q, 5, middle, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	/* From the first that is missing: see lowest_missing(). */
	expect_read(test, &q, 0, 5);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 5, middle, SQ_PMTU), ROX_DROP_DUPLICATE);
	sq_data(&q, 0, middle, SQ_PMTU);
	sq_data(&q, 7, ROX_OP_RC_RDMA_READ_RESPONSE_LAST, SQ_PMTU);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 3, 4);
	/* A time-out asks for what is missing, and not for what came. */
	q.now = rox_req_deadline(&q.r);
	rox_req_tick(&q.r, q.now);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 3, 4);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

/* SENDs between READs were carried out, or the later READ had no answer. */
static void rox_req_rx__only_what_is_missing_goes_again(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_SEND, 3 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	sq_data(&q, 4, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 0, 1);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
	sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
}

/* A READ at PSN 0, then SENDs, all under way. */
static void start_read_and_sends(struct send_queue *q, u32 sends)
{
	sq_start(q, ROX_SVC_RC);
	sq_post(q, ROX_WR_RDMA_READ, 1, 0);
	while (sends--)
		sq_post(q, ROX_WR_SEND, 1, 0);
	sq_send_all(q);
}

static void rox_req_rx__sequence_nak_behind_a_hole(struct kunit *test)
{
	struct send_queue q;

	start_read_and_sends(&q, 3);
	sq_aeth(&q, 2, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 0, 1);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 2));
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 1, ROX_AETH_NAK_PSN_SEQ), ROX_DROP_STALE);
}

/* Each of them, as fast as a peer likes to say so, brought a window once more. */
static void rox_req_rx__rnr_nak_behind_a_hole_waits(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	start_read_and_sends(&q, 3);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, sq_aeth(&q, 2, ROX_AETH_RNR_NAK | 20),
				i ? ROX_DROP_STALE : ROX_DROP_NONE);
		KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	}
	q.now += rox_rnr_ns(20);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	expect_read(test, &q, 0, 1);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_BLOCKED);
	/* The answer says nothing about the peer's being ready. */
	sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.psn, rox_psn_add(SQ_PSN, 2));
	KUNIT_EXPECT_EQ(test, sq_aeth(&q, 2, ROX_AETH_RNR_NAK | 20), ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, q.r.counts.rnr_naks, 2);
	q.now += rox_rnr_ns(20);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	sq_ack(&q, 2);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
}

static void rox_req_rx__rnr_retries_run_out_behind_a_hole(struct kunit *test)
{
	struct send_queue q;
	u32 i;

	start_read_and_sends(&q, 1);
	for (i = 0; i < 2; i++) {
		sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 1);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
		q.now += rox_rnr_ns(1);
		sq_send_all(&q);
		/* Else no second try of the SEND before the READ is answered. */
		if (!i)
			sq_data(&q, 0, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 1);
		sq_send_all(&q);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), i ? -1 : ROX_WC_SUCCESS);
	}
	sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 1);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_RNR_RETRY_EXC_ERR);
}

static void rox_req_rx__ack_past_a_read_is_a_lost_response(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_post(&q, ROX_WR_RDMA_READ, 1, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	sq_ack(&q, 2);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), -1);
	KUNIT_EXPECT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	KUNIT_EXPECT_EQ(test, q.pkt.hdr.opcode, ROX_OP_RC_RDMA_READ_REQUEST);
}

static void rox_req_rx__response_acknowledges_what_precedes(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_post(&q, ROX_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	sq_send_all(&q);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 2, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, 0), ROX_DROP_NONE);
	KUNIT_EXPECT_TRUE(test, q.place.atomic);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
}

static void expect_bad_response(struct kunit *test, u8 wr, u8 opcode, u32 bytes)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, wr, 8, 0);
	sq_send_all(&q);
	KUNIT_EXPECT_EQ(test, sq_data(&q, 0, opcode, bytes), ROX_DROP_SEQUENCE);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_BAD_RESP_ERR);
}

static void rox_req_rx__bad_responses(struct kunit *test)
{
	expect_bad_response(test, ROX_WR_SEND, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 8);
	expect_bad_response(test, ROX_WR_SEND, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, 0);
	expect_bad_response(test, ROX_WR_RDMA_READ, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, 0);
	expect_bad_response(test, ROX_WR_RDMA_READ, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 7);
	expect_bad_response(test, ROX_WR_RDMA_READ, ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 9);
	expect_bad_response(test, ROX_WR_RDMA_READ, ROX_OP_RC_RDMA_READ_RESPONSE_FIRST, 8);
	expect_bad_response(test, ROX_WR_ATOMIC_CMP_AND_SWP,
			    ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 8);
}

static void rox_req_placed__local_error(struct kunit *test)
{
	struct rox_pkt p = sq_answer(ROX_OP_RC_ATOMIC_ACKNOWLEDGE, 0);
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_ATOMIC_FETCH_AND_ADD, 8, 0);
	sq_send_all(&q);
	rox_req_rx(&q.r, &p, q.now, &q.place);
	rox_req_placed(&q.r, &q.place, ROX_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_ERROR);
}

/* Lost packets halve what is in flight, once for all of a window. */
static void rox_req_next__less_in_flight_after_loss(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 100 * SQ_PMTU, 0);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 8);
	sq_aeth(&q, 0, ROX_AETH_NAK_PSN_SEQ);
	sq_aeth(&q, 0, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 4);	/* again */
	KUNIT_EXPECT_TRUE(test, q.pkt.again);
	sq_ack(&q, 3);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 5);	/* 4 again, and 1 for 4 that arrived */
	sq_ack(&q, 7);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 4);
	sq_aeth(&q, 8, ROX_AETH_NAK_PSN_SEQ);
	sq_send_all(&q);
	sq_ack(&q, 12);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 3);
}

/* Nothing is known of the path at first; then twice as much with each window. */
static void rox_req_next__begins_with_a_small_window(struct kunit *test)
{
	struct send_queue q;
	u32 sent;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.window = 256;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 2000 * SQ_PMTU, 0);
	sent = sq_send_all(&q);
	KUNIT_EXPECT_EQ(test, sent, 64);
	sq_ack(&q, sent - 1);
	sent += sq_send_all(&q);
	KUNIT_EXPECT_EQ(test, sent, 64 + 128);
	sq_ack(&q, sent - 1);
	sent += sq_send_all(&q);
	sq_ack(&q, sent - 1);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 256);
	sq_aeth(&q, sent, ROX_AETH_NAK_PSN_SEQ);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 128);
	sq_ack(&q, sent + 127);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 129);
}

/* ... and it grows back, by one with each window that arrives, to the full one. */
static void rox_req_next__more_in_flight_without_loss(struct kunit *test)
{
	u32 sent = 0, i;
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 1000 * SQ_PMTU, 0);
	sq_send_all(&q);
	for (i = 0; i < 3; i++) {
		q.now = rox_req_deadline(&q.r);
		rox_req_tick(&q.r, q.now);
	}
	KUNIT_EXPECT_EQ(test, q.r.counts.timeouts, 3);
	sq_send_all(&q);
	for (i = 0, sent = 8; i < 20; i++) {
		sq_ack(&q, sent - 1);
		sent += sq_send_all(&q);
		KUNIT_EXPECT_LE(test, rox_psn_sub(q.r.psn, q.r.una), 8);
	}
	KUNIT_EXPECT_EQ(test, rox_psn_sub(q.r.psn, q.r.una), 8);
}

static struct kunit_case requester_ack_cases[] = {
	KUNIT_CASE(rox_req_rx__ack_is_cumulative),
	KUNIT_CASE(rox_req_rx__ghosts_and_echoes),
	KUNIT_CASE(rox_req_rx__not_for_us),
	KUNIT_CASE(rox_req_rx__reserved_syndromes),
	KUNIT_CASE(rox_req_rx__sequence_nak_once_for_a_gap),
	KUNIT_CASE(rox_req_rx__last_of_a_pass_asks_for_an_ack),
	KUNIT_CASE(rox_req_answer_is_due__until_the_packet_that_asked_is_acknowledged),
	KUNIT_CASE(rox_req_answer_is_due__not_while_something_is_sent_again),
	KUNIT_CASE(rox_req_answer_is_due__never_after_an_error),
	KUNIT_CASE(rox_req_answer_is_due__of_a_read),
	KUNIT_CASE(rox_req_rx__ack_overtakes_the_resending),
	KUNIT_CASE(rox_req_rx__rnr_nak),
	KUNIT_CASE(rox_req_rx__rnr_retries_run_out),
	KUNIT_CASE(rox_req_rx__rnr_retries_refill_and_never_end),
	KUNIT_CASE(rox_req_rx__progress_ends_the_rnr_wait),
	KUNIT_CASE(rox_req_rx__fatal_naks),
	KUNIT_CASE(rox_req_rx__fatal_nak_behind_a_lost_response),
	KUNIT_CASE(rox_req_rx__read),
	KUNIT_CASE(rox_req_rx__empty_read),
	KUNIT_CASE(rox_req_rx__lost_response_is_asked_for),
	KUNIT_CASE(rox_req_rx__each_hole_is_asked_for_once),
	KUNIT_CASE(rox_req_rx__only_what_is_missing_goes_again),
	KUNIT_CASE(rox_req_rx__sequence_nak_behind_a_hole),
	KUNIT_CASE(rox_req_rx__rnr_nak_behind_a_hole_waits),
	KUNIT_CASE(rox_req_rx__rnr_retries_run_out_behind_a_hole),
	KUNIT_CASE(rox_req_rx__ack_past_a_read_is_a_lost_response),
	KUNIT_CASE(rox_req_rx__response_acknowledges_what_precedes),
	KUNIT_CASE(rox_req_rx__bad_responses),
	KUNIT_CASE(rox_req_placed__local_error),
	KUNIT_CASE(rox_req_next__less_in_flight_after_loss),
	KUNIT_CASE(rox_req_next__begins_with_a_small_window),
	KUNIT_CASE(rox_req_next__more_in_flight_without_loss),
	{}
};

static struct kunit_suite requester_ack_suite = {
	.name = "requester_ack",
	.test_cases = requester_ack_cases,
};

kunit_test_suite(requester_ack_suite);
