// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of verbs, and nothing that computes. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>

#include "av.h"
#include "compat/core.h"
#include "compat/verbs.h"
#include "cq.h"
#include "device.h"
#include "gid.h"
#include "mr.h"
#include "pd.h"
#include "qp.h"
#include "restrack.h"
#include "setting.h"
#include "stats.h"
#include "ucontext.h"

const struct ib_device_ops rox_device_ops = {
	.owner = THIS_MODULE,
	.driver_id = (enum rdma_driver_id)ROX_DRIVER_ID,
	.uverbs_abi_ver = ROX_ABI_VERSION,

	/* device and port */
	.enable_driver = rox_enable_driver,
	.dealloc_driver = rox_dealloc_driver,
	.query_device = rox_query_device,
	.modify_device = rox_modify_device,
	.get_dev_fw_str = rox_get_fw_str,
	.query_port = rox_query_port,
	.get_port_immutable = rox_port_immutable,
	.get_link_layer = rox_link_layer,
	.query_pkey = rox_query_pkey,
	.add_gid = rox_add_gid,
	.del_gid = rox_del_gid,
	ROX_OP_REPORT_PORT_EVENT

	.device_group = &rox_setting_group,

	/* contexts */
	.alloc_ucontext = rox_alloc_ucontext,
	.dealloc_ucontext = rox_dealloc_ucontext,
	.disassociate_ucontext = rox_disassociate_ucontext,
	.mmap = rox_mmap,
	.mmap_free = rox_mmap_free,

	/* protection domains, address handles */
	.alloc_pd = rox_alloc_pd,
	.dealloc_pd = rox_dealloc_pd,
	.create_ah = rox_create_ah,
	.create_user_ah = rox_create_ah,
	.modify_ah = rox_modify_ah,
	.query_ah = rox_query_ah,
	.destroy_ah = rox_destroy_ah,

	/* memory */
	.get_dma_mr = rox_get_dma_mr,
	.reg_user_mr = rox_reg_user_mr,
	.rereg_user_mr = rox_rereg_user_mr,
	.alloc_mr = rox_alloc_mr,
	.map_mr_sg = rox_map_mr_sg,
	.dereg_mr = rox_dereg_mr,

	/* completion queues */
	.create_cq = rox_create_cq,
	ROX_OP_CREATE_USER_CQ
	ROX_OP_RESIZE_CQ
	.destroy_cq = rox_destroy_cq,
	.poll_cq = rox_poll_cq,
	.req_notify_cq = rox_req_notify_cq,

	/* queue pairs */
	.create_qp = rox_create_qp,
	.modify_qp = rox_modify_qp,
	.query_qp = rox_query_qp,
	.destroy_qp = rox_destroy_qp,
	.post_send = rox_post_send,
	.post_recv = rox_post_recv,

	/* observation */
	.alloc_hw_port_stats = rox_alloc_hw_stats,
	.get_hw_stats = rox_get_hw_stats,
	.fill_res_qp_entry = rox_fill_res_qp,
	.fill_res_cq_entry = rox_fill_res_cq,
	.fill_res_mr_entry = rox_fill_res_mr,

	INIT_RDMA_OBJ_SIZE(ib_ah, rox_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, rox_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, rox_qp_ib, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, rox_ucontext, ib),
	.size_ib_pd = sizeof(struct ib_pd),
};
