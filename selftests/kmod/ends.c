// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <linux/delay.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "ends.h"

unsigned int kv_patience = 1;

static void event(struct ib_cq *cq, void *context)
{
	struct kv_end *end = context;

	atomic_inc(&end->events);
	if (end->on_event)
		end->on_event(end);
	complete(&end->event);
}

static void done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kv_end *end = container_of(wc->wr_cqe, struct kv_end, cqe);

	end->wc = *wc;
	complete(&end->done);
}

static struct ib_cq *make_cq(struct kv_end *end)
{
	struct ib_cq_init_attr attr = { .cqe = 4 * KV_WRS };

	switch (end->kind) {
	case KV_DIRECT:
		return ib_alloc_cq(end->dev, end, attr.cqe, 0, IB_POLL_DIRECT);
	case KV_SOFTIRQ:
		return ib_alloc_cq(end->dev, end, attr.cqe, 0, IB_POLL_SOFTIRQ);
	case KV_WORKQUEUE:
		return ib_alloc_cq(end->dev, end, attr.cqe, 0,
				   IB_POLL_WORKQUEUE);
	default:
		return ib_create_cq(end->dev, event, NULL, end, &attr);
	}
}

static bool pooled(const struct kv_end *end)
{
	return end->kind >= KV_DIRECT;
}

static void free_cq(struct kv_end *end)
{
	if (pooled(end))
		ib_free_cq(end->cq);
	else
		ib_destroy_cq(end->cq);
}

static int make_qp(struct kv_end *end)
{
	struct ib_qp_init_attr attr = {
		.send_cq = end->cq,
		.recv_cq = end->cq,
		.cap = {
			.max_send_wr = KV_WRS,
			.max_recv_wr = KV_WRS,
			.max_send_sge = 4,
			.max_recv_sge = 4,
		},
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.qp_type = end->type,
	};

	end->qp = ib_create_qp(end->pd, &attr);
	return PTR_ERR_OR_ZERO(end->qp);
}

static int make_end(struct kv_end *end, struct kv_pair *pair,
		    enum ib_qp_type type, enum kv_cq_kind kind)
{
	int err = -ENOMEM;

	end->dev = pair->dev;
	end->pd = pair->pd;
	end->type = type;
	end->kind = kind;
	end->psn = get_random_u32() & 0xffffff;
	end->cqe.done = done;
	init_completion(&end->event);
	init_completion(&end->done);
	end->buf = kzalloc(KV_BUF_BYTES, GFP_KERNEL);
	if (!end->buf)
		return err;
	end->dma = ib_dma_map_single(end->dev, end->buf, KV_BUF_BYTES,
				     DMA_BIDIRECTIONAL);
	err = ib_dma_mapping_error(end->dev, end->dma);
	if (err)
		goto free_buf;
	end->cq = make_cq(end);
	err = PTR_ERR_OR_ZERO(end->cq);
	if (err)
		goto unmap;
	err = make_qp(end);
	if (err)
		goto destroy_cq;
	return 0;

destroy_cq:
	free_cq(end);
unmap:
	ib_dma_unmap_single(end->dev, end->dma, KV_BUF_BYTES,
			    DMA_BIDIRECTIONAL);
free_buf:
	kfree(end->buf);
	end->buf = NULL;
	return err;
}

static void free_end(struct kv_end *end)
{
	if (!end->buf)
		return;
	if (end->ah)
		rdma_destroy_ah(end->ah, RDMA_DESTROY_AH_SLEEPABLE);
	ib_destroy_qp(end->qp);
	free_cq(end);
	ib_dma_unmap_single(end->dev, end->dma, KV_BUF_BYTES,
			    DMA_BIDIRECTIONAL);
	kfree(end->buf);
}

static int ah_attr(struct kv_pair *pair, struct rdma_ah_attr *ah)
{
	const struct ib_gid_attr *sgid;

	memset(ah, 0, sizeof(*ah));
	ah->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(ah, 1);
	rdma_ah_set_grh(ah, &pair->gid, 0, pair->gid_index, 64, 0);
	sgid = rdma_get_gid_attr(pair->dev, 1, pair->gid_index);
	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	rdma_read_gid_l2_fields(sgid, NULL, ah->roce.dmac);
	rdma_put_gid_attr(sgid);
	return 0;
}

static int to_init(struct kv_end *end)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.port_num = 1,
		.qkey = KV_QKEY,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE |
				   IB_ACCESS_REMOTE_READ |
				   IB_ACCESS_REMOTE_ATOMIC,
	};
	int mask = IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_PORT;

	mask |= end->type == IB_QPT_UD ? IB_QP_QKEY : IB_QP_ACCESS_FLAGS;
	return ib_modify_qp(end->qp, &attr, mask);
}

static int to_rtr(struct kv_end *end, struct kv_end *to, struct kv_pair *pair)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR,
		.path_mtu = IB_MTU_1024,
		.dest_qp_num = to->qp->qp_num,
		.rq_psn = to->psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
	};
	int err, mask = IB_QP_STATE;

	if (end->type == IB_QPT_RC) {
		mask |= IB_QP_AV | IB_QP_PATH_MTU | IB_QP_DEST_QPN |
			IB_QP_RQ_PSN | IB_QP_MAX_DEST_RD_ATOMIC |
			IB_QP_MIN_RNR_TIMER;
		err = ah_attr(pair, &attr.ah_attr);
		if (err)
			return err;
	}
	return ib_modify_qp(end->qp, &attr, mask);
}

static int to_rts(struct kv_end *end)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.sq_psn = end->psn,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;

	if (end->type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return ib_modify_qp(end->qp, &attr, mask);
}

static int join(struct kv_end *end, struct kv_end *to, struct kv_pair *pair)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;
	int err;

	err = to_init(end);
	if (!err)
		err = to_rtr(end, to, pair);
	if (!err)
		err = to_rts(end);
	if (err || end->type != IB_QPT_UD)
		return err;
	err = ah_attr(pair, &attr);
	if (err)
		return err;
	ah = rdma_create_ah(end->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(ah))
		return PTR_ERR(ah);
	end->ah = ah;
	return 0;
}

int kv_open(struct kv_pair *pair, struct ib_device *dev, int gid_index,
	    enum ib_qp_type type, enum kv_cq_kind kind)
{
	int err;

	memset(pair, 0, sizeof(*pair));
	pair->dev = dev;
	pair->gid_index = gid_index;
	err = rdma_query_gid(dev, 1, gid_index, &pair->gid);
	if (err)
		return err;
	pair->pd = ib_alloc_pd(dev, 0);
	if (IS_ERR(pair->pd))
		return PTR_ERR(pair->pd);
	err = make_end(&pair->a, pair, type, kind);
	if (!err)
		err = make_end(&pair->b, pair, type, kind);
	if (!err)
		err = join(&pair->a, &pair->b, pair);
	if (!err)
		err = join(&pair->b, &pair->a, pair);
	if (err)
		kv_close(pair);
	return err;
}

void kv_close(struct kv_pair *pair)
{
	free_end(&pair->a);
	free_end(&pair->b);
	ib_dealloc_pd(pair->pd);
}

static void set_id(struct kv_end *end, struct ib_cqe **cqe, u64 *id)
{
	if (pooled(end))
		*cqe = &end->cqe;
	else
		*id = 7;
}

int kv_post_recv(struct kv_end *end, u32 length)
{
	struct ib_sge sge = {
		.addr = end->dma,
		.length = length,
		.lkey = end->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };

	set_id(end, &wr.wr_cqe, &wr.wr_id);
	return ib_post_recv(end->qp, &wr, NULL);
}

int kv_post_send(struct kv_end *end, struct kv_end *to, struct ib_send_wr *wr,
		 u32 offset, u32 length)
{
	struct ib_sge sge = {
		.addr = end->dma + offset,
		.length = length,
		.lkey = end->pd->local_dma_lkey,
	};

	if (length) {
		wr->sg_list = &sge;
		wr->num_sge = 1;
	}
	wr->send_flags |= IB_SEND_SIGNALED;
	set_id(end, &wr->wr_cqe, &wr->wr_id);
	return ib_post_send(end->qp, wr, NULL);
}

int kv_send(struct kv_end *end, struct kv_end *to, u32 offset, u32 length)
{
	struct ib_ud_wr wr = {
		.wr.opcode = IB_WR_SEND,
		.ah = end->ah,
		.remote_qpn = to->qp->qp_num,
		.remote_qkey = KV_QKEY,
	};

	return kv_post_send(end, to, &wr.wr, offset, length);
}

int kv_rdma(struct kv_end *end, enum ib_wr_opcode opcode, u32 offset,
	    u32 length, u64 remote, u32 rkey)
{
	struct ib_rdma_wr wr = {
		.wr.opcode = opcode,
		.remote_addr = remote,
		.rkey = rkey,
	};

	return kv_post_send(end, NULL, &wr.wr, offset, length);
}

static int await_event(struct kv_end *end, struct ib_wc *wc)
{
	while (ib_poll_cq(end->cq, 1, wc) != 1) {
		if (ib_req_notify_cq(end->cq, IB_CQ_NEXT_COMP |
				     IB_CQ_REPORT_MISSED_EVENTS) > 0)
			continue;
		/* What came before the arm has no event. */
		if (ib_poll_cq(end->cq, 1, wc) == 1)
			return 0;
		if (!wait_for_completion_timeout(&end->event, 5 * HZ * kv_patience))
			return -ETIMEDOUT;
	}
	return 0;
}

static int await_poll(struct kv_end *end, struct ib_wc *wc)
{
	unsigned long until = jiffies + 5 * HZ * kv_patience;

	while (ib_poll_cq(end->cq, 1, wc) != 1) {
		if (time_after(jiffies, until))
			return -ETIMEDOUT;
		cond_resched();
	}
	return 0;
}

static int await_done(struct kv_end *end, struct ib_wc *wc)
{
	unsigned long until = jiffies + 5 * HZ * kv_patience;

	while (!try_wait_for_completion(&end->done)) {
		if (time_after(jiffies, until))
			return -ETIMEDOUT;
		if (end->kind == KV_DIRECT)
			ib_process_cq_direct(end->cq, 1);
		else
			usleep_range(50, 100);
	}
	*wc = end->wc;
	return 0;
}

int kv_wait(struct kv_end *end, struct ib_wc *wc)
{
	if (pooled(end))
		return await_done(end, wc);
	if (end->kind == KV_EVENT)
		return await_event(end, wc);
	return await_poll(end, wc);
}

int kv_expect(struct kv_end *end, enum ib_wc_status status)
{
	struct ib_wc wc;
	int err;

	err = kv_wait(end, &wc);
	if (err)
		return err;
	if (wc.status == status && wc.qp == end->qp)
		return 0;
	pr_info("# completion: %s, not %s; qp %s\n",
		ib_wc_status_msg(wc.status), ib_wc_status_msg(status),
		wc.qp == end->qp ? "right" : "wrong");
	return -EIO;
}

void kv_fill(u8 *buf, size_t length, u8 seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		buf[i] = i * 7 + (i >> 8) * 13 + seed;
}

bool kv_filled(const u8 *buf, size_t length, u8 seed)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (buf[i] != (u8)(i * 7 + (i >> 8) * 13 + seed))
			return false;
	return true;
}
