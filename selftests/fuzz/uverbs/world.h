/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A hostile program: one open device, what it created there, and the memory it
 * plays with. Its threads share all of it without a lock, on purpose: an object
 * is used while another thread destroys it, a ring is written to while it is
 * unmapped.
 *
 * Memory, in pages:
 *
 *   0   guard, never registered		GUARD bytes
 *   16  open: registered in pieces, with any right
 *   32  guard
 *   48  read only: registered without any right to write	READ_ONLY bytes
 *   60  island: from ISLAND_AT on ISLAND_BYTES are registered, all else of
 *       these pages is guard
 *   64  guard
 *   72  end
 */
#ifndef WORLD_H
#define WORLD_H

#include "raw.h"

#define PAGE		4096UL
#define ARENA		(72 * PAGE)
#define OPEN_AT		(16 * PAGE)
#define OPEN_BYTES	(16 * PAGE)
#define READ_ONLY_AT	(48 * PAGE)
#define READ_ONLY_BYTES	(12 * PAGE)
#define ISLAND_AT	(60 * PAGE + 333)
#define ISLAND_BYTES	8001UL

#define GUARD		0xa7
#define READ_ONLY	0x5c
#define VICTIM		0xc3

/* Of what is not root's, in bytes. */
#define MEMLOCK		(4UL << 20)

#define NR_CQS		4
#define NR_QPS		8
#define NR_MRS		16
#define NR_MAPS		32

struct queue {
	uint8_t *map;
	uint64_t offset;
	uint32_t bytes, entries, stride;
};

struct hostile_qp {
	bool live;
	uint8_t type;
	uint32_t handle, qpn;
	struct queue sq, rq;
};

struct hostile_cq {
	bool live;
	uint32_t handle;
	struct queue ring;
};

struct hostile_mr {
	bool live;
	uint32_t handle, lkey, rkey;
	uint64_t iova, bytes;
};

struct map {
	uint8_t *addr;
	size_t bytes;
};

/* spread.c: times, in microseconds */
#define SPREAD_STEPS	112

struct spread {
	uint64_t nr[SPREAD_STEPS];
	uint64_t all, worst;
};

void spread_add(struct spread *spread, uint64_t us);
/* So many that this part of all are less. */
uint64_t spread_below(const struct spread *spread, double part);
void spread_print(const struct spread *spread, const char *what);

/* Calls that were accepted, by what they are. */
#define KINDS(X)			\
	X(GET_CONTEXT)			\
	X(ALLOC_PD)			\
	X(CREATE_COMP_CHANNEL)		\
	X(CREATE_CQ)			\
	X(DESTROY_CQ)			\
	X(CREATE_QP)			\
	X(MODIFY_QP)			\
	X(DESTROY_QP)			\
	X(CREATE_AH)			\
	X(DESTROY_AH)			\
	X(REG_MR)			\
	X(REREG_MR)			\
	X(DEREG_MR)			\
	X(EX_CREATE_CQ)			\
	X(EX_CREATE_QP)			\
	X(EX_MODIFY_QP)			\
	X(EX_QUERY_DEVICE)		\
	X(IOCTL_CREATE_CQ)		\
	X(IOCTL_DESTROY_CQ)		\
	X(IOCTL_CREATE_QP)		\
	X(IOCTL_DESTROY_QP)		\
	X(IOCTL_REG_MR)			\
	X(IOCTL_DEREG_MR)		\
	X(IOCTL_QUERY_MR)		\
	X(IOCTL_QUERY_PORT)		\
	X(IOCTL_QUERY_CONTEXT)		\
	X(IOCTL_QUERY_GIDS)		\
	X(KICK)				\
	X(KICK_ALL)			\
	X(HELP)

enum kind {
#define KIND(name) name,
	KINDS(KIND)
#undef KIND
	NR_KINDS
};

/* Between all processes. */
struct shared {
	char device[64];
	uint8_t gid[16];
	uint8_t gid_index;
	bool storm, stop;
	uint32_t victim_qpn, victim_rkey, victim_lkey;
	uint64_t victim_addr;
	uint64_t commands, accepted, kicks, faults, reopens, children, at_the_end;
	uint64_t of_kind[NR_KINDS];	/* accepted */
	int refused[NR_KINDS];		/* with this error, though nothing was wrong */
	struct spread kicks_us;
	struct spread naps[2], ops[2];	/* beside.h; in the calm, and in the storm */
	uint64_t offsets[NR_MAPS];	/* of everybody, to be replayed by others */
	char broken[256];		/* the first thing that was wrong */
};

struct world {
	struct shared *shared;
	uint8_t *arena;
	int fd, async_fd, channel;
	uint32_t pd, ah_handle, ah_number;
	struct hostile_cq cqs[NR_CQS];
	struct hostile_qp qps[NR_QPS];
	struct hostile_mr mrs[NR_MRS];
	struct map maps[NR_MAPS];
	uint64_t seed;
};

void broken(struct shared *shared, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
#define COUNT(shared, what) __atomic_add_fetch(&(shared)->what, 1, __ATOMIC_RELAXED)

/* Every command goes by here: counted, its time measured. */
int command(struct world *world, uint64_t *seed, uint32_t nr, const void *core,
	    size_t core_bytes, const void *driver, size_t driver_bytes,
	    void *resp, size_t resp_bytes);
void kick(struct world *world, uint32_t qpn);
double now_us(void);

/* objects.c */
bool world_open(struct world *world, uint64_t *seed);
void world_close(struct world *world);
void random_object(struct world *world, uint64_t *seed);

/* maps.c */
uint8_t *map_queue(struct world *world, uint64_t *seed, const struct queue *queue);
void random_map(struct world *world, uint64_t *seed);

/* rings.c: for ever, until shared->stop; of a struct player */
struct player {
	struct world *world;
	uint64_t seed;
};

void *scribbler(void *arg);
void *poster(void *arg);

/* commands.c */
void random_command(struct world *world, uint64_t *seed);

/* memory.c */
void arena_make(struct world *world);
void arena_check(struct world *world);

/* methods.c: one of its calls, by the newer ways */
void random_method(struct world *world, uint64_t *seed);
void each_method(struct world *world, uint64_t *seed);

/* probe.c, windows.c and victim.c, by the book: each a process of its own */
void probe(struct shared *shared);
void windows(struct shared *shared);
void victim(struct shared *shared);

/* bystander.c: how much slower this kernel is than those of distributions */
unsigned int patience(void);
/* ... on one CPU, in real time */
void bystander(struct shared *shared, int cpu);

#endif
