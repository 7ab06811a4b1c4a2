// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Work for a QP has come up: run it here, or let the worker do it. */

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
	rox_count(qp->dev, ROX_CNT_KICKS, 1);
	trace_rox_kick(qp);
	rox_send_run_long(qp);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		rox_respond_run(qp);
	rox_direct_posted(qp);
	rox_poll_watch(qp);
}

/* A work item holds a reference while it is queued, so it may be queued even
 * while the QP is being destroyed.
 */
static void defer(struct rox_qp *qp, struct work_struct *work)
{
	refcount_inc(&qp->refs);
	if (!queue_work(rox_wq, work))
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
