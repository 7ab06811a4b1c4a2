// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of the responder's memory of READs and atomics. */

#include <stdio.h>

#include <kunit/test.h>

#include "proto/resources.h"

#define NR	3

static struct rox_resource *add(struct rox_resources *rs, u32 psn, u32 nr)
{
	struct rox_resource *res = rox_resources_add(rs);

	res->first_psn = psn;
	res->nr_psn = nr;
	rox_resources_pend(rs, res);
	return res;
}

static void rox_resources_add__forgets_the_oldest(struct kunit *test)
{
	struct rox_resource ring[NR];
	struct rox_resources rs;
	u32 i;

	rox_resources_init(&rs, ring, NR);
	for (i = 0; i < 100; i++) {
		add(&rs, 10 * i, 10);
		if (i < NR)
			continue;
		KUNIT_EXPECT_NULL(test, rox_resources_find(&rs, 10 * (i - NR) + 9));
		KUNIT_EXPECT_NOT_NULL(test, rox_resources_find(&rs, 10 * (i - NR + 1)));
	}
}

static void rox_resources_add__no_records(struct kunit *test)
{
	struct rox_resources rs;

	rox_resources_init(&rs, NULL, 0);
	KUNIT_EXPECT_TRUE(test, rox_resources_full(&rs));
	KUNIT_EXPECT_NULL(test, rox_resources_add(&rs));
	KUNIT_EXPECT_NULL(test, rox_resources_find(&rs, 0));
	KUNIT_EXPECT_NULL(test, rox_resources_pending(&rs));
	rox_resources_cancel(&rs);
}

static void rox_resources_full__until_the_oldest_is_answered(struct kunit *test)
{
	struct rox_resource ring[NR], *oldest;
	struct rox_resources rs;

	rox_resources_init(&rs, ring, NR);
	oldest = add(&rs, 0, 1);
	add(&rs, 1, 1)->answered = true;
	KUNIT_EXPECT_FALSE(test, rox_resources_full(&rs));
	add(&rs, 2, 1);
	KUNIT_EXPECT_TRUE(test, rox_resources_full(&rs));
	oldest->answered = true;
	KUNIT_EXPECT_FALSE(test, rox_resources_full(&rs));
}

static void rox_resources_find__ranges_wrap(struct kunit *test)
{
	struct rox_resource ring[NR], *res;
	struct rox_resources rs;

	rox_resources_init(&rs, ring, NR);
	res = add(&rs, 0xfffffe, 4);
	KUNIT_EXPECT_NULL(test, rox_resources_find(&rs, 0xfffffd));
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_find(&rs, 0xfffffe), res);
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_find(&rs, 1), res);
	KUNIT_EXPECT_NULL(test, rox_resources_find(&rs, 2));
}

static void rox_resources_pending__oldest_first(struct kunit *test)
{
	struct rox_resource ring[NR], *a, *b, *c;
	struct rox_resources rs;

	rox_resources_init(&rs, ring, NR);
	a = add(&rs, 0, 1);
	b = add(&rs, 1, 1);
	c = add(&rs, 2, 1);
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_pending(&rs), a);
	a->pending = false;
	b->pending = false;
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_pending(&rs), c);
	rox_resources_pend(&rs, b);
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_pending(&rs), b);
	b->pending = false;
	c->pending = false;
	KUNIT_EXPECT_NULL(test, rox_resources_pending(&rs));
	rox_resources_pend(&rs, c);
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_pending(&rs), c);
	rox_resources_pend(&rs, a);
	KUNIT_EXPECT_PTR_EQ(test, rox_resources_pending(&rs), a);
}

static void rox_resources_cancel__forgets_replies(struct kunit *test)
{
	struct rox_resource ring[NR];
	struct rox_resources rs;

	rox_resources_init(&rs, ring, NR);
	add(&rs, 0, 1);
	add(&rs, 1, 1);
	rox_resources_cancel(&rs);
	KUNIT_EXPECT_NULL(test, rox_resources_pending(&rs));
	KUNIT_EXPECT_NOT_NULL(test, rox_resources_find(&rs, 1));
}

static struct kunit_case resources_cases[] = {
	KUNIT_CASE(rox_resources_add__forgets_the_oldest),
	KUNIT_CASE(rox_resources_add__no_records),
	KUNIT_CASE(rox_resources_full__until_the_oldest_is_answered),
	KUNIT_CASE(rox_resources_find__ranges_wrap),
	KUNIT_CASE(rox_resources_pending__oldest_first),
	KUNIT_CASE(rox_resources_cancel__forgets_replies),
	{}
};

static struct kunit_suite resources_suite = {
	.name = "resources",
	.test_cases = resources_cases,
};

kunit_test_suite(resources_suite);
