// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* ibv_resize_cq(3): nothing is lost, doubled or out of order, nor is an event. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "lib.h"

#define WAITING		50
#define WINDOW		64
#define MESSAGES	20000
#define RESIZES		50	/* at least; whoever waits too long for them is hung */

static void write_nr(struct pair *pair, uint64_t nr)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, 8);
	struct ibv_send_wr wr = wr_of(&pair->a, &pair->b, IBV_WR_RDMA_WRITE, &sge);

	wr.wr_id = nr;
	wr.send_flags = IBV_SEND_SIGNALED;
	post(&pair->a, &wr);
}

static void poll_nr(struct pair *pair, uint64_t nr)
{
	struct ibv_wc wc = poll_ok(pair->a.cq);

	CHECK_EQ(wc.wr_id, nr);
}

/* Completions that nobody has polled yet. */
static void open_with_waiting(struct pair *pair)
{
	struct opt opt = { .cqe = WINDOW };
	int i;

	open_pair(pair, IBV_QPT_RC, &opt);
	/* Such that they begin in the middle of the ring and go around its end. */
	for (i = 0; i < WINDOW / 2; i++) {
		write_nr(pair, i);
		poll_nr(pair, i);
	}
	for (i = 0; i < WAITING; i++)
		write_nr(pair, i);
	usleep(50000);
}

static void keeps_what_waits(void)
{
	static const int sizes[] = { 1000, WAITING, 5000, 64, 65 };
	struct pair pair;
	size_t i;
	int nr;

	open_with_waiting(&pair);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		CHECK_EQ(ibv_resize_cq(pair.a.cq, sizes[i]), 0);
		CHECK(pair.a.cq->cqe >= sizes[i]);
	}
	for (nr = 0; nr < WAITING; nr++)
		poll_nr(&pair, nr);
	poll_none(pair.a.cq, 0.05);
	write_nr(&pair, 7);
	poll_nr(&pair, 7);
}

static void too_small(void)
{
	struct pair pair;
	int nr;

	open_with_waiting(&pair);
	CHECK_EQ(ibv_resize_cq(pair.a.cq, 1), EINVAL);
	CHECK_EQ(ibv_resize_cq(pair.a.cq, 0), EINVAL);
	CHECK_EQ(ibv_resize_cq(pair.a.cq, pair.dev.attr.max_cqe + 1), EINVAL);
	for (nr = 0; nr < WAITING; nr++)
		poll_nr(&pair, nr);
	CHECK_EQ(ibv_resize_cq(pair.a.cq, 1), 0);
	for (nr = 0; nr < 10; nr++) {
		write_nr(&pair, nr);
		poll_nr(&pair, nr);
	}
}

static bool fired(struct end *end, double seconds)
{
	struct pollfd fd = { .fd = end->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, seconds * 1000) != 1)
		return false;
	CHECK_EQ(ibv_get_cq_event(end->channel, &cq, &context), 0);
	CHECK(cq == end->cq);
	ibv_ack_cq_events(cq, 1);
	return true;
}

static void stays_armed(void)
{
	struct pair pair;

	open_with_waiting(&pair);
	CHECK_EQ(ibv_req_notify_cq(pair.a.cq, 0), 0);
	CHECK_EQ(ibv_resize_cq(pair.a.cq, 1000), 0);
	CHECK(!fired(&pair.a, 0.1));
	write_nr(&pair, 0);
	CHECK(fired(&pair.a, 5));
	write_nr(&pair, 1);
	CHECK(!fired(&pair.a, 0.1));
}

/* ---- by one thread while others use it ---- */

static struct pair busy;
static atomic_bool over;
static atomic_uint resized;

static void *resize_all_the_time(void *arg)
{
	unsigned int size = 1;

	(void)arg;
	while (!over) {
		size = size * 7 % 4001;
		/* Refused if there is no room for what waits. */
		if (!ibv_resize_cq(busy.a.cq, size + WINDOW))
			resized++;
		usleep(100);
	}
	return NULL;
}

static void end_resizing(pthread_t thread)
{
	over = true;
	CHECK_EQ(pthread_join(thread, NULL), 0);
	fprintf(stderr, "# resized %u times\n", resized);
}

static void under_load(void)
{
	struct opt opt = { .cqe = WINDOW, .send_wr = WINDOW };
	uint64_t posted = 0, polled = 0;
	struct ibv_wc wc[16];
	pthread_t thread;
	int i, nr;

	open_pair(&busy, IBV_QPT_RC, &opt);
	CHECK_EQ(pthread_create(&thread, NULL, resize_all_the_time, NULL), 0);
	while (polled < MESSAGES || resized < RESIZES || posted != polled) {
		while ((posted < MESSAGES || resized < RESIZES) &&
		       posted - polled < WINDOW)
			write_nr(&busy, posted++);
		nr = ibv_poll_cq(busy.a.cq, ARRAY_SIZE(wc), wc);
		CHECK(nr >= 0);
		for (i = 0; i < nr; i++) {
			CHECK_STATUS(wc[i], IBV_WC_SUCCESS);
			CHECK_EQ(wc[i].wr_id, polled++);
		}
	}
	end_resizing(thread);
	poll_none(busy.a.cq, 0.05);
}

/* As who waits for events does it: arm, look once more, sleep. */
static void wait_for_one(uint64_t nr)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(busy.a.cq, 1, &wc) != 1) {
		CHECK_EQ(ibv_req_notify_cq(busy.a.cq, nr % 2), 0);
		if (ibv_poll_cq(busy.a.cq, 1, &wc) == 1)
			break;
		if (!fired(&busy.a, 5)) {
			int got = ibv_poll_cq(busy.a.cq, 1, &wc);

			FAIL("no event for message %llu, which %s come; resized %u times",
			     (unsigned long long)nr, got == 1 ? "has" : "has not",
			     resized);
		}
	}
	CHECK_STATUS(wc, IBV_WC_SUCCESS);
	CHECK_EQ(wc.opcode, IBV_WC_RECV);
}

static void no_lost_events(void)
{
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	pthread_t thread;
	int nr;

	open_pair(&busy, IBV_QPT_RC, NULL);
	CHECK_EQ(pthread_create(&thread, NULL, resize_all_the_time, NULL), 0);
	for (nr = 0; nr < MESSAGES / 10 || resized < RESIZES; nr++) {
		sge = sge_of(&busy.b, 0, 8);
		wr = wr_of(&busy.b, &busy.a, IBV_WR_SEND, &sge);
		wr.send_flags = IBV_SEND_SOLICITED;
		recv_at(&busy.a, 0, 100);
		post(&busy.b, &wr);
		wait_for_one(nr);
		while (fired(&busy.a, 0))
			;
		if (nr % 32 == 31) {	/* reap the unsignaled ones */
			recv_at(&busy.a, 0, 100);
			wr.send_flags = IBV_SEND_SIGNALED;
			post(&busy.b, &wr);
			poll_ok(busy.b.cq);
			poll_ok(busy.a.cq);
		}
	}
	end_resizing(thread);
}

/* Kilobytes, from a line of /proc/self/status. */
static long status_kb(const char *what)
{
	char line[256];
	long kb = -1;
	FILE *file;

	file = fopen("/proc/self/status", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, what, strlen(what)))
			kb = atol(line + strlen(what));
	fclose(file);
	CHECK(kb >= 0);
	return kb;
}

/* What a replaced ring leaves behind is not memory, even if all new memory is locked. */
static void locks_no_memory(void)
{
	struct pair pair;
	long locked, all;
	int i;

	open_with_waiting(&pair);
	CHECK_EQ(mlockall(MCL_CURRENT | MCL_FUTURE), 0);
	locked = status_kb("VmLck:");
	all = status_kb("VmRSS:");
	for (i = 0; i < 100; i++)
		CHECK_EQ(ibv_resize_cq(pair.a.cq, i % 2 ? 2000 : 4000), 0);
	locked = status_kb("VmLck:") - locked;
	all = status_kb("VmRSS:") - all;
	printf("# 100 resizes: %ld KiB locked, %ld KiB in all\n", locked, all);
	/* Less than one ring; but it may be more for what the C library allocates. */
	CHECK(locked < 128);
	CHECK(all < 1024);
	for (i = 0; i < WAITING; i++)
		poll_nr(&pair, i);
}

static const struct test tests[] = {
	{ "keeps_what_waits", keeps_what_waits },
	{ "too_small", too_small },
	{ "stays_armed", stays_armed },
	{ "under_load", under_load, 60 },
	{ "no_lost_events", no_lost_events, 60 },
	{ "locks_no_memory", locks_no_memory },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
