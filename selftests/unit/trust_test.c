// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Tests of when super-packets need no ICRC. */

#include <kunit/test.h>

#include "proto/trust.h"

static void rox_trust__begins_with_what_arrives_from_now_on(struct kunit *test)
{
	struct rox_trust t = {};

	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 0, 0, 5));
	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 0, 0, 5));
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 0, 0, 6));
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 0, 0, 6));
}

static void rox_trust__ends_with_a_loss(struct kunit *test)
{
	struct rox_trust t = {};

	rox_trust(&t, 0, 0, 0);
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 0, 0, 1));
	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 1, 1, 1));
	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 1, 1, 2));
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 1, 1, 3));
}

static void rox_trust__takes_twice_as_much_each_time_something_was_damaged(struct kunit *test)
{
	struct rox_trust t = {};
	u32 losses, received = 0xfffffff0, n;

	rox_trust(&t, 0, 0, received);
	for (losses = 1; losses <= 20; losses++) {
		for (n = 0; !rox_trust(&t, losses - 1, losses - 1, received); n++)
			received++;
		KUNIT_EXPECT_EQ(test, n, 1u << min(losses - 1, 12U));
		KUNIT_EXPECT_FALSE(test, rox_trust(&t, losses, losses, received));
	}
}

static void rox_trust__losses_that_damaged_nothing_cost_one_arrival(struct kunit *test)
{
	struct rox_trust t = {};
	u32 losses, received = 0;

	rox_trust(&t, 0, 5, received);
	for (losses = 1; losses <= 20; losses++) {
		KUNIT_EXPECT_TRUE(test, rox_trust(&t, losses - 1, 5, ++received));
		KUNIT_EXPECT_FALSE(test, rox_trust(&t, losses, 5, received));
	}
}

static void rox_trust__losses_without_trust_cost_nothing(struct kunit *test)
{
	struct rox_trust t = {};
	u32 losses;

	for (losses = 0; losses < 100; losses++)
		KUNIT_EXPECT_FALSE(test, rox_trust(&t, losses, 0, 7));
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 99, 0, 8));
}

static void rox_trust__not_of_a_receiver_that_was_reset(struct kunit *test)
{
	struct rox_trust t = {};

	rox_trust(&t, 0, 0, 10);
	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 0, 0, 0));
	KUNIT_EXPECT_FALSE(test, rox_trust(&t, 0, 0, 9));
	KUNIT_EXPECT_TRUE(test, rox_trust(&t, 0, 0, 11));
}

static struct kunit_case trust_cases[] = {
	KUNIT_CASE(rox_trust__begins_with_what_arrives_from_now_on),
	KUNIT_CASE(rox_trust__ends_with_a_loss),
	KUNIT_CASE(rox_trust__takes_twice_as_much_each_time_something_was_damaged),
	KUNIT_CASE(rox_trust__losses_that_damaged_nothing_cost_one_arrival),
	KUNIT_CASE(rox_trust__losses_without_trust_cost_nothing),
	KUNIT_CASE(rox_trust__not_of_a_receiver_that_was_reset),
	{}
};

static struct kunit_suite trust_suite = {
	.name = "trust",
	.test_cases = trust_cases,
};

kunit_test_suite(trust_suite);
