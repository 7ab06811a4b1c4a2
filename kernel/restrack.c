// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What "rdma -dd resource show" tells of an object beyond what the core knows.
 * Values are read without locks; they may be a moment apart.
 */
#include <net/netlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "cq.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"

struct res_attr {
	const char *name;
	u64 value;
};

static int fill(struct sk_buff *msg, const struct res_attr *attrs, int nr)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	int i;

	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < nr; i++) {
		if (rdma_nl_put_driver_u64(msg, attrs[i].name, attrs[i].value)) {
			nla_nest_cancel(msg, table);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}

/* Entries published and not yet taken. */
static u32 waiting(const struct rox_ring *ring)
{
	return ring->hdr ? rox_ring_peek(ring, READ_ONCE(ring->pos)) : 0;
}

static int fill_qp(struct sk_buff *msg, const struct rox_qp *qp)
{
	const struct res_attr attrs[] = {
		{ "sq_entries", qp->sq.ring.entries },
		{ "sq_waiting", waiting(&qp->sq.ring) },
		{ "sq_in_flight", READ_ONCE(qp->sq.ring.pos) - READ_ONCE(qp->sq.retired) },
		{ "rq_entries", qp->rq.ring.entries },
		{ "rq_waiting", waiting(&qp->rq.ring) },
		{ "backoffs", READ_ONCE(qp->sq.backoffs) },
		{ "pmtu", READ_ONCE(qp->pmtu) },
	};

	return fill(msg, attrs, ARRAY_SIZE(attrs));
}

/**
 * rox_fill_res_qp - attributes of a queue pair
 * @msg:  where to
 * @ibqp: kept by the core for that time
 *
 * Context: process. Return: 0, -EMSGSIZE, or -EAGAIN for none any more.
 */
int rox_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct rox_qp_ib *handle = to_rox_qp_ib(ibqp);
	int err;

	mutex_lock(&handle->mutex);
	err = handle->qp ? fill_qp(msg, handle->qp) : -EAGAIN;
	mutex_unlock(&handle->mutex);
	return err;
}

/**
 * rox_fill_res_cq - attributes of a completion queue
 * @msg:  where to
 * @ibcq: kept by the core for that time
 *
 * Context: process. Return: 0 or -EMSGSIZE.
 */
int rox_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq)
{
	const struct rox_cq *cq = container_of(ibcq, struct rox_cq, ib);
	const struct res_attr attrs[] = {
		{ "entries", cq->ring.entries },
		{ "produced", READ_ONCE(cq->ring.pos) },
		{ "overrun", READ_ONCE(cq->overrun) },
	};

	return fill(msg, attrs, ARRAY_SIZE(attrs));
}

/**
 * rox_fill_res_mr - attributes of a memory region
 * @msg:  where to
 * @ibmr: kept by the core for that time
 *
 * Context: process. Return: 0 or -EMSGSIZE.
 */
int rox_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct rox_mr *mr = container_of(ibmr, struct rox_mr, ib);
	const struct res_attr attrs[] = {
		{ "kind", mr->kind },
		{ "access", READ_ONCE(mr->access) },
		{ "extents", READ_ONCE(mr->nr_extents) },
	};

	return fill(msg, attrs, ARRAY_SIZE(attrs));
}
