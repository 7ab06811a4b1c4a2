// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What one user does to the others, and an idle device to the machine.
 *
 *   storm-calm flood DEVICE SECONDS FLOODERS MOST-MS	latency of a QP, and of
 *		starting a program, in peace, beside as many busy loops, and while
 *		others flood the device with large messages, with small ones and with
 *		doorbells; fails above MOST-MS in peace, above that and ten times the
 *		longest in peace in the flood, and if it is typically much longer than
 *		beside the loops
 *   storm-calm idle DEVICE CONNECTIONS	connections that did something, then
 *		nothing (says "idle") until there is a line to read, then something
 *		again
 *
 * Messages are copied, or make packets, as the device's setting local says.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "side.h"

#define WRS	64
#define MEMORY	(64 * 1024)
#define SAMPLES	100000
#define WORSE	4

static const char *device;

static struct ibv_send_wr write_of(const struct side *a, const struct side *b,
				   struct ibv_sge *sge, uint32_t length)
{
	*sge = (struct ibv_sge){ (uintptr_t)a->buf, length, a->mr->lkey };
	return send_wr(a, b, IBV_WR_RDMA_WRITE, sge);
}

static bool open_pair(struct side *a, struct side *b)
{
	struct wish wish = { IBV_QPT_RC, MEMORY, WRS };
	struct place place;

	return find_place(device, &place) && open_side(a, &place) &&
	       open_side(b, &place) && make_pair(a, b, &wish);
}

/* ---- flood ---- */

/* As much as the queue takes, for ever. */
static void flood(int nr)
{
	static const uint32_t lengths[] = { MEMORY, 1024, 1 };
	struct ibv_send_wr *bad, wr;
	struct ibv_sge sge;
	struct side a, b;
	struct ibv_wc wc[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!open_pair(&a, &b))
		_exit(1);
	wr = write_of(&a, &b, &sge, lengths[nr % 3]);
	while (1) {
		while (!ibv_post_send(a.qp, &wr, &bad))
			;
		if (ibv_poll_cq(a.cq, 16, wc) > 0 && wc[0].status)
			_exit(2);
	}
}

/* What any program may do. */
static void loop(int nr)
{
	(void)nr;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (1)
		__asm__ volatile("" ::: "memory");
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct figures {
	double median, p99, longest;
};

static struct figures figures_of(double *ms, int n)
{
	if (!n)
		return (struct figures){ 1e9, 1e9, 1e9 };
	qsort(ms, n, sizeof(*ms), by_size);
	return (struct figures){ ms[n / 2], ms[n * 99 / 100], ms[n - 1] };
}

/* Milliseconds from the post to the completion; below zero: it failed. */
static double one_write(struct side *a, struct side *b)
{
	struct ibv_sge sge;
	struct ibv_send_wr *bad, wr = write_of(a, b, &sge, 8);
	double start = now();
	struct ibv_wc wc;
	int n;

	if (ibv_post_send(a->qp, &wr, &bad))
		return -1;
	while (!(n = ibv_poll_cq(a->cq, 1, &wc)) && now() < start + 20 * patience())
		;
	return n == 1 && !wc.status ? (now() - start) * 1e3 : -1;
}

static double one_program(void)
{
	double start = now();
	int status;
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return -1;
	return (now() - start) * 1e3;
}

struct sample {
	struct figures write, program;
	int failed;
};

static struct sample measure(const char *when, double seconds, struct side *a,
			     struct side *b)
{
	static double writes[SAMPLES], programs[SAMPLES];
	double end = now() + seconds;
	struct sample s = {};
	int w = 0, p = 0;

	while (now() < end && w < SAMPLES && p < SAMPLES) {
		writes[w] = one_write(a, b);
		s.failed += writes[w++] < 0;
		if (w % 8 == 0) {
			programs[p] = one_program();
			s.failed += programs[p++] < 0;
		}
		pause_ms(2);
	}
	s.write = figures_of(writes, w);
	s.program = figures_of(programs, p);
	printf("# calm: %s, %s: a write takes %.2f ms (99 %%: %.1f, longest %.1f, %d of them), starting a program %.1f ms (99 %%: %.1f, longest %.1f, %d of them)\n",
	       device, when, s.write.median, s.write.p99, s.write.longest, w,
	       s.program.median, s.program.p99, s.program.longest, p);
	fflush(stdout);
	return s;
}

/* Beside @n processes that do @what. */
static struct sample beside(const char *when, void (*what)(int nr), int n,
			    double seconds, struct side *a, struct side *b)
{
	struct sample s;
	pid_t pids[64];
	int i, status, dead = 0;

	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i])
			what(i);
	}
	pause_ms(500);
	s = measure(when, seconds, a, b);
	for (i = 0; i < n; i++) {
		dead += waitpid(pids[i], &status, WNOHANG) != 0;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], &status, 0);
	}
	if (dead)
		printf("# calm: %s, %s: %d ended by themselves\n", device, when,
		       dead);
	s.failed += dead;
	return s;
}

/* The machine may be slow by itself: 10 times the longest in peace is allowed. */
static bool too_long(const struct sample *s, const struct sample *peace, double most)
{
	double slow = 10 * peace->write.longest;

	most += slow > peace->program.longest ? slow : peace->program.longest;
	return s->write.longest > most || s->program.longest > 2 * most;
}

/* Programs have to share the processors; with a flood it is not to be much worse. */
static bool much_worse(const struct sample *s, const struct sample *busy)
{
	return s->program.median > WORSE * busy->program.median + 5 ||
	       s->write.median > WORSE * busy->write.median + 5;
}

static int flooded(double seconds, int flooders, double most)
{
	struct sample peace, busy, flooding;
	struct side a, b;

	if (flooders > 64 || !open_pair(&a, &b))
		return 1;
	peace = measure("in peace", seconds / 3, &a, &b);
	busy = beside("beside busy loops", loop, flooders, seconds, &a, &b);
	flooding = beside("in the flood", flood, flooders, seconds, &a, &b);
	return peace.failed || busy.failed || flooding.failed ||
	       too_long(&peace, &(struct sample){}, most) ||
	       too_long(&flooding, &peace, most) || much_worse(&flooding, &busy);
}

/* ---- idle ---- */

static int use_all(struct side *a, struct side *b, int n)
{
	int i, failed = 0;

	for (i = 0; i < n; i++)
		failed += one_write(&a[i], &b[i]) < 0;
	return failed;
}

/* All of them on one memory and one CQ: a program with so many shares these. */
static bool open_many(struct side *a, struct side *b, int n)
{
	struct wish wish = { IBV_QPT_RC, 4096, 16 };
	struct side first;
	struct place place;
	int i;

	if (!find_place(device, &place) || !open_side(&first, &place) ||
	    !make_side(&first, &wish))
		return false;
	for (i = 0; i < n; i++)
		if (!share_side(&a[i], &first, &wish) ||
		    !share_side(&b[i], &first, &wish) ||
		    !join_side(&a[i], &b[i]) || !join_side(&b[i], &a[i])) {
			printf("# calm: no connection after %d: %s\n", i,
			       strerror(errno));
			return false;
		}
	return true;
}

static int idle(int n)
{
	struct side *a = calloc(n, sizeof(*a)), *b = calloc(n, sizeof(*b));
	int failed;
	char line[16];

	if (!a || !b || !open_many(a, b, n))
		return 1;
	failed = use_all(a, b, n);
	pause_ms(1000 * patience());	/* the last time-out, which finds nothing to do */
	printf("idle\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	failed += use_all(a, b, n);
	if (failed)
		printf("# calm: %d messages failed\n", failed);
	return failed != 0;
}

int main(int argc, char **argv)
{
	device = argc > 2 ? argv[2] : NULL;
	if (argc == 6 && !strcmp(argv[1], "flood"))
		return flooded(atof(argv[3]), atoi(argv[4]), atof(argv[5]));
	if (argc == 4 && !strcmp(argv[1], "idle"))
		return idle(atoi(argv[3]));
	fprintf(stderr, "usage: storm-calm flood DEVICE SECONDS FLOODERS MOST-MS | idle DEVICE CONNECTIONS\n");
	return 2;
}
