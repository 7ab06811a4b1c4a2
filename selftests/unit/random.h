/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A seeded generator (splitmix64): the same numbers on every machine. */
#ifndef ROX_UNIT_RANDOM_H
#define ROX_UNIT_RANDOM_H

#include "proto/types.h"

struct random {
	u64 state;
};

static inline u64 random_u64(struct random *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* From 0 up to, but not including, @n. */
static inline u32 random_below(struct random *r, u32 n)
{
	return (u32)(random_u64(r) % n);
}

static inline void random_fill(struct random *r, void *to, size_t bytes)
{
	u8 *b = to;

	while (bytes--)
		*b++ = (u8)random_u64(r);
}

#endif
