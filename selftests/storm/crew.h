/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A crew of processes that do the same over and over, and a foreman who starts
 * them, may kill them at random points, starts others in their place, and finds
 * out when one hangs or cannot be killed.
 */
#ifndef STORM_CREW_H
#define STORM_CREW_H

#include <stdatomic.h>
#include <sys/types.h>

#include "storm.h"

/* A worker's, in memory that the foreman sees. */
struct worker {
	_Atomic uint64_t beat;		/* moves on while the worker does */
	_Atomic uint64_t sessions;	/* rounds finished */
	_Atomic uint64_t done;		/* completions, or calls, that went well */
	_Atomic uint64_t errors;	/* that did not, as may be */
	_Atomic uint64_t bad;		/* what must never be */
	_Atomic uint64_t refused;	/* for a limit that must be felt */
	_Atomic uint64_t moved;		/* messages that came through */
	_Atomic int at;			/* line of the program, for who looks after it */
	char why[128];			/* what was bad */
	pid_t pid;
	int nr;
};

/* Options of a crew's program; the rest of the arguments begins at optind. */
struct crew {
	const char *name;
	uint64_t seed;
	double seconds;
	int workers;
	int kill_ms;			/* between two kills on average; 0: none */
	double limit;			/* seconds until a worker counts as hung */
	int least;			/* sessions before it may end */
	bool strict;			/* nothing may fail: the device stays */
	bool must_refuse;		/* see worker.refused */
	bool must_move;			/* see worker.moved */
	const char *device;		/* NULL: any */
	uint64_t flags;			/* the program's own: bit N for option -o N */
};

/* Where this crew may be: find_places() without other devices. */
int crew_places(const struct crew *crew, struct place *places, int max);
struct crew crew_options(int argc, char **argv, const char *name);
/* work() is one session, called until the time is over. What main() returns. */
int run_crew(const struct crew *crew,
	     void (*work)(struct worker *worker, struct rng *rng,
			  const struct crew *crew));

#define BEAT(worker) \
	do { \
		(worker)->beat++; \
		(worker)->at = __LINE__; \
	} while (0)

void is_bad(struct worker *worker, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
