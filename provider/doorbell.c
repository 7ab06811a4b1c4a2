/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <errno.h>

#include "doorbell.h"

/*
 * rox_kick - run the queues of a queue pair, in the kernel, right here
 *
 * The entries are published whatever becomes of the call. An error says that
 * nobody may ever look at them, so the program is told: EIO when the device was
 * removed, or whatever keeps this process from calling the kernel.
 */
int rox_kick(struct rox_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;
	int ret;

	DECLARE_COMMAND_BUFFER(cmd, ROX_OBJECT_CONTEXT, ROX_METHOD_KICK, 1);

	fill_attr_in_uint32(cmd, ROX_ATTR_KICK_QPN, ibqp->qp_num);
	ret = execute_ioctl(ibqp->context, cmd);
	rox_poller_kicked(&to_rox_context(ibqp->context)->poller);
	return ret;
}
