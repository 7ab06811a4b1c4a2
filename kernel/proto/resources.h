/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the responder must remember of READs and atomics to answer duplicates
 * (IBA 9.7.5.1.3): a ring of max_dest_rd_atomic records in PSN order.
 */
#ifndef ROX_PROTO_RESOURCES_H
#define ROX_PROTO_RESOURCES_H

#include "psn.h"

struct rox_resource {
	u64 va;			/* READ: source; atomic: target */
	u64 orig;		/* atomic: value before */
	u32 rkey;
	u32 len;		/* READ: bytes */
	u32 first_psn;
	u32 nr_psn;
	u32 msn;
	u32 sent;		/* READ: packets already sent */
	u32 from;		/* READ: the packet that the answer begins with */
	bool atomic;
	bool pending;		/* its reply is still to be sent */
	bool answered;		/* the reply was sent to its end */
};

struct rox_resources {
	struct rox_resource *ring;	/* nr records, the caller's memory */
	u32 nr;
	u32 head;			/* next record to use, below nr */
	u32 count;			/* valid records, at most nr */
	u32 recent;			/* only the so many youngest can be pending */
};

/* @ring: @nr records, kept by the caller. */
void rox_resources_init(struct rox_resources *rs, struct rox_resource *ring, u32 nr);

/*
 * A fresh record; the oldest one is forgotten if all are used. NULL if nr is 0.
 * Check rox_resources_full() first: it is the peer's fault then.
 */
struct rox_resource *rox_resources_add(struct rox_resources *rs);

/* No record can be forgotten: even the oldest was never answered. */
bool rox_resources_full(const struct rox_resources *rs);

/* The record whose PSN range holds @psn, or NULL. */
struct rox_resource *rox_resources_find(struct rox_resources *rs, u32 psn);

/* Its reply is to be sent, an atomic's perhaps again. */
void rox_resources_pend(struct rox_resources *rs, struct rox_resource *res);

/* The oldest record with a reply to send, or NULL. */
struct rox_resource *rox_resources_pending(struct rox_resources *rs);

/* Forget all replies to send. */
void rox_resources_cancel(struct rox_resources *rs);

#endif
