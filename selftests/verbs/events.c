// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion events: when they come, and when not. */
#include <fcntl.h>

#include "lib.h"

static void arm(struct end *end, bool solicited)
{
	CHECK_EQ(ibv_req_notify_cq(end->cq, solicited), 0);
}

static bool fired(struct end *end, double seconds)
{
	struct ibv_cq *cq;
	void *context;

	if (!readable(end->channel->fd, seconds))
		return false;
	CHECK_EQ(ibv_get_cq_event(end->channel, &cq, &context), 0);
	CHECK(cq == end->cq);
	ibv_ack_cq_events(cq, 1);
	return true;
}

static void one_send(struct pair *pair, int flags)
{
	recv_at(&pair->b, 0, 100);
	send_op(&pair->a, &pair->b, IBV_WR_SEND, 0, 100,
		IBV_SEND_SIGNALED | flags);
}

static void drain(struct pair *pair)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(pair->a.cq, 1, &wc) == 1)
		CHECK_STATUS(wc, IBV_WC_SUCCESS);
	while (ibv_poll_cq(pair->b.cq, 1, &wc) == 1)
		CHECK_STATUS(wc, IBV_WC_SUCCESS);
}

static void armed(void)
{
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 100; i++) {
		arm(&pair.a, false);
		arm(&pair.b, false);
		one_send(&pair, 0);
		CHECK(fired(&pair.b, 5));
		CHECK(fired(&pair.a, 5));
		poll_ok(pair.a.cq);
		poll_ok(pair.b.cq);
	}
}

static void not_armed(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	one_send(&pair, 0);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	CHECK(!fired(&pair.b, 0.1));
}

/* One arm is one event, however many completions come. */
static void one_event(void)
{
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	arm(&pair.b, false);
	for (i = 0; i < 10; i++)
		one_send(&pair, 0);
	for (i = 0; i < 10; i++)
		poll_ok(pair.a.cq);
	CHECK(fired(&pair.b, 5));
	CHECK(!fired(&pair.b, 0.1));
}

static void solicited(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	arm(&pair.b, true);
	one_send(&pair, 0);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	CHECK(!fired(&pair.b, 0.1));
	one_send(&pair, IBV_SEND_SOLICITED);
	CHECK(fired(&pair.b, 5));
	drain(&pair);
	arm(&pair.b, true);
	recv_at(&pair.b, 0, 0);
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE_WITH_IMM, 0, 100,
		IBV_SEND_SIGNALED | IBV_SEND_SOLICITED);
	CHECK(fired(&pair.b, 5));
}

/* An error is worth an event also to who waits for solicited ones. */
static void solicited_error(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	recv_at(&pair.b, 0, 100);
	arm(&pair.b, true);
	CHECK_EQ(modify_state(pair.b.qp, IBV_QPS_ERR), 0);
	CHECK(fired(&pair.b, 5));
}

/* Arming for all is not weakened by arming for solicited ones after it. */
static void arm_next_then_solicited(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	arm(&pair.b, false);
	arm(&pair.b, true);
	one_send(&pair, 0);
	CHECK(fired(&pair.b, 5));
}

/* Sleeping after arming and looking once more never misses a completion: two
 * processes' worth of ping-pong, each end waits for its event.
 */
static void no_lost_events(void)
{
	struct pair pair;
	struct ibv_wc wc;
	int i, nr;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 2000; i++) {
		recv_at(&pair.b, 0, 100);
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 64, 0);
		for (nr = 0; !nr;) {
			nr = ibv_poll_cq(pair.b.cq, 1, &wc);
			if (nr)
				break;
			arm(&pair.b, false);
			nr = ibv_poll_cq(pair.b.cq, 1, &wc);
			if (nr)
				break;
			if (!fired(&pair.b, 5))
				FAIL("no event for message %d", i);
		}
		CHECK_STATUS(wc, IBV_WC_SUCCESS);
		if (i % 32 == 31) {	/* reap the unsignaled ones */
			recv_at(&pair.b, 0, 100);
			send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 64,
				IBV_SEND_SIGNALED);
			poll_ok(pair.a.cq);
			poll_ok(pair.b.cq);
			while (readable(pair.b.channel->fd, 0))
				fired(&pair.b, 0);
		}
	}
}

static void unsignaled(void)
{
	struct pair pair;
	struct ibv_wc wc;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 1000; i++) {
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 64,
			i % 16 == 15 ? IBV_SEND_SIGNALED : 0);
		if (i % 16 == 15) {
			wc = poll_ok(pair.a.cq);
			CHECK_EQ(wc.opcode, IBV_WC_RDMA_WRITE);
		}
	}
	poll_none(pair.a.cq, 0.05);
}

static void signal_all(void)
{
	struct opt opt = { .signal_all = true };
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	for (i = 0; i < 10; i++)
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 64, 0);
	for (i = 0; i < 10; i++)
		poll_ok(pair.a.cq);
}

/* An unsignaled request that fails completes all the same. */
static void unsignaled_error(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.rkey++;
	wr.send_flags = 0;
	post(&pair.a, &wr);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_ACCESS_ERR);
}

/* Too many completions: the CQ says so, and the process survives. */
static void cq_overrun(void)
{
	struct opt opt = { .cqe = 4, .send_wr = 512, .recv_wr = 512 };
	struct ibv_async_event event;
	bool seen = false;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	CHECK(pair.b.cq->cqe < 256);
	for (i = 0; i < 300; i++)
		recv_at(&pair.b, 0, 100);
	for (i = 0; i < 300; i++)
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 10, 0);
	while (!seen && readable(pair.dev.context->async_fd, 3)) {
		CHECK_EQ(ibv_get_async_event(pair.dev.context, &event), 0);
		seen = event.event_type == IBV_EVENT_CQ_ERR &&
		       event.element.cq == pair.b.cq;
		ibv_ack_async_event(&event);
	}
	CHECK(seen);
}

/* Two QPs share a CQ; each completion says whose it is. */
static void shared_cq(void)
{
	struct opt opt = { .unconnected = true };
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { 64, 64, 4, 4, 0 },
	};
	struct end c;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	c = pair.a;
	init.send_cq = pair.b.cq;
	init.recv_cq = pair.b.cq;
	c.qp = ibv_create_qp(pair.dev.pd, &init);
	CHECK(c.qp);
	join(&c, &c, NULL);
	join(&pair.b, &pair.b, NULL);
	for (i = 0; i < 20; i++) {
		struct end *end = i & 1 ? &c : &pair.b;

		send_op(end, end, IBV_WR_RDMA_WRITE, 0, 100,
			IBV_SEND_SIGNALED);
		CHECK_EQ(poll_ok(pair.b.cq).qp_num, end->qp->qp_num);
	}
}

/* A QP that went leaves none of its completions behind. */
static void destroyed_qp(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	one_send(&pair, 0);
	poll_ok(pair.b.cq);
	recv_at(&pair.b, 0, 100);
	usleep(20000);
	CHECK_EQ(ibv_destroy_qp(pair.a.qp), 0);
	CHECK_EQ(ibv_destroy_qp(pair.b.qp), 0);
	poll_none(pair.a.cq, 0.05);
	poll_none(pair.b.cq, 0.05);
}

/* Every completion vector the device says it has. */
static void vectors(void)
{
	struct pair pair;
	struct ibv_cq *cq;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	CHECK(pair.dev.context->num_comp_vectors >= 1);
	for (i = 0; i < pair.dev.context->num_comp_vectors; i++) {
		cq = ibv_create_cq(pair.dev.context, 10, NULL, NULL, i);
		CHECK(cq);
		CHECK_EQ(ibv_destroy_cq(cq), 0);
	}
	CHECK(!ibv_create_cq(pair.dev.context, 10, NULL, NULL,
			     pair.dev.context->num_comp_vectors));
}

static const struct test tests[] = {
	{ "armed", armed },
	{ "not_armed", not_armed },
	{ "one_event", one_event },
	{ "solicited", solicited },
	{ "solicited_error", solicited_error },
	{ "arm_next_then_solicited", arm_next_then_solicited },
	{ "no_lost_events", no_lost_events, 60 },
	{ "unsignaled", unsignaled },
	{ "signal_all", signal_all },
	{ "unsignaled_error", unsignaled_error },
	{ "cq_overrun", cq_overrun },
	{ "shared_cq", shared_cq },
	{ "destroyed_qp", destroyed_qp },
	{ "vectors", vectors },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
