// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * "rdma link add". The core finds the netdev in the caller's namespace. It
 * gives us no way to send a message back, so the reasons for a refusal, which
 * an error number cannot tell, go to the kernel log. Deletion is the core's.
 */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <rdma/rdma_netlink.h>

#include "device.h"
#include "link.h"
#include "net.h"

/* Has the netdev IP addresses and sends IP packets as they are? */
static bool type_works(const struct net_device *ndev)
{
	switch (ndev->type) {
	case ARPHRD_ETHER:
	case ARPHRD_LOOPBACK:
	case ARPHRD_NONE:	/* tun, WireGuard */
		return true;
	default:
		return false;
	}
}

static int explain(const char *name, const struct net_device *ndev, int err)
{
	switch (err) {
	case -EADDRINUSE:
		netdev_warn(ndev,
			    "rox link %s: UDP port 4791 is in use in this network namespace (by rdma_rxe? Then unload that first)\n",
			    name);
		break;
	case -EEXIST:
		netdev_warn(ndev, "rox link %s: there is an RDMA device of this name\n",
			    name);
		break;
	case -EPROTOTYPE:
		netdev_warn(ndev,
			    "rox link %s: only Ethernet-like interfaces, lo and tun can carry a link (not ARPHRD type %u)\n",
			    name, ndev->type);
		break;
	}
	return err;
}

/*
 * The netdev is held, but not in its namespace: it may move and what it leaves
 * may end, so that is held too until the device sees to it itself.
 */
static int create_in_its_net(const char *name, struct net_device *ndev)
{
	struct net *net;
	int err;

	rcu_read_lock();
	net = maybe_get_net(dev_net(ndev));
	rcu_read_unlock();
	if (!net)
		return -ENODEV;
	err = rox_device_create(name, ndev, rox_net_of(net));
	put_net(net);
	return err;
}

static int rox_newlink(const char *name, struct net_device *ndev)
{
	int err = -EPROTOTYPE;

	if (type_works(ndev))
		err = create_in_its_net(name, ndev);
	return explain(name, ndev, err);
}

struct rdma_link_ops rox_link_ops = {
	.type = "rox",
	.newlink = rox_newlink,
};
