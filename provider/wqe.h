/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Writes work requests into ring slots, for the classic and for the ibv_wr_*
 * calls. Knows the ABI and nothing of libibverbs, so that it can be tested
 * alone. Fields an operation does not use are left as they are.
 */
#ifndef ROX_WQE_H
#define ROX_WQE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rdma/rox-abi.h>

static inline void *rox_sqe_payload(struct rox_sqe *sqe)
{
	return sqe + 1;
}

static inline void rox_sqe_start(struct rox_sqe *sqe, uint64_t wr_id,
				 uint8_t opcode, uint8_t flags)
{
	sqe->wr_id = wr_id;
	sqe->opcode = opcode;
	sqe->flags = flags;
	sqe->num_sge = 0;
	sqe->reserved = 0;
	sqe->inline_len = 0;
}

static inline void rox_sqe_remote(struct rox_sqe *sqe, uint64_t remote_addr,
				  uint32_t rkey)
{
	sqe->remote_addr = remote_addr;
	sqe->rkey = rkey;
}

static inline void rox_sqe_atomic(struct rox_sqe *sqe, uint64_t compare_add,
				  uint64_t swap)
{
	sqe->compare_add = compare_add;
	sqe->swap = swap;
}

static inline void rox_sqe_ud(struct rox_sqe *sqe, uint32_t ah_number,
			      uint32_t qpn, uint32_t qkey)
{
	sqe->rkey = ah_number;
	sqe->compare_add = qpn;
	sqe->swap = qkey;
}

/* @sges: an array laid out like struct rox_sge. */
static inline void rox_sqe_sges(struct rox_sqe *sqe, const void *sges,
				uint32_t num_sge)
{
	sqe->num_sge = num_sge;
	if (num_sge)
		memcpy(rox_sqe_payload(sqe), sges,
		       num_sge * sizeof(struct rox_sge));
}

/* rox_sqe_inline - append to the inline data; false if it would pass @max */
static inline bool rox_sqe_inline(struct rox_sqe *sqe, const void *data,
				  size_t len, uint32_t max)
{
	if (len > max - sqe->inline_len)
		return false;
	if (len)
		memcpy((uint8_t *)rox_sqe_payload(sqe) + sqe->inline_len,
		       data, len);
	sqe->flags |= ROX_SQE_INLINE;
	sqe->inline_len += len;
	return true;
}

static inline void rox_rqe_fill(struct rox_rqe *rqe, uint64_t wr_id,
				const void *sges, uint32_t num_sge)
{
	rqe->wr_id = wr_id;
	rqe->num_sge = num_sge;
	rqe->reserved = 0;
	if (num_sge)
		memcpy(rqe + 1, sges, num_sge * sizeof(struct rox_sge));
}

#endif
