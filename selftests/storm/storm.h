/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What every storm needs: decisions that a seed repeats, time, and the places
 * (device and GID) that there are at the moment.
 */
#ifndef STORM_H
#define STORM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct rng {
	uint64_t state;
};

/* Streams of one seed have nothing to do with each other. */
struct rng rng_of(uint64_t seed, uint64_t stream);
uint32_t draw(struct rng *rng, uint32_t below);		/* 0 if below is 0 */
bool chance(struct rng *rng, uint32_t percent);

double now(void);		/* seconds */
/* How many times longer everything may take here: $PATIENCE of tap.sh. */
double patience(void);
void pause_ms(uint32_t ms);

/* A RoCE v2 GID that is an IPv4 address. */
struct place {
	char device[IBV_SYSFS_NAME_MAX];
	int gid_index;
	union ibv_gid gid;
};

/* From sysfs: nothing is opened. How many, at most max. */
int find_places(struct place *places, int max);
/* The first one of @device, or of any if that is NULL. */
bool find_place(const char *device, struct place *place);
/* Addresses of one /24, which is how the storms lay their networks out. */
bool neighbours(const struct place *a, const struct place *b);

/*
 * Kilobytes that are free, caches dropped; what was freed by RCU and from work
 * items is not there at once, and waited for a little.
 */
long settled_memory(void);

/* What the kernel says of a task that is where it should not be. */
void show_task(int pid);

#endif
