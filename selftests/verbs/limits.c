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
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
