// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory regions: which memory, which address, which rights, and for how long. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "lib.h"

static void *map(size_t size, int protection)
{
	void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED);
	return memory;
}

/* Write the first bytes of a's buffer to the place, and say how it ended. */
static enum ibv_wc_status write_to(struct pair *pair, uint64_t addr,
				   uint32_t rkey, size_t length)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, length);
	struct ibv_send_wr wr = wr_of(&pair->a, &pair->b, IBV_WR_RDMA_WRITE,
				      &sge);

	wr.wr.rdma.remote_addr = addr;
	wr.wr.rdma.rkey = rkey;
	post(&pair->a, &wr);
	return poll_one(pair->a.cq).status;
}

/* 512 MiB in one region, touched at its ends and in the middle. */
static void large(void)
{
	size_t free_bytes = sysconf(_SC_AVPHYS_PAGES) * 4096UL;
	size_t size = 512UL << 20, i;
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;

	while (size > free_bytes * 3 / 4)
		size /= 2;
	if (size < 64 << 20)
		skip("needs 100 MiB of free memory");
	printf("# region of %zu MiB\n", size >> 20);
	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(size, PROT_READ | PROT_WRITE);
	mr = ibv_reg_mr(pair.dev.pd, memory, size, ALL_ACCESS);
	CHECK(mr);
	fill(pair.a.buf, 10000, 1);
	for (i = 0; i + 10000 <= size; i += size / 64 + 12345) {
		CHECK_EQ(write_to(&pair, (uintptr_t)memory + i, mr->rkey, 10000),
			 IBV_WC_SUCCESS);
		CHECK(filled(memory + i, 10000, 1));
	}
	CHECK_EQ(write_to(&pair, (uintptr_t)memory + size - 10000, mr->rkey,
			  10000), IBV_WC_SUCCESS);
	CHECK(filled(memory + size - 10000, 10000, 1));
	CHECK_EQ(write_to(&pair, (uintptr_t)memory + size - 9999, mr->rkey,
			  10000), IBV_WC_REM_ACCESS_ERR);
	CHECK_EQ(ibv_dereg_mr(mr), 0);
}

/* Begins and ends anywhere in a page. */
static void unaligned(void)
{
	static const size_t offsets[] = { 0, 1, 4095, 4096, 5000 };
	static const size_t lengths[] = { 1, 2, 4096, 4097, 20000 };
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;
	unsigned int i, j;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(65536, PROT_READ | PROT_WRITE);
	for (i = 0; i < ARRAY_SIZE(offsets); i++)
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			mr = ibv_reg_mr(pair.dev.pd, memory + offsets[i],
					lengths[j], ALL_ACCESS);
			CHECK(mr);
			memset(memory, 0xee, 65536);
			fill(pair.a.buf, lengths[j], i + j);
			CHECK_EQ(write_to(&pair, (uintptr_t)mr->addr, mr->rkey,
					  lengths[j]), IBV_WC_SUCCESS);
			CHECK(filled(mr->addr, lengths[j], i + j));
			CHECK_EQ(memory[offsets[i] + lengths[j]], 0xee);
			CHECK(!offsets[i] || memory[offsets[i] - 1] == 0xee);
			CHECK_EQ(ibv_dereg_mr(mr), 0);
		}
}

/* Addressed by another number than its own. */
static void iova(void)
{
	static const uint64_t iovas[] = {
		0x100, 0x1000, 0x123456789abc, 0xffffffffffff0000,
	};
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;
	unsigned int i;
	size_t offset;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(65536, PROT_READ | PROT_WRITE);
	for (i = 0; i < ARRAY_SIZE(iovas); i++) {
		offset = iovas[i] & 4095;
		mr = ibv_reg_mr_iova(pair.dev.pd, memory + offset, 32768,
				     iovas[i], ALL_ACCESS);
		CHECK(mr);
		memset(memory, 0, 65536);
		fill(pair.a.buf, 10000, i);
		CHECK_EQ(write_to(&pair, iovas[i] + 5000, mr->rkey, 10000),
			 IBV_WC_SUCCESS);
		CHECK(filled(memory + offset + 5000, 10000, i));
		CHECK_EQ(ibv_dereg_mr(mr), 0);
	}
	/* Not by its own, then. */
	mr = ibv_reg_mr_iova(pair.dev.pd, memory, 32768, 0x10000, ALL_ACCESS);
	CHECK_EQ(write_to(&pair, (uintptr_t)memory, mr->rkey, 100),
		 IBV_WC_REM_ACCESS_ERR);
}

/* The local side goes by the same number. */
static void iova_local(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	struct ibv_mr *mr;

	open_pair(&pair, IBV_QPT_RC, NULL);
	fill(pair.a.buf, 10000, 1);
	mr = ibv_reg_mr_iova(pair.dev.pd, pair.a.buf, 32768, 0x70000,
			     ALL_ACCESS);
	CHECK(mr);
	sge = (struct ibv_sge){ 0x70000, 10000, mr->lkey };
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.remote_addr = (uintptr_t)pair.b.buf;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
	CHECK(filled(pair.b.buf, 10000, 1));
}

static void rereg_access(void)
{
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(65536, PROT_READ | PROT_WRITE);
	mr = ibv_reg_mr(pair.dev.pd, memory, 65536, IBV_ACCESS_LOCAL_WRITE);
	CHECK(mr);
	if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			 ALL_ACCESS) == IBV_REREG_MR_ERR_CMD &&
	    (errno == EOPNOTSUPP || errno == ENOSYS))
		skip("no rereg");
	CHECK_EQ(write_to(&pair, (uintptr_t)memory, mr->rkey, 100),
		 IBV_WC_SUCCESS);
	CHECK_EQ(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			      IBV_ACCESS_LOCAL_WRITE), 0);
	CHECK_EQ(write_to(&pair, (uintptr_t)memory, mr->rkey, 100),
		 IBV_WC_REM_ACCESS_ERR);
}

static void rereg_translation(void)
{
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *first, *second;
	int status;

	open_pair(&pair, IBV_QPT_RC, NULL);
	first = map(65536, PROT_READ | PROT_WRITE);
	second = map(1 << 20, PROT_READ | PROT_WRITE);
	mr = ibv_reg_mr(pair.dev.pd, first, 65536, ALL_ACCESS);
	CHECK(mr);
	status = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, second,
			      1 << 20, 0);
	if (status && (errno == EOPNOTSUPP || errno == ENOSYS))
		skip("no rereg");
	CHECK_EQ(status, 0);
	fill(pair.a.buf, 1000, 2);
	CHECK_EQ(write_to(&pair, (uintptr_t)second + 900000, mr->rkey, 1000),
		 IBV_WC_SUCCESS);
	CHECK(filled(second + 900000, 1000, 2));
	CHECK_EQ(write_to(&pair, (uintptr_t)first, mr->rkey, 1000),
		 IBV_WC_REM_ACCESS_ERR);
	CHECK_EQ(first[0], 0);
}

static void rereg_pd(void)
{
	struct ibv_pd *pd;
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;
	int status;

	open_pair(&pair, IBV_QPT_RC, NULL);
	pd = ibv_alloc_pd(pair.dev.context);
	memory = map(65536, PROT_READ | PROT_WRITE);
	mr = ibv_reg_mr(pd, memory, 65536, ALL_ACCESS);
	CHECK(mr);
	status = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pair.dev.pd, NULL, 0,
			      0);
	if (status && (errno == EOPNOTSUPP || errno == ENOSYS))
		skip("no rereg");
	CHECK_EQ(status, 0);
	CHECK_EQ(ibv_dealloc_pd(pd), 0);
	CHECK_EQ(write_to(&pair, (uintptr_t)memory, mr->rkey, 100),
		 IBV_WC_SUCCESS);
}

/* Remote rights to write need the local one. */
static void bad_access(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	CHECK(!ibv_reg_mr(pair.dev.pd, pair.a.buf, 4096,
			  IBV_ACCESS_REMOTE_WRITE));
	CHECK_EQ(errno, EINVAL);
	CHECK(!ibv_reg_mr(pair.dev.pd, pair.a.buf, 4096,
			  IBV_ACCESS_REMOTE_ATOMIC));
	CHECK_EQ(errno, EINVAL);
}

/* Read-only memory can be sent from, not registered for writing. */
static void read_only(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(8192, PROT_READ | PROT_WRITE);
	fill(memory, 8192, 1);
	CHECK_EQ(mprotect(memory, 8192, PROT_READ), 0);
	CHECK(!ibv_reg_mr(pair.dev.pd, memory, 8192, ALL_ACCESS));
	mr = ibv_reg_mr(pair.dev.pd, memory, 8192, 0);
	CHECK(mr);
	sge = (struct ibv_sge){ (uintptr_t)memory, 8192, mr->lkey };
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.remote_addr = (uintptr_t)pair.b.buf;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
	CHECK(filled(pair.b.buf, 8192, 1));
}

static void not_mapped(void)
{
	struct pair pair;
	uint8_t *memory;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(16384, PROT_READ | PROT_WRITE);
	munmap(memory + 8192, 4096);
	CHECK(!ibv_reg_mr(pair.dev.pd, memory, 16384, ALL_ACCESS));
	CHECK(!ibv_reg_mr(pair.dev.pd, NULL, 4096, ALL_ACCESS));
	CHECK(!ibv_reg_mr(pair.dev.pd, (void *)-4096L, 8192, ALL_ACCESS));
}

/* The same memory many times: every region has its own key. */
static void overlapping(void)
{
	struct ibv_mr *mr[100];
	struct pair pair;
	int i, j;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 100; i++) {
		mr[i] = ibv_reg_mr(pair.dev.pd, pair.b.buf, 65536, ALL_ACCESS);
		CHECK(mr[i]);
		for (j = 0; j < i; j++)
			CHECK(mr[i]->rkey != mr[j]->rkey);
	}
	for (i = 0; i < 100; i++) {
		if (i < 50)
			CHECK_EQ(write_to(&pair, (uintptr_t)pair.b.buf,
					  mr[i]->rkey, 100), IBV_WC_SUCCESS);
		CHECK_EQ(ibv_dereg_mr(mr[i]), 0);
	}
}

/* What is mapped elsewhere as well sees the same bytes. */
static void shared_memory(void)
{
	uint8_t *first, *second;
	struct pair pair;
	struct ibv_mr *mr;
	int fd;

	open_pair(&pair, IBV_QPT_RC, NULL);
	fd = memfd_create("memory", 0);
	CHECK(fd >= 0 && !ftruncate(fd, 65536));
	first = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	second = mmap(NULL, 65536, PROT_READ, MAP_SHARED, fd, 0);
	mr = ibv_reg_mr(pair.dev.pd, first, 65536, ALL_ACCESS);
	CHECK(mr);
	fill(pair.a.buf, 20000, 3);
	CHECK_EQ(write_to(&pair, (uintptr_t)first + 100, mr->rkey, 20000),
		 IBV_WC_SUCCESS);
	CHECK(filled(second + 100, 20000, 3));
}

/* Pages stay pinned though the program unmaps them, and nothing else is hit. */
static void unmapped_while_registered(void)
{
	struct pair pair;
	struct ibv_mr *mr;
	uint8_t *memory;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memory = map(65536, PROT_READ | PROT_WRITE);
	mr = ibv_reg_mr(pair.dev.pd, memory, 65536, ALL_ACCESS);
	CHECK(mr);
	munmap(memory, 65536);
	CHECK_EQ(write_to(&pair, (uintptr_t)memory, mr->rkey, 60000),
		 IBV_WC_SUCCESS);
	CHECK_EQ(ibv_dereg_mr(mr), 0);
}

/* Rings are not charged to memlock: a small limit still runs small programs. */
static void small_memlock(void)
{
	struct rlimit limit = { 65536, 65536 };
	struct opt opt = { .size = 8192 };
	struct pair pair;

	CHECK_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
	if (geteuid() == 0 && setresuid(65534, 65534, 65534))
		skip("cannot drop rights");
	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 8192, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	CHECK(!ibv_reg_mr(pair.dev.pd, map(1 << 20, PROT_READ | PROT_WRITE),
			  1 << 20, ALL_ACCESS));
	CHECK_EQ(errno, ENOMEM);
}

/* Routes that the kernel keeps, for whomever. */
static long routes(void)
{
	FILE *file = fopen("/proc/net/stat/rt_cache", "r");
	long nr;

	CHECK(file);
	CHECK_EQ(fscanf(file, "%*[^\n] %lx", &nr), 1);
	fclose(file);
	return nr;
}

/* Each IPv4 group has a route of its own, which nobody is charged for. */
static void groups_leave_no_routes(void)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1, .grh.hop_limit = 1 };
	struct pair pair;
	long before;
	int i;

	open_pair(&pair, IBV_QPT_UD, NULL);
	attr.grh.sgid_index = pair.dev.gid_index;
	memcpy(attr.grh.dgid.raw + 10, "\xff\xff\xef", 3);
	before = routes();
	for (i = 0; i < 500; i++) {
		attr.grh.dgid.raw[14] = i >> 8;
		attr.grh.dgid.raw[15] = i;
		pair.a.ah = ibv_create_ah(pair.dev.pd, &attr);
		CHECK(pair.a.ah);
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
		poll_ok(pair.a.cq);
	}
	if (routes() - before >= 100)
		FAIL("%ld routes, %ld before", routes(), before);
}

static const struct test tests[] = {
	{ "large", large, 90 },
	{ "unaligned", unaligned },
	{ "iova", iova },
	{ "iova_local", iova_local },
	{ "rereg_access", rereg_access },
	{ "rereg_translation", rereg_translation },
	{ "rereg_pd", rereg_pd },
	{ "bad_access", bad_access },
	{ "read_only", read_only },
	{ "not_mapped", not_mapped },
	{ "overlapping", overlapping },
	{ "shared_memory", shared_memory },
	{ "unmapped_while_registered", unmapped_while_registered },
	{ "groups_leave_no_routes", groups_leave_no_routes },
	{ "small_memlock", small_memlock },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
