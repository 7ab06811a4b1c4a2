// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Module init and exit. */
#include <linux/module.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>
#include <rdma/rox-abi.h>

#include "compat/workqueue.h"
#include "crc.h"
#include "device.h"
#include "event.h"
#include "link.h"
#include "net.h"
#include "pktmem.h"
#include "qp.h"
#include "setting.h"

struct workqueue_struct *rox_wq, *rox_kernel_wq, *rox_gid_wq, *rox_stream_wq;

static void end_workqueues(void)
{
	struct workqueue_struct *all[] = { rox_wq, rox_kernel_wq, rox_gid_wq, rox_stream_wq };
	int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i])
			destroy_workqueue(all[i]);
}

/* No rescuers: the module alone starts no thread. See design-notes.rst. */
static int __init make_workqueues(void)
{
	rox_wq = alloc_workqueue("rox", WQ_UNBOUND, 0);
	rox_kernel_wq = alloc_workqueue("rox_kernel", WQ_UNBOUND, 0);
	rox_gid_wq = alloc_workqueue("rox_gid", WQ_UNBOUND, 0);
	/* On the CPU that was chosen, and in nobody else's way there. */
	rox_stream_wq = alloc_workqueue("rox_stream", WQ_CPU_INTENSIVE | ROX_WQ_PERCPU, 0);
	if (rox_wq && rox_kernel_wq && rox_gid_wq && rox_stream_wq)
		return 0;
	end_workqueues();
	return -ENOMEM;
}

static int __init rox_init(void)
{
	int err;

	err = rox_setting_check();
	if (err)
		return err;
	err = make_workqueues();
	if (err)
		return err;
	err = rox_crc_init();
	if (err)
		goto err_crc;
	err = rox_net_register();
	if (err)
		goto err_net;
	err = rox_event_register();
	if (err)
		goto err_event;
	rdma_link_register(&rox_link_ops);
	return 0;

err_event:
	rox_net_unregister();
err_net:
	rox_crc_exit();
err_crc:
	end_workqueues();
	return err;
}

static void __exit rox_exit(void)
{
	rdma_link_unregister(&rox_link_ops);
	/* Returns when every device is gone, also those that others unregister. */
	ib_unregister_driver((enum rdma_driver_id)ROX_DRIVER_ID);
	rox_event_unregister();
	rox_net_unregister();
	rox_crc_exit();
	end_workqueues();
	rox_pktmem_exit();
	rox_qp_end_table();
	/* Objects freed by RCU have their callbacks in this module. */
	rcu_barrier();
}

module_init(rox_init);
module_exit(rox_exit);

MODULE_DESCRIPTION("Software RDMA device: RoCE v2 over any network interface");
MODULE_AUTHOR("The rox authors");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_ALIAS_RDMA_LINK("rox");
