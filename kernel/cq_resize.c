// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A completion queue gets another ring while completions arrive.
 *
 * Indices go on from where they are, so an entry is valid in the new ring under
 * the same number. What the consumer has not taken is copied: most of it with no
 * lock held, as nobody overwrites it, and the rest, which came meanwhile, under the
 * producers' lock, together with the exchange.
 */
#include <linux/sched.h>

#include "cq.h"
#include "device.h"

/* Copied with the lock held: a microsecond or two. */
#define COPY_LOCKED	64
/* As often may more than that arrive while the rest is copied. */
#define PASSES		64

static bool begin(struct rox_cq *cq)
{
	unsigned long flags;
	bool busy;

	spin_lock_irqsave(&cq->lock, flags);
	busy = cq->resizing;
	cq->resizing = true;
	spin_unlock_irqrestore(&cq->lock, flags);
	return !busy;
}

static void end(struct rox_cq *cq)
{
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	cq->resizing = false;
	spin_unlock_irqrestore(&cq->lock, flags);
}

/* What the consumer takes next; a program may lie about that. */
static u32 oldest(const struct rox_cq *cq)
{
	return cq->user ? smp_load_acquire(&cq->ring.hdr->cons) : cq->cons; /* of (I) */
}

static void copy_cqe(struct rox_ring *to, const struct rox_ring *from, u32 index)
{
	struct rox_cqe *cqe = rox_ring_slot(to, index);

	memcpy(cqe, rox_ring_slot(from, index), sizeof(*cqe));
	cqe->seq = index + 1;
}

/*
 * No entry of a fresh ring looks valid: its numbers are 0, which is right for the
 * very last index only.
 */
static void number_last(struct rox_ring *ring, u32 cons)
{
	struct rox_cqe *cqe = rox_ring_slot(ring, U32_MAX);

	cqe->seq = cons + ((U32_MAX - cons) & (ring->entries - 1));
}

/* With the lock held, all older than @at copied. Then *@ring is the old one. */
static int exchange(struct rox_cq *cq, struct rox_ring *ring, u32 at)
{
	u32 pos = cq->ring.pos, cons = oldest(cq);

	if (pos - cons > cq->ring.entries || pos - cons > ring->entries)
		return -EINVAL;
	for (; at != pos; at++)
		copy_cqe(ring, &cq->ring, at);
	ring->pos = pos;
	WRITE_ONCE(ring->hdr->cons, cons);
	/* Armed from now on in the old one: rox_cq_resize() of the provider sees it. */
	WRITE_ONCE(ring->hdr->flags, xchg(&cq->ring.hdr->flags, ROX_CQ_DISARMED));
	WRITE_ONCE(ring->hdr->help, cq->help.asked);
	swap(cq->ring, *ring);
	cq->ib.cqe = cq->ring.entries;
	return 0;
}

/* Stops at @pos, which is at most the size of the old ring ahead. */
static void copy_unlocked(struct rox_cq *cq, struct rox_ring *ring, u32 at, u32 pos)
{
	for (; at != pos; at++) {
		copy_cqe(ring, &cq->ring, at);
		if (!(at % COPY_LOCKED))
			cond_resched();
	}
}

static int move(struct rox_cq *cq, struct rox_ring *ring)
{
	unsigned long flags;
	u32 at, pos;
	int i, err;

	spin_lock_irqsave(&cq->lock, flags);
	at = oldest(cq);
	err = cq->ring.pos - at > cq->ring.entries ? -EINVAL : -EBUSY;
	number_last(ring, at);
	for (i = 0; err == -EBUSY && i < PASSES; i++) {
		pos = cq->ring.pos;
		if (pos - at <= COPY_LOCKED) {
			err = exchange(cq, ring, at);
			break;
		}
		spin_unlock_irqrestore(&cq->lock, flags);
		copy_unlocked(cq, ring, at, pos);
		at = pos;
		spin_lock_irqsave(&cq->lock, flags);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return err;
}

static int replace_ring(struct rox_cq *cq, u32 entries, struct ib_udata *udata)
{
	struct rox_ring ring = {};
	int err;

	err = rox_cq_make_ring(&ring, cq->user, entries, udata);
	if (err)
		return err;
	err = move(cq, &ring);
	rox_ring_destroy(&ring);
	return err;
}

/**
 * rox_cq_resize - what the resize_cq verb is made of
 * @ibcq:  the queue; kept by the core for that time
 * @cqe:   how many entries it is to have at least
 * @udata: NULL for kernel users
 *
 * What was not polled stays, in its order, and so does what was armed. A program
 * finds its new ring by the answer; the old one goes out of use before the call is
 * back. Follows ibv_resize_cq(3), IBA 11.2.8.3.
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL (limits, or more completions than that are waiting); -EBUSY
 * (another call is at it, or completions came faster than they could be copied);
 * -ENOMEM; -EFAULT.
 */
int rox_cq_resize(struct ib_cq *ibcq, unsigned int cqe, struct ib_udata *udata)
{
	struct rox_cq *cq = to_rox_cq(ibcq);
	int err;

	if (cqe < 1 || cqe > ROX_MAX_CQE)
		return -EINVAL;
	if (!begin(cq))
		return -EBUSY;
	err = replace_ring(cq, cqe, udata);
	end(cq);
	return err;
}
