// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Objects created, connected, used for what they are not meant for, destroyed. */
#include <infiniband/verbs.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "world.h"

#define ANY_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define QKEY 0x1234

/* ---- memory regions */

static void reg_mr(struct world *world, uint64_t *seed, struct hostile_mr *mr,
		   size_t at, size_t bytes, int access)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)world->arena + at,
		.length = bytes,
		.pd_handle = world->pd,
		.access_flags = access,
	};
	struct ib_uverbs_reg_mr_resp resp = {};

	cmd.hca_va = cmd.start;
	if (one_in(seed, 3))
		cmd.hca_va = (rnd(seed) >> 8 & ~(PAGE - 1)) | (cmd.start & (PAGE - 1));
	if (command(world, seed, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd),
		    NULL, 0, &resp, sizeof(resp)))
		return;
	*mr = (struct hostile_mr){
		true, resp.mr_handle, resp.lkey, resp.rkey, cmd.hca_va, bytes,
	};
}

static void dereg_mr(struct world *world, uint64_t *seed, struct hostile_mr *mr)
{
	struct ib_uverbs_dereg_mr cmd = { .mr_handle = mr->handle };

	mr->live = false;
	command(world, seed, IB_USER_VERBS_CMD_DEREG_MR, &cmd, sizeof(cmd), NULL,
		0, NULL, 0);
}

/* Registered so that it must be refused. */
static void reg_wrong(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = edge(seed),
		.length = edge(seed),
		.hca_va = edge(seed),
		.pd_handle = world->pd,
		.access_flags = below(seed, 3) ? ANY_ACCESS : edge(seed),
	};
	uint64_t arena = (uintptr_t)world->arena, end;
	struct ib_uverbs_reg_mr_resp resp = {};

	if (one_in(seed, 2))
		cmd.hca_va = cmd.start;
	/* Not what may hit something that is mapped: most of this is not. */
	end = cmd.start + cmd.length;
	if (end > arena && cmd.start < arena + ARENA && end > cmd.start)
		return;
	if (command(world, seed, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd),
		    NULL, 0, &resp, sizeof(resp)))
		return;
	if (cmd.length == 0 || end - 1 < cmd.start ||
	    cmd.hca_va + cmd.length - 1 < cmd.hca_va)
		broken(world->shared, "registered: start %#llx length %#llx iova %#llx",
		       (unsigned long long)cmd.start,
		       (unsigned long long)cmd.length,
		       (unsigned long long)cmd.hca_va);
	dereg_mr(world, seed, &(struct hostile_mr){ .handle = resp.mr_handle });
}

/* A ring is memory of the program like any other, so a peer may write to it. */
static void reg_ring(struct world *world, uint64_t *seed, struct hostile_mr *mr)
{
	struct map map = world->maps[below(seed, NR_MAPS)];
	struct ib_uverbs_reg_mr cmd = {
		.start = (uintptr_t)map.addr,
		.length = map.bytes,
		.hca_va = (uintptr_t)map.addr,
		.pd_handle = world->pd,
		.access_flags = ANY_ACCESS,
	};
	struct ib_uverbs_reg_mr_resp resp = {};

	if (!map.addr || command(world, seed, IB_USER_VERBS_CMD_REG_MR, &cmd,
				 sizeof(cmd), NULL, 0, &resp, sizeof(resp)))
		return;
	*mr = (struct hostile_mr){
		true, resp.mr_handle, resp.lkey, resp.rkey, cmd.hca_va, map.bytes,
	};
}

static void rereg_mr(struct world *world, uint64_t *seed, struct hostile_mr *mr)
{
	size_t at = below(seed, OPEN_BYTES - 1);
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = mr->handle,
		.flags = below(seed, 9),
		.start = (uintptr_t)world->arena + OPEN_AT + at,
		.length = 1 + below(seed, OPEN_BYTES - at),
		.pd_handle = world->pd,
		.access_flags = ANY_ACCESS,
	};
	struct ib_uverbs_rereg_mr_resp resp = {};

	cmd.hca_va = cmd.start;
	if (!command(world, seed, IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd),
		     NULL, 0, &resp, sizeof(resp)) && cmd.flags & 1) {
		mr->iova = cmd.hca_va;
		mr->bytes = cmd.length;
	}
}

/* Up to the last byte there can be, and one further. */
static void reg_at_the_end(struct world *world, uint64_t *seed, struct hostile_mr *mr)
{
	struct ib_uverbs_reg_mr cmd = {
		.length = (1 + below(seed, OPEN_BYTES / PAGE)) * PAGE - below(seed, PAGE - 1),
		.pd_handle = world->pd,
		.access_flags = ANY_ACCESS,
	};
	struct ib_uverbs_reg_mr_resp resp = {};
	bool further = one_in(seed, 2);

	/* Both have the same place within their pages. */
	cmd.start = (uintptr_t)world->arena + OPEN_AT + OPEN_BYTES - cmd.length;
	cmd.hca_va = 0 - cmd.length;
	cmd.start += further;
	cmd.hca_va += further;
	if (command(world, seed, IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), NULL, 0,
		    &resp, sizeof(resp)))
		return;
	if (further)
		broken(world->shared, "registered: a byte behind the last one");
	else
		COUNT(world->shared, at_the_end);
	*mr = (struct hostile_mr){
		true, resp.mr_handle, resp.lkey, resp.rkey, cmd.hca_va, cmd.length,
	};
}

static void random_mr(struct world *world, uint64_t *seed)
{
	/* The first is the island, the second what cannot be written to. */
	struct hostile_mr *mr = &world->mrs[2 + below(seed, NR_MRS - 2)];
	size_t at = below(seed, OPEN_BYTES - 1);

	if (one_in(seed, 4))
		reg_wrong(world, seed);
	else if (mr->live && one_in(seed, 4))
		rereg_mr(world, seed, mr);
	else if (mr->live)
		dereg_mr(world, seed, mr);
	else if (one_in(seed, 8))
		reg_ring(world, seed, mr);
	else if (one_in(seed, 4))
		reg_at_the_end(world, seed, mr);
	else
		reg_mr(world, seed, mr, OPEN_AT + at,
		       1 + below(seed, OPEN_BYTES - at),
		       below(seed, 2) ? ANY_ACCESS : below(seed, 16));
}

/* ---- completion queues, queue pairs */

static void create_cq(struct world *world, uint64_t *seed, struct hostile_cq *cq)
{
	struct ib_uverbs_create_cq cmd = {
		.cqe = one_in(seed, 8) ? edge(seed) : 1 + below(seed, 2000),
		.comp_channel = one_in(seed, 2) ? world->channel : -1,
		.comp_vector = one_in(seed, 16) ? edge(seed) : 0,
	};
	struct {
		struct ib_uverbs_create_cq_resp core;
		struct rox_create_cq_resp rox;
	} resp = {};
	struct rox_create_cq_req req = {};

	if (command(world, seed, IB_USER_VERBS_CMD_CREATE_CQ, &cmd, sizeof(cmd),
		    &req, sizeof(req), &resp, sizeof(resp)))
		return;
	cq->handle = resp.core.cq_handle;
	cq->ring = (struct queue){
		.offset = resp.rox.mmap_offset,
		.bytes = resp.rox.mmap_len,
		.entries = resp.rox.entries,
		.stride = sizeof(struct rox_cqe),
	};
	cq->ring.map = map_queue(world, seed, &cq->ring);
	cq->live = true;
}

static void destroy_cq(struct world *world, uint64_t *seed, struct hostile_cq *cq)
{
	struct ib_uverbs_destroy_cq cmd = { .cq_handle = cq->handle };
	struct ib_uverbs_destroy_cq_resp resp;

	if (!command(world, seed, IB_USER_VERBS_CMD_DESTROY_CQ, &cmd, sizeof(cmd),
		     NULL, 0, &resp, sizeof(resp)))
		cq->live = false;
}

static uint32_t queue_length(uint64_t *seed)
{
	return one_in(seed, 10) ? edge(seed) : below(seed, 300);
}

static void create_qp(struct world *world, uint64_t *seed, struct hostile_qp *qp)
{
	static const uint8_t types[] = { IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = world->pd,
		.send_cq_handle = world->cqs[below(seed, NR_CQS)].handle,
		.recv_cq_handle = world->cqs[below(seed, NR_CQS)].handle,
		.max_send_wr = queue_length(seed),
		.max_recv_wr = queue_length(seed),
		.max_send_sge = one_in(seed, 10) ? edge(seed) : below(seed, 33),
		.max_recv_sge = one_in(seed, 10) ? edge(seed) : below(seed, 33),
		.max_inline_data = one_in(seed, 10) ? edge(seed) : below(seed, 513),
		.sq_sig_all = below(seed, 2),
		/* Those two that are to be joined are of one type. */
		.qp_type = types[(qp - world->qps) / 2 % 4],
	};
	struct {
		struct ib_uverbs_create_qp_resp core;
		struct rox_create_qp_resp rox;
	} resp = {};
	struct rox_create_qp_req req = { .user_qp = rnd(seed) };

	if (command(world, seed, IB_USER_VERBS_CMD_CREATE_QP, &cmd, sizeof(cmd),
		    &req, sizeof(req), &resp, sizeof(resp)))
		return;
	qp->type = cmd.qp_type;
	qp->handle = resp.core.qp_handle;
	qp->qpn = resp.core.qpn;
	qp->sq = (struct queue){ NULL, resp.rox.sq_mmap_offset, resp.rox.sq_mmap_len,
				 resp.rox.sq_entries, resp.rox.sq_stride };
	qp->rq = (struct queue){ NULL, resp.rox.rq_mmap_offset, resp.rox.rq_mmap_len,
				 resp.rox.rq_entries, resp.rox.rq_stride };
	qp->sq.map = map_queue(world, seed, &qp->sq);
	qp->rq.map = map_queue(world, seed, &qp->rq);
	qp->live = true;
}

static void destroy_qp(struct world *world, uint64_t *seed, struct hostile_qp *qp)
{
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = qp->handle };
	struct ib_uverbs_destroy_qp_resp resp;

	qp->live = false;
	command(world, seed, IB_USER_VERBS_CMD_DESTROY_QP, &cmd, sizeof(cmd),
		NULL, 0, &resp, sizeof(resp));
}

static int modify(struct world *world, uint64_t *seed,
		  const struct hostile_qp *qp, struct ib_uverbs_modify_qp *cmd)
{
	cmd->qp_handle = qp->handle;
	return command(world, seed, IB_USER_VERBS_CMD_MODIFY_QP, cmd,
		       sizeof(*cmd), NULL, 0, NULL, 0);
}

static void fill_attributes(const struct world *world, uint64_t *seed, uint32_t dqpn,
			    struct ib_uverbs_modify_qp *cmd)
{
	*cmd = (struct ib_uverbs_modify_qp){
		.dest = {
			.sgid_index = world->shared->gid_index,
			.hop_limit = 64,
			.is_global = 1,
			.port_num = 1,
		},
		.qkey = QKEY,
		.dest_qp_num = dqpn,
		.qp_access_flags = ANY_ACCESS,
		.path_mtu = IBV_MTU_256 + below(seed, 5),
		.max_rd_atomic = 1 + below(seed, 16),
		.max_dest_rd_atomic = 1 + below(seed, 16),
		.min_rnr_timer = below(seed, 32),
		.port_num = 1,
		.timeout = 8 + below(seed, 10),
		.retry_cnt = below(seed, 8),
		.rnr_retry = below(seed, 8),
		.en_sqd_async_notify = below(seed, 2),
	};
	memcpy(cmd->dest.dgid, world->shared->gid, 16);
}

static const int masks[3][3] = {
	/* RC, UC, UD; INIT, RTR, RTS */
	{ IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
	  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC },
	{ IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN,
	  IBV_QP_STATE | IBV_QP_SQ_PSN },
	{ IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
	  IBV_QP_STATE,
	  IBV_QP_STATE | IBV_QP_SQ_PSN },
};

/* To RTS, towards its neighbour. */
static void join(struct world *world, uint64_t *seed, struct hostile_qp *qp)
{
	const struct hostile_qp *to = &world->qps[(qp - world->qps) ^ 1];
	const int *mask = masks[qp->type == IBV_QPT_RC ? 0 : qp->type == IBV_QPT_UC ? 1 : 2];
	struct ib_uverbs_modify_qp cmd;
	int step;

	fill_attributes(world, seed, to->qpn, &cmd);
	cmd.path_mtu = IBV_MTU_1024;
	cmd.attr_mask = IBV_QP_STATE;
	cmd.qp_state = IBV_QPS_RESET;
	modify(world, seed, qp, &cmd);
	for (step = 0; step < 3; step++) {
		cmd.attr_mask = mask[step];
		cmd.qp_state = IBV_QPS_INIT + step;
		if (modify(world, seed, qp, &cmd))
			return;
	}
}

static void modify_any(struct world *world, uint64_t *seed, struct hostile_qp *qp)
{
	struct ib_uverbs_modify_qp cmd;

	fill_attributes(world, seed, rnd(seed) & 0xffffff, &cmd);
	cmd.attr_mask = IBV_QP_STATE;
	if (one_in(seed, 2))
		cmd.attr_mask |= rnd(seed) & 0x1fffff;
	cmd.qp_state = below(seed, 8);
	cmd.cur_qp_state = below(seed, 8);
	if (one_in(seed, 4))
		((uint8_t *)&cmd)[below(seed, sizeof(cmd))] = rnd(seed);
	/* Not towards somebody: that nobody but its peer may do. */
	cmd.dest_qp_num |= 0xf00000;
	modify(world, seed, qp, &cmd);
}

static void random_qp(struct world *world, uint64_t *seed)
{
	struct hostile_qp *qp = &world->qps[below(seed, NR_QPS)];

	if (!qp->live) {
		create_qp(world, seed, qp);
		return;
	}
	switch (below(seed, 8)) {
	case 0:
		destroy_qp(world, seed, qp);
		break;
	case 1:
	case 2:
		modify_any(world, seed, qp);
		break;
	default:
		join(world, seed, qp);
		join(world, seed, &world->qps[(qp - world->qps) ^ 1]);
	}
}

/* ---- address handles */

static void random_ah(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_create_ah cmd = {
		.pd_handle = world->pd,
		.attr = {
			.grh = {
				.sgid_index = world->shared->gid_index,
				.flow_label = rnd(seed),
				.hop_limit = rnd(seed),
				.traffic_class = rnd(seed),
			},
			.is_global = 1,
			.port_num = 1,
		},
	};
	struct ib_uverbs_destroy_ah old = { .ah_handle = world->ah_handle };
	struct {
		struct ib_uverbs_create_ah_resp core;
		struct rox_create_ah_resp rox;
	} __attribute__((packed)) resp = {};

	memcpy(cmd.attr.grh.dgid, world->shared->gid, 16);
	if (one_in(seed, 8))
		((uint8_t *)&cmd.attr)[below(seed, sizeof(cmd.attr))] = rnd(seed);
	if (command(world, seed, IB_USER_VERBS_CMD_CREATE_AH, &cmd, sizeof(cmd),
		    NULL, 0, &resp, sizeof(resp)))
		return;
	world->ah_handle = resp.core.ah_handle;
	world->ah_number = resp.rox.ah_number;
	command(world, seed, IB_USER_VERBS_CMD_DESTROY_AH, &old, sizeof(old),
		NULL, 0, NULL, 0);
}

/* ---- the whole */

static bool get_context(struct world *world, uint64_t *seed)
{
	struct rox_alloc_ucontext_req req = { .caps = ROX_CAP_BASE };
	struct ib_uverbs_get_context cmd = {};
	struct {
		struct ib_uverbs_get_context_resp core;
		struct rox_alloc_ucontext_resp rox;
	} resp = {};
	struct ib_uverbs_create_comp_channel channel = {};
	struct ib_uverbs_create_comp_channel_resp channel_resp = {};
	struct ib_uverbs_alloc_pd pd = {};
	struct ib_uverbs_alloc_pd_resp pd_resp = {};

	if (command(world, seed, IB_USER_VERBS_CMD_GET_CONTEXT, &cmd, sizeof(cmd),
		    &req, sizeof(req), &resp, sizeof(resp)))
		return false;
	world->async_fd = resp.core.async_fd;
	if (command(world, seed, IB_USER_VERBS_CMD_ALLOC_PD, &pd, sizeof(pd),
		    NULL, 0, &pd_resp, sizeof(pd_resp)))
		return false;
	world->pd = pd_resp.pd_handle;
	if (!command(world, seed, IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, &channel,
		     sizeof(channel), NULL, 0, &channel_resp, sizeof(channel_resp)))
		world->channel = channel_resp.fd;
	return true;
}

bool world_open(struct world *world, uint64_t *seed)
{
	int i;

	world->async_fd = -1;
	world->channel = -1;
	world->fd = raw_open(world->shared->device);
	if (world->fd < 0 || !get_context(world, seed))
		return false;
	for (i = 0; i < NR_CQS; i++)
		create_cq(world, seed, &world->cqs[i]);
	reg_mr(world, seed, &world->mrs[0], ISLAND_AT, ISLAND_BYTES, ANY_ACCESS);
	reg_mr(world, seed, &world->mrs[1], READ_ONLY_AT + 10, READ_ONLY_BYTES - 20,
	       IBV_ACCESS_REMOTE_READ);
	for (i = 0; i < NR_QPS; i++)
		create_qp(world, seed, &world->qps[i]);
	for (i = 0; i < NR_QPS; i++)
		join(world, seed, &world->qps[i]);
	random_ah(world, seed);
	return true;
}

/* With everything as it is. What was mapped stays for a while. */
void world_close(struct world *world)
{
	int fds[] = { world->fd, world->async_fd, world->channel }, i;

	memset(world->qps, 0, sizeof(world->qps));
	memset(world->cqs, 0, sizeof(world->cqs));
	memset(world->mrs, 0, sizeof(world->mrs));
	for (i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	for (i = 0; i < NR_MAPS; i++) {
		struct map map = world->maps[i];

		world->maps[i] = (struct map){};
		if (map.addr)
			munmap(map.addr, map.bytes);
	}
}

void random_object(struct world *world, uint64_t *seed)
{
	struct hostile_cq *cq = &world->cqs[below(seed, NR_CQS)];

	switch (below(seed, 10)) {
	case 0:
		if (cq->live)
			destroy_cq(world, seed, cq);
		else
			create_cq(world, seed, cq);
		break;
	case 1:
		random_ah(world, seed);
		break;
	case 2:
	case 3:
	case 4:
		random_mr(world, seed);
		break;
	default:
		random_qp(world, seed);
	}
}
