/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A receive queue, by itself: of one queue pair or shared. */
#ifndef ROX_RQ_H
#define ROX_RQ_H

#include <errno.h>
#include <stdint.h>

#include <infiniband/verbs.h>

#include "lock.h"
#include "ring.h"
#include "wqe.h"

struct rox_rq {
	struct rox_lock lock;
	uint32_t max_sge;
	struct rox_ring ring;
};

static inline int rox_rq_put(struct rox_rq *rq, const struct ibv_recv_wr *wr)
{
	struct rox_rqe *rqe;

	if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
		return EINVAL;
	rqe = rox_ring_reserve(&rq->ring);
	if (!rqe)
		return ENOMEM;
	rox_rqe_fill(rqe, wr->wr_id, wr->sg_list, wr->num_sge);
	return 0;
}

/*
 * rox_rq_post - add a list of requests and publish those that are right
 * @bad_wr: the first one that was not added, NULL if there is none
 */
static inline int rox_rq_post(struct rox_rq *rq, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	uint32_t before;
	int err = 0;

	rox_lock(&rq->lock);
	before = rq->ring.prod;
	for (; wr; wr = wr->next) {
		err = rox_rq_put(rq, wr);
		if (err)
			break;
	}
	if (rq->ring.prod != before)
		rox_ring_submit(&rq->ring);
	rox_unlock(&rq->lock);
	*bad_wr = wr;
	return err;
}

#endif
