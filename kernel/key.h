/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory keys. The upper 24 bits are the region's place in the device's table,
 * drawn at random for each region; so are the lower 8, which a kernel user
 * varies with each use of a region. The table is sparse, which is the price of
 * keys that cannot be guessed from one another.
 */
#ifndef ROX_KEY_H
#define ROX_KEY_H

#include <linux/types.h>

struct rox_device;
struct rox_mr;

/* Regions that a CPU found lately, by their places. */
#define ROX_KEY_MEMOS		16

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

/*
 * RCU read side, bottom halves disabled. The published region at the place of @key,
 * whatever its variant.
 */
struct rox_mr *rox_key_find(struct rox_device *dev, u32 key);

#endif
