// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <kunit/test.h>

#include "proto/drop.h"
#include "proto/types.h"

static void rox_drop_name__known(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, rox_drop_name(ROX_DROP_NONE), "none");
	KUNIT_EXPECT_STREQ(test, rox_drop_name(ROX_DROP_ICRC), "icrc");
	KUNIT_EXPECT_STREQ(test, rox_drop_name(ROX_DROP_UNSUPPORTED),
			   "unsupported");
}

static bool is_counter_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz_");

	return n && !s[n];
}

static void rox_drop_name__all_different(struct kunit *test)
{
	int i, k;

	for (i = 0; i < ROX_DROP_NR; i++) {
		KUNIT_EXPECT_TRUE_MSG(test, is_counter_name(rox_drop_name(i)),
				      "reason %d", i);
		KUNIT_EXPECT_TRUE(test, strcmp(rox_drop_name(i), "invalid"));
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_TRUE(test, strcmp(rox_drop_name(i),
						       rox_drop_name(k)));
	}
}

static void rox_drop_name__out_of_range(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, rox_drop_name(ROX_DROP_NR), "invalid");
	KUNIT_EXPECT_STREQ(test, rox_drop_name((enum rox_drop)-1), "invalid");
}

static struct kunit_case drop_cases[] = {
	KUNIT_CASE(rox_drop_name__known),
	KUNIT_CASE(rox_drop_name__all_different),
	KUNIT_CASE(rox_drop_name__out_of_range),
	{}
};

static struct kunit_suite drop_suite = {
	.name = "drop",
	.test_cases = drop_cases,
};

kunit_test_suite(drop_suite);
