// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands as nobody should send them: any bytes, any length, any handle. */
#include <string.h>

#include "world.h"

/* A handle that exists, as often as not; or what looks like one. */
static uint32_t random_handle(const struct world *world, uint64_t *seed)
{
	switch (below(seed, 6)) {
	case 0:
		return world->qps[below(seed, NR_QPS)].handle;
	case 1:
		return world->cqs[below(seed, NR_CQS)].handle;
	case 2:
		return world->mrs[below(seed, NR_MRS)].handle;
	case 3:
		return world->pd;
	case 4:
		return below(seed, 64);
	default:
		return edge(seed);
	}
}

static void random_words(const struct world *world, uint64_t *seed, uint32_t *to,
			 unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		to[i] = one_in(seed, 3) ? random_handle(world, seed) :
			one_in(seed, 2) ? edge(seed) : 0;
}

/* To the arena's open part, or where nothing can be written. */
static void *random_place(const struct world *world, uint64_t *seed)
{
	if (one_in(seed, 6))
		return (void *)(uintptr_t)edge(seed);
	return world->arena + OPEN_AT + below(seed, OPEN_BYTES - 4096);
}

static void by_write(struct world *world, uint64_t *seed)
{
	uint32_t core[64], driver[64];
	struct raw_cmd cmd = {
		.command = below(seed, 44),
		.core = core,
		.core_bytes = below(seed, 65) * 4,
		.driver = driver,
		.driver_bytes = one_in(seed, 2) ? below(seed, 65) * 4 : 0,
		.resp = random_place(world, seed),
		.resp_bytes = below(seed, 40) * 4,
	};

	random_words(world, seed, core, 64);
	random_words(world, seed, driver, 64);
	/* Extended commands; any number at all. */
	if (one_in(seed, 4)) {
		cmd.command = IB_USER_VERBS_CMD_FLAG_EXTENDED | below(seed, 64);
		cmd.core_bytes &= ~7UL;
		cmd.driver_bytes &= ~7UL;
	} else if (one_in(seed, 10)) {
		cmd.command = rnd(seed);
	}
	if (one_in(seed, 3))
		raw_invoke(world->fd, &cmd);
	else
		raw_write(world->fd, &cmd);
}

/* What is right but for one thing. */
static void nearly_right(struct world *world, uint64_t *seed)
{
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct rox_create_cq_resp rox;
	} resp = {};
	struct ib_uverbs_create_cq core = { .cqe = 10, .comp_channel = -1 };
	uint64_t driver[8] = {};
	struct raw_cmd cmd = {
		.command = IB_USER_VERBS_CMD_CREATE_CQ,
		.core = &core,
		.core_bytes = sizeof(core),
		.driver = driver,
		.driver_bytes = sizeof(struct rox_create_cq_req),
		.resp = &resp,
		.resp_bytes = sizeof(resp),
	};
	int err, want_failure = 1;

	switch (below(seed, 5)) {
	case 0:
		driver[0] = 1ULL << below(seed, 64);
		break;
	case 1:
		cmd.driver_bytes = 0;
		break;
	case 2:
		cmd.driver_bytes = 4;
		break;
	case 3:
		cmd.driver_bytes = sizeof(driver);
		driver[1 + below(seed, 7)] = 1;
		break;
	default:
		/* Longer, but with nothing in it: a newer provider. */
		cmd.driver_bytes = sizeof(driver);
		want_failure = 0;
	}
	err = raw_write(world->fd, &cmd);
	if (!err && want_failure)
		broken(world->shared, "a request with %zu bytes, first word %#llx, was accepted",
		       cmd.driver_bytes, (unsigned long long)driver[0]);
	if (!err) {
		struct ib_uverbs_destroy_cq old = { .cq_handle = resp.core.cq_handle };
		struct ib_uverbs_destroy_cq_resp gone;
		struct raw_cmd destroy = {
			.command = IB_USER_VERBS_CMD_DESTROY_CQ,
			.core = &old, .core_bytes = sizeof(old),
			.resp = &gone, .resp_bytes = sizeof(gone),
		};

		raw_write(world->fd, &destroy);
	}
}

static void by_ioctl(struct world *world, uint64_t *seed)
{
	static const uint16_t namespaces[] = { 0, 0, 0, 0x1000 };
	struct ib_uverbs_attr attrs[16] = {};
	unsigned int i, nr = below(seed, 17);

	for (i = 0; i < nr; i++) {
		attrs[i].attr_id = namespaces[below(seed, 4)] + below(seed, 16);
		attrs[i].len = one_in(seed, 2) ? 4 : one_in(seed, 2) ? 8 : edge(seed);
		attrs[i].flags = below(seed, 3);
		attrs[i].data = one_in(seed, 2) ? random_handle(world, seed) :
				(uintptr_t)random_place(world, seed);
	}
	raw_ioctl(world->fd, namespaces[below(seed, 4)] + below(seed, 24),
		  namespaces[below(seed, 4)] + below(seed, 12), attrs, nr);
}

/* Our own methods, with attributes they do not have. The setting bounds a poll. */
static void wrong_kick(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_attr attrs[3] = {
		{
			.attr_id = ROX_ATTR_KICK_QPN + below(seed, 2),
			.len = one_in(seed, 2) ? 4 : below(seed, 16),
			.flags = below(seed, 2),
			.data = random_handle(world, seed),
		},
	};

	raw_ioctl(world->fd, ROX_OBJECT_CONTEXT, ROX_METHOD_KICK + below(seed, 3), attrs,
		  below(seed, 3));
}

void random_command(struct world *world, uint64_t *seed)
{
	switch (below(seed, 10)) {
	case 0:
		nearly_right(world, seed);
		break;
	case 8:
	case 9:
		random_method(world, seed);
		break;
	case 1:
		wrong_kick(world, seed);
		break;
	case 2:
	case 3:
		by_ioctl(world, seed);
		break;
	default:
		by_write(world, seed);
	}
	COUNT(world->shared, commands);
}
