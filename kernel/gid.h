/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The port as verbs see it: state, MTU, speed, P_Key and GIDs. */
#ifndef ROX_GID_H
#define ROX_GID_H

#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

struct rox_device;

enum ib_port_state rox_port_state(const struct rox_device *dev);

int rox_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr);
int rox_port_immutable(struct ib_device *ib, u32 port,
		       struct ib_port_immutable *immutable);
enum rdma_link_layer rox_link_layer(struct ib_device *ib, u32 port);
int rox_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey);

int rox_add_gid(const struct ib_gid_attr *attr, void **context);
int rox_del_gid(const struct ib_gid_attr *attr, void **context);
bool rox_gid_needs_scan(const struct net_device *ndev);
void rox_gid_work(struct work_struct *work);

#endif
