/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ring memory. It is the kernel's: a child of fork() shares it with its parent
 * instead of getting a copy on write, so there is nothing to protect with
 * ibv_dontfork_range(). When the device goes away the mapping stays readable.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "rox.h"

/* rox_map_at - in the place of what is there; NULL: anywhere */
void *rox_map_at(struct ibv_context *context, void *at, uint64_t offset,
		 size_t len)
{
	void *map = mmap(at, len, PROT_READ | PROT_WRITE,
			 MAP_SHARED | (at ? MAP_FIXED : 0), context->cmd_fd,
			 offset);

	if (map != MAP_FAILED)
		return map;
	verbs_err(verbs_get_ctx(context), "cannot map a ring of %zu bytes: %s\n",
		  len, strerror(errno));
	return NULL;
}

/* rox_map - returns NULL and sets errno */
void *rox_map(struct ibv_context *context, uint64_t offset, size_t len)
{
	return rox_map_at(context, NULL, offset, len);
}

/*
 * Zeros, at any place. After mlockall(MCL_FUTURE) a mapping is born locked, and full of
 * memory if it can be accessed, so it cannot until it is unlocked.
 */
static void *map_zeros(size_t len)
{
	void *map = mmap(NULL, len, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	munlock(map, len);
	if (!mprotect(map, len, PROT_READ | PROT_WRITE))
		return map;
	munmap(map, len);
	return NULL;
}

/*
 * rox_map_nothing - zeros that take no memory, in the place of what is there
 *
 * Who looks there meanwhile sees the one or the other. Returns NULL and sets errno.
 */
void *rox_map_nothing(void *at, size_t len)
{
	void *map = map_zeros(len);

	if (!map || !at)
		return map;
	if (mremap(map, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED)
		return at;
	munmap(map, len);
	return NULL;
}

void rox_unmap(void *map, size_t len)
{
	if (map)
		munmap(map, len);
}
