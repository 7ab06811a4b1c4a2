// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Help. Packets come in by the soft interrupts of some CPU. Within a machine it is that
 * of the sender, who does the work of both ends then, while the receiver looks at an empty
 * completion queue all the time. So the packets are left in the inbox and a word of the
 * queue's ring says so; who polls in vain comes and sees to them (ROX_METHOD_HELP).
 *
 * Nothing depends on that. Whether somebody polls is not known, but only that all
 * completions were taken, and no event is waited for. If nobody comes in time, a timer
 * does what would have been done at once. Then more and more packets are seen to at once
 * before it is tried again.
 *
 * One queue pair of a completion queue is asked for at a time. What the word says is kept
 * here too: a program that scribbles on it has its packets seen to by the timer. While
 * somebody is asked for the timer is started, so whatever happens to the queue pair, or to
 * who was to come, it ends with that.
 */
#include <linux/ktime.h>
#include <linux/smp.h>

#include "compat/hrtimer.h"
#include "cq.h"
#include "device.h"
#include "help.h"
#include "inbox.h"
#include "qp.h"
#include "ucontext.h"

/* A packet waits no longer for help. */
#define LATE_NS		(100 * NSEC_PER_USEC)
/* Times that are let pass after help did not come; twice as many after each. */
#define REST_FIRST	16U
#define REST_LAST	4096U
/* Likewise, after it was found to be on this CPU, where it would not be quicker. */
#define REST_HERE	64
/* As many messages at least: one is as soon seen to as asked for. */
#define MIN_MESSAGES	2

/* A number of these says whom and what: a QP's, and which side of it. */
#define SEND_SIDE	BIT(31)

static u32 number_of(const struct rox_qp *qp, bool request)
{
	return qp->qpn | (request ? 0 : SEND_SIDE);
}

static u32 qpn_of(u32 number)
{
	return number & ~SEND_SIDE;
}

static struct rox_cq *cq_of(const struct rox_qp *qp, u32 number)
{
	return number & SEND_SIDE ? qp->scq : qp->rcq;
}

/* ---- to ask; the lock held ---- */

/* It had all completions, and waits for no event. Hostile indices do not matter. */
static bool may_be_polled(const struct rox_cq *cq)
{
	return cq->ring.pos == READ_ONCE(cq->ring.hdr->cons) &&
	       READ_ONCE(cq->ring.hdr->flags) == ROX_CQ_DISARMED;
}

static bool is_resting(struct rox_help *help)
{
	if (help->rest) {
		help->rest--;
		return true;
	}
	/* It cannot come before we are gone. It may have moved since. */
	if (help->cpu == smp_processor_id()) {
		help->cpu = nr_cpu_ids;
		help->rest = REST_HERE;
		return true;
	}
	return false;
}

static void set_asked(struct rox_cq *cq, u32 number)
{
	cq->help.asked = number;
	WRITE_ONCE(cq->ring.hdr->help, number);
}

/* True if asked for. If *@start is not 0 then, the timer is to be started for it. */
static bool ask(struct rox_cq *cq, u32 number, u64 *start)
{
	struct rox_help *help = &cq->help;

	/* Who takes the number back looks at the inbox after that. */
	if (help->asked)
		return help->asked == number;
	if (cq->overrun || !may_be_polled(cq) || is_resting(help))
		return false;
	set_asked(cq, number);
	/* Who arms the queue polls it once more after that. */
	smp_mb();
	if (READ_ONCE(cq->ring.hdr->flags) != ROX_CQ_DISARMED) {
		set_asked(cq, 0);
		return false;
	}
	help->asked_at = ktime_get_ns();
	if (!help->timed)
		*start = help->asked_at + LATE_NS;
	help->timed = true;
	return true;
}

/*
 * Is it worth it? Of long messages it is not: what one CPU sends and receives is in its
 * cache.
 */
static bool is_worth_it(const struct rox_qp *qp, bool request, u32 ends)
{
	if (request)
		return ends >= MIN_MESSAGES;
	return READ_ONCE(qp->sq.blocked);
}

/* Who is at it has a note left, and goes on. */
static bool is_at_it(const struct rox_qp *qp, bool request)
{
	return rox_run_is_owned(request ? &qp->rq.run : &qp->sq.run);
}

static bool can_help(const struct rox_cq *cq)
{
	return cq->user && (cq->user->caps & ROX_CAP_HELP);
}

/**
 * rox_help_ask - are the packets in an inbox left to who polls the completion queue?
 * @qp:      referenced; they are in its inbox
 * @request: of the receive side; else of the send side
 * @ends:    how many messages end in what came just now
 *
 * Context: softirq. Return: false if the caller is to run the side.
 */
bool rox_help_ask(struct rox_qp *qp, bool request, u32 ends)
{
	u32 number = number_of(qp, request);
	struct rox_cq *cq = cq_of(qp, number);
	unsigned long flags;
	u64 start = 0;
	bool asked;

	if (!can_help(cq) || !is_worth_it(qp, request, ends) ||
	    is_at_it(qp, request) || rox_inboxes_are_full(qp))
		return false;
	spin_lock_irqsave(&cq->lock, flags);
	asked = ask(cq, number, &start);
	spin_unlock_irqrestore(&cq->lock, flags);
	if (start)
		hrtimer_start(&cq->help.timer, ns_to_ktime(start), HRTIMER_MODE_ABS_SOFT);
	return asked;
}

/* ---- to help ---- */

static bool take(struct rox_cq *cq, u32 number)
{
	struct rox_help *help = &cq->help;
	unsigned long flags;
	bool taken;

	spin_lock_irqsave(&cq->lock, flags);
	taken = help->asked == number;
	if (taken) {
		set_asked(cq, 0);
		help->rested = 0;
		help->cpu = raw_smp_processor_id();
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return taken;
}

static void help_qp(struct rox_qp *qp, u32 number)
{
	if (!take(cq_of(qp, number), number))
		return;
	rox_count(qp->dev, ROX_CNT_HELPS, 1);
	if (number & SEND_SIDE)
		rox_send_run_long(qp);
	else
		rox_respond_run(qp);
}

/**
 * rox_help - a program comes, as it was asked to
 * @uctx:   its context
 * @number: what it found in the ring of its completion queue
 *
 * If somebody else was there before, nothing is done.
 * Context: process, may sleep. Return: 0; -EINVAL if no QP of the context is meant.
 */
int rox_help(const struct rox_ucontext *uctx, u32 number)
{
	struct rox_qp *qp = rox_qp_get_kicked(qpn_of(number));
	int err = -EINVAL;

	if (!qp)
		return err;
	if (qp->uctx == uctx) {
		help_qp(qp, number);
		err = 0;
	}
	rox_qp_put(qp);
	return err;
}

/* ---- help does not come ---- */

/* Who was asked for in vain, or 0; *@again: when to look again, or 0. */
static u32 give_up(struct rox_cq *cq, u64 now, u64 *again)
{
	struct rox_help *help = &cq->help;
	u32 number = help->asked;

	*again = 0;
	if (number && help->asked_at + LATE_NS > now) {
		*again = help->asked_at + LATE_NS;
		return 0;
	}
	help->timed = false;
	if (!number)
		return 0;
	set_asked(cq, 0);
	help->rested = clamp(2 * help->rested, REST_FIRST, REST_LAST);
	help->rest = help->rested;
	return number;
}

static void run_by_timer(u32 number)
{
	struct rox_qp *qp = rox_qp_get(qpn_of(number));

	if (!qp)
		return;
	rox_count(qp->dev, ROX_CNT_HELPS_MISSED, 1);
	if (number & SEND_SIDE)
		rox_run_by_timer(qp, rox_send_run, rox_send_defer);
	else
		rox_run_by_timer(qp, rox_respond_run, rox_respond_defer);
	rox_qp_put(qp);
}

static enum hrtimer_restart late(struct hrtimer *timer)
{
	struct rox_cq *cq = container_of(timer, struct rox_cq, help.timer);
	unsigned long flags;
	u32 number;
	u64 again;

	spin_lock_irqsave(&cq->lock, flags);
	number = give_up(cq, ktime_get_ns(), &again);
	spin_unlock_irqrestore(&cq->lock, flags);
	if (number)
		run_by_timer(number);
	if (!again)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(again));
	return HRTIMER_RESTART;
}

/* ---- life ---- */

/**
 * rox_help_init - nobody is asked for yet
 * @cq: new, zeroed
 *
 * Context: process.
 */
void rox_help_init(struct rox_cq *cq)
{
	cq->help.cpu = nr_cpu_ids;
	hrtimer_setup(&cq->help.timer, late, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
}

/**
 * rox_help_stop - nobody will be
 * @cq: no QP has it any more, so nobody asks
 *
 * Context: process, may sleep.
 */
void rox_help_stop(struct rox_cq *cq)
{
	hrtimer_cancel(&cq->help.timer);
}
