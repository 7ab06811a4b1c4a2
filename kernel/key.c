// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory keys: from a place in the table to a key and back. */
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/xarray.h>

#include "device.h"
#include "key.h"
#include "mr.h"

#define INDEX_BITS	24
#define HALF_BITS	(INDEX_BITS / 2)
#define HALF_MASK	((1u << HALF_BITS) - 1)
#define INDEX_MAX	((1u << INDEX_BITS) - 1)

/* An even number, so that the halves come out as they went in. */
#define ROUNDS		6

/* Any function does for a Feistel network; this one mixes well and is short. */
static u32 round_value(const struct rox_device *dev, u32 half, int round)
{
	u32 x = half ^ dev->key_secret[round % ARRAY_SIZE(dev->key_secret)];

	x += round;
	x *= 0x9e3779b1;
	x ^= x >> 15;
	x *= 0x85ebca6b;
	return (x >> 13) & HALF_MASK;
}

static u32 index_to_place(const struct rox_device *dev, u32 index)
{
	u32 left = index >> HALF_BITS;
	u32 right = index & HALF_MASK;
	u32 next;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		next = left ^ round_value(dev, right, i);
		left = right;
		right = next;
	}
	return left << HALF_BITS | right;
}

static u32 place_to_index(const struct rox_device *dev, u32 place)
{
	u32 left = place >> HALF_BITS;
	u32 right = place & HALF_MASK;
	u32 next;
	int i;

	for (i = ROUNDS - 1; i >= 0; i--) {
		next = right ^ round_value(dev, left, i);
		right = left;
		left = next;
	}
	return left << HALF_BITS | right;
}

static int alloc_index(struct rox_device *dev, u32 *index)
{
	int ret = xa_alloc_cyclic(&dev->mrs, index, NULL,
				  XA_LIMIT(0, INDEX_MAX), &dev->mr_cursor,
				  GFP_KERNEL_ACCOUNT);

	return ret < 0 ? -ENOMEM : 0;
}

/**
 * rox_key_alloc - reserve a key
 * @dev: whose table
 * @mr:  gets index and key; not to be found before rox_key_publish()
 *
 * Place 0 holds the local DMA key and the key 0, which means none.
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int rox_key_alloc(struct rox_device *dev, struct rox_mr *mr)
{
	u32 skipped;
	int err;

	err = alloc_index(dev, &mr->index);
	if (!err && !index_to_place(dev, mr->index)) {
		skipped = mr->index;
		err = alloc_index(dev, &mr->index);
		xa_erase(&dev->mrs, skipped);
	}
	if (err)
		return err;
	mr->dev = dev;
	mr->key = index_to_place(dev, mr->index) << ROX_KEY_VARIANT_BITS |
		  (get_random_u32() & ROX_KEY_VARIANT_MASK);
	return 0;
}

/**
 * rox_key_publish - let a region be found
 * @mr: complete, its key reserved, one reference held
 *
 * Context: process.
 */
void rox_key_publish(struct rox_mr *mr)
{
	/* The place is reserved, so nothing is allocated and nothing can fail. */
	xa_store(&mr->dev->mrs, mr->index, mr, 0);
}

/**
 * rox_key_hide - let a region not be found, but keep its key
 * @mr: published
 *
 * Context: process.
 */
void rox_key_hide(struct rox_mr *mr)
{
	xa_store(&mr->dev->mrs, mr->index, XA_ZERO_ENTRY, 0);
}

/**
 * rox_key_free - let a region not be found, and give its key up
 * @mr: its key reserved
 *
 * Context: process.
 */
void rox_key_free(struct rox_mr *mr)
{
	xa_erase(&mr->dev->mrs, mr->index);
}

/**
 * rox_key_find - the region at the place of a key
 * @dev: whose table
 * @key: from anywhere
 *
 * Context: RCU read side. Return: a published region, which may have another
 * variant of the key, or NULL.
 */
struct rox_mr *rox_key_find(struct rox_device *dev, u32 key)
{
	return xa_load(&dev->mrs,
		       place_to_index(dev, key >> ROX_KEY_VARIANT_BITS));
}
