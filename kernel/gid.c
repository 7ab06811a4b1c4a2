// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The port: what is true of the netdev, in the words of verbs, and its GIDs.
 *
 * The core keeps the GID table: one RoCE v2 GID for each address of the netdev
 * and of what is stacked on it, from index 1. It reserves index 0 for a
 * "default" GID, the link-local address that the MAC would give. A card owns
 * that address whatever the interface is set up to; here it works only if the
 * interface has it, and newcomers use index 0. So it is taken only if the
 * interface has it or, while down, will have it. Otherwise index 0 stays empty
 * and using it fails at once instead of timing out. The core reports each
 * refusal in the log; that is the lesser evil and there is no way around it.
 */
#include <linux/ethtool.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "compat/core.h"
#include "device.h"
#include "gid.h"
#include "vlan.h"

/*
 * The longest headers of a packet with a full payload, those of RDMA WRITE ONLY
 * with immediate data: IPv6, UDP, BTH, RETH, immediate data, and the ICRC.
 */
#define MAX_HEADERS	(40 + 8 + 12 + 16 + 4 + 4)

/**
 * rox_device_pmtu - the largest path MTU that the netdev's MTU allows
 * @dev: the device
 *
 * Context: any. Return: bytes, 256 to 4096.
 */
u32 rox_device_pmtu(const struct rox_device *dev)
{
	u32 mtu = READ_ONCE(dev->ndev->mtu);

	if (mtu < 256 + MAX_HEADERS)
		return 256;
	return rounddown_pow_of_two(min(mtu - MAX_HEADERS, 4096u));
}

/**
 * rox_port_state - the netdev's state
 * @dev: the device
 *
 * Context: any. Return: IB_PORT_ACTIVE or IB_PORT_DOWN.
 */
enum ib_port_state rox_port_state(const struct rox_device *dev)
{
	return netif_running(dev->ndev) && netif_carrier_ok(dev->ndev) ?
		IB_PORT_ACTIVE : IB_PORT_DOWN;
}

static enum ib_port_phys_state phys_state(const struct rox_device *dev)
{
	if (!netif_running(dev->ndev))
		return IB_PORT_PHYS_STATE_DISABLED;
	if (!netif_carrier_ok(dev->ndev))
		return IB_PORT_PHYS_STATE_POLLING;
	return IB_PORT_PHYS_STATE_LINK_UP;
}

/* In Mb/s; what has no speed, such as lo or a dummy, is taken for 10 Gb/s. */
static u32 netdev_speed(struct net_device *ndev)
{
	struct ethtool_link_ksettings ks = {};
	int err;

	rtnl_lock();
	err = __ethtool_get_link_ksettings(ndev, &ks);
	rtnl_unlock();
	if (err || !ks.base.speed || ks.base.speed == (u32)SPEED_UNKNOWN)
		return SPEED_10000;
	return ks.base.speed;
}

static const struct {
	u32 mbps;		/* up to */
	u8 width;
	u16 speed;
} rates[] = {
	{ SPEED_2500,	IB_WIDTH_1X, IB_SPEED_SDR },
	{ SPEED_5000,	IB_WIDTH_1X, IB_SPEED_DDR },
	{ SPEED_10000,	IB_WIDTH_1X, IB_SPEED_FDR10 },
	{ SPEED_20000,	IB_WIDTH_4X, IB_SPEED_DDR },
	{ SPEED_25000,	IB_WIDTH_1X, IB_SPEED_EDR },
	{ SPEED_40000,	IB_WIDTH_4X, IB_SPEED_FDR10 },
	{ SPEED_50000,	IB_WIDTH_1X, IB_SPEED_HDR },
	{ SPEED_100000,	IB_WIDTH_4X, IB_SPEED_EDR },
	{ SPEED_200000,	IB_WIDTH_4X, IB_SPEED_HDR },
	{ SPEED_400000,	IB_WIDTH_4X, IB_SPEED_NDR },
	{ U32_MAX,	IB_WIDTH_8X, IB_SPEED_NDR },
};

/* The core's own ib_get_eth_speed() complains in the log about netdevs without a speed. */
static void set_speed(struct net_device *ndev, struct ib_port_attr *attr)
{
	u32 mbps = netdev_speed(ndev);
	int i = 0;

	while (mbps > rates[i].mbps)
		i++;
	attr->active_width = rates[i].width;
	attr->active_speed = rates[i].speed;
}

/**
 * rox_query_port - the port's attributes
 * @ib:   the device
 * @port: 1
 * @attr: result, zeroed
 *
 * Context: process, takes RTNL. Return: 0.
 */
int rox_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct rox_device *dev = to_rox_dev(ib);

	attr->state = rox_port_state(dev);
	attr->phys_state = phys_state(dev);
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(rox_device_pmtu(dev));
	attr->max_msg_sz = ROX_MAX_MSG;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->gid_tbl_len = ROX_GID_TABLE_LEN;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	set_speed(dev->ndev, attr);
	return 0;
}

/**
 * rox_port_immutable - what the core needs to know before registration
 * @ib:        the device
 * @port:      1
 * @immutable: result
 *
 * Context: process. Return: 0.
 */
int rox_port_immutable(struct ib_device *ib, u32 port,
		       struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = ROX_GID_TABLE_LEN;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/**
 * rox_link_layer - Ethernet
 * @ib:   the device
 * @port: 1
 *
 * Context: any.
 */
enum rdma_link_layer rox_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/**
 * rox_query_pkey - the default partition's key is the only one
 * @ib:    the device
 * @port:  1
 * @index: in the table
 * @pkey:  result
 *
 * Context: any. Return: 0 or -EINVAL.
 */
int rox_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = IB_DEFAULT_PKEY_FULL;
	return 0;
}

/* Will the interface give itself the address of its MAC when it comes up? */
static bool will_have(const struct net_device *ndev, const struct inet6_dev *idev)
{
	return ndev->type == ARPHRD_ETHER &&
	       !(netif_running(ndev) && netif_carrier_ok(ndev)) &&
	       !READ_ONCE(idev->cnf.disable_ipv6) &&
	       READ_ONCE(idev->cnf.addr_gen_mode) == IN6_ADDR_GEN_MODE_EUI64;
}

static bool has(const struct net_device *ndev, const union ib_gid *gid)
{
	return ipv6_chk_addr_and_flags(dev_net(ndev), (const struct in6_addr *)gid->raw,
				       ndev, false, 1, 0);
}

static bool default_gid_works(const struct ib_gid_attr *attr)
{
	const struct inet6_dev *idev;
	const struct net_device *ndev;
	bool works = false;

	if (!IS_ENABLED(CONFIG_IPV6))
		return false;
	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	idev = __in6_dev_get(ndev);
	/* Without, the host may be booted without IPv6 and has() must not look. */
	if (idev)
		works = will_have(ndev, idev) || has(ndev, &attr->gid);
	rcu_read_unlock();
	return works;
}

/**
 * rox_add_gid - may this GID enter the table?
 * @attr:    the entry
 * @context: unused
 *
 * Context: process, under the table's mutex, perhaps under RTNL.
 * Return: 0, or -EADDRNOTAVAIL for a default GID that would not work.
 */
int rox_add_gid(const struct ib_gid_attr *attr, void **context)
{
	int err;

	if (rox_vlan_takes(to_rox_dev(attr->device), attr, &err))
		return err;
	/* With one GID type index 0 is the default GID's and only its. */
	if (attr->index || default_gid_works(attr))
		return 0;
	return -EADDRNOTAVAIL;
}

/**
 * rox_del_gid - a GID leaves the table
 * @attr:    the entry
 * @context: unused
 *
 * Nothing is kept of it. Context: process. Return: 0.
 */
int rox_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

/**
 * rox_gid_needs_scan - does the core not follow the addresses of this netdev?
 * @ndev: any
 *
 * Context: any.
 */
bool rox_gid_needs_scan(const struct net_device *ndev)
{
	return ndev->type != ARPHRD_ETHER || is_vlan_dev(ndev);
}

/**
 * rox_gid_work - make the table follow the addresses of such a netdev
 * @work: of a device
 *
 * Who queues it does not hold the device, which could not go while addresses come and go:
 * it is held while this runs.
 * Context: process, takes RTNL.
 */
void rox_gid_work(struct work_struct *work)
{
	struct rox_device *dev = container_of(work, struct rox_device, gid_work);
	bool stale;

	if (!ib_device_try_get(&dev->ib))
		return;
	stale = xchg(&dev->gids_stale, false);
	/* Entries in use stay in their place, so others may change theirs. */
	if (stale)
		roce_del_all_netdev_gids(&dev->ib, 1, dev->ndev);
	rox_vlan_scan(dev);
	if (stale || !is_vlan_dev(dev->ndev))
		rdma_roce_rescan_device(&dev->ib);
	ib_device_put(&dev->ib);
}
