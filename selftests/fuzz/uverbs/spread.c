// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* How times are spread, in steps of a quarter. */
#include <stdio.h>

#include "world.h"

static unsigned int step_of(uint64_t us)
{
	unsigned int log, step = us;

	if (us >= 4) {
		log = 63 - __builtin_clzll(us);
		step = (log - 1) * 4 + (us >> (log - 2) & 3);
	}
	return step < SPREAD_STEPS ? step : SPREAD_STEPS - 1;
}

static uint64_t end_of(unsigned int step)
{
	return step < 4 ? step + 1 : (4ULL + step % 4 + 1) << (step / 4 - 1);
}

void spread_add(struct spread *spread, uint64_t us)
{
	__atomic_add_fetch(&spread->nr[step_of(us)], 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&spread->all, 1, __ATOMIC_RELAXED);
	if (us > spread->worst)
		spread->worst = us;
}

uint64_t spread_below(const struct spread *spread, double part)
{
	uint64_t want = spread->all * part, seen = 0;
	unsigned int step;

	for (step = 0; step < SPREAD_STEPS - 1; step++) {
		seen += spread->nr[step];
		if (seen >= want)
			break;
	}
	return end_of(step) < spread->worst ? end_of(step) : spread->worst;
}

void spread_print(const struct spread *spread, const char *what)
{
	printf("# %s: %llu, half in %llu us, 99 %% in %llu us, 99.9 %% in %llu us, the worst %llu us\n",
	       what, (unsigned long long)spread->all,
	       (unsigned long long)spread_below(spread, 0.5),
	       (unsigned long long)spread_below(spread, 0.99),
	       (unsigned long long)spread_below(spread, 0.999),
	       (unsigned long long)spread->worst);
}
