// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Short messages that may go together. */
#include "send_queue.h"

/* How many there are behind the next one, if @most are asked for. */
static u32 alike(struct kunit *test, struct send_queue *s, u32 most)
{
	KUNIT_ASSERT_EQ(test, sq_next(s), ROX_REQ_SEND);
	return rox_req_alike(&s->r, &s->pkt, most);
}

static void rox_req_alike__counts(struct kunit *test)
{
	static const u8 services[] = { ROX_SVC_RC, ROX_SVC_UC, ROX_SVC_UD };
	struct send_queue s;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		sq_start(&s, services[i]);
		sq_post(&s, ROX_WR_SEND, 100, 0);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 0);
		for (k = 0; k < 3; k++)
			sq_post(&s, ROX_WR_SEND, 100, 0);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 3);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 2), 2);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 0), 0);
		sq_post(&s, ROX_WR_SEND, 99, 0);
		sq_post(&s, ROX_WR_SEND, 100, 0);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 3);
		sq_send(&s);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 2);
	}
}

/* What is not like the first one; @change makes the second of three other. */
static void expect_other(struct kunit *test, u8 service, void (*change)(struct rox_wr *wr),
			 u32 want)
{
	struct send_queue s;

	sq_start(&s, service);
	sq_post(&s, ROX_WR_SEND, 100, 0);
	change(sq_post(&s, ROX_WR_SEND, 100, 0));
	sq_post(&s, ROX_WR_SEND, 100, 0);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 10), want);
}

static void other_opcode(struct rox_wr *wr)
{
	wr->opcode = ROX_WR_SEND_WITH_IMM;
}

static void fenced(struct rox_wr *wr)
{
	wr->flags = ROX_SQE_FENCE;
}

static void malformed(struct rox_wr *wr)
{
	wr->status = ROX_WC_LOC_PROT_ERR;
}

static void solicited(struct rox_wr *wr)
{
	wr->flags = ROX_SQE_SOLICITED;
}

static void other_key(struct rox_wr *wr)
{
	wr->rkey++;
}

static void other_qpn(struct rox_wr *wr)
{
	wr->compare_add++;
}

static void other_qkey(struct rox_wr *wr)
{
	wr->swap++;
}


static void rox_req_alike__what_differs(struct kunit *test)
{
	expect_other(test, ROX_SVC_RC, other_opcode, 0);
	expect_other(test, ROX_SVC_RC, fenced, 0);
	expect_other(test, ROX_SVC_RC, malformed, 0);
	expect_other(test, ROX_SVC_RC, solicited, 2);
	expect_other(test, ROX_SVC_RC, other_key, 2);
	expect_other(test, ROX_SVC_RC, other_qpn, 2);
	expect_other(test, ROX_SVC_UD, other_key, 0);
	expect_other(test, ROX_SVC_UD, other_qpn, 0);
	expect_other(test, ROX_SVC_UD, other_qkey, 0);
	expect_other(test, ROX_SVC_UD, solicited, 2);
}

static void rox_req_alike__single_packets_only(struct kunit *test)
{
	static const u8 opcodes[] = { ROX_WR_RDMA_READ, ROX_WR_ATOMIC_FETCH_AND_ADD };
	struct send_queue s;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		sq_start(&s, ROX_SVC_RC);
		sq_post(&s, opcodes[i], 8, 0);
		sq_post(&s, opcodes[i], 8, 0);
		KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 0);
	}
	sq_start(&s, ROX_SVC_RC);
	sq_post(&s, ROX_WR_SEND, SQ_PMTU + 1, 0);
	sq_post(&s, ROX_WR_SEND, SQ_PMTU + 1, 0);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 10), 0);
}

/* The window is of 8; what is sent again is for itself; draining begins nothing. */
static void rox_req_alike__what_may_go(struct kunit *test)
{
	struct send_queue s;
	u32 i;

	sq_start(&s, ROX_SVC_RC);
	for (i = 0; i < 12; i++)
		sq_post(&s, ROX_WR_SEND, 100, 0);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 64), 7);
	for (i = 0; i < 5; i++)
		sq_send(&s);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 64), 2);
	sq_send_all(&s);
	KUNIT_EXPECT_EQ(test, sq_aeth(&s, 2, ROX_AETH_NAK_PSN_SEQ), ROX_DROP_NONE);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 64), 0);

	sq_start(&s, ROX_SVC_RC);
	sq_post(&s, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_post(&s, ROX_WR_SEND, 2 * SQ_PMTU, 0);
	sq_send(&s);
	rox_req_drain(&s.r, true);
	KUNIT_EXPECT_EQ(test, alike(test, &s, 64), 0);
}

/* As if each had been planned for itself. */
static void rox_req_like__is_what_is_planned(struct kunit *test)
{
	static const u8 opcodes[] = { ROX_WR_RDMA_WRITE_WITH_IMM, ROX_WR_SEND_WITH_IMM };
	static const u8 services[] = { ROX_SVC_UC, ROX_SVC_UD };
	struct rox_req_pkt like;
	struct send_queue s;
	struct rox_wr *wr;
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(services); i++) {
		sq_start(&s, services[i]);
		for (k = 0; k < 4; k++) {
			wr = sq_post(&s, opcodes[i], 100, k & 1 ? ROX_SQE_SOLICITED : 0);
			wr->imm += k;
			wr->remote_addr += 1000 * k;
		}
		KUNIT_ASSERT_EQ(test, alike(test, &s, 64), 3);
		for (k = 1; k < 4; k++) {
			/* Always the one behind that which is planned. */
			rox_req_like(&s.r, &s.pkt, 1, &like);
			rox_req_sent(&s.r, &s.pkt, s.now);
			KUNIT_ASSERT_EQ(test, sq_next(&s), ROX_REQ_SEND);
			KUNIT_EXPECT_PTR_EQ(test, like.wr, s.pkt.wr);
			KUNIT_EXPECT_MEMEQ(test, &like.hdr, &s.pkt.hdr, sizeof(like.hdr));
			KUNIT_EXPECT_EQ(test, like.offset, s.pkt.offset);
			KUNIT_EXPECT_EQ(test, like.nr_psn, s.pkt.nr_psn);
		}
	}
}

static struct kunit_case alike_cases[] = {
	KUNIT_CASE(rox_req_alike__counts),
	KUNIT_CASE(rox_req_alike__what_differs),
	KUNIT_CASE(rox_req_alike__single_packets_only),
	KUNIT_CASE(rox_req_alike__what_may_go),
	KUNIT_CASE(rox_req_like__is_what_is_planned),
	{}
};

static struct kunit_suite alike_suite = {
	.name = "alike",
	.test_cases = alike_cases,
};
kunit_test_suite(alike_suite);
