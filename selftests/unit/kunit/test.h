/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * As much of the kernel's <kunit/test.h> as the suites here use, for user
 * space. A suite includes <kunit/test.h> and builds in both homes.
 */
#ifndef KUNIT_TEST_H
#define KUNIT_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

struct kunit {
	bool failed;
	char skip[128];		/* why; empty: not skipped */
	jmp_buf stop;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;	/* ends with {} */
	struct kunit_suite *next;
};

void kunit_register(struct kunit_suite *suite);
void kunit_say(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));
void kunit_number(const char *label, __int128 v);
void kunit_bytes(const char *label, const void *p, size_t n);
void kunit_why(const char *fmt, ...)
	__attribute__((format(printf, 1, 2)));

#define KUNIT_CASE(fn) { .run_case = (fn), .name = #fn }

#define kunit_test_suite(s)						\
	static void __attribute__((constructor)) register_##s(void)	\
	{								\
		kunit_register(&(s));					\
	}

#define kunit_skip(t, fmt, ...) do {					\
	snprintf((t)->skip, sizeof((t)->skip), fmt, ##__VA_ARGS__);	\
	longjmp((t)->stop, 1);						\
} while (0)

#define kunit_info(t, fmt, ...) kunit_say(fmt, ##__VA_ARGS__)

#define KUNIT_FAIL_(t, fatal, what, ...) do {				\
	(t)->failed = true;						\
	kunit_say("%s:%d: %s: %s", __FILE__, __LINE__, __func__, what);	\
	kunit_why("with " __VA_ARGS__);					\
	if (fatal)							\
		longjmp((t)->stop, 1);					\
} while (0)

#define KUNIT_OP_(t, fatal, l, op, r, ...) do {				\
	__int128 l_ = (__int128)(l), r_ = (__int128)(r);		\
	if (l_ op r_)							\
		break;							\
	kunit_number(#l, l_);						\
	kunit_number(#r, r_);						\
	KUNIT_FAIL_(t, fatal, #l " " #op " " #r, ##__VA_ARGS__);	\
} while (0)

#define KUNIT_IF_(t, fatal, cond, what, ...) do {			\
	if (!(cond))							\
		KUNIT_FAIL_(t, fatal, what, ##__VA_ARGS__);		\
} while (0)

#define KUNIT_MEM_(t, fatal, l, r, n, ...) do {				\
	if (!memcmp(l, r, n))						\
		break;							\
	kunit_bytes(#l, l, n);						\
	kunit_bytes(#r, r, n);						\
	KUNIT_FAIL_(t, fatal, #l " has the bytes of " #r, ##__VA_ARGS__); \
} while (0)

#define KUNIT_STR_(t, fatal, l, r, ...) do {				\
	if (!strcmp(l, r))						\
		break;							\
	kunit_say("  \"%s\" is not \"%s\"", l, r);			\
	KUNIT_FAIL_(t, fatal, #l " reads " #r, ##__VA_ARGS__);		\
} while (0)

#define KUNIT_FAIL(t, ...) KUNIT_FAIL_(t, 0, "reached", ##__VA_ARGS__)

#define KUNIT_EXPECT_EQ(t, l, r) KUNIT_OP_(t, 0, l, ==, r)
#define KUNIT_EXPECT_NE(t, l, r) KUNIT_OP_(t, 0, l, !=, r)
#define KUNIT_EXPECT_LT(t, l, r) KUNIT_OP_(t, 0, l, <, r)
#define KUNIT_EXPECT_LE(t, l, r) KUNIT_OP_(t, 0, l, <=, r)
#define KUNIT_EXPECT_GT(t, l, r) KUNIT_OP_(t, 0, l, >, r)
#define KUNIT_EXPECT_GE(t, l, r) KUNIT_OP_(t, 0, l, >=, r)
#define KUNIT_EXPECT_TRUE(t, c) KUNIT_IF_(t, 0, c, #c)
#define KUNIT_EXPECT_FALSE(t, c) KUNIT_IF_(t, 0, !(c), "not " #c)
#define KUNIT_EXPECT_NULL(t, p) KUNIT_IF_(t, 0, !(p), #p " is NULL")
#define KUNIT_EXPECT_NOT_NULL(t, p) KUNIT_IF_(t, 0, p, #p " is not NULL")
#define KUNIT_EXPECT_PTR_EQ(t, l, r) KUNIT_IF_(t, 0, (l) == (r), #l " is " #r)
#define KUNIT_EXPECT_MEMEQ(t, l, r, n) KUNIT_MEM_(t, 0, l, r, n)
#define KUNIT_EXPECT_STREQ(t, l, r) KUNIT_STR_(t, 0, l, r)

#define KUNIT_ASSERT_EQ(t, l, r) KUNIT_OP_(t, 1, l, ==, r)
#define KUNIT_ASSERT_NE(t, l, r) KUNIT_OP_(t, 1, l, !=, r)
#define KUNIT_ASSERT_LT(t, l, r) KUNIT_OP_(t, 1, l, <, r)
#define KUNIT_ASSERT_LE(t, l, r) KUNIT_OP_(t, 1, l, <=, r)
#define KUNIT_ASSERT_GT(t, l, r) KUNIT_OP_(t, 1, l, >, r)
#define KUNIT_ASSERT_GE(t, l, r) KUNIT_OP_(t, 1, l, >=, r)
#define KUNIT_ASSERT_TRUE(t, c) KUNIT_IF_(t, 1, c, #c)
#define KUNIT_ASSERT_FALSE(t, c) KUNIT_IF_(t, 1, !(c), "not " #c)
#define KUNIT_ASSERT_NULL(t, p) KUNIT_IF_(t, 1, !(p), #p " is NULL")
#define KUNIT_ASSERT_NOT_NULL(t, p) KUNIT_IF_(t, 1, p, #p " is not NULL")
#define KUNIT_ASSERT_MEMEQ(t, l, r, n) KUNIT_MEM_(t, 1, l, r, n)
#define KUNIT_ASSERT_STREQ(t, l, r) KUNIT_STR_(t, 1, l, r)

/* The same with a message: the values of the round that failed. */
#define KUNIT_EXPECT_EQ_MSG(t, l, r, ...) KUNIT_OP_(t, 0, l, ==, r, __VA_ARGS__)
#define KUNIT_EXPECT_NE_MSG(t, l, r, ...) KUNIT_OP_(t, 0, l, !=, r, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(t, c, ...) KUNIT_IF_(t, 0, c, #c, __VA_ARGS__)
#define KUNIT_EXPECT_FALSE_MSG(t, c, ...) \
	KUNIT_IF_(t, 0, !(c), "not " #c, __VA_ARGS__)
#define KUNIT_EXPECT_MEMEQ_MSG(t, l, r, n, ...) \
	KUNIT_MEM_(t, 0, l, r, n, __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, l, r, ...) KUNIT_OP_(t, 1, l, ==, r, __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) KUNIT_IF_(t, 1, c, #c, __VA_ARGS__)
#define KUNIT_ASSERT_FALSE_MSG(t, c, ...) \
	KUNIT_IF_(t, 1, !(c), "not " #c, __VA_ARGS__)

#endif
