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
int rox_kick_late(struct rox_qp *qp);
void rox_kick_waiting(struct rox_cq *cq);
void rox_forget_kick(struct rox_qp *qp);
void rox_help(struct rox_cq *cq);

/* rox_doorbell - 0, or the error of rox_kick() */
static inline int rox_doorbell(struct rox_qp *qp, const struct rox_ring *ring)
{
	enum rox_ring_kick when = rox_ring_kick(ring); /* (D) */

	if (likely(when == ROX_KICK_NONE))
		return 0;
	return when == ROX_KICK_NOW ? rox_kick(qp) : rox_kick_late(qp);
}

/* rox_kick_before_waiting - what was put off is done, if there is any */
static inline void rox_kick_before_waiting(struct rox_cq *cq)
{
	if (unlikely(atomic_load_explicit(&cq->late, memory_order_relaxed)))
		rox_kick_waiting(cq);
}

/* rox_help_before_waiting - the kernel is helped if it asks for that */
static inline void rox_help_before_waiting(struct rox_cq *cq)
{
	if (unlikely(rox_cq_ring_help(rox_cq_ring(cq))))
		rox_help(cq);
}

/*
 * rox_cq_has_none - a look at an empty queue; what was put off, and what the kernel left to
 * us, is done before
 */
static inline bool rox_cq_has_none(struct rox_cq *cq)
{
	if (!rox_cq_ring_is_empty(rox_cq_ring(cq)))
		return false;
	rox_kick_before_waiting(cq);
	rox_help_before_waiting(cq);
	return rox_cq_ring_is_empty(rox_cq_ring(cq));
}

#endif
