// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets of real cards, from captures that are not part of this tree: they are
 * looked for in the folder that ROX_DATA names. User space only.
 */

#include <stdio.h>
#include <stdlib.h>

#include "packet.h"

#define PCAP_FILE_HEADER	24
#define PCAP_RECORD_HEADER	16
#define ETHERNET_BYTES		14

struct capture {
	FILE *file;
	u8 record[2048];
	u32 bytes;
	u32 by_opcode[256];
};

static void open_capture(struct kunit *test, const char *name, struct capture *c)
{
	const char *folder = getenv("ROX_DATA");
	char path[1024];
	u8 header[PCAP_FILE_HEADER];
	static const u8 magic[] = { 0xd4, 0xc3, 0xb2, 0xa1 };

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", name);
	memset(c, 0, sizeof(*c));
	c->file = fopen(path, "rb");
	if (!c->file)
		kunit_skip(test, "no %s in the folder of ROX_DATA", name);
	KUNIT_ASSERT_EQ(test, fread(header, sizeof(header), 1, c->file), 1);
	KUNIT_ASSERT_MEMEQ(test, header, magic, 4);
}

static bool next_record(struct kunit *test, struct capture *c)
{
	u8 h[PCAP_RECORD_HEADER];

	if (fread(h, sizeof(h), 1, c->file) != 1)
		return false;
	c->bytes = h[8] | (u32)h[9] << 8 | (u32)h[10] << 16 | (u32)h[11] << 24;
	KUNIT_ASSERT_LE(test, c->bytes, sizeof(c->record));
	KUNIT_ASSERT_EQ(test, fread(c->record, c->bytes, 1, c->file), 1);
	return true;
}

static bool is_roce(const struct capture *c, struct frame *f)
{
	u16 type = get_unaligned_be16(c->record + 12);

	return (type == 0x0800 || type == 0x86dd) &&
	       frame_split(c->record + ETHERNET_BYTES,
			   c->bytes - ETHERNET_BYTES, f);
}

static void expect_parse_and_rebuild(struct kunit *test, struct capture *c,
				     const struct frame *f)
{
	u8 icrc[ROX_ICRC_BYTES];
	struct rox_pkt p;

	KUNIT_ASSERT_EQ(test, rox_parse(f->bth, f->bytes, f->bytes, &p),
			ROX_DROP_NONE);
	/* This card sets a reserved bit of the BTH. */
	packet_expect_rebuilt(test, &p, f->bth);
	frame_icrc(f, icrc);
	KUNIT_EXPECT_MEMEQ(test, icrc, f->bth + f->bytes - 4, 4);
	c->by_opcode[p.opcode]++;
}

static void capture__hinic_rc_send(struct kunit *test)
{
	struct capture c;
	struct frame f;
	u32 nr = 0;

	open_capture(test, "hinic-rc-send.pcap", &c);
	while (next_record(test, &c)) {
		if (!is_roce(&c, &f))
			continue;
		expect_parse_and_rebuild(test, &c, &f);
		nr++;
	}
	fclose(c.file);
	KUNIT_EXPECT_EQ(test, nr, 105);
	KUNIT_EXPECT_EQ(test, c.by_opcode[ROX_OP_RC_SEND_FIRST], 33);
	KUNIT_EXPECT_EQ(test, c.by_opcode[ROX_OP_RC_SEND_LAST_WITH_IMM], 33);
	KUNIT_EXPECT_EQ(test, c.by_opcode[ROX_OP_RC_SEND_ONLY_WITH_IMM], 2);
	KUNIT_EXPECT_EQ(test, c.by_opcode[ROX_OP_RC_ACKNOWLEDGE], 37);
}

static struct kunit_case capture_cases[] = {
	KUNIT_CASE(capture__hinic_rc_send),
	{}
};

static struct kunit_suite capture_suite = {
	.name = "capture",
	.test_cases = capture_cases,
};

kunit_test_suite(capture_suite);
