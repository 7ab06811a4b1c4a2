// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Accesses that must be refused, one by one, with rings that nobody scribbles
 * on, so that the completion can be believed. And how much may be registered.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "../../verbs/lib.h"
#include "world.h"

struct access {
	const char *what;
	uint64_t addr;
	uint32_t length, key;
	bool remote;	/* the other side's memory, else the own */
};

/* The pair is dead after each error: it begins again. */
static void rejoin(struct pair *pair)
{
	struct ibv_wc wc;

	CHECK_EQ(modify_state(pair->a.qp, IBV_QPS_RESET), 0);
	CHECK_EQ(modify_state(pair->b.qp, IBV_QPS_RESET), 0);
	while (ibv_poll_cq(pair->a.cq, 1, &wc) > 0 || ibv_poll_cq(pair->b.cq, 1, &wc) > 0)
		;
	join(&pair->a, &pair->b, NULL);
	join(&pair->b, &pair->a, NULL);
}

static enum ibv_wc_status try_one(struct pair *pair, const struct access *access,
				  enum ibv_wr_opcode opcode)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, access->length ? 8 : 0);
	struct ibv_send_wr wr = wr_of(&pair->a, &pair->b, opcode, &sge);

	if (access->remote) {
		sge.length = access->length;
		if (sge.length > pair->a.size)
			sge.length = pair->a.size;
		wr.wr.rdma.remote_addr = access->addr;
		wr.wr.rdma.rkey = access->key;
	} else {
		sge = (struct ibv_sge){ access->addr, access->length, access->key };
	}
	post(&pair->a, &wr);
	return poll_within(pair->a.cq, 30).status;
}

static void refused(struct pair *pair, const struct access *access)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		enum ibv_wc_status status = try_one(pair, access, opcodes[i]);

		if (status == IBV_WC_SUCCESS)
			FAIL("%s: %s of %u bytes at %#llx by key %#x succeeded",
			     access->what, i ? "READ" : "WRITE", access->length,
			     (unsigned long long)access->addr, access->key);
		rejoin(pair);
	}
}

static void forbidden(struct shared *shared, struct pair *pair)
{
	uint64_t a = (uintptr_t)pair->a.buf, b = (uintptr_t)pair->b.buf;
	uint32_t la = pair->a.mr->lkey, rb = pair->b.mr->rkey;
	const struct access all[] = {
		{ "kernel memory", 0xffff888000001000, 8, 1, false },
		{ "kernel memory", 0xffff888000001000, 8, 1, true },
		{ "kernel text", 0xffffffff81000000, 64, 1, false },
		{ "no key", a, 8, 0, false },
		{ "no key", b, 8, 0, true },
		{ "kernel address, own key", 0xffff888000001000, 8, la, false },
		{ "another variant of the key", a, 8, la ^ 1, false },
		{ "another variant of the key", b, 8, rb ^ 0x80, true },
		{ "another's key", shared->victim_addr, 8, shared->victim_lkey, false },
		{ "another's key", shared->victim_addr, 8, shared->victim_rkey, true },
		{ "one before", a - 1, 8, la, false },
		{ "one before", b - 1, 8, rb, true },
		{ "one behind", a + pair->a.size - 7, 8, la, false },
		{ "one behind", b + pair->b.size - 7, 8, rb, true },
		{ "behind", b + pair->b.size, 1, rb, true },
		{ "wraps", UINT64_MAX - 3, 8, la, false },
		{ "wraps", UINT64_MAX - 3, 8, rb, true },
		{ "too long", a, 0x7fffffff, la, false },
		{ "longer than a message", a, 0x80000001, la, false },
		{ "as long as there is", a, 0xffffffff, la, false },
		{ "address 0", 0, 8, la, false },
		{ "address 0", 0, 8, rb, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		refused(pair, &all[i]);
}

/* What is registered counts, however it is cut, and counts no more afterwards. */
static void memlock(struct pair *pair)
{
	static struct ibv_mr *mrs[64];
	size_t bytes = 512 << 10;
	struct rlimit limit;
	uint8_t *memory;
	unsigned int i, nr, round, first = 0;

	CHECK_EQ(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
	CHECK(limit.rlim_cur <= 16 << 20);
	memory = mmap(NULL, 64 * bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	for (round = 0; round < 3; round++) {
		for (nr = 0; nr < ARRAY_SIZE(mrs); nr++) {
			mrs[nr] = ibv_reg_mr(pair->dev.pd, memory + nr * bytes,
					     bytes, IBV_ACCESS_LOCAL_WRITE);
			if (!mrs[nr])
				break;
		}
		CHECK_EQ(errno, ENOMEM);
		CHECK(nr && nr * bytes <= limit.rlim_cur);
		if (!round)
			first = nr;
		CHECK_EQ(nr, first);
		for (i = 0; i < nr; i++)
			CHECK_EQ(ibv_dereg_mr(mrs[i]), 0);
	}
	printf("# %u regions of 512 KiB under a limit of %llu KiB\n", first,
	       (unsigned long long)limit.rlim_cur >> 10);
}

/* The last byte there can be is as good as any; one more is not there. */
static void end_of_addresses(struct pair *pair)
{
	uint64_t last_page = 0 - (uint64_t)PAGE;
	struct access access = {
		"the last bytes", UINT64_MAX - 7, 8, 0, true,
	};
	struct ibv_mr *mr;
	uint8_t *memory;

	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(memory != MAP_FAILED);
	CHECK(!ibv_reg_mr_iova(pair->dev.pd, memory, PAGE + 1, last_page, ALL_ACCESS));
	CHECK_EQ(errno, EINVAL);
	mr = ibv_reg_mr_iova(pair->dev.pd, memory, PAGE, last_page, ALL_ACCESS);
	CHECK(mr);
	access.key = mr->rkey;
	memset(pair->a.buf, 0x77, 8);
	CHECK_EQ(try_one(pair, &access, IBV_WR_RDMA_WRITE), IBV_WC_SUCCESS);
	CHECK_EQ(memory[PAGE - 1], 0x77);
	CHECK_EQ(memory[PAGE], 0);
	access = (struct access){ "over the end", UINT64_MAX - 7, 9, mr->rkey, true };
	refused(pair, &access);
	access = (struct access){ "round to the begin", 0, 8, mr->rkey, true };
	refused(pair, &access);
	CHECK_EQ(ibv_dereg_mr(mr), 0);
}

/* Another program's queue pairs are none of ours to run. */
static void others(const struct shared *shared, struct pair *pair)
{
	int fd = pair->dev.context->cmd_fd;

	CHECK_EQ(raw_kick(fd, shared->victim_qpn), -EINVAL);
	CHECK_EQ(raw_help(fd, shared->victim_qpn), -EINVAL);
	CHECK_EQ(raw_help(fd, 1U << 31 | shared->victim_qpn), -EINVAL);
	CHECK_EQ(raw_help(fd, 0), -EINVAL);
	CHECK_EQ(raw_help(fd, 1), -EINVAL);
	CHECK_EQ(raw_help(fd, UINT32_MAX), -EINVAL);
	CHECK_EQ(raw_help(fd, pair->a.qp->qp_num), 0);
}

void probe(struct shared *shared)
{
	struct pair pair;

	device_name = shared->device;
	gid_index = shared->gid_index;
	open_pair(&pair, IBV_QPT_RC, NULL);
	forbidden(shared, &pair);
	others(shared, &pair);
	end_of_addresses(&pair);
	memlock(&pair);
}
