// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages handed over as a whole, from a requester to a responder. */
#include "recv_queue.h"
#include "send_queue.h"

/* Hand the next message over; false if it has to go in packets. */
static bool hand_over(struct send_queue *s, struct recv_queue *r)
{
	struct rox_pkt p;
	struct rox_wr *wr = rox_req_whole(&s->r, &p);

	if (!wr)
		return false;
	if (!rox_resp_whole(&r->r, &p, &r->op))
		return false;
	rox_resp_commit(&r->r, &p, &r->op, 0);
	rox_req_whole_done(&s->r, wr, &p);
	return true;
}

static struct rox_wr *whole(const struct send_queue *s)
{
	struct rox_pkt p;

	return rox_req_whole(&s->r, &p);
}

struct message {
	u8 service;
	u8 opcode;
	u32 length;
	u32 psns;
	bool completes;
};

static void rox_req_whole__a_message(struct kunit *test)
{
	static const struct message messages[] = {
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, 0, 1, false },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE, SQ_PMTU, 1, false },
		{ ROX_SVC_RC, ROX_WR_RDMA_WRITE_WITH_IMM, SQ_PMTU + 1, 2, true },
		{ ROX_SVC_RC, ROX_WR_SEND, 1000 * SQ_PMTU, 1000, true },
		{ ROX_SVC_UC, ROX_WR_SEND_WITH_IMM, 7, 1, true },
		{ ROX_SVC_UC, ROX_WR_RDMA_WRITE, 3 * SQ_PMTU, 3, false },
	};
	const struct message *m;
	struct send_queue s;
	struct recv_queue r;

	for (m = messages; m < messages + ARRAY_SIZE(messages); m++) {
		sq_start(&s, m->service);
		rq_start(&r, m->service);
		sq_post(&s, m->opcode, m->length, 0);
		KUNIT_EXPECT_TRUE(test, hand_over(&s, &r));
		KUNIT_EXPECT_EQ(test, r.op.msg_bytes, m->length);
		KUNIT_EXPECT_EQ(test, r.op.completes, m->completes);
		KUNIT_EXPECT_EQ(test, r.op.needs_recv, m->completes);
		KUNIT_EXPECT_EQ(test, rox_psn_sub(s.r.psn, SQ_PSN), m->psns);
		KUNIT_EXPECT_EQ(test, r.r.epsn, s.r.psn);
		KUNIT_EXPECT_EQ(test, r.r.msn, 1);
		KUNIT_EXPECT_FALSE(test, rq_reply(&r));
		KUNIT_EXPECT_EQ(test, sq_complete(&s), ROX_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, sq_complete(&s), -1);
		KUNIT_EXPECT_EQ(test, sq_next(&s), ROX_REQ_IDLE);
		KUNIT_EXPECT_EQ(test, rox_req_deadline(&s.r), ROX_TIME_NEVER);
	}
}

/* Before and after it packets go, and neither side sees a seam. */
static void rox_req_whole__between_packets(struct kunit *test)
{
	struct send_queue s;
	struct recv_queue r;
	u32 i;

	sq_start(&s, ROX_SVC_RC);
	rq_start(&r, ROX_SVC_RC);
	for (i = 0; i < 6; i++)
		sq_post(&s, i % 3 ? ROX_WR_SEND : ROX_WR_RDMA_READ, 2 * SQ_PMTU, 0);
	for (i = 0; i < 6; i++) {
		if (i % 3 == 2) {
			KUNIT_EXPECT_TRUE(test, hand_over(&s, &r));
			continue;
		}
		KUNIT_EXPECT_TRUE(test, i % 3 || !whole(&s));
		while (s.r.cursor == s.r.una || !(rox_pkt_op(&s.pkt.hdr)->flags & ROX_OPF_LAST)) {
			KUNIT_ASSERT_EQ(test, sq_send(&s), ROX_REQ_SEND);
			rq_take(&r, &s.pkt.hdr);
			/* Something is under way. */
			KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);
		}
		while (rq_reply(&r)) {
			rox_req_rx(&s.r, &r.reply.hdr, s.now, &s.place);
			rox_req_placed(&s.r, &s.place, ROX_WC_SUCCESS);
		}
	}
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_EQ(test, sq_complete(&s), ROX_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, r.r.epsn, s.r.psn);
	KUNIT_EXPECT_EQ(test, rox_psn_sub(s.r.psn, SQ_PSN), 12);
	KUNIT_EXPECT_EQ(test, r.r.msn, 6);
	KUNIT_EXPECT_EQ(test, s.r.una, s.r.psn);
}

static void rox_req_whole__not_everything(struct kunit *test)
{
	static const u8 others[] = {
		ROX_WR_RDMA_READ, ROX_WR_ATOMIC_FETCH_AND_ADD, ROX_WR_ATOMIC_CMP_AND_SWP,
		ROX_WR_LOCAL_INV, ROX_WR_SEND_WITH_INV, ROX_WR_REG_MR, ROX_WR_BIND_MW,
	};
	struct send_queue s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		sq_start(&s, ROX_SVC_RC);
		KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);
		sq_post(&s, others[i], 8, 0);
		KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);
	}
	sq_start(&s, ROX_SVC_UD);
	sq_post(&s, ROX_WR_SEND, 8, 0);
	KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);

	sq_start(&s, ROX_SVC_RC);
	sq_post(&s, ROX_WR_SEND, 8, 0)->status = ROX_WC_LOC_PROT_ERR;
	KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);

	sq_start(&s, ROX_SVC_RC);
	sq_post(&s, ROX_WR_SEND, 8, 0);
	rox_req_drain(&s.r, true);
	KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);
	rox_req_drain(&s.r, false);
	KUNIT_EXPECT_PTR_EQ(test, whole(&s), &s.slots[0]);
	rox_req_error(&s.r, ROX_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_PTR_EQ(test, whole(&s), NULL);
}

static void rox_resp_whole__what_it_leaves_to_packets(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_RDMA_WRITE_ONLY, 0, 2 * RQ_PMTU);
	struct recv_queue q;

	p.run = 2;
	rq_start(&q, ROX_SVC_RC);
	KUNIT_EXPECT_TRUE(test, rox_resp_whole(&q.r, &p, &q.op));
	p.psn++;
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
	p.psn--;
	q.r.cfg.max_msg = 2 * RQ_PMTU - 1;
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
	q.r.cfg.max_msg++;
	q.r.cfg.allow = ROX_RESP_ALLOW_READ;
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
	q.r.cfg.allow |= ROX_RESP_ALLOW_WRITE;
	rq_recv(&q, ROX_OP_RC_SEND_FIRST, 0, RQ_PMTU);
	p.psn = q.r.epsn;
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
	rq_recv(&q, ROX_OP_RC_SEND_LAST, 1, RQ_PMTU);
	p.psn = q.r.epsn;
	KUNIT_EXPECT_TRUE(test, rox_resp_whole(&q.r, &p, &q.op));
	rox_resp_refuse(&q.r, &p, ROX_AETH_NAK_REM_ACC);
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
	rox_resp_init(&q.r, q.ring, RQ_RECORDS);
	p.psn = 0;
	KUNIT_EXPECT_FALSE(test, rox_resp_whole(&q.r, &p, &q.op));
}

/* UC: its message was broken, what was held for it is for this one. */
static void rox_resp_whole__after_a_broken_message(struct kunit *test)
{
	struct rox_pkt p = rq_pkt(ROX_OP_UC_SEND_ONLY, 0, 5);
	struct recv_queue q;

	rq_start(&q, ROX_SVC_UC);
	rq_recv(&q, ROX_OP_UC_SEND_FIRST, 0, RQ_PMTU);
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_LAST, 2, 9), ROX_RESP_DROP);
	p.psn = q.r.epsn;
	KUNIT_ASSERT_TRUE(test, rox_resp_whole(&q.r, &p, &q.op));
	KUNIT_EXPECT_FALSE(test, q.op.needs_recv);
	rox_resp_commit(&q.r, &p, &q.op, 0);
	KUNIT_EXPECT_FALSE(test, q.r.recv_held);
	/* And the next packet goes on with nothing. */
	KUNIT_EXPECT_EQ(test, rq_recv(&q, ROX_OP_UC_SEND_ONLY, 4, 9), ROX_RESP_EXEC);
}

static struct kunit_case whole_cases[] = {
	KUNIT_CASE(rox_req_whole__a_message),
	KUNIT_CASE(rox_req_whole__between_packets),
	KUNIT_CASE(rox_req_whole__not_everything),
	KUNIT_CASE(rox_resp_whole__what_it_leaves_to_packets),
	KUNIT_CASE(rox_resp_whole__after_a_broken_message),
	{}
};

static struct kunit_suite whole_suite = {
	.name = "whole",
	.test_cases = whole_cases,
};

kunit_test_suite(whole_suite);
