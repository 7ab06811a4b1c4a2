// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The newer ways to the same verbs: extended commands and ioctl methods. Each is
 * made right, and then as often as not one thing of it is changed: so it comes as
 * far as it can.
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <string.h>

#include "world.h"

/* Younger than some of the headers this is built with. */
#define METHOD_REG_MR		5
enum {
	REG_MR_HANDLE, REG_MR_PD, REG_MR_DMA, REG_MR_IOVA, REG_MR_ADDR, REG_MR_LENGTH,
	REG_MR_ACCESS, REG_MR_FD, REG_MR_FD_OFFSET, REG_MR_LKEY, REG_MR_RKEY,
};

#define MAX_ATTRS	16

struct call {
	uint16_t object, method;
	unsigned int nr;
	struct ib_uverbs_attr attrs[MAX_ATTRS];
	uint8_t out[16][64];		/* where answers go */
	unsigned int outs;
	struct ib_uverbs_qp_cap cap;
	struct rox_create_qp_req qp;
};

static struct ib_uverbs_attr *give(struct call *call, uint16_t id, uint64_t data, uint16_t len)
{
	struct ib_uverbs_attr *attr = &call->attrs[call->nr++];

	*attr = (struct ib_uverbs_attr){
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = data,
	};
	return attr;
}

static void take(struct call *call, uint16_t id, uint16_t len)
{
	give(call, id, (uintptr_t)call->out[call->outs++], len);
}

/* An object that is there, or 0 for one that is to be: its handle comes back. */
static void name(struct call *call, uint16_t id, uint32_t handle)
{
	give(call, id, handle, 0);
}

static void change_one(uint64_t *seed, struct call *call)
{
	struct ib_uverbs_attr *attr = &call->attrs[below(seed, call->nr)];

	switch (below(seed, 8)) {
	case 0:
		attr->len = edge(seed);
		break;
	case 1:
		attr->len += below(seed, 17) - 8;
		break;
	case 2:
		attr->data = edge(seed);
		break;
	case 3:
		attr->data ^= 1ULL << below(seed, 64);
		break;
	case 4:
		attr->attr_id += 1 + below(seed, 3);
		break;
	case 5:
		attr->flags = rnd(seed);
		break;
	case 6:
		*attr = call->attrs[--call->nr];
		break;
	default:
		if (call->nr < MAX_ATTRS)
			call->attrs[call->nr++] = *attr;
	}
}

static int make_call(struct world *world, uint64_t *seed, struct call *call, enum kind kind)
{
	bool changed = one_in(seed, 2);
	int err;

	if (changed)
		change_one(seed, call);
	err = raw_ioctl(world->fd, call->object, call->method, call->attrs, call->nr);
	if (!err)
		COUNT(world->shared, of_kind[kind]);
	else if (!changed)
		world->shared->refused[kind] = err;
	return err;
}

/* What was made goes again, if that is its handle. */
static void destroy(struct world *world, uint64_t *seed, const struct call *made,
		    uint16_t method, enum kind kind)
{
	struct call call = { .object = made->object, .method = method };

	/* In all three objects the handle comes first, then room for an answer. */
	name(&call, 0, made->attrs[0].data);
	if (made->object != UVERBS_OBJECT_MR)
		take(&call, 1, made->object == UVERBS_OBJECT_CQ ?
		     sizeof(struct ib_uverbs_destroy_cq_resp) :
		     sizeof(struct ib_uverbs_destroy_qp_resp));
	make_call(world, seed, &call, kind);
}

/* @data: a request of up to 8 bytes, else where it is. */
static void driver_parts(struct call *call, uint64_t data, uint16_t request,
			 uint16_t response)
{
	give(call, UVERBS_ATTR_UHW_IN, data, request);
	take(call, UVERBS_ATTR_UHW_OUT, response);
}

static void ioctl_cq(struct world *world, uint64_t *seed)
{
	struct call call = { .object = UVERBS_OBJECT_CQ, .method = UVERBS_METHOD_CQ_CREATE };

	name(&call, UVERBS_ATTR_CREATE_CQ_HANDLE, 0);
	give(&call, UVERBS_ATTR_CREATE_CQ_CQE, 1 + below(seed, 300), 4);
	give(&call, UVERBS_ATTR_CREATE_CQ_USER_HANDLE, rnd(seed), 8);
	give(&call, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 0, 4);
	take(&call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4);
	driver_parts(&call, 0, sizeof(struct rox_create_cq_req),
		     sizeof(struct rox_create_cq_resp));
	if (!make_call(world, seed, &call, IOCTL_CREATE_CQ))
		destroy(world, seed, &call, UVERBS_METHOD_CQ_DESTROY, IOCTL_DESTROY_CQ);
}

static void ioctl_qp(struct world *world, uint64_t *seed)
{
	struct call call = { .object = UVERBS_OBJECT_QP, .method = UVERBS_METHOD_QP_CREATE };

	call.cap = (struct ib_uverbs_qp_cap){ below(seed, 64), below(seed, 64), 2, 2, 64 };
	name(&call, UVERBS_ATTR_CREATE_QP_HANDLE, 0);
	name(&call, UVERBS_ATTR_CREATE_QP_PD_HANDLE, world->pd);
	name(&call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, world->cqs[0].handle);
	name(&call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, world->cqs[1].handle);
	give(&call, UVERBS_ATTR_CREATE_QP_USER_HANDLE, rnd(seed), 8);
	give(&call, UVERBS_ATTR_CREATE_QP_CAP, (uintptr_t)&call.cap, sizeof(call.cap));
	give(&call, UVERBS_ATTR_CREATE_QP_TYPE, IB_UVERBS_QPT_RC + below(seed, 3), 8);
	take(&call, UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(call.cap));
	take(&call, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4);
	call.qp.user_qp = rnd(seed);
	driver_parts(&call, (uintptr_t)&call.qp, sizeof(call.qp),
		     sizeof(struct rox_create_qp_resp));
	if (!make_call(world, seed, &call, IOCTL_CREATE_QP))
		destroy(world, seed, &call, UVERBS_METHOD_QP_DESTROY, IOCTL_DESTROY_QP);
}

static void ioctl_mr(struct world *world, uint64_t *seed)
{
	struct call call = { .object = UVERBS_OBJECT_MR, .method = METHOD_REG_MR };
	uint64_t start = (uintptr_t)world->arena + OPEN_AT + below(seed, OPEN_BYTES / 2);

	name(&call, REG_MR_HANDLE, 0);
	name(&call, REG_MR_PD, world->pd);
	give(&call, REG_MR_IOVA, start, 8);
	give(&call, REG_MR_ADDR, start, 8);
	give(&call, REG_MR_LENGTH, 1 + below(seed, OPEN_BYTES / 2), 8);
	give(&call, REG_MR_ACCESS, IBV_ACCESS_LOCAL_WRITE, 4);
	take(&call, REG_MR_LKEY, 4);
	take(&call, REG_MR_RKEY, 4);
	if (!make_call(world, seed, &call, IOCTL_REG_MR))
		destroy(world, seed, &call, UVERBS_METHOD_MR_DESTROY, IOCTL_DEREG_MR);
}

/* The first two are there for good. NULL: there is no other now. */
static struct hostile_mr *spare_mr(struct world *world, uint64_t *seed)
{
	uint32_t i, from = below(seed, NR_MRS - 2);
	struct hostile_mr *mr;

	for (i = 0; i < NR_MRS - 2; i++) {
		mr = &world->mrs[2 + (from + i) % (NR_MRS - 2)];
		if (mr->live)
			return mr;
	}
	return NULL;
}

/* One of the program's: it may be gone by now, or used by a poster. */
static void ioctl_dereg(struct world *world, uint64_t *seed)
{
	struct hostile_mr *mr = one_in(seed, 2) ? spare_mr(world, seed) : NULL;
	struct call call = { .object = UVERBS_OBJECT_MR };

	if (!mr) {
		mr = &world->mrs[below(seed, 2)];
		call.method = UVERBS_METHOD_QUERY_MR;
		name(&call, UVERBS_ATTR_QUERY_MR_HANDLE, mr->handle);
		take(&call, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4);
		take(&call, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4);
		take(&call, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8);
		take(&call, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8);
		make_call(world, seed, &call, IOCTL_QUERY_MR);
		return;
	}
	call.method = UVERBS_METHOD_MR_DESTROY;
	name(&call, UVERBS_ATTR_DESTROY_MR_HANDLE, mr->handle);
	if (!make_call(world, seed, &call, IOCTL_DEREG_MR))
		mr->live = false;
}

static void ioctl_query(struct world *world, uint64_t *seed)
{
	static struct ib_uverbs_gid_entry entries[8];
	struct call call = { .object = UVERBS_OBJECT_DEVICE };

	switch (below(seed, 3)) {
	case 0:
		call.method = UVERBS_METHOD_QUERY_PORT;
		give(&call, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 1, 8);
		take(&call, UVERBS_ATTR_QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex));
		make_call(world, seed, &call, IOCTL_QUERY_PORT);
		break;
	case 1:
		call.method = UVERBS_METHOD_QUERY_CONTEXT;
		take(&call, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4);
		take(&call, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8);
		make_call(world, seed, &call, IOCTL_QUERY_CONTEXT);
		break;
	default:
		call.method = UVERBS_METHOD_QUERY_GID_TABLE;
		give(&call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, sizeof(entries[0]), 8);
		give(&call, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, 4);
		give(&call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, (uintptr_t)entries, sizeof(entries));
		take(&call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8);
		make_call(world, seed, &call, IOCTL_QUERY_GIDS);
	}
}

/* ---- extended commands */

/* @core begins with what the command needs; one bit of it may be changed. */
static int extended(struct world *world, uint64_t *seed, struct raw_cmd *cmd, void *core,
		    enum kind kind)
{
	static const uint8_t none[64];
	int err;

	cmd->command |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
	cmd->core = core;
	switch (below(seed, 8)) {
	case 0:
	case 1:
	case 2:
		((uint8_t *)core)[below(seed, cmd->core_bytes)] ^= 1 << below(seed, 8);
		break;
	case 3:
		cmd->core_bytes = below(seed, 1 + cmd->core_bytes / 8) * 8;
		break;
	case 4:
		cmd->driver = none;
		cmd->driver_bytes = below(seed, sizeof(none) / 8) * 8;
		break;
	}
	err = one_in(seed, 3) ? raw_invoke(world->fd, cmd) : raw_write(world->fd, cmd);
	if (!err)
		COUNT(world->shared, of_kind[kind]);
	return err;
}

static void extended_qp(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_ex_create_qp core = {
		.pd_handle = world->pd,
		.send_cq_handle = world->cqs[0].handle,
		.recv_cq_handle = world->cqs[1].handle,
		.max_send_wr = below(seed, 64), .max_recv_wr = below(seed, 64),
		.max_send_sge = 1, .max_recv_sge = 1,
		.qp_type = IBV_QPT_RC + below(seed, 3),
	};
	struct {
		struct ib_uverbs_ex_create_qp_resp core;
		struct rox_create_qp_resp rox;
	} resp = {};
	struct rox_create_qp_req req = { .user_qp = rnd(seed) };
	struct raw_cmd cmd = {
		IB_USER_VERBS_EX_CMD_CREATE_QP, &core, sizeof(core), &req, sizeof(req),
		&resp, sizeof(resp), sizeof(resp.core),
	};
	struct ib_uverbs_destroy_qp old = {};
	struct ib_uverbs_destroy_qp_resp gone;

	if (extended(world, seed, &cmd, &core, EX_CREATE_QP))
		return;
	old.qp_handle = resp.core.base.qp_handle;
	command(world, seed, IB_USER_VERBS_CMD_DESTROY_QP, &old, sizeof(old), NULL, 0, &gone,
		sizeof(gone));
}

static void extended_cq(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_ex_create_cq core = {
		.cqe = 1 + below(seed, 300), .comp_channel = -1,
	};
	struct {
		struct ib_uverbs_ex_create_cq_resp core;
		struct rox_create_cq_resp rox;
	} resp = {};
	struct rox_create_cq_req req = {};
	struct raw_cmd cmd = {
		IB_USER_VERBS_EX_CMD_CREATE_CQ, &core, sizeof(core), &req, sizeof(req),
		&resp, sizeof(resp), sizeof(resp.core),
	};
	struct ib_uverbs_destroy_cq old = {};
	struct ib_uverbs_destroy_cq_resp gone;

	if (extended(world, seed, &cmd, &core, EX_CREATE_CQ))
		return;
	old.cq_handle = resp.core.base.cq_handle;
	command(world, seed, IB_USER_VERBS_CMD_DESTROY_CQ, &old, sizeof(old), NULL, 0, &gone,
		sizeof(gone));
}

static void extended_other(struct world *world, uint64_t *seed)
{
	struct ib_uverbs_ex_query_device query = {};
	struct ib_uverbs_ex_modify_qp modify = {
		.base = {
			.qp_handle = world->qps[below(seed, NR_QPS)].handle,
			.attr_mask = IBV_QP_STATE,
			.qp_state = IBV_QPS_ERR,
		},
	};
	uint8_t resp[512];
	struct raw_cmd cmd = { .resp = resp };

	if (one_in(seed, 2)) {
		cmd.command = IB_USER_VERBS_EX_CMD_QUERY_DEVICE;
		cmd.core_bytes = sizeof(query);
		cmd.resp_bytes = sizeof(struct ib_uverbs_ex_query_device_resp);
		cmd.core_resp_bytes = cmd.resp_bytes;
		extended(world, seed, &cmd, &query, EX_QUERY_DEVICE);
	} else {
		cmd.command = IB_USER_VERBS_EX_CMD_MODIFY_QP;
		cmd.core_bytes = sizeof(modify);
		cmd.resp_bytes = sizeof(struct ib_uverbs_ex_modify_qp_resp);
		extended(world, seed, &cmd, &modify, EX_MODIFY_QP);
	}
}

static void (*const all[])(struct world *world, uint64_t *seed) = {
	ioctl_cq, ioctl_qp, ioctl_mr, ioctl_dereg, ioctl_query,
	extended_cq, extended_qp, extended_other,
};

#define NR_ALL (sizeof(all) / sizeof(*all))

void random_method(struct world *world, uint64_t *seed)
{
	all[below(seed, NR_ALL)](world, seed);
}

void each_method(struct world *world, uint64_t *seed)
{
	unsigned int i;

	for (i = 0; i < 6 * NR_ALL && !world->shared->stop; i++)
		all[i % NR_ALL](world, seed);
}
