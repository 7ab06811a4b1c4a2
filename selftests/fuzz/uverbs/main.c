// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Hostile programs, without any privilege, for some time; beside them one by
 * the book, and one that watches the CPUs. One result for each promise.
 *
 *	uverbs -d DEVICE -g GID-INDEX [-s SEED] [-t SECONDS] [-p PROGRAMS] [-k FILE]
 *
 * -k: guided by coverage; what was reached goes to FILE.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "beside.h"
#include "cover.h"

#define MAX_PROGRAMS	16

static struct shared *shared;
static struct corpus *corpus;	/* or NULL */
static int failed, results;

/* Those of the write interface, by its numbers. */
static void count_kind(uint32_t nr)
{
	static const struct {
		uint32_t nr;
		enum kind kind;
	} kinds[] = {
#define COMMAND(name) { IB_USER_VERBS_CMD_##name, name }
		COMMAND(GET_CONTEXT), COMMAND(ALLOC_PD), COMMAND(CREATE_COMP_CHANNEL),
		COMMAND(CREATE_CQ), COMMAND(DESTROY_CQ), COMMAND(CREATE_QP),
		COMMAND(MODIFY_QP), COMMAND(DESTROY_QP), COMMAND(CREATE_AH),
		COMMAND(DESTROY_AH), COMMAND(REG_MR), COMMAND(REREG_MR), COMMAND(DEREG_MR),
#undef COMMAND
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].nr == nr)
			COUNT(shared, of_kind[kinds[i].kind]);
}

int command(struct world *world, uint64_t *seed, uint32_t nr, const void *core,
	    size_t core_bytes, const void *driver, size_t driver_bytes,
	    void *resp, size_t resp_bytes)
{
	struct raw_cmd cmd = {
		nr, core, core_bytes, driver, driver_bytes, resp, resp_bytes,
	};
	int err = raw_write(world->fd, &cmd);

	(void)seed;
	COUNT(world->shared, commands);
	if (!err) {
		COUNT(world->shared, accepted);
		count_kind(nr);
	}
	return err;
}

/* The CPU time it took: how long others kept it waiting is not its own. */
void kick(struct world *world, uint32_t qpn)
{
	struct timespec from, to;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	if (!raw_kick(world->fd, qpn))
		COUNT(world->shared, of_kind[qpn ? KICK : KICK_ALL]);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	spread_add(&world->shared->kicks_us,
		   (to.tv_sec - from.tv_sec) * 1000000 + (to.tv_nsec - from.tv_nsec) / 1000);
	COUNT(world->shared, kicks);
}

static void do_step(struct world *world, uint32_t kind, uint64_t *seed)
{
	switch (kind) {
	case 0:
		random_object(world, seed);
		break;
	case 1:
		random_map(world, seed);
		break;
	default:
		random_command(world, seed);
	}
}

static void live(struct world *world, uint64_t *seed)
{
	int i;

	for (i = 0; i < 400 && !shared->stop; i++) {
		do_step(world, below(seed, 4), seed);
		if (i % 20 == 0)
			arena_check(world);
	}
}

/* The same, by programs that are bred for the code they reach. */
static void live_guided(struct world *world, uint64_t *seed)
{
	struct program program;
	uint32_t i, fresh;
	uint64_t own;
	int round;

	for (round = 0; round < 40 && !shared->stop; round++) {
		cover_pick(corpus, seed, &program);
		fresh = 0;
		for (i = 0; i < program.nr && !shared->stop; i++) {
			own = program.steps[i].seed;
			cover_begin();
			do_step(world, program.steps[i].kind, &own);
			/* What was posted meanwhile, and what was not. */
			raw_kick(world->fd, world->qps[below(&own, NR_QPS)].qpn);
			fresh += cover_end(corpus);
		}
		if (fresh)
			cover_keep(corpus, &program);
		arena_check(world);
	}
}

static void hostile(uint64_t seed)
{
	static struct player players[3];
	static struct world world;
	pthread_t threads[3];
	bool first = true;
	int i;

	world.shared = shared;
	world.seed = seed | 1;
	world.fd = -1;
	arena_make(&world);
	if (corpus && !cover_enable())
		broken(shared, "KCOV cannot be enabled");
	for (i = 0; i < 3; i++) {
		players[i] = (struct player){ &world, rnd(&world.seed) | 1 };
		pthread_create(&threads[i], NULL, i ? poster : scribbler, &players[i]);
	}
	while (!shared->stop) {
		/* May fail: the group's memory is short. */
		if (!world_open(&world, &world.seed))
			;
		else if (first)
			each_method(&world, &world.seed);
		else if (corpus)
			live_guided(&world, &world.seed);
		else
			live(&world, &world.seed);
		world_close(&world);
		COUNT(shared, reopens);
		first = false;
	}
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	arena_check(&world);
}

static pid_t start(void (*run)(struct shared *shared))
{
	pid_t pid = child();

	if (pid)
		return pid;
	drop_privileges();
	run(shared);
	fflush(stdout);
	_exit(0);
}

static pid_t start_hostile(uint64_t seed)
{
	pid_t pid = child();

	if (pid)
		return pid;
	if (corpus && !cover_open())
		broken(shared, "KCOV cannot be opened");
	drop_privileges();
	hostile(seed);
	fflush(stdout);
	_exit(0);
}

static void result(bool good, const char *what)
{
	results++;
	failed += !good;
	printf("%s %d %s\n", good ? "ok" : "not ok", results, what);
	fflush(stdout);
}

static void skipped(const char *what, const char *why)
{
	printf("ok %d %s # SKIP %s\n", ++results, what, why);
	fflush(stdout);
}

/* In KiB; 0 if it is gone. */
static long pinned_by(pid_t pid)
{
	char path[64], line[128];
	long pinned = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		sscanf(line, "VmPin: %ld", &pinned);
	fclose(file);
	return pinned;
}

/*
 * More than the limit allows? The core adds what is asked for, then looks and
 * takes it back: for a moment it may seem so.
 */
static void check_pinned(pid_t pid)
{
	long pinned = 0;
	int i;

	for (i = 0; i < 20; i++) {
		pinned = pinned_by(pid);
		if (pinned <= (long)(MEMLOCK >> 10))
			return;
		usleep(1000);
	}
	broken(shared, "process %d has %ld KiB pinned", pid, pinned);
}

/* They die as they may: killed in the middle of anything. */
static void storm(unsigned int seconds, int programs, uint64_t seed)
{
	double end = now_us() + seconds * 1e6;
	pid_t pids[MAX_PROGRAMS];
	int i;

	for (i = 0; i < programs; i++)
		pids[i] = start_hostile(rnd(&seed));
	while (now_us() < end && !shared->broken[0]) {
		usleep(700000);
		for (i = 0; i < programs; i++)
			check_pinned(pids[i]);
		kill(pids[below(&seed, programs)], SIGKILL);
		for (i = 0; i < programs; i++)
			if (waitpid(pids[i], NULL, WNOHANG) == pids[i])
				pids[i] = start_hostile(rnd(&seed));
	}
	shared->stop = true;
	for (i = 0; i < programs; i++)
		waitpid(pids[i], NULL, 0);
}

/* So many that each kind of command has come often; a slow kernel does not get there. */
#define MANY_COMMANDS	2000

/* Those that never got through tested nothing but the core's first look. */
static bool all_kinds(void)
{
	static const char * const names[] = {
#define KIND(name) #name,
		KINDS(KIND)
#undef KIND
	};
	bool all = true;
	int i;

	printf("# accepted:");
	for (i = 0; i < NR_KINDS; i++) {
		printf(" %s %llu", names[i], (unsigned long long)shared->of_kind[i]);
		if (shared->of_kind[i])
			continue;
		printf(" (%s)", strerror(-shared->refused[i]));
		/* No such call in this kernel, or none that this driver has. */
		if (shared->refused[i] != -EPROTONOSUPPORT && shared->refused[i] != -EOPNOTSUPP)
			all = false;
	}
	printf(", regions to the last byte %llu\n", (unsigned long long)shared->at_the_end);
	return all && shared->at_the_end;
}

static void judge_kinds(void)
{
	static const char name[] = "each kind of call is accepted at times";
	bool all = all_kinds();

	if (!all && shared->commands < MANY_COMMANDS)
		skipped(name, "so few calls need not have had each");
	else
		result(all, name);
}

static void report(void)
{
	printf("# %llu commands (%llu accepted), %llu kicks, %llu times opened, %llu children, %llu faults of their own\n",
	       (unsigned long long)shared->commands,
	       (unsigned long long)shared->accepted,
	       (unsigned long long)shared->kicks,
	       (unsigned long long)shared->reopens,
	       (unsigned long long)shared->children,
	       (unsigned long long)shared->faults);
	result(!shared->broken[0], "memory that was not registered is neither read nor written");
	result(shared->kicks > 100 && shared->commands > 100 && shared->reopens,
	       "they did something");
	judge_kinds();
	result(bystander_content(shared), "no CPU is held for long");
	result(kicks_short(shared), "a kick is short");
	result(victim_content(shared), "a program beside them is not kept waiting for long");
}

static const char *cover_file;

static void parse(int argc, char **argv, uint64_t *seed, unsigned int *seconds,
		  int *programs)
{
	int option;

	while ((option = getopt(argc, argv, "d:g:s:t:p:k:")) != -1) {
		switch (option) {
		case 'd':
			snprintf(shared->device, sizeof(shared->device), "%s", optarg);
			break;
		case 'g':
			shared->gid_index = atoi(optarg);
			break;
		case 's':
			*seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			*seconds = atoi(optarg);
			break;
		case 'p':
			*programs = atoi(optarg);
			break;
		case 'k':
			cover_file = optarg;
			break;
		default:
			fprintf(stderr, "usage: %s -d DEVICE -g GID-INDEX [-s SEED] [-t SECONDS] [-p PROGRAMS] [-k FILE]\n",
				argv[0]);
			exit(2);
		}
	}
	if (*programs < 1 || *programs > MAX_PROGRAMS)
		*programs = 2;
}

/* The address that the GID index stands for: everybody talks to it. */
static void read_gid(void)
{
	unsigned int word[8] = {}, i;
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gids/%d",
		 shared->device, shared->gid_index);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%4x:%4x:%4x:%4x:%4x:%4x:%4x:%4x", &word[0],
			    &word[1], &word[2], &word[3], &word[4], &word[5],
			    &word[6], &word[7]) != 8) {
		fprintf(stderr, "no GID in %s\n", path);
		exit(2);
	}
	fclose(file);
	for (i = 0; i < 16; i++)
		shared->gid[i] = i % 2 ? word[i / 2] : word[i / 2] >> 8;
}

int main(int argc, char **argv)
{
	uint64_t seed = time(NULL);
	unsigned int seconds = 20;
	struct beside beside;
	int programs = 2;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 2;
	parse(argc, argv, &seed, &seconds, &programs);
	read_gid();
	printf("TAP version 13\n# seed %llu, %u s, %d programs\n",
	       (unsigned long long)seed, seconds, programs);
	seed = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	if (cover_file) {
		corpus = cover_corpus();
		if (!corpus) {
			printf("Bail out! no KCOV, in the kernel or in the module\n");
			return 2;
		}
	}

	beside_start(&beside, shared);
	result(ended_well(start(probe)), "forbidden accesses are refused, and what may be pinned is limited");
	result(ended_well(start(windows)), "a ring is mapped by who has it, whole, and as long as it is there");
	beside_calm(&beside, shared);
	storm(seconds, programs, seed);
	result(beside_end(&beside, shared), "a program beside them has what it sent");
	report();
	if (corpus) {
		cover_write(corpus, cover_file);
		printf("# coverage: %u points of the module, %llu steps run, %u programs kept\n",
		       corpus->points, (unsigned long long)corpus->runs, corpus->nr);
		result(corpus->points > 100 && corpus->nr > 1, "coverage guides them");
	}
	printf("1..%d\n# Totals: pass:%d fail:%d skip:0\n", results,
	       results - failed, failed);
	return failed ? 1 : 0;
}
