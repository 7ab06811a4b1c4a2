/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * After publishing: kick the kernel if it asks for it. Called without the
 * queue's lock, because the kernel runs the queue inside the kick and others
 * may go on posting meanwhile.
 */
#ifndef ROX_DOORBELL_H
#define ROX_DOORBELL_H

#include "rox.h"

int rox_kick(struct rox_qp *qp);

/* rox_doorbell - 0, or the error of rox_kick() */
static inline int rox_doorbell(struct rox_qp *qp, const struct rox_ring *ring)
{
	return unlikely(rox_ring_needs_kick(ring)) ? rox_kick(qp) : 0; /* (D) */
}

#endif
