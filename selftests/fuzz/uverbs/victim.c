// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A program by the book beside the hostile ones. They know its keys, addresses
 * and numbers; nothing of what it does may go wrong for that.
 */
#include <sys/mman.h>

#include "../../verbs/lib.h"
#include "world.h"

#define SECRET_BYTES 65536

static void check_secret(const uint8_t *secret)
{
	size_t i;

	for (i = 0; i < SECRET_BYTES; i++)
		if (secret[i] != VICTIM)
			FAIL("the victim's byte %zu was written: %02x", i, secret[i]);
}

static void one_round(struct pair *pair, unsigned int round)
{
	size_t bytes = 1 + round * 7919 % 20000;
	enum ibv_wc_status status;

	fill(pair->a.buf, bytes, round);
	switch (round % 3) {
	case 0:
		recv_at(&pair->b, 0, bytes);
		send_op(&pair->a, &pair->b, IBV_WR_SEND, 0, bytes, IBV_SEND_SIGNALED);
		status = poll_within(pair->b.cq, 60).status;
		if (status)
			FAIL("the victim's receive: %s", ibv_wc_status_str(status));
		break;
	case 1:
		send_op(&pair->a, &pair->b, IBV_WR_RDMA_WRITE, 0, bytes, IBV_SEND_SIGNALED);
		break;
	default:
		fill(pair->b.buf, bytes, round);
		memset(pair->a.buf, 0, bytes);
		send_op(&pair->a, &pair->b, IBV_WR_RDMA_READ, 0, bytes, IBV_SEND_SIGNALED);
	}
	status = poll_within(pair->a.cq, 60).status;
	if (status)
		FAIL("the victim's request: %s", ibv_wc_status_str(status));
	CHECK(filled(pair->a.buf, bytes, round));
	CHECK(filled(pair->b.buf, bytes, round));
}

void victim(struct shared *shared)
{
	struct opt opt = { .timeout = 18 };
	unsigned int round;
	struct ibv_mr *mr;
	uint8_t *secret;
	struct pair pair;
	double start;

	device_name = shared->device;
	gid_index = shared->gid_index;
	secret = mmap(NULL, SECRET_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(secret != MAP_FAILED);
	memset(secret, VICTIM, SECRET_BYTES);
	open_pair(&pair, IBV_QPT_RC, &opt);
	mr = ibv_reg_mr(pair.dev.pd, secret, SECRET_BYTES, ALL_ACCESS);
	CHECK(mr);
	shared->victim_addr = (uintptr_t)secret;
	shared->victim_rkey = mr->rkey;
	shared->victim_lkey = mr->lkey;
	__atomic_store_n(&shared->victim_qpn, pair.b.qp->qp_num, __ATOMIC_RELEASE);
	for (round = 0; !shared->stop; round++) {
		start = now();
		one_round(&pair, round);
		spread_add(&shared->ops[shared->storm], (now() - start) * 1e6);
		if (round % 16 == 0)
			check_secret(secret);
	}
	check_secret(secret);
}
