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
		spread_add(&shared->naps[shared->storm], now_us() - start - NAP_NS / 1e3);
	}
}
