/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One queue pair of the provider's on a kernel of paper, for each case anew. */
#ifndef ROX_TEST_FIXTURE_H
#define ROX_TEST_FIXTURE_H

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

static inline void setup(enum ibv_qp_type type, enum ibv_qp_state state)
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

static inline void teardown(void)
{
	EXPECT_EQ(rox_ah_destroy(ah), 0);
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	EXPECT_EQ(rox_cq_destroy(cq), 0);
	EXPECT_EQ(rox_pd_dealloc(pd), 0);
	EXPECT_EQ(fake.live_objects, 0);
	fake_close();
}

/* As if its completion were polled at once. */
static inline bool take_send(void)
{
	memset(&got, 0xee, sizeof(got));
	if (!fake_wq_take(&fake.sq, &got))
		return false;
	fake_wq_retire(&fake.sq);
	rox_ring_free(&to_rox_qp(qp)->sq.ring, fake.sq.cons);
	return true;
}

static inline int post(struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	return rox_post_send(qp, wr, bad);
}

/* The error for one request, which must then also be the bad one. */
static inline int post_one(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;
	int err = post(wr, &bad);

	EXPECT(bad == (err ? wr : NULL));
	return err;
}

static inline struct ibv_send_wr send_wr(void)
{
	static struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 3 };

	return (struct ibv_send_wr){ .wr_id = 42, .opcode = IBV_WR_SEND,
				     .sg_list = &sge, .num_sge = 1 };
}

/* The queue pair created last has number 17; others are nobody's. */
static inline void complete(uint32_t qp_num, uint64_t wr_id)
{
	static struct rox_qp other;
	struct rox_cqe cqe = {
		.wr_id = wr_id, .qp_num = qp_num, .src_qp = 2, .byte_len = 3,
		.imm = 4, .vendor_err = 5, .status = IBV_WC_RNR_RETRY_EXC_ERR,
		.opcode = IBV_WC_RECV_RDMA_WITH_IMM,
		.flags = ROX_CQE_GRH | ROX_CQE_WITH_IMM, .sl = 6,
		.timestamp_ns = 7, .pkey_index = 8,
		.qp = qp_num == 17 ? fake.user_qp : (uintptr_t)&other,
		.free_to = fake.rq.cons,
	};

	fake_cq_put(&fake.cq, &cqe, false);
}

/* The kernel takes the next request of the queue pair created last, and completes it. */
static inline void complete_next(struct fake_wq *wq, uint32_t qp_num)
{
	struct rox_cqe cqe = {
		.qp_num = qp_num, .qp = fake.user_qp,
		.opcode = wq == &fake.rq ? IBV_WC_RECV : IBV_WC_RDMA_READ,
	};

	EXPECT(fake_wq_take(wq, &got));
	fake_wq_retire(wq);
	cqe.free_to = wq->cons;
	fake_cq_put(&fake.cq, &cqe, false);
}

#endif
