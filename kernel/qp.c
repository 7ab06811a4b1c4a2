// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: from creation to destruction, and how they fail. */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>

#include "modify.h"
#include "poll.h"
#include "qp.h"
#include "ucontext.h"
#include "udata.h"

static_assert(sizeof(struct rox_sge) == 16);
static_assert(sizeof(struct rox_sqe) == 48);
static_assert(sizeof(struct rox_rqe) == 16);

#define SQ_STRIDE_MIN	64

static int service_of(enum ib_qp_type type)
{
	switch (type) {
	case IB_QPT_RC:
		return ROX_SVC_RC;
	case IB_QPT_UC:
		return ROX_SVC_UC;
	case IB_QPT_UD:
	case IB_QPT_GSI:
		return ROX_SVC_UD;
	default:
		return -EOPNOTSUPP;
	}
}

static int check_init(const struct ib_qp_init_attr *init)
{
	const struct ib_qp_cap *cap = &init->cap;
	int service = service_of(init->qp_type);

	if (service < 0)
		return service;
	if (init->create_flags || init->srq || init->rwq_ind_tbl)
		return -EOPNOTSUPP;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	if (cap->max_send_wr > ROX_MAX_WR || cap->max_recv_wr > ROX_MAX_WR ||
	    cap->max_send_sge > ROX_MAX_SGE || cap->max_recv_sge > ROX_MAX_SGE ||
	    cap->max_inline_data > ROX_MAX_INLINE)
		return -EINVAL;
	return 0;
}

/* What a slot has room for is what the user gets. */
static int create_sq_ring(struct rox_qp *qp, struct ib_qp_cap *cap)
{
	u32 payload = max_t(u32, cap->max_send_sge * sizeof(struct rox_sge),
			    cap->max_inline_data);
	u32 stride = max_t(u32, SQ_STRIDE_MIN,
			   roundup_pow_of_two(sizeof(struct rox_sqe) + payload));
	struct rox_sq *sq = &qp->sq;
	int err;

	if (!cap->max_send_wr)
		return 0;
	err = rox_ring_create(&sq->ring, qp->uctx, cap->max_send_wr, stride);
	if (err)
		return err;

	payload = stride - sizeof(struct rox_sqe);
	sq->max_wr = sq->ring.entries;
	sq->max_sge = min_t(u32, payload / sizeof(struct rox_sge), ROX_MAX_SGE);
	sq->max_inline = min_t(u32, payload, ROX_MAX_INLINE);
	cap->max_send_wr = sq->max_wr;
	cap->max_send_sge = sq->max_sge;
	cap->max_inline_data = sq->max_inline;
	return 0;
}

static int create_rq_ring(struct rox_qp *qp, struct ib_qp_cap *cap)
{
	u32 payload = cap->max_recv_sge * sizeof(struct rox_sge);
	u32 stride = roundup_pow_of_two(sizeof(struct rox_rqe) + payload);
	struct rox_rq *rq = &qp->rq;
	int err;

	if (!cap->max_recv_wr)
		return 0;
	err = rox_ring_create(&rq->ring, qp->uctx, cap->max_recv_wr, stride);
	if (err)
		return err;

	payload = stride - sizeof(struct rox_rqe);
	rq->max_wr = rq->ring.entries;
	rq->max_sge = min_t(u32, payload / sizeof(struct rox_sge), ROX_MAX_SGE);
	cap->max_recv_wr = rq->max_wr;
	cap->max_recv_sge = rq->max_sge;
	return 0;
}

/* Zeros tell the provider that there is no such queue. */
static int tell_rings(const struct rox_qp *qp, struct ib_udata *udata)
{
	const struct rox_ring *sq = &qp->sq.ring;
	const struct rox_ring *rq = &qp->rq.ring;
	struct rox_create_qp_resp resp = {};

	if (sq->hdr) {
		resp.sq_mmap_offset = rox_ring_mmap_offset(sq);
		resp.sq_mmap_len = rox_ring_mmap_bytes(sq);
		resp.sq_entries = sq->entries;
		resp.sq_stride = sq->stride;
	}
	if (rq->hdr) {
		resp.rq_mmap_offset = rox_ring_mmap_offset(rq);
		resp.rq_mmap_len = rox_ring_mmap_bytes(rq);
		resp.rq_entries = rq->entries;
		resp.rq_stride = rq->stride;
	}
	return rox_udata_out(udata, &resp, sizeof(resp));
}

static void destroy_rings(struct rox_qp *qp)
{
	rox_ring_destroy(&qp->sq.ring);
	rox_ring_destroy(&qp->rq.ring);
}

static int create_rings(struct rox_qp *qp, struct ib_qp_cap *cap,
			struct ib_udata *udata)
{
	int err;

	err = create_sq_ring(qp, cap);
	if (!err)
		err = create_rq_ring(qp, cap);
	if (!err && udata)
		err = tell_rings(qp, udata);
	if (err)
		destroy_rings(qp);
	return err;
}

static int init_sides(struct rox_qp *qp)
{
	int err;

	spin_lock_init(&qp->sq.post_lock);
	spin_lock_init(&qp->rq.post_lock);
	err = rox_sq_init(qp);
	if (err)
		return err;
	err = rox_rq_init(qp);
	if (err)
		rox_sq_fini(qp);
	return err;
}

static void stop_sides(struct rox_qp *qp)
{
	rox_sq_stop(qp);
	rox_rq_stop(qp);
}

static int fetch_request(struct ib_udata *udata, struct rox_create_qp_req *req)
{
	int err;

	if (!udata)
		return 0;
	err = rox_udata_in(udata, req, sizeof(*req));
	if (err)
		return err;
	return req->flags ? -EOPNOTSUPP : 0;
}

/* A completion names a kernel user's QP by its address, which is not for programs. */
static bool owns_cqs(const struct rox_qp *qp)
{
	return qp->scq->user == qp->uctx && qp->rcq->user == qp->uctx;
}

static struct rox_qp *qp_new(struct ib_qp *ibqp, const struct ib_qp_init_attr *init,
			     struct ib_udata *udata, u64 user_qp)
{
	struct rox_qp *qp = kzalloc(sizeof(*qp), GFP_KERNEL_ACCOUNT);

	if (!qp)
		return NULL;
	qp->ib = ibqp;
	qp->dev = to_rox_dev(ibqp->device);
	qp->pd = ibqp->pd;
	qp->scq = to_rox_cq(init->send_cq);
	qp->rcq = to_rox_cq(init->recv_cq);
	if (udata)
		qp->uctx = rdma_udata_to_drv_context(udata, struct rox_ucontext, ib);
	qp->named = udata ? user_qp : (uintptr_t)ibqp;
	qp->type = init->qp_type;
	qp->service = service_of(init->qp_type);
	qp->state = IB_QPS_RESET;
	qp->sq.signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	refcount_set(&qp->refs, 1);
	init_completion(&qp->gone);
	return qp;
}

/* Let packets and kicks find it. */
static int introduce(struct rox_qp *qp)
{
	int err = rox_qp_publish(qp);

	if (err || !qp->uctx)
		return err;
	err = rox_ucontext_add_qp(qp->uctx, qp->qpn);
	if (err) {
		/* Who guessed the number may have kicked it already. */
		rox_poll_forget(qp);
		rox_qp_unpublish(qp);
	}
	return err;
}

/* They find it no more; wait for those that have found it. */
static void withdraw(struct rox_qp *qp)
{
	if (qp->uctx) {
		rox_ucontext_del_qp(qp->uctx, qp->qpn);
		rox_poll_forget(qp);
	}
	rox_qp_unpublish(qp);
}

/* Nobody can find it, and both sides are stopped. A last packet may have been
 * put into an inbox by one who had found it before.
 */
static void wait_for_users(struct rox_qp *qp)
{
	rox_qp_put(qp);
	wait_for_completion(&qp->gone);
	rox_sq_fini(qp);
	rox_rq_fini(qp);
}

static int build_qp(struct rox_qp *qp, struct ib_qp_cap *cap, struct ib_udata *udata)
{
	int err;

	if (!owns_cqs(qp))
		return -EINVAL;
	err = create_rings(qp, cap, udata);
	if (err)
		return err;
	err = init_sides(qp);
	if (err)
		goto err_rings;
	qp->attr.cap = *cap;
	err = introduce(qp);
	if (err)
		goto err_sides;
	return 0;

err_sides:
	stop_sides(qp);
	wait_for_users(qp);
err_rings:
	destroy_rings(qp);
	return err;
}

/**
 * rox_create_qp - verb
 * @ibqp:  zeroed by the core, which set device, pd and handlers
 * @init:  its cap becomes what the queues really have
 * @udata: NULL for kernel users
 *
 * Context: process, may sleep.
 * Return: 0; -EOPNOTSUPP (type, flags), -EINVAL (limits), -ENOMEM, -EFAULT,
 * -EBUSY (a second QP1).
 */
int rox_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct rox_qp_ib *handle = to_rox_qp_ib(ibqp);
	struct rox_device *dev = to_rox_dev(ibqp->device);
	struct rox_create_qp_req req = {};
	struct rox_qp *qp;
	int err;

	err = check_init(init);
	if (!err)
		err = fetch_request(udata, &req);
	if (err)
		return err;

	err = -ENOMEM;
	if (atomic_inc_return(&dev->nr_qps) > ROX_MAX_QP)
		goto err_count;
	qp = qp_new(ibqp, init, udata, req.user_qp);
	if (!qp)
		goto err_count;
	err = build_qp(qp, &init->cap, udata);
	if (err)
		goto err_free;
	mutex_init(&handle->mutex);
	handle->qp = qp;
	ibqp->qp_num = qp->qpn;
	return 0;

err_free:
	/* It may have been found for a moment. */
	kfree_rcu(qp, rcu);
err_count:
	atomic_dec(&dev->nr_qps);
	return err;
}

/**
 * rox_destroy_qp - verb
 * @ibqp:  the QP
 * @udata: unused
 *
 * When it returns, no completion and no event of the QP is under way.
 *
 * Context: process; sleeps for at most one turn of each side's owner.
 * Return: 0.
 */
int rox_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct rox_qp_ib *handle = to_rox_qp_ib(ibqp);
	struct rox_qp *qp = handle->qp;

	/* On 6.1 the core still shows the QP to others, until this returns. */
	mutex_lock(&handle->mutex);
	handle->qp = NULL;
	mutex_unlock(&handle->mutex);

	withdraw(qp);
	stop_sides(qp);
	wait_for_users(qp);

	if (qp->av_valid)
		rox_av_fini(&qp->av);
	kfree(qp->rq.res);
	destroy_rings(qp);
	atomic_dec(&qp->dev->nr_qps);
	kfree_rcu(qp, rcu);
	return 0;
}

/*
 * What changes without a verb is read as it passes: no owner is waited for. PSNs are
 * for who asks for something by name, which is the owner: with no mask the core asks,
 * to show it to anybody, and who knows a PSN can send into the connection.
 */
static void query(struct rox_qp *qp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct ib_qp *ibqp = qp->ib;

	*attr = qp->attr;
	attr->qp_state = READ_ONCE(qp->state);
	attr->cur_qp_state = attr->qp_state;
	attr->sq_psn = mask ? READ_ONCE(qp->sq.req.psn) : 0;
	attr->rq_psn = mask ? READ_ONCE(qp->rq.resp.epsn) : 0;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD &&
			    !READ_ONCE(qp->sq.drain_told);

	init->event_handler = ibqp->event_handler;
	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sq.signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = 1;
}

/**
 * rox_query_qp - verb; also what any user's "rdma resource show" asks
 * @ibqp: the QP
 * @attr: filled, whatever @mask names, but for PSNs if that is nothing
 * @mask: IB_QP_*
 * @init: filled
 *
 * Context: process; sleeps while the QP is modified.
 * Return: 0, or -EAGAIN if it is being destroyed, which the core takes for none.
 */
int rox_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct rox_qp_ib *handle = to_rox_qp_ib(ibqp);
	int err = -EAGAIN;

	mutex_lock(&handle->mutex);
	if (handle->qp) {
		query(handle->qp, attr, mask, init);
		err = 0;
	}
	mutex_unlock(&handle->mutex);
	return err;
}

/**
 * rox_qp_event - tell the user what happened to the QP
 * @qp:    the QP
 * @event: IB_EVENT_*
 *
 * Context: an owner of a side. That is what keeps the handler from being called
 * after rox_destroy_qp(), which takes both sides first.
 */
void rox_qp_event(struct rox_qp *qp, enum ib_event_type event)
{
	struct ib_event ev = {
		.device = qp->ib->device,
		.element.qp = qp->ib,
		.event = event,
	};

	if (qp->ib->event_handler)
		qp->ib->event_handler(&ev, qp->ib->qp_context);
}

/**
 * rox_qp_error - the data path puts a QP into the error state
 * @qp:    the QP
 * @event: IB_EVENT_QP_FATAL, _REQ_ERR or _ACCESS_ERR to raise, or 0
 *
 * Both sides flush: the caller's when it goes round again, the other one from
 * here, unless somebody else is at it, who then has a note. This nests no
 * deeper than the two sides: the second time there is nothing left to do.
 *
 * Context: an owner of a side, bottom halves disabled.
 */
void rox_qp_error(struct rox_qp *qp, unsigned int event)
{
	if (xchg(&qp->state, IB_QPS_ERR) == IB_QPS_ERR)
		return;
	if (event)
		rox_qp_event(qp, event);
	rox_send_run(qp);
	rox_respond_run(qp);
}

/**
 * rox_qp_sq_error - a send of UC or UD failed: only the send side stops
 * @qp: the QP
 *
 * Context: the owner of the send side, which flushes when it goes round again.
 */
void rox_qp_sq_error(struct rox_qp *qp)
{
	enum ib_qp_state state = READ_ONCE(qp->state);

	/* ERR, which the other side may set meanwhile, is the stronger one. */
	while (state == IB_QPS_RTS || state == IB_QPS_SQD)
		if (try_cmpxchg(&qp->state, &state, IB_QPS_SQE))
			break;
	rox_send_run(qp);
}
