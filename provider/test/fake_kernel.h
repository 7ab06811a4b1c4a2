/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The kernel's side of the shared rings, in plain memory. Letters as in
 * <rdma/rox-abi.h>. Like the kernel it keeps its own indices.
 */
#ifndef ROX_TEST_FAKE_KERNEL_H
#define ROX_TEST_FAKE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rox-abi.h>

/* A send or receive queue. */
struct fake_wq {
	struct rox_ring_hdr *hdr;
	uint32_t entries;
	uint32_t stride;
	uint32_t cons;
};

/* A completion queue. */
struct fake_cq {
	struct rox_ring_hdr *hdr;
	uint32_t entries;
	uint32_t prod;
	uint32_t events;
};

static inline void *fake_slot(struct rox_ring_hdr *hdr, uint32_t slot,
			      uint32_t stride)
{
	return (uint8_t *)hdr + ROX_RING_DATA + (size_t)slot * stride;
}

static inline size_t fake_len(uint32_t entries, uint32_t stride)
{
	return ROX_RING_DATA + (size_t)entries * stride;
}

/* Indices start at @start, to see them wrap early. */
static inline void fake_wq_init(struct fake_wq *wq, void *map,
				uint32_t entries, uint32_t stride,
				uint32_t start)
{
	*wq = (struct fake_wq){ map, entries, stride, start };
	wq->hdr->prod = wq->hdr->cons = start;
}

/* Copies the next entry out, if there is one. Returns its slot. */
static inline void *fake_wq_take(struct fake_wq *wq, void *copy)
{
	void *slot = fake_slot(wq->hdr, wq->cons & (wq->entries - 1), wq->stride);

	if (__atomic_load_n(&wq->hdr->prod, __ATOMIC_ACQUIRE) == wq->cons)
		return NULL; /* (B) */
	memcpy(copy, slot, wq->stride);
	wq->cons++;
	return slot;
}

static inline void fake_wq_retire(struct fake_wq *wq)
{
	__atomic_store_n(&wq->hdr->cons, wq->cons, __ATOMIC_RELEASE); /* (E) */
}

/* Returns whether it may sleep until it is kicked. */
static inline bool fake_wq_idle(struct fake_wq *wq)
{
	__atomic_fetch_or(&wq->hdr->flags, ROX_RING_NEED_KICK, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* (C') */
	return __atomic_load_n(&wq->hdr->prod, __ATOMIC_RELAXED) == wq->cons;
}

static inline void fake_wq_awake(struct fake_wq *wq)
{
	__atomic_fetch_and(&wq->hdr->flags, ~ROX_RING_NEED_KICK,
			   __ATOMIC_RELAXED);
}

static inline void fake_cq_init(struct fake_cq *cq, void *map,
				uint32_t entries, uint32_t start)
{
	*cq = (struct fake_cq){ map, entries, start, 0 };
	cq->hdr->prod = cq->hdr->cons = start;
}

static inline bool fake_cq_full(const struct fake_cq *cq)
{
	return cq->prod - __atomic_load_n(&cq->hdr->cons, __ATOMIC_ACQUIRE) >=
	       cq->entries;
}

/* Returns whether an event fires. The caller has made sure it is not full. */
static inline bool fake_cq_put(struct fake_cq *cq, const struct rox_cqe *cqe,
			       bool solicited)
{
	struct rox_cqe *slot = fake_slot(cq->hdr, cq->prod & (cq->entries - 1),
					 sizeof(*slot));
	uint32_t arm;

	memcpy(slot, cqe, offsetof(struct rox_cqe, seq));
	__atomic_store_n(&slot->seq, ++cq->prod, __ATOMIC_RELEASE); /* (F) */
	__atomic_thread_fence(__ATOMIC_SEQ_CST); /* (H) */
	arm = __atomic_load_n(&cq->hdr->flags, __ATOMIC_RELAXED); /* (J) */
	if (arm == ROX_CQ_DISARMED ||
	    (arm == ROX_CQ_ARM_SOLICITED && !solicited))
		return false;
	__atomic_store_n(&cq->hdr->flags, ROX_CQ_DISARMED, __ATOMIC_RELAXED);
	cq->events++;
	return true;
}

#endif
