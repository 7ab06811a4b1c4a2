// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What one program can take and learn is bounded. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib.h"

/* Thousands of flushes by one kick are not one turn: the worker does most. */
static void flush_in_turns(void)
{
	struct opt opt = { .send_wr = 16384, .cqe = 16384 };
	struct ibv_send_wr wr, *bad;
	struct ibv_sge sge;
	struct pair pair;
	long before;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	sge = sge_of(&pair.a, 0, 8);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	before = counter(&pair.dev, "worker_runs");
	CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_ERR), 0);
	/* All of them are there before the one kick. */
	struct ibv_send_wr *list = calloc(16384, sizeof(wr));

	CHECK(list);
	for (i = 0; i < 16384; i++) {
		list[i] = wr;
		list[i].wr_id = i;
		list[i].next = i + 1 < 16384 ? &list[i + 1] : NULL;
	}
	CHECK_EQ(ibv_post_send(pair.a.qp, list, &bad), 0);
	for (i = 0; i < 16384; i++)
		CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_WR_FLUSH_ERR);
	CHECK(counter(&pair.dev, "worker_runs") - before >= 2);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A table that hands its places out in a fixed order could be learned. Drawn at
 * random, of 24000 places of 2^24 some come twice: 17 do on the average.
 */
static void keys_drawn_anew(void)
{
	static uint32_t places[24000];
	unsigned int i, twice = 0;
	struct ibv_mr *mr;
	struct dev dev;
	void *memory;

	open_device(&dev);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		mr = ibv_reg_mr(dev.pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);
		CHECK(mr);
		places[i] = mr->rkey >> 8;
		CHECK(places[i]);
		CHECK_EQ(ibv_dereg_mr(mr), 0);
	}
	qsort(places, ARRAY_SIZE(places), sizeof(*places), by_value);
	for (i = 1; i < ARRAY_SIZE(places); i++)
		twice += places[i] == places[i - 1];
	printf("# %u places came twice\n", twice);
	CHECK(twice >= 1 && twice <= 60);
}

#define GROUP "/sys/fs/cgroup/rox-bounds"

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0)
		skip("needs the memory controller of cgroup 2");
	CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static long charged(const char *what)
{
	char line[256];
	long bytes = -1;
	FILE *file;

	file = fopen(GROUP "/memory.stat", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, what, strlen(what)) && line[strlen(what)] == ' ')
			bytes = atol(line + strlen(what));
	fclose(file);
	return bytes;
}

/* From now on this program's memory is counted apart. */
static void enter_group(void)
{
	if (access("/sys/fs/cgroup/cgroup.subtree_control", W_OK))
		skip("needs cgroup 2 and root");
	write_to("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	mkdir(GROUP, 0755);
	write_to(GROUP "/cgroup.procs", "0");
}

/* What an address handle needs on each CPU is the program's as well. */
static void ahs_are_charged(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .hop_limit = 64 },
	};
	long before, after;
	struct dev dev;
	double end;
	int i;

	enter_group();
	open_device(&dev);
	attr.grh.dgid = dev.gid;
	attr.grh.sgid_index = dev.gid_index;
	before = charged("percpu");
	if (before < 0)
		skip("this kernel does not tell what is per CPU");
	for (i = 0; i < 4000; i++)
		CHECK(ibv_create_ah(dev.pd, &attr));
	/* The statistics follow within two seconds. */
	end = now() + 3 * patience_factor();
	do {
		usleep(100000);
		after = charged("percpu");
	} while (after - before < 4000L * 32 && now() < end);
	printf("# 4000 address handles: %ld bytes per CPU charged\n",
	       after - before);
	write_to("/sys/fs/cgroup/cgroup.procs", "0");
	CHECK(after - before >= 4000L * 32);
}

#define IDLE_QPS 1000

/* A connection that does nothing costs little memory. */
static void idle_qps_are_small(void)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { 16, 16, 1, 1, 0 },
	};
	struct end end = { .type = IBV_QPT_RC };
	long before, each;
	struct dev dev;
	int i;

	enter_group();
	open_device(&dev);
	end.dev = &dev;
	init.send_cq = ibv_create_cq(dev.context, 10, NULL, NULL, 0);
	init.recv_cq = init.send_cq;
	CHECK(init.send_cq);
	before = charged("kernel");
	if (before < 0)
		skip("this kernel does not tell what it uses itself");
	for (i = 0; i < IDLE_QPS; i++) {
		end.qp = ibv_create_qp(dev.pd, &init);
		CHECK(end.qp);
		join(&end, &end, NULL);
	}
	/* The statistics follow within two seconds. */
	usleep(3000000 * patience_factor());
	each = (charged("kernel") - before) / IDLE_QPS;
	write_to("/sys/fs/cgroup/cgroup.procs", "0");
	printf("# an idle RC QP: %ld bytes\n", each);
	CHECK(each >= 2000);	/* or they were not counted */
	CHECK(each <= 48 << 10);
}

#define TIMED_QPS 1000

/*
 * A thousand requests that nobody answers are sent again and again: soft interrupts do
 * a part of it, and no task runs meanwhile; workers do the rest.
 */
static void timers_in_turns(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 1, 1, 1, 1, 0 } };
	struct opt opt = { .timeout = 12, .unconnected = true };
	struct end end = { .type = IBV_QPT_RC };
	struct ibv_qp *qps[TIMED_QPS];
	long runs, timeouts;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	end = pair.a;
	init.send_cq = ibv_create_cq(pair.dev.context, TIMED_QPS, NULL, NULL, 0);
	init.recv_cq = init.send_cq;
	CHECK(init.send_cq);
	runs = counter(&pair.dev, "worker_runs");
	timeouts = counter(&pair.dev, "local_ack_timeout_err");
	for (i = 0; i < TIMED_QPS; i++) {
		qps[i] = ibv_create_qp(pair.dev.pd, &init);
		CHECK(qps[i]);
		end.qp = qps[i];
		join(&end, &pair.b, &opt);
	}
	for (i = 0; i < TIMED_QPS; i++) {
		end.qp = qps[i];
		send_op(&end, &pair.b, IBV_WR_RDMA_WRITE, 0, 8, IBV_SEND_SIGNALED);
	}
	usleep(500000 * patience_factor());
	runs = counter(&pair.dev, "worker_runs") - runs;
	timeouts = counter(&pair.dev, "local_ack_timeout_err") - timeouts;
	printf("# %ld time-outs, %ld of them by workers\n", timeouts, runs);
	CHECK(timeouts >= TIMED_QPS);
	CHECK(runs >= timeouts / 20);
}

static const struct test tests[] = {
	{ "flush_in_turns", flush_in_turns, 60 },
	{ "keys_drawn_anew", keys_drawn_anew, 120 },
	{ "ahs_are_charged", ahs_are_charged, 60 },
	{ "idle_qps_are_small", idle_qps_are_small, 60 },
	{ "timers_in_turns", timers_in_turns, 60 },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
