// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The memory a hostile program plays with, and what must never happen to it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "world.h"

/* As many equal bytes in a row come from nowhere but a guard. */
#define RUN 16

void broken(struct shared *shared, const char *format, ...)
{
	char text[sizeof(shared->broken)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("# %s\n", text);
	fflush(stdout);
	if (!shared->broken[0])
		memcpy(shared->broken, text, sizeof(text));
}

void arena_make(struct world *world)
{
	uint8_t *arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (arena == MAP_FAILED) {
		broken(world->shared, "no memory for the arena");
		return;
	}
	/* Children get the same contents, not the pages. */
	memset(arena, GUARD, ARENA);
	memset(arena + OPEN_AT, 0x11, OPEN_BYTES);
	memset(arena + READ_ONLY_AT, READ_ONLY, READ_ONLY_BYTES);
	memset(arena + ISLAND_AT, 0x22, ISLAND_BYTES);
	world->arena = arena;
}

static void check_equal(struct world *world, const char *what, size_t at,
			size_t bytes, uint8_t want)
{
	size_t i;

	for (i = at; i < at + bytes; i++)
		if (world->arena[i] != want) {
			broken(world->shared,
			       "%s: byte %#zx was written: %02x, not %02x", what,
			       i, world->arena[i], want);
			return;
		}
}

static void check_free_of(struct world *world, size_t at, size_t bytes,
			  uint8_t secret)
{
	uint8_t run[RUN];

	memset(run, secret, RUN);
	if (memmem(world->arena + at, bytes, run, RUN))
		broken(world->shared,
		       "memory that was not registered was read: %02x at %#zx",
		       secret, at);
}

void arena_check(struct world *world)
{
	size_t island_end = ISLAND_AT + ISLAND_BYTES;

	check_equal(world, "guard", 0, OPEN_AT, GUARD);
	check_equal(world, "guard", OPEN_AT + OPEN_BYTES,
		    READ_ONLY_AT - OPEN_AT - OPEN_BYTES, GUARD);
	check_equal(world, "read only", READ_ONLY_AT, READ_ONLY_BYTES, READ_ONLY);
	check_equal(world, "before the island", READ_ONLY_AT + READ_ONLY_BYTES,
		    ISLAND_AT - READ_ONLY_AT - READ_ONLY_BYTES, GUARD);
	check_equal(world, "behind the island", island_end, ARENA - island_end,
		    GUARD);
	check_free_of(world, OPEN_AT, OPEN_BYTES, GUARD);
	check_free_of(world, ISLAND_AT, ISLAND_BYTES, GUARD);
	check_free_of(world, OPEN_AT, OPEN_BYTES, VICTIM);
	check_free_of(world, ISLAND_AT, ISLAND_BYTES, VICTIM);
}
