/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One rox device: an ib_device on one netdev. */
#ifndef ROX_DEVICE_H
#define ROX_DEVICE_H

#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rox-abi.h>

#include "stats.h"

struct rox_key_memos;
struct rox_qp;
struct rox_net;

/* What the device promises; memory is taken only as used. */
#define ROX_MAX_QP		0x100000
#define ROX_MAX_CQ		0x100000
#define ROX_MAX_MR		0x400000
#define ROX_MAX_PD		0x10000
#define ROX_MAX_AH		0x100000
#define ROX_MAX_WR		0x10000
#define ROX_MAX_CQE		0x400000
#define ROX_MAX_SGE		32
#define ROX_MAX_INLINE		512
#define ROX_MAX_RD_ATOM		128
#define ROX_MAX_MSG		0x80000000u
#define ROX_MAX_FRWR_PAGES	1024
#define ROX_GID_TABLE_LEN	256

/* May packets leave as one, and how? */
enum rox_bursts {
	ROX_BURSTS_OFF,
	ROX_BURSTS_LISTS,
	ROX_BURSTS_ON,		/* as super-packets too */
};

struct rox_device {
	struct ib_device ib;
	struct net_device *ndev;	/* held from link add to dealloc */
	netdevice_tracker ndev_tracker;
	struct rox_net *rnet;		/* held as long */
	struct list_head link;		/* in rnet->devices, RCU */
	__be64 sys_image_guid;

	struct xarray mrs;		/* place, see key.h, to struct rox_mr, RCU */
	atomic64_t mrs_generation;	/* advances when one leaves */
	struct rox_key_memos __percpu *memos;
	struct xarray ahs;		/* number to struct rox_ah, RCU */
	u32 ah_cursor, kernel_ah_cursor;
	struct rox_qp __rcu *gsi;	/* QP1 */

	bool direct;			/* link setting: local=direct, not wire */
	u8 bursts;			/* enum rox_bursts, link setting */
	bool early;			/* link setting; under the mutex of early.c */
	u32 poll_us;			/* link setting: how long pollers may wait for work */
	enum ib_port_state port_state;	/* last dispatched; under RTNL */
	atomic_t nr_pds, nr_qps, nr_cqs, nr_mrs;
	struct percpu_counter inbox_bytes;	/* of packets that wait for an owner */
	struct rox_stats __percpu *stats;

	/* GIDs that the core does not care for: gid.c, vlan.c */
	struct work_struct gid_work;	/* holds the device while queued */
	bool gids_stale;		/* some of the table's addresses are gone */
	struct mutex scan_mutex;
	struct task_struct *scanner;	/* only ever compared */
	struct xarray foreign;		/* netdevs, held; the scanner's */
};

static inline struct rox_device *to_rox_dev(struct ib_device *ib)
{
	return container_of(ib, struct rox_device, ib);
}

static inline void rox_count(const struct rox_device *dev,
			     enum rox_counter which, u64 n)
{
	this_cpu_add(dev->stats->count[which], n);
}

static inline void rox_count_drop(const struct rox_device *dev, enum rox_drop why)
{
	rox_count(dev, ROX_CNT_DROP + why, 1);
}

/*
 * Run the work of QPs whose quantum is used up: programs', and kernel users', who do
 * not stand in line with those. And what waits for RTNL. Unbound, may sleep. And who
 * follows streams, on the CPU that was chosen.
 */
extern struct workqueue_struct *rox_wq, *rox_kernel_wq, *rox_gid_wq, *rox_stream_wq;

/* device.c */
int rox_device_create(const char *name, struct net_device *ndev, struct rox_net *rnet);
int rox_query_device(struct ib_device *ib, struct ib_device_attr *attr,
		     struct ib_udata *udata);
int rox_enable_driver(struct ib_device *ib);
void rox_dealloc_driver(struct ib_device *ib);
void rox_get_fw_str(struct ib_device *ib, char *str);
int rox_modify_device(struct ib_device *ib, int mask, struct ib_device_modify *what);

/* gid.c: path MTU in bytes that the netdev's MTU allows, 256 to 4096. */
u32 rox_device_pmtu(const struct rox_device *dev);

/* verbs.c: the table, nothing else. */
extern const struct ib_device_ops rox_device_ops;

#endif
