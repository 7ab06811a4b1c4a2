/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Kernel side of a ring of rox-abi.h. The memory is pages charged to the
 * creator's memory cgroup and addressable in the kernel; a user mapping holds its
 * own page references, so it outlives the ring as harmless memory. Indices in
 * struct rox_ring are the kernel's own; the shared ones are only ever stored,
 * or loaded once and clamped.
 */
#ifndef ROX_RING_H
#define ROX_RING_H

#include <linux/log2.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>

struct rox_pages;
struct rox_ucontext;

struct rox_ring {
	struct rox_ring_hdr *hdr;	/* kernel mapping; NULL: no ring */
	void *data;
	u32 entries;			/* a power of two */
	u32 stride;			/* bytes */
	u32 pos;			/* our index: consumed (SQ, RQ) or produced (CQ) */
	struct rox_pages *pages;
	struct rox_mmap *map;		/* user mapping cookie, or NULL */
};

/* mmap.c */
int rox_ring_create(struct rox_ring *ring, struct rox_ucontext *uctx,
		    u32 entries, u32 stride);
void rox_ring_destroy(struct rox_ring *ring);
/* What the response structs tell the user. */
u64 rox_ring_mmap_offset(const struct rox_ring *ring);
u32 rox_ring_mmap_bytes(const struct rox_ring *ring);

static inline void *rox_ring_slot(const struct rox_ring *ring, u32 index)
{
	return ring->data + (size_t)(index & (ring->entries - 1)) * ring->stride;
}

/* The four verbs. As consumer (SQ, RQ): */

/* (B) Entries published and not yet taken from @pos; hostile values clamp to 0. */
static inline u32 rox_ring_peek(const struct rox_ring *ring, u32 pos)
{
	u32 n = smp_load_acquire(&ring->hdr->prod) - pos;	/* (B), of (A) */

	return n <= ring->entries ? n : 0;
}

/* (E) Give slots back to the producer. */
static inline void rox_ring_release(struct rox_ring *ring, u32 pos)
{
	smp_store_release(&ring->hdr->cons, pos);	/* (E), for reserve */
}

/* (C') Ask for a kick, or say that none is needed; then look again. */
static inline void rox_ring_need_kick(struct rox_ring *ring, bool need)
{
	WRITE_ONCE(ring->hdr->flags, need ? ROX_RING_NEED_KICK : 0);
	smp_mb();	/* (C'), of (C) */
}

/* Likewise, when the entry before @index has been published. Who asks looks in time. */
static inline void rox_ring_kick_at(struct rox_ring *ring, u32 index)
{
	WRITE_ONCE(ring->hdr->kick_at, index);
	WRITE_ONCE(ring->hdr->flags, ROX_RING_NEED_KICK | ROX_RING_KICK_LATE);
	smp_mb();	/* (C'), of (C) */
}

/* As producer (CQ, and kernel users' SQ and RQ): */

/* Slots free for an entry at @pos; a hostile cons clamps to 0. */
static inline u32 rox_ring_reserve(const struct rox_ring *ring, u32 pos)
{
	u32 used = pos - smp_load_acquire(&ring->hdr->cons);	/* of (I) or (E) */

	return used <= ring->entries ? ring->entries - used : 0;
}

/* (A) Publish all entries before @pos. */
static inline void rox_ring_submit(struct rox_ring *ring, u32 pos)
{
	smp_store_release(&ring->hdr->prod, pos);	/* (A), for (B) */
}

#endif
