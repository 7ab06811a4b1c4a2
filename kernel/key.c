// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory keys: where a region goes in the table, and back from a key to it. */
#include <linux/random.h>
#include <linux/xarray.h>

#include "device.h"
#include "key.h"
#include "mr.h"

/* Place 0 holds the local DMA key and the key 0, which means none. */
#define PLACE_MIN	1u
#define PLACE_MAX	(U32_MAX >> ROX_KEY_VARIANT_BITS)

/* The first free place from a random one on, around the end if need be. */
static int take_place(struct rox_device *dev, u32 from, u32 *place)
{
	int err;

	err = xa_alloc(&dev->mrs, place, NULL, XA_LIMIT(from, PLACE_MAX),
		       GFP_KERNEL_ACCOUNT);
	if (err == -EBUSY)
		err = xa_alloc(&dev->mrs, place, NULL, XA_LIMIT(PLACE_MIN, from),
			       GFP_KERNEL_ACCOUNT);
	return err ? -ENOMEM : 0;
}

/*
 * A region is no longer in the table: what CPUs remember counts for nothing. Before
 * it is freed, a grace period begins; who starts to read after that sees the new
 * generation, and so does not look at it. See rox_key_find().
 */
static void next_generation(struct rox_device *dev)
{
	/* Pairs with the acquire in rox_key_find(): first out of the table. */
	smp_mb__before_atomic();
	atomic64_inc(&dev->mrs_generation);
}

/**
 * rox_key_alloc - reserve a key
 * @dev: whose table
 * @mr:  gets place and key; not to be found before rox_key_publish()
 *
 * Nothing that a program learns from the keys it gets tells of others: each is
 * drawn anew.
 *
 * Context: process, may sleep. Return: 0 or -ENOMEM.
 */
int rox_key_alloc(struct rox_device *dev, struct rox_mr *mr)
{
	u32 drawn = get_random_u32();
	u32 from = max(drawn >> ROX_KEY_VARIANT_BITS, PLACE_MIN);
	int err;

	err = take_place(dev, from, &mr->place);
	if (err)
		return err;
	mr->dev = dev;
	mr->key = mr->place << ROX_KEY_VARIANT_BITS |
		  (drawn & ROX_KEY_VARIANT_MASK);
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
	xa_store(&mr->dev->mrs, mr->place, mr, 0);
}

/**
 * rox_key_hide - let a region not be found, but keep its key
 * @mr: published
 *
 * Context: process.
 */
void rox_key_hide(struct rox_mr *mr)
{
	xa_store(&mr->dev->mrs, mr->place, XA_ZERO_ENTRY, 0);
	next_generation(mr->dev);
}

/**
 * rox_key_free - let a region not be found, and give its key up
 * @mr: its key reserved
 *
 * Context: process.
 */
void rox_key_free(struct rox_mr *mr)
{
	/* Not drawn again while a CPU still takes the place for this region's. */
	rox_key_hide(mr);
	xa_erase(&mr->dev->mrs, mr->place);
}

/**
 * rox_key_find_in_table - the region at a place, which the CPU remembers from now on
 * @dev:        whose table
 * @place:      of a key
 * @generation: of the table, read before
 *
 * Context: as for rox_key_find(). Return: likewise.
 */
struct rox_mr *rox_key_find_in_table(struct rox_device *dev, u32 place, u64 generation)
{
	struct rox_mr *mr = xa_load(&dev->mrs, place);

	/* There, bottom halves being disabled does not keep the CPU to ourselves. */
	if (mr && !IS_ENABLED(CONFIG_PREEMPT_RT))
		*rox_key_memo(dev, place) = (struct rox_key_memo){ generation, place, mr };
	return mr;
}
