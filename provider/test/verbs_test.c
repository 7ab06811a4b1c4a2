/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The provider's verbs, from their entry points to the bytes in the rings, on
 * a kernel of paper. Built once for every version of rdma-core at hand.
 */
#include <errno.h>

#include "fake_verbs.h"
#include "tap.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_ah *ah;

/* A slot's copy, as the kernel would have taken it. */
static union {
	struct rox_sqe sqe;
	struct rox_rqe rqe;
	struct {
		struct rox_sqe head;
		struct rox_sge sges[4];
	} sq;
	struct {
		struct rox_rqe head;
		struct rox_sge sges[4];
	} rq;
	uint8_t bytes[256];
} got;

static void setup(enum ibv_qp_type type, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = rox_sq_opcodes(type),
	};
	struct ibv_ah_attr ah_attr = {};

	fake_open();
	context = &fake.ctx.vctx.context;
	pd = rox_pd_alloc(context);
	cq = rox_cq_create(context, 4, NULL, 0);
	attr.pd = pd;
	attr.send_cq = attr.recv_cq = cq;
	qp = rox_qp_create_ex(context, &attr);
	ah = rox_ah_create(pd, &ah_attr);
	EXPECT(pd && cq && qp && ah);
	qp->state = state;
}

static void teardown(void)
{
	EXPECT_EQ(rox_ah_destroy(ah), 0);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	EXPECT_EQ(rox_cq_destroy(cq), 0);
	EXPECT_EQ(rox_pd_dealloc(pd), 0);
	EXPECT_EQ(fake.live_objects, 0);
	fake_close();
}

static bool take_send(void)
{
	memset(&got, 0xee, sizeof(got));
	if (!fake_wq_take(&fake.sq, &got))
		return false;
	fake_wq_retire(&fake.sq);
	return true;
}

static int post(struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return rox_post_send(qp, wr, bad);
}

/* The error for one request, which must then also be the bad one. */
static int post_one(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = post(wr, &bad);

	EXPECT(bad == (err ? wr : NULL));
	return err;
}

static struct ibv_send_wr send_wr(void)
{
	static struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 3 };

	return (struct ibv_send_wr){ .wr_id = 42, .opcode = IBV_WR_SEND,
				     .sg_list = &sge, .num_sge = 1 };
}

static void post_send__send(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.wr_id, 42);
	EXPECT_EQ(got.sqe.opcode, ROX_WR_SEND);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_SIGNALED | ROX_SQE_SOLICITED |
				 ROX_SQE_FENCE);
	EXPECT_EQ(got.sqe.num_sge, 1);
	EXPECT_EQ(got.sq.sges[0].addr, 0x1000);
	EXPECT_EQ(got.sq.sges[0].length, 8);
	EXPECT_EQ(got.sq.sges[0].lkey, 3);
	EXPECT(!take_send());
	teardown();
}

static void post_send__operands_of_each_operation(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wr.imm_data = 0x11223344;
	wr.wr.rdma.remote_addr = 0x5000;
	wr.wr.rdma.rkey = 77;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.imm, 0x11223344);
	EXPECT_EQ(got.sqe.remote_addr, 0x5000);
	EXPECT_EQ(got.sqe.rkey, 77);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.remote_addr = 0x6000;
	wr.wr.atomic.compare_add = 5;
	wr.wr.atomic.swap = 6;
	wr.wr.atomic.rkey = 78;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.remote_addr, 0x6000);
	EXPECT_EQ(got.sqe.compare_add, 5);
	EXPECT_EQ(got.sqe.swap, 6);
	EXPECT_EQ(got.sqe.rkey, 78);

	wr.opcode = IBV_WR_LOCAL_INV;
	wr.invalidate_rkey = 79;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.imm, 79);
	EXPECT_EQ(got.sqe.num_sge, 0);
	teardown();
}

static void post_send__ud(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_UD, IBV_QPS_RTS);
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 99;
	wr.wr.ud.remote_qkey = 0x80000001;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.rkey, 1234);
	EXPECT_EQ(got.sqe.compare_add, 99);
	EXPECT_EQ(got.sqe.swap, 0x80000001);
	teardown();
}

static void post_send__inline(void)
{
	char text[] = "hello inline world, longer than allowed if it is sent twice";
	struct ibv_sge sges[2] = {
		{ .addr = (uintptr_t)text, .length = 6 },
		{ .addr = (uintptr_t)text + 13, .length = 5 },
	};
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.sg_list = sges;
	wr.num_sge = 2;
	wr.send_flags = IBV_SEND_INLINE;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.flags, ROX_SQE_INLINE);
	EXPECT_EQ(got.sqe.inline_len, 11);
	EXPECT_EQ(got.sqe.num_sge, 0);
	EXPECT(!memcmp(got.bytes + sizeof(got.sqe), "hello world", 11));

	sges[0].length = sges[1].length = 40;
	EXPECT_EQ(post_one(&wr), EINVAL);
	EXPECT(!take_send());
	wr.opcode = IBV_WR_RDMA_READ;
	wr.num_sge = 1;
	EXPECT_EQ(post_one(&wr), EINVAL);
	teardown();
}

static void post_send__refuses(void)
{
	static const enum ibv_qp_state bad_states[] = {
		IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR
	};
	struct ibv_send_wr wr = send_wr();
	int i;

	setup(IBV_QPT_UC, IBV_QPS_RTS);
	wr.num_sge = 5;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.num_sge = -1;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	wr.send_flags = 1 << 20;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	wr.opcode = IBV_WR_RDMA_READ;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.opcode = 32 + IBV_WR_SEND;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	for (i = 0; i < 3; i++) {
		qp->state = bad_states[i];
		EXPECT_EQ(post_one(&wr), EINVAL);
	}
	qp->state = IBV_QPS_ERR;
	EXPECT_EQ(post_one(&wr), 0);
	teardown();
}

static void post_send__list_stops_at_the_bad_one(void)
{
	struct ibv_send_wr wrs[3], *bad = NULL;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 3; i++) {
		wrs[i] = send_wr();
		wrs[i].next = i < 2 ? &wrs[i + 1] : NULL;
	}
	wrs[2].num_sge = 100;
	fake_wq_idle(&fake.sq);
	EXPECT_EQ(post(wrs, &bad), EINVAL);
	EXPECT(bad == &wrs[2]);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT(take_send() && take_send());
	EXPECT(!take_send());
	teardown();
}

static void post_send__full(void)
{
	struct ibv_send_wr wr = send_wr();
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(post_one(&wr), ENOMEM);
	EXPECT(take_send());
	EXPECT_EQ(post_one(&wr), 0);
	teardown();
}

static void post_send__kicks_only_when_asked(void)
{
	struct ibv_send_wr wr = send_wr(), next = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(fake.kicks, 0);
	fake_wq_idle(&fake.sq);
	wr.next = &next;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT_EQ(fake.kicked_qpn, 17);
	teardown();
}

static void post_send__error_of_the_kick(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	fake_wq_idle(&fake.sq);
	fake.kick_result = ENOMEM;
	EXPECT_EQ(post_one(&wr), 0);
	fake.kick_result = EIO;
	EXPECT_EQ(post_one(&wr), EIO);
	teardown();
}

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

static void post_recv__list(void)
{
	struct ibv_sge sge = { .addr = 0x2000, .length = 16, .lkey = 4 };
	struct ibv_recv_wr wrs[2] = {
		{ .wr_id = 1, .next = &wrs[1], .sg_list = &sge, .num_sge = 1 },
		{ .wr_id = 2 },
	}, *bad = NULL;

	setup(IBV_QPT_RC, IBV_QPS_RESET);
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), EINVAL);
	EXPECT(bad == wrs);
	qp->state = IBV_QPS_INIT;
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), 0);
	EXPECT_EQ(fake.kicks, 0);
	EXPECT(fake_wq_take(&fake.rq, &got));
	EXPECT_EQ(got.rqe.wr_id, 1);
	EXPECT_EQ(got.rqe.num_sge, 1);
	EXPECT_EQ(got.rq.sges[0].addr, 0x2000);
	EXPECT(fake_wq_take(&fake.rq, &got));
	EXPECT_EQ(got.rqe.wr_id, 2);
	EXPECT_EQ(got.rqe.num_sge, 0);
	wrs[1].num_sge = 5;
	fake_wq_idle(&fake.rq);
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), EINVAL);
	EXPECT(bad == &wrs[1]);
	EXPECT_EQ(fake.kicks, 1);
	teardown();
}

static void wr_builder__one_kick_for_a_batch(void)
{
	struct ibv_sge sges[2] = { { .addr = 1 }, { .addr = 2 } };
	struct ibv_qp_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	fake_wq_idle(&fake.sq);
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write_imm(ex, 5, 0x100, 0xabcd);
	ibv_wr_set_sge_list(ex, 2, sges);
	ex->wr_id = 2;
	ex->wr_flags = 0;
	ibv_wr_send_inv(ex, 55);
	ibv_wr_set_inline_data(ex, "abc", 3);
	ex->wr_id = 3;
	ibv_wr_atomic_fetch_add(ex, 6, 0x200, 9);
	ibv_wr_set_sge(ex, 7, 0x300, 8);
	EXPECT_EQ(fake.sq.hdr->prod, 0);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(fake.kicks, 1);

	EXPECT(take_send());
	EXPECT_EQ(got.sqe.opcode, ROX_WR_RDMA_WRITE_WITH_IMM);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_SIGNALED);
	EXPECT_EQ(got.sqe.imm, 0xabcd);
	EXPECT_EQ(got.sqe.rkey, 5);
	EXPECT_EQ(got.sqe.remote_addr, 0x100);
	EXPECT_EQ(got.sqe.num_sge, 2);
	EXPECT_EQ(got.sq.sges[1].addr, 2);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.wr_id, 2);
	EXPECT_EQ(got.sqe.opcode, ROX_WR_SEND_WITH_INV);
	EXPECT_EQ(got.sqe.imm, 55);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_INLINE);
	EXPECT_EQ(got.sqe.inline_len, 3);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.compare_add, 9);
	EXPECT_EQ(got.sq.sges[0].lkey, 7);
	EXPECT(!take_send());
	teardown();
}

static void wr_builder__error_takes_back_the_batch(void)
{
	struct ibv_sge sges[5] = {};
	struct ibv_qp_ex *ex;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	for (i = 0; i < 6; i++) {
		ibv_wr_send(ex);
		ibv_wr_set_sge(ex, 1, 2, 3);
	}
	EXPECT_EQ(ibv_wr_complete(ex), ENOMEM);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 5, sges);
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, "abc", 3);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	qp->state = IBV_QPS_RTR;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	EXPECT(!take_send());
	EXPECT_EQ(fake.kicks, 0);
	teardown();
}

static void wr_builder__ud_needs_an_address(void)
{
	struct ibv_qp_ex *ex;

	setup(IBV_QPT_UD, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send_imm(ex, 8);
	ibv_wr_set_ud_addr(ex, ah, 5, 6);
	ibv_wr_set_sge(ex, 1, 2, 3);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.rkey, 1234);
	EXPECT_EQ(got.sqe.compare_add, 5);
	EXPECT_EQ(got.sqe.swap, 6);
	EXPECT_EQ(got.sqe.imm, 8);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, ah, 5, 6);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	EXPECT(!take_send());
	teardown();
}

static void complete(uint32_t qp_num, uint64_t wr_id)
{
	struct rox_cqe cqe = {
		.wr_id = wr_id, .qp_num = qp_num, .src_qp = 2, .byte_len = 3,
		.imm = 4, .vendor_err = 5, .status = IBV_WC_RNR_RETRY_EXC_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.flags = ROX_CQE_GRH | ROX_CQE_WITH_IMM, .sl = 6,
		.timestamp_ns = 7, .pkey_index = 8,
	};

	fake_cq_put(&fake.cq, &cqe, false);
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
	TAP_CASE(post_send__send),
	TAP_CASE(post_send__operands_of_each_operation),
	TAP_CASE(post_send__ud),
	TAP_CASE(post_send__inline),
	TAP_CASE(post_send__refuses),
	TAP_CASE(post_send__list_stops_at_the_bad_one),
	TAP_CASE(post_send__full),
	TAP_CASE(post_send__kicks_only_when_asked),
	TAP_CASE(post_send__error_of_the_kick),
	TAP_CASE(create_qp__sq_sig_all),
	TAP_CASE(create_qp__refuses),
	TAP_CASE(create_qp__failures_leave_nothing),
	TAP_CASE(create_qp__without_receive_queue),
	TAP_CASE(post_recv__list),
	TAP_CASE(wr_builder__one_kick_for_a_batch),
	TAP_CASE(wr_builder__error_takes_back_the_batch),
	TAP_CASE(wr_builder__ud_needs_an_address),
	TAP_CASE(poll_cq__decodes),
	TAP_CASE(poll_cq_ex__reads_in_place),
	TAP_CASE(create_cq_ex__refuses),
	TAP_CASE(destroy_qp__purges_its_completions),
	TAP_CASE(destroy_qp__refused_leaves_everything),
	TAP_CASE(modify_qp__reset_forgets),
	TAP_CASE(req_notify__arms_without_a_call),
	TAP_CASE(parent_domain__single_threaded_and_counted),
	TAP_CASE(query_device__clock_and_version),
};

TAP_MAIN(cases)
