// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How fast a program's memcpy() is, for who compares: memcpy BYTES says MB/s. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG_ENOUGH	200000000 /* ns */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) : 65536;
	uint64_t start, ns, blocks = 0;
	char *from, *to;

	from = malloc(bytes);
	to = malloc(bytes);
	if (!bytes || !from || !to)
		return 1;
	memset(from, 1, bytes);
	memset(to, 0, bytes);
	start = now();
	do {
		memcpy(to, from, bytes);
		/* Or the compiler sees that nobody reads it. */
		__asm__ volatile("" : : "r"(to) : "memory");
		blocks++;
		ns = now() - start;
	} while (ns < LONG_ENOUGH);
	printf("%.0f\n", (double)blocks * (double)bytes * 1000 / (double)ns);
	return 0;
}
