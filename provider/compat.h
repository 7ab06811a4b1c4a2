/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The private interface of libibverbs as the newest rdma-core has it, on top
 * of older ones. The only file that asks for a version. IBVERBS_PABI_VERSION
 * does not change with every change of the interface, hence RDMA_CORE_MAJOR,
 * which our CMake files define.
 */
#ifndef ROX_COMPAT_H
#define ROX_COMPAT_H

#include <config.h>
#include <infiniband/driver.h>

#ifndef RDMA_CORE_MAJOR
#error "RDMA_CORE_MAJOR is not defined; build with provider/Makefile"
#endif
#if RDMA_CORE_MAJOR < 44
#error "rdma-core 44 or newer is needed"
#endif

#if RDMA_CORE_MAJOR < 57
#define rox_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size)
#else
#define rox_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, NULL, resp, resp_size)
#endif

/* ROX_NEWER_*_PARAM: what older versions lack, for who stands in for them. */
#if RDMA_CORE_MAJOR < 54
#define ROX_NEWER_DMABUF_PARAM
#define rox_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr) \
	ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr)
#else
#define ROX_NEWER_DMABUF_PARAM , struct ibv_command_buffer *driver
#define rox_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr) \
	ibv_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr, NULL)
#endif

#if RDMA_CORE_MAJOR < 59
#define ROX_NEWER_CQ_PARAM
#define rox_cmd_create_cq_ex(ctx, attr, vcq, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_create_cq_ex(ctx, attr, vcq, cmd, cmd_size, resp, resp_size, 0)
#else
#define ROX_NEWER_CQ_PARAM struct verbs_create_cq_prov_attr *prov_attr,
#define rox_cmd_create_cq_ex(ctx, attr, vcq, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_create_cq_ex(ctx, attr, NULL, vcq, cmd, cmd_size, resp, \
			     resp_size, 0)
#endif

/* Entries of the operations table that older versions do not have. */
#if RDMA_CORE_MAJOR < 62
#define ROX_NEWER_CONTEXT_OPS
#else
#define ROX_NEWER_CONTEXT_OPS \
	.query_port_speed = ibv_cmd_query_port_speed,
#endif

#endif
