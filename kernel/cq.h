/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues. */
#ifndef ROX_CQ_H
#define ROX_CQ_H

#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "help.h"
#include "ring.h"

struct rox_cq {
	struct ib_cq ib;
	spinlock_t lock;	/* producers, and kernel consumers; irqsave */
	struct rox_ring ring;	/* ring.pos: next to produce */
	u32 cons;		/* kernel consumers: next to poll */
	bool overrun;		/* lost a completion: dead, event sent */
	u32 drains;		/* times all had been taken when one was added; anybody reads it */
	bool resizing;		/* somebody is at it */
	struct rox_ucontext *user;	/* a program polls and arms it, by the ring */
	bool timestamps;	/* asked for when it was created */
	struct rox_help help;	/* of who polls it */
};

static inline struct rox_cq *to_rox_cq(struct ib_cq *ib)
{
	return container_of(ib, struct rox_cq, ib);
}

/**
 * rox_cq_post - add a completion and wake whoever waits
 * @cqe:       all but seq and timestamp filled in
 * @solicited: fires ROX_CQ_ARM_SOLICITED too; so does a status not success
 *
 * Calls the completion handler with no lock held. On overrun: the CQ is dead,
 * IB_EVENT_CQ_ERR is raised once, completions are lost.
 * Context: any with no CQ lock held. Return: false if lost.
 */
bool rox_cq_post(struct rox_cq *cq, struct rox_cqe *cqe, bool solicited);

int rox_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int rox_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc);
int rox_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
/* create_cq's signature differs by version: compat/verbs.h makes it of this. */
int rox_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata);
int rox_cq_make_ring(struct rox_ring *ring, struct rox_ucontext *uctx, u32 entries,
		     struct ib_udata *udata);
/* cq_resize.c; the signature differs by version too */
int rox_cq_resize(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata);

#endif
