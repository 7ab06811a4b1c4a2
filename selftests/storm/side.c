// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <string.h>
#include <sys/mman.h>

#include "side.h"

struct ibv_context *open_named(const char *device)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int i;

	list = ibv_get_device_list(NULL);
	for (i = 0; list && list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), device))
			context = ibv_open_device(list[i]);
	if (list)
		ibv_free_device_list(list);
	return context;
}

bool open_side(struct side *side, const struct place *place)
{
	memset(side, 0, sizeof(*side));
	side->place = *place;
	side->context = open_named(place->device);
	if (!side->context)
		return false;
	side->pd = ibv_alloc_pd(side->context);
	return side->pd;
}

static bool make_memory(struct side *side, size_t size)
{
	side->size = size;
	side->buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (side->buf == MAP_FAILED) {
		side->buf = NULL;
		return false;
	}
	side->mr = ibv_reg_mr(side->pd, side->buf, size, ALL_ACCESS);
	return side->mr;
}

static struct ibv_qp *make_qp(const struct side *side, const struct wish *wish)
{
	struct ibv_qp_init_attr init = {
		.qp_type = wish->type,
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.sq_sig_all = 1,
		.cap = {
			.max_send_wr = wish->wrs,
			.max_recv_wr = wish->wrs,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
	};

	return ibv_create_qp(side->pd, &init);
}

bool make_side(struct side *side, const struct wish *wish)
{
	if (!make_memory(side, wish->size))
		return false;
	side->channel = ibv_create_comp_channel(side->context);
	if (!side->channel)
		return false;
	side->cq = ibv_create_cq(side->context, 4 * wish->wrs, NULL,
				 side->channel, 0);
	if (!side->cq)
		return false;
	side->qp = make_qp(side, wish);
	return side->qp;
}

bool share_side(struct side *side, const struct side *of, const struct wish *wish)
{
	*side = *of;
	side->qp = make_qp(side, wish);
	return side->qp;
}

void close_side(struct side *side)
{
	if (side->ah)
		ibv_destroy_ah(side->ah);
	if (side->qp)
		ibv_destroy_qp(side->qp);
	if (side->cq)
		ibv_destroy_cq(side->cq);
	if (side->channel)
		ibv_destroy_comp_channel(side->channel);
	if (side->mr)
		ibv_dereg_mr(side->mr);
	if (side->pd)
		ibv_dealloc_pd(side->pd);
	if (side->context)
		ibv_close_device(side->context);
	if (side->buf)
		munmap(side->buf, side->size);
	memset(side, 0, sizeof(*side));
}

struct ibv_ah_attr ah_attr(const struct side *side, const struct place *to)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.dgid = to->gid,
			.sgid_index = side->place.gid_index,
			.hop_limit = 64,
		},
	};
}

static int mask_of(enum ibv_qp_type type, enum ibv_qp_state state)
{
	int mask = IBV_QP_STATE;

	if (state == IBV_QPS_INIT)
		mask |= IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			(type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS);
	if (state == IBV_QPS_RTR && type != IBV_QPT_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			IBV_QP_RQ_PSN;
	if (state == IBV_QPS_RTR && type == IBV_QPT_RC)
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	if (state == IBV_QPS_RTS)
		mask |= IBV_QP_SQ_PSN;
	if (state == IBV_QPS_RTS && type == IBV_QPT_RC)
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	return mask;
}

struct ibv_qp_attr step_attr(const struct side *side, enum ibv_qp_type type,
			     enum ibv_qp_state state, const struct side *to,
			     int *mask)
{
	struct ibv_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.qp_access_flags = ALL_ACCESS,
		.qkey = QKEY,
		.path_mtu = IBV_MTU_1024,
		.min_rnr_timer = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 4,
		.sq_psn = side->psn,
	};

	if (to) {
		attr.dest_qp_num = to->qp->qp_num;
		attr.rq_psn = to->psn;
		attr.ah_attr = ah_attr(side, &to->place);
	}
	*mask = mask_of(type, state);
	return attr;
}

bool join_side(struct side *side, const struct side *to)
{
	enum ibv_qp_type type = side->qp->qp_type;
	struct ibv_qp_attr attr;
	struct ibv_ah_attr ah;
	int state, mask;

	for (state = IBV_QPS_INIT; state <= IBV_QPS_RTS; state++) {
		attr = step_attr(side, type, state, to, &mask);
		if (ibv_modify_qp(side->qp, &attr, mask))
			return false;
	}
	if (type != IBV_QPT_UD)
		return true;
	ah = ah_attr(side, &to->place);
	side->ah = ibv_create_ah(side->pd, &ah);
	return side->ah;
}

bool make_pair(struct side *a, struct side *b, const struct wish *wish)
{
	return make_side(a, wish) && make_side(b, wish) &&
	       join_side(a, b) && join_side(b, a);
}

bool post_recv(struct side *side, size_t offset, size_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)side->buf + offset,
		.length = length,
		.lkey = side->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .wr_id = 1, .sg_list = &sge, .num_sge = 1 };

	if (ibv_post_recv(side->qp, &wr, &bad))
		return false;
	side->recvs++;
	return true;
}

/* Remote memory: the same offset of the other side's. */
struct ibv_send_wr send_wr(const struct side *side, const struct side *to,
			   enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	uint64_t remote = (uintptr_t)to->buf + (sge->addr - (uintptr_t)side->buf);
	struct ibv_send_wr wr = {
		.sg_list = sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};

	if (side->qp->qp_type == IBV_QPT_UD) {
		wr.wr.ud.ah = side->ah;
		wr.wr.ud.remote_qpn = to->qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = to->mr->rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = to->mr->rkey;
	}
	return wr;
}
