// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The send side of a QP, by its owner: replies in, work requests out of the
 * ring, packets out, completions out. The requester machine decides; this file
 * and transmit.c carry out.
 *
 * A user's post makes a system call only if NEED_KICK is set in the ring. It is
 * set while nothing but a post can give this side something to send. While a
 * reply, a timer or the worker is due to come, the flag stays clear: whoever
 * comes looks at the ring. Who posts one by one is asked for a kick after several
 * posts (stream.c), and the timer comes in between.
 */

#include <linux/bottom_half.h>
#include <linux/mm.h>

#include "burst.h"
#include "compat/hrtimer.h"
#include "direct.h"
#include "inbox.h"
#include "mr.h"
#include "qp.h"
#include "recv.h"
#include "retire.h"
#include "super.h"
#include "trace.h"
#include "transmit.h"
#include "wqe.h"

/* Rounds of one run, notes included, before the worker gets it. */
#define MAX_ROUNDS	8
/* Quanta of a run in process context, likewise. */
#define MAX_TURNS	8
/* Work requests retired for the price of a packet. */
#define RETIRED_A_PACKET	8

/* What a turn ended with. */
enum outcome {
	IDLE,			/* a post or a packet will come */
	WAITING,		/* a reply or the timer moves it on */
	MORE,			/* the quantum is used up */
};

static bool has_wqe(const struct rox_sq *sq)
{
	return sq->ring.hdr && rox_ring_peek(&sq->ring, sq->ring.pos);
}

/* ---- send ---- */

static void do_local(struct rox_qp *qp, const struct rox_wr *wr)
{
	int err;

	if (wr->opcode == ROX_WR_REG_MR)
		err = rox_mr_fast_register(rox_wr_mr(wr), wr->rkey, wr->swap);
	else
		err = rox_mr_invalidate(qp->pd, wr->imm);
	rox_req_local_done(&qp->sq.req, err ? ROX_WC_LOC_QP_OP_ERR : ROX_WC_SUCCESS);
}

/* Somebody is here, or comes before any post can be sent, and looks at the ring. */
static void stop_asking(struct rox_sq *sq)
{
	sq->asks_kick = 0;
	rox_ring_need_kick(&sq->ring, false);
}

/* Fill the requester's slots from the ring. */
static void accept_wqes(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;
	u32 n;

	if (!sq->ring.hdr || !rox_req_can_accept(&sq->req))
		return;
	n = rox_ring_peek(&sq->ring, sq->ring.pos);	/* (B) */
	if (n && sq->asks_kick)
		stop_asking(sq);
	while (n-- && rox_req_can_accept(&sq->req))
		rox_wqe_accept(qp);
}

/* The peer, if it is of this host and what is sent next can be handed to it. */
static struct rox_qp *open_peer(struct rox_qp *qp)
{
	if (qp->service == ROX_SVC_UD || !rox_req_has_more(&qp->sq.req))
		return NULL;
	return rox_direct_open(qp);
}

/* In packets of the budget: within the host a run's bytes are moved at once. */
static u32 send_direct(struct rox_qp *qp, struct rox_qp *peer,
		       const struct rox_req_pkt *pkt, u64 now)
{
	rox_direct_send(qp, peer, pkt, now);
	return 1 + (pkt->nr_psn - 1) * qp->sq.req.cfg.pmtu / ROX_QUANTUM_BYTES;
}

/* Likewise, 0 if the next message cannot be handed over as a whole. */
static u32 send_whole(struct rox_qp *qp, struct rox_qp *peer)
{
	int bytes = peer ? rox_whole_send(qp, peer) : -EAGAIN;

	return bytes < 0 ? 0 : 1 + (u32)bytes / ROX_QUANTUM_BYTES;
}

/* Packets planned as one. READs are asked for in runs if they are answered in such. */
static void plan_runs(struct rox_qp *qp, const struct rox_qp *peer)
{
	struct rox_requester *req = &qp->sq.req;

	req->read_runs = peer;
	if (peer)
		req->run = ROX_WINDOW_PKTS;
	else if (qp->sq.backoffs || qp->sq.careful)
		req->run = 1;	/* where that does not fit, more does not */
	else
		req->run = min(rox_qp_burst(qp), rox_req_burst(req));
}

static void spend(u32 *budget, u32 n)
{
	*budget -= min(*budget, n);
}

/* Without a free slot a post gives it nothing to send before a reply has come. */
static bool is_idle(const struct rox_sq *sq, enum rox_req_verdict verdict)
{
	return verdict == ROX_REQ_IDLE && rox_req_can_accept(&sq->req);
}

/* Plan and send until the requester has nothing, cannot, or @budget is gone. */
static enum outcome pump_to(struct rox_qp *qp, struct rox_qp *peer,
			    struct rox_burst *burst, u64 now, u32 *budget)
{
	struct rox_sq *sq = &qp->sq;
	struct rox_req_pkt pkt;
	enum rox_req_verdict verdict;
	u32 n;

	plan_runs(qp, peer);
	while (*budget) {
		/* It may have failed meanwhile; packets are lost on it then. */
		if (peer && !rox_recv_takes_requests(READ_ONCE(peer->state)))
			return MORE;
		accept_wqes(qp);
		n = send_whole(qp, peer);
		if (n) {
			spend(budget, n);
			continue;
		}
		verdict = rox_req_next(&sq->req, now, &pkt);
		if (verdict == ROX_REQ_SEND) {
			n = peer ? send_direct(qp, peer, &pkt, now) :
				   rox_transmit(qp, &pkt, burst, now);
			if (!n)
				return WAITING;
			spend(budget, n);
			continue;
		} else if (verdict == ROX_REQ_LOCAL) {
			do_local(qp, pkt.wr);
		} else {
			n = rox_retire(qp);
			/* Flushed, it may be a window each time. */
			spend(budget, n / RETIRED_A_PACKET);
			if (!n || !has_wqe(sq))
				return is_idle(sq, verdict) ? IDLE : WAITING;
		}
		spend(budget, 1);
	}
	return MORE;
}

static enum outcome pump(struct rox_qp *qp, u64 now, u32 *budget)
{
	struct rox_burst burst = {};
	struct rox_qp *peer;
	enum outcome out;

	accept_wqes(qp);
	peer = open_peer(qp);
	out = pump_to(qp, peer, &burst, now, budget);
	if (peer)
		rox_direct_close(peer);
	/* What comes back of it is looked at in the next turn. */
	return rox_transmit_flush(qp, &burst, now) ? out : WAITING;
}

/* ---- state, time ---- */

static void tell_drained(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;

	if (sq->req.state != ROX_REQ_DRAINING) {
		sq->drain_told = false;
		return;
	}
	if (sq->drain_told || !rox_req_drained(&sq->req))
		return;
	sq->drain_told = true;
	if (READ_ONCE(qp->attr.en_sqd_async_notify))
		rox_qp_event(qp, IB_EVENT_SQ_DRAINED);
}

static void fold_counts(struct rox_qp *qp)
{
	const struct rox_req_counts *now = &qp->sq.req.counts;
	struct rox_req_counts *then = &qp->sq.counted;

	if (!memcmp(now, then, sizeof(*now)))
		return;
	if (now->timeouts != then->timeouts)
		trace_rox_timeout(qp);
	rox_count(qp->dev, ROX_CNT_RETRANSMITS, now->retransmits - then->retransmits);
	rox_count(qp->dev, ROX_CNT_TIMEOUTS, now->timeouts - then->timeouts);
	rox_count(qp->dev, ROX_CNT_RNR_RCVD, now->rnr_naks - then->rnr_naks);
	rox_count(qp->dev, ROX_CNT_SEQ_NAK_RCVD, now->seq_naks - then->seq_naks);
	rox_count(qp->dev, ROX_CNT_STALE_ACKS, now->stale_acks - then->stale_acks);
	*then = *now;
}

/* Lazily: a timer that fires too early costs less than moving it each time. */
static void arm_timer(struct rox_sq *sq)
{
	u64 at = rox_req_deadline(&sq->req);

	/* Until then nobody looks at the deadline, which may have passed. */
	if (sq->backoff_until)
		at = sq->backoff_until;
	/* A look at the ring too early costs more than to move the timer. */
	if (sq->asks_kick > 1 && rox_stream_deadline(&sq->stream) < at)
		at = rox_stream_deadline(&sq->stream);
	else if (hrtimer_is_queued(&sq->timer) && sq->timer_at <= at)
		return;
	if (at == ROX_TIME_NEVER || (hrtimer_is_queued(&sq->timer) && sq->timer_at == at))
		return;
	sq->timer_at = at;
	hrtimer_start(&sq->timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

/* Somebody looks at the ring, and at sq->more, all the time: poll.c, stream.c. */
static bool is_looked_at(const struct rox_sq *sq)
{
	return READ_ONCE(sq->watched) || READ_ONCE(sq->stream.followed);
}

/* (C'), (D'): true if nothing was posted meanwhile. Who looks anyhow needs no kick. */
static bool go_idle(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;
	u32 ask = is_looked_at(sq) ? 0 : rox_stream_posts_a_kick(qp);

	if (!sq->ring.hdr || (ask && ask == sq->asks_kick))
		return true;
	if (ask > 1) {
		rox_stream_asks(&sq->stream, ktime_get_ns());
		rox_ring_kick_at(&sq->ring, sq->ring.pos + ask);
	} else if (ask != sq->asks_kick) {
		rox_ring_need_kick(&sq->ring, ask);
	}
	sq->asks_kick = ask;
	return !has_wqe(sq);
}

/* ---- the turn ---- */

static void drain_inbox(struct rox_qp *qp, u32 *budget)
{
	struct sk_buff_head skbs;
	struct sk_buff *skb;

	/* Some may come while others are worked on. */
	do {
		*budget -= rox_inbox_take(qp, &qp->sq.inbox, *budget, &skbs);
		while ((skb = __skb_dequeue(&skbs)))
			rox_complete_packet(qp, skb);
	} while (*budget && !skb_queue_empty_lockless(&qp->sq.inbox));
}

/*
 * Within a machine packets wait for the soft interrupts of the CPU that sent them, which
 * may be long in coming to it. What another CPU sends would be there first, as if they had
 * been lost. Their ACK comes on the CPU that they went by, most often, and moves us on there.
 */
static bool is_moved_on_by_answer(const struct rox_sq *sq)
{
	return sq->unwired && rox_req_answer_is_due(&sq->req);
}

static enum outcome send_all(struct rox_qp *qp, u32 *budget)
{
	struct rox_sq *sq = &qp->sq;
	u64 now = ktime_get_ns();
	enum outcome out;

	if (sq->backoff_until > now)
		return WAITING;
	sq->backoff_until = 0;
	if (READ_ONCE(sq->hurry)) {
		WRITE_ONCE(sq->hurry, false);
		rox_req_hurry(&sq->req, now);
	}
	rox_req_tick(&sq->req, now);
	if (sq->sent_by != smp_processor_id() && is_moved_on_by_answer(sq))
		return WAITING;
	for (;;) {
		out = pump(qp, now, budget);
		if (out != IDLE || go_idle(qp))
			return out;
		/* A program that posts one by one must not keep us here. */
		if (!*budget)
			return MORE;
		spend(budget, 1);
	}
}

/* Does a stream of short messages wait for replies? */
static bool is_held_up(const struct rox_sq *sq)
{
	return rox_req_is_short(&sq->req) && (rox_req_has_more(&sq->req) || has_wqe(sq));
}

static enum outcome turn(struct rox_qp *qp, struct rox_budget *budget)
{
	struct rox_sq *sq = &qp->sq;
	enum outcome out = IDLE;

	if (sq->asks_kick > 1)
		rox_stream_look(qp, rox_ring_peek(&sq->ring, sq->ring.pos),
				sq->asks_kick, ktime_get_ns());
	drain_inbox(qp, &budget->in);
	if (READ_ONCE(qp->state) == IB_QPS_ERR) {
		rox_req_error(&sq->req, ROX_WC_WR_FLUSH_ERR);
		sq->backoff_until = 0;
	}
	if (sq->req.state != ROX_REQ_STOPPED)
		out = send_all(qp, &budget->out);
	WRITE_ONCE(sq->blocked, out != IDLE && is_held_up(sq));
	if (out != IDLE && sq->asks_kick > 1)
		stop_asking(sq);
	rox_retire(qp);
	fold_counts(qp);
	tell_drained(qp);
	arm_timer(sq);
	if (!budget->in && !skb_queue_empty_lockless(&sq->inbox))
		out = MORE;
	return out;
}

/* Not preempted meanwhile, as the owner of the side. */
static void let_softirqs_in(void)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_disable();
	local_bh_enable();
	local_bh_disable();
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		preempt_enable();
}

static bool is_lost_out_of_order(const struct rox_qp *qp)
{
	return qp->service == ROX_SVC_UC;
}

/*
 * What was sent within this host waits for the soft interrupts of this CPU. Whoever owns
 * the side next may be on another one, and what he sends would be there first.
 */
static void let_arrive(const struct rox_qp *qp)
{
	if (is_lost_out_of_order(qp))
		let_softirqs_in();
}

static enum outcome one_turn(struct rox_qp *qp, struct rox_budget *budget)
{
	enum outcome out;

	rox_run_take_note(&qp->sq.run);
	out = turn(qp, budget);
	let_arrive(qp);
	return out;
}

/*
 * Let others have the CPU. It may take long until we have it again, so whoever comes may
 * have the side meanwhile. False if somebody does: he sees to what is left.
 */
static bool breathe(struct rox_run *run)
{
	let_softirqs_in();
	if (!need_resched())
		return true;
	rox_run_yield(run);
	local_bh_enable();
	cond_resched();
	local_bh_disable();
	return rox_run_enter(run);
}

/*
 * @turns: this many quanta; more than one only where the caller may sleep. False if
 * there is more to do: nobody owns the side then, and somebody must see to it.
 */
static bool run_owned(struct rox_qp *qp, u32 turns)
{
	struct rox_run *run = &qp->sq.run;
	struct rox_budget budget = ROX_QUANTUM;
	u32 rounds = 0;
	enum outcome out;

	WRITE_ONCE(qp->sq.more, false);
	do {
		out = one_turn(qp, &budget);
		while (out == MORE && --turns && !rox_run_is_wanted(run)) {
			if (!breathe(run))
				return true;
			budget = ROX_QUANTUM;
			out = one_turn(qp, &budget);
		}
		if (out == MORE && budget.in && is_moved_on_by_answer(&qp->sq))
			out = WAITING;
		if (out == MORE || ++rounds == MAX_ROUNDS) {
			WRITE_ONCE(qp->sq.more, true);
			rox_run_yield(run);
			return false;
		}
	} while (!rox_run_leave(run));
	return true;
}

/* Not preempted as the owner: see rox_respond_run(). */
static bool run(struct rox_qp *qp, u32 turns)
{
	bool done = true;

	local_bh_disable();
	if (rox_run_enter(&qp->sq.run))
		done = run_owned(qp, turns);
	local_bh_enable();
	return done;
}

/*
 * A worker sees to what is left, or who follows the stream; not a poller, which may
 * wait for its CPU. He who follows leaves by saying so and then running the side: he
 * finds what is left, or we, who let go of the side after that, find that he has left.
 */
static void run_or_defer(struct rox_qp *qp, u32 turns)
{
	/* Here nothing arrives before we are gone. */
	if (is_lost_out_of_order(qp) && softirq_count()) {
		rox_send_defer(qp);
		return;
	}
	if (!run(qp, turns) && !READ_ONCE(qp->sq.stream.followed))
		rox_send_defer(qp);
}

/**
 * rox_send_run - see to the send side
 * @qp: referenced
 *
 * Returns at once if somebody else is at it. Takes no lock, may be called with
 * any lock held that completion handlers do not take.
 * Context: process or softirq.
 */
void rox_send_run(struct rox_qp *qp)
{
	run_or_defer(qp, 1);
}

/**
 * rox_send_look - the same for a poller
 * @qp: referenced
 *
 * It comes again to what is left, as long as the queue is watched, as in run_or_defer().
 * Context: process. Return: false if something is left, and it is watched.
 */
bool rox_send_look(struct rox_qp *qp)
{
	if (run(qp, 1))
		return true;
	if (READ_ONCE(qp->sq.watched))
		return false;
	rox_send_defer(qp);
	return true;
}

/**
 * rox_send_run_long - the same, for some milliseconds
 * @qp: referenced
 *
 * A message of a few megabytes within the host is quicker moved by who sends it
 * than by a worker, which has to be scheduled first.
 * Context: process, may sleep.
 */
void rox_send_run_long(struct rox_qp *qp)
{
	run_or_defer(qp, MAX_TURNS);
}

/* ---- life ---- */

/* It may stand for a kick: see leave_to_worker(). */
static void send_work(struct work_struct *work)
{
	struct rox_qp *qp = container_of(work, struct rox_qp, sq.work);

	rox_count(qp->dev, ROX_CNT_WORKER_RUNS, 1);
	rox_send_run_long(qp);
	rox_direct_posted(qp);
	rox_qp_put(qp);
}

static enum hrtimer_restart send_timer(struct hrtimer *timer)
{
	rox_run_by_timer(container_of(timer, struct rox_qp, sq.timer), rox_send_run,
			 rox_send_defer);
	return HRTIMER_NORESTART;
}

/**
 * rox_sq_init - make a send side whose ring and limits are set ready to run
 * @qp: new
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM; rox_sq_fini() undoes it.
 */
int rox_sq_init(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;
	u32 nr = clamp_t(u32, sq->ring.entries, 1, ROX_SQ_SLOTS);
	u32 stride = rox_wqe_slot_bytes(sq->max_sge, sq->max_inline);
	void *slots;

	rox_run_init(&sq->run);
	skb_queue_head_init(&sq->inbox);
	INIT_WORK(&sq->work, send_work);
	rox_stream_init(&sq->stream);
	hrtimer_setup(&sq->timer, send_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);

	slots = kvcalloc(nr, stride, GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	rox_req_init(&sq->req, slots, stride, nr);
	if (sq->ring.hdr)
		rox_ring_need_kick(&sq->ring, true);
	sq->asks_kick = 1;
	return 0;
}

/**
 * rox_sq_stop - nobody runs this side any more
 * @qp: unpublished, no verb but destroy acts on it
 *
 * Work and packets that come after this find the side owned for good.
 * Context: process, may sleep for one turn of the present owner.
 */
void rox_sq_stop(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;

	rox_run_lock(&sq->run);
	/* Whoever still posts is to be told that nobody looks any more. */
	if (sq->ring.hdr)
		rox_ring_need_kick(&sq->ring, true);
	hrtimer_cancel(&sq->timer);
	if (cancel_work_sync(&sq->work))
		rox_qp_put(qp);
	rox_stream_stop(&sq->stream);
}

/**
 * rox_sq_fini - free what a stopped send side holds
 * @qp: nobody else has a reference any more
 *
 * Context: process.
 */
void rox_sq_fini(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;

	rox_inbox_purge(qp, &sq->inbox);
	kvfree(sq->req.slots);
}

/**
 * rox_sq_reset - forget everything that was posted and received
 * @qp: on its way to RESET
 *
 * The ring's indices go on from where they are: cons moves up to prod.
 * Context: owner of the send side, process.
 */
void rox_sq_reset(struct rox_qp *qp)
{
	struct rox_sq *sq = &qp->sq;

	rox_req_init(&sq->req, sq->req.slots, sq->req.stride, sq->req.nr_slots);
	memset(&sq->counted, 0, sizeof(sq->counted));
	rox_super_reset(&sq->supers);
	rox_inbox_purge(qp, &sq->inbox);
	sq->backoff_until = 0;
	sq->backoffs = 0;
	sq->careful = 0;
	sq->unwired = false;
	sq->clog_bytes = 0;
	sq->impatient = false;
	sq->drain_told = false;
	rox_stream_reset(&sq->stream);
	if (!sq->ring.hdr)
		return;
	sq->ring.pos += rox_ring_peek(&sq->ring, sq->ring.pos);	/* (B) */
	sq->retired = sq->ring.pos;
	rox_ring_release(&sq->ring, sq->retired);	/* (E) */
	sq->asks_kick = 1;
	rox_ring_need_kick(&sq->ring, true);
}
