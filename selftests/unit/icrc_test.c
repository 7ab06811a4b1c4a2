// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include "packet.h"
#include "proto/icrc.h"

/* Captured on a ConnectX-4 Lx. */
static const char cnp_hex[] =
	"45c2003c718c4000401191610a0011010a001201 000012b700280000"
	"8100ffff4000011800000000 00000000000000000000000000000000 82fd002a";

/* A UC SEND_ONLY that scapy's tests have. */
static const char uc_send_hex[] =
	"45010040047840004011b4d5c0a80007c0a80007 c00012b7002caca2"
	"2460ffff000000d300cf1710"
	"4630818be28935d90e9a95505401be885e500000 78f353f3";

/* Made up, its ICRC too. */
static const char v6_hex[] =
	"6a5c0def001c1105 20010db8000000000000000000000001"
	"20010db8000000000000000000000002 c00012b7001cbeef"
	"04c0ffffbf00001180000007 01020304 00000000";

/* Reads @hex into @buf and splits it; the ICRC in it may be wrong. */
static void load(struct kunit *test, const char *hex, u8 *buf, u32 room,
		 struct frame *f)
{
	u32 n = hex_bytes(hex, buf, room);

	KUNIT_ASSERT_TRUE(test, frame_split(buf, n, f));
}

static u32 icrc_of(const struct frame *f)
{
	u8 b[ROX_ICRC_BYTES];

	frame_icrc(f, b);
	return get_unaligned_be32(b);
}

static void rox_crc32__check_value(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, ~rox_crc32(~0u, "123456789", 9), 0xcbf43926);
	KUNIT_EXPECT_EQ(test, rox_crc32(0x12345678, "", 0), 0x12345678);
}

static void rox_crc32__in_pieces(struct kunit *test)
{
	u32 crc = rox_crc32(~0u, "1234", 4);

	KUNIT_EXPECT_EQ(test, ~rox_crc32(crc, "56789", 5), 0xcbf43926);
}

static void rox_icrc_begin_v4__seed_is_eight_ones(struct kunit *test)
{
	u8 ones[8];

	memset(ones, 0xff, sizeof(ones));
	KUNIT_EXPECT_EQ(test, rox_crc32(~0u, ones, 8), 0xdebb20e3);
}

static void rox_icrc_begin_v4__connectx_cnp(struct kunit *test)
{
	struct frame f;
	u8 buf[64];

	load(test, cnp_hex, buf, sizeof(buf), &f);
	KUNIT_EXPECT_FALSE(test, f.is_ipv6);
	KUNIT_EXPECT_EQ(test, icrc_of(&f), 0x82fd002a);
}

static void rox_icrc_begin_v4__scapy_uc_send(struct kunit *test)
{
	struct frame f;
	u8 buf[64];

	load(test, uc_send_hex, buf, sizeof(buf), &f);
	KUNIT_EXPECT_EQ(test, icrc_of(&f), 0x78f353f3);
}

/* Flips each bit of the first @bytes; counts those the ICRC does not notice. */
static u32 count_unseen(u8 *at, u32 bytes, const struct frame *f)
{
	u32 want = icrc_of(f), bit, unseen = 0;

	for (bit = 0; bit < 8 * bytes; bit++) {
		at[bit / 8] ^= (u8)(1 << bit % 8);
		unseen += icrc_of(f) == want;
		at[bit / 8] ^= (u8)(1 << bit % 8);
	}
	return unseen;
}

/* All that may change on the way, and nothing else, is left out. */
static void rox_icrc_begin_v4__masks(struct kunit *test)
{
	struct frame f;
	u8 buf[64];

	load(test, cnp_hex, buf, sizeof(buf), &f);
	KUNIT_EXPECT_EQ(test, count_unseen(buf, 20, &f), 8 + 8 + 16);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 1, 1, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 8, 1, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 10, 2, &f), 16);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 20, 8, &f), 16);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 26, 2, &f), 16);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 28, 12, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 32, 1, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 40, 16, &f), 0);
}

static void rox_icrc_begin_v6__masks(struct kunit *test)
{
	struct frame f;
	u8 buf[80];

	load(test, v6_hex, buf, sizeof(buf), &f);
	KUNIT_EXPECT_TRUE(test, f.is_ipv6);
	KUNIT_EXPECT_EQ(test, count_unseen(buf, 40, &f), 8 + 20 + 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf, 4, &f), 8 + 20);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 7, 1, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 40, 8, &f), 16);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 48, 12, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 52, 1, &f), 8);
	KUNIT_EXPECT_EQ(test, count_unseen(buf + 60, 4, &f), 0);
}

static void rox_icrc_begin_v6__version_counts(struct kunit *test)
{
	struct frame f;
	u8 buf[80];
	u32 was;

	load(test, v6_hex, buf, sizeof(buf), &f);
	was = icrc_of(&f);
	buf[0] ^= 0x10;
	KUNIT_EXPECT_NE(test, icrc_of(&f), was);
}

static void rox_icrc_end__least_significant_first(struct kunit *test)
{
	u8 out[4];

	rox_icrc_end(~0x01020304u, out);
	KUNIT_EXPECT_MEMEQ(test, out, "\x04\x03\x02\x01", 4);
}

static struct kunit_case icrc_cases[] = {
	KUNIT_CASE(rox_crc32__check_value),
	KUNIT_CASE(rox_crc32__in_pieces),
	KUNIT_CASE(rox_icrc_begin_v4__seed_is_eight_ones),
	KUNIT_CASE(rox_icrc_begin_v4__connectx_cnp),
	KUNIT_CASE(rox_icrc_begin_v4__scapy_uc_send),
	KUNIT_CASE(rox_icrc_begin_v4__masks),
	KUNIT_CASE(rox_icrc_begin_v6__masks),
	KUNIT_CASE(rox_icrc_begin_v6__version_counts),
	KUNIT_CASE(rox_icrc_end__least_significant_first),
	{}
};

static struct kunit_suite icrc_suite = {
	.name = "icrc",
	.test_cases = icrc_cases,
};

kunit_test_suite(icrc_suite);
