/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A send queue: its ring, its limits, and which requests it takes. */
#ifndef ROX_SQ_H
#define ROX_SQ_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "lock.h"
#include "ring.h"
#include "wqe.h"

struct rox_sq {
	struct rox_lock lock;
	/* Bit n: opcode n is served; see rox_sq_opcodes(). */
	uint32_t opcodes;
	uint32_t max_sge;
	uint32_t max_inline;
	/* ROX_SQE_SIGNALED if every request shall complete visibly. */
	uint8_t always_flags;
	bool is_ud;

	/* Between wr_start and wr_complete: */
	bool ud_addr_missing;
	int err;
	uint32_t start_prod;
	struct rox_sqe *cur;

	struct rox_ring ring;
};

#define ROX_SQ_OP(op) (1U << ROX_WR_##op)

#define ROX_SQ_SEND_OPS (ROX_SQ_OP(SEND) | ROX_SQ_OP(SEND_WITH_IMM))
#define ROX_SQ_WRITE_OPS (ROX_SQ_OP(RDMA_WRITE) | ROX_SQ_OP(RDMA_WRITE_WITH_IMM))
#define ROX_SQ_ATOMIC_OPS \
	(ROX_SQ_OP(ATOMIC_CMP_AND_SWP) | ROX_SQ_OP(ATOMIC_FETCH_AND_ADD))

/* Operations whose payload flows from here, and so may be inline. */
#define ROX_SQ_INLINE_OPS \
	(ROX_SQ_SEND_OPS | ROX_SQ_WRITE_OPS | ROX_SQ_OP(SEND_WITH_INV))

#define ROX_SQ_WR_FLAGS \
	(IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_INLINE)

/* Opcodes and ibv_qp_ex operation flags can be used as they are. */
#define ROX_SQ_SAME(op)                                                        \
	static_assert((int)ROX_WR_##op == (int)IBV_WR_##op &&                  \
		      1 << ROX_WR_##op == (int)IBV_QP_EX_WITH_##op,            \
		      #op " differs between rox and libibverbs")
ROX_SQ_SAME(RDMA_WRITE);
ROX_SQ_SAME(RDMA_WRITE_WITH_IMM);
ROX_SQ_SAME(SEND);
ROX_SQ_SAME(SEND_WITH_IMM);
ROX_SQ_SAME(RDMA_READ);
ROX_SQ_SAME(ATOMIC_CMP_AND_SWP);
ROX_SQ_SAME(ATOMIC_FETCH_AND_ADD);
ROX_SQ_SAME(LOCAL_INV);
ROX_SQ_SAME(BIND_MW);
ROX_SQ_SAME(SEND_WITH_INV);
static_assert(sizeof(struct ibv_sge) == sizeof(struct rox_sge) &&
	      offsetof(struct ibv_sge, length) == offsetof(struct rox_sge, length) &&
	      offsetof(struct ibv_sge, lkey) == offsetof(struct rox_sge, lkey),
	      "ibv_sge cannot be copied as it is");

/* rox_sq_opcodes - what each type of queue pair takes; 0 for other types */
static inline uint32_t rox_sq_opcodes(enum ibv_qp_type type)
{
	switch (type) {
	case IBV_QPT_RC:
		return ROX_SQ_SEND_OPS | ROX_SQ_WRITE_OPS | ROX_SQ_ATOMIC_OPS |
		       ROX_SQ_OP(RDMA_READ) | ROX_SQ_OP(SEND_WITH_INV) |
		       ROX_SQ_OP(LOCAL_INV);
	case IBV_QPT_UC:
		return ROX_SQ_SEND_OPS | ROX_SQ_WRITE_OPS | ROX_SQ_OP(LOCAL_INV);
	case IBV_QPT_UD:
		return ROX_SQ_SEND_OPS;
	default:
		return 0;
	}
}

static inline bool rox_sq_takes(const struct rox_sq *sq, uint32_t opcode)
{
	return opcode < 32 && sq->opcodes & (1U << opcode);
}

/* rox_sq_flags - the entry's flags but INLINE, which follows the payload */
static inline uint8_t rox_sq_flags(const struct rox_sq *sq, uint32_t wr_flags)
{
	return sq->always_flags |
	       (wr_flags & IBV_SEND_SIGNALED ? ROX_SQE_SIGNALED : 0) |
	       (wr_flags & IBV_SEND_SOLICITED ? ROX_SQE_SOLICITED : 0) |
	       (wr_flags & IBV_SEND_FENCE ? ROX_SQE_FENCE : 0);
}

/*
 * rox_sq_check_state - may a queue pair in @state be given send requests?
 *
 * In the error states it may: they complete as flushed.
 */
static inline int rox_sq_check_state(enum ibv_qp_state state)
{
	return state == IBV_QPS_RESET || state == IBV_QPS_INIT ||
	       state == IBV_QPS_RTR ? EINVAL : 0;
}

#endif
