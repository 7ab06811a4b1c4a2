// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters, as "rdma statistic" and sysfs show them. */
#include <rdma/ib_verbs.h>

#include "device.h"
#include "stats.h"

/* ROX_DROP_NONE, the first reason, counts nothing. It comes last and is not shown. */
#define DROP_INDEX(why)	(ROX_CNT_DROP + ((why) + ROX_DROP_NR - 1) % ROX_DROP_NR)
#define NR_SHOWN	(ROX_CNT_NR - 1)

static const struct rdma_stat_desc stat_descs[ROX_CNT_NR] = {
#define COUNTER_DESC(sym, text)	[ROX_CNT_##sym] = { .name = text },
	ROX_COUNTERS(COUNTER_DESC)
#undef COUNTER_DESC
#define DROP_DESC(sym, text)	[DROP_INDEX(ROX_DROP_##sym)] = { .name = "drop_" text },
	ROX_DROP_REASONS(DROP_DESC)
#undef DROP_DESC
};

/**
 * rox_alloc_hw_stats - describe the counters
 * @ib:   the device
 * @port: 1
 *
 * Context: process. Return: a struct that the core frees, or NULL.
 */
struct rdma_hw_stats *rox_alloc_hw_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(stat_descs, NR_SHOWN,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static u64 sum(const struct rox_device *dev, int which)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += READ_ONCE(per_cpu_ptr(dev->stats, cpu)->count[which]);
	return total;
}

/**
 * rox_get_hw_stats - read all counters
 * @ib:    the device
 * @stats: from rox_alloc_hw_stats()
 * @port:  1, or 0 for the device's counters, of which there are none
 * @index: the one wanted; all are filled in
 *
 * Context: process. Return: how many counters were read, or -EINVAL.
 */
int rox_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		     int index)
{
	const struct rox_device *dev = to_rox_dev(ib);
	int i;

	if (port != 1)
		return -EINVAL;
	for (i = 0; i < ROX_CNT_DROP; i++)
		stats->value[i] = sum(dev, i);
	for (i = 1; i < ROX_DROP_NR; i++)
		stats->value[DROP_INDEX(i)] = sum(dev, ROX_CNT_DROP + i);
	return NR_SHOWN;
}
