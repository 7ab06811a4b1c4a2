/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * When the slot of a request can be used again: not before its completion, or a later
 * one of its queue, has been polled. Built once for every version of rdma-core at hand.
 */
#include "fixture.h"

static int put_send(void)
{
	struct ibv_send_wr wr = send_wr();

	return post_one(&wr);
}

static int put_recv(void)
{
	struct ibv_recv_wr wr = {}, *bad;

	return rox_post_recv(qp, &wr, &bad);
}

/* How many of them are taken. */
static int fill(int (*put)(void))
{
	int nr = 0, err;

	while (!(err = put()))
		nr++;
	EXPECT_EQ(err, ENOMEM);
	return nr;
}

static int poll_some(int nr)
{
	struct ibv_wc wc[8];

	return rox_cq_poll(cq, nr, wc);
}

static void poll_cq__frees_what_it_returns(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(fill(put_send), 4);
	complete_next(&fake.sq, 17);
	complete_next(&fake.sq, 17);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(fill(put_send), 0);
	EXPECT_EQ(poll_some(1), 1);
	EXPECT_EQ(fill(put_send), 1);
	EXPECT_EQ(poll_some(8), 2);
	EXPECT_EQ(fill(put_send), 2);
	teardown();
}

/* Two requests that complete with the third. */
static void poll_cq__frees_those_before(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(fill(put_send), 4);
	EXPECT(fake_wq_take(&fake.sq, &got) && fake_wq_take(&fake.sq, &got));
	fake_wq_retire(&fake.sq);
	EXPECT_EQ(fill(put_send), 0);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(poll_some(8), 1);
	EXPECT_EQ(fill(put_send), 3);
	teardown();
}

/* In one call, of the send and the receive queue in turns. */
static void poll_cq__each_queue_its_own(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(fill(put_send), 4);
	EXPECT_EQ(fill(put_recv), 4);
	complete_next(&fake.rq, 17);
	complete_next(&fake.sq, 17);
	complete_next(&fake.rq, 17);
	complete_next(&fake.rq, 17);
	EXPECT_EQ(fill(put_send) + fill(put_recv), 0);
	EXPECT_EQ(poll_some(8), 4);
	EXPECT_EQ(fake.cq.hdr->cons, 4);
	EXPECT_EQ(fill(put_send), 1);
	EXPECT_EQ(fill(put_recv), 3);
	teardown();
}

/* At once, and its own place too: who sees it may post. */
static void poll_cq_ex__frees_what_is_shown(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4, .wc_flags = IBV_WC_STANDARD_FLAGS };
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = rox_cq_create_ex(context, &attr);
	EXPECT(ex);
	EXPECT_EQ(fill(put_send), 4);
	complete_next(&fake.sq, 17);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	EXPECT_EQ(fake.cq.hdr->cons, 1);
	EXPECT_EQ(fill(put_send), 1);
	EXPECT_EQ(ibv_next_poll(ex), 0);
	EXPECT_EQ(fill(put_send), 1);
	ibv_end_poll(ex);
	EXPECT_EQ(fill(put_send), 0);
	EXPECT_EQ(rox_cq_destroy(ibv_cq_ex_to_cq(ex)), 0);
	teardown();
}

/* What is shown was of before the reset, and frees nothing after it. */
static void poll_cq_ex__reset_meanwhile(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = rox_cq_create_ex(context, &attr);
	EXPECT(ex);
	qp->send_cq = ibv_cq_ex_to_cq(ex);
	EXPECT_EQ(fill(put_send), 4);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	EXPECT_EQ(rox_qp_modify(qp, &reset, IBV_QP_STATE), 0);
	ibv_end_poll(ex);
	EXPECT_EQ(fill(put_send), 4);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	ibv_end_poll(ex);
	EXPECT_EQ(fill(put_send), 1);
	qp->send_cq = cq;
	EXPECT_EQ(rox_cq_destroy(ibv_cq_ex_to_cq(ex)), 0);
	teardown();
}

static void reset__frees_what_was_not_polled(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(fill(put_send), 4);
	EXPECT_EQ(fill(put_recv), 4);
	complete_next(&fake.sq, 17);
	complete_next(&fake.rq, 17);
	EXPECT_EQ(rox_qp_modify(qp, &attr, IBV_QP_STATE), 0);
	EXPECT_EQ(poll_some(8), 0);
	EXPECT_EQ(fill(put_send), 4);
	EXPECT_EQ(fill(put_recv), 4);
	teardown();
}

static void resize_cq__what_waits_still_frees(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(fill(put_send), 4);
	complete_next(&fake.sq, 17);
	complete_next(&fake.sq, 17);
	EXPECT_EQ(rox_cq_resize(cq, 64), 0);
	EXPECT_EQ(poll_some(8), 2);
	EXPECT_EQ(fill(put_send), 2);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(poll_cq__frees_what_it_returns),
	TAP_CASE(poll_cq__frees_those_before),
	TAP_CASE(poll_cq__each_queue_its_own),
	TAP_CASE(poll_cq_ex__frees_what_is_shown),
	TAP_CASE(poll_cq_ex__reset_meanwhile),
	TAP_CASE(reset__frees_what_was_not_polled),
	TAP_CASE(resize_cq__what_waits_still_frees),
};

TAP_MAIN(cases)
