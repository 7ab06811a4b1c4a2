/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What libibverbs sees: the match table, the context, the operations. */
#include <errno.h>
#include <stdlib.h>

#include "abi_guard.h"
#include "rox.h"

static void free_context(struct ibv_context *context)
{
	struct rox_context *ctx = to_rox_context(context);

	rox_poller_fini(context);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}

static const struct verbs_context_ops context_ops = {
	.alloc_parent_domain = rox_parent_domain_alloc,
	.alloc_pd = rox_pd_alloc,
	.alloc_td = rox_td_alloc,
	.attach_mcast = ibv_cmd_attach_mcast,
	.create_ah = rox_ah_create,
	.create_cq = rox_cq_create,
	.create_cq_ex = rox_cq_create_ex,
	.create_qp = rox_qp_create,
	.create_qp_ex = rox_qp_create_ex,
	.dealloc_pd = rox_pd_dealloc,
	.dealloc_td = rox_td_dealloc,
	.dereg_mr = rox_mr_dereg,
	.destroy_ah = rox_ah_destroy,
	.destroy_cq = rox_cq_destroy,
	.resize_cq = rox_cq_resize,
	.destroy_qp = rox_qp_destroy,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = free_context,
	.modify_qp = rox_qp_modify,
	.poll_cq = rox_cq_poll,
	.post_recv = rox_post_recv,
	.post_send = rox_post_send,
	.query_device_ex = rox_query_device_ex,
	.query_port = rox_query_port,
	.query_qp = rox_qp_query,
	.query_rt_values = rox_query_rt_values,
	.reg_dmabuf_mr = rox_mr_reg_dmabuf,
	.reg_mr = rox_mr_reg,
	.req_notify_cq = rox_cq_arm,
	.rereg_mr = rox_mr_rereg,
	ROX_NEWER_CONTEXT_OPS
};

static int open_in_kernel(struct rox_context *ctx)
{
	struct rox_cmd_get_context cmd = {};
	struct rox_cmd_get_context_resp resp = {};
	int ret;

	cmd.caps = ROX_CAP_BASE | ROX_CAP_POLL | ROX_CAP_HELP;
	ret = rox_cmd_get_context(&ctx->vctx, &cmd.ibv_cmd, sizeof(cmd),
				  &resp.ibv_resp, sizeof(resp));
	if (ret)
		return ret;
	if (!(resp.caps & ROX_CAP_BASE)) {
		verbs_err(&ctx->vctx, "the rox kernel module is too different\n");
		return EPROTO;
	}
	ctx->caps = resp.caps;
	return 0;
}

/* The cheap guard behind abi_guard.c: did our table land where we look? */
static int set_ops(struct rox_context *ctx)
{
	verbs_set_ops(&ctx->vctx, &context_ops);
	if (ctx->vctx.context.ops.post_send == rox_post_send)
		return 0;
	verbs_err(&ctx->vctx, "built for another libibverbs; rebuild librox\n");
	return ENOSYS;
}

static struct verbs_context *alloc_context(struct ibv_device *device,
					   int cmd_fd, void *private_data)
{
	struct rox_context *ctx;
	int ret;

	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, vctx,
					   ROX_DRIVER_ID);
	if (!ctx)
		return NULL;
	ret = open_in_kernel(ctx);
	if (!ret)
		ret = set_ops(ctx);
	if (!ret) {
		rox_poller_init(&ctx->vctx.context);
		return &ctx->vctx;
	}

	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = ret;
	return NULL;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs_dev)
{
	return rox_abi_guard_ok() ? calloc(1, sizeof(struct verbs_device)) : NULL;
}

static void uninit_device(struct verbs_device *device)
{
	free(device);
}

/* Never by name: udev and administrators rename devices. */
static const struct verbs_match_ent match_table[] = {
	VERBS_DRIVER_ID(ROX_DRIVER_ID),
	{},
};

static const struct verbs_device_ops device_ops = {
	.name = "rox",
	.match_min_abi_version = ROX_ABI_VERSION,
	.match_max_abi_version = ROX_ABI_VERSION,
	.match_table = match_table,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
};

PROVIDER_DRIVER(rox, device_ops);
