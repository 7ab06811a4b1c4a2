// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What ways there are to tell the kernel that something was posted, and what each
 * costs, apart from what the kernel then does about it.
 *
 *   kicks DEVICE
 *
 * Says nanoseconds a call, which are instructions in a guest whose clock counts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "raw.h"
#include "side.h"

#define TIMES		20000
#define NO_SUCH_QP	0xffffff

static struct side side;
static int null_fd, event_fd;

static int bare(void)
{
	return syscall(SYS_getppid) < 0;
}

static int other_ioctl(void)
{
	return ioctl(null_fd, 0x1b01, 0);
}

static int event(void)
{
	return eventfd_write(event_fd, 1);
}

/* The method is called, and finds no such queue pair. */
static int method(void)
{
	return raw_kick(side.context->cmd_fd, NO_SUCH_QP);
}

static int method_and_turn(void)
{
	return raw_kick(side.context->cmd_fd, side.qp->qp_num);
}

/* The shortest command of the core that comes to the driver. */
static int arm_cq(void)
{
	struct ib_uverbs_req_notify_cq cmd = { .cq_handle = side.cq->handle };
	struct raw_cmd raw = {
		.command = IB_USER_VERBS_CMD_REQ_NOTIFY_CQ,
		.core = &cmd, .core_bytes = sizeof(cmd),
	};

	return raw_write(side.context->cmd_fd, &raw);
}

static const struct way {
	const char *name;
	int (*call)(void);
	int result;
} ways[] = {
	{ "a system call that does nothing", bare },
	{ "ioctl() of a file of its own", other_ioctl, -1 },
	{ "write() to an eventfd", event },
	{ "write() to uverbs, REQ_NOTIFY_CQ", arm_cq },
	{ "ioctl() of uverbs, a method of ours", method, -EINVAL },
	{ "the same, and a turn of an idle queue pair", method_and_turn },
};

int main(int argc, char **argv)
{
	struct wish wish = { IBV_QPT_RC, 4096, 16 };
	struct place place;
	unsigned int i;
	double start;
	int n, bad = 0;

	if (argc != 2)
		return 2;
	null_fd = open("/dev/null", O_RDWR);
	event_fd = eventfd(0, EFD_NONBLOCK);
	if (null_fd < 0 || event_fd < 0 || !find_place(argv[1], &place) ||
	    !open_side(&side, &place) || !make_side(&side, &wish) ||
	    !join_side(&side, &side)) {
		perror("kicks");
		return 1;
	}
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		start = now();
		for (n = 0; n < TIMES; n++)
			bad += ways[i].call() != ways[i].result;
		printf("%8.0f  %s\n", (now() - start) * 1e9 / TIMES, ways[i].name);
	}
	if (bad)
		printf("%d calls did not end as they should\n", bad);
	return bad != 0;
}
