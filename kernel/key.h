/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory keys. The upper 24 bits are the region's place in the device's table,
 * drawn at random for each region; so are the lower 8, which a kernel user
 * varies with each use of a region. The table is sparse, which is the price of
 * keys that cannot be guessed from one another.
 */
#ifndef ROX_KEY_H
#define ROX_KEY_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "device.h"

struct rox_mr;

/* Regions that a CPU found lately, by their places: two rarely want the same room. */
#define ROX_KEY_MEMOS		64

struct rox_key_memos {
	struct rox_key_memo {
		u64 generation;		/* the table's, when it was found */
		u32 place;
		struct rox_mr *mr;
	} at[ROX_KEY_MEMOS];
};

#define ROX_KEY_VARIANT_BITS	8
#define ROX_KEY_VARIANT_MASK	0xff

int rox_key_alloc(struct rox_device *dev, struct rox_mr *mr);
void rox_key_publish(struct rox_mr *mr);
void rox_key_hide(struct rox_mr *mr);
void rox_key_free(struct rox_mr *mr);

struct rox_mr *rox_key_find_in_table(struct rox_device *dev, u32 place, u64 generation);

static inline struct rox_key_memo *rox_key_memo(struct rox_device *dev, u32 place)
{
	return &this_cpu_ptr(dev->memos)->at[place % ROX_KEY_MEMOS];
}

/**
 * rox_key_find - the region at the place of a key
 * @dev: whose table
 * @key: from anywhere
 *
 * The table is deep where it is sparse: going through it was a seventh of a short
 * message. So each CPU remembers some regions.
 *
 * Context: bottom halves disabled, which is an RCU read side. Return: a published
 * region, which may have another variant of the key, or NULL.
 */
static inline struct rox_mr *rox_key_find(struct rox_device *dev, u32 key)
{
	u32 place = key >> ROX_KEY_VARIANT_BITS;
	u64 generation = atomic64_read_acquire(&dev->mrs_generation);
	struct rox_key_memo *memo;

	RCU_LOCKDEP_WARN(!rcu_read_lock_bh_held(), "region looked up, may be freed");
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return rox_key_find_in_table(dev, place, generation);
	memo = rox_key_memo(dev, place);
	if (memo->place == place && memo->generation == generation)
		return memo->mr;
	return rox_key_find_in_table(dev, place, generation);
}

#endif
