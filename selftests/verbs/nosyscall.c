// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * For strace: what makes no system call, between two calls of getppid(), which
 * tell the measured part from the rest.
 *
 *   nosyscall [-d DEVICE] [-g GID-INDEX]	10,000 posted receives, arms and polls
 *   nosyscall ... sends	100,000 sends and their completions, with a poller
 *   nosyscall ... lent	the same with a thread of this program's as poller
 *   nosyscall ... idle	a thread is lent for ten seconds, and nothing is posted
 *   nosyscall ... stream	100,000 sends without a poller
 *   nosyscall ... small	the same with a ring that has no more room than it needs
 *   nosyscall ... waiting	10,000, each when the one before is complete
 *   nosyscall ... left	some in a row, over and over, and nothing is asked for after it:
 *			how long the last ones take to arrive, at most
 *   nosyscall ... blocked	sends that nobody receives, behind a stream; then two seconds
 */
#include <infiniband/rox.h>
#include <pthread.h>

#include "lib.h"

#define ROUNDS 10000
#define SENDS 100000
#define DEPTH 32
#define WAITING 10000
#define LEFT 300

/* Posts and completes @n writes, @depth at a time, and says how many of both failed. */
static int sends(struct pair *pair, int n, int depth)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, 64);
	struct ibv_send_wr *bad, wr = wr_of(&pair->a, &pair->b,
					    IBV_WR_RDMA_WRITE, &sge);
	int posted = 0, done = 0, failed = 0;
	struct ibv_wc wc;

	wr.send_flags = IBV_SEND_SIGNALED;
	while (done < n) {
		while (posted < n && posted - done < depth) {
			failed += ibv_post_send(pair->a.qp, &wr, &bad) != 0;
			posted++;
		}
		if (ibv_poll_cq(pair->a.cq, 1, &wc) == 1) {
			failed += wc.status != IBV_WC_SUCCESS;
			done++;
		}
	}
	return failed;
}

static void *lend(void *context)
{
	CHECK_EQ(rox_poll(context, 300000), 0);
	return NULL;
}

static int with_poller(bool lent)
{
	struct pair pair;
	pthread_t thread;
	double end;
	int failed = 0;

	if (!lent)
		setenv("ROX_POLL_US", "1000000", 1);
	open_pair(&pair, IBV_QPT_RC, NULL);
	if (lent)
		CHECK_EQ(pthread_create(&thread, NULL, lend, pair.a.qp->context), 0);
	/* The first kick finds no poller, the second makes it watch. */
	for (end = now() + 0.5; now() < end;)
		failed += sends(&pair, DEPTH, DEPTH);
	getppid();
	failed += sends(&pair, SENDS, DEPTH);
	getppid();
	if (lent) {
		CHECK_EQ(rox_poll(pair.a.qp->context, 1), EBUSY);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		CHECK_EQ(rox_poll(pair.a.qp->context, 1), 0);
	}
	return failed;
}

static int idle_poller(void)
{
	double end = now() + 10;
	struct pair pair;
	int failed = 0;

	open_pair(&pair, IBV_QPT_RC, NULL);
	while (now() < end)
		failed += rox_poll(pair.a.qp->context, 1000000) != 0;
	return failed;
}

static int without_poller(int n, int depth, const struct opt *opt)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, opt);
	return sends(&pair, n, depth);
}

/*
 * Nobody polls, so nobody sends what was posted late but the kernel by itself. The queue has
 * room for all of it, as nothing else makes room.
 */
static int left_alone(void)
{
	struct opt opt = { .send_wr = LEFT * 117, .inline_data = sizeof(uint64_t) };
	struct ibv_send_wr *bad, wr;
	volatile uint64_t *there;
	double start, slowest = 0;
	struct ibv_sge sge;
	struct pair pair;
	uint64_t value;
	int i, k;

	open_pair(&pair, IBV_QPT_RC, &opt);
	there = (volatile uint64_t *)pair.b.buf;
	sge = sge_of(&pair.a, 0, sizeof(value));
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.send_flags = IBV_SEND_INLINE;
	sge.addr = (uintptr_t)&value;
	for (i = 1, value = 0; i <= LEFT; i++) {
		for (k = 0; k < 100 + i % 17; k++, value++)
			CHECK_EQ(ibv_post_send(pair.a.qp, &wr, &bad), 0);
		start = now();
		while (*there != value - 1 && now() - start < 5)
			;
		CHECK_EQ(*there, value - 1);
		slowest = now() - start > slowest ? now() - start : slowest;
	}
	printf("%d times, slowest %.0f us\n", LEFT, slowest * 1e6);
	return 0;
}

static int blocked(void)
{
	struct ibv_send_wr *bad, wr;
	struct ibv_sge sge;
	struct pair pair;
	int i, failed;

	open_pair(&pair, IBV_QPT_RC, NULL);
	failed = sends(&pair, SENDS / 10, DEPTH);
	sge = sge_of(&pair.a, 0, 64);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	for (i = 0; i < DEPTH; i++)
		failed += ibv_post_send(pair.a.qp, &wr, &bad) != 0;
	sleep(2);
	return failed;
}

static int receives(void)
{
	struct opt opt = { .recv_wr = ROUNDS };
	struct ibv_recv_wr *bad, wr = { .num_sge = 1 };
	struct ibv_sge sge;
	struct pair pair;
	struct ibv_wc wc;
	int i, failed = 0;

	open_pair(&pair, IBV_QPT_RC, &opt);
	sge = sge_of(&pair.b, 0, 100);
	wr.sg_list = &sge;
	getppid();
	for (i = 0; i < ROUNDS; i++) {
		failed += ibv_post_recv(pair.b.qp, &wr, &bad) != 0;
		failed += ibv_req_notify_cq(pair.b.cq, i & 1) != 0;
		failed += ibv_poll_cq(pair.b.cq, 1, &wc) != 0;
	}
	getppid();
	/* They were posted all right. */
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	return failed;
}

int main(int argc, char **argv)
{
	int failed;

	parse_device(argc, argv);
	if (!strcmp(argv[argc - 1], "sends"))
		failed = with_poller(false);
	else if (!strcmp(argv[argc - 1], "lent"))
		failed = with_poller(true);
	else if (!strcmp(argv[argc - 1], "idle"))
		failed = idle_poller();
	else if (!strcmp(argv[argc - 1], "stream"))
		failed = without_poller(SENDS, DEPTH, NULL);
	else if (!strcmp(argv[argc - 1], "small"))
		failed = without_poller(SENDS, DEPTH, &(struct opt){ .send_wr = DEPTH });
	else if (!strcmp(argv[argc - 1], "waiting"))
		failed = without_poller(WAITING, 1, NULL);
	else if (!strcmp(argv[argc - 1], "left"))
		failed = left_alone();
	else if (!strcmp(argv[argc - 1], "blocked"))
		failed = blocked();
	else
		failed = receives();
	CHECK_EQ(failed, 0);
	return 0;
}
