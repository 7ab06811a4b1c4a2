/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include "../cq_ring.h"
#include "fake_kernel.h"
#include "tap.h"

static struct fake_cq kernel;
static struct rox_cq_ring ring;

static void setup(uint32_t entries, uint32_t start)
{
	void *map = calloc(1, fake_len(entries, sizeof(struct rox_cqe)));

	fake_cq_init(&kernel, map, entries, start);
	rox_cq_ring_init(&ring, map, entries);
}

static void teardown(void)
{
	free(kernel.hdr);
}

static void put(uint32_t qp_num, uint64_t wr_id)
{
	struct rox_cqe cqe = { .wr_id = wr_id, .qp_num = qp_num,
			       .timestamp_ns = ~wr_id };

	EXPECT(!fake_cq_full(&kernel));
	fake_cq_put(&kernel, &cqe, false);
}

/* The next completion's wr_id, or -1. */
static int64_t take(void)
{
	const struct rox_cqe *cqe = rox_cq_ring_peek(&ring);
	int64_t wr_id;

	EXPECT_EQ(!cqe, rox_cq_ring_is_empty(&ring));
	if (!cqe)
		return -1;
	EXPECT_EQ(cqe->timestamp_ns, ~cqe->wr_id);
	wr_id = cqe->wr_id;
	rox_cq_ring_advance(&ring);
	return wr_id;
}

static void peek__in_order_across_wrap(void)
{
	uint64_t sent = 0, got = 0;
	unsigned int seed = 11;
	int64_t id;

	setup(4, UINT32_MAX - 10);
	EXPECT_EQ(take(), -1);
	while (got < 100) {
		unsigned int n = tap_random(&seed) % 5;

		while (n-- && !fake_cq_full(&kernel))
			put(1, sent++);
		n = tap_random(&seed) % 5;
		while (n-- && (id = take()) >= 0)
			EXPECT_EQ(id, got++);
		rox_cq_ring_release(&ring);
	}
	teardown();
}

static void release__frees_a_batch(void)
{
	int i;

	setup(2, 0);
	put(1, 0);
	put(1, 1);
	EXPECT_EQ(take(), 0);
	EXPECT_EQ(take(), 1);
	EXPECT(fake_cq_full(&kernel));
	rox_cq_ring_release(&ring);
	for (i = 0; i < 2; i++)
		put(1, i);
	EXPECT(fake_cq_full(&kernel));
	teardown();
}

static void arm__next_is_not_weakened(void)
{
	setup(4, 0);
	rox_cq_ring_arm(&ring, ROX_CQ_ARM_NEXT);
	rox_cq_ring_arm(&ring, ROX_CQ_ARM_SOLICITED);
	EXPECT_EQ(kernel.hdr->flags, ROX_CQ_ARM_NEXT);
	put(1, 0);
	EXPECT_EQ(kernel.events, 1);
	EXPECT_EQ(kernel.hdr->flags, ROX_CQ_DISARMED);
	teardown();
}

static void arm__solicited_waits_for_solicited(void)
{
	struct rox_cqe cqe = {};

	setup(4, 0);
	rox_cq_ring_arm(&ring, ROX_CQ_ARM_SOLICITED);
	put(1, 0);
	EXPECT_EQ(kernel.events, 0);
	EXPECT(fake_cq_put(&kernel, &cqe, true));
	rox_cq_ring_arm(&ring, ROX_CQ_ARM_SOLICITED);
	rox_cq_ring_arm(&ring, ROX_CQ_ARM_NEXT);
	EXPECT(fake_cq_put(&kernel, &cqe, false));
	EXPECT(!fake_cq_put(&kernel, &cqe, true));
	teardown();
}

static void purge__nothing_there(void)
{
	setup(4, 0);
	EXPECT_EQ(rox_cq_ring_purge(&ring, 1), 0);
	put(2, 5);
	EXPECT_EQ(rox_cq_ring_purge(&ring, 1), 0);
	EXPECT_EQ(kernel.hdr->cons, 0);
	EXPECT_EQ(take(), 5);
	teardown();
}

static void purge__everything_of_a_full_queue(void)
{
	int i;

	setup(4, UINT32_MAX - 2);
	for (i = 0; i < 4; i++)
		put(1, i);
	EXPECT_EQ(rox_cq_ring_purge(&ring, 1), 4);
	EXPECT_EQ(take(), -1);
	for (i = 0; i < 4; i++)
		put(2, 10 + i);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(take(), 10 + i);
	EXPECT_EQ(take(), -1);
	teardown();
}

/* Random traffic of three queue pairs and purges, against a list. */
struct model {
	uint64_t ids[64];
	uint32_t qps[64];
	uint32_t n;
};

static uint32_t model_purge(struct model *m, uint32_t qp_num)
{
	uint32_t kept = 0, i;

	for (i = 0; i < m->n; i++) {
		if (m->qps[i] == qp_num)
			continue;
		m->ids[kept] = m->ids[i];
		m->qps[kept++] = m->qps[i];
	}
	i = m->n - kept;
	m->n = kept;
	return i;
}

static void model_take(struct model *m)
{
	int64_t id = take();

	EXPECT_EQ(id, m->n ? (int64_t)m->ids[0] : -1);
	if (!m->n)
		return;
	m->n--;
	memmove(m->ids, m->ids + 1, m->n * sizeof(m->ids[0]));
	memmove(m->qps, m->qps + 1, m->n * sizeof(m->qps[0]));
}

static void purge__random_against_a_list(void)
{
	struct model m = {};
	unsigned int seed = 42;
	uint64_t id = 0;
	int step;

	setup(16, UINT32_MAX - 100);
	for (step = 0; step < 20000 && !tap_failed; step++) {
		unsigned int dice = tap_random(&seed) % 16;
		uint32_t qp_num = 1 + tap_random(&seed) % 3;

		if (dice == 0) {
			EXPECT_EQ(rox_cq_ring_purge(&ring, qp_num),
				  model_purge(&m, qp_num));
		} else if (dice < 7) {
			model_take(&m);
			rox_cq_ring_release(&ring);
		} else if (!fake_cq_full(&kernel)) {
			put(qp_num, id);
			m.qps[m.n] = qp_num;
			m.ids[m.n++] = id++;
		}
	}
	teardown();
}

static const struct tap_case cases[] = {
	TAP_CASE(peek__in_order_across_wrap),
	TAP_CASE(release__frees_a_batch),
	TAP_CASE(arm__next_is_not_weakened),
	TAP_CASE(arm__solicited_waits_for_solicited),
	TAP_CASE(purge__nothing_there),
	TAP_CASE(purge__everything_of_a_full_queue),
	TAP_CASE(purge__random_against_a_list),
};

TAP_MAIN(cases)
