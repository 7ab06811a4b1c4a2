// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Very many objects: what one takes of time and memory, and that all of it comes
 * back, also when it is done over and over.
 *
 *   storm-scale QPS MRS CONNECTIONS ROUNDS
 *
 * Prints the figures; fails if one is beyond all reason, and if connections take
 * more memory, or much more time, the last time than the second.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "side.h"

#define WRS		16
#define MR_BYTES	4096
/* Limits of reason, for one object. */
#define MOST_KB		64
#define MOST_IDLE_KB	6.0	/* of a QP, besides its rings */
#define LATE_KB		512	/* of all, what settled_memory() may miss */
#define MOST_MS		20	/* an emulated processor */
/* Kilobytes that may be missing after a round that were there after the second. */
#define GROWTH_KB	4096
#define SLOWER		2
#define MAX_ROUNDS	100

static int failures;

static void fail(const char *what, long n)
{
	printf("# scale: %s: %ld, errno %d (%s)\n", what, n, errno, strerror(errno));
	failures++;
}

static void report(const char *what, long n, double make, double end, long kb)
{
	printf("# scale: %ld %s: %.0f us to make, %.0f us to end, %.1f kB each\n",
	       n, what, make / n * 1e6, end / n * 1e6, (double)kb / n);
	fflush(stdout);
	if (make / n * 1e3 > MOST_MS * patience() || end / n * 1e3 > MOST_MS * patience() ||
	    kb / n > MOST_KB)
		fail(what, n);
}

/* Kilobytes that this process has mapped. */
static long mapped(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (file) {
		if (fscanf(file, "%ld", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Rings are mapped, and with them what the provider has for its own. */
static void report_idle(long n, long kb, long in_process)
{
	double each = (double)(kb - in_process) / n;

	printf("# scale: an idle QP: %.1f kB in the kernel, %.1f kB of rings and in the process\n",
	       each, (double)in_process / n);
	/* Kernels that look for faults have more in each object. */
	if (patience() == 1 && kb - in_process > MOST_IDLE_KB * n + LATE_KB)
		fail("kB of an idle QP, more than it may have", (long)each);
}

static struct ibv_cq *make_cq(struct side *side, int entries)
{
	return ibv_create_cq(side->context, entries, NULL, NULL, 0);
}

/* Every other one is connected with the one before. */
static long connected(const struct side *side, struct ibv_qp **qps, long n)
{
	struct wish wish = { IBV_QPT_RC, 0, WRS };
	struct side one, before;
	long made;

	for (made = 0; made < n && share_side(&one, side, &wish); made++) {
		qps[made] = one.qp;
		if (made % 2 && !(join_side(&before, &one) && join_side(&one, &before)))
			break;
		before = one;
	}
	return made;
}

static void many_qps(struct side *side, long n)
{
	struct ibv_qp **qps = calloc(n, sizeof(*qps));
	long i, made, before = settled_memory(), in_process = mapped();
	double start = now(), making;

	made = connected(side, qps, n);
	if (made < n)
		fail("QPs, then none more", made);
	making = now() - start;
	before -= settled_memory();
	in_process = mapped() - in_process;
	start = now();
	for (i = 0; i < made; i++)
		if (ibv_destroy_qp(qps[i]))
			fail("cannot destroy QP", i);
	report("QPs", n, making, now() - start, before);
	report_idle(n, before, in_process);
	free(qps);
}

static void many_mrs(struct side *side, long n)
{
	struct ibv_mr **mrs = calloc(n, sizeof(*mrs));
	uint8_t *memory = mmap(NULL, 256 * MR_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	long i, made, before = settled_memory();
	double start = now(), making;

	for (made = 0; made < n; made++) {
		mrs[made] = ibv_reg_mr(side->pd, memory + made % 256 * MR_BYTES,
				       MR_BYTES, ALL_ACCESS);
		if (!mrs[made]) {
			fail("MRs, then none more", made);
			break;
		}
	}
	making = now() - start;
	before -= settled_memory();
	start = now();
	for (i = 0; i < made; i++)
		if (ibv_dereg_mr(mrs[i]))
			fail("cannot deregister MR", i);
	report("MRs", n, making, now() - start, before);
	munmap(memory, 256 * MR_BYTES);
	free(mrs);
}

/* ---- connections ---- */

struct connection {
	struct side a, b;	/* share all but the QPs */
};

static bool connect_one(struct connection *c, const struct side *shared)
{
	struct wish wish = { IBV_QPT_RC, 0, WRS };

	if (!share_side(&c->a, shared, &wish) || !share_side(&c->b, shared, &wish))
		return false;
	c->a.psn = 1;
	c->b.psn = 2;
	return join_side(&c->a, &c->b) && join_side(&c->b, &c->a);
}

/* One message each way of life: it works, and has timers to be stopped. */
static bool use_one(struct connection *c)
{
	struct ibv_sge sge = {
		(uintptr_t)c->a.buf, 64, c->a.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = send_wr(&c->a, &c->b, IBV_WR_RDMA_WRITE, &sge);

	return !ibv_post_send(c->a.qp, &wr, &bad);
}

static long collect(struct ibv_cq *cq, long n)
{
	double end = now() + 30 * patience();
	struct ibv_wc wc[32];
	long good = 0, all = 0;
	int i, got;

	while (all < n && now() < end) {
		got = ibv_poll_cq(cq, 32, wc);
		for (i = 0; i < got; i++)
			good += wc[i].status == IBV_WC_SUCCESS;
		all += got > 0 ? got : 0;
		if (!got)
			pause_ms(1);
	}
	return good;
}

/* What it took: making and using, ending. */
struct times {
	double make, end;
};

static struct times one_round(const struct side *side, struct connection *all, long n)
{
	struct side shared = *side;
	double start = now();
	struct times times;
	long i, made, good;

	shared.cq = make_cq(&shared, 2 * n);
	for (made = 0; made < n; made++)
		if (!connect_one(&all[made], &shared) || !use_one(&all[made])) {
			fail("connections, then none more", made);
			break;
		}
	good = collect(shared.cq, made);
	if (good != made)
		fail("messages came through", good);
	times.make = now() - start;
	start = now();
	for (i = 0; i < n; i++) {
		if (all[i].a.qp)
			ibv_destroy_qp(all[i].a.qp);
		if (all[i].b.qp)
			ibv_destroy_qp(all[i].b.qp);
	}
	times.end = now() - start;
	ibv_destroy_cq(shared.cq);
	memset(all, 0, n * sizeof(*all));
	return times;
}

/* The first round is not compared: it is first in many caches. */
static void many_connections(struct side *side, long n, int rounds)
{
	struct connection *all = calloc(n, sizeof(*all));
	struct times times[MAX_ROUNDS], *last = &times[rounds - 1];
	long kb[MAX_ROUNDS];
	double second;
	int i;

	for (i = 0; i < rounds; i++) {
		times[i] = one_round(side, all, n);
		kb[i] = settled_memory();
		printf("# scale: round %d of %d, %ld connections: %.0f us to make and use, %.0f us to end, %ld kB free after\n",
		       i + 1, rounds, n, times[i].make / n * 1e6,
		       times[i].end / n * 1e6, kb[i]);
		fflush(stdout);
	}
	if (kb[1] - kb[rounds - 1] > GROWTH_KB)
		fail("kB more are used", kb[1] - kb[rounds - 1]);
	second = times[1].make + times[1].end;
	if (last->make + last->end > SLOWER * second + 0.5)
		fail("% of the second round's time is the last one's",
		     (last->make + last->end) / second * 100);
	free(all);
}

int main(int argc, char **argv)
{
	struct wish wish = { IBV_QPT_RC, 4096, WRS };
	struct place place;
	struct side side;
	int rounds;

	if (argc != 5 || (rounds = atoi(argv[4])) < 2 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: storm-scale QPS MRS CONNECTIONS ROUNDS\n");
		return 2;
	}
	if (find_places(&place, 1) != 1 || !open_side(&side, &place) ||
	    !make_side(&side, &wish)) {
		printf("# scale: no device to use\n");
		return 1;
	}
	many_qps(&side, atol(argv[1]));
	many_mrs(&side, atol(argv[2]));
	many_connections(&side, atol(argv[3]), rounds);
	close_side(&side);
	return failures != 0;
}
