// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Messages stay in order, whichever CPU sends them: of UC one out of order is lost. */

#include <pthread.h>
#include <sched.h>

#include "lib.h"

#define POSTERS		2
#define MESSAGES	4000	/* of all */
#define MESSAGE_BYTES	4096
#define WINDOW		32	/* posted and not completed */

static struct pair pair;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int posted, completed;

/* On one CPU each, if there are so many. */
static void pin(long nr)
{
	cpu_set_t may, one;
	int cpu;

	CHECK_EQ(sched_getaffinity(0, sizeof(may), &may), 0);
	nr %= CPU_COUNT(&may);
	for (cpu = 0; nr || !CPU_ISSET(cpu, &may); cpu++)
		nr -= CPU_ISSET(cpu, &may) ? 1 : 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
}

/* True if there are more to post. */
static bool post_one(void)
{
	unsigned int nr;
	bool any;

	pthread_mutex_lock(&lock);
	nr = posted;
	any = nr < MESSAGES && nr - completed < WINDOW;
	if (any)
		posted++;
	pthread_mutex_unlock(&lock);
	if (any)
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, MESSAGE_BYTES, IBV_SEND_SIGNALED);
	else
		sched_yield();
	return nr < MESSAGES;
}

static void *poster(void *nr)
{
	pin((long)nr);
	while (post_one())
		;
	return NULL;
}

static unsigned int poll_some(struct ibv_cq *cq)
{
	struct ibv_wc wc[16];
	int i, nr = ibv_poll_cq(cq, ARRAY_SIZE(wc), wc);

	CHECK(nr >= 0);
	for (i = 0; i < nr; i++)
		CHECK_STATUS(wc[i], IBV_WC_SUCCESS);
	return nr;
}

static void uc_from_two_cpus(void)
{
	struct opt opt = { .recv_wr = MESSAGES, .cqe = MESSAGES };
	double end = now() + 15 * patience_factor();
	pthread_t threads[POSTERS];
	unsigned int received = 0;
	long i;

	open_pair(&pair, IBV_QPT_UC, &opt);
	for (i = 0; i < MESSAGES; i++)
		recv_at(&pair.b, 0, MESSAGE_BYTES);
	for (i = 0; i < POSTERS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, poster, (void *)i), 0);
	while (completed < MESSAGES && now() < end) {
		__atomic_fetch_add(&completed, poll_some(pair.a.cq), __ATOMIC_RELAXED);
		received += poll_some(pair.b.cq);
	}
	CHECK_EQ(completed, MESSAGES);
	for (i = 0; i < POSTERS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	for (end = now() + patience_factor(); received < MESSAGES && now() < end;)
		received += poll_some(pair.b.cq);
	CHECK_EQ(received, MESSAGES);
}

static const struct test tests[] = {
	{ "uc_from_two_cpus", uc_from_two_cpus, 30 },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
