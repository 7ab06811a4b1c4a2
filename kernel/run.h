/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who runs one side of a QP: at most one owner at a time, in any context.
 *
 * Whoever has work for a side (a kick, a packet, a timer, a state change)
 * first puts it where the owner looks (ring, inbox, QP state), then calls
 * rox_run_enter(). If that returns true it is the owner and must work until
 * rox_run_leave() returns true, or hand over by rox_run_yield(). If not,
 * somebody else is the owner, has been left a note, and will look again before
 * he leaves. Nobody ever waits, except process context in rox_run_lock(), for
 * one bounded turn of an owner: once it asked, nobody else gets in before it.
 *
 * An owner works with bottom halves disabled until it has let go, and hands over
 * to the side's work item after a quantum, so a turn is short. In process context
 * it may go on for eight quanta, with bottom halves enabled in between, unless
 * somebody waits (rox_send_run_long()); nobody else's CPU is waited for as an owner.
 */
#ifndef ROX_RUN_H
#define ROX_RUN_H

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kernel.h>

#define ROX_RUN_OWNED	1
#define ROX_RUN_NOTE	2
#define ROX_RUN_WANTED	4	/* rox_run_lock() waits: next in line */

struct rox_run {
	atomic_t state;
};

static inline void rox_run_init(struct rox_run *run)
{
	atomic_set(&run->state, 0);
}

/**
 * rox_run_enter - become the owner or leave a note
 * @run: the side
 *
 * Context: any. Full barrier: what the caller stored before is seen by the
 * owner after it took the note.
 * Return: true if the caller is now the owner.
 */
static inline bool rox_run_enter(struct rox_run *run)
{
	int old = atomic_read(&run->state);
	int new;

	do {
		new = old | ROX_RUN_NOTE;
		if (!(old & (ROX_RUN_OWNED | ROX_RUN_WANTED)))
			new |= ROX_RUN_OWNED;
	} while (!atomic_try_cmpxchg(&run->state, &old, new));

	return !(old & (ROX_RUN_OWNED | ROX_RUN_WANTED));
}

/**
 * rox_run_take_note - the owner starts a round
 * @run: the side
 *
 * Called before looking at the work; a note left later makes rox_run_leave()
 * fail. Full barrier.
 */
static inline void rox_run_take_note(struct rox_run *run)
{
	atomic_fetch_andnot(ROX_RUN_NOTE, &run->state);
}

/**
 * rox_run_is_wanted - does somebody wait for the side?
 * @run: the side
 *
 * An owner who may go on for several turns asks after each.
 */
static inline bool rox_run_is_wanted(const struct rox_run *run)
{
	return atomic_read(&run->state) & ROX_RUN_WANTED;
}

/**
 * rox_run_is_owned - is somebody at it?
 * @run: the side
 *
 * It may not be true any more.
 */
static inline bool rox_run_is_owned(const struct rox_run *run)
{
	return atomic_read(&run->state) & ROX_RUN_OWNED;
}

/**
 * rox_run_leave - give ownership up unless a note was left
 * @run: the side
 *
 * Notes stay for whoever waits in rox_run_lock().
 * Return: true if the caller no longer is the owner; false: go round again.
 */
static inline bool rox_run_leave(struct rox_run *run)
{
	int old = atomic_read(&run->state);

	do {
		if ((old & ROX_RUN_NOTE) && !(old & ROX_RUN_WANTED))
			return false;
	} while (!atomic_try_cmpxchg(&run->state, &old, old & ~ROX_RUN_OWNED));

	return true;
}

/**
 * rox_run_yield - give ownership up although there is work left
 * @run: the side
 *
 * The caller queues the side's work item next, not before: it would find the
 * side owned. Leaves a note for whoever waits in rox_run_lock().
 */
static inline void rox_run_yield(struct rox_run *run)
{
	atomic_or(ROX_RUN_NOTE, &run->state);
	atomic_fetch_andnot(ROX_RUN_OWNED, &run->state);
}

/**
 * rox_run_lock - become the owner, waiting for the present one's turn to end
 * @run: the side
 *
 * Context: process, may sleep, bottom halves enabled; one caller at a time for
 * a side, which qp->mutex or being the only one left sees to.
 */
static inline void rox_run_lock(struct rox_run *run)
{
	might_sleep();
	atomic_fetch_or(ROX_RUN_WANTED, &run->state);
	while (atomic_fetch_or(ROX_RUN_OWNED, &run->state) & ROX_RUN_OWNED)
		usleep_range(10, 50);
	atomic_fetch_andnot(ROX_RUN_WANTED, &run->state);
}

/**
 * rox_run_unlock - undo rox_run_lock()
 * @run: the side
 *
 * Return: true if a note was left meanwhile: the caller must run the side.
 */
static inline bool rox_run_unlock(struct rox_run *run)
{
	return atomic_fetch_andnot(ROX_RUN_OWNED, &run->state) & ROX_RUN_NOTE;
}

#endif
