// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <kunit/test.h>

#include "proto/psn.h"

static void rox_psn_add__wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_psn_add(0, 1), 1);
	KUNIT_EXPECT_EQ(test, rox_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, rox_psn_add(0xfffff0, 0x20), 0x10);
	KUNIT_EXPECT_EQ(test, rox_psn_add(5, 0), 5);
	KUNIT_EXPECT_EQ(test, rox_psn_add(5, 0x1000000), 5);
}

static void rox_psn_sub__wraps(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_psn_sub(1, 1), 0);
	KUNIT_EXPECT_EQ(test, rox_psn_sub(0, 1), 0xffffff);
	KUNIT_EXPECT_EQ(test, rox_psn_sub(0x10, 0x20), 0xfffff0);
}

static void rox_psn_diff__small(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_psn_diff(7, 7), 0);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(8, 7), 1);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(7, 8), -1);
}

static void rox_psn_diff__across_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_psn_diff(0, 0xffffff), 1);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(0xffffff, 0), -1);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(0x10, 0xfffff0), 0x20);
}

static void rox_psn_diff__half(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_psn_diff(ROX_PSN_HALF - 1, 0),
			(s32)ROX_PSN_HALF - 1);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(ROX_PSN_HALF, 0),
			-(s32)ROX_PSN_HALF);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(0, ROX_PSN_HALF),
			-(s32)ROX_PSN_HALF);
	KUNIT_EXPECT_EQ(test, rox_psn_diff(0, ROX_PSN_HALF + 1),
			(s32)ROX_PSN_HALF - 1);
}

/* Whatever the two are, b + (a - b) is a again. */
static void rox_psn_diff__every_distance(struct kunit *test)
{
	u32 base[] = { 0, 1, 0x7fffff, 0x800000, 0xfffffe, 0xffffff };
	u32 i, d, bad = 0;

	for (i = 0; i < ARRAY_SIZE(base); i++)
		for (d = 0; d <= ROX_PSN_MASK; d += 0xff1)
			bad += rox_psn_add(base[i],
				(u32)rox_psn_diff(rox_psn_add(base[i], d),
						  base[i])) !=
			       rox_psn_add(base[i], d);
	KUNIT_EXPECT_EQ(test, bad, 0);
}

static void rox_psn_before__is_strict(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, rox_psn_before(3, 3));
	KUNIT_EXPECT_TRUE(test, rox_psn_before(3, 4));
	KUNIT_EXPECT_TRUE(test, rox_psn_before(0xffffff, 0));
	KUNIT_EXPECT_FALSE(test, rox_psn_before(0, 0xffffff));
}

static void rox_psn_after__is_strict(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, rox_psn_after(3, 3));
	KUNIT_EXPECT_TRUE(test, rox_psn_after(4, 3));
	KUNIT_EXPECT_TRUE(test, rox_psn_after(0, 0xffffff));
	KUNIT_EXPECT_FALSE(test, rox_psn_after(0xffffff, 0));
}

static struct kunit_case psn_cases[] = {
	KUNIT_CASE(rox_psn_add__wraps),
	KUNIT_CASE(rox_psn_sub__wraps),
	KUNIT_CASE(rox_psn_diff__small),
	KUNIT_CASE(rox_psn_diff__across_zero),
	KUNIT_CASE(rox_psn_diff__half),
	KUNIT_CASE(rox_psn_diff__every_distance),
	KUNIT_CASE(rox_psn_before__is_strict),
	KUNIT_CASE(rox_psn_after__is_strict),
	{}
};

static struct kunit_suite psn_suite = {
	.name = "psn",
	.test_cases = psn_cases,
};

kunit_test_suite(psn_suite);
