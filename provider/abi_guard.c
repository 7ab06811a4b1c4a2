/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Refuses to run under another libibverbs than the one this provider was built
 * for. The number in the file name, -rdmavNN, promises a private interface and
 * does not keep it: structures changed between 44 and 45 and between 61 and 62
 * under one number, and a provider of the other kind corrupts memory before
 * its first own function runs with a context.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi_guard.h"
#include "compat.h"

/*
 * libibverbs.so.1.<abi>.<major>.<minor>, or 0 if the file is not called so.
 * The symbol is a private one: no program can have a copy of its own.
 */
static int loaded_major(void)
{
	char path[PATH_MAX];
	const char *name;
	Dl_info info;
	int major;

	if (!dladdr((void *)(uintptr_t)verbs_set_ops, &info))
		return 0;
	if (!info.dli_fname || !realpath(info.dli_fname, path))
		return 0;
	name = strrchr(path, '/') + 1;
	if (sscanf(name, "libibverbs.so.1.%*d.%d.", &major) != 1)
		return 0;
	return major;
}

/*
 * rox_abi_guard_ok - is it safe to touch libibverbs' structures?
 *
 * There is no context to log to yet, and silence would leave the user with a
 * device that is not there, so it prints.
 */
bool rox_abi_guard_ok(void)
{
	static bool told;
	int major = loaded_major();

	if (!major || major == RDMA_CORE_MAJOR)
		return true;
	if (!told)
		fprintf(stderr,
			"librox: built for rdma-core %d, but libibverbs is %d: "
			"device hidden; rebuild librox\n",
			RDMA_CORE_MAJOR, major);
	told = true;
	errno = ENOSYS;
	return false;
}
