// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A device's life. It is created by "rdma link add" and, once registered, ends
 * by whoever comes first: "rdma link delete", its netdev, its namespace, or the
 * module. The core makes one of them of it and calls rox_dealloc_driver().
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>

#include "compat/core.h"
#include "av.h"
#include "device.h"
#include "early.h"
#include "event.h"
#include "gid.h"
#include "key.h"
#include "mr.h"
#include "net.h"
#include "setting.h"
#include "ucontext.h"
#include "vlan.h"

#define ROX_VENDOR_ID		0x726f78
#define ROX_FW_MAJOR		1
#define ROX_FW_MINOR		0

/*
 * Atomics are the CPU's own, so they are exact beside any CPU's atomics on the
 * same memory, which is what GLOB says and HCA does not.
 */
static const struct ib_device_attr device_attr = {
	.fw_ver = (u64)ROX_FW_MAJOR << 32 | ROX_FW_MINOR,
	.max_mr_size = ~0ULL,
	.page_size_cap = 0xfffff000,
	.vendor_id = ROX_VENDOR_ID,
	.vendor_part_id = 1,
	.hw_ver = 1,
	.max_qp = ROX_MAX_QP,
	.max_qp_wr = ROX_MAX_WR,
	.device_cap_flags = IB_DEVICE_PORT_ACTIVE_EVENT |
			    IB_DEVICE_SYS_IMAGE_GUID |
			    IB_DEVICE_RC_RNR_NAK_GEN |
			    IB_DEVICE_MEM_MGT_EXTENSIONS,
	.kernel_cap_flags = IBK_ALLOW_USER_UNREG | IBK_LOCAL_DMA_LKEY,
	.max_send_sge = ROX_MAX_SGE,
	.max_recv_sge = ROX_MAX_SGE,
	.max_sge_rd = ROX_MAX_SGE,
	.max_cq = ROX_MAX_CQ,
	.max_cqe = ROX_MAX_CQE,
	.max_mr = ROX_MAX_MR,
	.max_pd = ROX_MAX_PD,
	.max_qp_rd_atom = ROX_MAX_RD_ATOM,
	.max_qp_init_rd_atom = ROX_MAX_RD_ATOM,
	.max_res_rd_atom = ROX_MAX_RD_ATOM * ROX_MAX_QP,
	.atomic_cap = IB_ATOMIC_GLOB,
	.max_ah = ROX_MAX_AH,
	.max_fast_reg_page_list_len = ROX_MAX_FRWR_PAGES,
	.max_pkeys = 1,
	.local_ca_ack_delay = 15,
};

/**
 * rox_query_device - the device's attributes
 * @ib:    the device
 * @attr:  result
 * @udata: the core's own query gives NULL or an empty one
 *
 * Context: process. Return: 0, or -EINVAL if something is asked of the driver.
 */
int rox_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		     struct ib_udata *udata)
{
	if (udata && (udata->inlen || udata->outlen))
		return -EINVAL;
	*attr = device_attr;
	attr->sys_image_guid = to_rox_dev(ib)->sys_image_guid;
	return 0;
}

/**
 * rox_get_fw_str - a version for "rdma dev" and sysfs
 * @ib:  the device
 * @str: IB_FW_VERSION_NAME_MAX bytes
 *
 * Context: any.
 */
void rox_get_fw_str(struct ib_device *ib, char *str)
{
	snprintf(str, IB_FW_VERSION_NAME_MAX, "%u.%u", ROX_FW_MAJOR, ROX_FW_MINOR);
}

/**
 * rox_modify_device - set the node description
 * @ib:   the device
 * @mask: IB_DEVICE_MODIFY_NODE_DESC at most
 * @what: the new value
 *
 * Context: process. Return: 0 or -EOPNOTSUPP.
 */
int rox_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *what)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask)
		strscpy(ib->node_desc, what->node_desc, sizeof(ib->node_desc));
	return 0;
}

static bool has_mac(const struct net_device *ndev)
{
	return ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr);
}

static __be64 random_guid(void)
{
	u8 mac[ETH_ALEN];
	__be64 guid;

	eth_random_addr(mac);	/* locally administered, so never 0 */
	addrconf_addr_eui48((u8 *)&guid, mac);
	return guid;
}

/*
 * The system's GUID comes from the MAC. The node's is the same unless another
 * device has it: on the same netdev, or on one that shares the MAC, as VLANs do.
 */
static void set_guids(struct rox_device *dev)
{
	if (has_mac(dev->ndev))
		addrconf_addr_eui48((u8 *)&dev->sys_image_guid, dev->ndev->dev_addr);
	else
		dev->sys_image_guid = random_guid();
	dev->ib.node_guid = dev->sys_image_guid;
	while (rox_net_has_guid(dev->rnet, dev->ib.node_guid))
		dev->ib.node_guid = random_guid();
}

static void init_device(struct rox_device *dev, struct net_device *ndev,
			struct rox_net *rnet)
{
	dev->ndev = ndev;
	dev->rnet = rnet;
	INIT_LIST_HEAD(&dev->link);
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC | XA_FLAGS_ACCOUNT);
	xa_init_flags(&dev->ahs, ROX_AH_XA_FLAGS);
	INIT_WORK(&dev->gid_work, rox_gid_work);

	dev->ib.node_type = RDMA_NODE_IB_CA;
	dev->ib.phys_port_cnt = 1;
	dev->ib.num_comp_vectors = num_possible_cpus();
	dev->ib.local_dma_lkey = ROX_LOCAL_DMA_LKEY;
	dev->ib.driver_def = rox_uapi_defs;
	/* Which the core has off: programs arm in the ring, but when that is replaced. */
	dev->ib.uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	snprintf(dev->ib.node_desc, sizeof(dev->ib.node_desc), "rox on %s",
		 netdev_name(ndev));
	set_guids(dev);
	rox_setting_init(dev);
	ib_set_device_ops(&dev->ib, &rox_device_ops);
	rox_vlan_init(dev);
	ib_mark_name_assigned_by_user(&dev->ib);
}

static int register_device(struct rox_device *dev, const char *name)
{
	int err;

	err = ib_device_set_netdev(&dev->ib, dev->ndev, 1);
	if (err)
		return err;
	/* No DMA device: the core then passes kernel addresses. */
	err = ib_register_device(&dev->ib, name, NULL);
	/* The core's word for a name taken, which would mislead everyone. */
	return err == -ENFILE ? -EEXIST : err;
}

static void free_percpus(struct rox_device *dev)
{
	percpu_counter_destroy(&dev->inbox_bytes);
	free_percpu(dev->memos);
	free_percpu(dev->stats);
}

static int alloc_percpus(struct rox_device *dev)
{
	dev->stats = alloc_percpu(struct rox_stats);
	dev->memos = alloc_percpu(struct rox_key_memos);
	if (dev->stats && dev->memos &&
	    !percpu_counter_init(&dev->inbox_bytes, 0, GFP_KERNEL))
		return 0;
	free_percpus(dev);
	return -ENOMEM;
}

/**
 * rox_device_create - make a device and register it
 * @name: from "rdma link add"
 * @ndev: held by the caller
 * @rnet: of the netdev's namespace, which the caller holds
 *
 * The device may have ended again when this returns, so it is not returned.
 *
 * Context: process, may sleep, no RTNL.
 * Return: 0; -EADDRINUSE from rox_net_get(); -EEXIST if the name is taken;
 * -ENODEV if the netdev is just going away; -ENOMEM and what the core has to say.
 */
int rox_device_create(const char *name, struct net_device *ndev, struct rox_net *rnet)
{
	struct rox_device *dev;
	int err;

	dev = ib_alloc_device_with_net(rox_device, ib, rnet->net);
	if (!dev)
		return -ENOMEM;
	err = alloc_percpus(dev);
	if (err)
		goto err_percpus;
	err = rox_net_get(rnet);
	if (err)
		goto err_net;
	netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
	init_device(dev, ndev, rnet);
	err = register_device(dev, name);
	if (err)
		ib_dealloc_device(&dev->ib);	/* by way of rox_dealloc_driver() */
	return err;

err_net:
	free_percpus(dev);
err_percpus:
	ib_dealloc_device(&dev->ib);
	return err;
}

/* Is the netdev still there, and in the namespace where it was? */
static bool has_netdev(const struct rox_device *dev)
{
	ASSERT_RTNL();
	return dev->ndev->reg_state == NETREG_REGISTERED &&
	       net_eq(dev_net(dev->ndev), dev->rnet->net);
}

static int begin(struct rox_device *dev)
{
	if (!has_netdev(dev))
		return -ENODEV;
	dev->port_state = rox_port_state(dev);
	rox_net_add_device(dev->rnet, dev);
	return 0;
}

/**
 * rox_enable_driver - the device is registered, its clients do not know yet
 * @ib: the device
 *
 * From here on the netdev's events find the device; from before, they are made
 * up for under RTNL, so that none is lost. The core calls this again when it
 * moved the device to another namespace: for part of that time the events did
 * not find it either.
 *
 * Context: process. Return: 0, or -ENODEV if the netdev is going away or
 * elsewhere.
 */
int rox_enable_driver(struct ib_device *ib)
{
	struct rox_device *dev = to_rox_dev(ib);
	int err = 0;

	rtnl_lock();
	if (list_empty(&dev->link))
		err = begin(dev);
	if (!err)
		rox_event_catch_up(dev, has_netdev(dev));
	rtnl_unlock();
	if (!err)
		rox_vlan_scan(dev);
	return err;
}

/* Nothing is in it; of allocations that failed there may be empty nodes. */
static void end_table(struct xarray *table)
{
	unsigned long index = 0;

	WARN_ON(xa_find(table, &index, ULONG_MAX, XA_PRESENT));
	xa_destroy(table);
}

/**
 * rox_dealloc_driver - the device is unregistered, or never was registered
 * @ib: the device; the core frees its memory
 *
 * Context: process, may sleep.
 */
void rox_dealloc_driver(struct ib_device *ib)
{
	struct rox_device *dev = to_rox_dev(ib);

	rox_net_del_device(dev->rnet, dev);
	rox_early_choose(dev, false);
	cancel_work_sync(&dev->gid_work);
	end_table(&dev->mrs);
	end_table(&dev->ahs);
	end_table(&dev->foreign);
	/*
	 * Routes that address handles leave are given back by RCU callbacks, and
	 * have to be before a namespace goes. Else nobody needs to wait.
	 */
	if (!check_net(dev->rnet->net))
		rcu_barrier();
	free_percpus(dev);
	netdev_put(dev->ndev, &dev->ndev_tracker);
	rox_net_put(dev->rnet);
}
