/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two threads, the program and the kernel, at each handshake of the rings. The
 * sleeper goes to sleep as soon as it may; a wake-up that gets lost leaves both
 * waiting, which is noticed. Without the program's full fence, this fails:
 * "make mutants".
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "../cq_ring.h"
#include "../ring.h"
#include "fake_kernel.h"
#include "tap.h"

#ifndef ROUNDS
#define ROUNDS 300000
#endif
#define PATIENCE_MS 3000

/* A doorbell or an event channel: a count, waited for without a lock. */
struct bell {
	uint32_t rung;
	uint32_t heard;
};

static bool gave_up;

static void ring_bell(struct bell *bell)
{
	__atomic_fetch_add(&bell->rung, 1, __ATOMIC_RELEASE);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* Spins, then yields; looks at the clock rarely. False if it takes too long. */
static bool pause_once(uint32_t *spins, uint64_t *deadline)
{
	if (__atomic_load_n(&gave_up, __ATOMIC_RELAXED))
		return false;
	if (++*spins < 200)
		return true;
	sched_yield();
	if (*spins & 255)
		return true;
	if (!*deadline)
		*deadline = now_ms() + PATIENCE_MS;
	if (now_ms() < *deadline)
		return true;
	__atomic_store_n(&gave_up, true, __ATOMIC_RELAXED);
	return false;
}

/* Moves the two threads against each other, to meet in every order. */
static void jitter(unsigned int *seed)
{
	unsigned int n = tap_random(seed) % 128;

	while (n--)
		__asm__ volatile("" ::: "memory");
}

static bool wait_bell(struct bell *bell)
{
	uint64_t deadline = 0;
	uint32_t spins = 0;

	while (__atomic_load_n(&bell->rung, __ATOMIC_ACQUIRE) == bell->heard)
		if (!pause_once(&spins, &deadline))
			return false;
	bell->heard++;
	return true;
}

static void check_no_one_gave_up(void)
{
	EXPECT(!gave_up);
	gave_up = false;
}

/* (C)/(C'), (D)/(D'): the program posts, the kernel sleeps between posts. */
struct kick_test {
	struct fake_wq kernel;
	struct rox_ring ring;
	struct bell doorbell;
	uint32_t kicks;
};

static bool run_queue(struct fake_wq *wq, uint64_t *expected)
{
	uint64_t entry;

	while (fake_wq_take(wq, &entry)) {
		if (entry != (*expected)++)
			return false;
		fake_wq_retire(wq);
	}
	return true;
}

static void *kernel_kicked(void *arg)
{
	struct kick_test *t = arg;
	unsigned int seed = 3;
	uint64_t expected = 0;

	while (expected < ROUNDS) {
		if (!run_queue(&t->kernel, &expected))
			break;
		jitter(&seed);
		if (!fake_wq_idle(&t->kernel)) {
			fake_wq_awake(&t->kernel);
			continue;
		}
		if (expected < ROUNDS && !wait_bell(&t->doorbell))
			break;
		fake_wq_awake(&t->kernel);
	}
	return (void *)(uintptr_t)expected;
}

static bool wait_consumed(struct kick_test *t)
{
	uint64_t deadline = 0;
	uint32_t spins = 0;

	while (__atomic_load_n(&t->ring.hdr->cons, __ATOMIC_ACQUIRE) !=
	       t->ring.prod)
		if (!pause_once(&spins, &deadline))
			return false;
	rox_ring_free(&t->ring, t->ring.prod);
	return true;
}

static void post_and_kick(struct kick_test *t, uint64_t i)
{
	uint64_t *entry = rox_ring_reserve(&t->ring);

	*entry = i;
	rox_ring_submit(&t->ring);
	if (rox_ring_kick(&t->ring) == ROX_KICK_NOW) {
		t->kicks++;
		ring_bell(&t->doorbell);
	}
}

static void needs_kick__no_post_is_left_lying(void)
{
	struct kick_test t = {};
	void *map = calloc(1, fake_len(1, 8)), *done;
	pthread_t kernel;
	uint64_t i;

	fake_wq_init(&t.kernel, map, 1, 8, 0);
	rox_ring_init(&t.ring, map, 1, 8);
	pthread_create(&kernel, NULL, kernel_kicked, &t);
	for (i = 0; i < ROUNDS; i++) {
		post_and_kick(&t, i);
		if (!wait_consumed(&t))
			break;
	}
	pthread_join(kernel, &done);
	EXPECT_EQ((uintptr_t)done, ROUNDS);
	check_no_one_gave_up();
	printf("# %u of %u posts kicked\n", t.kicks, ROUNDS);
	free(map);
}

/* (H)/(H'), (J)/(J'): the kernel completes, the program sleeps on events. */
struct arm_test {
	struct fake_cq kernel;
	struct rox_cq_ring ring;
	struct bell channel;
};

static bool wait_polled(struct arm_test *t)
{
	uint64_t deadline = 0;
	uint32_t spins = 0;

	while (__atomic_load_n(&t->kernel.hdr->cons, __ATOMIC_ACQUIRE) !=
	       t->kernel.prod)
		if (!pause_once(&spins, &deadline))
			return false;
	return true;
}

static void *kernel_completes(void *arg)
{
	struct arm_test *t = arg;
	unsigned int seed = 5;
	uint64_t i;

	for (i = 0; i < ROUNDS; i++) {
		struct rox_cqe cqe = { .wr_id = i };

		jitter(&seed);
		if (fake_cq_put(&t->kernel, &cqe, false))
			ring_bell(&t->channel);
		if (!wait_polled(t))
			break;
	}
	return NULL;
}

static uint64_t poll_all(struct arm_test *t, uint64_t expected)
{
	const struct rox_cqe *cqe;

	while ((cqe = rox_cq_ring_peek(&t->ring))) {
		if (cqe->wr_id != expected)
			return expected;
		expected++;
		rox_cq_ring_advance(&t->ring);
		rox_cq_ring_release(&t->ring);
	}
	return expected;
}

static void arm__no_event_is_lost(void)
{
	struct arm_test t = {};
	void *map = calloc(1, fake_len(1, sizeof(struct rox_cqe)));
	unsigned int seed = 9;
	uint64_t got = 0;
	pthread_t kernel;

	fake_cq_init(&t.kernel, map, 1, 0);
	rox_cq_ring_init(&t.ring, map, 1);
	pthread_create(&kernel, NULL, kernel_completes, &t);
	while (got < ROUNDS) {
		jitter(&seed);
		rox_cq_ring_arm(&t.ring, ROX_CQ_ARM_NEXT);
		got = poll_all(&t, got);
		if (got < ROUNDS && !wait_bell(&t.channel))
			break;
		got = poll_all(&t, got);
	}
	pthread_join(kernel, NULL);
	EXPECT_EQ(got, ROUNDS);
	check_no_one_gave_up();
	printf("# %u events for %u completions\n", t.kernel.events, ROUNDS);
	free(map);
}

static const struct tap_case cases[] = {
	TAP_CASE(needs_kick__no_post_is_left_lying),
	TAP_CASE(arm__no_event_is_lost),
};

TAP_MAIN(cases)
