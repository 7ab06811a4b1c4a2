/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What polling gives back. A slot of a send or receive queue is in use until its
 * completion, or a later one of that queue, has been polled, as on a card: a program
 * may post until there is no room and only then poll, and a completion queue as large
 * as its queues must do for that. So the completion's own slot goes back first.
 */
#ifndef ROX_FREED_H
#define ROX_FREED_H

#include "rox.h"

static_assert((int)ROX_CQE_OPCODE_RECV == (int)IBV_WC_RECV,
	      "a receive's completion looks different");

/* The slots of one queue that the completions polled last have freed. */
struct rox_freed {
	struct rox_ring *queue;
	uint32_t to;
};

/* The queue of a completion in the ring: what is there was not purged with its QP. */
static inline struct rox_ring *rox_cqe_queue(const struct rox_cqe *cqe)
{
	struct rox_qp *qp = (struct rox_qp *)(uintptr_t)cqe->qp;

	return cqe->opcode & ROX_CQE_OPCODE_RECV ? &qp->rq.ring : &qp->sq.ring;
}

/* rox_freed_release - completions stepped over, then the slots they have freed */
static inline void rox_freed_release(struct rox_freed *freed,
				     struct rox_cq_ring *ring)
{
	rox_cq_ring_release(ring);
	rox_ring_free(freed->queue, freed->to);
}

/*
 * rox_freed_add - a completion that is about to be stepped over
 *
 * Those of one queue in a row are released as one.
 */
static inline void rox_freed_add(struct rox_freed *freed,
				 struct rox_cq_ring *ring,
				 const struct rox_cqe *cqe)
{
	struct rox_ring *queue = rox_cqe_queue(cqe);

	if (freed->queue != queue) {
		if (freed->queue)
			rox_freed_release(freed, ring);
		freed->queue = queue;
	}
	freed->to = cqe->free_to;
}

#endif
