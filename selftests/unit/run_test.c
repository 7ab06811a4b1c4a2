// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Runs of packets handed over as one, between a requester and a responder. */
#include "recv_queue.h"
#include "send_queue.h"

#define RUN	8

struct pair {
	struct send_queue s;
	struct recv_queue r;
	u32 handed;			/* packets and runs, requests */
	u32 replies;
};

static void start(struct pair *p, u8 service, u32 run)
{
	memset(p, 0, sizeof(*p));
	sq_start(&p->s, service);
	rq_start(&p->r, service);
	p->s.r.run = run;
	p->s.r.read_runs = true;
	p->r.r.run = run;
}

static void take_replies(struct pair *p)
{
	while (rq_reply(&p->r)) {
		p->replies++;
		rox_req_rx(&p->s.r, &p->r.reply.hdr, p->s.now, &p->s.place);
		rox_req_placed(&p->s.r, &p->s.place, ROX_WC_SUCCESS);
	}
}

/* One packet or run, and what it is answered with. */
static enum rox_resp_verdict hand_over(struct pair *p)
{
	enum rox_resp_verdict v;

	if (sq_send(&p->s) != ROX_REQ_SEND)
		return ROX_RESP_DROP;
	p->handed++;
	v = rq_take(&p->r, &p->s.pkt.hdr);
	take_replies(p);
	return v;
}

static void all_was_done(struct kunit *test, struct pair *p)
{
	KUNIT_EXPECT_EQ(test, sq_next(&p->s), ROX_REQ_IDLE);
	KUNIT_EXPECT_EQ(test, sq_complete(&p->s), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, p->r.r.epsn, p->s.r.psn);
	KUNIT_EXPECT_EQ(test, p->s.r.una, p->s.r.psn);
	KUNIT_EXPECT_TRUE(test, rox_req_is_clear(&p->s.r));
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&p->s.r), ROX_TIME_NEVER);
	KUNIT_EXPECT_FALSE(test, p->r.r.in_msg);
}

struct message {
	u8 service;
	u8 opcode;
	u32 length;
	u32 runs;
	u32 psns;
};

static void rox_req_next__runs_of_a_message(struct kunit *test)
{
	static const struct message messages[] = {
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, 0, 1, 1 },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, SQ_PMTU, 1, 1 },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, SQ_PMTU + 1, 1, 2 },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, RUN * SQ_PMTU, 1, RUN },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, RUN * SQ_PMTU + 1, 2, RUN + 1 },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE_WITH_IMM, 5 * RUN * SQ_PMTU - 3, 5, 5 * RUN },
		{ ROX_SVC_RC, ROX_WR_SEND, 3 * RUN * SQ_PMTU, 3, 3 * RUN },
		{ ROX_SVC_UC, ROX_WR_SEND_WITH_IMM, 3 * RUN * SQ_PMTU, 3, 3 * RUN },
		{ ROX_SVC_UC, ROX_WR_RDMA_WRITE, 100, 1, 1 },
		{ ROX_SVC_RC, ROX_WR_ATOMIC_FETCH_AND_ADD, 8, 1, 1 },
	};
	const struct message *m;
	struct pair p;

	for (m = messages; m < messages + ARRAY_SIZE(messages); m++) {
		start(&p, m->service, RUN);
		sq_post(&p.s, m->opcode, m->length, 0);
		while (hand_over(&p) == ROX_RESP_EXEC)
			;
		KUNIT_EXPECT_EQ(test, p.handed, m->runs);
		KUNIT_EXPECT_EQ(test, rox_psn_sub(p.s.r.psn, SQ_PSN), m->psns);
		all_was_done(test, &p);
	}
}

/* One request, one response, for each run. */
static void rox_resp_next__a_read_in_runs(struct kunit *test)
{
	struct pair p;

	start(&p, ROX_SVC_RC, RUN);
	sq_post(&p.s, ROX_WR_RDMA_READ, 10 * SQ_PMTU + 7, 0);
	while (hand_over(&p) == ROX_RESP_EXEC)
		KUNIT_EXPECT_EQ(test, p.s.place.bytes, p.r.reply.hdr.payload_bytes);
	KUNIT_EXPECT_EQ(test, p.handed, 2);	/* 8 and 3 packets, pieces of 4 */
	KUNIT_EXPECT_EQ(test, p.replies, 2);
	KUNIT_EXPECT_EQ(test, p.s.r.rd_inflight, 0);
	KUNIT_EXPECT_EQ(test, p.s.place.offset, 8 * SQ_PMTU);
	KUNIT_EXPECT_EQ(test, p.s.place.bytes, 2 * SQ_PMTU + 7);
	all_was_done(test, &p);
}

/* Runs are of whole pieces, whatever their length, and are counted as such. */
static void rox_req_next__a_run_of_pieces(struct kunit *test)
{
	struct pair p;
	u32 chunk;

	for (chunk = 1; chunk <= 12; chunk++) {
		start(&p, ROX_SVC_RC, RUN);
		p.s.cfg.read_chunk = chunk;
		sq_restart(&p.s);
		p.s.r.run = RUN;
		p.s.r.read_runs = true;
		p.r.r.run = 2 * RUN;
		sq_post(&p.s, ROX_WR_RDMA_READ, 50 * SQ_PMTU + 1, 0);
		while (hand_over(&p) == ROX_RESP_EXEC)
			KUNIT_EXPECT_EQ(test, p.s.r.rd_inflight, 0);
		all_was_done(test, &p);
	}
}

/* Not as a run of whole pieces and what is left of it. */
static void rox_req_next__a_read_as_long_as_a_run_is_one(struct kunit *test)
{
	struct pair p;
	u32 chunk;

	for (chunk = 1; chunk <= 12; chunk++) {
		start(&p, ROX_SVC_RC, RUN);
		p.s.cfg.read_chunk = chunk;
		sq_restart(&p.s);
		p.s.r.run = RUN;
		p.s.r.read_runs = true;
		sq_post(&p.s, ROX_WR_RDMA_READ, RUN * SQ_PMTU, 0);
		KUNIT_EXPECT_EQ(test, hand_over(&p), ROX_RESP_EXEC);
		KUNIT_EXPECT_EQ(test, p.handed, 1);
		all_was_done(test, &p);
	}
}

/* The two ways may change with any packet, in the middle of a message too. */
static void rox_req_next__between_runs_and_packets(struct kunit *test)
{
	static const u8 opcodes[] = { ROX_WR_SEND, ROX_WR_RDMA_WRITE, ROX_WR_RDMA_READ };
	struct pair p;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		start(&p, ROX_SVC_RC, 1);
		sq_post(&p.s, opcodes[i], 40 * SQ_PMTU + 1, 0);
		for (n = 0; hand_over(&p) == ROX_RESP_EXEC; n++) {
			p.s.r.run = n % 3 ? 1 : 5;
			p.r.r.run = p.s.r.run;
		}
		KUNIT_EXPECT_EQ(test, rox_psn_sub(p.s.r.psn, SQ_PSN), 41);
		all_was_done(test, &p);
	}
}

static void rox_req_hurry__ends_the_wait_for_a_receive(struct kunit *test)
{
	struct pair p;

	start(&p, ROX_SVC_RC, RUN);
	sq_post(&p.s, ROX_WR_SEND, 3 * SQ_PMTU, 0);
	KUNIT_ASSERT_EQ(test, sq_send(&p.s), ROX_REQ_SEND);
	KUNIT_ASSERT_EQ(test, rq_look(&p.r, &p.s.pkt.hdr), ROX_RESP_EXEC);
	rox_resp_rnr(&p.r.r, &p.s.pkt.hdr);
	take_replies(&p);
	KUNIT_EXPECT_TRUE(test, p.s.r.rnr_waiting);
	KUNIT_EXPECT_TRUE(test, rox_req_is_clear(&p.s.r));
	KUNIT_EXPECT_EQ(test, sq_next(&p.s), ROX_REQ_BLOCKED);

	rox_req_hurry(&p.s.r, p.s.now);
	KUNIT_EXPECT_EQ(test, hand_over(&p), ROX_RESP_EXEC);
	KUNIT_EXPECT_EQ(test, p.s.pkt.nr_psn, 3);
	all_was_done(test, &p);
	rox_req_hurry(&p.s.r, p.s.now);		/* too late is no harm */
	KUNIT_EXPECT_EQ(test, rox_req_deadline(&p.s.r), ROX_TIME_NEVER);
}

/* A wait that is counted is not made longer. */
static void rox_req_rest__only_if_retries_are_infinite(struct kunit *test)
{
	struct pair p;
	u8 retry;

	for (retry = 6; retry <= 7; retry++) {
		start(&p, ROX_SVC_RC, RUN);
		p.s.cfg.rnr_retry = retry;
		sq_restart(&p.s);
		p.s.r.run = RUN;
		p.s.r.read_runs = true;
		sq_post(&p.s, ROX_WR_SEND, 1, 0);
		sq_send(&p.s);
		sq_aeth(&p.s, 0, ROX_AETH_RNR_NAK | 1);
		rox_req_rest(&p.s.r, p.s.now + 100 * SQ_MS);
		KUNIT_EXPECT_EQ(test, rox_req_deadline(&p.s.r), p.s.now +
				(retry == 7 ? 100 * SQ_MS : rox_rnr_ns(1)));
	}
}

/* As with packets: what does not fit its opcode is an invalid request. */
static void rox_resp_rx__a_run_cut_wrong(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u32 payload;
	} rows[] = {
		{ ROX_OP_RC_SEND_FIRST, 3 * RQ_PMTU - 1 },
		{ ROX_OP_RC_SEND_FIRST, 3 * RQ_PMTU + 1 },
		{ ROX_OP_RC_SEND_ONLY, 2 * RQ_PMTU },
		{ ROX_OP_RC_SEND_ONLY, 3 * RQ_PMTU + 1 },
	};
	struct recv_queue q;
	struct rox_pkt p;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		rq_start(&q, ROX_SVC_RC);
		p = rq_pkt(rows[i].opcode, 0, rows[i].payload);
		p.run = 3;
		KUNIT_EXPECT_EQ(test, rq_take(&q, &p), ROX_RESP_FATAL);
		KUNIT_EXPECT_EQ(test, q.op.drop, ROX_DROP_LENGTH);
	}
}

/* Longer than what was asked for. */
static void rox_req_rx__a_run_of_too_much(struct kunit *test)
{
	struct rox_pkt p;
	struct pair q;

	start(&q, ROX_SVC_RC, RUN);
	sq_post(&q.s, ROX_WR_RDMA_READ, 10 * SQ_PMTU, 0);
	sq_send_all(&q.s);
	p = sq_answer(ROX_OP_RC_RDMA_READ_RESPONSE_ONLY, 0);
	p.run = RUN + 1;
	p.payload_bytes = p.run * SQ_PMTU;
	rox_req_rx(&q.s.r, &p, q.s.now, &q.s.place);
	KUNIT_EXPECT_EQ(test, sq_complete(&q.s), ROX_WC_BAD_RESP_ERR);
}

static struct kunit_case run_cases[] = {
	KUNIT_CASE(rox_req_next__runs_of_a_message),
	KUNIT_CASE(rox_resp_next__a_read_in_runs),
	KUNIT_CASE(rox_req_next__a_run_of_pieces),
	KUNIT_CASE(rox_req_next__a_read_as_long_as_a_run_is_one),
	KUNIT_CASE(rox_req_next__between_runs_and_packets),
	KUNIT_CASE(rox_req_hurry__ends_the_wait_for_a_receive),
	KUNIT_CASE(rox_req_rest__only_if_retries_are_infinite),
	KUNIT_CASE(rox_resp_rx__a_run_cut_wrong),
	KUNIT_CASE(rox_req_rx__a_run_of_too_much),
	{}
};

static struct kunit_suite run_suite = {
	.name = "run",
	.test_cases = run_cases,
};

kunit_test_suite(run_suite);
