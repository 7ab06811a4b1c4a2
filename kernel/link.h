/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* "rdma link add NAME type rox netdev NETDEV". */
#ifndef ROX_LINK_H
#define ROX_LINK_H

struct rdma_link_ops;

extern struct rdma_link_ops rox_link_ops;

#endif
