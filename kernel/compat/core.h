/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What differs in how a device comes into being and is told of its port. */
#ifndef ROX_COMPAT_CORE_H
#define ROX_COMPAT_CORE_H

#include <linux/version.h>
#include <rdma/ib_verbs.h>

#ifndef ib_alloc_device_with_net
/*
 * Newer cores put a device into the namespace it is made for, unless devices
 * are shared among namespaces. Here every device begins in the initial one;
 * before registration it can be put elsewhere, and the core takes it from there.
 */
static inline struct ib_device *rox_compat_place(struct ib_device *ib,
						 struct net *net)
{
	if (ib && !rdma_dev_access_netns(ib, net))
		write_pnet(&ib->coredev.rdma_net, net);
	return ib;
}

#define ib_alloc_device_with_net(type, member, net) \
	container_of(rox_compat_place(&ib_alloc_device(type, member)->member, net), \
		     struct type, member)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
/* Nobody to tell: udev goes by its own rules there. */
static inline void ib_mark_name_assigned_by_user(struct ib_device *ib)
{
}

/*
 * No module can remove GIDs there. Those of addresses that a VLAN, lo or a tun
 * no longer has stay in the table as long as the link.
 */
#define ROX_CAN_REMOVE_GIDS	false

static inline void roce_del_all_netdev_gids(struct ib_device *ib, u32 port,
					    struct net_device *ndev)
{
}
#else
#define ROX_CAN_REMOVE_GIDS	true
#endif

/*
 * Since 6.14 the core tells of port state changes itself, but only one device
 * of a netdev and none of a bond. Taking its call makes event.c the one source.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
static inline void rox_compat_port_event(struct ib_device *ib,
					 struct net_device *ndev,
					 unsigned long event)
{
}

#define ROX_OP_REPORT_PORT_EVENT	.report_port_event = rox_compat_port_event,
#else
#define ROX_OP_REPORT_PORT_EVENT
#endif

#endif
