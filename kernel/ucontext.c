// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A program opens the device: what both sides can do, and which QPs it has. */
#include <linux/sched/task.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>

#include "device.h"
#include "udata.h"
#include "ucontext.h"

#define ROX_CAPS	(ROX_CAP_BASE | ROX_CAP_POLL | ROX_CAP_HELP)

static int read_request(struct ib_udata *udata, struct rox_alloc_ucontext_req *req)
{
	int err = rox_udata_in(udata, req, sizeof(*req));

	if (err)
		return err;
	if (req->reserved)
		return -EOPNOTSUPP;
	return req->caps & ROX_CAP_BASE ? 0 : -EINVAL;
}

static int open_context(struct rox_ucontext *uctx, struct ib_udata *udata)
{
	struct rox_alloc_ucontext_resp resp = {
		.max_inline = ROX_MAX_INLINE,
		.max_sge = ROX_MAX_SGE,
	};
	struct rox_alloc_ucontext_req req;
	int err;

	err = read_request(udata, &req);
	if (err)
		return err;
	xa_init_flags(&uctx->qps, XA_FLAGS_ACCOUNT);
	rox_poller_init(&uctx->poller);
	uctx->caps = req.caps & ROX_CAPS;
	resp.caps = uctx->caps;
	return rox_udata_out(udata, &resp, sizeof(resp));
}

/*
 * If UVERBS_METHOD_GET_CONTEXT fails, the core frees the context without letting go
 * of the task that it notes in there (6.1 to 7.3): any program could have itself
 * refused, and leave a task behind that nobody frees. The older command lets go of
 * the task if there is one.
 */
static void forget_task(struct rdma_restrack_entry *res)
{
	if (res->task)
		put_task_struct(res->task);
	res->task = NULL;
}

/**
 * rox_alloc_ucontext - a program opens the device
 * @ib:    its context, zeroed but for what the core notes in it
 * @udata: struct rox_alloc_ucontext_req and _resp
 *
 * Context: process. Return: 0; -EINVAL for a request or a response too short,
 * and for a provider that is not ours; -EOPNOTSUPP for something unknown; -EFAULT.
 */
int rox_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata)
{
	int err = open_context(to_rox_ucontext(ib), udata);

	if (err)
		forget_task(&ib->res);
	return err;
}

/**
 * rox_dealloc_ucontext - the program closed the device, or the device went away
 * @ib: its context; no object of it is left
 *
 * Context: process.
 */
void rox_dealloc_ucontext(struct ib_ucontext *ib)
{
	xa_destroy(&to_rox_ucontext(ib)->qps);
}

/**
 * rox_disassociate_ucontext - the device goes away under an open context
 * @ib: its context
 *
 * There is nothing to take from the program: the rings it maps are plain memory
 * that the kernel no longer looks at. That this function exists tells the core
 * not to wait for programs.
 *
 * Context: process.
 */
void rox_disassociate_ucontext(struct ib_ucontext *ib)
{
}

/**
 * rox_ucontext_add_qp - a context has one more QP
 * @uctx: the context
 * @qpn:  published
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rox_ucontext_add_qp(struct rox_ucontext *uctx, u32 qpn)
{
	return xa_err(xa_store(&uctx->qps, qpn, xa_mk_value(0), GFP_KERNEL_ACCOUNT));
}

/**
 * rox_ucontext_del_qp - a context's QP goes
 * @uctx: the context
 * @qpn:  still published, so that the number is not another QP's
 *
 * Context: process.
 */
void rox_ucontext_del_qp(struct rox_ucontext *uctx, u32 qpn)
{
	xa_erase(&uctx->qps, qpn);
}
