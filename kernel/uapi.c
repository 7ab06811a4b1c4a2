// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Our own ioctl methods. */
#include <linux/sched.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>
#include <rdma/uverbs_ioctl.h>

#define UVERBS_MODULE_NAME rox
#include <rdma/uverbs_named_ioctl.h>

#include "help.h"
#include "poll.h"
#include "qp.h"
#include "ucontext.h"

/* Of all queue pairs together, in the caller. */
#define KICK_ALL_NS	(4 * NSEC_PER_MSEC)

static int kick_one(const struct rox_ucontext *uctx, u32 qpn)
{
	struct rox_qp *qp = rox_qp_get_kicked(qpn);
	int err = -EINVAL;

	if (!qp)
		return err;
	if (qp->uctx == uctx) {
		rox_kick(qp);
		err = 0;
	}
	rox_qp_put(qp);
	return err;
}

/* What rox_kick() does, by workers. */
static void leave_to_worker(const struct rox_ucontext *uctx, u32 qpn)
{
	struct rox_qp *qp = rox_qp_get(qpn);

	if (!qp)
		return;
	if (qp->uctx == uctx) {
		rox_send_defer(qp);
		rox_respond_defer(qp);
	}
	rox_qp_put(qp);
}

/*
 * The number may be gone, or even be another's, by now: kick_one() looks. Ending
 * a device waits for ioctls, so this one works for some milliseconds at most, and
 * then only says who is to.
 */
static void kick_all(struct rox_ucontext *uctx)
{
	u64 end = ktime_get_ns() + KICK_ALL_NS;
	unsigned long qpn;
	void *entry;

	xa_for_each(&uctx->qps, qpn, entry) {
		if (ktime_get_ns() < end)
			kick_one(uctx, qpn);
		else
			leave_to_worker(uctx, qpn);
		if (fatal_signal_pending(current))
			return;
		cond_resched();
	}
}

static int UVERBS_HANDLER(ROX_METHOD_KICK)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ib = ib_uverbs_get_ucontext(attrs);
	u32 qpn;
	int err;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	err = uverbs_copy_from(&qpn, attrs, ROX_ATTR_KICK_QPN);
	if (err)
		return err;
	if (qpn)
		return kick_one(to_rox_ucontext(ib), qpn);
	kick_all(to_rox_ucontext(ib));
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(ROX_METHOD_KICK,
			    UVERBS_ATTR_PTR_IN(ROX_ATTR_KICK_QPN,
					       UVERBS_ATTR_TYPE(u32),
					       UA_MANDATORY));

static int UVERBS_HANDLER(ROX_METHOD_POLL)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ib = ib_uverbs_get_ucontext(attrs);
	u32 us;
	int err;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	err = uverbs_copy_from(&us, attrs, ROX_ATTR_POLL_US);
	if (err)
		return err;
	return rox_poll(to_rox_ucontext(ib), us, attrs);
}

DECLARE_UVERBS_NAMED_METHOD(ROX_METHOD_POLL,
			    UVERBS_ATTR_PTR_IN(ROX_ATTR_POLL_US,
					       UVERBS_ATTR_TYPE(u32),
					       UA_MANDATORY));

static int UVERBS_HANDLER(ROX_METHOD_HELP)(struct uverbs_attr_bundle *attrs)
{
	struct ib_ucontext *ib = ib_uverbs_get_ucontext(attrs);
	u32 number;
	int err;

	if (IS_ERR(ib))
		return PTR_ERR(ib);
	err = uverbs_copy_from(&number, attrs, ROX_ATTR_HELP_NUMBER);
	if (err)
		return err;
	return rox_help(to_rox_ucontext(ib), number);
}

DECLARE_UVERBS_NAMED_METHOD(ROX_METHOD_HELP,
			    UVERBS_ATTR_PTR_IN(ROX_ATTR_HELP_NUMBER,
					       UVERBS_ATTR_TYPE(u32),
					       UA_MANDATORY));

DECLARE_UVERBS_GLOBAL_METHODS(ROX_OBJECT_CONTEXT,
			      &UVERBS_METHOD(ROX_METHOD_KICK),
			      &UVERBS_METHOD(ROX_METHOD_POLL),
			      &UVERBS_METHOD(ROX_METHOD_HELP));

const struct uapi_definition rox_uapi_defs[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(ROX_OBJECT_CONTEXT),
	{},
};
