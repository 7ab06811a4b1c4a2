/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The responder machine of RC, UC and UD: from request packets to placements,
 * receive completions and replies (IBA 9.7, 9.8).
 *
 * Pure like the requester. Whoever owns the receive side of the QP drives it:
 *
 *   rox_resp_rx()  says what the packet asks for
 *     EXEC: check keys and receive WQE, place, then one of
 *           rox_resp_commit()  done
 *           rox_resp_rnr()     no receive WQE (RC; UC and UD drop)
 *           rox_resp_refuse()  access or length error; the QP goes to error
 *   rox_resp_next() plans replies until it returns false; send, rox_resp_sent()
 *
 * UC and UD: a message that is dropped in the middle leaves its receive WQE held
 * for the next one that needs one (op->needs_recv stays false).
 *
 * Replies leave in PSN order: an ACK waits behind a READ response that precedes
 * it. Pumping may stop at any packet and go on later.
 */
#ifndef ROX_PROTO_RESPONDER_H
#define ROX_PROTO_RESPONDER_H

#include "aeth.h"
#include "pkt.h"
#include "psn.h"
#include "resources.h"
#include "status.h"

/* What the QP lets its peer do. */
#define ROX_RESP_ALLOW_WRITE	BIT(0)
#define ROX_RESP_ALLOW_READ	BIT(1)
#define ROX_RESP_ALLOW_ATOMIC	BIT(2)

/* UC: packets that one may be overtaken by. */
#define ROX_UC_LATE		1024

struct rox_resp_config {
	u8 service;		/* ROX_SVC_* */
	u8 allow;		/* ROX_RESP_ALLOW_* */
	u8 min_rnr_timer;	/* code sent in RNR NAKs */
	u16 pkey;
	bool migreq;
	u32 pmtu;		/* bytes */
	u32 dqpn;		/* the peer's, replies go there */
	u32 max_msg;		/* bytes */
};

struct rox_resp_counts {
	u32 duplicates;
	u32 out_of_order;
	u32 rnr_naks;
	u32 naks;
};

/* A part of a READ that was asked for again. */
struct rox_replay {
	u64 va;
	u32 rkey;
	u32 len;
	u32 psn;		/* of its first packet */
	u32 nr_psn;
	u32 msn;
	u32 sent;		/* packets already sent */
	u32 from;		/* 0; as in struct rox_resource */
};

#define ROX_RESP_REPLAYS	8	/* more at a time are dropped */

struct rox_responder {
	struct rox_resp_config cfg;
	struct rox_resp_counts counts;
	struct rox_resources res;
	u32 run;		/* as in struct rox_requester, for READ responses */
	bool running;		/* RTR or later */
	bool dead;		/* a fatal NAK was queued: nothing more is accepted */

	/* Private state of responder.c. */
	u32 epsn;		/* expected */
	u32 msn;
	u32 ack_psn;		/* of the ACK owed, valid with ack_due */
	u32 ack_msn;
	u32 nak_psn;		/* of the NAK owed, valid with nak_due */
	u32 nak_msn;
	bool ack_due;
	bool nak_due;
	bool nak_sent;		/* one PSN or RNR NAK for each gap */
	u8 nak_syndrome;
	bool in_msg;		/* between FIRST and LAST */
	bool skipping;		/* UC: until the next FIRST or ONLY */
	bool recv_held;		/* a receive WQE belongs to the current message */
	u16 msg_kind;		/* ROX_OPF_SEND or ROX_OPF_WRITE */
	u32 msg_bytes;		/* placed so far */
	u64 msg_va;
	u32 msg_rkey;
	u32 msg_len;		/* from the RETH */
	u32 nr_replays;
	struct rox_replay replays[ROX_RESP_REPLAYS];	/* the first is under way */
};

enum rox_resp_kind {
	ROX_RESP_SEND,
	ROX_RESP_WRITE,
	ROX_RESP_READ,
	ROX_RESP_ATOMIC,
};

/* What a request packet asks for. */
struct rox_resp_op {
	enum rox_resp_kind kind;
	enum rox_drop drop;	/* with ROX_RESP_DROP */
	bool first;
	bool last;
	bool needs_recv;	/* take a receive WQE now; without it, go on with the held */
	bool completes;		/* commit ends with a receive completion */
	u32 offset;		/* SEND: of this payload in the receive WQE */
	u32 msg_bytes;		/* with this packet; whole message if last */
	u32 rkey;
	u64 va;			/* WRITE, ATOMIC: where; READ: source */
	u32 len;		/* WRITE: this payload; READ: whole range; ATOMIC: 8 */
	u64 range_va;		/* first of a WRITE: all of it, to be checked at once */
	u32 range_len;
};

enum rox_resp_verdict {
	ROX_RESP_DROP,		/* op->drop says why; replies may be due */
	ROX_RESP_DONE,		/* duplicate or NAK: replies may be due */
	ROX_RESP_EXEC,		/* carry out op */
	ROX_RESP_FATAL,		/* NAK queued; send it, then the QP goes to error */
};

/* A planned reply. */
struct rox_resp_pkt {
	struct rox_pkt hdr;	/* complete: ready for rox_build() */
	bool read;		/* hdr.payload_bytes come from va under rkey */
	u32 rkey;
	u64 va;
	u8 what;		/* private */
	struct rox_resource *res;	/* private */
};

/* Back to RESET. @ring: @nr records (max_dest_rd_atomic), kept by the caller. */
void rox_resp_init(struct rox_responder *r, struct rox_resource *ring, u32 nr);

/* INIT to RTR. @psn: rq_psn, the first expected. UD ignores it. */
void rox_resp_start(struct rox_responder *r, const struct rox_resp_config *cfg, u32 psn);

/* Change allow and min_rnr_timer. */
void rox_resp_reconfigure(struct rox_responder *r, const struct rox_resp_config *cfg);

/**
 * rox_resp_rx - look at a request packet
 * @p:  parsed; QP, ICRC, source and (UD) Q_Key checked
 * @op: what to do
 */
enum rox_resp_verdict rox_resp_rx(struct rox_responder *r, const struct rox_pkt *p,
				  struct rox_resp_op *op);

/**
 * rox_resp_whole - look at a message that a requester of the same host hands over
 * @p:  SEND or WRITE, FIRST and LAST in one, of p->run packets as its path MTU has it
 * @op: what to do; after it rox_resp_commit()
 *
 * Changes nothing, so that the message may go in packets instead.
 *
 * Return: false if it has to.
 */
bool rox_resp_whole(const struct rox_responder *r, const struct rox_pkt *p,
		    struct rox_resp_op *op);

/**
 * rox_resp_commit - the operation was carried out
 * @orig: ATOMIC: the value before, host order; else ignored
 */
void rox_resp_commit(struct rox_responder *r, const struct rox_pkt *p,
		     const struct rox_resp_op *op, u64 orig);

/* No receive WQE: RC owes an RNR NAK, UC skips the message, UD drops. */
void rox_resp_rnr(struct rox_responder *r, const struct rox_pkt *p);

/**
 * rox_resp_refuse - the operation may not be carried out
 * @syndrome: ROX_AETH_NAK_REM_ACC, _INV_REQ or _REM_OP
 *
 * RC: the NAK is queued and the responder is dead. UC: the message is skipped.
 * A receive WQE that was taken for the message is the caller's to complete.
 */
void rox_resp_refuse(struct rox_responder *r, const struct rox_pkt *p, u8 syndrome);

/* Plan the next reply; false if none is due. Changes nothing until sent. */
bool rox_resp_next(struct rox_responder *r, struct rox_resp_pkt *pkt);

/* The reply last planned was handed to the network (or lost there). */
void rox_resp_sent(struct rox_responder *r, const struct rox_resp_pkt *pkt);

/*
 * The source of a READ reply is no longer accessible: NAK instead, dead. A
 * repetition, which may be an old one, is forgotten silently.
 */
void rox_resp_read_fail(struct rox_responder *r, const struct rox_resp_pkt *pkt);

#endif
