/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A completion queue's life and its arm word. Polling is in cq_poll.c. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "doorbell.h"
#include "rox.h"

/* The kernel stamps the completions of a queue that was created with these. */
#define ROX_CQ_TIME_FLAGS                      \
	(IBV_WC_EX_WITH_COMPLETION_TIMESTAMP | \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK)
#define ROX_CQ_WC_FLAGS (IBV_WC_STANDARD_FLAGS | ROX_CQ_TIME_FLAGS)

static int map_ring(struct rox_cq *cq, const struct rox_create_cq_resp *resp)
{
	struct rox_cq_map *map = atomic_load(&cq->map);
	void *memory;

	if (!rox_ring_geometry_ok(resp->entries, sizeof(struct rox_cqe),
				  resp->mmap_len))
		return EPROTO;
	memory = rox_map(cq->vcq.cq.context, resp->mmap_offset, resp->mmap_len);
	if (!memory)
		return errno;
	map->len = resp->mmap_len;
	rox_cq_ring_init(&map->ring, memory, resp->entries);
	return 0;
}

static int create_in_kernel(struct rox_cq *cq, struct ibv_context *context,
			    const struct ibv_cq_init_attr_ex *attr)
{
	struct rox_cmd_create_cq_resp resp = {};
	struct rox_cmd_create_cq cmd = {};
	struct ibv_cq_init_attr_ex plain = *attr;
	int ret;

	/* The rest is between the program and us. */
	plain.comp_mask = 0;
	plain.wc_flags &= ROX_CQ_TIME_FLAGS;
	ret = rox_cmd_create_cq_ex(context, &plain, &cq->vcq, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		return ret;
	ret = map_ring(cq, &resp.drv_payload);
	if (ret)
		ibv_cmd_destroy_cq(&cq->vcq.cq);
	return ret;
}

static struct rox_cq *create_cq(struct ibv_context *context,
				const struct ibv_cq_init_attr_ex *attr,
				bool single_threaded)
{
	struct rox_cq_map *map;
	struct rox_cq *cq;
	int ret = ENOMEM;

	cq = calloc(1, sizeof(*cq));
	map = calloc(1, sizeof(*map));
	if (!cq || !map)
		goto err;
	atomic_init(&cq->map, map);
	ret = create_in_kernel(cq, context, attr);
	if (ret)
		goto err;
	rox_lock_init(&cq->lock, single_threaded);
	atomic_init(&cq->refs, 1);
	return cq;

err:
	free(map);
	free(cq);
	errno = ret;
	return NULL;
}

struct ibv_cq *rox_cq_create(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct rox_cq *cq;

	if (cqe <= 0) {
		errno = EINVAL;
		return NULL;
	}
	cq = create_cq(context, &attr, false);
	return cq ? &cq->vcq.cq : NULL;
}

static uint32_t attr_flags(const struct ibv_cq_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS ? attr->flags : 0;
}

static struct ibv_pd *attr_parent(const struct ibv_cq_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD ?
	       attr->parent_domain : NULL;
}

static int check_attr_ex(const struct ibv_cq_init_attr_ex *attr)
{
	struct ibv_pd *parent = attr_parent(attr);

	if (!check_comp_mask(attr->comp_mask, IBV_CQ_INIT_ATTR_MASK_FLAGS |
					      IBV_CQ_INIT_ATTR_MASK_PD) ||
	    !check_comp_mask(attr_flags(attr),
			     IBV_CREATE_CQ_ATTR_SINGLE_THREADED) ||
	    !check_comp_mask(attr->wc_flags, ROX_CQ_WC_FLAGS))
		return EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > INT_MAX)
		return EINVAL;
	if (parent && !to_rox_pd(parent)->contained)
		return EINVAL;
	return 0;
}

struct ibv_cq_ex *rox_cq_create_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr)
{
	struct rox_cq *cq;
	int ret;

	ret = check_attr_ex(attr);
	if (ret) {
		errno = ret;
		return NULL;
	}
	cq = create_cq(context, attr,
		       attr_flags(attr) & IBV_CREATE_CQ_ATTR_SINGLE_THREADED ||
		       rox_pd_is_single_threaded(attr_parent(attr)));
	if (!cq)
		return NULL;
	rox_cq_set_pollers(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

/* rox_cq_hold - keep the queue's memory until rox_cq_release() */
void rox_cq_hold(struct ibv_cq *ibcq)
{
	atomic_fetch_add(&to_rox_cq(ibcq)->refs, 1);
}

void rox_cq_release(struct ibv_cq *ibcq)
{
	struct rox_cq *cq = to_rox_cq(ibcq);
	struct rox_cq_map *map, *next;

	if (atomic_fetch_sub(&cq->refs, 1) != 1)
		return;
	for (map = atomic_load(&cq->map); map; map = next) {
		next = map->replaced;
		rox_unmap(map->ring.hdr, map->len);
		free(map);
	}
	rox_lock_fini(&cq->lock);
	free(cq);
}

int rox_cq_destroy(struct ibv_cq *ibcq)
{
	int ret;

	ret = ibv_cmd_destroy_cq(ibcq);
	if (ret)
		return ret;
	rox_cq_release(ibcq);
	return 0;
}

/*
 * rox_cq_arm - request an event; no system call but for a kick that was put off
 *
 * The kernel disarms when it fires, so there is nothing to do when the program
 * fetches the event. If the ring is replaced meanwhile, either we see that or
 * rox_cq_resize() sees what we stored.
 */
int rox_cq_arm(struct ibv_cq *ibcq, int solicited_only)
{
	uint32_t mode = solicited_only ? ROX_CQ_ARM_SOLICITED : ROX_CQ_ARM_NEXT;
	struct rox_cq *cq = to_rox_cq(ibcq);
	struct rox_cq_ring *ring;

	rox_kick_before_waiting(cq);
	do {
		ring = rox_cq_ring(cq);
		rox_cq_ring_arm(ring, mode);
	} while (unlikely(ring != rox_cq_ring(cq)));
	return 0;
}

/* rox_cq_purge - forget what a reset or destroyed queue pair left behind */
void rox_cq_purge(struct ibv_cq *ibcq, uint32_t qp_num)
{
	struct rox_cq *cq = to_rox_cq(ibcq);

	rox_lock(&cq->lock);
	rox_cq_ring_purge(rox_cq_ring(cq), qp_num);
	rox_unlock(&cq->lock);
}
