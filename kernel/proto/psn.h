/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Arithmetic on packet and message sequence numbers, modulo 2^24 (IBA 9.7.1). */
#ifndef ROX_PROTO_PSN_H
#define ROX_PROTO_PSN_H

#include "types.h"

#define ROX_PSN_MASK		0xffffffu

/* The largest distance at which "before" and "after" are still told apart. */
#define ROX_PSN_HALF		0x800000u

static inline u32 rox_psn_add(u32 psn, u32 n)
{
	return (psn + n) & ROX_PSN_MASK;
}

static inline u32 rox_psn_sub(u32 psn, u32 n)
{
	return (psn - n) & ROX_PSN_MASK;
}

/* Signed distance a - b: negative if a is before b. */
static inline s32 rox_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline bool rox_psn_before(u32 a, u32 b)
{
	return rox_psn_diff(a, b) < 0;
}

static inline bool rox_psn_after(u32 a, u32 b)
{
	return rox_psn_diff(a, b) > 0;
}

#endif
