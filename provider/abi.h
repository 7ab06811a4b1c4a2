/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The driver's part of the uverbs commands. */
#ifndef ROX_PROVIDER_ABI_H
#define ROX_PROVIDER_ABI_H

#include <infiniband/kern-abi.h>
#include <rdma/rox-abi.h>
#include <kernel-abi/rox-abi.h>

DECLARE_DRV_CMD(rox_cmd_get_context, IB_USER_VERBS_CMD_GET_CONTEXT,
		rox_alloc_ucontext_req, rox_alloc_ucontext_resp);
DECLARE_DRV_CMD(rox_cmd_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		rox_create_cq_req, rox_create_cq_resp);
DECLARE_DRV_CMD(rox_cmd_resize_cq, IB_USER_VERBS_CMD_RESIZE_CQ,
		empty, rox_create_cq_resp);
DECLARE_DRV_CMD(rox_cmd_create_qp, IB_USER_VERBS_CMD_CREATE_QP,
		rox_create_qp_req, rox_create_qp_resp);
/* libibverbs sends no driver data with this one. */
DECLARE_DRV_CMD(rox_cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH,
		empty, rox_create_ah_resp);

#endif
