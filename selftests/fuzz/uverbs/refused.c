// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Programs that are refused the device, as their request is none of ours, by
 * both ways to ask for it. Nothing of them may stay once they are gone.
 *
 *   refused DEVICE PROGRAMS
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw.h"

/* What is asked for has nothing of what every provider of ours knows. */
static const struct rox_alloc_ucontext_req nothing;

static int by_method(int fd)
{
	struct rox_alloc_ucontext_resp resp;
	struct ib_uverbs_attr attrs[] = {
		{
			.attr_id = UVERBS_ATTR_UHW_IN,
			.len = sizeof(nothing),
			.data = (uintptr_t)&nothing,
		},
		{
			.attr_id = UVERBS_ATTR_UHW_OUT,
			.len = sizeof(resp),
			.data = (uintptr_t)&resp,
		},
	};

	return raw_ioctl(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, attrs, 2);
}

static int by_command(int fd)
{
	struct ib_uverbs_get_context core = {};
	struct {
		struct ib_uverbs_get_context_resp core;
		struct rox_alloc_ucontext_resp rox;
	} resp;
	struct raw_cmd cmd = {
		IB_USER_VERBS_CMD_GET_CONTEXT, &core, sizeof(core),
		&nothing, sizeof(nothing), &resp, sizeof(resp),
	};

	return raw_write(fd, &cmd);
}

/* Exit status: 0 if both are refused for the right reason. */
static int program(const char *device)
{
	int fd = raw_open(device), method, command;

	if (fd < 0)
		return 2;
	method = by_method(fd);
	command = by_command(fd);
	if (method == -EINVAL && command == -EINVAL)
		return 0;
	printf("# refused: %d by the method, %d by the command\n", method, command);
	fflush(stdout);
	return 1;
}

int main(int argc, char **argv)
{
	int left = argc == 3 ? atoi(argv[2]) : 0, status;
	pid_t pid;

	if (left <= 0) {
		fprintf(stderr, "usage: refused DEVICE PROGRAMS\n");
		return 2;
	}
	for (; left; left--) {
		pid = fork();
		if (pid == 0)
			_exit(program(argv[1]));
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return 1;
	}
	return 0;
}
