// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * GIDs of VLANs: of a link on a VLAN interface, and what datagrams say of them.
 *
 * The core looks for addresses on a device's netdev and on the VLANs on top of
 * it, for a card is below its VLANs. A netdev that is a VLAN itself it takes for
 * the one below, finds that this is not the device's, and never adds a GID. So
 * we have the core scan as if the device were on the real netdev. That scan runs
 * in one task, which alone is told so. It also brings GIDs of the real netdev
 * and of its other VLANs. They are taken in, as refusing them would be reported
 * as an error, and removed at once.
 */
#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/rtnetlink.h>
#include <linux/xarray.h>
#include <rdma/ib_cache.h>

#include "compat/core.h"
#include "device.h"
#include "net.h"
#include "proto/wire.h"
#include "vlan.h"

static bool is_scanning(const struct rox_device *dev)
{
	return READ_ONCE(dev->scanner) == current;
}

/* For all but the scanning task this is what the core would do without us. */
static struct net_device *get_netdev(struct ib_device *ib, u32 port)
{
	struct rox_device *dev = to_rox_dev(ib);
	struct net_device *ndev = dev->ndev;

	/* Not always under RTNL, and a bit-field on 6.1. It only ever ends once. */
	if (data_race(ndev->reg_state) != NETREG_REGISTERED)
		return NULL;
	if (is_scanning(dev))
		ndev = vlan_dev_real_dev(ndev);
	dev_hold(ndev);
	return ndev;
}

static const struct ib_device_ops vlan_ops = {
	.get_netdev = get_netdev,
};

/**
 * rox_vlan_init - prepare a device whose netdev is a VLAN
 * @dev: not registered, its other operations set; any netdev
 *
 * Context: process.
 */
void rox_vlan_init(struct rox_device *dev)
{
	xa_init(&dev->foreign);
	mutex_init(&dev->scan_mutex);
	if (is_vlan_dev(dev->ndev))
		ib_set_device_ops(&dev->ib, &vlan_ops);
}

static bool is_foreign(const struct rox_device *dev, struct net_device *ndev)
{
	bool foreign;

	rcu_read_lock();
	foreign = ndev != dev->ndev && !netdev_has_upper_dev_all_rcu(dev->ndev, ndev);
	rcu_read_unlock();
	return foreign;
}

static int note_foreign(struct rox_device *dev, struct net_device *ndev)
{
	unsigned long index = (unsigned long)ndev;
	int err;

	if (!ROX_CAN_REMOVE_GIDS)
		return -EADDRNOTAVAIL;
	if (xa_load(&dev->foreign, index))
		return 0;
	err = xa_err(xa_store(&dev->foreign, index, ndev, GFP_KERNEL));
	if (!err)
		dev_hold(ndev);
	return err;
}

/**
 * rox_vlan_takes - is a new GID one of a netdev that is not ours?
 * @dev:  the device
 * @attr: the GID table's new entry
 * @err:  result: what to tell the core if so
 *
 * Context: process, under the table's mutex and perhaps RTNL.
 */
bool rox_vlan_takes(struct rox_device *dev, const struct ib_gid_attr *attr, int *err)
{
	struct net_device *ndev = rcu_dereference_protected(attr->ndev, true);

	if (!is_scanning(dev) || !is_foreign(dev, ndev))
		return false;
	*err = note_foreign(dev, ndev);
	return true;
}

static void forget_foreign(struct rox_device *dev)
{
	struct net_device *ndev;
	unsigned long index;

	xa_for_each(&dev->foreign, index, ndev) {
		roce_del_all_netdev_gids(&dev->ib, 1, ndev);
		xa_erase(&dev->foreign, index);
		dev_put(ndev);
	}
}

/**
 * rox_vlan_scan - add the GIDs of a VLAN interface that are missing
 * @dev: registered and held; nothing is done unless its netdev is a VLAN
 *
 * Context: process, takes RTNL.
 */
void rox_vlan_scan(struct rox_device *dev)
{
	if (!is_vlan_dev(dev->ndev))
		return;
	mutex_lock(&dev->scan_mutex);
	WRITE_ONCE(dev->scanner, current);
	rdma_roce_rescan_device(&dev->ib);
	WRITE_ONCE(dev->scanner, NULL);
	forget_foreign(dev);
	mutex_unlock(&dev->scan_mutex);
}

static void destination_gid(const u8 *grh, union ib_gid *gid)
{
	__be32 daddr;

	if (grh[0]) {	/* begins with the version; else 20 zero bytes and IPv4 */
		memcpy(gid->raw, grh + offsetof(struct ipv6hdr, daddr), sizeof(gid->raw));
		return;
	}
	memcpy(&daddr, grh + ROX_GRH_BYTES - sizeof(struct iphdr) +
	       offsetof(struct iphdr, daddr), sizeof(daddr));
	ipv6_addr_set_v4mapped(daddr, (struct in6_addr *)gid->raw);
}

static const struct ib_gid_attr *find_gid(struct rox_device *dev, const union ib_gid *gid,
					  int ifindex)
{
	const enum ib_gid_type type = IB_GID_TYPE_ROCE_UDP_ENCAP;
	const struct ib_gid_attr *attr = ERR_PTR(-ENOENT);
	struct net_device *ndev;

	rcu_read_lock();
	ndev = dev_get_by_index_rcu(dev->rnet->net, ifindex);
	if (ndev)
		attr = rdma_find_gid_by_port(&dev->ib, gid, type, 1, ndev);
	rcu_read_unlock();
	return IS_ERR(attr) ? rdma_find_gid_by_port(&dev->ib, gid, type, 1, NULL) : attr;
}

/**
 * rox_vlan_of - the VLAN that the completion of a datagram is to tell of
 * @dev:     received it, by a kernel user's QP, so it is registered
 * @grh:     what its receive begins with
 * @ifindex: of the netdev it came in by
 *
 * A card tells the tag. The core answers from the GID of that VLAN that the
 * datagram was sent to, and if there is none it does not answer. Here IP has taken
 * the datagram in already, perhaps by another netdev than that of the address or from
 * the own machine. So it is the VLAN of the GID. There may be several, as a VLAN has
 * the same link-local address as what is below it: then that of the netdev counts.
 *
 * Context: any. Return: its number plus 1, or 0 if there is none.
 */
u16 rox_vlan_of(struct rox_device *dev, const u8 *grh, int ifindex)
{
	const struct ib_gid_attr *attr;
	union ib_gid gid;
	u16 vlan;
	int err;

	destination_gid(grh, &gid);
	attr = find_gid(dev, &gid, ifindex);
	if (IS_ERR(attr))
		return 0;
	err = rdma_read_gid_l2_fields(attr, &vlan, NULL);
	rdma_put_gid_attr(attr);
	return err || vlan >= VLAN_N_VID ? 0 : vlan + 1;
}
