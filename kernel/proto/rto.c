// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the requester's sense of time: the measured round-trip
 * time, the retransmission time-out, the retry budget and the RNR wait.
 *
 * The time-out follows Jacobson's estimator with Karn's rule: a packet that was
 * sent twice measures nothing. Each time-out without progress doubles the next
 * one, up to the local ACK time-out of the QP attributes. The doublings end
 * with a valid measurement, or one by one with each window that was
 * acknowledged without a time-out.
 */

#include "requester_impl.h"

/* Before anything was measured: a LAN's answer is long there. */
#define RTO_INITIAL_NS		(16ULL * 1000 * 1000)
/* However long the attribute is, a lost packet is sent again this soon. */
#define RTO_MAX_NS		(1000ULL * 1000 * 1000)
#define MAX_BACKOFF		16
/* RNR NAKs in a row that are taken at their word, and how long a wait may get. */
#define RNR_PATIENCE		8
#define RNR_MAX_NS		(16ULL * 1000 * 1000)

/* The local ACK time-out, not below what the clock can do (IBA 9.7.6.1.3). */
static u64 ack_timeout(const struct rox_requester *r)
{
	u64 t = rox_ack_timeout_ns(r->cfg.timeout);

	return max(t, r->cfg.min_rto_ns);
}

static u64 rto_now(const struct rox_requester *r)
{
	u64 cap = min_t(u64, ack_timeout(r), RTO_MAX_NS);
	u64 rto = RTO_INITIAL_NS;

	if (r->srtt)
		rto = max(r->srtt + 4 * r->rttvar, r->cfg.min_rto_ns);
	return min(rto << r->backoff, cap);
}

/* When the retry budget ends if nothing is acknowledged until then. */
static u64 budget_end(const struct rox_requester *r)
{
	if (!r->cfg.timeout)
		return ROX_TIME_NEVER;
	return r->progress_at + (r->cfg.retry_cnt + 1) * ack_timeout(r);
}

/*
 * The budget may end in the middle of a time-out; after a pause of the whole
 * machine it may have ended in the past with nothing sent again meanwhile.
 */
static void arm(struct rox_requester *r, u64 now)
{
	u64 end = budget_end(r);

	r->rto_at = now + rto_now(r);
	if (end > now)
		r->rto_at = min(r->rto_at, end);
}

static void measure(struct rox_requester *r, u64 rtt)
{
	u64 err;

	if (!r->srtt) {
		r->srtt = max_t(u64, rtt, 1);
		r->rttvar = rtt / 2;
	} else {
		err = rtt > r->srtt ? rtt - r->srtt : r->srtt - rtt;
		r->rttvar += (err >> 2) - (r->rttvar >> 2);
		r->srtt += (rtt >> 3) - (r->srtt >> 3);
		r->srtt = max_t(u64, r->srtt, 1);
	}
	r->backoff = 0;
}

/* A whole window without a time-out takes one doubling back. */
static void calm_down(struct rox_requester *r)
{
	if (!r->backoff || rox_psn_before(r->una, r->recover))
		return;
	if (r->clean)
		r->backoff--;
	r->clean = true;
	r->recover = r->psn;
}

void rox_rto_sent(struct rox_requester *r, const struct rox_req_pkt *pkt, u64 now)
{
	if (r->rto_at == ROX_TIME_NEVER) {
		r->progress_at = now;
		arm(r, now);
	} else if (pkt->again && pkt->hdr.psn == r->una) {
		arm(r, now);
	}
	if (!pkt->again && pkt->hdr.ackreq && !r->rtt_timing) {
		r->rtt_timing = true;
		r->rtt_psn = pkt->hdr.psn;
		r->rtt_start = now;
	}
}

void rox_rto_progress(struct rox_requester *r, u64 now)
{
	r->progress_at = now;
	r->retries = 0;
	if (r->rtt_timing && rox_psn_after(r->una, r->rtt_psn)) {
		r->rtt_timing = false;
		measure(r, now - r->rtt_start);
	}
	calm_down(r);
	if (rox_req_inflight(r))
		arm(r, now);
	else
		r->rto_at = ROX_TIME_NEVER;
}

void rox_rto_unsent(struct rox_requester *r, u32 psn, u64 now)
{
	if (psn != r->una)
		return;
	r->progress_at = now;
	arm(r, now);
}

/*
 * A peer that is not ready for long is asked less and less often: with the
 * shortest time that a NAK can name, and retries without limit, two QPs would
 * keep a CPU busy for as long as their programs sleep.
 */
static u64 rnr_wait(struct rox_requester *r, u8 code)
{
	u64 wait = rox_rnr_ns(code);

	if (r->rnr_row < RNR_PATIENCE + MAX_BACKOFF)
		r->rnr_row++;
	if (r->rnr_row <= RNR_PATIENCE || wait >= RNR_MAX_NS)
		return wait;
	return min_t(u64, wait << (r->rnr_row - RNR_PATIENCE), RNR_MAX_NS);
}

void rox_rto_rnr(struct rox_requester *r, u32 psn, u8 code, u64 now)
{
	r->rnr_psn = psn;
	r->rnr_waiting = true;
	r->rnr_probing = true;
	r->rnr_at = now + rnr_wait(r, code);
	r->retries = 0;
}

static void rnr_over(struct rox_requester *r, u64 now)
{
	r->rnr_waiting = false;
	r->progress_at = now;
	arm(r, now);
}

void rox_req_hurry(struct rox_requester *r, u64 now)
{
	if (r->rnr_waiting && rox_req_live(r))
		rnr_over(r, now);
}

void rox_req_rest(struct rox_requester *r, u64 until)
{
	if (r->rnr_waiting && r->cfg.rnr_retry == 7)
		r->rnr_at = until;
}

static void timed_out(struct rox_requester *r, u64 now)
{
	if (now >= budget_end(r) && r->retries >= r->cfg.retry_cnt) {
		rox_req_fail_wr(r, rox_req_wr(r, r->oldest), ROX_WC_RETRY_EXC_ERR);
		return;
	}
	r->counts.timeouts++;
	r->retries++;
	if (r->backoff < MAX_BACKOFF)
		r->backoff++;
	r->recover = r->psn;
	r->clean = false;
	r->nak_seen = false;
	rox_req_slow_down(r);
	r->asked = r->una;
	rox_req_resend(r, r->una, r->psn);
	arm(r, now);
}

u64 rox_req_deadline(const struct rox_requester *r)
{
	return r->rnr_waiting ? r->rnr_at : r->rto_at;
}

void rox_req_tick(struct rox_requester *r, u64 now)
{
	if (now < rox_req_deadline(r) || !rox_req_live(r))
		return;
	if (r->rnr_waiting)
		rnr_over(r, now);
	else
		timed_out(r, now);
}
