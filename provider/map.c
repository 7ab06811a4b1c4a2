/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ring memory. It is the kernel's: a child of fork() shares it with its parent
 * instead of getting a copy on write, so there is nothing to protect with
 * ibv_dontfork_range(). When the device goes away the mapping stays readable.
 */
#include <errno.h>
#include <sys/mman.h>

#include "rox.h"

/* rox_map - returns NULL and sets errno */
void *rox_map(struct ibv_context *context, uint64_t offset, size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			 context->cmd_fd, offset);

	if (map != MAP_FAILED)
		return map;
	verbs_err(verbs_get_ctx(context), "cannot map a ring of %zu bytes: %s\n",
		  len, strerror(errno));
	return NULL;
}

void rox_unmap(void *map, size_t len)
{
	if (map)
		munmap(map, len);
}
