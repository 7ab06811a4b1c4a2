// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the responder's memory of READs and atomics. */

#include "resources.h"

/* The @age-th youngest record, 1 to count. */
static struct rox_resource *record(const struct rox_resources *rs, u32 age)
{
	return &rs->ring[rs->head >= age ? rs->head - age : rs->head + rs->nr - age];
}

void rox_resources_init(struct rox_resources *rs, struct rox_resource *ring, u32 nr)
{
	memset(rs, 0, sizeof(*rs));
	rs->ring = ring;
	rs->nr = nr;
}

bool rox_resources_full(const struct rox_resources *rs)
{
	if (rs->count < rs->nr)
		return false;
	return !rs->nr || !record(rs, rs->count)->answered;
}

struct rox_resource *rox_resources_add(struct rox_resources *rs)
{
	struct rox_resource *res;

	if (!rs->nr)
		return NULL;
	res = &rs->ring[rs->head];
	memset(res, 0, sizeof(*res));
	rs->head = rs->head + 1 == rs->nr ? 0 : rs->head + 1;
	rs->count = min(rs->count + 1, rs->nr);
	rs->recent = min(rs->recent + 1, rs->count);
	return res;
}

struct rox_resource *rox_resources_find(struct rox_resources *rs, u32 psn)
{
	struct rox_resource *res;
	u32 age;

	for (age = 1; age <= rs->count; age++) {
		res = record(rs, age);
		if (rox_psn_sub(psn, res->first_psn) < res->nr_psn)
			return res;
	}
	return NULL;
}

void rox_resources_pend(struct rox_resources *rs, struct rox_resource *res)
{
	res->pending = true;
	if (res == record(rs, 1))
		rs->recent = max_t(u32, rs->recent, 1);
	else
		rs->recent = rs->count;
}

struct rox_resource *rox_resources_pending(struct rox_resources *rs)
{
	for (; rs->recent; rs->recent--) {
		if (record(rs, rs->recent)->pending)
			return record(rs, rs->recent);
	}
	return NULL;
}

void rox_resources_cancel(struct rox_resources *rs)
{
	u32 age;

	for (age = 1; age <= rs->count; age++)
		record(rs, age)->pending = false;
	rs->recent = 0;
}
