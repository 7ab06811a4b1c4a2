/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The poller of a context: a thread that its program lends looks for new work
 * requests, so that who posts them need not kick.
 */
#ifndef ROX_POLL_H
#define ROX_POLL_H

#include <linux/mutex.h>
#include <linux/types.h>

struct rox_device;
struct rox_qp;
struct rox_ucontext;
struct uverbs_attr_bundle;

/* Queue pairs that one poller watches; whoever posts to others kicks. */
#define ROX_POLL_QPS		64
/* What an administrator may allow a poller to wait for work, and the default. */
#define ROX_POLL_MAX_US		1000000
#define ROX_POLL_DEFAULT_US	10000

struct rox_watched {
	struct rox_qp *qp;	/* referenced */
	u32 prod;		/* the ring's index when it was last looked at */
	u64 used_at;		/* when that had moved, in nanoseconds */
};

struct rox_poller {
	bool active;		/* takes queue pairs; any context reads it */
	struct mutex mutex;	/* the list; no queue is run under it */
	u32 nr;
	struct rox_watched *watched;	/* ROX_POLL_QPS of them while a thread is lent */
};

void rox_poller_init(struct rox_poller *p);
int rox_poll(struct rox_ucontext *uctx, u32 us,
	     const struct uverbs_attr_bundle *attrs);
void rox_poll_watch(struct rox_qp *qp);
void rox_poll_forget(struct rox_qp *qp);

#endif
