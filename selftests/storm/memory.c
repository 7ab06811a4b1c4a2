// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "storm.h"

static void drop_caches(void)
{
	FILE *file = fopen("/proc/sys/vm/drop_caches", "w");

	if (file) {
		fputs("3", file);
		fclose(file);
	}
}

/* With what processors keep to themselves, which may be tens of megabytes. */
static long free_memory(void)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	long pages = 0, some;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &some) == 1 ||
		    sscanf(line, " count: %ld", &some) == 1)
			pages += some;
	if (file)
		fclose(file);
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

long settled_memory(void)
{
	long kb = 0, before;
	int i;

	for (i = 0; i < 10 * patience(); i++) {
		before = kb;
		drop_caches();
		kb = free_memory();
		if (labs(kb - before) < 256)
			break;
		pause_ms(100);
	}
	return kb;
}
