/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From hostile ring memory to private, validated work requests. */
#ifndef ROX_WQE_H
#define ROX_WQE_H

#include <linux/stddef.h>
#include <rdma/rox-abi.h>

#include "copy.h"
#include "mr.h"
#include "proto/requester.h"

struct rox_qp;

/* A slot of the requester: the machine's part, then what the payload is. */
struct rox_wr_slot {
	struct rox_wr wr;
	union {
		DECLARE_FLEX_ARRAY(struct rox_sge, sge);	/* wr.num_sge */
		DECLARE_FLEX_ARRAY(u8, bytes);			/* inline: wr.length */
	};
};

static inline struct rox_wr_slot *to_rox_wr_slot(struct rox_wr *wr)
{
	return container_of(wr, struct rox_wr_slot, wr);
}

/*
 * REG_MR, which only kernel users post: compare_add is the struct ib_mr, rkey
 * the key it gets, swap the access it grants.
 */
static inline struct rox_mr *rox_wr_mr(const struct rox_wr *wr)
{
	return to_rox_mr((struct ib_mr *)(uintptr_t)wr->compare_add);
}

/* Where the bytes of a send work request are, from its @offset on; @sgl is filled. */
static inline struct rox_buf rox_wr_payload(const struct rox_wr *wr, struct ib_pd *pd,
					    u32 offset, struct rox_sgl *sgl)
{
	struct rox_wr_slot *slot = to_rox_wr_slot((struct rox_wr *)wr);

	if (wr->flags & ROX_SQE_INLINE)
		return (struct rox_buf) { .mem = slot->bytes + offset };
	*sgl = (struct rox_sgl) { .pd = pd, .sge = slot->sge, .num_sge = wr->num_sge };
	return (struct rox_buf) { .sgl = sgl, .offset = offset };
}

/**
 * rox_wqe_slot_bytes - how large the slots of a requester are
 * @max_sge:    of a send work request
 * @max_inline: bytes
 */
u32 rox_wqe_slot_bytes(u32 max_sge, u32 max_inline);

/**
 * rox_wqe_accept - copy the next send WQE and hand it to the requester
 * @qp: its ring has an entry at sq.ring.pos and its requester has room
 *
 * A malformed one is handed over as well, to complete with an error in turn.
 * Context: owner of the send side.
 */
void rox_wqe_accept(struct rox_qp *qp);

/**
 * rox_wqe_take_recv - copy the next receive WQE to rq.cur
 * @qp: no receive WQE is held
 *
 * Context: owner of the receive side.
 * Return: 0; -ENOENT if none is posted; -EINVAL if it is malformed, rq.cur then
 * is held as well, for its completion with an error.
 */
int rox_wqe_take_recv(struct rox_qp *qp);

#endif
