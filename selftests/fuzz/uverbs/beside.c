// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"

#define NOBODY		65534
#define CALM_SECONDS	3
#define OTHERS		8

static pid_t parent;

/* One that ended before it was asked for is not told of. */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
}

pid_t child(void)
{
	pid_t pid;

	parent = getpid();
	fflush(stdout);
	pid = fork();
	if (!pid)
		end_with_parent();
	return pid;
}

void drop_privileges(void)
{
	struct rlimit limit = { MEMLOCK, MEMLOCK };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) {
		perror("# cannot drop privileges");
		_exit(1);
	}
	/* Another user is a reason for the kernel to forget it. */
	end_with_parent();
}

bool alive(pid_t pid)
{
	siginfo_t info = {};

	return !waitid(P_PID, pid, &info, WEXITED | WNOHANG | WNOWAIT) && !info.si_pid;
}

bool ended_well(pid_t pid)
{
	int status = 1;

	return waitpid(pid, &status, 0) == pid && status == 0;
}

void beside_start(struct beside *b, struct shared *shared)
{
	int i;

	b->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (b->cpus > MAX_CPUS)
		b->cpus = MAX_CPUS;
	for (i = 0; i < b->cpus; i++) {
		b->watchers[i] = child();
		if (!b->watchers[i]) {
			bystander(shared, i);
			_exit(0);
		}
	}
	b->victim = child();
	if (!b->victim) {
		drop_privileges();
		victim(shared);
		fflush(stdout);
		_exit(0);
	}
	while (!__atomic_load_n(&shared->victim_qpn, __ATOMIC_ACQUIRE) && alive(b->victim))
		usleep(10000);
}

static void compute(const struct shared *shared)
{
	while (!__atomic_load_n(&shared->storm, __ATOMIC_RELAXED))
		;
}

/* As many as want a CPU in the storm, but they want nothing else. */
void beside_calm(struct beside *b, struct shared *shared)
{
	double end = now_us() + CALM_SECONDS * 1e6;
	pid_t others[OTHERS];
	int i;

	for (i = 0; i < OTHERS; i++) {
		others[i] = child();
		if (!others[i]) {
			drop_privileges();
			compute(shared);
			_exit(0);
		}
	}
	/* What went before is not counted. */
	shared->ops[0] = (struct spread){};
	shared->naps[0] = (struct spread){};
	while (now_us() < end && alive(b->victim))
		usleep(50000);
	shared->storm = true;
	for (i = 0; i < OTHERS; i++)
		waitpid(others[i], NULL, 0);
}

bool beside_end(struct beside *b, struct shared *shared)
{
	bool good;
	int i;

	shared->stop = true;
	good = ended_well(b->victim);
	for (i = 0; i < b->cpus; i++)
		good &= ended_well(b->watchers[i]);
	return good;
}

/*
 * Of all, this @part in less than @ms on a kernel as distributions build it, and so
 * many times what it took in the calm, which is what the machine makes of it.
 */
static bool is_below(const struct spread spread[2], double part, unsigned int ms,
		     unsigned int times)
{
	uint64_t calm = spread_below(&spread[0], part), storm = spread_below(&spread[1], part);
	uint64_t limit = ms * 1000ULL * patience() + times * calm;

	if (storm < limit)
		return true;
	printf("# %g %% in %llu us, which is not below %llu us\n", part * 100,
	       (unsigned long long)storm, (unsigned long long)limit);
	return false;
}

/* A quantum is 4 ms, or less work than that; then a CPU may be had. */
bool bystander_content(const struct shared *shared)
{
	spread_print(&shared->naps[0], "naps in the calm, late");
	spread_print(&shared->naps[1], "naps in the storm, late");
	return shared->naps[1].all > 100 && is_below(shared->naps, 0.5, 10, 3) &
	       is_below(shared->naps, 0.99, 40, 4) & is_below(shared->naps, 0.999, 100, 4) &
	       is_below(shared->naps, 1, 1000, 10);
}

/*
 * CPU time, softirqs that hit it and what a busy host took included: a nap in the
 * same run that is late by that tells how much.
 */
bool kicks_short(const struct shared *shared)
{
	const struct spread both[2] = { shared->naps[1], shared->kicks_us };

	spread_print(&shared->kicks_us, "CPU time of a kick");
	return is_below(both, 0.5, 2, 0) & is_below(both, 0.99, 4, 1) &
	       is_below(both, 0.999, 10, 1) & is_below(both, 1, 100, 3);
}

/* It shares the CPUs with some ten threads. A packet of it that is lost costs a second. */
bool victim_content(const struct shared *shared)
{
	spread_print(&shared->ops[0], "operations of the other program in the calm");
	spread_print(&shared->ops[1], "operations of the other program in the storm");
	return shared->ops[1].all > 10 && is_below(shared->ops, 0.5, 20, 4) &
	       is_below(shared->ops, 0.99, 100, 4) & is_below(shared->ops, 0.999, 250, 4) &
	       is_below(shared->ops, 1, 5000, 10);
}
