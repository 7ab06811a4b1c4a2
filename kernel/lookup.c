// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * From a QP number to the QP.
 *
 * One table serves all devices of the module: a packet carries a number and
 * nothing else that names a QP. Numbers are handed out in a circle from a
 * random start, so that a late packet of a QP's previous life meets nobody for
 * as long as the space allows. QP1 is in no table: each device has its own.
 */
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/xarray.h>

#include "qp.h"

#define QPN_GSI		1
#define QPN_MIN		2
#define QPN_MAX		0xfffffe	/* above it: multicast */
#define QPN_MASK	0xffffff

static DEFINE_XARRAY_FLAGS(qps, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
static u32 qpn_cursor;
/* What is remembered of the table is true until it changes. Not 0: that is an empty memo's. */
static atomic64_t generation ____cacheline_aligned_in_smp = ATOMIC64_INIT(1);
static DEFINE_MUTEX(gsi_lock);		/* to set dev->gsi */

static int publish_gsi(struct rox_qp *qp)
{
	int err = 0;

	qp->qpn = QPN_GSI;
	mutex_lock(&gsi_lock);
	if (rcu_access_pointer(qp->dev->gsi))
		err = -EBUSY;
	else
		rcu_assign_pointer(qp->dev->gsi, qp);
	mutex_unlock(&gsi_lock);
	return err;
}

/* The circle goes on behind @qpn, unless somebody who was quicker is ahead of it. */
static void move_cursor(u32 qpn)
{
	u32 old = READ_ONCE(qpn_cursor);

	while (!old || ((qpn - old) & QPN_MASK) <= QPN_MASK / 2)
		if (try_cmpxchg(&qpn_cursor, &old, qpn + 1))
			break;
}

/*
 * Not xa_alloc_cyclic(), which after a failed allocation begins at the lowest
 * number again. No lock is held: the allocation is charged to who asks, and may make
 * him wait for his own memory. Two at a time begin at the same number, and get
 * two.
 */
static int take_number(u32 *qpn)
{
	u32 from = READ_ONCE(qpn_cursor);
	int err;

	if (!from)
		from = QPN_MIN + (get_random_u32() & 0x7fffff);
	if (from < QPN_MIN || from > QPN_MAX)
		from = QPN_MIN;
	/* Reserved first, so that the QP knows its number when it is found. */
	err = xa_alloc(&qps, qpn, NULL, XA_LIMIT(from, QPN_MAX), GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		err = xa_alloc(&qps, qpn, NULL, XA_LIMIT(QPN_MIN, from), GFP_KERNEL_ACCOUNT);
	if (!err)
		move_cursor(*qpn);
	return err;
}

/**
 * rox_qp_publish - give a QP a number by which packets and kicks find it
 * @qp: complete, its own reference held
 *
 * Context: process, may sleep.
 * Return: 0, -ENOMEM (also: no number is free), or -EBUSY if the device has
 * its QP1 already.
 */
int rox_qp_publish(struct rox_qp *qp)
{
	int err;

	if (qp->type == IB_QPT_GSI)
		return publish_gsi(qp);

	err = take_number(&qp->qpn);
	if (err)
		return -ENOMEM;
	xa_store(&qps, qp->qpn, qp, 0);
	return 0;
}

/**
 * rox_qp_unpublish - nobody finds the QP any more
 * @qp: published
 *
 * References taken before stay. Context: process.
 */
void rox_qp_unpublish(struct rox_qp *qp)
{
	if (qp->type == IB_QPT_GSI) {
		RCU_INIT_POINTER(qp->dev->gsi, NULL);
		return;
	}
	xa_erase(&qps, qp->qpn);
	/* Pairs with the acquire in rox_qp_get_again(): first out of the table. */
	smp_mb__before_atomic();
	atomic64_inc(&generation);
}

/**
 * rox_qp_end_table - no device is left
 *
 * Of allocations that failed, empty nodes may be. Context: module exit.
 */
void rox_qp_end_table(void)
{
	xa_destroy(&qps);
}

/**
 * rox_qp_get - a QP by its number
 * @qpn: from anywhere
 *
 * Context: any. Return: the QP with a reference, or NULL; never QP1.
 */
struct rox_qp *rox_qp_get(u32 qpn)
{
	struct rox_qp *qp;

	rcu_read_lock();
	qp = xa_load(&qps, qpn);
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

/**
 * rox_qp_get_again - the same, if it may be the one of last time
 * @qpn:  from anywhere
 * @memo: the caller's alone while this runs; all 0 at first
 *
 * Numbers are far apart, so the table is deep. A QP leaves it before a grace period
 * begins at whose end it is freed, so who finds the generation unchanged in a read
 * side finds the QP there.
 *
 * Context: any. Return: the QP with a reference, or NULL; never QP1.
 */
struct rox_qp *rox_qp_get_again(u32 qpn, struct rox_qp_memo *memo)
{
	struct rox_qp *qp;
	u64 now;

	rcu_read_lock();
	now = atomic64_read_acquire(&generation);
	if (memo->generation == now && memo->qpn == qpn) {
		qp = memo->qp;
	} else {
		qp = xa_load(&qps, qpn);
		/* That there is none is not remembered: one may come any time. */
		if (qp)
			*memo = (struct rox_qp_memo){ now, qp, qpn };
	}
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

#define KICK_MEMOS	16	/* a power of two */

static DEFINE_PER_CPU(struct rox_qp_memo [KICK_MEMOS], kick_memos);

/**
 * rox_qp_get_kicked - a QP by the number that a kick gives
 * @qpn: from a program
 *
 * Context: process only, which is what makes the CPU's memos this caller's while it is
 * not preempted. Return: the QP with a reference, or NULL; never QP1.
 */
struct rox_qp *rox_qp_get_kicked(u32 qpn)
{
	struct rox_qp *qp;

	preempt_disable();
	qp = rox_qp_get_again(qpn, &(*this_cpu_ptr(&kick_memos))[qpn % KICK_MEMOS]);
	preempt_enable();
	return qp;
}

/**
 * rox_qp_get_gsi - a device's QP1
 * @dev: the device
 *
 * Context: any. Return: the QP with a reference, or NULL.
 */
struct rox_qp *rox_qp_get_gsi(struct rox_device *dev)
{
	struct rox_qp *qp;

	rcu_read_lock();
	qp = rcu_dereference(dev->gsi);
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

/**
 * rox_qp_put - give a reference back
 * @qp: referenced
 *
 * Context: any. The last one lets rox_destroy_qp() go on.
 */
void rox_qp_put(struct rox_qp *qp)
{
	if (refcount_dec_and_test(&qp->refs))
		complete(&qp->gone);
}
