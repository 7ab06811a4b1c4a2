/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The requester machine of RC, UC and UD: from work requests to packets, from
 * acknowledgements and read responses to completions (IBA 9.7, 9.8).
 *
 * It is pure: no lock, no clock, no memory of its own. Whoever owns the send
 * side of the QP (one at a time) drives it:
 *
 *   accept   while rox_req_can_accept(): fill rox_req_slot(), rox_req_accept()
 *   send     rox_req_next() plans a packet; build and send it; rox_req_sent()
 *   receive  rox_req_rx() for each response packet; place what it says
 *   time     rox_req_deadline(), rox_req_tick()
 *   retire   rox_req_complete() until it returns NULL
 *
 * Times are nanoseconds of any monotonic clock, passed in.
 *
 * Requests are recovered by go-back-N, which is all that peers understand. READ
 * responses and atomic ACKs are kept in whatever order they come, and only what
 * is missing of them is asked for again. A retransmission time-out follows the
 * measured round-trip time; the retry budget is what the QP attributes promise:
 * an error is raised only when no progress was made for (retry_cnt + 1) local
 * ACK time-outs, however often packets were resent meanwhile. A time-out
 * attribute of 0 never gives up, but still resends at the retransmission
 * time-out (IBA would wait for ever).
 *
 * How much is in flight doubles with each window that is acknowledged, until
 * packets are lost; then it is halved, once a window, and grows by a packet with
 * each window, up to cfg.window: QPs that share a path too small for all their
 * windows share it out. What is sent again keeps to it too.
 *
 * Long READs are asked for in pieces of read_chunk packets, or in runs, so that the
 * responder's work and the packets in flight stay bounded; each piece counts
 * against max_rd_atomic.
 */
#ifndef ROX_PROTO_REQUESTER_H
#define ROX_PROTO_REQUESTER_H

#include <rdma/rox-abi.h>

#include "aeth.h"
#include "pkt.h"
#include "psn.h"
#include "status.h"

/*
 * A work request: the kernel's private, validated copy. The part up to swap is
 * filled by the caller of rox_req_accept(); the rest is the machine's. The
 * caller's own data (scatter list, inline bytes) follows in the same slot.
 */
struct rox_wr {
	u64 wr_id;
	u8 opcode;		/* enum rox_wr_opcode */
	u8 flags;		/* ROX_SQE_* */
	u8 num_sge;
	u8 status;		/* enum rox_wc_status, valid when completed */
	u32 length;		/* bytes of the message; 8 for atomics */
	u32 imm;		/* wire order, or key to invalidate, host order */
	u32 rkey;		/* UD: address handle number */
	u64 remote_addr;
	u64 compare_add;	/* UD: remote QPN */
	u64 swap;		/* UD: remote Q_Key */

	/* The machine's. */
	u32 first_psn;
	u32 nr_psn;		/* 0 for local operations */
	u8 state;		/* enum rox_wr_state */
};

#define ROX_REQ_MAX_WINDOW	1024	/* a power of two */

struct rox_req_config {
	u8 service;		/* ROX_SVC_* */
	u8 timeout;		/* local ACK time-out code; 0 is never */
	u8 retry_cnt;		/* 0..7, all of them finite */
	u8 rnr_retry;		/* 0..7; 7 is infinite */
	u8 max_rd_atomic;	/* READs and atomics in flight */
	u16 pkey;
	bool migreq;
	u32 pmtu;		/* bytes */
	u32 dqpn;		/* RC, UC */
	u32 sqpn;		/* UD: goes into the DETH */
	u32 qkey;		/* UD: used when the WR's has the privileged bit */
	u32 window;		/* packets in flight without ACK; 2..ROX_REQ_MAX_WINDOW */
	u32 read_chunk;		/* packets of response asked for at once; likewise */
	u64 min_rto_ns;		/* floor of the retransmission time-out */
};

enum rox_req_state {
	ROX_REQ_STOPPED,	/* not yet RTS */
	ROX_REQ_RUNNING,
	ROX_REQ_DRAINING,	/* SQD: finishes what it began, begins nothing */
	ROX_REQ_ERROR,		/* flushes */
};

struct rox_req_counts {
	u32 retransmits;	/* packets sent again */
	u32 timeouts;
	u32 rnr_naks;
	u32 seq_naks;
	u32 stale_acks;
};

struct rox_requester {
	struct rox_req_config cfg;
	enum rox_req_state state;
	u8 failed;		/* enum rox_wc_status that put it into ERROR, or 0 */
	struct rox_req_counts counts;
	u32 run;		/* packets planned as one, see struct rox_pkt; the owner's to set */
	bool read_runs;		/* READ pieces too: if the answer comes uncut; likewise */

	/* Slots, given to rox_req_init(). Indices are free-running. */
	void *slots;
	u32 stride;		/* bytes; a struct rox_wr and the caller's part */
	u32 nr_slots;		/* a power of two */
	u32 tail;		/* oldest WR not retired */
	u32 oldest;		/* oldest WR not finished: una lies in it */
	u32 again;		/* WR that the cursor lies in, when resending */
	u32 next;		/* WR that the next new packet comes from */
	u32 head;		/* where the next WR is accepted */

	u32 psn;		/* of the next new packet */
	u32 una;		/* oldest unacknowledged */
	u32 cursor;		/* of the next packet to send; before psn when resending */

	/* Further private state of requester.c, requester_ack.c and rto.c. */
	u32 resend_end;		/* where the resending ends */
	u32 reached;		/* the peer carried out all before it */
	u32 asked;		/* missing answers before it were asked for again */
	u32 nak_psn;		/* of the last sequence NAK */
	u32 rnr_psn;		/* of the last RNR NAK, if rnr_row */
	u32 cwnd;		/* packets in flight that the path seems to bear */
	u32 cwnd_acked;		/* packets acknowledged towards one more */
	bool lost;		/* packets were, since the start */
	u32 rd_inflight;	/* READ pieces and atomics not answered */
	u32 since_ackreq;	/* packets sent since one that asked for an ACK */
	u32 asked_end;		/* behind the last packet that an answer was asked for */
	bool unasked;		/* among them the end of a message */
	u32 recover;		/* psn at the last time-out or clean window */
	u32 retries;		/* time-outs since the last progress */
	u8 backoff;		/* doublings of the time-out */
	u8 rnr_left;
	bool nak_seen;
	u8 rnr_row;		/* RNR NAKs since that packet was taken */
	bool clean;		/* a window was acknowledged without time-out */
	bool rnr_waiting;
	bool rnr_probing;	/* after the wait: one packet, until it is answered */
	bool rtt_timing;
	u32 rtt_psn;
	u32 rx_psn;		/* of the response being placed */
	u32 rx_run;		/* and what it stands for */
	u64 rx_at;		/* when it came */
	u64 rtt_start;
	u64 srtt;		/* 0: not measured yet */
	u64 rttvar;
	u64 rto_at;		/* deadline, ROX_TIME_NEVER if nothing is in flight */
	u64 rnr_at;
	u64 progress_at;	/* last sign of life, or when flight began */
	u32 got[ROX_REQ_MAX_WINDOW / 32];	/* bit psn: answered, after una */
};

enum rox_req_verdict {
	ROX_REQ_SEND,		/* send the planned packet, then rox_req_sent() */
	ROX_REQ_LOCAL,		/* carry out pkt->wr, then rox_req_local_done() */
	ROX_REQ_IDLE,		/* nothing accepted that is not sent */
	ROX_REQ_BLOCKED,	/* a response or the deadline will move it on */
};

/* A planned packet. */
struct rox_req_pkt {
	struct rox_pkt hdr;	/* complete: ready for rox_build() */
	struct rox_wr *wr;	/* the message it belongs to */
	u32 offset;		/* of its payload in the message */
	u32 nr_psn;		/* that it consumes: hdr.run, or the packets of a READ piece */
	bool again;		/* a retransmission */
};

/* What a response packet brings. */
struct rox_req_place {
	struct rox_wr *wr;
	u32 offset;		/* in the WR's scatter list */
	u32 bytes;		/* of payload; 0 and !atomic: nothing to place */
	bool atomic;		/* place the 8 bytes of orig, host order, instead */
	u64 orig;
};

/**
 * rox_req_init - an empty requester in state STOPPED
 * @slots:    @nr_slots slots of @stride bytes, kept by the caller
 * @nr_slots: a power of two
 *
 * Also used to go back to RESET: everything accepted is forgotten.
 */
void rox_req_init(struct rox_requester *r, void *slots, u32 stride, u32 nr_slots);

/**
 * rox_req_start - INIT/RTR to RTS
 * @cfg: copied; later changes go through rox_req_reconfigure()
 * @psn: first PSN (sq_psn)
 */
void rox_req_start(struct rox_requester *r, const struct rox_req_config *cfg, u32 psn);

/* Change retry counts, time-out, RNR retry, max_rd_atomic, Q_Key; not the rest. */
void rox_req_reconfigure(struct rox_requester *r, const struct rox_req_config *cfg);

/* SQD and back. rox_req_drained(): all that was begun has completed. */
void rox_req_drain(struct rox_requester *r, bool on);
bool rox_req_drained(const struct rox_requester *r);

/**
 * rox_req_error - stop sending and flush
 * @status: that the oldest unfinished WR completes with; the rest, and every
 *          WR accepted later, get ROX_WC_WR_FLUSH_ERR. Pass
 *          ROX_WC_WR_FLUSH_ERR if no WR is to blame. Has no effect on one that
 *          is in ERROR already.
 */
void rox_req_error(struct rox_requester *r, enum rox_wc_status status);

/*
 * UC and UD after SQE (IBA 10.3.1): go on with WRs accepted from now; those
 * accepted before are flushed.
 */
void rox_req_resume(struct rox_requester *r);

static inline struct rox_wr *rox_req_wr(const struct rox_requester *r, u32 i)
{
	return (struct rox_wr *)((char *)r->slots +
				 (size_t)(i & (r->nr_slots - 1)) * r->stride);
}

static inline bool rox_req_can_accept(const struct rox_requester *r)
{
	return r->head - r->tail < r->nr_slots;
}

/* The slot to fill; valid while rox_req_can_accept(). */
static inline struct rox_wr *rox_req_slot(const struct rox_requester *r)
{
	return rox_req_wr(r, r->head);
}

/**
 * rox_req_accept - queue the WR that was filled into rox_req_slot()
 * @bad: ROX_WC_SUCCESS, or the error it completes with in its turn without
 *       being sent (a malformed WR); RC then goes to ERROR
 */
void rox_req_accept(struct rox_requester *r, enum rox_wc_status bad);

/**
 * rox_req_next - plan the next packet
 * @now: time
 * @pkt: filled for ROX_REQ_SEND, pkt->wr for ROX_REQ_LOCAL
 *
 * Planning changes nothing that sending would have to undo: if the packet
 * cannot be sent now, call again later. A WR that turns out to be invalid in
 * its turn is failed here, so retire after sending.
 */
enum rox_req_verdict rox_req_next(struct rox_requester *r, u64 now,
				  struct rox_req_pkt *pkt);

/* Has an answer been asked for that is due, and is nothing to be sent again? */
bool rox_req_answer_is_due(const struct rox_requester *r);

/* Is there anything to send, now or later? */
static inline bool rox_req_has_more(const struct rox_requester *r)
{
	return r->next != r->head || r->cursor != r->psn;
}

/* Is the oldest message under way one of a single packet? */
static inline bool rox_req_is_short(const struct rox_requester *r)
{
	return r->oldest != r->next && rox_req_wr(r, r->oldest)->nr_psn == 1;
}

/* Packets that may go as one run, given how the network and the peer have done. */
u32 rox_req_burst(const struct rox_requester *r);

/**
 * rox_req_alike - how many messages right behind are like the one that is planned?
 * @pkt:  planned by rox_req_next(), the whole of its message
 * @most: as many as anybody wants to know of
 *
 * Of those that are accepted: one packet each, of the same headers and length, and to
 * the same queue pair, that may go at once.
 */
u32 rox_req_alike(const struct rox_requester *r, const struct rox_req_pkt *pkt, u32 most);

/* UC, UD: the @i-th of those, that @pkt is the first of, as rox_req_next() would plan it. */
void rox_req_like(const struct rox_requester *r, const struct rox_req_pkt *pkt, u32 i,
		  struct rox_req_pkt *like);

/* Nothing is under way: what is sent next is what the peer waits for. */
static inline bool rox_req_is_clear(const struct rox_requester *r)
{
	return r->cursor == r->una;
}

/* The peer has posted a receive: the wait that its RNR NAK asked for is over. */
void rox_req_hurry(struct rox_requester *r, u64 now);
/* With infinite RNR retries: it may last until @until, somebody will hurry. */
void rox_req_rest(struct rox_requester *r, u64 until);

/* Is a READ's response with this PSN still to come? */
bool rox_req_awaits(const struct rox_requester *r, u32 psn);

/* The packet last planned was handed to the network (or lost there). */
void rox_req_sent(struct rox_requester *r, const struct rox_req_pkt *pkt, u64 now);

/*
 * Packets from @psn to before @end did not leave after all, RC: they go again. For
 * the peer, whom nothing has reached, the time begins anew.
 */
void rox_req_unsent(struct rox_requester *r, u32 psn, u32 end, u64 now);

/* The local operation last planned ended with @status. */
void rox_req_local_done(struct rox_requester *r, enum rox_wc_status status);

/**
 * rox_req_fail - the WR of the packet last planned cannot be sent
 * @status: for example ROX_WC_LOC_PROT_ERR
 *
 * WRs before it finish first; then it completes with @status and the machine
 * is in ERROR.
 */
void rox_req_fail(struct rox_requester *r, enum rox_wc_status status);

/**
 * rox_req_whole - the next WR, if all of it may be handed to a peer of the same host
 * @p: if so, all of it as one packet, of as many PSNs as its run says
 *
 * A SEND, without invalidation, or a WRITE of RC or UC; nothing that came before it
 * is under way. If the peer takes it, rox_req_whole_done(); if not, nothing has
 * changed, and rox_req_next() plans its packets.
 *
 * Return: the WR or NULL.
 */
struct rox_wr *rox_req_whole(const struct rox_requester *r, struct rox_pkt *p);

/* @wr and @p, from rox_req_whole(): carried out and acknowledged. */
void rox_req_whole_done(struct rox_requester *r, struct rox_wr *wr,
			const struct rox_pkt *p);

/**
 * rox_req_rx - a response packet: ACK, NAK, READ response, atomic ACK
 * @p:     parsed, its QP, ICRC and source checked
 * @now:   time
 * @place: what to place; after placing call rox_req_placed()
 *
 * Return: ROX_DROP_NONE, or why it was not acted on.
 */
enum rox_drop rox_req_rx(struct rox_requester *r, const struct rox_pkt *p,
			 u64 now, struct rox_req_place *place);

/**
 * rox_req_placed - the outcome of placing
 * @status: ROX_WC_SUCCESS, or a local error that ends the QP
 */
void rox_req_placed(struct rox_requester *r, const struct rox_req_place *place,
		    enum rox_wc_status status);

/**
 * rox_req_complete - take the oldest WR if it is finished
 *
 * The slot stays valid until the next rox_req_accept(). Whether a completion
 * is due is the caller's rule: signaled, or status not success.
 *
 * Return: the WR, its status set; NULL if the oldest is not finished.
 */
struct rox_wr *rox_req_complete(struct rox_requester *r);

/* When rox_req_tick() is due, or ROX_TIME_NEVER. Cheap. */
u64 rox_req_deadline(const struct rox_requester *r);

/* Time has come, or not yet: harmless if early. */
void rox_req_tick(struct rox_requester *r, u64 now);

#endif
