// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How much memory can a program take from the machine? As an unprivileged user in
 * a small memory cgroup it creates objects of one kind until it is refused, or
 * killed for it. The whole machine may lose no more than the group's limit and
 * some, and has it back afterwards. A result for each kind.
 *
 *	exhaust -d DEVICE -g GID-INDEX -c GROUP
 */
#include <infiniband/verbs.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../verbs/lib.h"
#include "beside.h"

/* What no group is charged for: page tables, what the core has of each object. */
#define SOME_KIB	(8L << 10)
#define BACK_KIB	(4L << 10)
#define QUIET_KIB	256
/* What is freed is kept for a while on kernels that look for its use. */
#define SLACK		(patience() > 1 ? 10 : 1)
#define SECONDS		12
#define FILES		65536

static struct progress {
	uint64_t nr;
	int refused;	/* the errno */
} *progress;

static const char *group;
static int results, failed;

/* ---- what it creates */

static struct ibv_cq *one_cq;
static struct ibv_mr *one_mr;

static void *new_qp(struct dev *dev, const struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = one_cq,
		.recv_cq = one_cq,
		.cap = *cap,
	};

	return ibv_create_qp(dev->pd, &init);
}

static void *small_qp(struct dev *dev)
{
	return new_qp(dev, &(struct ibv_qp_cap){ 1, 1, 1, 1, 0 });
}

static void *large_qp(struct dev *dev)
{
	return new_qp(dev, &(struct ibv_qp_cap){
		.max_send_wr = dev->attr.max_qp_wr,
		.max_recv_wr = dev->attr.max_qp_wr,
		.max_send_sge = dev->attr.max_sge,
		.max_recv_sge = dev->attr.max_sge,
	});
}

static void *small_cq(struct dev *dev)
{
	return ibv_create_cq(dev->context, 1, NULL, NULL, 0);
}

static void *large_cq(struct dev *dev)
{
	return ibv_create_cq(dev->context, dev->attr.max_cqe, NULL, NULL, 0);
}

static void *small_mr(struct dev *dev)
{
	return ibv_reg_mr(dev->pd, one_mr->addr, 4096, IBV_ACCESS_LOCAL_WRITE);
}

/* Its pages are the program's own in any case. */
static void *large_mr(struct dev *dev)
{
	void *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	return ibv_reg_mr(dev->pd, memory, 1 << 20, ALL_ACCESS);
}

static void *pd(struct dev *dev)
{
	return ibv_alloc_pd(dev->context);
}

static void *ah(struct dev *dev)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = dev->gid, .sgid_index = dev->gid_index, .hop_limit = 64 },
	};

	return ibv_create_ah(dev->pd, &attr);
}

static void *channel(struct dev *dev)
{
	return ibv_create_comp_channel(dev->context);
}

static void *context(struct dev *dev)
{
	return ibv_open_device(dev->context->device);
}

/*
 * Of what is the core's alone, and the core's record of a handle, a part is charged
 * to nobody, whoever the driver is.
 */
static const struct sort {
	const char *what;
	void *(*create)(struct dev *dev);
	bool of_core;
} sorts[] = {
	{ "queue pairs, small", small_qp },
	{ "queue pairs, as large as allowed", large_qp },
	{ "completion queues, small", small_cq },
	{ "completion queues, as large as allowed", large_cq },
	{ "memory regions of one page", small_mr },
	{ "memory regions of a megabyte", large_mr },
	{ "protection domains", pd },
	{ "address handles", ah, true },
	{ "completion channels", channel, true },
	{ "contexts", context, true },
};

static void take_all(const struct sort *sort)
{
	struct dev dev;
	void *page;

	open_device(&dev);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	one_cq = ibv_create_cq(dev.context, 1, NULL, NULL, 0);
	one_mr = ibv_reg_mr(dev.pd, page, 4096, IBV_ACCESS_LOCAL_WRITE);
	CHECK(one_cq && one_mr);
	while (sort->create(&dev))
		progress->nr++;
	__atomic_store_n(&progress->refused, errno ? errno : EIO, __ATOMIC_RELEASE);
	/* All of it stays until the parent has looked. */
	pause();
}

/* ---- what that costs the machine */

static long meminfo(const char *what)
{
	char line[128];
	long kib = 0;
	FILE *file;

	file = fopen("/proc/meminfo", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, what, strlen(what)))
			kib = atol(line + strlen(what));
	fclose(file);
	return kib;
}

/* MemFree, and what each CPU keeps at hand: that may be many megabytes. */
static long free_pages(void)
{
	long pages = 0, some;
	char line[128];
	FILE *file;

	file = fopen("/proc/zoneinfo", "r");
	CHECK(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " pages free %ld", &some) == 1 ||
		    sscanf(line, " count: %ld", &some) == 1)
			pages += some;
	fclose(file);
	CHECK(pages);
	return pages;
}

/* What files need comes and goes as it likes. */
static long free_kib(void)
{
	return free_pages() * 4 + meminfo("Buffers:") + meminfo("Cached:");
}

static void in_group(void)
{
	struct rlimit files = { FILES, FILES };
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	file = fopen(path, "w");
	CHECK(file && fputs("0", file) > 0 && !fclose(file));
	CHECK(!setrlimit(RLIMIT_NOFILE, &files));
}

static long of_group(const char *what)
{
	char path[128];
	long bytes = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/memory.%s", group, what);
	file = fopen(path, "r");
	CHECK(file && fscanf(file, "%ld", &bytes) == 1);
	fclose(file);
	return bytes >> 10;
}

/* What went before is given back by and by, and would hide what is taken now. */
static void settle(void)
{
	double end = now() + 20 * patience();
	long before;

	do {
		before = free_kib();
		usleep(500000);
	} while ((free_kib() > before + QUIET_KIB || of_group("current") > BACK_KIB * SLACK) &&
		 now() < end);
}

static void result(bool good, const char *what, const char *of)
{
	printf("%s %d %s: %s\n", good ? "ok" : "not ok", ++results, what, of);
	failed += !good;
	fflush(stdout);
}

/* Until it is refused, gone, or has had its time; the least that is free meanwhile. */
static long watch(pid_t pid)
{
	double end = now() + SECONDS;
	long least = free_kib(), some;
	bool refused;

	do {
		refused = __atomic_load_n(&progress->refused, __ATOMIC_ACQUIRE);
		some = free_kib();
		least = some < least ? some : least;
		usleep(5000);
	} while (!refused && alive(pid) && now() < end);
	return least;
}

struct outcome {
	long lost, kept;	/* at the worst; when all should be back; KiB */
	int status;
	bool late;
};

static struct outcome exhaust_once(const struct sort *sort)
{
	struct outcome out;
	long before;
	double end;
	pid_t pid;

	settle();
	before = free_kib();
	*progress = (struct progress){};
	pid = child();
	if (!pid) {
		in_group();
		drop_privileges();
		take_all(sort);
		_exit(1);
	}
	out.lost = before - watch(pid);
	out.late = !progress->refused && alive(pid);
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &out.status, 0) == pid);
	end = now() + 10 * patience();
	do {
		usleep(20000);
		out.kept = before - free_kib();
	} while (out.kept > BACK_KIB * SLACK && now() < end);
	printf("# %s: %llu, then %s; the machine lost %ld KiB, %ld KiB of them for good\n",
	       sort->what, (unsigned long long)progress->nr,
	       progress->refused ? strerror(progress->refused) :
	       out.late ? "no more time" : WIFSIGNALED(out.status) ? "killed" : "an error of its own", out.lost, out.kept);
	return out;
}

static void exhaust(const struct sort *sort)
{
	long limit = of_group("max") * (sort->of_core ? 2 : 1) + SOME_KIB * SLACK;
	struct outcome out = exhaust_once(sort);

	result((progress->nr || WIFSIGNALED(out.status)) && out.lost <= limit,
	       "the machine loses what the group may have", sort->what);
	/* What a cache keeps is used the second time, what leaks is lost again. */
	if (out.kept > BACK_KIB * SLACK)
		out = exhaust_once(sort);
	result(out.kept <= BACK_KIB * SLACK, "all of it is back", sort->what);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int option;

	while ((option = getopt(argc, argv, "d:g:c:")) != -1) {
		if (option == 'd')
			device_name = optarg;
		else if (option == 'g')
			gid_index = atoi(optarg);
		else if (option == 'c')
			group = optarg;
	}
	CHECK(device_name && group);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(progress != MAP_FAILED);
	printf("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(sorts); i++)
		exhaust(&sorts[i]);
	printf("1..%d\n# Totals: pass:%d fail:%d skip:0\n", results, results - failed,
	       failed);
	return failed ? 1 : 0;
}
