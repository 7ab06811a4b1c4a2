/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A queue pair's life. Posting is in post.c and post_ex.c. */
#include <errno.h>
#include <stdlib.h>

#include "doorbell.h"
#include "rox.h"

static int map_queue(struct rox_qp *qp, struct rox_ring *ring, uint64_t offset,
		     uint32_t len, uint32_t entries, uint32_t stride)
{
	void *map;

	/* A queue of no requests has no ring. It is always full. */
	if (!entries)
		return 0;
	if (!rox_ring_geometry_ok(entries, stride, len))
		return EPROTO;
	map = rox_map(qp->vqp.qp.context, offset, len);
	if (!map)
		return errno;
	rox_ring_init(ring, map, entries, stride);
	return 0;
}

static void unmap_queues(struct rox_qp *qp)
{
	rox_unmap(qp->sq.ring.hdr, qp->sq_map_len);
	rox_unmap(qp->rq.ring.hdr, qp->rq_map_len);
}

static int map_queues(struct rox_qp *qp, const struct rox_create_qp_resp *resp)
{
	int ret;

	qp->sq_map_len = resp->sq_mmap_len;
	qp->rq_map_len = resp->rq_mmap_len;
	ret = map_queue(qp, &qp->sq.ring, resp->sq_mmap_offset,
			resp->sq_mmap_len, resp->sq_entries, resp->sq_stride);
	if (ret)
		return ret;
	ret = map_queue(qp, &qp->rq.ring, resp->rq_mmap_offset,
			resp->rq_mmap_len, resp->rq_entries, resp->rq_stride);
	if (ret)
		unmap_queues(qp);
	return ret;
}

/* What fits into a slot bounds what the kernel promised. */
static uint32_t payload_limit(uint32_t promised, const struct rox_ring *ring,
			      size_t head, size_t unit)
{
	size_t room = ring->stride > head ? (ring->stride - head) / unit : 0;

	return promised < room ? promised : room;
}

static void set_limits(struct rox_qp *qp, const struct ibv_qp_cap *cap)
{
	qp->sq.max_sge = payload_limit(cap->max_send_sge, &qp->sq.ring,
				       sizeof(struct rox_sqe),
				       sizeof(struct rox_sge));
	qp->sq.max_inline = payload_limit(cap->max_inline_data, &qp->sq.ring,
					  sizeof(struct rox_sqe), 1);
	qp->rq.max_sge = payload_limit(cap->max_recv_sge, &qp->rq.ring,
				       sizeof(struct rox_rqe),
				       sizeof(struct rox_sge));
}

static void init_queues(struct rox_qp *qp,
			const struct ibv_qp_init_attr_ex *attr)
{
	bool single = rox_pd_is_single_threaded(attr->pd);

	rox_lock_init(&qp->sq.lock, single);
	rox_lock_init(&qp->rq.lock, single);
	set_limits(qp, &attr->cap);
	qp->sq.opcodes = rox_sq_opcodes(attr->qp_type);
	qp->sq.always_flags = attr->sq_sig_all ? ROX_SQE_SIGNALED : 0;
	qp->sq.is_ud = attr->qp_type == IBV_QPT_UD;
}

static int create_in_kernel(struct rox_qp *qp, struct ibv_context *context,
			    struct ibv_qp_init_attr_ex *attr)
{
	struct rox_cmd_create_qp_resp resp = {};
	struct rox_cmd_create_qp cmd = {};
	int ret;

	cmd.user_qp = (uintptr_t)qp;
	ret = ibv_cmd_create_qp_ex(context, &qp->vqp, attr, &cmd.ibv_cmd,
				   sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (ret)
		return ret;
	ret = map_queues(qp, &resp.drv_payload);
	if (ret)
		ibv_cmd_destroy_qp(&qp->vqp.qp);
	return ret;
}

static int check_attr(const struct ibv_qp_init_attr_ex *attr)
{
	uint32_t opcodes = rox_sq_opcodes(attr->qp_type);

	if (!check_comp_mask(attr->comp_mask, IBV_QP_INIT_ATTR_PD |
					      IBV_QP_INIT_ATTR_CREATE_FLAGS |
					      IBV_QP_INIT_ATTR_SEND_OPS_FLAGS))
		return EOPNOTSUPP;
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd)
		return EINVAL;
	if (!opcodes)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS &&
	    attr->create_flags)
		return EOPNOTSUPP;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS &&
	    attr->send_ops_flags & ~(uint64_t)opcodes)
		return EOPNOTSUPP;
	return 0;
}

static int create_qp(struct rox_qp *qp, struct ibv_context *context,
		     struct ibv_qp_init_attr_ex *attr)
{
	struct ibv_qp_init_attr_ex plain = *attr;
	int ret;

	/* Older versions refuse bits that are none of the kernel's business. */
	plain.comp_mask = IBV_QP_INIT_ATTR_PD;
	ret = create_in_kernel(qp, context, &plain);
	if (ret)
		return ret;
	attr->cap = plain.cap;
	init_queues(qp, attr);
	rox_poller_start(context);
	rox_cq_hold(attr->send_cq);
	rox_cq_hold(attr->recv_cq);
	return 0;
}

/* What create_qp() made, but for the kernel's part. */
static void free_qp(struct rox_qp *qp)
{
	rox_cq_release(qp->vqp.qp.send_cq);
	rox_cq_release(qp->vqp.qp.recv_cq);
	unmap_queues(qp);
	rox_lock_fini(&qp->sq.lock);
	rox_lock_fini(&qp->rq.lock);
	free(qp);
}

/*
 * The second guard, see abi_guard.c: in a libibverbs with another layout the
 * flag is somewhere else.
 */
static int offer_builders(struct rox_qp *qp, uint64_t send_ops)
{
	qp->vqp.comp_mask |= VERBS_QP_EX;
	if (!ibv_qp_to_qp_ex(&qp->vqp.qp)) {
		verbs_err(verbs_get_ctx(qp->vqp.qp.context),
			  "built for another libibverbs; rebuild librox\n");
		return ENOSYS;
	}
	rox_qp_set_builders(qp, send_ops);
	return 0;
}

struct ibv_qp *rox_qp_create_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr)
{
	struct rox_qp *qp;
	int ret;

	ret = check_attr(attr);
	if (ret)
		goto err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return NULL;
	ret = create_qp(qp, context, attr);
	if (ret)
		goto err_free;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		ret = offer_builders(qp, attr->send_ops_flags);
	if (ret)
		goto err_destroy;
	return &qp->vqp.qp;

err_destroy:
	ibv_cmd_destroy_qp(&qp->vqp.qp);
	free_qp(qp);
	goto err;
err_free:
	free(qp);
err:
	errno = ret;
	return NULL;
}

struct ibv_qp *rox_qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp;

	qp = rox_qp_create_ex(pd->context, &ex);
	if (qp)
		attr->cap = ex.cap;
	return qp;
}

static void purge_cqs(struct ibv_qp *qp)
{
	rox_cq_purge(qp->send_cq, qp->qp_num);
	if (qp->recv_cq != qp->send_cq)
		rox_cq_purge(qp->recv_cq, qp->qp_num);
}

/* No completion is left that a poller could free slots by. */
static void forget_posted(struct rox_qp *qp)
{
	rox_ring_forget(&qp->sq.ring);
	rox_ring_forget(&qp->rq.ring);
}

/*
 * rox_qp_modify - the kernel does it
 *
 * To RESET: the kernel drops what was posted by moving cons up to prod, so our
 * free-running index stays right. Completions of the past go too.
 */
int rox_qp_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask)
{
	struct ibv_modify_qp cmd = {};
	int ret;

	ret = ibv_cmd_modify_qp(qp, attr, attr_mask, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (attr_mask & IBV_QP_STATE && attr->qp_state == IBV_QPS_RESET) {
		purge_cqs(qp);
		forget_posted(to_rox_qp(qp));
	}
	return 0;
}

int rox_qp_query(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd;

	return ibv_cmd_query_qp(qp, attr, attr_mask, init_attr, &cmd,
				sizeof(cmd));
}

/*
 * rox_qp_destroy - once the kernel is done, no completion of it is left
 *
 * A later queue pair may get the same number and use the same completion
 * queue. The kernel hands out numbers in a circle, so that is not until long
 * after the purge. Once the kernel is done, another thread can destroy the
 * completion queues: their memory stays for the purge.
 */
int rox_qp_destroy(struct ibv_qp *ibqp)
{
	struct rox_qp *qp = to_rox_qp(ibqp);
	int ret;

	ret = ibv_cmd_destroy_qp(ibqp);
	if (ret)
		return ret;
	rox_forget_kick(qp);
	purge_cqs(ibqp);
	free_qp(qp);
	return 0;
}
