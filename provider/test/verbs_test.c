/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects, polling and arming, from the verbs to the kernel's side. Built once
 * for every version of rdma-core at hand.
 */
#include "fixture.h"

static void create_qp__sq_sig_all(void)
{
	struct ibv_send_wr wr = send_wr();
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC,
					 .sq_sig_all = 1 };
	struct ibv_qp *first;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	first = qp;
	attr.send_cq = attr.recv_cq = cq;
	qp = rox_qp_create(pd, &attr);
	EXPECT(qp);
	EXPECT_EQ(attr.cap.max_inline_data, 64);
	qp->state = IBV_QPS_RTS;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.flags, ROX_SQE_SIGNALED);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	qp = first;
	teardown();
}

static void create_qp__refuses(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_UC };

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT(!rox_qp_create_ex(context, &attr) && errno == EINVAL);
	attr.pd = pd;
	attr.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ;
	EXPECT(!rox_qp_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.send_ops_flags = IBV_QP_EX_WITH_TSO;
	EXPECT(!rox_qp_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask |= IBV_QP_INIT_ATTR_RX_HASH;
	EXPECT(!rox_qp_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	attr.qp_type = IBV_QPT_RAW_PACKET;
	EXPECT(!rox_qp_create_ex(context, &attr) && errno == EOPNOTSUPP);
	teardown();
}

/* The kernel refuses; the first ring cannot be mapped; the second cannot. */
static void create_qp__failures_leave_nothing(void)
{
	struct ibv_qp_init_attr_ex attr = { .qp_type = IBV_QPT_RC };
	uint32_t before;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	before = fake.live_objects;
	attr.pd = pd;
	attr.comp_mask = IBV_QP_INIT_ATTR_PD;
	for (i = 0; i < 3; i++) {
		fake.fail_with = i ? 0 : ENOMEM;
		fake.fail_map = i;
		errno = 0;
		EXPECT(!rox_qp_create_ex(context, &attr));
		EXPECT(errno);
		EXPECT_EQ(fake.live_objects, before);
	}
	fake.fail_map = 1;
	EXPECT(!rox_cq_create(context, 4, NULL, 0));
	EXPECT_EQ(fake.live_objects, before);
	teardown();
}

static void create_qp__without_receive_queue(void)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	struct ibv_recv_wr wr = {}, *bad = NULL;
	struct ibv_qp *first;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	first = qp;
	fake.rq_entries = 0;
	attr.send_cq = attr.recv_cq = cq;
	qp = rox_qp_create(pd, &attr);
	EXPECT(qp);
	qp->state = IBV_QPS_RTS;
	EXPECT_EQ(rox_post_recv(qp, &wr, &bad), ENOMEM);
	EXPECT(bad == &wr);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	qp = first;
	teardown();
}

static void poll_cq__decodes(void)
{
	struct ibv_wc wc[4];

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 0);
	complete(17, 1);
	memset(wc, 0xee, sizeof(wc));
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 1);
	EXPECT_EQ(wc[0].wr_id, 1);
	EXPECT_EQ(wc[0].status, IBV_WC_RNR_RETRY_EXC_ERR);
	EXPECT_EQ(wc[0].opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(wc[0].vendor_err, 5);
	EXPECT_EQ(wc[0].byte_len, 3);
	EXPECT_EQ(wc[0].imm_data, 4);
	EXPECT_EQ(wc[0].qp_num, 17);
	EXPECT_EQ(wc[0].src_qp, 2);
	EXPECT_EQ(wc[0].wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	EXPECT_EQ(wc[0].pkey_index, 8);
	EXPECT_EQ(wc[0].slid, 0);
	EXPECT_EQ(wc[0].sl, 6);
	EXPECT_EQ(wc[0].dlid_path_bits, 0);
	complete(17, 2);
	complete(17, 3);
	EXPECT_EQ(rox_cq_poll(cq, 0, wc), 0);
	EXPECT_EQ(rox_cq_poll(cq, 1, wc), 1);
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 1);
	EXPECT_EQ(wc[0].wr_id, 3);
	EXPECT_EQ(fake.cq.hdr->cons, 3);
	teardown();
}

static void poll_cq_ex__reads_in_place(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 2,
		.wc_flags = IBV_WC_STANDARD_FLAGS |
			    IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT(!fake.cq_stamped);
	ex = rox_cq_create_ex(context, &attr);
	EXPECT(ex);
	EXPECT(fake.cq_stamped);
	EXPECT_EQ(ibv_start_poll(ex, &poll), ENOENT);
	complete(17, 1);
	complete(18, 2);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	EXPECT_EQ(ex->wr_id, 1);
	EXPECT_EQ(ex->status, IBV_WC_RNR_RETRY_EXC_ERR);
	EXPECT_EQ(ibv_wc_read_opcode(ex), IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(ibv_wc_read_completion_ts(ex), 7);
	EXPECT_EQ(ibv_wc_read_imm_data(ex), 4);
	EXPECT_EQ(ibv_wc_read_wc_flags(ex), IBV_WC_GRH | IBV_WC_WITH_IMM);
	EXPECT_EQ(ibv_next_poll(ex), 0);
	EXPECT_EQ(ibv_wc_read_qp_num(ex), 18);
	/* What was seen is free: two more have room. */
	EXPECT(!fake_cq_full(&fake.cq));
	EXPECT_EQ(ibv_next_poll(ex), ENOENT);
	complete(19, 3);
	ibv_end_poll(ex);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	EXPECT_EQ(ex->wr_id, 3);
	ibv_end_poll(ex);
	EXPECT_EQ(ibv_start_poll(ex, &poll), ENOENT);
	EXPECT_EQ(fake.cq.hdr->cons, 3);
	poll.comp_mask = 1;
	EXPECT_EQ(ibv_start_poll(ex, &poll), EINVAL);
	EXPECT_EQ(rox_cq_destroy(ibv_cq_ex_to_cq(ex)), 0);
	teardown();
}

/* While a completion of it is being read; what comes after is not lost. */
static void poll_cq_ex__queue_pair_goes_meanwhile(void)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 4,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = rox_cq_create_ex(context, &attr);
	EXPECT(ex);
	complete(17, 1);
	complete(17, 2);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	rox_cq_purge(ibv_cq_ex_to_cq(ex), 17);
	EXPECT_EQ(ibv_wc_read_qp_num(ex), 17);
	complete(18, 3);
	EXPECT_EQ(ibv_next_poll(ex), 0);
	EXPECT_EQ(ex->wr_id, 3);
	rox_cq_purge(ibv_cq_ex_to_cq(ex), 18);
	ibv_end_poll(ex);
	EXPECT_EQ(fake.cq.hdr->cons, 3);
	complete(19, 4);
	EXPECT_EQ(ibv_start_poll(ex, &poll), 0);
	EXPECT_EQ(ex->wr_id, 4);
	ibv_end_poll(ex);
	EXPECT_EQ(rox_cq_destroy(ibv_cq_ex_to_cq(ex)), 0);
	teardown();
}

static void create_cq_ex__refuses(void)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4,
					    .wc_flags = IBV_WC_EX_WITH_CVLAN };

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT(!rox_cq_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.wc_flags = 0;
	attr.comp_mask = 1 << 15;
	EXPECT(!rox_cq_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS;
	attr.flags = IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
	EXPECT(!rox_cq_create_ex(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = 0;
	attr.cqe = 0;
	EXPECT(!rox_cq_create_ex(context, &attr) && errno == EINVAL);
	EXPECT(!rox_cq_create(context, 0, NULL, 0) && errno == EINVAL);
	teardown();
}

static void destroy_qp__purges_its_completions(void)
{
	struct ibv_wc wc[4];

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	complete(17, 1);
	complete(18, 2);
	complete(17, 3);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 1);
	EXPECT_EQ(wc[0].wr_id, 2);
	qp = NULL;
	rox_ah_destroy(ah);
	rox_cq_destroy(cq);
	rox_pd_dealloc(pd);
	fake_close();
}

static void destroy_the_cq(struct ibv_qp *destroyed)
{
	EXPECT_EQ(rox_cq_destroy(destroyed->send_cq), 0);
}

static void destroy_qp__cq_destroyed_meanwhile(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	complete(17, 1);
	fake.on_destroyed_qp = destroy_the_cq;
	EXPECT_EQ(rox_ah_destroy(ah), 0);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	EXPECT_EQ(rox_pd_dealloc(pd), 0);
	EXPECT_EQ(fake.live_objects, 0);
	fake_close();
}

static void destroy_qp__refused_leaves_everything(void)
{
	struct ibv_send_wr wr = send_wr();
	struct ibv_wc wc;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	complete(17, 1);
	fake.fail_with = EBUSY;
	EXPECT_EQ(rox_qp_destroy(qp), EBUSY);
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 1);
	teardown();
}

static void modify_qp__reset_forgets(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = send_wr();
	struct ibv_wc wc;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(post_one(&wr), 0);
	complete(17, 1);
	EXPECT_EQ(rox_qp_modify(qp, &attr, IBV_QP_STATE), 0);
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
	qp->state = IBV_QPS_RTS;
	wr.wr_id = 1000;
	for (i = 0; i < 4; i++)
		EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.wr_id, 1000);
	teardown();
}

static void req_notify__arms_without_a_call(void)
{
	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(rox_cq_arm(cq, 1), 0);
	EXPECT_EQ(fake.cq.hdr->flags, ROX_CQ_ARM_SOLICITED);
	EXPECT_EQ(rox_cq_arm(cq, 0), 0);
	EXPECT_EQ(fake.cq.hdr->flags, ROX_CQ_ARM_NEXT);
	complete(17, 1);
	EXPECT_EQ(fake.cq.events, 1);
	teardown();
}

static void resize_cq__keeps_what_was_not_polled(void)
{
	struct ibv_wc wc[8];
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 4; i++)
		complete(17, i);
	EXPECT_EQ(rox_cq_poll(cq, 1, wc), 1);
	EXPECT_EQ(rox_cq_arm(cq, 1), 0);
	EXPECT_EQ(rox_cq_resize(cq, 100), 0);
	EXPECT_EQ(cq->cqe, 128);
	EXPECT_EQ(fake.cq.hdr->flags, ROX_CQ_ARM_SOLICITED);
	complete(17, 4);
	EXPECT_EQ(rox_cq_poll(cq, 8, wc), 4);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(wc[i].wr_id, i + 1);
	EXPECT_EQ(fake.cq.hdr->cons, 5);
	EXPECT_EQ(fake.notify_commands, 0);
	teardown();
}

static void resize_cq__refused_changes_nothing(void)
{
	struct ibv_wc wc[4];

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	complete(17, 1);
	EXPECT_EQ(rox_cq_resize(cq, 0), EINVAL);
	fake.fail_with = EINVAL;
	EXPECT_EQ(rox_cq_resize(cq, 2), EINVAL);
	complete(17, 2);
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 2);
	EXPECT_EQ(wc[1].wr_id, 2);
	teardown();
}

/* It looks at the ring that is going: there it sees nothing, also when it is gone. */
static void arm_and_look(struct ibv_cq *armed)
{
	EXPECT_EQ(rox_cq_arm(armed, 0), 0);
	EXPECT(rox_cq_ring_is_empty(rox_cq_ring(to_rox_cq(armed))));
	complete(17, 1);
}

static void resize_cq__armed_meanwhile(void)
{
	struct rox_cq_ring *old;
	struct ibv_wc wc[4];

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	old = rox_cq_ring(to_rox_cq(cq));
	fake.on_resized_cq = arm_and_look;
	EXPECT_EQ(rox_cq_resize(cq, 100), 0);
	EXPECT_EQ(fake.notify_commands, 1);
	EXPECT(rox_cq_ring_is_empty(old));
	EXPECT_EQ(rox_cq_poll(cq, 4, wc), 1);
	teardown();
}

static void parent_domain__single_threaded_and_counted(void)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_qp_init_attr qp_attr = { .qp_type = IBV_QPT_RC };
	struct ibv_td *td;
	struct ibv_pd *parent;
	struct ibv_qp *fast;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	td = rox_td_alloc(context, &td_attr);
	EXPECT(!rox_parent_domain_alloc(context, &attr) && errno == EINVAL);
	attr.pd = pd;
	attr.td = td;
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	EXPECT(!rox_parent_domain_alloc(context, &attr) && errno == EOPNOTSUPP);
	attr.comp_mask = 0;
	parent = rox_parent_domain_alloc(context, &attr);
	EXPECT(parent);
	EXPECT_EQ(rox_td_dealloc(td), EBUSY);
	EXPECT_EQ(rox_pd_dealloc(pd), EBUSY);
	qp_attr.send_cq = qp_attr.recv_cq = cq;
	fast = rox_qp_create(parent, &qp_attr);
	EXPECT(fast && !to_rox_qp(fast)->sq.lock.needed);
	EXPECT(to_rox_qp(qp)->sq.lock.needed);
	EXPECT_EQ(rox_qp_destroy(fast), 0);
	EXPECT_EQ(rox_pd_dealloc(parent), 0);
	EXPECT_EQ(rox_td_dealloc(td), 0);
	teardown();
}

static void query_device__clock_and_version(void)
{
	struct ibv_device_attr_ex attr = {};
	struct ibv_values_ex values = { .comp_mask = 1 };

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(rox_query_device_ex(context, NULL, &attr, sizeof(attr)), 0);
	EXPECT(!strcmp(attr.orig_attr.fw_ver, "1.2.3"));
	EXPECT_EQ(attr.hca_core_clock, 1000000);
	EXPECT_EQ(rox_query_rt_values(context, &values), 0);
	EXPECT(values.raw_clock.tv_sec || values.raw_clock.tv_nsec);
	values.comp_mask = 2;
	EXPECT_EQ(rox_query_rt_values(context, &values), EOPNOTSUPP);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(create_qp__sq_sig_all),
	TAP_CASE(create_qp__refuses),
	TAP_CASE(create_qp__failures_leave_nothing),
	TAP_CASE(create_qp__without_receive_queue),
	TAP_CASE(poll_cq__decodes),
	TAP_CASE(poll_cq_ex__reads_in_place),
	TAP_CASE(poll_cq_ex__queue_pair_goes_meanwhile),
	TAP_CASE(create_cq_ex__refuses),
	TAP_CASE(destroy_qp__purges_its_completions),
	TAP_CASE(destroy_qp__cq_destroyed_meanwhile),
	TAP_CASE(destroy_qp__refused_leaves_everything),
	TAP_CASE(modify_qp__reset_forgets),
	TAP_CASE(req_notify__arms_without_a_call),
	TAP_CASE(resize_cq__keeps_what_was_not_polled),
	TAP_CASE(resize_cq__refused_changes_nothing),
	TAP_CASE(resize_cq__armed_meanwhile),
	TAP_CASE(parent_domain__single_threaded_and_counted),
	TAP_CASE(query_device__clock_and_version),
};

TAP_MAIN(cases)
