/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory regions: keys, permissions, and the pages behind them. */
#ifndef ROX_MR_H
#define ROX_MR_H

#include <linux/completion.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>

struct rox_device;
struct scatterlist;

/* A run of physically contiguous, kernel-addressable memory. */
struct rox_extent {
	u64 offset;		/* of its first byte from the region's start */
	u8 *addr;
};

enum rox_mr_kind {
	ROX_MR_USER,		/* pinned user memory */
	ROX_MR_DMA,		/* all kernel memory, by kernel address */
	ROX_MR_FAST,		/* fast registration by kernel users */
};

/*
 * Freed by RCU after the last reference. A reference is held only for the time
 * of one copy, or one message within the host, so deregistration's wait is short.
 */
struct rox_mr {
	struct ib_mr ib;
	struct rox_device *dev;	/* NULL: the region of ROX_LOCAL_DMA_LKEY, always there */
	struct ib_pd *pd;	/* ib.pd is set later than the key works */
	enum rox_mr_kind kind;
	u32 place;		/* in dev->mrs */
	u32 key;		/* lkey and rkey */
	int access;		/* IB_ACCESS_* */
	bool valid;		/* FAST: between REG_MR and invalidation; else always */
	u64 iova;
	u64 length;
	u32 nr_extents;
	struct rox_extent *extents;	/* sorted by offset; covers length */
	struct ib_umem *umem;
	refcount_t refs;
	u32 last_extent;	/* where somebody was last: a hint, maybe of before */
	struct completion gone;
	struct rcu_head rcu;
	/* FAST: filled by map_mr_sg, taken over by REG_MR */
	u32 nr_pages;
	u32 max_pages;
};

static inline struct rox_mr *to_rox_mr(struct ib_mr *ib)
{
	return container_of(ib, struct rox_mr, ib);
}

/* The key of the all-memory region kernel users may use without registering. */
#define ROX_LOCAL_DMA_LKEY	0x1

/* BHs disabled until rox_mr_put(). NULL if any of it does not hold. */
struct rox_mr *rox_mr_get(struct ib_pd *pd, u32 key, u64 addr, u64 bytes, int access);
struct rox_mr *rox_mr_get_piece(struct ib_pd *pd, u32 key, u64 addr, u32 bytes,
				int access, u8 **piece);

/**
 * rox_mr_put - give a reference back
 * @mr: from rox_mr_get()
 *
 * Context: any.
 */
static inline void rox_mr_put(struct rox_mr *mr)
{
	if (mr->dev && refcount_dec_and_test(&mr->refs))
		complete(&mr->gone);
}

u8 *rox_mr_run(struct rox_mr *mr, u64 addr, u32 *bytes);

/*
 * Invalidate a FAST region by key (LOCAL_INV, SEND_WITH_INV). Copies under way
 * have ended when it returns, so the owner may give the memory back.
 * Context: BHs disabled, no region but a program's referenced. Return: 0 or -EINVAL.
 */
int rox_mr_invalidate(struct ib_pd *pd, u32 key);

/*
 * Carry a REG_MR out: what rox_map_mr_sg() gathered becomes accessible by @key.
 * Return: 0, or -EINVAL: not a FAST region, valid already, or not its key.
 */
int rox_mr_fast_register(struct rox_mr *mr, u32 key, int access);

struct ib_mr *rox_get_dma_mr(struct ib_pd *pd, int access);
int rox_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);
struct ib_mr *rox_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int rox_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *sg_offset);
struct ib_mr *rox_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *pd, struct ib_udata *udata);
/* reg_user_mr's signature differs by version: compat/verbs.h makes it of this. */
struct ib_mr *rox_mr_register(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			      int access);

#endif
