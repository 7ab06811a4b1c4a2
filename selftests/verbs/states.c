// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The QP state machine: which transitions there are, what they need, and what
 * becomes of requests posted in each state.
 */
#include "lib.h"

static const char *const state_names[] = {
	[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT",
	[IBV_QPS_RTR] = "RTR", [IBV_QPS_RTS] = "RTS", [IBV_QPS_SQD] = "SQD",
	[IBV_QPS_SQE] = "SQE", [IBV_QPS_ERR] = "ERR",
};

static void open_unjoined(struct pair *pair, enum ibv_qp_type type)
{
	struct opt opt = { .unconnected = true };

	open_pair(pair, type, &opt);
}

static void to_init(struct end *end)
{
	struct ibv_qp_attr attr;
	int mask;

	attr = attr_init(end, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
}

static void to_rtr(struct end *end, const struct end *to)
{
	struct ibv_qp_attr attr;
	int mask;

	attr = attr_rtr(end, to, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
}

static void walk(enum ibv_qp_type type)
{
	struct pair pair;

	open_unjoined(&pair, type);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RESET);
	to_init(&pair.a);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_INIT);
	to_rtr(&pair.a, &pair.b);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RTR);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_ERR);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RESET), 0);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RESET);
	join(&pair.a, &pair.b, NULL);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RTS);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RTS), 0);
}

static void walk_rc(void) { walk(IBV_QPT_RC); }
static void walk_uc(void) { walk(IBV_QPT_UC); }
static void walk_ud(void) { walk(IBV_QPT_UD); }

/* A step that leaves out or misplaces states is refused and changes nothing. */
static void skipped_states(void)
{
	static const enum ibv_qp_state targets[] = {
		IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_SQE,
	};
	struct ibv_qp_attr attr;
	struct pair pair;
	unsigned int i;
	int mask;

	open_unjoined(&pair, IBV_QPT_RC);
	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		if (modify_state(pair.a.qp, targets[i]) != EINVAL)
			FAIL("RESET to %s", state_names[targets[i]]);
		CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RESET);
	}
	attr = attr_rtr(&pair.a, &pair.b, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(pair.a.qp, &attr, mask), EINVAL);
	to_init(&pair.a);
	attr = attr_rts(&pair.a, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(pair.a.qp, &attr, mask), EINVAL);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_INIT);
	to_rtr(&pair.a, &pair.b);
	attr = attr_init(&pair.a, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(pair.a.qp, &attr, mask), EINVAL);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_RTR);
}

static void step_needs(struct end *end, struct ibv_qp_attr attr, int mask,
		       const char *step)
{
	enum ibv_qp_state state = query_state(end->qp);
	int bit;

	for (bit = 1; bit <= mask; bit <<= 1) {
		if (!(mask & bit) || bit == IBV_QP_STATE)
			continue;
		if (ibv_modify_qp(end->qp, &attr, mask & ~bit) != EINVAL)
			FAIL("%s without attribute %#x", step, bit);
		CHECK_EQ(query_state(end->qp), state);
	}
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
}

/* Each step needs each of its attributes. */
static void missing_attributes(void)
{
	struct ibv_qp_attr attr;
	struct pair pair;
	int mask;

	open_unjoined(&pair, IBV_QPT_RC);
	attr = attr_init(&pair.a, NULL, &mask);
	step_needs(&pair.a, attr, mask, "RESET to INIT");
	attr = attr_rtr(&pair.a, &pair.b, NULL, &mask);
	step_needs(&pair.a, attr, mask, "INIT to RTR");
	attr = attr_rts(&pair.a, NULL, &mask);
	step_needs(&pair.a, attr, mask, "RTR to RTS");
}

static void refused(struct pair *pair, struct ibv_qp_attr attr, int mask,
		    const char *what)
{
	int status = ibv_modify_qp(pair->a.qp, &attr, mask);

	if (status != EINVAL)
		FAIL("%s: %d", what, status);
}

/* Values out of range. */
static void bad_values(void)
{
	struct ibv_qp_attr good, attr;
	struct pair pair;
	int mask;

	open_unjoined(&pair, IBV_QPT_RC);
	good = attr_init(&pair.a, NULL, &mask);
	attr = good;
	attr.port_num = 2;
	refused(&pair, attr, mask, "port 2");
	attr = good;
	attr.pkey_index = 1000;
	refused(&pair, attr, mask, "P_Key index 1000");
	to_init(&pair.a);

	good = attr_rtr(&pair.a, &pair.b, NULL, &mask);
	attr = good;
	attr.path_mtu = 0;
	refused(&pair, attr, mask, "path MTU 0");
	attr = good;
	attr.path_mtu = 6;
	refused(&pair, attr, mask, "path MTU 6");
	attr = good;
	attr.max_dest_rd_atomic = 255;
	refused(&pair, attr, mask, "max_dest_rd_atomic 255");
	attr = good;
	attr.ah_attr.is_global = 0;
	refused(&pair, attr, mask, "no GRH");
	attr = good;
	attr.ah_attr.grh.sgid_index = 250;
	CHECK(ibv_modify_qp(pair.a.qp, &attr, mask) != 0);
	to_rtr(&pair.a, &pair.b);

	good = attr_rts(&pair.a, NULL, &mask);
	attr = good;
	attr.max_rd_atomic = 255;
	refused(&pair, attr, mask, "max_rd_atomic 255");
	attr = good;
	attr.retry_cnt = 8;
	refused(&pair, attr, mask, "retry_cnt 8");
	attr = good;
	attr.rnr_retry = 8;
	refused(&pair, attr, mask, "rnr_retry 8");
	attr = good;
	attr.timeout = 32;
	refused(&pair, attr, mask, "timeout 32");
	CHECK_EQ(ibv_modify_qp(pair.a.qp, &good, mask), 0);
}

/* What was set is what is read. */
static void query(void)
{
	struct opt opt = {
		.timeout = 13, .retry = 5, .rnr_retry = 3, .min_rnr_timer = 9,
		.rd_atomic = 4, .mtu = IBV_MTU_512, .unconnected = true,
		.qp_access = IBV_ACCESS_REMOTE_READ, .send_wr = 33,
		.recv_wr = 17, .sge = 3,
	};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.b, &opt);
	CHECK_EQ(ibv_query_qp(pair.a.qp, &attr, (IBV_QP_DEST_QPN << 1) - 1,
			      &init), 0);
	CHECK_EQ(attr.qp_state, IBV_QPS_RTS);
	CHECK_EQ(attr.cur_qp_state, IBV_QPS_RTS);
	CHECK_EQ(attr.timeout, 13);
	CHECK_EQ(attr.retry_cnt, 5);
	CHECK_EQ(attr.rnr_retry, 3);
	CHECK_EQ(attr.min_rnr_timer, 9);
	CHECK_EQ(attr.max_rd_atomic, 4);
	CHECK_EQ(attr.max_dest_rd_atomic, 4);
	CHECK_EQ(attr.path_mtu, IBV_MTU_512);
	CHECK_EQ(attr.qp_access_flags & ALL_ACCESS, IBV_ACCESS_REMOTE_READ);
	CHECK_EQ(attr.dest_qp_num, pair.b.qp->qp_num);
	CHECK_EQ(attr.rq_psn, pair.b.psn);
	CHECK_EQ(attr.sq_psn, pair.a.psn);
	CHECK_EQ(attr.port_num, 1);
	CHECK_EQ(attr.ah_attr.is_global, 1);
	CHECK_EQ(attr.ah_attr.grh.sgid_index, pair.dev.gid_index);
	CHECK(!memcmp(&attr.ah_attr.grh.dgid, &pair.dev.gid, 16));
	CHECK(attr.cap.max_send_wr >= 33 && attr.cap.max_recv_wr >= 17);
	CHECK(attr.cap.max_send_sge >= 3 && attr.cap.max_recv_sge >= 3);
	CHECK_EQ(init.qp_type, IBV_QPT_RC);
}

static void post_flushed(struct end *end, int nr)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < nr; i++) {
		wc = poll_one(end->cq);
		CHECK_STATUS(wc, IBV_WC_WR_FLUSH_ERR);
		CHECK_EQ(wc.qp_num, end->qp->qp_num);
	}
	poll_none(end->cq, 0.05);
}

/* In the error state everything comes back flushed, also what is posted then,
 * signaled or not.
 */
static void flush(enum ibv_qp_type type)
{
	struct pair pair;
	int i;

	open_pair(&pair, type, NULL);
	for (i = 0; i < 10; i++)
		recv_at(&pair.a, 0, 100);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	post_flushed(&pair.a, 10);
	for (i = 0; i < 10; i++) {
		recv_at(&pair.a, 0, 100);
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100,
			i & 1 ? IBV_SEND_SIGNALED : 0);
	}
	post_flushed(&pair.a, 20);
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_ERR);
}

/* From INIT to ERR: with a path it never had, nothing may be calculated. */
static void flush_unconnected(enum ibv_qp_type type)
{
	struct pair pair;

	open_unjoined(&pair, type);
	to_init(&pair.a);
	recv_at(&pair.a, 0, 100);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	post_flushed(&pair.a, 1);
	recv_at(&pair.a, 0, 100);
	post_flushed(&pair.a, 1);
	if (type == IBV_QPT_UD)
		return;		/* it has no address handle yet */
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	post_flushed(&pair.a, 1);
}

static void flush_unconnected_rc(void) { flush_unconnected(IBV_QPT_RC); }
static void flush_unconnected_uc(void) { flush_unconnected(IBV_QPT_UC); }
static void flush_unconnected_ud(void) { flush_unconnected(IBV_QPT_UD); }

static void flush_rc(void) { flush(IBV_QPT_RC); }
static void flush_uc(void) { flush(IBV_QPT_UC); }
static void flush_ud(void) { flush(IBV_QPT_UD); }

/* A receive alone, posted later: nothing else would tell the device of it. */
static void flush_receive_posted_later(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	recv_at(&pair.a, 0, 100);
	post_flushed(&pair.a, 1);
}

/* Completions come with events as any other. */
static void flush_event(void)
{
	struct ibv_cq *cq;
	struct pair pair;
	void *context;

	open_pair(&pair, IBV_QPT_RC, NULL);
	recv_at(&pair.a, 0, 100);
	CHECK_EQ(ibv_req_notify_cq(pair.a.cq, 0), 0);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	CHECK(readable(pair.a.channel->fd, 2));
	CHECK_EQ(ibv_get_cq_event(pair.a.channel, &cq, &context), 0);
	ibv_ack_cq_events(cq, 1);
	post_flushed(&pair.a, 1);
}

/* Requests the peer does not answer are flushed, not waited for. */
static void flush_unanswered(void)
{
	struct opt opt = { .timeout = 18, .unconnected = true };
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.b, &opt);	/* the peer stays in RESET */
	for (i = 0; i < 5; i++)
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 5000,
			IBV_SEND_SIGNALED);
	usleep(20000);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	post_flushed(&pair.a, 5);
}

/* RESET forgets what was posted, and the QP works again. */
static void reset_and_again(void)
{
	struct pair pair;
	int round;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (round = 0; round < 20; round++) {
		recv_at(&pair.b, 0, 10000);
		fill(pair.a.buf, 10000, round);
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 10000,
			IBV_SEND_SIGNALED);
		poll_ok(pair.a.cq);
		poll_ok(pair.b.cq);
		CHECK(filled(pair.b.buf, 10000, round));
		recv_at(&pair.b, 0, 100);
		recv_at(&pair.a, 0, 100);
		CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RESET), 0);
		CHECK_EQ(modify_state(pair.b.qp, IBV_QPS_RESET), 0);
		poll_none(pair.b.cq, 0.01);
		join(&pair.a, &pair.b, NULL);
		join(&pair.b, &pair.a, NULL);
	}
}

/* Sends before RTS and receives in RESET are refused at the post. */
static void early_posts(void)
{
	struct ibv_recv_wr *bad_recv, recv = {};
	struct ibv_send_wr *bad, wr;
	struct ibv_sge sge;
	struct pair pair;

	open_unjoined(&pair, IBV_QPT_RC);
	CHECK(ibv_post_recv(pair.a.qp, &recv, &bad_recv) != 0);
	CHECK(bad_recv == &recv);
	to_init(&pair.a);
	sge = sge_of(&pair.a, 0, 10);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	CHECK(ibv_post_send(pair.a.qp, &wr, &bad) != 0);
	CHECK(bad == &wr);
	recv_at(&pair.a, 0, 100);	/* allowed from INIT on */
	to_rtr(&pair.a, &pair.b);
	CHECK(ibv_post_send(pair.a.qp, &wr, &bad) != 0);
}

/* Receives posted before RTR serve the first messages. */
static void receives_posted_in_init(void)
{
	struct ibv_qp_attr attr;
	struct pair pair;
	int mask;

	open_unjoined(&pair, IBV_QPT_RC);
	to_init(&pair.b);
	recv_at(&pair.b, 0, 100);
	to_rtr(&pair.b, &pair.a);
	join(&pair.a, &pair.b, NULL);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	attr = attr_rts(&pair.b, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(pair.b.qp, &attr, mask), 0);
}

/* The first packet at a QP in RTR is worth an event. */
static void communication_established(void)
{
	struct ibv_async_event event;
	struct pair pair;

	open_unjoined(&pair, IBV_QPT_RC);
	to_init(&pair.b);
	recv_at(&pair.b, 0, 100);
	to_rtr(&pair.b, &pair.a);
	join(&pair.a, &pair.b, NULL);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	CHECK(readable(pair.dev.context->async_fd, 2));
	CHECK_EQ(ibv_get_async_event(pair.dev.context, &event), 0);
	CHECK_EQ(event.event_type, IBV_EVENT_COMM_EST);
	ibv_ack_async_event(&event);
}

/* Drained: what was posted before completes, what comes after waits. */
static void send_queue_drained(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	if (modify_state(pair.a.qp, IBV_QPS_SQD))
		skip("no SQD");
	CHECK_EQ(query_state(pair.a.qp), IBV_QPS_SQD);
	recv_at(&pair.b, 0, 100);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_none(pair.a.cq, 0.1);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RTS), 0);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
}

/* Access flags may change in RTS, without losing the connection. */
static void change_access(void)
{
	struct ibv_qp_attr attr = { .qp_access_flags = IBV_ACCESS_LOCAL_WRITE };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	attr.qp_state = IBV_QPS_RTS;
	CHECK_EQ(ibv_modify_qp(pair.b.qp, &attr,
			       IBV_QP_STATE | IBV_QP_ACCESS_FLAGS), 0);
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 100, IBV_SEND_SIGNALED);
	CHECK(poll_one(pair.a.cq).status != IBV_WC_SUCCESS);
}

/* A QP may go at any time, requests under way or not. */
static void destroy_busy(void)
{
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 20; i++)
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 65536, 0);
	CHECK_EQ(ibv_destroy_qp(pair.b.qp), 0);
	CHECK_EQ(ibv_destroy_qp(pair.a.qp), 0);
	poll_none(pair.a.cq, 0);
	CHECK_EQ(ibv_destroy_cq(pair.a.cq), 0);
	CHECK_EQ(ibv_dereg_mr(pair.a.mr), 0);
	CHECK_EQ(ibv_dereg_mr(pair.b.mr), 0);
	CHECK_EQ(ibv_destroy_cq(pair.b.cq), 0);
	CHECK_EQ(ibv_dealloc_pd(pair.dev.pd), 0);
	CHECK_EQ(ibv_close_device(pair.dev.context), 0);
}

/* An object in use cannot go. */
static void busy_objects(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	CHECK_EQ(ibv_destroy_cq(pair.a.cq), EBUSY);
	CHECK_EQ(ibv_dealloc_pd(pair.dev.pd), EBUSY);
}

static const struct test tests[] = {
	{ "walk_rc", walk_rc },
	{ "walk_uc", walk_uc },
	{ "walk_ud", walk_ud },
	{ "skipped_states", skipped_states },
	{ "missing_attributes", missing_attributes },
	{ "bad_values", bad_values },
	{ "query", query },
	{ "flush_unconnected_rc", flush_unconnected_rc },
	{ "flush_unconnected_uc", flush_unconnected_uc },
	{ "flush_unconnected_ud", flush_unconnected_ud },
	{ "flush_rc", flush_rc },
	{ "flush_uc", flush_uc },
	{ "flush_ud", flush_ud },
	{ "flush_receive_posted_later", flush_receive_posted_later },
	{ "flush_event", flush_event },
	{ "flush_unanswered", flush_unanswered },
	{ "reset_and_again", reset_and_again },
	{ "early_posts", early_posts },
	{ "receives_posted_in_init", receives_posted_in_init },
	{ "communication_established", communication_established },
	{ "send_queue_drained", send_queue_drained },
	{ "change_access", change_access },
	{ "destroy_busy", destroy_busy },
	{ "busy_objects", busy_objects },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
