// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * sim: proves the protocol core against a bad network.
 *
 *   sim                     the standard seeds, as TAP
 *   sim --seeds N --from S  N seeds from S on
 *   sim --seed S [-v]       one seed again; -v traces each packet
 *   sim --seconds T         fresh seeds for that long
 *   sim --first ...         stops at the first failure
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim.h"

struct options {
	const char *name;
	u64 from;
	u64 seeds;
	u64 seconds;
	bool verbose;
	u64 most;		/* failures, then it stops */
};

static const char usage[] =
	"usage: sim [-v] [--first] [--seed N | --from N] [--seeds N] [--seconds N]\n";

static struct world world;

static void add(struct stats *sum, const struct stats *s)
{
	u64 *to = (u64 *)sum;
	const u64 *from = (const u64 *)s;
	size_t i;

	for (i = 0; i < sizeof(*s) / sizeof(u64); i++)
		to[i] += from[i];
}

static bool run_one(const struct options *o, u64 seed, struct stats *sum)
{
	bool ok = world_run(&world, seed, o->verbose);

	if (ok) {
		add(sum, &world.stats);
	} else {
		printf("# seed %llu at %llu us, fault %s: %s\n",
		       (unsigned long long)seed,
		       (unsigned long long)world.now / 1000,
		       fault_name(world.fault), world.why);
		printf("# replay: %s --seed %llu -v\n", o->name,
		       (unsigned long long)seed);
	}
	world_free(&world);
	return ok;
}

static void print_stats(const struct stats *s, double took)
{
	int i;

	printf("# %llu seeds, %llu operations, %llu packets (%llu lost), %.0f operations/s\n",
	       (unsigned long long)s->seeds, (unsigned long long)s->ops,
	       (unsigned long long)s->packets, (unsigned long long)s->lost,
	       (double)s->ops / took);
	printf("# %llu retransmitted, %llu time-outs, ",
	       (unsigned long long)s->retransmits, (unsigned long long)s->timeouts);
	printf("%llu RNR NAKs, %llu sequence NAKs, %llu duplicates\n",
	       (unsigned long long)s->rnr_naks, (unsigned long long)s->seq_naks,
	       (unsigned long long)s->duplicates);
	printf("# within a host: %llu packets, handed over as %llu, %llu of them whole messages\n",
	       (unsigned long long)s->handed, (unsigned long long)s->runs,
	       (unsigned long long)s->whole);
	printf("# faults:");
	for (i = 1; i < FAULT_NR; i++)
		printf(" %s %llu", fault_name(i), (unsigned long long)s->faults[i]);
	printf("\n");
}

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void run_all(const struct options *o)
{
	double start = clock_now(), took;
	struct stats sum = { 0 };
	u64 i, failed = 0;

	printf("TAP version 13\n");
	for (i = 0; o->seconds ? clock_now() - start < (double)o->seconds : i < o->seeds; i++) {
		if (!run_one(o, o->from + i, &sum) && ++failed >= o->most)
			break;
		fflush(stdout);
	}
	took = clock_now() - start;
	print_stats(&sum, took > 0 ? took : 1);
	printf("%sok 1 - seeds %llu to %llu\n1..1\n", failed ? "not " : "",
	       (unsigned long long)o->from,
	       (unsigned long long)(o->from + i - (failed < o->most)));
	exit(failed ? 1 : 0);
}

static u64 number(const char *s)
{
	return s ? strtoull(s, NULL, 0) : 0;
}

int main(int argc, char **argv)
{
	struct options o = { .name = argv[0], .from = 1, .seeds = 300, .most = 20 };
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-v")) {
			o.verbose = true;
		} else if (!strcmp(argv[i], "--first")) {
			o.most = 1;
		} else if (!strcmp(argv[i], "--seed")) {
			o.from = number(argv[++i]);
			o.seeds = 1;
		} else if (!strcmp(argv[i], "--from")) {
			o.from = number(argv[++i]);
		} else if (!strcmp(argv[i], "--seeds")) {
			o.seeds = number(argv[++i]);
		} else if (!strcmp(argv[i], "--seconds")) {
			o.seconds = number(argv[++i]);
			o.from = (u64)time(NULL) << 20;
		} else {
			fputs(usage, stderr);
			return 2;
		}
	}
	run_all(&o);
}
