// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Netdev events. Every device of the netdev is told, which is why this is done
 * here and not by the core's look-up of one device per netdev.
 *
 * An MTU change raises nothing: there is no verbs event for it, and the active
 * MTU is read from the netdev whenever somebody asks. Address changes of most
 * netdevs reach the GID table through the core; for others it does not listen,
 * so the table is scanned again from here.
 */
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <rdma/ib_verbs.h>

#include "compat/core.h"
#include "device.h"
#include "event.h"
#include "gid.h"
#include "net.h"

static void port_changed(struct rox_device *dev)
{
	enum ib_port_state state = rox_port_state(dev);
	struct ib_event event = {
		.device = &dev->ib,
		.element.port_num = 1,
		.event = state == IB_PORT_ACTIVE ? IB_EVENT_PORT_ACTIVE :
						   IB_EVENT_PORT_ERR,
	};

	ASSERT_RTNL();
	if (state == dev->port_state)
		return;
	dev->port_state = state;
	ib_dispatch_event(&event);
}

static void netdev_gone(struct rox_device *dev)
{
	/* The work lets go of the netdev; no program can keep it from doing so. */
	ib_unregister_device_queued(&dev->ib);
}

static void address_added(struct rox_device *dev)
{
	queue_work(rox_gid_wq, &dev->gid_work);
}

static void address_removed(struct rox_device *dev)
{
	WRITE_ONCE(dev->gids_stale, true);
	address_added(dev);
}

/**
 * rox_event_catch_up - make up for events of the netdev that did not find a device
 * @dev:     registered, and enabled just now
 * @present: its netdev is where it was
 *
 * If not, the device ends as it would have by the event. The core cannot be told
 * by an error: it keeps a device that it could not enable again.
 *
 * Context: process, under RTNL.
 */
void rox_event_catch_up(struct rox_device *dev, bool present)
{
	if (!present) {
		netdev_gone(dev);
		return;
	}
	port_changed(dev);
	if (rox_gid_needs_scan(dev->ndev))
		address_removed(dev);
}

static void tell_devices(struct net_device *ndev,
			 void (*what)(struct rox_device *dev))
{
	struct rox_net *rnet = rox_net_of(dev_net(ndev));
	struct rox_device *dev;

	rcu_read_lock();
	list_for_each_entry_rcu(dev, &rnet->devices, link) {
		if (dev->ndev != ndev || !ib_device_try_get(&dev->ib))
			continue;
		what(dev);
		ib_device_put(&dev->ib);
	}
	rcu_read_unlock();
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(info);

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		tell_devices(ndev, port_changed);
		break;
	case NETDEV_CHANGEADDR:
		if (rox_gid_needs_scan(ndev))
			tell_devices(ndev, address_removed);
		break;
	case NETDEV_UNREGISTER:
		tell_devices(ndev, netdev_gone);
		break;
	}
	return NOTIFY_DONE;
}

static int address_event(struct net_device *ndev, unsigned long event)
{
	if (rox_gid_needs_scan(ndev))
		tell_devices(ndev, event == NETDEV_DOWN ? address_removed :
							  address_added);
	return NOTIFY_DONE;
}

static int inet_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct in_ifaddr *ifa = ptr;

	return address_event(ifa->ifa_dev->dev, event);
}

static int inet6_event(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct inet6_ifaddr *ifa = ptr;

	return address_event(ifa->idev->dev, event);
}

static struct notifier_block netdev_nb = { .notifier_call = netdev_event };
static struct notifier_block inet_nb = { .notifier_call = inet_event };
static struct notifier_block inet6_nb = { .notifier_call = inet6_event };

/**
 * rox_event_register - begin to listen
 *
 * Context: process. Return: 0 or -ENOMEM.
 */
int rox_event_register(void)
{
	int err;

	err = register_netdevice_notifier(&netdev_nb);
	if (err)
		return err;
	/* These two cannot fail. */
	register_inetaddr_notifier(&inet_nb);
	if (IS_ENABLED(CONFIG_IPV6))
		register_inet6addr_notifier(&inet6_nb);
	return 0;
}

/**
 * rox_event_unregister - listen no more; no device is left
 *
 * Context: process.
 */
void rox_event_unregister(void)
{
	if (IS_ENABLED(CONFIG_IPV6))
		unregister_inet6addr_notifier(&inet6_nb);
	unregister_inetaddr_notifier(&inet_nb);
	unregister_netdevice_notifier(&netdev_nb);
}
