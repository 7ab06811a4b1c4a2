// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Pollers. A program lends a thread, which stays in the ioctl and looks at the
 * producer indices of the queue pairs that were kicked lately. Those do not ask
 * for kicks meanwhile. When it leaves, for whatever reason, each of them asks
 * again, so nothing depends on its coming back. It leaves when nothing was posted
 * for a while, for a signal, and when the device goes: that waits for all ioctls.
 *
 * It is the program's own thread, so its time is the program's, by every measure
 * that the system has: accounting, control groups, priority, kill.
 */
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "poll.h"
#include "qp.h"
#include "ucontext.h"

/* Passes in vain between two looks at the clock. */
#define PASSES	16

/* ---- the list; its mutex held, under which no queue is run ---- */

/* Who takes one out lets it go, with the mutex dropped: let_go(). */
static struct rox_qp *take_out(struct rox_poller *p, u32 i)
{
	struct rox_qp *qp = p->watched[i].qp;

	p->watched[i] = p->watched[--p->nr];
	WRITE_ONCE(qp->sq.watched, false);
	return qp;
}

/*
 * Room for one more: the longest unused leaves, if it is so for some time. The one
 * to let go, if any.
 */
static struct rox_qp *make_room(struct rox_poller *p, u64 now)
{
	u32 i, oldest = 0;

	if (p->nr < ROX_POLL_QPS)
		return NULL;
	for (i = 1; i < p->nr; i++)
		if (p->watched[i].used_at < p->watched[oldest].used_at)
			oldest = i;
	if (now - p->watched[oldest].used_at < NSEC_PER_MSEC)
		return NULL;
	return take_out(p, oldest);
}

/* The one to let go, if any. */
static struct rox_qp *put_in(struct rox_poller *p, struct rox_qp *qp)
{
	u64 now = ktime_get_ns();
	struct rox_qp *left;

	if (!p->active || qp->sq.watched || qp->sq.unwatchable)
		return NULL;
	left = make_room(p, now);
	if (p->nr == ROX_POLL_QPS)
		return NULL;
	refcount_inc(&qp->refs);
	p->watched[p->nr++] = (struct rox_watched){
		.qp = qp,
		.prod = READ_ONCE(qp->sq.ring.hdr->prod),
		.used_at = now,
	};
	WRITE_ONCE(qp->sq.watched, true);
	return left;
}

/* From the entry *@i on, the next one that has something to send, referenced, or NULL. */
static struct rox_qp *next_posted(struct rox_poller *p, u32 *i, u64 now)
{
	struct rox_watched *w;
	u32 prod;

	while (*i < p->nr) {
		w = &p->watched[(*i)++];
		prod = READ_ONCE(w->qp->sq.ring.hdr->prod);
		if (prod == w->prod && !READ_ONCE(w->qp->sq.more))
			continue;
		w->prod = prod;
		w->used_at = now;
		refcount_inc(&w->qp->refs);
		return w->qp;
	}
	return NULL;
}

/* ---- queues are run without the mutex ---- */

/* It asks for kicks again: the ring is looked at once more after NEED_KICK is set. */
static void let_go(struct rox_qp *qp)
{
	if (!qp)
		return;
	rox_send_run(qp);
	rox_qp_put(qp);
}

static void let_all_go(struct rox_poller *p)
{
	struct rox_qp *qp;

	do {
		mutex_lock(&p->mutex);
		qp = p->nr ? take_out(p, p->nr - 1) : NULL;
		mutex_unlock(&p->mutex);
		let_go(qp);
	} while (qp);
}

/*
 * True if anything was posted. One turn for each queue pair at most; one that
 * changes its place meanwhile may have none or two. We come again to what is left of
 * one; if there are more, workers take part.
 */
static bool pass(struct rox_poller *p, u64 now)
{
	bool found = false;
	struct rox_qp *qp;
	u32 i = 0, left = 0;

	do {
		mutex_lock(&p->mutex);
		qp = next_posted(p, &i, now);
		mutex_unlock(&p->mutex);
		if (qp) {
			found = true;
			if (!rox_send_look(qp) && left++)
				rox_send_defer(qp);
			rox_qp_put(qp);
		}
	} while (qp);
	return found;
}

/* ---- the thread that is lent ---- */

/*
 * A device that goes away has uverbs take it from the open file, and then wait for
 * all ioctls. Asked each time, because the order in which the core tells its clients
 * is that of their modules, which depends on who loaded them.
 */
static bool is_gone(const struct uverbs_attr_bundle *attrs)
{
	return IS_ERR(ib_uverbs_get_ucontext(attrs));
}

static bool must_leave(const struct uverbs_attr_bundle *attrs)
{
	return signal_pending(current) || is_gone(attrs);
}

/* Look some times, but find something once at most. */
static bool look(struct rox_poller *p, u64 now)
{
	bool found = false;
	u32 i;

	for (i = 0; i < PASSES && !found; i++) {
		found = pass(p, now);
		cpu_relax();
	}
	return found;
}

/* Until nothing was posted for @us, or as long as the administrator allows. */
static void poll(struct rox_ucontext *uctx, u32 us,
		 const struct uverbs_attr_bundle *attrs)
{
	struct rox_device *dev = to_rox_dev(uctx->ib.device);
	u64 now = ktime_get_ns(), last = now;
	bool found;

	do {
		found = look(&uctx->poller, now);
		/* Who waits for all tasks to have been elsewhere does not wait for us. */
		cond_resched_tasks_rcu_qs();
		now = ktime_get_ns();
		if (found)
			last = now;
		us = min(us, READ_ONCE(dev->poll_us));
	} while (now - last < (u64)us * NSEC_PER_USEC && !must_leave(attrs));
}

static int result(const struct uverbs_attr_bundle *attrs)
{
	if (is_gone(attrs))
		return -EIO;
	return signal_pending(current) ? -EINTR : 0;
}

/**
 * rox_poll - the calling thread is the poller of its context for a while
 * @uctx:  the context
 * @us:    microseconds without work after which it returns
 * @attrs: of the ioctl
 *
 * Context: process, may sleep, uses its CPU all the time.
 * Return: 0 after that time; -EINTR; -EIO if the device goes away; -EBUSY if the
 * context has a poller; -EPERM if the administrator allows none; -ENOMEM.
 */
int rox_poll(struct rox_ucontext *uctx, u32 us,
	     const struct uverbs_attr_bundle *attrs)
{
	struct rox_device *dev = to_rox_dev(uctx->ib.device);
	struct rox_poller *p = &uctx->poller;
	struct rox_watched *watched;

	if (!READ_ONCE(dev->poll_us))
		return -EPERM;
	watched = kcalloc(ROX_POLL_QPS, sizeof(*watched), GFP_KERNEL_ACCOUNT);
	if (!watched)
		return -ENOMEM;

	mutex_lock(&p->mutex);
	if (p->watched) {
		mutex_unlock(&p->mutex);
		kfree(watched);
		return -EBUSY;
	}
	p->watched = watched;
	WRITE_ONCE(p->active, true);
	mutex_unlock(&p->mutex);

	poll(uctx, us, attrs);

	mutex_lock(&p->mutex);
	WRITE_ONCE(p->active, false);
	mutex_unlock(&p->mutex);
	let_all_go(p);

	mutex_lock(&p->mutex);
	p->watched = NULL;
	mutex_unlock(&p->mutex);
	kfree(watched);
	return result(attrs);
}

/* ---- queue pairs ---- */

/**
 * rox_poll_watch - a queue pair was kicked: watch it, if the context has a poller
 * @qp: a program's, referenced
 *
 * Context: process, may sleep.
 */
void rox_poll_watch(struct rox_qp *qp)
{
	struct rox_poller *p = &qp->uctx->poller;
	struct rox_qp *left;

	if (!READ_ONCE(p->active) || READ_ONCE(qp->sq.watched) || !qp->sq.ring.hdr)
		return;
	mutex_lock(&p->mutex);
	left = put_in(p, qp);
	mutex_unlock(&p->mutex);
	let_go(left);
	/* Whoever has the side, or we, take NEED_KICK back. */
	if (READ_ONCE(qp->sq.watched))
		rox_send_run(qp);
}

/**
 * rox_poll_forget - a queue pair goes; kicks may still find it
 * @qp: a program's
 *
 * Context: process, may sleep.
 */
void rox_poll_forget(struct rox_qp *qp)
{
	struct rox_poller *p = &qp->uctx->poller;
	struct rox_qp *out = NULL;
	u32 i;

	mutex_lock(&p->mutex);
	WRITE_ONCE(qp->sq.unwatchable, true);
	for (i = 0; i < p->nr && !out; i++)
		if (p->watched[i].qp == qp)
			out = take_out(p, i);
	mutex_unlock(&p->mutex);
	let_go(out);
}

/**
 * rox_poller_init - a context begins without a poller
 * @p: of a new context, zeroed
 *
 * Context: any.
 */
void rox_poller_init(struct rox_poller *p)
{
	mutex_init(&p->mutex);
}
