// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work for a QP has come up: run it here, or let the worker do it. */

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>

#include "direct.h"
#include "poll.h"
#include "qp.h"
#include "trace.h"

/**
 * rox_kick - a user posted and found that the kernel is not looking
 * @qp: referenced
 *
 * Runs the send side in the caller. Receives need a kick in the error state,
 * to be flushed, and when a sender of this host waits for them.
 * Context: process, may sleep.
 */
void rox_kick(struct rox_qp *qp)
{
	bool stream = rox_stream_kick(qp);

	rox_count(qp->dev, ROX_CNT_KICKS, 1);
	trace_rox_kick(qp);
	rox_send_run_long(qp);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		rox_respond_run(qp);
	rox_direct_posted(qp);
	rox_poll_watch(qp);
	rox_stream_kicked(qp, stream);
}

/* Of each jiffy, a quarter: nanoseconds that the timers of a CPU may take. */
#define TIMERS_NS	(NSEC_PER_SEC / HZ / 4)

struct timer_time {
	unsigned long jiffy;
	u64 ns;
};

static DEFINE_PER_CPU(struct timer_time, timer_time);

/**
 * rox_run_by_timer - the time has come for one side of a QP
 * @qp:    the QP whose timer it is
 * @run:   rox_send_run() or rox_respond_run()
 * @defer: the same side's
 *
 * Thousands of timers may expire together, and no task runs on this CPU before the
 * last of them was seen to. So a worker gets those that would take too long.
 * Context: softirq.
 */
void rox_run_by_timer(struct rox_qp *qp, void (*run)(struct rox_qp *qp),
		      void (*defer)(struct rox_qp *qp))
{
	struct timer_time *time = this_cpu_ptr(&timer_time);
	unsigned long jiffy = jiffies;
	u64 start;

	if (time->jiffy != jiffy) {
		time->jiffy = jiffy;
		time->ns = 0;
	}
	if (time->ns >= TIMERS_NS) {
		defer(qp);
		return;
	}
	start = local_clock();
	run(qp);
	time->ns += local_clock() - start;
}

/* A work item holds a reference while it is queued, so it may be queued even
 * while the QP is being destroyed.
 */
static void defer(struct rox_qp *qp, struct work_struct *work)
{
	refcount_inc(&qp->refs);
	/* The connection manager does not stand in line with what programs leave. */
	if (!queue_work(qp->uctx ? rox_wq : rox_kernel_wq, work))
		rox_qp_put(qp);
}

/**
 * rox_send_defer - let the worker run the send side
 * @qp: referenced, or owned by its creator
 *
 * Context: any, hard interrupts included.
 */
void rox_send_defer(struct rox_qp *qp)
{
	defer(qp, &qp->sq.work);
}

/**
 * rox_respond_defer - let the worker run the receive side
 * @qp: referenced, or owned by its creator
 *
 * Context: any, hard interrupts included.
 */
void rox_respond_defer(struct rox_qp *qp)
{
	defer(qp, &qp->rq.work);
}
