// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the CRC-32 that user space lends to the protocol core. */

#include "proto/icrc.h"

static u32 table[256];

static void __attribute__((constructor)) fill_table(void)
{
	u32 i, bit, crc;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		crc = i;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
		table[i] = crc;
	}
}

u32 rox_crc32(u32 crc, const void *data, size_t bytes)
{
	const u8 *b = data;

	while (bytes--)
		crc = crc >> 8 ^ table[(crc ^ *b++) & 0xff];
	return crc;
}
