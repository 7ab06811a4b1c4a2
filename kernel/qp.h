/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs.
 *
 * struct rox_qp_ib is what the RDMA core allocates and frees; struct rox_qp is
 * ours, found by number under RCU and freed after a grace period. Everything
 * that acts on a QP from outside verbs (packet, kick, timer, work) holds a
 * reference for that time; rox_destroy_qp() takes the number away, ends both
 * runs for good, stops the timer and the work items, and waits for the last
 * reference, which nobody holds for longer than one turn; but for who follows it,
 * who asks all the time whether to go.
 *
 * Locks: the mutex of struct rox_qp_ib orders verbs (modify, query, destroy). The
 * send side (struct rox_sq) belongs to the owner of sq.run, the receive side to the
 * owner of rq.run; modify takes both by rox_run_lock(). qp->state is written under
 * the mutex or by rox_qp_error(), and read anywhere.
 */
#ifndef ROX_QP_H
#define ROX_QP_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "av.h"
#include "cq.h"
#include "device.h"
#include "proto/requester.h"
#include "proto/responder.h"
#include "proto/trust.h"
#include "ring.h"
#include "run.h"
#include "stream.h"

/* Work requests copied out of the ring and not yet retired, at most. */
#define ROX_SQ_SLOTS		64
/* Packets handed over as one within a host, and at least in flight without ACK. */
#define ROX_WINDOW_PKTS		64
/* In flight without ACK: as much as this, if those are not too many packets. */
#define ROX_WINDOW_BYTES	(256 << 10)
#define ROX_WINDOW_MAX_PKTS	256
/* Packets that leave as one, at most; see struct rox_burst. */
#define ROX_BURST_PKTS		64
/* Payload of those: with the headers less than IP can tell of. */
#define ROX_BURST_BYTES		(60 << 10)
/* All of it, IP and UDP headers of each packet included. */
#define ROX_BURST_MAX_BYTES	65000
/* Packets that go one by one after a burst was refused, or was asked for again. */
#define ROX_CAREFUL_PKTS	2048
/*
 * A window of READ responses is asked for in as many pieces, or less if those are short.
 * With nothing in flight one piece is asked for, however little the path bears.
 */
#define ROX_READ_PIECES		8
#define ROX_MIN_RTO_NS		(10 * NSEC_PER_MSEC)
/* Received packets waiting for the owner of a side, each super-packet one. */
#define ROX_INBOX_PKTS		512
/* Packets sent, and as many handled, in one turn. */
#define ROX_QUANTUM_PKTS	64
/* Bytes that count as a packet more, of what is copied within the host. */
#define ROX_QUANTUM_BYTES	16384

/* What a run of a side may still do: packets. What came in takes nothing from what leaves. */
struct rox_budget {
	u32 in;
	u32 out;
};

#define ROX_QUANTUM	((struct rox_budget){ ROX_QUANTUM_PKTS, ROX_QUANTUM_PKTS })

/*
 * Super-packets that a side received as such, and whether those arrive that it sends. The
 * first two are the owner's, and READ_ONCE()d by the peer.
 */
struct rox_supers {
	u32 received;			/* how many as long as any */
	u32 longest;			/* bytes */
	struct rox_trust trust;
};

/* A look-up remembered, see rox_qp_get_again(). */
struct rox_qp_memo {
	u64 generation;
	struct rox_qp *qp;		/* maybe freed, if the generation is not the present one */
	u32 qpn;
};

struct rox_sq {
	struct rox_run run;
	struct rox_ring ring;		/* ring.pos: next WQE to copy */
	u32 retired;			/* next WQE to give back */
	struct rox_requester req;
	struct rox_req_counts counted;	/* part of req.counts already in hw counters */
	u32 max_sge;
	u32 max_inline;
	u32 max_wr;			/* as told to the user */
	bool signal_all;
	u32 asks_kick;			/* after so many posts; 0: NEED_KICK is not set */
	bool watched;			/* a poller looks; see poll.c */
	bool unwatchable;		/* being destroyed; the poller's mutex */
	bool more;			/* the last turn left some of it; who looks comes again */
	bool drain_told;		/* IB_EVENT_SQ_DRAINED was raised for this drain */
	bool failing;			/* its error is not posted yet: receives are not flushed */
	struct sk_buff_head inbox;	/* response packets */
	struct rox_supers supers;
	struct hrtimer timer;		/* fires rox_send_run() */
	u64 timer_at;			/* armed for; ROX_TIME_NEVER: not armed */
	u64 backoff_until;		/* the local queue was full; 0: not */
	u32 backoffs;			/* in a row */
	u32 careful;			/* packets yet to be sent one by one */
	bool unwired;			/* RC: what is sent does not leave this machine */
	unsigned int sent_by;		/* RC: the CPU that did last */
	struct rox_qp_memo peer;	/* of this host */
	u32 clog_bytes;			/* sent since there was room in the host's queues */
	bool impatient;			/* has waited for that in vain */
	bool blocked;			/* had more to send than it may; anybody reads it */
	bool hurry;			/* the peer posted a receive; any context sets it */
	struct work_struct work;	/* goes on after a quantum */
	struct rox_stream stream;
	spinlock_t post_lock;		/* post_pos, for kernel users; irqsave */
	u32 post_pos;			/* their producer index */
};

/* A receive WQE: private, validated copy. */
struct rox_rwr {
	u64 wr_id;
	u32 num_sge;
	u32 bytes;
	bool malformed;			/* completes with an error, whatever comes for it */
	struct rox_sge sge[];		/* as many as rq.max_sge */
};

struct rox_rq {
	struct rox_run run;
	struct rox_ring ring;		/* ring.pos: next WQE to take */
	struct rox_responder resp;
	struct rox_resp_counts counted;
	struct rox_resource *res;	/* max_dest_rd_atomic records */
	struct rox_rwr *cur;		/* of the message being received */
	bool cur_held;
	bool asks_kick;			/* NEED_KICK is set because sender_waits was */
	bool sender_waits;		/* this host's, for a post; see rox_direct_posted() */
	u8 event;			/* enum ib_event_type due with the fatal NAK; 0: none */
	u32 max_sge;
	u32 max_wr;
	struct sk_buff_head inbox;	/* request packets */
	struct rox_supers supers;
	struct hrtimer timer;		/* fires rox_respond_run() when backed off */
	u64 backoff_until;		/* as in struct rox_sq, for replies */
	u32 backoffs;
	u32 careful;			/* packets yet to be sent one by one */
	struct work_struct work;
	spinlock_t post_lock;		/* post_pos, as above */
	u32 post_pos;
};

struct rox_qp {
	struct ib_qp *ib;		/* valid until rox_destroy_qp() returns */
	struct rox_device *dev;
	struct ib_pd *pd;
	struct rox_cq *scq;
	struct rox_cq *rcq;
	struct rox_ucontext *uctx;	/* NULL: a kernel user's */
	u64 named;			/* so in completions, see struct rox_cqe */
	u32 qpn;
	u8 service;			/* ROX_SVC_* */
	enum ib_qp_type type;
	enum ib_qp_state state;		/* READ_ONCE/WRITE_ONCE */
	bool comm_est;			/* event sent, or not due */
	bool last_event_sent;
	u32 qkey;
	u32 dqpn;
	u32 pmtu;			/* bytes */
	bool av_valid;
	struct rox_av av;		/* RC, UC */

	struct rox_sq sq;
	struct rox_rq rq;

	struct ib_qp_attr attr;		/* for query */
	refcount_t refs;
	struct completion gone;
	struct rcu_head rcu;
};

/* Packets of @pmtu bytes that may leave as one at most. */
static inline u32 rox_burst_most(u32 pmtu)
{
	return min_t(u32, ROX_BURST_BYTES / pmtu, ROX_BURST_PKTS);
}

/* Packets that may leave as one now. Context: BHs disabled. */
u32 rox_qp_burst(const struct rox_qp *qp);

/* The core's object. It looks at that for a while after rox_destroy_qp(). */
struct rox_qp_ib {
	struct ib_qp ib;
	struct mutex mutex;		/* orders modify, query, destroy */
	struct rox_qp *qp;		/* NULL when destroyed */
};

static inline struct rox_qp_ib *to_rox_qp_ib(struct ib_qp *ib)
{
	return container_of(ib, struct rox_qp_ib, ib);
}

static inline struct rox_qp *to_rox_qp(struct ib_qp *ib)
{
	return to_rox_qp_ib(ib)->qp;
}

/* lookup.c: numbers are unique in the module, so a packet finds its QP by number. */
int rox_qp_publish(struct rox_qp *qp);		/* allots qp->qpn */
void rox_qp_end_table(void);			/* the module goes */
void rox_qp_unpublish(struct rox_qp *qp);
struct rox_qp *rox_qp_get(u32 qpn);		/* a reference, or NULL; never QP1 */
struct rox_qp *rox_qp_get_again(u32 qpn, struct rox_qp_memo *memo);
struct rox_qp *rox_qp_get_kicked(u32 qpn);
struct rox_qp *rox_qp_get_gsi(struct rox_device *dev);
void rox_qp_put(struct rox_qp *qp);

/* qp.c, modify.c */
int rox_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata);
int rox_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata);
int rox_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init);
int rox_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

/**
 * rox_qp_error - the data path puts a QP into the error state
 * @event: IB_EVENT_QP_FATAL, _REQ_ERR or _ACCESS_ERR to raise, or 0
 *
 * Both sides flush: the caller's when it goes round again, the other one is
 * run from here. UD and UC send errors go to SQE instead: see rox_qp_sq_error().
 * Context: an owner of a side, BHs disabled.
 */
void rox_qp_error(struct rox_qp *qp, unsigned int event);
void rox_qp_sq_error(struct rox_qp *qp);
void rox_qp_event(struct rox_qp *qp, enum ib_event_type event);

/* post.c: kernel users */
int rox_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad);
int rox_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad);

/* The packet's way. All may be called in process or softirq context, not in
 * hard interrupts or with interrupts disabled (then: rox_send_defer()).
 */

/* post.c: soft interrupts run on the way out of hard ones; we cannot from inside. */
bool rox_may_run_here(void);

/* doorbell.c */
void rox_kick(struct rox_qp *qp);		/* user's kick: send side, and flush of receives */
void rox_send_defer(struct rox_qp *qp);		/* let the worker do it */
void rox_run_by_timer(struct rox_qp *qp, void (*run)(struct rox_qp *qp),
		      void (*defer)(struct rox_qp *qp));
void rox_respond_defer(struct rox_qp *qp);
/* send.c: copy WQEs, plan, send, retire. */
void rox_send_run(struct rox_qp *qp);
bool rox_send_look(struct rox_qp *qp);		/* a poller's */
void rox_send_run_long(struct rox_qp *qp);	/* may sleep */
int rox_sq_init(struct rox_qp *qp);		/* timer, work, inbox; slots */
void rox_sq_stop(struct rox_qp *qp);		/* owner for good: stop timer and work */
void rox_sq_fini(struct rox_qp *qp);		/* after the last reference: purge, free */
void rox_sq_reset(struct rox_qp *qp);		/* owner: to RESET, forget everything */
/* respond.c */
void rox_respond_run(struct rox_qp *qp);
int rox_rq_init(struct rox_qp *qp);
void rox_rq_stop(struct rox_qp *qp);
void rox_rq_fini(struct rox_qp *qp);
void rox_rq_reset(struct rox_qp *qp);
/* recv.c: the sockets' encap_rcv. */
int rox_recv(struct sock *sk, struct sk_buff *skb);
/* complete.c: one response packet; owner of the send side. */
void rox_complete_packet(struct rox_qp *qp, struct sk_buff *skb);

#endif
