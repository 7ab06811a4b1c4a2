// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <kunit/test.h>

#include "proto/aeth.h"

/* IBA table 45, as printed there: milliseconds, times 100. */
static void rox_rnr_ns__whole_table(struct kunit *test)
{
	static const u32 ms100[32] = {
		65536, 1, 2, 3, 4, 6, 8, 12,
		16, 24, 32, 48, 64, 96, 128, 192,
		256, 384, 512, 768, 1024, 1536, 2048, 3072,
		4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
	};
	u8 code;

	for (code = 0; code < 32; code++)
		KUNIT_EXPECT_EQ_MSG(test, rox_rnr_ns(code),
				    ms100[code] * 10000ull,
				    "code %u", code);
}

static void rox_rnr_ns__grows_but_for_code_zero(struct kunit *test)
{
	u8 code;

	for (code = 2; code < 32; code++)
		KUNIT_EXPECT_GT(test, rox_rnr_ns(code), rox_rnr_ns(code - 1));
	KUNIT_EXPECT_GT(test, rox_rnr_ns(0), rox_rnr_ns(31));
}

static void rox_rnr_ns__takes_a_whole_syndrome(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_rnr_ns(ROX_AETH_RNR_NAK | 12), rox_rnr_ns(12));
	KUNIT_EXPECT_EQ(test, rox_rnr_ns(0xff), rox_rnr_ns(31));
}

static void rox_ack_timeout_ns__known(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(1), 8192);
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(14), 67108864);
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(18), 1073741824);
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(31), 8796093022208);
}

static void rox_ack_timeout_ns__doubles(struct kunit *test)
{
	u8 code;

	for (code = 2; code < 32; code++)
		KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(code),
				2 * rox_ack_timeout_ns(code - 1));
}

static void rox_ack_timeout_ns__zero_is_never(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(0), ROX_TIME_NEVER);
	KUNIT_EXPECT_EQ(test, rox_ack_timeout_ns(32), ROX_TIME_NEVER);
}

static struct kunit_case aeth_cases[] = {
	KUNIT_CASE(rox_rnr_ns__whole_table),
	KUNIT_CASE(rox_rnr_ns__grows_but_for_code_zero),
	KUNIT_CASE(rox_rnr_ns__takes_a_whole_syndrome),
	KUNIT_CASE(rox_ack_timeout_ns__known),
	KUNIT_CASE(rox_ack_timeout_ns__doubles),
	KUNIT_CASE(rox_ack_timeout_ns__zero_is_never),
	{}
};

static struct kunit_suite aeth_suite = {
	.name = "aeth",
	.test_cases = aeth_cases,
};

kunit_test_suite(aeth_suite);
