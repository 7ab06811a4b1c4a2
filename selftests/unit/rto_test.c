// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the requester's sense of time. */

#include <stdio.h>

#include "send_queue.h"

#define ATTRIBUTE_NS	(4096ull << 12)		/* of send_queue.h */

/* One SEND per round trip of @rtt, @n times. */
static void round_trips(struct send_queue *q, u32 n, u64 rtt)
{
	u32 i;

	for (i = 0; i < n; i++) {
		sq_post(q, ROX_WR_SEND, 1, 0);
		sq_send_all(q);
		q->now += rtt;
		sq_ack(q, rox_psn_sub(q->r.psn, SQ_PSN + 1));
		sq_complete(q);
	}
}

static u64 next_rto(struct send_queue *q)
{
	sq_post(q, ROX_WR_SEND, 1, 0);
	sq_send_all(q);
	return rox_req_deadline(&q->r) - q->now;
}

static void rox_req_deadline__only_in_flight(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	KUNIT_EXPECT_NE(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
}

static void rox_req_deadline__follows_the_round_trip(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	round_trips(&q, 100, 3 * SQ_MS);
	KUNIT_EXPECT_GE(test, q.r.srtt, 29 * SQ_MS / 10);
	KUNIT_EXPECT_LE(test, q.r.srtt, 31 * SQ_MS / 10);
	KUNIT_EXPECT_LT(test, next_rto(&q), 4 * SQ_MS);
}

static void rox_req_deadline__floor_and_ceiling(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	round_trips(&q, 100, 1000);
	KUNIT_EXPECT_EQ(test, next_rto(&q), SQ_MS);
	sq_restart(&q);
	round_trips(&q, 100, 15 * SQ_MS);
	round_trips(&q, 3, 1 * SQ_MS);
	KUNIT_EXPECT_LE(test, next_rto(&q), ATTRIBUTE_NS);
}

static void rox_req_tick__early_is_harmless(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	rox_req_tick(&q.r, q.now);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	rox_req_tick(&q.r, rox_req_deadline(&q.r) - 1);
	KUNIT_EXPECT_EQ(test, q.r.counts.timeouts, 0);
	KUNIT_EXPECT_EQ(test, sq_next(&q), ROX_REQ_IDLE);
}

static void rox_req_tick__doubles(struct kunit *test)
{
	struct send_queue q;
	u64 rto, last = 0;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	round_trips(&q, 100, SQ_MS / 2);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	for (i = 0; i < 4; i++) {
		rto = rox_req_deadline(&q.r) - q.now;
		if (last)
			KUNIT_EXPECT_EQ(test, rto, 2 * last);
		last = rto;
		q.now += rto;
		rox_req_tick(&q.r, q.now);
		KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
		KUNIT_EXPECT_TRUE(test, q.pkt.again);
	}
}

/* Karn: what was sent twice measures nothing, and the doubling stays. */
static void rox_req_tick__resent_packets_do_not_measure(struct kunit *test)
{
	struct send_queue q;
	u64 srtt;

	sq_start(&q, ROX_SVC_RC);
	round_trips(&q, 100, SQ_MS / 2);
	srtt = q.r.srtt;
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	q.now = rox_req_deadline(&q.r);
	rox_req_tick(&q.r, q.now);
	sq_send_all(&q);
	q.now += 1;
	sq_ack(&q, 100);
	KUNIT_EXPECT_EQ(test, q.r.srtt, srtt);
	KUNIT_EXPECT_EQ(test, q.r.backoff, 1);
	round_trips(&q, 1, SQ_MS / 2);
	KUNIT_EXPECT_EQ(test, q.r.backoff, 0);
}

/* The round trip becomes far longer than the time-out: it is learnt. */
static void rox_req_tick__learns_a_longer_path(struct kunit *test)
{
	struct send_queue q;
	u64 ack_at;
	u32 i;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.timeout = 18;
	sq_restart(&q);
	round_trips(&q, 100, SQ_MS / 10);
	for (i = 0; i < 8; i++) {
		sq_post(&q, ROX_WR_SEND, 1, 0);
		sq_send_all(&q);
		ack_at = q.now + 50 * SQ_MS;
		while (rox_req_deadline(&q.r) < ack_at) {
			q.now = rox_req_deadline(&q.r);
			rox_req_tick(&q.r, q.now);
			sq_send_all(&q);
		}
		q.now = ack_at;
		sq_ack(&q, 100 + i);
		KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
	}
	KUNIT_EXPECT_GT(test, q.r.srtt, 5 * SQ_MS);
	KUNIT_EXPECT_GE(test, next_rto(&q), 50 * SQ_MS);
}

/* Returns when it gave up, or 0. */
static u64 run_out(struct send_queue *q, u32 most)
{
	while (most--) {
		q->now = rox_req_deadline(&q->r);
		rox_req_tick(&q->r, q->now);
		if (q->r.state == ROX_REQ_ERROR)
			return q->now;
		sq_send_all(q);
	}
	return 0;
}

static void rox_req_tick__gives_up_when_the_budget_ends(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	round_trips(&q, 10, SQ_MS / 10);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	start = q.now;
	KUNIT_EXPECT_EQ(test, run_out(&q, 100) - start, 4 * ATTRIBUTE_NS);
	KUNIT_EXPECT_GE(test, q.r.counts.timeouts, 3);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_RETRY_EXC_ERR);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), ROX_TIME_NEVER);
}

static void rox_req_tick__progress_refills_the_budget(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_send_all(&q);
	q.now += 3 * ATTRIBUTE_NS;
	sq_ack(&q, 0);
	start = q.now;
	KUNIT_EXPECT_EQ(test, run_out(&q, 100) - start, 4 * ATTRIBUTE_NS);
}

static void rox_req_tick__retry_count_zero(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.retry_cnt = 0;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	start = q.now;
	KUNIT_EXPECT_EQ(test, run_out(&q, 100) - start, ATTRIBUTE_NS);
}

/* The attribute may be shorter than what a clock can do. */
static void rox_req_tick__tiny_attribute(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.timeout = 1;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	start = q.now;
	KUNIT_EXPECT_EQ(test, run_out(&q, 100) - start, 4 * SQ_MS);
}

static void rox_req_tick__timeout_zero_never_gives_up(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.timeout = 0;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	start = q.now;
	KUNIT_EXPECT_EQ(test, run_out(&q, 1000), 0);
	KUNIT_EXPECT_EQ(test, q.r.counts.timeouts, 1000);
	KUNIT_EXPECT_LE(test, q.now - start, 1000 * 1000 * SQ_MS);
}

/* The machine slept: time is over, but the peer had no chance to answer. */
static void rox_req_tick__a_pause_is_not_a_dead_peer(struct kunit *test)
{
	struct send_queue q;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	q.now += 3600 * 1000 * SQ_MS;
	rox_req_tick(&q.r, q.now);
	KUNIT_EXPECT_EQ(test, q.r.state, ROX_REQ_RUNNING);
	KUNIT_EXPECT_EQ(test, sq_send_all(&q), 1);
	sq_ack(&q, 0);
	KUNIT_EXPECT_EQ(test, sq_complete(&q), ROX_WC_SUCCESS);
}

static void rox_req_tick__rnr_wait_does_not_use_the_budget(struct kunit *test)
{
	struct send_queue q;
	u64 start;

	sq_start(&q, ROX_SVC_RC);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	sq_aeth(&q, 0, ROX_AETH_RNR_NAK);
	start = q.now + rox_rnr_ns(0);
	KUNIT_EXPECT_GT(test, rox_rnr_ns(0), 4 * ATTRIBUTE_NS);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), start);
	KUNIT_EXPECT_EQ(test, run_out(&q, 100) - start, 4 * ATTRIBUTE_NS);
}

/* The shortest wait, ten thousand times a second otherwise. */
static void rox_req_tick__not_ready_for_long_is_asked_less_often(struct kunit *test)
{
	struct send_queue q;
	u64 end;
	u32 n;

	sq_start(&q, ROX_SVC_RC);
	q.cfg.rnr_retry = 7;
	sq_restart(&q);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	end = q.now + 1000 * SQ_MS;
	for (n = 0; q.now < end && n < 200000; n++) {
		KUNIT_ASSERT_EQ(test, sq_aeth(&q, 0, ROX_AETH_RNR_NAK | 1), ROX_DROP_NONE);
		KUNIT_ASSERT_TRUE(test, rox_req_deadline(&q.r) >= q.now + rox_rnr_ns(1));
		if (n < 8)
			KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), q.now + rox_rnr_ns(1));
		q.now = rox_req_deadline(&q.r);
		KUNIT_ASSERT_EQ(test, sq_send(&q), ROX_REQ_SEND);
	}
	KUNIT_EXPECT_LT(test, n, 200);
	/* Once it is ready, the next wait is a short one again. */
	sq_ack(&q, 0);
	sq_post(&q, ROX_WR_SEND, 1, 0);
	sq_send_all(&q);
	sq_aeth(&q, 1, ROX_AETH_RNR_NAK | 1);
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&q.r), q.now + rox_rnr_ns(1));
}

static struct kunit_case rto_cases[] = {
	KUNIT_CASE(rox_req_deadline__only_in_flight),
	KUNIT_CASE(rox_req_deadline__follows_the_round_trip),
	KUNIT_CASE(rox_req_deadline__floor_and_ceiling),
	KUNIT_CASE(rox_req_tick__early_is_harmless),
	KUNIT_CASE(rox_req_tick__doubles),
	KUNIT_CASE(rox_req_tick__resent_packets_do_not_measure),
	KUNIT_CASE(rox_req_tick__learns_a_longer_path),
	KUNIT_CASE(rox_req_tick__gives_up_when_the_budget_ends),
	KUNIT_CASE(rox_req_tick__progress_refills_the_budget),
	KUNIT_CASE(rox_req_tick__retry_count_zero),
	KUNIT_CASE(rox_req_tick__tiny_attribute),
	KUNIT_CASE(rox_req_tick__timeout_zero_never_gives_up),
	KUNIT_CASE(rox_req_tick__a_pause_is_not_a_dead_peer),
	KUNIT_CASE(rox_req_tick__rnr_wait_does_not_use_the_budget),
	KUNIT_CASE(rox_req_tick__not_ready_for_long_is_asked_less_often),
	{}
};

static struct kunit_suite rto_suite = {
	.name = "rto",
	.test_cases = rto_cases,
};

kunit_test_suite(rto_suite);
