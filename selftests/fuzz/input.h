/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fuzzer's bytes, read as choices from the front; zeros after the end. And
 * the assertion of an invariant: it aborts, which the fuzzer takes for a crash.
 */
#ifndef ROX_FUZZ_INPUT_H
#define ROX_FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>

#include "proto/types.h"

#define CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s: broken: %s\n", __FILE__,	\
			__LINE__, __func__, #cond);			\
		abort();						\
	}								\
} while (0)

struct input {
	const u8 *at;
	size_t left;
};

static inline u8 take_u8(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->at++;
}

static inline u16 take_u16(struct input *in)
{
	u16 high = take_u8(in);

	return (u16)(high << 8 | take_u8(in));
}

static inline u32 take_u32(struct input *in)
{
	u32 high = take_u16(in);

	return high << 16 | take_u16(in);
}

/* The interface of libFuzzer. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif
