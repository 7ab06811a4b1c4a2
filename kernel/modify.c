// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The QP state machine (IBA 10.3.1) and the attributes that go with it.
 *
 * Everything that can fail or sleep comes first. Then both sides are taken, so
 * that no packet, post or timer is half way through, attributes and engines are
 * changed, and both sides run once to find out what the change means to them.
 */
#include <linux/slab.h>
#include <rdma/ib_mad.h>

#include "modify.h"
#include "qp.h"

#define PSN_MASK	0xffffff
#define QPN_MASK	0xffffff

/* What was made before the sides were taken. */
struct prepared {
	bool has_av;
	struct rox_av av;		/* then: what it replaced */
	struct rox_resource *res;	/* then: what it replaced */
};

/**
 * rox_qp_lock_sides - own both sides
 * @qp: its handle's mutex held
 *
 * Context: process; sleeps for at most one turn of each side's owner.
 */
void rox_qp_lock_sides(struct rox_qp *qp)
{
	lockdep_assert_held(&to_rox_qp_ib(qp->ib)->mutex);
	rox_run_lock(&qp->sq.run);
	rox_run_lock(&qp->rq.run);
}

/**
 * rox_qp_unlock_sides - let the sides go, and see to work that came meanwhile
 * @qp:      its sides owned
 * @changed: run them in any case
 *
 * Context: process.
 */
void rox_qp_unlock_sides(struct rox_qp *qp, bool changed)
{
	bool send = rox_run_unlock(&qp->sq.run);
	bool respond = rox_run_unlock(&qp->rq.run);

	if (send || changed)
		rox_send_run(qp);
	if (respond || changed)
		rox_respond_run(qp);
}

static int check_path(const struct rox_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ALT_PATH)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PATH_MIG_STATE && attr->path_mig_state != IB_MIG_MIGRATED)
		return -EOPNOTSUPP;
	if (mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index)
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > IB_MTU_4096 ||
	     ib_mtu_enum_to_int(attr->path_mtu) > rox_device_pmtu(qp->dev)))
		return -EINVAL;
	if (mask & IB_QP_DEST_QPN && attr->dest_qp_num & ~QPN_MASK)
		return -EINVAL;
	return 0;
}

static int check_limits(const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS && attr->qp_access_flags & ~IB_ACCESS_SUPPORTED)
		return -EINVAL;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC && attr->max_rd_atomic > ROX_MAX_RD_ATOM)
		return -EINVAL;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	    attr->max_dest_rd_atomic > ROX_MAX_RD_ATOM)
		return -EINVAL;
	if (mask & IB_QP_TIMEOUT && attr->timeout > 31)
		return -EINVAL;
	if (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7)
		return -EINVAL;
	if (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7)
		return -EINVAL;
	if (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31)
		return -EINVAL;
	return 0;
}

static int check_attrs(const struct rox_qp *qp, enum ib_qp_state cur,
		       const struct ib_qp_attr *attr, int mask)
{
	int err;

	err = check_path(qp, attr, mask);
	if (!err)
		err = check_limits(attr, mask);
	if (err)
		return err;
	/* The responder keeps its records as long as it runs. */
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && cur != IB_QPS_INIT &&
	    attr->max_dest_rd_atomic != qp->attr.max_dest_rd_atomic)
		return -EOPNOTSUPP;
	return 0;
}

static int prepare_av(const struct rox_qp *qp, const struct ib_qp_attr *attr,
		      int mask, struct prepared *prep)
{
	u32 dqpn = mask & IB_QP_DEST_QPN ? attr->dest_qp_num : qp->dqpn;
	int err;

	if (!(mask & IB_QP_AV))
		return 0;
	err = rox_av_init(&prep->av, &attr->ah_attr, qp->qpn, dqpn, GFP_KERNEL);
	prep->has_av = !err;
	return err;
}

static int prepare(const struct rox_qp *qp, enum ib_qp_state cur,
		   const struct ib_qp_attr *attr, int mask, struct prepared *prep)
{
	u32 nr = attr->max_dest_rd_atomic;

	if (mask & IB_QP_MAX_DEST_RD_ATOMIC && cur == IB_QPS_INIT && nr) {
		prep->res = kcalloc(nr, sizeof(*prep->res), GFP_KERNEL_ACCOUNT);
		if (!prep->res)
			return -ENOMEM;
	}
	return prepare_av(qp, attr, mask, prep);
}

static void clean_up(struct prepared *prep)
{
	if (prep->has_av)
		rox_av_fini(&prep->av);
	kfree(prep->res);
}

/* Connection and path. What was there before is left in @prep. */
static void apply_path(struct rox_qp *qp, const struct ib_qp_attr *attr, int mask,
		       struct prepared *prep)
{
	struct ib_qp_attr *to = &qp->attr;

	if (mask & IB_QP_AV) {
		swap(qp->av, prep->av);
		prep->has_av = qp->av_valid;
		qp->av_valid = true;
		to->ah_attr = attr->ah_attr;
		to->ah_attr.grh.sgid_attr = NULL;
	}
	if (mask & IB_QP_PATH_MTU)
		to->path_mtu = attr->path_mtu;
	if (mask & IB_QP_DEST_QPN)
		to->dest_qp_num = attr->dest_qp_num;
	if (mask & IB_QP_RQ_PSN)
		to->rq_psn = attr->rq_psn & PSN_MASK;
	if (mask & IB_QP_SQ_PSN)
		to->sq_psn = attr->sq_psn & PSN_MASK;
	if (mask & IB_QP_QKEY)
		to->qkey = attr->qkey;
	if (mask & IB_QP_PORT)
		to->port_num = attr->port_num;
	WRITE_ONCE(qp->dqpn, to->dest_qp_num);
	qp->qkey = to->qkey;
}

static void apply_limits(struct ib_qp_attr *to, const struct ib_qp_attr *attr, int mask)
{
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = attr->qp_access_flags;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		to->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	if (mask & IB_QP_TIMEOUT)
		to->timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT)
		to->retry_cnt = attr->retry_cnt;
	if (mask & IB_QP_RNR_RETRY)
		to->rnr_retry = attr->rnr_retry;
	if (mask & IB_QP_MIN_RNR_TIMER)
		to->min_rnr_timer = attr->min_rnr_timer;
}

/* Packets in flight: whole bursts, or else the last one of a full window were a short one. */
static u32 window_of(u32 pmtu)
{
	u32 window = clamp_t(u32, ROX_WINDOW_BYTES / pmtu, ROX_WINDOW_PKTS,
			     ROX_WINDOW_MAX_PKTS);

	return window - window % rox_burst_most(pmtu);
}

/*
 * Packets of a READ that are asked for at once: a part of that, in bursts, or halves of
 * them, as many QPs may ask at once.
 */
static u32 read_chunk_of(u32 pmtu, u32 max_rd_atomic)
{
	u32 part = window_of(pmtu) / clamp_t(u32, max_rd_atomic, 1, ROX_READ_PIECES);
	u32 unit = rox_burst_most(pmtu);

	if (unit > ROX_WINDOW_PKTS / 2)
		unit /= 2;
	part = clamp(part, unit, ROX_WINDOW_PKTS);
	return part - part % unit;
}

static struct rox_req_config req_config(const struct rox_qp *qp)
{
	const struct ib_qp_attr *attr = &qp->attr;

	return (struct rox_req_config) {
		.service = qp->service,
		.timeout = attr->timeout,
		.retry_cnt = attr->retry_cnt,
		.rnr_retry = attr->rnr_retry,
		.max_rd_atomic = attr->max_rd_atomic,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.migreq = attr->path_mig_state == IB_MIG_MIGRATED,
		.pmtu = qp->pmtu,
		.dqpn = qp->dqpn,
		.sqpn = qp->qpn,
		.qkey = qp->qkey,
		.window = window_of(qp->pmtu),
		.read_chunk = read_chunk_of(qp->pmtu, attr->max_rd_atomic),
		.min_rto_ns = ROX_MIN_RTO_NS,
	};
}

static u8 peer_rights(int access)
{
	return (access & IB_ACCESS_REMOTE_WRITE ? ROX_RESP_ALLOW_WRITE : 0) |
	       (access & IB_ACCESS_REMOTE_READ ? ROX_RESP_ALLOW_READ : 0) |
	       (access & IB_ACCESS_REMOTE_ATOMIC ? ROX_RESP_ALLOW_ATOMIC : 0);
}

static struct rox_resp_config resp_config(const struct rox_qp *qp)
{
	const struct ib_qp_attr *attr = &qp->attr;

	return (struct rox_resp_config) {
		.service = qp->service,
		.allow = peer_rights(attr->qp_access_flags),
		.min_rnr_timer = attr->min_rnr_timer,
		.pkey = IB_DEFAULT_PKEY_FULL,
		.migreq = attr->path_mig_state == IB_MIG_MIGRATED,
		.pmtu = qp->pmtu,
		.dqpn = qp->dqpn,
		.max_msg = ROX_MAX_MSG,
	};
}

static void to_reset(struct rox_qp *qp, struct prepared *prep)
{
	struct ib_qp_cap cap = qp->attr.cap;

	rox_sq_reset(qp);
	rox_rq_reset(qp);
	swap(qp->rq.res, prep->res);
	swap(qp->av, prep->av);
	prep->has_av = qp->av_valid;
	qp->av_valid = false;
	qp->comm_est = false;
	qp->last_event_sent = false;
	WRITE_ONCE(qp->dqpn, 0);
	qp->qkey = 0;
	memset(&qp->attr, 0, sizeof(qp->attr));
	qp->attr.cap = cap;
}

static void to_rtr(struct rox_qp *qp, struct prepared *prep)
{
	struct rox_resp_config cfg;

	/* UD has no path MTU: a datagram is what the port can send. */
	qp->pmtu = qp->service == ROX_SVC_UD ? rox_device_pmtu(qp->dev) :
		   ib_mtu_enum_to_int(qp->attr.path_mtu);
	swap(qp->rq.res, prep->res);
	rox_resp_init(&qp->rq.resp, qp->rq.res, qp->attr.max_dest_rd_atomic);
	cfg = resp_config(qp);
	rox_resp_start(&qp->rq.resp, &cfg, qp->attr.rq_psn);
}

static void to_rts(struct rox_qp *qp, enum ib_qp_state from)
{
	struct rox_req_config cfg = req_config(qp);
	struct rox_requester *req = &qp->sq.req;

	qp->comm_est = true;
	if (from == IB_QPS_RTR) {
		rox_req_start(req, &cfg, qp->attr.sq_psn);
		return;
	}
	rox_req_reconfigure(req, &cfg);
	if (from == IB_QPS_SQD)
		rox_req_drain(req, false);
	else if (from == IB_QPS_SQE)
		rox_req_resume(req);
}

static void to_sqd(struct rox_qp *qp)
{
	struct rox_req_config cfg = req_config(qp);

	rox_req_reconfigure(&qp->sq.req, &cfg);
	rox_req_drain(&qp->sq.req, true);
}

/* Both sides are owned. From here on nothing fails. */
static void transit(struct rox_qp *qp, enum ib_qp_state from, enum ib_qp_state to,
		    struct prepared *prep)
{
	struct rox_resp_config cfg;

	switch (to) {
	case IB_QPS_RESET:
		to_reset(qp, prep);
		break;
	case IB_QPS_RTR:
		to_rtr(qp, prep);
		break;
	case IB_QPS_RTS:
		to_rts(qp, from);
		break;
	case IB_QPS_SQD:
		to_sqd(qp);
		break;
	case IB_QPS_ERR:
		rox_req_error(&qp->sq.req, ROX_WC_WR_FLUSH_ERR);
		break;
	default:
		break;
	}
	if (to == IB_QPS_RTS || to == IB_QPS_SQD) {
		cfg = resp_config(qp);
		rox_resp_reconfigure(&qp->rq.resp, &cfg);
	}
	WRITE_ONCE(qp->state, to);
}

static bool wants_notice(const struct ib_qp_attr *attr, int mask)
{
	return mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify;
}

static int change(struct rox_qp *qp, enum ib_qp_state from, enum ib_qp_state to,
		  const struct ib_qp_attr *attr, int mask)
{
	struct prepared prep = {};
	int err;

	err = check_attrs(qp, from, attr, mask);
	if (!err)
		err = prepare(qp, from, attr, mask, &prep);
	if (err)
		goto out;

	rox_qp_lock_sides(qp);
	/* It may have failed meanwhile: ways out of that go on, others do not. */
	if (READ_ONCE(qp->state) != from && to != IB_QPS_RESET && to != IB_QPS_ERR) {
		err = -EINVAL;
	} else {
		apply_path(qp, attr, mask, &prep);
		apply_limits(&qp->attr, attr, mask);
		/* Asked for anew, or not, each time the queue is to drain. */
		if (to == IB_QPS_SQD && from != IB_QPS_SQD)
			qp->attr.en_sqd_async_notify = wants_notice(attr, mask);
		transit(qp, from, to, &prep);
	}
	rox_qp_unlock_sides(qp, !err);
out:
	clean_up(&prep);
	return err;
}

/**
 * rox_modify_qp - verb
 * @ibqp:  the QP
 * @attr:  attributes, the GIDs in it resolved by the core
 * @mask:  which of them, enum ib_qp_attr_mask
 * @udata: unused
 *
 * If it fails, nothing has changed.
 *
 * Context: process; sleeps for at most one turn of each side's owner.
 * Return: 0; -EOPNOTSUPP for what the device never does; -EINVAL for a wrong
 * transition, attribute or value; -ENOMEM.
 */
int rox_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_udata *udata)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	enum ib_qp_state from, to;
	int err = -EINVAL;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;

	mutex_lock(&to_rox_qp_ib(ibqp)->mutex);
	from = READ_ONCE(qp->state);
	to = mask & IB_QP_STATE ? attr->qp_state : from;
	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != from)
		goto out;
	if (!ib_modify_qp_is_ok(from, to, qp->type, mask))
		goto out;
	err = change(qp, from, to, attr, mask);
out:
	mutex_unlock(&to_rox_qp_ib(ibqp)->mutex);
	return err;
}
