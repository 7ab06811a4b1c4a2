/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User side of a send or receive queue's shared ring: the program produces,
 * the kernel consumes. Letters are those of the ordering table at the head of
 * <rdma/rox-abi.h>.
 *
 * The caller holds the queue's lock for everything here except rox_ring_kick(),
 * which reads only what the kernel writes, and rox_ring_free(), for which it holds
 * the completion queue's.
 */
#ifndef ROX_RING_H
#define ROX_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/rox-abi.h>

/* A test replaces it to show that the handshakes need it. */
#ifndef rox_full_fence
#define rox_full_fence() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#endif

struct rox_ring {
	struct rox_ring_hdr *hdr;
	uint8_t *data;
	uint32_t entries;
	uint32_t stride;
	/* Next index to hand out; ahead of hdr->prod by what is not submitted. */
	uint32_t prod;
	/* free_to as last read; never ahead of it. */
	uint32_t free_seen;
	/* One thread may be polling while another posts. */
	uint8_t pad[64];
	/* Slots before it are free: completions say so, see freed.h. Atomic. */
	uint32_t free_to;
};

/*
 * rox_ring_geometry_ok - could a mapping of @len bytes hold this queue?
 *
 * The kernel is trusted; this catches a provider and a module that disagree.
 */
static inline bool rox_ring_geometry_ok(uint32_t entries, uint32_t stride,
					size_t len)
{
	return entries && !(entries & (entries - 1)) && stride % 8 == 0 &&
	       (uint64_t)entries * stride + ROX_RING_DATA <= len;
}

static inline void rox_ring_init(struct rox_ring *ring, void *map,
				 uint32_t entries, uint32_t stride)
{
	ring->hdr = map;
	ring->data = (uint8_t *)map + ROX_RING_DATA;
	ring->entries = entries;
	ring->stride = stride;
	ring->prod = __atomic_load_n(&ring->hdr->prod, __ATOMIC_RELAXED);
	ring->free_seen = __atomic_load_n(&ring->hdr->cons, __ATOMIC_ACQUIRE);
	ring->free_to = ring->free_seen;
}

/*
 * rox_ring_reserve - the next free slot, or NULL when the queue is full
 *
 * What pollers write is read only when the last known value says "full", so who
 * posts and who polls share no cache line as long as the queue does not fill.
 */
static inline void *rox_ring_reserve(struct rox_ring *ring)
{
	if (ring->prod - ring->free_seen >= ring->entries) {
		/* (E) came before the completions that moved it were written (F). */
		ring->free_seen = __atomic_load_n(&ring->free_to,
						  __ATOMIC_ACQUIRE);
		if (ring->prod - ring->free_seen >= ring->entries)
			return NULL;
	}
	return ring->data +
	       (size_t)(ring->prod++ & (ring->entries - 1)) * ring->stride;
}

/* rox_ring_cancel - give back the slots reserved since index @prod */
static inline void rox_ring_cancel(struct rox_ring *ring, uint32_t prod)
{
	ring->prod = prod;
}

/*
 * rox_ring_free - a completion was polled: the slots before @index are free
 *
 * It has been given back to the kernel, so there is room for those of the requests that
 * are posted now.
 */
static inline void rox_ring_free(struct rox_ring *ring, uint32_t index)
{
	__atomic_store_n(&ring->free_to, index, __ATOMIC_RELEASE);
}

/* rox_ring_forget - after a reset, when no completion is left: all slots are free */
static inline void rox_ring_forget(struct rox_ring *ring)
{
	if (ring->hdr)
		rox_ring_free(ring, __atomic_load_n(&ring->hdr->cons,
						    __ATOMIC_ACQUIRE));
}

/* rox_ring_submit - publish every reserved slot */
static inline void rox_ring_submit(struct rox_ring *ring)
{
	/* (A) the entries are visible before their index. */
	__atomic_store_n(&ring->hdr->prod, ring->prod, __ATOMIC_RELEASE);
}

enum rox_ring_kick {
	ROX_KICK_NONE,
	ROX_KICK_LATE,	/* not yet, but before the program waits for completions */
	ROX_KICK_NOW,
};

/*
 * rox_ring_kick - after a submit: must the kernel be told?
 *
 * Needs no lock. If two threads submit, each asks for itself.
 */
static inline enum rox_ring_kick rox_ring_kick(const struct rox_ring *ring)
{
	const struct rox_ring_hdr *hdr = ring->hdr;
	uint32_t flags, ahead;

	/* (C) pairs with (C'): we see NEED_KICK or the kernel sees prod. */
	rox_full_fence();
	flags = __atomic_load_n(&hdr->flags, __ATOMIC_RELAXED);
	if (!(flags & ROX_RING_NEED_KICK))
		return ROX_KICK_NONE;
	if (!(flags & ROX_RING_KICK_LATE))
		return ROX_KICK_NOW;
	/* What all threads have submitted, not just this one. */
	ahead = __atomic_load_n(&hdr->prod, __ATOMIC_RELAXED) -
		__atomic_load_n(&hdr->kick_at, __ATOMIC_RELAXED);
	return ahead < 1U << 31 ? ROX_KICK_NOW : ROX_KICK_LATE;
}

#endif
