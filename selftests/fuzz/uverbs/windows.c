// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Which ring an offset shows: that of the same open device, whole, shared, not to
 * be executed, and nothing once it is gone. By the book otherwise, so that each
 * refusal and each byte can be judged.
 */
#include <string.h>
#include <sys/mman.h>

#include "../../verbs/lib.h"
#include "world.h"

#define PATTERN		0x6b
#define RUN		16
#define NEAR		8	/* pages */

/* A context with two rings that are longer than a page, one behind the other. */
struct side {
	int fd;
	uint32_t handles[2];
	struct queue rings[2];
};

static int send_command(const struct side *s, uint32_t nr, const void *core, size_t bytes,
			void *resp, size_t resp_bytes)
{
	static const struct rox_create_cq_req none;
	const struct raw_cmd cmd = {
		nr, core, bytes, &none, nr == IB_USER_VERBS_CMD_CREATE_CQ ? sizeof(none) : 0,
		resp, resp_bytes,
	};

	return raw_write(s->fd, &cmd);
}

static void make_ring(struct side *s, int i, uint32_t entries)
{
	struct ib_uverbs_create_cq cmd = { .cqe = entries, .comp_channel = -1 };
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct rox_create_cq_resp rox;
	} resp = {};

	CHECK_EQ(send_command(s, IB_USER_VERBS_CMD_CREATE_CQ, &cmd, sizeof(cmd), &resp,
			      sizeof(resp)), 0);
	s->handles[i] = resp.core.cq_handle;
	s->rings[i] = (struct queue){
		.offset = resp.rox.mmap_offset, .bytes = resp.rox.mmap_len,
	};
	CHECK(s->rings[i].bytes >= 2 * PAGE);
}

static void unmake_ring(struct side *s, int i)
{
	struct ib_uverbs_destroy_cq cmd = { .cq_handle = s->handles[i] };
	struct ib_uverbs_destroy_cq_resp resp;

	CHECK_EQ(send_command(s, IB_USER_VERBS_CMD_DESTROY_CQ, &cmd, sizeof(cmd), &resp,
			      sizeof(resp)), 0);
}

static void open_side(struct side *s, const struct shared *shared)
{
	struct rox_alloc_ucontext_req req = { .caps = ROX_CAP_BASE };
	struct ib_uverbs_get_context cmd = {};
	struct {
		struct ib_uverbs_get_context_resp core;
		struct rox_alloc_ucontext_resp rox;
	} resp = {};
	struct raw_cmd raw = {
		IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd), &req, sizeof(req),
		&resp, sizeof(resp),
	};

	s->fd = raw_open(shared->device);
	CHECK(s->fd >= 0);
	CHECK_EQ(raw_write(s->fd, &raw), 0);
}

static uint8_t *map(const struct side *s, uint64_t offset, size_t bytes, int right, int kind)
{
	return mmap(NULL, bytes, right, kind, s->fd, offset);
}

static uint8_t *map_as_meant(const struct side *s, const struct queue *ring)
{
	uint8_t *addr = map(s, ring->offset, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED);

	CHECK(addr != MAP_FAILED);
	return addr;
}

static void refused(const char *what, const struct side *s, uint64_t offset, size_t bytes,
		    int right, int kind)
{
	if (map(s, offset, bytes, right, kind) != MAP_FAILED)
		FAIL("%s was mapped: %zu bytes at %#llx", what, bytes,
		     (unsigned long long)offset);
}

/* What is found by the right offset, but not asked for as it should. */
static void only_as_meant(const struct side *s)
{
	const int both = PROT_READ | PROT_WRITE;
	const struct queue *r = &s->rings[1];
	uint8_t *addr = map_as_meant(s, r);

	refused("a ring but for its last page", s, r->offset, r->bytes - PAGE, both, MAP_SHARED);
	refused("a ring and a page more", s, r->offset, r->bytes + PAGE, both, MAP_SHARED);
	refused("the inside of a ring", s, r->offset + PAGE, r->bytes - PAGE, both, MAP_SHARED);
	refused("what begins in a ring", s, r->offset + PAGE, r->bytes, both, MAP_SHARED);
	refused("what begins before a ring", s, r->offset - PAGE, r->bytes, both, MAP_SHARED);
	refused("the last page of the other", s, r->offset - PAGE, PAGE, both, MAP_SHARED);
	refused("a private ring", s, r->offset, r->bytes, both, MAP_PRIVATE);
	refused("a ring to be executed", s, r->offset, r->bytes, both | PROT_EXEC, MAP_SHARED);
	refused("a ring only to be executed", s, r->offset, r->bytes, PROT_EXEC, MAP_SHARED);
	refused("a private ring to be executed", s, r->offset, r->bytes, PROT_EXEC, MAP_PRIVATE);
	CHECK(mprotect(addr, r->bytes, PROT_READ | PROT_EXEC));
	CHECK(mremap(addr, r->bytes, r->bytes + PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
	CHECK_EQ(munmap(addr, r->bytes), 0);
}

static bool shows_pattern(const uint8_t *bytes, size_t nr)
{
	uint8_t run[RUN];

	memset(run, PATTERN, RUN);
	return memmem(bytes, nr, run, RUN);
}

/* What was somebody's memory a moment ago is nobody's when it becomes a ring. */
static void dirty_much_memory(void)
{
	size_t bytes = 64 << 20;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	memset(memory, PATTERN, bytes);
	CHECK_EQ(munmap(memory, bytes), 0);
}

static void new_ring_is_empty(struct side *s)
{
	size_t i, bytes;
	uint8_t *addr;

	dirty_much_memory();
	make_ring(s, 1, 40000);
	bytes = s->rings[1].bytes;
	addr = map_as_meant(s, &s->rings[1]);
	for (i = ROX_RING_DATA; i < bytes; i++)
		if (addr[i])
			FAIL("byte %zu of a new ring of %zu is %#x", i, bytes, addr[i]);
	CHECK_EQ(munmap(addr, bytes), 0);
	unmake_ring(s, 1);
}

/* @b asks for all that is near @a's rings. What it gets is its own. How often. */
static unsigned int look_around(const struct side *a, const struct side *b)
{
	unsigned int mapped = 0;
	int i, page;

	for (i = 0; i < 2; i++)
		for (page = -NEAR; page <= NEAR; page++) {
			size_t bytes = a->rings[i].bytes;
			uint8_t *addr = map(b, a->rings[i].offset + page * PAGE, bytes,
					    PROT_READ, MAP_SHARED);

			if (addr == MAP_FAILED)
				continue;
			mapped++;
			if (shows_pattern(addr, bytes))
				FAIL("%d pages from ring %d another context's is seen", page, i);
			CHECK_EQ(munmap(addr, bytes), 0);
		}
	return mapped;
}

/* Gone for good: no offset leads there, and nobody gets its pages meanwhile. */
static void destroyed(struct side *a, struct side *b, uint8_t *still)
{
	struct queue old = a->rings[1], fresh;
	uint8_t *addr;
	size_t i;

	unmake_ring(a, 1);
	refused("a destroyed ring", a, old.offset, old.bytes, PROT_READ, MAP_SHARED);
	refused("a destroyed ring of another", b, old.offset, old.bytes, PROT_READ, MAP_SHARED);
	make_ring(b, 1, 300);
	fresh = b->rings[1];
	addr = map_as_meant(b, &fresh);
	memset(addr + ROX_RING_DATA, 0x55, fresh.bytes - ROX_RING_DATA);
	for (i = ROX_RING_DATA; i < old.bytes; i++)
		if (still[i] != PATTERN)
			FAIL("byte %zu of a mapping that outlived its ring changed", i);
	CHECK(!shows_pattern(addr, fresh.bytes));
}

void windows(struct shared *shared)
{
	struct side a, b;
	uint8_t *first, *second;
	unsigned int mapped;

	open_side(&a, shared);
	open_side(&b, shared);
	make_ring(&a, 0, 150);
	new_ring_is_empty(&a);
	make_ring(&a, 1, 300);
	only_as_meant(&a);
	first = map_as_meant(&a, &a.rings[0]);
	second = map_as_meant(&a, &a.rings[1]);
	memset(first + ROX_RING_DATA, PATTERN, a.rings[0].bytes - ROX_RING_DATA);
	memset(second + ROX_RING_DATA, PATTERN, a.rings[1].bytes - ROX_RING_DATA);
	/* Who has no ring gets none; who has, its own by the same offsets. */
	CHECK_EQ(look_around(&a, &b), 0);
	make_ring(&b, 0, 150);
	make_ring(&b, 1, 300);
	mapped = look_around(&a, &b);
	CHECK_EQ(mapped, 2);
	unmake_ring(&b, 1);
	destroyed(&a, &b, second);
}
