/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* GIDs of VLANs. */
#ifndef ROX_VLAN_H
#define ROX_VLAN_H

#include <linux/netdevice.h>

struct ib_gid_attr;
struct rox_device;

void rox_vlan_init(struct rox_device *dev);
bool rox_vlan_takes(struct rox_device *dev, const struct ib_gid_attr *attr, int *err);
void rox_vlan_scan(struct rox_device *dev);

u16 rox_vlan_of(struct rox_device *dev, const u8 *grh, int ifindex);

#endif
