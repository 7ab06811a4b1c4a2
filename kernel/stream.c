// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Streams: a program posts one work request after the other and does not wait for
 * what becomes of each. Every post would be a kick. After some of those a worker on
 * another CPU looks at the ring for a while, as a poller does (poll.c), and none are
 * needed. If there is no CPU for it, a kick is asked for after several posts only, and a
 * timer sees to it that none waits for others for long.
 *
 * The worker is there on sufferance. Its CPU is one that the program itself may use;
 * it leaves as soon as it is not alone there, when nothing was posted for some
 * microseconds, and when it was of use for too small a part of the time. Where that
 * came to nothing, more and more kicks pass until it is tried again, on the next CPU.
 * Those are the ones that are asked for late. Of how many posts a kick is, is found by
 * trying: fewer where the timer came first, twice as many after some kicks in time.
 * While no kick is asked for the worker is not preempted, so that no post waits for its
 * turn; for soft interrupts that come there it may.
 *
 * What is counted by who kicks is a guess: kicks that come at a time may count as one.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/stat.h>
#include <linux/smp.h>

#include "device.h"
#include "qp.h"
#include "stream.h"

/* Kicks in a row that make a stream. */
#define KICKS_ENOUGH	32U
/* After it turned out to be none, twice as many, at most so many. */
#define KICKS_MAX	4096U
/* So many in a row that came too early: it is none. */
#define EARLY_KICKS	16
/* Posts from one time that all completions were taken to the next: for one, at least. */
#define POSTS_ENOUGH	8
/* Kicks that are let pass after an attempt in vain, twice as many after each. */
#define REST_FIRST	8
#define REST_LAST	1024
/* Without a post it is over. */
#define SILENCE_NS	(100 * NSEC_PER_USEC)
/* Preemption is off so long, unless somebody waits for the CPU. */
#define TURN_NS		(2 * NSEC_PER_MSEC)
/* Then the program's kicks choose a CPU anew. */
#define FOLLOW_NS	(50 * NSEC_PER_MSEC)
/* One part in so many of a turn has to be of use. */
#define USEFUL_PART	8
/* Looks at the ring between two at the clock. */
#define LOOKS		16
/* Posts a kick: at first, at most, and no more than a part of the ring. */
#define BATCH_FIRST	8U
#define BATCH_MAX	16U
#define BATCH_PART	4
/* A program that has other things to do in between for longer than this part of it. */
#define MAX_THINK_PART	4
/* Kicks that each such pause takes back: it may have been another program's turn. */
#define THINK_COSTS	8
/* Kicks in time, after which it may be more. Twice as many after each that was not. */
#define HITS_FIRST	8
#define HITS_LAST	128
/* After so many the timer may come first once: something held the program up. */
#define HITS_A_MISS	16
/* A post waits no longer for those that are to be sent with it. */
#define LATE_NS		(100 * NSEC_PER_USEC)
/* So often nothing at all came in that time: the stream has ended. */
#define SILENCES	8

static struct rox_qp *qp_of(struct rox_stream *s)
{
	return container_of(s, struct rox_qp, sq.stream);
}

/* It was in vain, or there is no CPU for it: let some kicks pass. */
static void rest(struct rox_stream *s)
{
	u32 kicks = clamp_t(u32, 2 * READ_ONCE(s->rested), REST_FIRST, REST_LAST);

	WRITE_ONCE(s->rested, kicks);
	WRITE_ONCE(s->rest, kicks);
}

/* ---- who kicks ---- */

/*
 * The first CPU from @from on, around the end, that this program may use and does not
 * just now; nr_cpu_ids: none. Which are idle no module is told: the worker finds out.
 */
static unsigned int another_cpu(unsigned int from)
{
	const struct cpumask *may = current->cpus_ptr;
	unsigned int here = raw_smp_processor_id(), cpu;

	cpu = cpumask_next_and((int)from - 1, may, cpu_online_mask);
	if (cpu == here)
		cpu = cpumask_next_and((int)cpu, may, cpu_online_mask);
	if (cpu >= nr_cpu_ids)
		cpu = cpumask_first_and(may, cpu_online_mask);
	if (cpu == here)
		cpu = cpumask_next_and((int)cpu, may, cpu_online_mask);
	return cpu;
}

/* How many posts a kick may be for. */
static u32 most_a_kick(const struct rox_qp *qp)
{
	return clamp(qp->sq.ring.entries / BATCH_PART, 1U, BATCH_MAX);
}

/* It was none after all. */
static void is_no_stream(struct rox_stream *s)
{
	u32 needed = max(READ_ONCE(s->needed), KICKS_ENOUGH);

	WRITE_ONCE(s->needed, min(2 * needed, KICKS_MAX));
	WRITE_ONCE(s->early, 0);
	WRITE_ONCE(s->kicks, 0);
	WRITE_ONCE(s->batch, 0);
}

/*
 * A kick for @n posts, while it was to be for several: false if it came before, as the
 * program waits for something.
 */
static bool is_in_time(const struct rox_qp *qp, struct rox_stream *s, u32 n)
{
	if (n >= rox_stream_posts_a_kick(qp)) {
		WRITE_ONCE(s->early, 0);
		return true;
	}
	WRITE_ONCE(s->early, READ_ONCE(s->early) + 1);
	if (READ_ONCE(s->early) >= EARLY_KICKS)
		is_no_stream(s);
	return false;
}

/* True if that makes a stream. */
static bool count_kick(struct rox_qp *qp, struct rox_stream *s)
{
	u32 prod = READ_ONCE(qp->sq.ring.hdr->prod), drains = READ_ONCE(qp->scq->drains);
	u32 before, kicks = READ_ONCE(s->kicks);
	bool few;

	/* For something else than a post. */
	if (prod == READ_ONCE(s->kicked_at))
		return false;
	before = READ_ONCE(s->kicked_at);
	WRITE_ONCE(s->kicked_at, prod);
	if (READ_ONCE(s->batch) > 1)
		return is_in_time(qp, s, prod - before);
	/* It has other things to do in between, too many for several posts to wait. */
	if (local_clock() - READ_ONCE(s->kicked_ns) > LATE_NS / MAX_THINK_PART) {
		WRITE_ONCE(s->kicks, kicks - min(kicks, THINK_COSTS));
		return false;
	}
	/* All completions were taken, again after a few posts: each is waited for, maybe. */
	if (drains != READ_ONCE(s->drains)) {
		few = prod - READ_ONCE(s->drained_at) < POSTS_ENOUGH;
		WRITE_ONCE(s->drains, drains);
		WRITE_ONCE(s->drained_at, prod);
		if (few) {
			WRITE_ONCE(s->kicks, 0);
			return false;
		}
	}
	WRITE_ONCE(s->kicks, ++kicks);
	return kicks >= max(READ_ONCE(s->needed), KICKS_ENOUGH);
}

/* Is a worker on another CPU to be tried, now? */
static bool may_follow(struct rox_qp *qp, struct rox_stream *s)
{
	u32 resting = READ_ONCE(s->rest);

	/* With preemption for real time an owner takes locks that sleep. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) || !READ_ONCE(qp->dev->poll_us))
		return false;
	if (resting)
		WRITE_ONCE(s->rest, resting - 1);
	return !resting;
}

/* Fewer kicks from now on. */
static void ask_late(struct rox_qp *qp, struct rox_stream *s)
{
	/* A timer that ticks with the jiffies would be far too late. */
	if (READ_ONCE(s->batch) < 2 && hrtimer_resolution <= LATE_NS)
		WRITE_ONCE(s->batch, min(BATCH_FIRST, most_a_kick(qp)));
}

/* Let another CPU follow, if there is one. */
static void try_to_follow(struct rox_qp *qp, struct rox_stream *s)
{
	unsigned int cpu;

	WRITE_ONCE(s->kicks, 0);
	cpu = another_cpu(READ_ONCE(s->cpu));
	if (cpu >= nr_cpu_ids) {
		rest(s);
		return;
	}
	refcount_inc(&qp->refs);
	if (!queue_work_on(cpu, rox_stream_wq, &s->work))
		rox_qp_put(qp);
}

/**
 * rox_stream_kick - a program had to kick; are those many?
 * @qp: a program's, referenced
 *
 * Context: process. Return: what rox_stream_kicked() is to be told.
 */
bool rox_stream_kick(struct rox_qp *qp)
{
	return qp->sq.ring.hdr && !READ_ONCE(qp->sq.watched) &&
	       count_kick(qp, &qp->sq.stream);
}

/**
 * rox_stream_kicked - the kick has been seen to
 * @qp:     likewise
 * @stream: from rox_stream_kick()
 *
 * Context: process.
 */
void rox_stream_kicked(struct rox_qp *qp, bool stream)
{
	struct rox_stream *s = &qp->sq.stream;

	if (stream && may_follow(qp, s))
		try_to_follow(qp, s);
	else if (stream)
		ask_late(qp, s);
	WRITE_ONCE(s->kicked_ns, local_clock());
}

/* ---- kicks for several posts ---- */

/**
 * rox_stream_posts_a_kick - after how many posts is a kick to be asked for?
 * @qp: whose send side is idle
 *
 * If after more than one, its owner comes again by rox_stream_deadline().
 * Context: owner of the send side. Return: one or more.
 */
u32 rox_stream_posts_a_kick(const struct rox_qp *qp)
{
	return clamp(READ_ONCE(qp->sq.stream.batch), 1U, most_a_kick(qp));
}

/* How many posts a kick is to be for from now on, until so many came in time. */
static void set_batch(struct rox_stream *s, u32 batch, u32 enough)
{
	s->hits = 0;
	s->silent = 0;
	s->enough = clamp_t(u32, enough, HITS_FIRST, HITS_LAST);
	WRITE_ONCE(s->batch, batch);
}

/**
 * rox_stream_asks - a kick is asked for late
 * @s:   whose it is
 * @now: ktime_get_ns()
 *
 * Context: owner of the send side.
 */
void rox_stream_asks(struct rox_stream *s, u64 now)
{
	s->asked_at = now;
}

/* A kick came for as many posts as were asked for. */
static void in_time(struct rox_stream *s, u32 asked, u32 most)
{
	s->hits++;
	if (s->hits >= s->enough && asked < most)
		set_batch(s, min(2 * asked, most), s->enough / 2);
	/* A stream without doubt, whatever it was before. */
	if (s->hits == HITS_LAST)
		WRITE_ONCE(s->needed, 0);
}

/* The timer came first. */
static void too_late(struct rox_stream *s, u32 asked)
{
	if (s->hits >= HITS_A_MISS) {
		s->hits = 0;
		return;
	}
	set_batch(s, asked / 2, 2 * s->enough);
	if (asked < 4)
		is_no_stream(s);
}

/**
 * rox_stream_look - the ring is looked at, while a kick is asked for late
 * @qp:    whose it is
 * @n:     posts that are there
 * @asked: after how many a kick was to come
 * @now:   ktime_get_ns()
 *
 * Context: owner of the send side.
 */
void rox_stream_look(struct rox_qp *qp, u32 n, u32 asked, u64 now)
{
	struct rox_stream *s = &qp->sq.stream;
	bool late = now >= rox_stream_deadline(s);

	if (n)
		s->silent = 0;
	if (n >= asked) {
		in_time(s, asked, most_a_kick(qp));
	} else if (late && n) {
		too_late(s, asked);
	} else if (late && ++s->silent >= SILENCES) {
		WRITE_ONCE(s->kicks, 0);
		set_batch(s, 0, s->enough);
	}
	/* Who looks moves on the deadline in any case. */
	if (late)
		s->asked_at = now;
}

/**
 * rox_stream_deadline - when the ring is to be looked at, after a kick was asked for late
 * @s: whose it is
 *
 * Context: owner of the send side. Return: nanoseconds of ktime_get_ns().
 */
u64 rox_stream_deadline(const struct rox_stream *s)
{
	return s->asked_at + LATE_NS;
}

/**
 * rox_stream_reset - what was posted is forgotten
 * @s: whose it is
 *
 * Context: owner of the send side.
 */
void rox_stream_reset(struct rox_stream *s)
{
	WRITE_ONCE(s->kicks, 0);
	WRITE_ONCE(s->needed, 0);
	WRITE_ONCE(s->early, 0);
	set_batch(s, 0, HITS_FIRST);
}

/* ---- the worker ---- */

static bool may_look(const struct rox_qp *qp)
{
	return single_task_running() && !need_resched() &&
	       !READ_ONCE(qp->sq.unwatchable) && !READ_ONCE(qp->sq.watched) &&
	       !rox_run_is_wanted(&qp->sq.run) &&
	       READ_ONCE(qp->state) == IB_QPS_RTS && READ_ONCE(qp->dev->poll_us);
}

/* Whoever runs the side goes through (C') and (D'). */
static void set_followed(struct rox_qp *qp, bool followed)
{
	WRITE_ONCE(qp->sq.stream.followed, followed);
	rox_send_run(qp);
}

/* How far the ring is taken. */
static u32 taken(const struct rox_qp *qp)
{
	/* A guess: another may be the owner. */
	return data_race(qp->sq.ring.pos);
}

/* Send what is left, or was posted since @seen. Nanoseconds that it took; 0: it was nothing. */
static u64 look(struct rox_qp *qp, u32 *seen)
{
	u32 i, prod, before;
	bool more;
	u64 start;

	for (i = 0; i < LOOKS; i++) {
		prod = READ_ONCE(qp->sq.ring.hdr->prod);
		more = READ_ONCE(qp->sq.more);
		if (prod != *seen || more)
			break;
		cpu_relax();
	}
	if (i == LOOKS)
		return 0;
	*seen = prod;
	before = taken(qp);
	start = ktime_get_ns();
	rox_send_run(qp);
	return more || taken(qp) != before ? ktime_get_ns() - start : 0;
}

/* One turn, not preempted. True if enough of it was of use. */
static bool turn(struct rox_qp *qp)
{
	/* Before the ring is looked at for the first time. */
	u32 seen = READ_ONCE(qp->sq.ring.hdr->prod);
	u64 begin, now, last, useful = 0, took;

	set_followed(qp, true);
	begin = ktime_get_ns();
	now = begin;
	last = begin;
	while (may_look(qp) && now - last < SILENCE_NS && now - begin < TURN_NS) {
		took = look(qp, &seen);
		now = ktime_get_ns();
		if (!took)
			continue;
		last = now;
		useful += took;
	}
	set_followed(qp, false);
	return useful && useful * USEFUL_PART >= now - begin;
}

/* True if it was worth it. */
static bool follow(struct rox_qp *qp)
{
	u64 end = ktime_get_ns() + FOLLOW_NS;
	bool good = false, enough;

	do {
		preempt_disable();
		enough = may_look(qp) && turn(qp);
		preempt_enable();
		cond_resched();
		good = good || enough;
	} while (enough && ktime_get_ns() < end);
	return good;
}

static void stream_work(struct work_struct *work)
{
	struct rox_stream *s = container_of(work, struct rox_stream, work);
	unsigned int here = raw_smp_processor_id();

	if (follow(qp_of(s))) {
		WRITE_ONCE(s->rested, 0);
		WRITE_ONCE(s->cpu, here);
	} else {
		WRITE_ONCE(s->cpu, here + 1);
		rest(s);
	}
	rox_qp_put(qp_of(s));
}

/* ---- life ---- */

/**
 * rox_stream_init - nothing was kicked yet
 * @s: of a new QP, zeroed
 *
 * Context: any.
 */
void rox_stream_init(struct rox_stream *s)
{
	INIT_WORK(&s->work, stream_work);
	s->enough = HITS_FIRST;
}

/**
 * rox_stream_stop - nobody follows any more
 * @s: of a QP whose send side is owned for good, and which is no poller's
 *
 * A kick that is under way may still queue the work, which then does nothing but let
 * its reference go.
 * Context: process, may sleep for a quantum.
 */
void rox_stream_stop(struct rox_stream *s)
{
	if (cancel_work_sync(&s->work))
		rox_qp_put(qp_of(s));
}
