// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains functions that run the registered suites and print TAP.
 * Arguments select cases whose "suite.case" contains one of them.
 */

#include <stdarg.h>
#include <stdio.h>

#include <kunit/test.h>

static struct kunit_suite *suites, **suites_end = &suites;

void kunit_register(struct kunit_suite *suite)
{
	*suites_end = suite;
	suites_end = &suite->next;
}

static void say(const char *prefix, const char *fmt, va_list ap)
{
	printf("# %s", prefix);
	vprintf(fmt, ap);
	putchar('\n');
}

void kunit_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void kunit_why(const char *fmt, ...)
{
	va_list ap;

	if (!strcmp(fmt, "with "))
		return;
	va_start(ap, fmt);
	say("  ", fmt, ap);
	va_end(ap);
}

void kunit_number(const char *label, __int128 v)
{
	if (v < 0)
		kunit_say("  %s = %lld", label, (long long)v);
	else
		kunit_say("  %s = %llu (0x%llx)", label,
			  (unsigned long long)v, (unsigned long long)v);
}

void kunit_bytes(const char *label, const void *p, size_t n)
{
	const unsigned char *b = p;
	size_t i;

	printf("#   %s =", label);
	for (i = 0; i < n; i++)
		printf("%s%02x", i % 4 ? "" : " ", b[i]);
	putchar('\n');
}

static bool is_wanted(const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(name, argv[i]))
			return true;
	return argc < 2;
}

/* Counts outcomes: [0] passed, [1] failed, [2] skipped. */
static void run_case(const struct kunit_case *c, const char *name, int counts[3])
{
	struct kunit test = { .failed = false };
	int nr = counts[0] + counts[1] + counts[2] + 1;

	if (!setjmp(test.stop))
		c->run_case(&test);
	printf("%s %d - %s", test.failed ? "not ok" : "ok", nr, name);
	if (test.skip[0])
		printf(" # SKIP %s", test.skip);
	putchar('\n');
	fflush(stdout);
	counts[test.failed ? 1 : test.skip[0] ? 2 : 0]++;
}

int main(int argc, char **argv)
{
	const struct kunit_suite *s;
	const struct kunit_case *c;
	int counts[3] = { 0 };
	char name[256];

	puts("TAP version 13");
	for (s = suites; s; s = s->next) {
		for (c = s->test_cases; c->run_case; c++) {
			snprintf(name, sizeof(name), "%s.%s", s->name, c->name);
			if (is_wanted(name, argc, argv))
				run_case(c, name, counts);
		}
	}
	printf("1..%d\n", counts[0] + counts[1] + counts[2]);
	printf("# unit: %d passed, %d failed, %d skipped\n",
	       counts[0], counts[1], counts[2]);
	return counts[1] || !(counts[0] + counts[2]);
}
