/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Test Anything Protocol, as little of it as is needed. */
#ifndef ROX_TEST_TAP_H
#define ROX_TEST_TAP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct tap_case {
	const char *name;
	void (*run)(void);
};

#define TAP_CASE(fn) { #fn, fn }

static bool tap_failed;

#define EXPECT(cond)                                                    \
	do {                                                            \
		if (!(cond)) {                                          \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond);\
			tap_failed = true;                              \
		}                                                       \
	} while (0)

#define EXPECT_EQ(a, b)                                                 \
	do {                                                            \
		long long a_ = (long long)(a), b_ = (long long)(b);     \
		if (a_ != b_) {                                         \
			printf("# %s:%d: %s is %lld, %s is %lld\n",     \
			       __FILE__, __LINE__, #a, a_, #b, b_);     \
			tap_failed = true;                              \
		}                                                       \
	} while (0)

static inline int tap_run(const struct tap_case *cases, int n)
{
	int bad = 0, i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n1..%d\n", n);
	for (i = 0; i < n; i++) {
		tap_failed = false;
		cases[i].run();
		bad += tap_failed;
		printf("%sok %d - %s\n", tap_failed ? "not " : "", i + 1,
		       cases[i].name);
	}
	return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TAP_MAIN(cases)                                                 \
	int main(void)                                                  \
	{                                                               \
		return tap_run(cases, sizeof(cases) / sizeof(cases[0]));\
	}

/* A generator that repeats itself from a seed (Marsaglia's xorshift). */
static inline unsigned int tap_random(unsigned int *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

#endif
