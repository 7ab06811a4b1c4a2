/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two protocol engines, a bad network between them, and a model that knows what
 * must come of it. Everything is drawn from one seed, time is virtual.
 *
 *   draw.c	the seed decides: service, sizes, windows, network, faults
 *   load.c	work requests at random; the model carries each out when posted
 *   node.c	the owner of one engine: pumps, ticks, receives, retires
 *   foreign.c	another implementation, to put in the place of one engine
 *   near.c	both are of one host: what one sends is handed to the other, in runs
 *   exec.c	carries out what the responder asks: memory and receive queue
 *   wire.c	real bytes with ICRC through loss, duplication, reordering, delay
 *   judge.c	compares completions, received messages and memory with the model
 *   world.c	the clock, and the run from beginning to end
 */
#ifndef ROX_SIM_H
#define ROX_SIM_H

#include <setjmp.h>
#include <stdnoreturn.h>

#include "proto/requester.h"
#include "proto/responder.h"
#include "random.h"

#define MEM_BYTES	(1u << 20)	/* what the peer may touch by RDMA */
#define POOL_BYTES	(1u << 20)	/* random bytes that messages are cut from */
#define MEM_VA		0x7f00a5a5b000ull
#define MEM_RKEY	0x005eed01u
#define GONE_RKEY	0x005eed02u	/* READs fail when they are answered */
#define NR_SLOTS	64
#define MAX_RECORDS	16

#define US		1000ull
#define MS		(1000 * US)
#define SEC		(1000 * MS)

/* One work request and what must come of it. */
struct op {
	u64 seq;		/* place in its queue, also its wr_id */
	u8 opcode;
	u8 flags;
	u32 length;
	u32 imm;
	u32 rkey;
	u64 va;
	u64 compare_add;
	u64 swap;
	enum rox_wc_status bad;	/* passed to rox_req_accept() */
	bool fail_send;		/* its memory is not accessible when sent */
	bool fail_place;	/* ... when a response is placed */

	const u8 *source;	/* SEND, WRITE: in the pool */
	u8 *sink;		/* READ: what was placed */
	u8 *want;		/* READ: what it must be */
	u32 placed;
	u8 *seen;		/* READ: packets placed */
	u64 want_orig;		/* atomic */
	bool answered;		/* READ, atomic: all was placed */
	bool executed;		/* local operation */
	bool begun;		/* first packet was sent */
};

/* A message that the peer must receive, in this order. */
struct want_recv {
	struct op *op;
	u32 times;		/* UD: seen so often */
};

struct slot {
	struct rox_wr wr;
	struct op *op;
};

static inline struct op *op_of(const struct rox_wr *wr)
{
	return ((const struct slot *)wr)->op;
}

/* Habits of other implementations, for the node that has them. */
#define HABIT_LAZY_REPLIES	BIT(0)	/* ACKs pile up and are coalesced */
#define HABIT_NAK_AFTER_RNR	BIT(1)	/* what follows an RNR NAK is NAKed too */
#define HABIT_NAK_AGAIN		BIT(2)	/* several NAKs for a gap */
#define HABIT_NAK_NEVER		BIT(3)	/* leaves gaps to the time-out */
#define HABIT_ACK_ALL		BIT(4)	/* does not wait for AckReq */
#define HABIT_ACK_TWICE		BIT(5)

struct foreign;

struct node {
	struct world *world;
	struct node *peer;
	struct foreign *foreign;	/* instead of req and resp */
	u32 id;
	u32 qpn;
	u32 habits;
	struct rox_requester req;
	struct rox_responder resp;
	struct rox_resource ring[MAX_RECORDS];
	struct slot slots[NR_SLOTS];
	struct rox_req_config req_cfg;
	struct rox_resp_config resp_cfg;
	u32 nr_records;
	bool unlucky;		/* a finite retry budget may end by chance */
	bool patient;		/* its time-out is longer than any delay */
	u32 quantum;		/* packets, or runs of them, sent at a time */
	u32 run;		/* packets planned at once, at most */
	u64 idle_ns;		/* at most so long until it goes on */

	u8 *mem;
	u8 *model;		/* what mem must be in the end */
	u8 *pool;

	struct op *ops;
	u32 nr_ops;		/* to be posted in all */
	u32 posted;
	u32 completed;
	u32 local_seq;		/* local operations carried out so far */
	u64 read_lo, read_hi;	/* range of READs since the last fence */
	u32 uc_at;		/* UC: WRITEs go round the memory */

	struct want_recv *wants;	/* what the peer must receive */
	u32 nr_wants;
	u32 got;		/* of the peer's wants: all before were seen */
	u32 received;

	u32 recv_posted;
	u32 recv_taken;
	u8 *recv_buf;		/* of the WQE in use */
	bool errored;		/* its requester ended in ERROR */
	enum rox_wc_status first_bad;
	u32 first_bad_seq;
	u32 nr_flushed;
	u32 *ends;		/* last PSN of each message sent */
	u32 nr_ends;
	u32 room_ends;
	u64 rnr_until;
	u32 rnr_una;
	u64 life_at;		/* something was acknowledged, or flight began */
	u64 error_at;

	u64 wake_at;		/* goes on pumping */
	u64 post_at;		/* posts more */
	u64 recv_at;		/* posts receives */
	u64 drain_at;		/* SQD or back */
	u32 drains;
};

struct event {
	u64 at;
	u64 order;
	struct node *to;
	u8 *buf;
	u32 bytes;
};

struct channel {
	u32 loss;		/* of 10000, as the next three */
	u32 dup;
	u32 reorder;
	u32 corrupt;
	u64 delay;
	u64 jitter;		/* keeps order */
	u64 late;		/* reordered packets come so much later */
	u64 byte_ps;		/* picoseconds for a byte */
	u64 blackout_at;	/* all is lost until blackout_end */
	u64 blackout_end;
	u64 dead_at;		/* all is lost from then on */
	u64 busy_until;
	u64 last_at;
};

/* What goes wrong on purpose, at one operation of node 0. */
enum fault {
	FAULT_NONE,
	FAULT_RKEY,		/* wrong remote key */
	FAULT_RANGE,		/* beyond the remote memory */
	FAULT_ACCESS,		/* the remote QP does not allow it */
	FAULT_ALIGN,		/* atomic on an odd address */
	FAULT_LONG_SEND,	/* longer than the receive buffer */
	FAULT_MALFORMED,	/* refused before it was queued */
	FAULT_GATHER,		/* local memory not accessible */
	FAULT_SCATTER,		/* ... for a response */
	FAULT_LOCAL,		/* a local operation fails */
	FAULT_READ_SOURCE,	/* remote memory goes away during a READ */
	FAULT_NO_RECV,		/* no receive is ever posted from then on */
	FAULT_DEAD,		/* the network ends */
	FAULT_NR
};

struct stats {
	u64 seeds;
	u64 ops;
	u64 packets;
	u64 lost;
	u64 retransmits;
	u64 timeouts;
	u64 rnr_naks;
	u64 seq_naks;
	u64 duplicates;
	u64 handed;		/* directly: packets, and what they were handed as */
	u64 runs;
	u64 whole;		/* messages at once */
	u64 faults[FAULT_NR];
};

struct world {
	u64 seed;
	bool verbose;
	struct random rnd;
	u64 now;
	u64 limit;		/* all must be finished by then */
	u8 service;
	bool perfect;		/* the network loses and reorders nothing */
	bool late_recvs;
	bool both_ways;
	u32 near;		/* percent of the occasions to hand over directly */
	enum fault fault;
	u32 fault_seq;
	enum rox_wc_status fault_status;
	u8 denied;		/* ROX_RESP_ALLOW_* that node 1 lacks */
	u32 recv_cap;
	u32 max_pkts;
	struct node nodes[2];
	struct channel channels[2];	/* from node i */
	struct event *heap;
	u32 nr_events;
	u32 room_events;
	u8 *arriving;
	u64 order;
	struct stats stats;
	const char *why;
	jmp_buf failed;
};

/* world.c */
bool world_run(struct world *w, u64 seed, bool verbose);
void world_free(struct world *w);
noreturn void world_fail(struct world *w, const char *why);
void world_trace(struct world *w, const struct node *n, const char *what,
		 const struct rox_pkt *p, const char *more);

#define STRING_OF(x)	#x
#define LINE(x)		STRING_OF(x)
#define CHECK(w, cond)						\
do {								\
	if (!(cond))						\
		world_fail(w, __FILE__ ":" LINE(__LINE__) ": " #cond);	\
} while (0)

static inline u32 below(struct world *w, u32 n)
{
	return random_below(&w->rnd, n);
}

static inline bool chance(struct world *w, u32 percent)
{
	return below(w, 100) < percent;
}

static inline u32 between(struct world *w, u32 lo, u32 hi)
{
	return lo + below(w, hi - lo + 1);
}

static inline u64 within(struct world *w, u64 ns)
{
	return random_u64(&w->rnd) % ns;
}

/* draw.c */
void draw_world(struct world *w);
void draw_describe(const struct world *w);
void draw_bytes(struct world *w, u8 *to, u32 bytes);
const char *fault_name(enum fault fault);

/* load.c */
void load_post(struct node *n);
void load_recvs(struct node *n);

/* node.c */
void node_init(struct node *n);
void node_free(struct node *n);
void node_wake(struct node *n, u64 latest);
bool node_pump_request(struct node *n, bool near);
void node_response(struct node *n, const struct rox_pkt *p, const u8 *payload);
void node_packet(struct node *n, const u8 *buf, u32 bytes);
void node_run(struct node *n);
void node_tick(struct node *n);
void node_drain(struct node *n);
bool node_quiet(struct node *n);

/* near.c */
void near_run(struct node *n);
void near_request(struct node *n, const struct rox_pkt *p, const u8 *payload);
void near_replies(struct node *n);
void near_posted(struct node *n);

/* exec.c */
void exec_request(struct node *n, const struct rox_pkt *p, const u8 *payload);
/* All of a message; false: nothing was done. */
bool exec_whole(struct node *n, const struct rox_pkt *p, const struct rox_resp_op *op,
		const u8 *payload);
bool exec_gather_read(struct node *n, const struct rox_resp_pkt *pkt, const u8 **from);

/* foreign.c */
void foreign_init(struct node *n, u32 rq_psn, u32 sq_psn);
void foreign_free(struct node *n);
void foreign_request(struct node *n, const struct rox_pkt *p, const u8 *payload);
void foreign_response(struct node *n, const struct rox_pkt *p, const u8 *payload);
void foreign_run(struct node *n);
u64 foreign_deadline(const struct node *n);
void foreign_tick(struct node *n);

/* wire.c */
#define FRAME_BYTES	28	/* IPv4 and UDP in front of the BTH */

void wire_send(struct node *from, const struct rox_pkt *hdr, const u8 *payload);
bool wire_check(const u8 *buf, u32 bytes, struct rox_pkt *p, enum rox_drop *why);
u64 wire_next_at(const struct world *w);
void wire_deliver(struct world *w);
void wire_free(struct world *w);

/* judge.c */
void judge_received(struct node *n, const struct rox_pkt *p,
		    const struct rox_resp_op *op);
void judge_response(struct node *n, const struct rox_pkt *p, enum rox_drop why);
void judge_request(struct node *n, const struct rox_req_pkt *pkt);
void judge_completion(struct node *n, const struct rox_wr *wr, struct op *op);
void judge_invariants(struct node *n);
void judge_first_packet(struct node *n, const struct op *op);
void judge_local(struct node *n, const struct op *op);
bool judge_finished(const struct world *w);
void judge_end(struct world *w);

#endif
