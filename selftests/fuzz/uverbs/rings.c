// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a program can write where the kernel reads, while it reads. */
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "world.h"

/* The ring may be unmapped by another thread at any time. */
static __thread sigjmp_buf out;
static __thread volatile sig_atomic_t inside;

static void caught(int signal)
{
	if (inside)
		siglongjmp(out, signal);
	_exit(128 + signal);
}

static void catch_faults(void)
{
	struct sigaction action = { .sa_handler = caught, .sa_flags = SA_NODEFER };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
}

static void scribble(uint64_t *seed, struct map map)
{
	struct rox_ring_hdr *hdr = (void *)map.addr;
	size_t at, bytes, i;

	switch (below(seed, 7)) {
	case 6:
		hdr->help = one_in(seed, 2) ? edge(seed) : 0;
		break;
	case 0:
		hdr->prod = one_in(seed, 2) ? edge(seed) : hdr->cons + edge(seed);
		break;
	case 1:
		hdr->cons = one_in(seed, 2) ? edge(seed) : hdr->prod - edge(seed);
		break;
	case 2:
		hdr->flags = below(seed, 2) ? below(seed, 4) : edge(seed);
		break;
	case 3:
		/* A rolling producer: always something new just now. */
		for (i = 0; i < 200; i++)
			__atomic_add_fetch(&hdr->prod, 1, __ATOMIC_RELEASE);
		break;
	default:
		at = below(seed, map.bytes);
		bytes = 1 + below(seed, map.bytes - at > 256 ? 256 : map.bytes - at);
		for (i = 0; i < bytes; i++)
			map.addr[at + i] = rnd(seed);
	}
}

void *scribbler(void *arg)
{
	struct player *player = arg;
	struct world *world = player->world;
	uint64_t seed = player->seed;
	struct map map;

	catch_faults();
	while (!world->shared->stop) {
		if (sigsetjmp(out, 1)) {
			inside = 0;
			COUNT(world->shared, faults);
			continue;
		}
		map = world->maps[below(&seed, NR_MAPS)];
		if (!map.addr)
			continue;
		inside = 1;
		scribble(&seed, map);
		inside = 0;
	}
	return NULL;
}

/* ---- requests that are nearly right */

static struct rox_sge random_sge(struct world *world, uint64_t *seed)
{
	const struct hostile_mr *mr = &world->mrs[below(seed, NR_MRS)];
	uint32_t offset = below(seed, mr->bytes ? mr->bytes : 1);
	struct rox_sge sge = {
		.addr = mr->iova + offset,
		.length = below(seed, 5000) % (mr->bytes - offset + 1),
		.lkey = mr->lkey,
	};

	switch (below(seed, 24)) {
	case 0:
		sge.addr += edge(seed);
		break;
	case 1:
		sge.length = edge(seed);
		break;
	case 2:
		sge.lkey = below(seed, 2);	/* none, all kernel memory */
		sge.addr = 0xffff888000000000 + below(seed, 1 << 24);
		break;
	case 3:
		sge.lkey = world->shared->victim_lkey;
		sge.addr = world->shared->victim_addr;
		break;
	case 4:
		sge.addr = mr->iova + mr->bytes - 1;
		break;
	case 5:
		sge.addr = mr->iova - 1;
		break;
	}
	return sge;
}

static void aim(struct world *world, uint64_t *seed, const struct hostile_qp *qp,
		struct rox_sqe *sqe)
{
	struct rox_sge there = random_sge(world, seed);

	sqe->rkey = there.lkey;
	sqe->remote_addr = there.addr;
	sqe->compare_add = rnd(seed);
	sqe->swap = rnd(seed);
	if (sqe->opcode == ROX_WR_ATOMIC_CMP_AND_SWP ||
	    sqe->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD)
		sqe->remote_addr &= ~7ULL;
	if (one_in(seed, 32)) {
		sqe->rkey = world->shared->victim_rkey;
		sqe->remote_addr = world->shared->victim_addr;
	}
	if (qp->type != IBV_QPT_UD)
		return;
	sqe->rkey = one_in(seed, 8) ? below(seed, 64) : world->ah_number;
	sqe->compare_add = world->qps[below(seed, NR_QPS)].qpn;
	sqe->swap = one_in(seed, 4) ? 0x80010000 : 0x1234;
	if (one_in(seed, 16))
		sqe->compare_add = 1;
}

static void fill_sqe(struct world *world, uint64_t *seed, const struct hostile_qp *qp,
		     uint8_t *slot)
{
	struct rox_sqe sqe = {
		.wr_id = rnd(seed),
		.opcode = qp->type == IBV_QPT_UD ? 2 + below(seed, 2) : below(seed, 10),
		.flags = rnd(seed) & 0x07,
		.num_sge = below(seed, 4),
		.imm = rnd(seed),
	};
	unsigned int i, room = (qp->sq.stride - sizeof(sqe)) / sizeof(struct rox_sge);

	if (one_in(seed, 20))
		sqe.opcode = rnd(seed);
	if (one_in(seed, 20))
		sqe.num_sge = rnd(seed);
	if (one_in(seed, 6)) {
		sqe.flags |= ROX_SQE_INLINE;
		sqe.inline_len = one_in(seed, 4) ? edge(seed) : below(seed, 64);
	}
	aim(world, seed, qp, &sqe);
	if (one_in(seed, 16))
		((uint8_t *)&sqe)[below(seed, sizeof(sqe))] = rnd(seed);
	memcpy(slot, &sqe, sizeof(sqe));
	for (i = 0; i < sqe.num_sge && i < room; i++)
		((struct rox_sge *)(slot + sizeof(sqe)))[i] = random_sge(world, seed);
}

static void fill_rqe(struct world *world, uint64_t *seed, const struct hostile_qp *qp,
		     uint8_t *slot)
{
	unsigned int i, room = (qp->rq.stride - sizeof(struct rox_rqe)) / sizeof(struct rox_sge);
	struct rox_rqe rqe = {
		.wr_id = rnd(seed),
		.num_sge = one_in(seed, 20) ? edge(seed) : below(seed, 4),
		.reserved = one_in(seed, 30),
	};

	memcpy(slot, &rqe, sizeof(rqe));
	for (i = 0; i < rqe.num_sge && i < room; i++)
		((struct rox_sge *)(slot + sizeof(rqe)))[i] = random_sge(world, seed);
}

static void post_some(struct world *world, uint64_t *seed, const struct hostile_qp *qp)
{
	struct rox_ring_hdr *sq = (void *)qp->sq.map, *rq = (void *)qp->rq.map;
	uint32_t i, nr = 1 + below(seed, 40), prod;

	if (rq) {
		prod = rq->prod;
		for (i = 0; i < nr; i++)
			fill_rqe(world, seed, qp, qp->rq.map + ROX_RING_DATA +
				 (size_t)(prod++ % qp->rq.entries) * qp->rq.stride);
		__atomic_store_n(&rq->prod, prod, __ATOMIC_RELEASE);
	}
	if (sq) {
		/* Where the kernel is, whatever was scribbled there. */
		prod = sq->cons;
		for (i = 0; i < nr; i++)
			fill_sqe(world, seed, qp, qp->sq.map + ROX_RING_DATA +
				 (size_t)(prod++ % qp->sq.entries) * qp->sq.stride);
		__atomic_store_n(&sq->prod, prod, __ATOMIC_RELEASE);
	}
}

void *poster(void *arg)
{
	struct player *player = arg;
	struct world *world = player->world;
	uint64_t seed = player->seed;
	struct hostile_qp qp;

	catch_faults();
	while (!world->shared->stop) {
		if (sigsetjmp(out, 1)) {
			inside = 0;
			COUNT(world->shared, faults);
			continue;
		}
		qp = world->qps[below(&seed, NR_QPS)];
		if (qp.live) {
			inside = 1;
			post_some(world, &seed, &qp);
			inside = 0;
		}
		kick(world, one_in(&seed, 16) ? 0 :
		     one_in(&seed, 16) ? rnd(&seed) : qp.qpn);
		if (!raw_help(world->fd, qp.qpn | (one_in(&seed, 2) ? 1U << 31 : 0)))
			COUNT(world->shared, of_kind[HELP]);
	}
	return NULL;
}
