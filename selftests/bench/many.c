// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Does an operation take longer among many queue pairs, or many regions?
 *
 *   many DEVICE QPS MRS MESSAGES
 *
 * WRITEs of 64 bytes, each by the next of QPS queue pairs (at least 2, which talk to
 * each other), from and to the next of MRS regions, some at a time. Says thousands
 * a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "side.h"

#define AT_A_TIME	16
#define BYTES		64
#define PAGE		4096
#define PAGES		256
/* So that neighbours do not follow each other; no factor of a power of two. */
#define STEP		7919

struct field {
	struct side shared;
	struct side *sides;
	struct ibv_mr **mrs;
	uint8_t *memory;
	long qps, nr_mrs;
};

static bool make_regions(struct field *f)
{
	long i;

	f->memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	f->mrs = calloc(f->nr_mrs, sizeof(struct ibv_mr *));
	if (f->memory == MAP_FAILED || !f->mrs)
		return false;
	for (i = 0; i < f->nr_mrs; i++) {
		f->mrs[i] = ibv_reg_mr(f->shared.pd, f->memory + i % PAGES * PAGE, PAGE,
				       ALL_ACCESS);
		if (!f->mrs[i])
			return false;
	}
	return true;
}

static bool make_qps(struct field *f)
{
	struct wish wish = { IBV_QPT_RC, 0, AT_A_TIME };
	struct side *a, *b;
	long i;

	f->sides = calloc(f->qps, sizeof(struct side));
	f->shared.cq = ibv_create_cq(f->shared.context, 2 * AT_A_TIME, NULL, NULL, 0);
	if (!f->sides || !f->shared.cq)
		return false;
	for (i = 0; i < f->qps; i += 2) {
		a = &f->sides[i];
		b = &f->sides[i + 1];
		if (!share_side(a, &f->shared, &wish) ||
		    !share_side(b, &f->shared, &wish) ||
		    !join_side(a, b) || !join_side(b, a))
			return false;
	}
	return true;
}

static bool post(struct field *f, long i)
{
	struct ibv_mr *from = f->mrs[i * STEP % f->nr_mrs];
	struct ibv_mr *to = f->mrs[(i + 1) * STEP % f->nr_mrs];
	struct ibv_sge sge = {
		(uintptr_t)from->addr, BYTES, from->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.wr.rdma = { (uintptr_t)to->addr, to->rkey },
	};

	return !ibv_post_send(f->sides[i * STEP % f->qps].qp, &wr, &bad);
}

/* How many have completed; -1 if one has failed. */
static int poll(struct field *f)
{
	struct ibv_wc wc[AT_A_TIME];
	int i, n = ibv_poll_cq(f->shared.cq, AT_A_TIME, wc);

	for (i = 0; i < n; i++)
		if (wc[i].status != IBV_WC_SUCCESS)
			return -1;
	return n;
}

static bool run(struct field *f, long messages)
{
	double end = now() + 60;
	long posted = 0, done = 0;
	int n;

	while (done < messages) {
		while (posted < messages && posted - done < AT_A_TIME)
			if (!post(f, posted++))
				return false;
		n = poll(f);
		if (n < 0 || now() > end)
			return false;
		done += n;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct field f = {};
	struct place place;
	double start;
	long messages;

	if (argc != 5) {
		fprintf(stderr, "usage: many DEVICE QPS MRS MESSAGES\n");
		return 2;
	}
	f.qps = atol(argv[2]);
	f.nr_mrs = atol(argv[3]);
	messages = atol(argv[4]);
	if (f.qps < 2 || f.qps % 2 || f.nr_mrs < 1 || messages < 1)
		return 2;
	if (!find_place(argv[1], &place) || !open_side(&f.shared, &place) ||
	    !make_regions(&f) || !make_qps(&f)) {
		perror("many: cannot make them");
		return 1;
	}
	/* Once through, so that all of it has been used. */
	if (!run(&f, f.qps)) {
		fprintf(stderr, "many: a message failed\n");
		return 1;
	}
	start = now();
	if (!run(&f, messages)) {
		fprintf(stderr, "many: a message failed\n");
		return 1;
	}
	printf("%.6g\n", (double)messages / (now() - start) / 1000);
	return 0;
}
