/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#include <errno.h>

#include "doorbell.h"

static int kick(struct ibv_context *context, uint32_t qpn)
{
	int ret;

	DECLARE_COMMAND_BUFFER(cmd, ROX_OBJECT_CONTEXT, ROX_METHOD_KICK, 1);

	fill_attr_in_uint32(cmd, ROX_ATTR_KICK_QPN, qpn);
	ret = execute_ioctl(context, cmd);
	rox_poller_kicked(&to_rox_context(context)->poller);
	return ret;
}

/* A kick of @qpn is not due any more. */
static void forget(struct ibv_cq *ibcq, uint32_t qpn)
{
	struct rox_cq *cq = ibcq ? to_rox_cq(ibcq) : NULL;

	if (cq && atomic_load_explicit(&cq->late, memory_order_relaxed) == qpn)
		atomic_compare_exchange_strong(&cq->late, &qpn, 0);
}

void rox_forget_kick(struct rox_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;

	forget(ibqp->send_cq, ibqp->qp_num);
	forget(ibqp->recv_cq, ibqp->qp_num);
}

/*
 * rox_kick - run the queues of a queue pair, in the kernel, right here
 *
 * The entries are published whatever becomes of the call. An error says that
 * nobody may ever look at them, so the program is told: EIO when the device was
 * removed, or whatever keeps this process from calling the kernel.
 */
int rox_kick(struct rox_qp *qp)
{
	rox_forget_kick(qp);
	return kick(qp->vqp.qp.context, qp->vqp.qp.qp_num);
}

/* False if another queue pair is: one is remembered. */
static bool remember(struct ibv_cq *ibcq, uint32_t qpn)
{
	struct rox_cq *cq = ibcq ? to_rox_cq(ibcq) : NULL;
	uint32_t none = 0;

	return !cq || atomic_load_explicit(&cq->late, memory_order_relaxed) == qpn ||
	       atomic_compare_exchange_strong(&cq->late, &none, qpn);
}

/*
 * rox_kick_late - more posts may come before the kernel is told
 *
 * At the latest when the program finds no completion, or is about to wait for one. The
 * kernel looks by itself after a while, if that never is.
 */
int rox_kick_late(struct rox_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;

	if (remember(ibqp->send_cq, ibqp->qp_num) && remember(ibqp->recv_cq, ibqp->qp_num))
		return 0;
	return rox_kick(qp);
}

/*
 * rox_kick_waiting - the kick that was put off
 *
 * By number, as its queue pair may be gone meanwhile: then the call fails, or is another's
 * kick too many.
 */
void rox_kick_waiting(struct rox_cq *cq)
{
	uint32_t qpn = atomic_exchange(&cq->late, 0);

	if (qpn)
		kick(cq->vcq.cq.context, qpn);
}

/*
 * rox_help - the kernel left packets to us; they bring completions, or let us send more
 *
 * An error means that there is nothing to do any more.
 */
void rox_help(struct rox_cq *cq)
{
	uint32_t number = rox_cq_ring_take_help(rox_cq_ring(cq));

	DECLARE_COMMAND_BUFFER(cmd, ROX_OBJECT_CONTEXT, ROX_METHOD_HELP, 1);

	if (!number)
		return;
	fill_attr_in_uint32(cmd, ROX_ATTR_HELP_NUMBER, number);
	execute_ioctl(cq->vcq.cq.context, cmd);
}
