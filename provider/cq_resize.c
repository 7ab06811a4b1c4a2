/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A completion queue gets another ring. The kernel copies what was not polled and
 * goes on in the new one before its call returns; pollers of this program wait for
 * the lock meanwhile, but those that look whether there is anything do not, and nor
 * does who arms: see struct rox_cq_map.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "rox.h"

/* What the kernel makes of it, so that there is room before it does. */
static size_t expected_len(uint32_t cqe)
{
	uint32_t entries = 1;
	size_t page = sysconf(_SC_PAGESIZE);
	size_t bytes;

	while (entries < cqe)
		entries *= 2;
	bytes = ROX_RING_DATA + (size_t)entries * sizeof(struct rox_cqe);
	return (bytes + page - 1) / page * page;
}

/*
 * Somebody may have armed the ring that is going after the kernel looked at it, and
 * then looked for completions there in vain. So the kernel is asked, which fires at
 * once if there are any.
 */
static void arm_again(struct rox_cq *cq, struct rox_cq_ring *old)
{
	uint32_t arm;

	rox_full_fence();
	arm = __atomic_load_n(&old->hdr->flags, __ATOMIC_RELAXED);
	if (arm != ROX_CQ_DISARMED)
		ibv_cmd_req_notify_cq(&cq->vcq.cq, arm == ROX_CQ_ARM_SOLICITED);
}

static int exchange(struct rox_cq *cq, struct rox_cq_map *map, int cqe)
{
	struct rox_cq_map *old = atomic_load(&cq->map);
	struct rox_cmd_resize_cq_resp resp = {};
	struct ibv_resize_cq cmd = {};
	void *memory = map->ring.hdr;
	int ret;

	ret = ibv_cmd_resize_cq(&cq->vcq.cq, cqe, &cmd, sizeof(cmd),
				&resp.ibv_resp, sizeof(resp));
	if (ret)
		return ret;
	if (resp.mmap_len > map->len ||
	    !rox_ring_geometry_ok(resp.entries, sizeof(struct rox_cqe),
				  resp.mmap_len))
		return EPROTO;
	if (!rox_map_at(cq->vcq.cq.context, memory, resp.mmap_offset,
			resp.mmap_len))
		return errno;
	rox_cq_ring_init(&map->ring, memory, resp.entries);
	map->ring.cons = old->ring.cons;
	map->replaced = old;
	atomic_store(&cq->map, map);
	arm_again(cq, &old->ring);
	/* If it cannot: what is mapped there now is as harmless, but memory. */
	rox_map_nothing(old->ring.hdr, old->len);
	return 0;
}

/*
 * rox_cq_resize - ibv_resize_cq(3)
 *
 * Returns EINVAL if more completions wait than there would be room for.
 */
int rox_cq_resize(struct ibv_cq *ibcq, int cqe)
{
	struct rox_cq *cq = to_rox_cq(ibcq);
	struct rox_cq_map *map;
	int ret = ENOMEM;

	if (cqe <= 0)
		return EINVAL;
	map = calloc(1, sizeof(*map));
	if (!map)
		return ENOMEM;
	map->len = expected_len(cqe);
	map->ring.hdr = rox_map_nothing(NULL, map->len);
	if (!map->ring.hdr)
		goto err;
	rox_lock(&cq->lock);
	ret = exchange(cq, map, cqe);
	rox_unlock(&cq->lock);
	if (!ret)
		return 0;
	rox_unmap(map->ring.hdr, map->len);
err:
	free(map);
	return ret;
}
