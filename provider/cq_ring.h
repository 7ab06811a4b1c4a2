/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User side of a completion queue's shared ring: the kernel produces, the
 * program consumes. Letters are those of the ordering table at the head of
 * <rdma/rox-abi.h>.
 *
 * The caller holds the queue's lock, except for rox_cq_ring_is_empty() and
 * rox_cq_ring_arm().
 */
#ifndef ROX_CQ_RING_H
#define ROX_CQ_RING_H

#include <string.h>

#include "ring.h"

struct rox_cq_ring {
	struct rox_ring_hdr *hdr;
	struct rox_cqe *cqes;
	uint32_t mask;
	/* Next index to read. Atomic, for readers without the lock. */
	uint32_t cons;
};

static inline void rox_cq_ring_init(struct rox_cq_ring *ring, void *map,
				    uint32_t entries)
{
	ring->hdr = map;
	ring->cqes = (struct rox_cqe *)((uint8_t *)map + ROX_RING_DATA);
	ring->mask = entries - 1;
	ring->cons = __atomic_load_n(&ring->hdr->cons, __ATOMIC_RELAXED);
}

static inline struct rox_cqe *rox_cq_ring_slot(const struct rox_cq_ring *ring,
					       uint32_t index)
{
	return &ring->cqes[index & ring->mask];
}

static inline bool rox_cq_ring_valid(const struct rox_cq_ring *ring,
				     uint32_t index)
{
	/* (G) the rest of the entry is visible once its number is. */
	return __atomic_load_n(&rox_cq_ring_slot(ring, index)->seq,
			       __ATOMIC_ACQUIRE) == index + 1;
}

/*
 * rox_cq_ring_is_empty - for a poller about to take the lock in vain
 *
 * A stale index can only make a queue look empty that another thread is
 * polling at this moment. After rox_cq_ring_arm() it cannot be stale: whatever
 * the kernel wrote before it missed the arm word, it wrote after reading a cons
 * at least that new.
 */
static inline bool rox_cq_ring_is_empty(const struct rox_cq_ring *ring)
{
	return !rox_cq_ring_valid(ring, __atomic_load_n(&ring->cons,
							__ATOMIC_RELAXED));
}

/* rox_cq_ring_peek - the oldest completion, or NULL */
static inline const struct rox_cqe *
rox_cq_ring_peek(const struct rox_cq_ring *ring)
{
	return rox_cq_ring_valid(ring, ring->cons) ?
	       rox_cq_ring_slot(ring, ring->cons) : NULL;
}

/* rox_cq_ring_advance - step over the completion just peeked at */
static inline void rox_cq_ring_advance(struct rox_cq_ring *ring)
{
	__atomic_store_n(&ring->cons, ring->cons + 1, __ATOMIC_RELAXED);
}

/* rox_cq_ring_release - let the kernel reuse all entries stepped over */
static inline void rox_cq_ring_release(struct rox_cq_ring *ring)
{
	/* (I) our reads are over before the kernel may overwrite. */
	__atomic_store_n(&ring->hdr->cons, ring->cons, __ATOMIC_RELEASE);
}

/* rox_cq_ring_help - what the kernel asks for, or 0 */
static inline uint32_t rox_cq_ring_help(const struct rox_cq_ring *ring)
{
	return __atomic_load_n(&ring->hdr->help, __ATOMIC_RELAXED);
}

/* rox_cq_ring_take_help - the same, and nobody else of this program does it */
static inline uint32_t rox_cq_ring_take_help(struct rox_cq_ring *ring)
{
	return __atomic_exchange_n(&ring->hdr->help, 0, __ATOMIC_RELAXED);
}

/*
 * rox_cq_ring_arm - ask for an event; the caller polls once more (J')
 *
 * A request for any completion is not weakened by a later one for solicited
 * completions only. If the kernel fires between our look and our leaving, the
 * program gets an event, which is what it asked for.
 */
static inline void rox_cq_ring_arm(struct rox_cq_ring *ring, uint32_t mode)
{
	uint32_t *arm = &ring->hdr->flags;

	if (__atomic_load_n(arm, __ATOMIC_RELAXED) < mode)
		__atomic_store_n(arm, mode, __ATOMIC_RELAXED);
	/* (H') pairs with (H): the kernel sees arm or we see its entry. */
	rox_full_fence();
}

/* Everything but seq, which belongs to the slot and not to the completion. */
static inline void rox_cq_ring_move(const struct rox_cq_ring *ring,
				    uint32_t to, uint32_t from)
{
	memcpy(rox_cq_ring_slot(ring, to), rox_cq_ring_slot(ring, from),
	       offsetof(struct rox_cqe, seq));
}

/*
 * rox_cq_ring_purge - drop the completions of a queue pair that is no more
 *
 * The kernel writes no further completion of @qp_num. Those it still may write
 * for others go behind the last valid entry, and it never reads what it wrote,
 * so the entries in between are ours: the kept ones slide towards the newest
 * and cons moves up to the first of them.
 *
 * Returns how many were dropped.
 */
static inline uint32_t rox_cq_ring_purge(struct rox_cq_ring *ring,
					 uint32_t qp_num)
{
	uint32_t first = ring->cons, end = first, keep, i;

	while (end - first <= ring->mask && rox_cq_ring_valid(ring, end))
		end++;
	for (i = keep = end; i-- != first;) {
		if (rox_cq_ring_slot(ring, i)->qp_num == qp_num)
			continue;
		if (--keep != i)
			rox_cq_ring_move(ring, keep, i);
	}
	if (keep != first) {
		__atomic_store_n(&ring->cons, keep, __ATOMIC_RELAXED);
		rox_cq_ring_release(ring);
	}
	return keep - first;
}

#endif
