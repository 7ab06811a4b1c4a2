/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * All bytes that move between registered memory and packets move here.
 * Context of everything: any, does not sleep. Addresses and lengths come from
 * work requests and packets; each is checked against its region on each use.
 */
#ifndef ROX_COPY_H
#define ROX_COPY_H

#include <linux/skbuff.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>

#include "device.h"

struct rox_mr;

/* A scatter list and whose keys it uses. */
struct rox_sgl {
	struct ib_pd *pd;
	const struct rox_sge *sge;
	u32 num_sge;
	int access;			/* IB_ACCESS_* it takes to read it; 0: local */
};

/*
 * Where bytes come from: plain kernel memory, other registered memory of this
 * host, a received packet, or several.
 */
struct rox_buf {
	const void *mem;		/* used if not NULL */
	const struct rox_sgl *sgl;	/* else this, if not NULL */
	const struct sk_buff *skb;	/* else this, if not NULL */
	u32 offset;			/* where it begins in sgl or skb */
	/* Else several packets' payloads, each of so many bytes but the last, and this between. */
	const u8 *chunks;
	u32 chunk_bytes;
	u32 gap_bytes;
};

/**
 * rox_copy_from_sgl - gather message bytes into plain memory
 * @offset: first byte of the message wanted
 * @dst:    room for @bytes
 *
 * Return: 0; -EINVAL if the list is shorter; -EACCES if a key does not allow it.
 */
int rox_copy_from_sgl(const struct rox_sgl *sgl, u32 offset, void *dst, u32 bytes);

/* The bytes of a run of packets, looked up once if they are of one region. */
struct rox_source {
	const struct rox_sgl *sgl;
	struct rox_mr *mr;		/* held, or NULL: it is looked up for each packet */
	u64 addr;			/* of message byte 0, if that were of the region too */
};

void rox_source_open(struct rox_source *s, const struct rox_sgl *sgl, u32 offset, u32 bytes);
int rox_source_read(const struct rox_source *s, u32 offset, void *dst, u32 bytes);
void rox_source_close(const struct rox_source *s);

/* Scatter @src over the list from message byte @offset; needs LOCAL_WRITE. */
int rox_copy_to_sgl(const struct rox_sgl *sgl, u32 offset,
		    const struct rox_buf *src, u32 bytes);

/* Would rox_copy_from_sgl() work? */
int rox_check_sgl(const struct rox_sgl *sgl, u32 offset, u32 bytes);

/* Likewise of any source; a list of one piece becomes plain memory, @held for rox_mr_put(). */
int rox_hold_payload(struct rox_buf *buf, u32 bytes, struct rox_mr **held);

/* Remote side: one range under one key. @access as for rox_mr_get(). */
int rox_copy_to_key(struct ib_pd *pd, u32 rkey, u64 va,
		    const struct rox_buf *src, u32 bytes);
/* Does the key grant @access to the range? 0 or -EACCES. 0 bytes are granted. */
int rox_check_key(struct ib_pd *pd, u32 rkey, u64 va, u64 bytes, int access);

/**
 * rox_copy_atomic - compare and swap, or fetch and add, on 8 aligned bytes
 * @cas: else fetch and add
 *
 * Exact among all users of that memory, by the CPU's own atomics.
 * Return: 0; -EACCES; -EINVAL if misaligned. @orig in host order.
 */
int rox_copy_atomic(struct ib_pd *pd, u32 rkey, u64 va, bool cas, u64 compare,
		    u64 swap_add, u64 *orig);

/**
 * rox_sgl_bytes - how many bytes a list holds
 * @sge:     the list
 * @num_sge: its entries
 *
 * Context: any. Return: bytes, or -EINVAL above ROX_MAX_MSG.
 */
static inline s64 rox_sgl_bytes(const struct rox_sge *sge, u32 num_sge)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < num_sge; i++)
		sum += sge[i].length;
	return sum <= ROX_MAX_MSG ? (s64)sum : -EINVAL;
}

#endif
