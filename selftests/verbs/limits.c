// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The device says what it can, can what it says, and refuses the rest. */
#include "lib.h"

#define AT_LEAST(field, value) \
	do { \
		if ((unsigned long long)(field) < (value)) { \
			printf("# %s is %llu, should be at least %llu\n", \
			       #field, (unsigned long long)(field), \
			       (unsigned long long)(value)); \
			low++; \
		} \
	} while (0)

static void told(void)
{
	struct dev dev;
	int low = 0;

	open_device(&dev);
	AT_LEAST(dev.attr.max_mr, 1 << 20);
	AT_LEAST(dev.attr.max_qp, 1 << 16);
	AT_LEAST(dev.attr.max_cq, 1 << 16);
	AT_LEAST(dev.attr.max_pd, 1 << 16);
	AT_LEAST(dev.attr.max_ah, 1 << 16);
	AT_LEAST(dev.attr.max_qp_wr, 1 << 16);
	AT_LEAST(dev.attr.max_cqe, 1 << 22);
	AT_LEAST(dev.attr.max_sge, 32);
	AT_LEAST(dev.attr.max_mr_size, 1ULL << 40);
	AT_LEAST(dev.attr.max_qp_rd_atom, 16);
	AT_LEAST(dev.attr.max_qp_init_rd_atom, 16);
	AT_LEAST(dev.port.max_msg_sz, 1ULL << 31);
	CHECK_EQ(low, 0);
	CHECK(dev.attr.atomic_cap != IBV_ATOMIC_NONE);
	CHECK_EQ(dev.attr.phys_port_cnt, 1);
}

static void port(void)
{
	struct dev dev;

	open_device(&dev);
	CHECK_EQ(dev.port.state, IBV_PORT_ACTIVE);
	CHECK_EQ(dev.port.phys_state, 5);	/* LinkUp */
	CHECK_EQ(dev.port.link_layer, IBV_LINK_LAYER_ETHERNET);
	CHECK_EQ(dev.port.lid, 0);
	CHECK(dev.port.gid_tbl_len > 0 && dev.port.pkey_tbl_len > 0);
	CHECK(dev.port.active_speed && dev.port.active_width);
	CHECK(dev.attr.node_guid && dev.attr.sys_image_guid);
	CHECK(ibv_query_port(dev.context, 2, &dev.port) != 0);
	CHECK(ibv_query_port(dev.context, 0, &dev.port) != 0);
}

static struct ibv_qp *make_qp(struct dev *dev, struct ibv_cq *cq,
			      struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .cap = cap, .send_cq = cq, .recv_cq = cq,
	};
	struct ibv_qp *qp = ibv_create_qp(dev->pd, &init);

	if (qp) {
		CHECK(init.cap.max_send_wr >= cap.max_send_wr);
		CHECK(init.cap.max_recv_wr >= cap.max_recv_wr);
		CHECK(init.cap.max_send_sge >= cap.max_send_sge);
		CHECK(init.cap.max_recv_sge >= cap.max_recv_sge);
		CHECK(init.cap.max_inline_data >= cap.max_inline_data);
	}
	return qp;
}

static void largest_queues(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct dev dev;

	open_device(&dev);
	cq = ibv_create_cq(dev.context, 10, NULL, NULL, 0);
	CHECK(cq);
	qp = make_qp(&dev, cq, (struct ibv_qp_cap){
			dev.attr.max_qp_wr, 16, 1, 1, 0 });
	CHECK(qp);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	qp = make_qp(&dev, cq, (struct ibv_qp_cap){
			16, dev.attr.max_qp_wr, 1, 1, 0 });
	CHECK(qp);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK(!make_qp(&dev, cq, (struct ibv_qp_cap){
			dev.attr.max_qp_wr + 1, 16, 1, 1, 0 }));
	CHECK(!make_qp(&dev, cq, (struct ibv_qp_cap){
			16, dev.attr.max_qp_wr + 1, 1, 1, 0 }));
	qp = make_qp(&dev, cq, (struct ibv_qp_cap){ 16, 16, 32, 32, 512 });
	CHECK(qp);
	CHECK_EQ(ibv_destroy_qp(qp), 0);
	CHECK(!make_qp(&dev, cq, (struct ibv_qp_cap){
			16, 16, dev.attr.max_sge + 1, 1, 0 }));
	CHECK(!make_qp(&dev, cq, (struct ibv_qp_cap){ 16, 16, 1, 1, 1 << 20 }));
	CHECK_EQ(ibv_destroy_cq(cq), 0);
}

static void largest_cq(void)
{
	struct ibv_cq *cq;
	struct dev dev;

	open_device(&dev);
	/* 2^22 completions of a cache line each are 256 MiB. */
	if (sysconf(_SC_AVPHYS_PAGES) * 4096UL > 700UL << 20) {
		cq = ibv_create_cq(dev.context, 1 << 22, NULL, NULL, 0);
		CHECK(cq);
		CHECK(cq->cqe >= 1 << 22);
		CHECK_EQ(ibv_destroy_cq(cq), 0);
	}
	CHECK(!ibv_create_cq(dev.context, dev.attr.max_cqe + 1, NULL, NULL, 0));
	CHECK(!ibv_create_cq(dev.context, 0, NULL, NULL, 0));
}

static void many_mrs(void)
{
	const int nr = 65536;
	struct ibv_mr **mr = calloc(nr, sizeof(*mr));
	static uint8_t memory[4096];
	struct dev dev;
	int i;

	open_device(&dev);
	for (i = 0; i < nr; i++) {
		mr[i] = ibv_reg_mr(dev.pd, memory, sizeof(memory), ALL_ACCESS);
		if (!mr[i])
			FAIL("region %d: errno %d", i, errno);
	}
	for (i = 0; i < nr; i++)
		CHECK_EQ(ibv_dereg_mr(mr[i]), 0);
}

static void many_qps(void)
{
	const int nr = 2048;
	struct ibv_qp **qp = calloc(nr, sizeof(*qp));
	struct ibv_cq *cq;
	struct dev dev;
	int i;

	open_device(&dev);
	cq = ibv_create_cq(dev.context, 10, NULL, NULL, 0);
	for (i = 0; i < nr; i++) {
		qp[i] = make_qp(&dev, cq, (struct ibv_qp_cap){ 4, 4, 1, 1, 0 });
		if (!qp[i])
			FAIL("QP %d: errno %d", i, errno);
		CHECK(qp[i]->qp_num > 1 && qp[i]->qp_num < 0xffffff);
	}
	for (i = 0; i < nr; i++)
		CHECK_EQ(ibv_destroy_qp(qp[i]), 0);
}

static void many_ahs(void)
{
	const int nr = 5000;
	struct ibv_ah **ah = calloc(nr, sizeof(*ah));
	struct dev dev;
	int i;

	open_device(&dev);
	for (i = 0; i < nr; i++) {
		struct ibv_ah_attr attr = {
			.is_global = 1, .port_num = 1,
			.grh = { .dgid = dev.gid, .sgid_index = dev.gid_index,
				 .hop_limit = 1 },
		};

		ah[i] = ibv_create_ah(dev.pd, &attr);
		if (!ah[i])
			FAIL("address handle %d: errno %d", i, errno);
	}
	for (i = 0; i < nr; i++)
		CHECK_EQ(ibv_destroy_ah(ah[i]), 0);
}

/* Every object over and over: numbers are not used up. */
static void again_and_again(void)
{
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_pd *pd;
	struct dev dev;
	int i;

	open_device(&dev);
	for (i = 0; i < 3000; i++) {
		pd = ibv_alloc_pd(dev.context);
		cq = ibv_create_cq(dev.context, 1, NULL, NULL, 0);
		CHECK(pd && cq);
		qp = make_qp(&dev, cq, (struct ibv_qp_cap){ 1, 1, 1, 1, 0 });
		CHECK(qp);
		CHECK_EQ(ibv_destroy_qp(qp), 0);
		CHECK_EQ(ibv_destroy_cq(cq), 0);
		CHECK_EQ(ibv_dealloc_pd(pd), 0);
	}
}

static void wrong_types(void)
{
	struct ibv_qp_init_attr init = { .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_cq *cq;
	struct dev dev;

	open_device(&dev);
	cq = ibv_create_cq(dev.context, 10, NULL, NULL, 0);
	init.send_cq = cq;
	init.recv_cq = cq;
	init.qp_type = 0;
	CHECK(!ibv_create_qp(dev.pd, &init));
	init.qp_type = IBV_QPT_RAW_PACKET;
	CHECK(!ibv_create_qp(dev.pd, &init));
	init.qp_type = 77;
	CHECK(!ibv_create_qp(dev.pd, &init));
}

static void opened_often(void)
{
	struct dev dev;
	int i;

	for (i = 0; i < 100; i++) {
		open_device(&dev);
		CHECK_EQ(ibv_dealloc_pd(dev.pd), 0);
		CHECK_EQ(ibv_close_device(dev.context), 0);
	}
}

/* ---- a slot is in use until a completion says otherwise, and it was polled */

#define SLOTS 16

static void open_full_pair(struct pair *pair)
{
	struct opt opt = { .send_wr = SLOTS, .recv_wr = SLOTS, .cqe = SLOTS };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	open_pair(pair, IBV_QPT_RC, &opt);
	CHECK_EQ(ibv_query_qp(pair->a.qp, &attr, IBV_QP_CAP, &init), 0);
	CHECK_EQ(init.cap.max_send_wr, SLOTS);
	CHECK_EQ(init.cap.max_recv_wr, SLOTS);
	CHECK_EQ(pair->a.cq->cqe, SLOTS);
}

static int try_write(struct pair *pair, int flags)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, 8);
	struct ibv_send_wr wr = wr_of(&pair->a, &pair->b, IBV_WR_RDMA_WRITE, &sge);
	struct ibv_send_wr *bad;

	wr.send_flags = flags;
	return ibv_post_send(pair->a.qp, &wr, &bad);
}

static int try_signaled(struct pair *pair)
{
	return try_write(pair, IBV_SEND_SIGNALED);
}

static int try_recv(struct pair *pair)
{
	struct ibv_sge sge = sge_of(&pair->b, 0, 100);
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(pair->b.qp, &wr, &bad);
}

/* How many go in while nobody polls and the device has time to do them. */
static int fill_up(struct pair *pair, int (*try)(struct pair *pair))
{
	double end = now() + 0.2 * patience_factor();
	int nr = 0, err;

	while (now() < end) {
		err = try(pair);
		if (!err) {
			nr++;
			continue;
		}
		CHECK_EQ(err, ENOMEM);
		usleep(1000);
	}
	return nr;
}

static void poll_all(struct pair *pair, struct ibv_cq *cq, int nr)
{
	while (nr--)
		poll_ok(cq);
	poll_none(cq, 0.05);
	CHECK(!readable(pair->dev.context->async_fd, 0));
}

static void sends_unpolled(void)
{
	struct pair pair;
	int i;

	open_full_pair(&pair);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fill_up(&pair, try_signaled), SLOTS);
		poll_all(&pair, pair.a.cq, SLOTS);
	}
	CHECK_EQ(fill_up(&pair, try_signaled), SLOTS);
	/* One polled is one to post. */
	poll_ok(pair.a.cq);
	CHECK_EQ(fill_up(&pair, try_signaled), 1);
	poll_all(&pair, pair.a.cq, SLOTS);
}

static void receives_unpolled(void)
{
	struct pair pair;
	int i, nr;

	open_full_pair(&pair);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fill_up(&pair, try_recv), SLOTS);
		for (nr = 0; nr < SLOTS; nr++) {
			send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
			poll_ok(pair.a.cq);
		}
		CHECK_EQ(fill_up(&pair, try_recv), 0);
		poll_all(&pair, pair.b.cq, SLOTS);
	}
}

/* Those before it are free with the one that completes. */
static void unsignaled(void)
{
	struct pair pair;
	int i, nr;

	open_full_pair(&pair);
	for (i = 0; i < 3; i++) {
		for (nr = 1; nr < SLOTS; nr++)
			CHECK_EQ(try_write(&pair, 0), 0);
		CHECK_EQ(fill_up(&pair, try_signaled), 1);
		poll_all(&pair, pair.a.cq, 1);
	}
}

/* What was in use is forgotten with the rest. */
static void free_after_reset(void)
{
	struct pair pair;
	int i;

	open_full_pair(&pair);
	for (i = 0; i < 3; i++) {
		CHECK_EQ(fill_up(&pair, try_signaled), SLOTS);
		CHECK_EQ(fill_up(&pair, try_recv), SLOTS);
		CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RESET), 0);
		CHECK_EQ(modify_state(pair.b.qp, IBV_QPS_RESET), 0);
		join(&pair.a, &pair.b, &pair.opt);
		join(&pair.b, &pair.a, &pair.opt);
	}
	CHECK_EQ(fill_up(&pair, try_signaled), SLOTS);
	poll_all(&pair, pair.a.cq, SLOTS);
}

/* Flushed ones too, unsignaled as they are. */
static void free_after_flush(void)
{
	struct pair pair;
	int i, nr;

	open_full_pair(&pair);
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	for (i = 0; i < 3; i++) {
		for (nr = 0; nr < SLOTS; nr++)
			CHECK_EQ(try_write(&pair, 0), 0);
		CHECK_EQ(fill_up(&pair, try_signaled), 0);
		for (nr = 0; nr < SLOTS; nr++)
			CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_WR_FLUSH_ERR);
	}
}

static const struct test tests[] = {
	{ "told", told },
	{ "port", port },
	{ "largest_queues", largest_queues, 60 },
	{ "largest_cq", largest_cq, 60 },
	{ "many_mrs", many_mrs, 120 },
	{ "many_qps", many_qps, 120 },
	{ "many_ahs", many_ahs, 60 },
	{ "again_and_again", again_and_again, 60 },
	{ "wrong_types", wrong_types },
	{ "opened_often", opened_often, 60 },
	{ "sends_unpolled", sends_unpolled },
	{ "receives_unpolled", receives_unpolled },
	{ "unsignaled", unsignaled },
	{ "free_after_reset", free_after_reset },
	{ "free_after_flush", free_after_flush },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
