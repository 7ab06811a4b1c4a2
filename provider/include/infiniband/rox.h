/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What rox offers beyond libibverbs. Functions of this header need no library of
 * their own; on devices of other drivers they fail with an error, so a program may
 * try them on any.
 */
#ifndef INFINIBAND_ROX_H
#define INFINIBAND_ROX_H

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include <infiniband/verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <rdma/rox-abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * rox_poll - lend the calling thread to the send queues of a context
 * @context: of a rox device
 * @idle_us: return when nothing was posted for so long, in microseconds
 *
 * While the thread is in here, posting to the queue pairs that were kicked lately
 * makes no system call. It is this thread that sends; it uses a processor. It
 * returns after @idle_us, or after what the administrator allows (the device's
 * file poll_us) if that is less. Posts are never lost meanwhile or after.
 *
 * Return: 0 after that time; EINTR for a signal; EIO if the device goes; EBUSY if
 * the context has a poller (ROX_POLL_US gives it one); EPERM if the administrator
 * allows none; ENOMEM; EINVAL for devices of other drivers.
 */
static inline int rox_poll(struct ibv_context *context, uint32_t idle_us)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attr;
	} command;

	memset(&command, 0, sizeof(command));
	command.hdr.length = sizeof(command);
	command.hdr.object_id = ROX_OBJECT_CONTEXT;
	command.hdr.method_id = ROX_METHOD_POLL;
	command.hdr.num_attrs = 1;
	command.hdr.driver_id = ROX_DRIVER_ID;
	command.attr.attr_id = ROX_ATTR_POLL_US;
	command.attr.len = sizeof(idle_us);
	command.attr.flags = UVERBS_ATTR_F_MANDATORY;
	/* By value, as its first bytes. */
	memcpy(&command.attr.data, &idle_us, sizeof(idle_us));
	return ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, &command) ? errno : 0;
}

#ifdef __cplusplus
}
#endif

#endif
