// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How long is a CPU held? In real time nothing keeps this process from running
 * but what the kernel does with preemption or bottom halves disabled.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "world.h"

#define NAP_NS 1000000

/*
 * A quantum is far below. But an emulated CPU is itself kept waiting by a busy
 * host, now and then and for long; a kernel that holds on does it all the time.
 */
#define LONG_US		(100000 * patience())
#define FAR_TOO_LONG_US	(20000000 * patience())

unsigned int patience(void)
{
	const char *factor = getenv("PATIENCE");

	return factor && atoi(factor) > 0 ? atoi(factor) : 1;
}

double now_us(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

void bystander(struct shared *shared, int cpu)
{
	struct sched_param param = { .sched_priority = 50 };
	struct timespec nap = { .tv_nsec = NAP_NS };
	uint64_t late, limit = LONG_US;
	cpu_set_t set;
	double start;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		broken(shared, "no real time for the bystander");
	while (!shared->stop) {
		start = now_us();
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		late = now_us() - start - NAP_NS / 1e3;
		if (late > shared->held_us)
			shared->held_us = late;
		COUNT(shared, naps);
		if (late > limit)
			COUNT(shared, held_often);
	}
}

bool bystander_content(const struct shared *shared)
{
	printf("# of %llu naps %llu ended more than %u ms late, the worst %llu us\n",
	       (unsigned long long)shared->naps,
	       (unsigned long long)shared->held_often, LONG_US / 1000,
	       (unsigned long long)shared->held_us);
	return shared->naps > 100 && shared->held_us < FAR_TOO_LONG_US &&
	       shared->held_often <= 3 + shared->naps / 200;
}
