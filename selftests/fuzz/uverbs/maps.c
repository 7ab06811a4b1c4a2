// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Rings mapped as they should be, and in every way they should not. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "beside.h"

static void remember(struct world *world, uint64_t *seed, uint8_t *addr, size_t bytes)
{
	struct map *map = &world->maps[below(seed, NR_MAPS)];
	struct map old = *map;

	*map = (struct map){ addr, bytes };
	/* Some stay behind: their queues are gone by then. */
	if (old.addr && !one_in(seed, 8))
		munmap(old.addr, old.bytes);
}

uint8_t *map_queue(struct world *world, uint64_t *seed, const struct queue *queue)
{
	uint8_t *addr;

	if (!queue->bytes)
		return NULL;
	world->shared->offsets[below(seed, NR_MAPS)] = queue->offset;
	addr = mmap(NULL, queue->bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
		    world->fd, queue->offset);
	if (addr == MAP_FAILED)
		return NULL;
	remember(world, seed, addr, queue->bytes);
	return addr;
}

/* Others' offsets, old ones, ones in the middle; wrong sizes and rights. */
static void forge(struct world *world, uint64_t *seed)
{
	static const int rights[] = {
		PROT_READ | PROT_WRITE, PROT_READ, PROT_WRITE, PROT_NONE,
		PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	const struct queue *queue = &world->qps[below(seed, NR_QPS)].sq;
	uint64_t offset = one_in(seed, 2) ? queue->offset :
			  world->shared->offsets[below(seed, NR_MAPS)];
	int right = rights[below(seed, 6)];
	size_t bytes = queue->bytes;
	uint8_t *addr;

	if (one_in(seed, 3))
		offset += (below(seed, 5) - 2) * PAGE;
	if (one_in(seed, 6))
		offset = edge(seed) & ~(PAGE - 1);
	if (one_in(seed, 3))
		bytes = (1 + below(seed, 64)) * PAGE;
	addr = mmap(NULL, bytes, right, one_in(seed, 4) ? MAP_PRIVATE : MAP_SHARED,
		    world->fd, offset);
	if (addr == MAP_FAILED)
		return;
	if (right & PROT_EXEC)
		broken(world->shared, "a ring can be executed");
	remember(world, seed, addr, bytes);
}

/* A part of it, moved, or given other rights. */
static void deform(struct world *world, uint64_t *seed)
{
	struct map *map = &world->maps[below(seed, NR_MAPS)], m = *map;
	size_t pages = m.bytes / PAGE, from, some;
	uint8_t *addr;

	if (!m.addr)
		return;
	from = below(seed, pages);
	some = 1 + below(seed, pages - from);
	switch (below(seed, 8)) {
	case 0:
		munmap(m.addr + from * PAGE, some * PAGE);
		break;
	case 1:
		addr = mremap(m.addr, m.bytes, some * PAGE, MREMAP_MAYMOVE);
		if (addr != MAP_FAILED)
			*map = (struct map){ addr, some * PAGE };
		break;
	case 2:
		if (mremap(m.addr, m.bytes, m.bytes + PAGE, MREMAP_MAYMOVE) !=
		    MAP_FAILED)
			broken(world->shared, "a ring grew");
		break;
	case 3:
		/* The same a second time. */
		addr = mremap(m.addr, 0, m.bytes, MREMAP_MAYMOVE);
		if (addr != MAP_FAILED)
			remember(world, seed, addr, m.bytes);
		break;
	case 4:
		if (!mprotect(m.addr, m.bytes, PROT_READ | PROT_EXEC))
			broken(world->shared, "a ring was made executable");
		break;
	case 5:
		mprotect(m.addr + from * PAGE, some * PAGE,
			 one_in(seed, 2) ? PROT_READ : PROT_READ | PROT_WRITE);
		break;
	default:
		madvise(m.addr + from * PAGE, some * PAGE,
			below(seed, 2) ? below(seed, 26) : MADV_DONTNEED);
	}
}

/* A child has the device and the rings as well, until it dies. */
static void have_child(struct world *world, uint64_t *seed)
{
	uint64_t mine = rnd(seed) | 1;
	struct hostile_qp *qp;
	pid_t pid;
	int i;

	pid = child();
	if (pid < 0)
		return;
	if (pid == 0) {
		alarm(5);
		for (i = 0; i < 20; i++) {
			qp = &world->qps[below(&mine, NR_QPS)];
			raw_kick(world->fd, qp->qpn);
			forge(world, &mine);
			random_command(world, &mine);
		}
		if (one_in(&mine, 2))
			kill(getpid(), SIGKILL);
		_exit(0);
	}
	COUNT(world->shared, children);
	waitpid(pid, NULL, 0);
}

void random_map(struct world *world, uint64_t *seed)
{
	if (one_in(seed, 40))
		have_child(world, seed);
	else if (one_in(seed, 2))
		forge(world, seed);
	else
		deform(world, seed);
}
