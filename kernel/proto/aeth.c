// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the tables of times that the wire carries as codes. */

#include "aeth.h"

#define RNR_UNIT_NS	10000ULL
#define ACK_UNIT_NS	4096ULL

/* IBA table 45, in units of 10 us. */
static const u32 rnr_units[32] = {
	65536,	1,	2,	3,	4,	6,	8,	12,
	16,	24,	32,	48,	64,	96,	128,	192,
	256,	384,	512,	768,	1024,	1536,	2048,	3072,
	4096,	6144,	8192,	12288,	16384,	24576,	32768,	49152,
};

u64 rox_rnr_ns(u8 code)
{
	return rnr_units[code & ROX_AETH_VALUE_MASK] * RNR_UNIT_NS;
}

u64 rox_ack_timeout_ns(u8 code)
{
	code &= 0x1f;
	return code ? ACK_UNIT_NS << code : ROX_TIME_NEVER;
}
