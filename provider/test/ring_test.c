/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "../ring.h"
#include "fake_kernel.h"
#include "tap.h"

#define STRIDE 72

struct entry {
	uint64_t id;
	uint8_t rest[STRIDE - 8];
};

static struct fake_wq kernel;
static struct rox_ring ring;

static void setup(uint32_t entries, uint32_t start)
{
	void *map = calloc(1, fake_len(entries, STRIDE));

	fake_wq_init(&kernel, map, entries, STRIDE, start);
	rox_ring_init(&ring, map, entries, STRIDE);
}

static void teardown(void)
{
	free(kernel.hdr);
}

static bool post(uint64_t id)
{
	struct entry *entry = rox_ring_reserve(&ring);

	if (entry)
		entry->id = id;
	return entry;
}

static void geometry_ok__limits(void)
{
	EXPECT(rox_ring_geometry_ok(1, 64, ROX_RING_DATA + 64));
	EXPECT(rox_ring_geometry_ok(8, 72, ROX_RING_DATA + 576));
	EXPECT(!rox_ring_geometry_ok(0, 64, 4096));
	EXPECT(!rox_ring_geometry_ok(3, 64, 4096));
	EXPECT(!rox_ring_geometry_ok(2, 65, 4096));
	EXPECT(!rox_ring_geometry_ok(8, 72, ROX_RING_DATA + 575));
	EXPECT(!rox_ring_geometry_ok(1U << 31, 1U << 31, 4096));
}

static void reserve__fills_and_refuses(void)
{
	int i;

	setup(4, 0);
	for (i = 0; i < 4; i++)
		EXPECT(post(i));
	EXPECT(!post(4));
	EXPECT_EQ(kernel.hdr->prod, 0);
	rox_ring_submit(&ring);
	EXPECT_EQ(kernel.hdr->prod, 4);
	EXPECT(!post(4));
	teardown();
}

static void reserve__sees_freed_slots(void)
{
	struct entry copy;

	setup(2, UINT32_MAX);
	EXPECT(post(1) && post(2));
	rox_ring_submit(&ring);
	EXPECT(fake_wq_take(&kernel, &copy));
	fake_wq_retire(&kernel);
	EXPECT(!post(3));
	rox_ring_free(&ring, kernel.cons);
	EXPECT(post(3));
	EXPECT(!post(4));
	teardown();
}

static void forget__all_that_is_retired(void)
{
	struct entry copy;

	setup(2, UINT32_MAX);
	EXPECT(post(1) && post(2));
	rox_ring_submit(&ring);
	while (fake_wq_take(&kernel, &copy))
		;
	fake_wq_retire(&kernel);
	rox_ring_forget(&ring);
	EXPECT(post(3) && post(4));
	EXPECT(!post(5));
	teardown();
}

static void reserve__without_ring_is_full(void)
{
	struct rox_ring none = {};

	EXPECT(!rox_ring_reserve(&none));
	rox_ring_forget(&none);
	EXPECT(!rox_ring_reserve(&none));
}

static void submit__entries_arrive_in_order_across_wrap(void)
{
	uint64_t sent = 0, got = 0;
	unsigned int seed = 7;
	struct entry copy;

	setup(8, UINT32_MAX - 20);
	while (got < 200) {
		unsigned int n = tap_random(&seed) % 9;

		while (n-- && post(sent))
			sent++;
		rox_ring_submit(&ring);
		n = tap_random(&seed) % 9;
		while (n-- && fake_wq_take(&kernel, &copy))
			EXPECT_EQ(copy.id, got++);
		fake_wq_retire(&kernel);
		rox_ring_free(&ring, kernel.cons);
	}
	teardown();
}

static void cancel__gives_slots_back(void)
{
	uint32_t before;
	int i;

	setup(4, UINT32_MAX);
	EXPECT(post(1));
	before = ring.prod;
	for (i = 0; i < 3; i++)
		EXPECT(post(99));
	EXPECT(!post(99));
	rox_ring_cancel(&ring, before);
	for (i = 0; i < 3; i++)
		EXPECT(post(2));
	rox_ring_submit(&ring);
	EXPECT_EQ(kernel.hdr->prod, UINT32_MAX + 4U);
	teardown();
}

static void needs_kick__follows_flag(void)
{
	setup(2, 0);
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NONE);
	EXPECT(fake_wq_idle(&kernel));
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NOW);
	EXPECT(post(1));
	rox_ring_submit(&ring);
	EXPECT(!fake_wq_idle(&kernel));
	fake_wq_awake(&kernel);
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NONE);
	teardown();
}

static void kick__late(void)
{
	setup(16, UINT32_MAX - 2);
	kernel.hdr->flags = ROX_RING_NEED_KICK | ROX_RING_KICK_LATE;
	kernel.hdr->kick_at = 1;
	EXPECT(post(1) && post(1));
	rox_ring_submit(&ring);
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_LATE);
	EXPECT(post(1) && post(1));
	rox_ring_submit(&ring);
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NOW);
	EXPECT(post(1));
	rox_ring_submit(&ring);
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NOW);
	kernel.hdr->flags = ROX_RING_KICK_LATE;
	EXPECT(rox_ring_kick(&ring) == ROX_KICK_NONE);
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(geometry_ok__limits),
	TAP_CASE(reserve__fills_and_refuses),
	TAP_CASE(kick__late),
	TAP_CASE(reserve__sees_freed_slots),
	TAP_CASE(forget__all_that_is_retired),
	TAP_CASE(reserve__without_ring_is_full),
	TAP_CASE(submit__entries_arrive_in_order_across_wrap),
	TAP_CASE(cancel__gives_slots_back),
	TAP_CASE(needs_kick__follows_flag),
};

TAP_MAIN(cases)
