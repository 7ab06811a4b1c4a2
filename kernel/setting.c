// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What an administrator can choose for a link: files of the device in sysfs,
 * and module parameters for what new links begin with.
 */
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <rdma/ib_verbs.h>

#include "device.h"
#include "early.h"
#include "poll.h"
#include "setting.h"

static const char * const ways[] = { "wire", "direct" };
static const char * const bursts[] = {
	[ROX_BURSTS_OFF] = "off",
	[ROX_BURSTS_LISTS] = "lists",
	[ROX_BURSTS_ON] = "on",
};

static char *local = "direct";
module_param(local, charp, 0444);
MODULE_PARM_DESC(local, "how new links carry messages between QPs of this host: direct (one copy) or wire (packets)");

/**
 * rox_setting_check - are the module parameters what they can be?
 *
 * Context: module init. Return: 0 or -EINVAL.
 */
int rox_setting_check(void)
{
	if (match_string(ways, ARRAY_SIZE(ways), local) >= 0)
		return 0;
	pr_err("rox: local=%s: must be direct or wire\n", local);
	return -EINVAL;
}

/**
 * rox_setting_init - what a new link begins with
 * @dev: the link's device
 *
 * Context: any.
 */
void rox_setting_init(struct rox_device *dev)
{
	dev->direct = match_string(ways, ARRAY_SIZE(ways), local);
	dev->bursts = ROX_BURSTS_ON;
	dev->poll_us = ROX_POLL_DEFAULT_US;
}

static struct rox_device *device_of(struct device *device)
{
	return rdma_device_to_drv_device(device, struct rox_device, ib);
}

static ssize_t local_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct rox_device *dev = device_of(device);

	return sysfs_emit(buf, "%s\n", ways[READ_ONCE(dev->direct)]);
}

/* Takes effect with the next message: both ways know the same sequence numbers. */
static ssize_t local_store(struct device *device, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	struct rox_device *dev = device_of(device);
	int way = sysfs_match_string(ways, buf);

	if (way < 0)
		return way;
	WRITE_ONCE(dev->direct, way);
	return count;
}

static DEVICE_ATTR_RW(local);

static ssize_t bursts_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct rox_device *dev = device_of(device);

	return sysfs_emit(buf, "%s\n", bursts[READ_ONCE(dev->bursts)]);
}

/* Off: for a path that takes lists of packets apart in a wrong way; lists: or super-packets. */
static ssize_t bursts_store(struct device *device, struct device_attribute *attr,
			    const char *buf, size_t count)
{
	struct rox_device *dev = device_of(device);
	int which = sysfs_match_string(bursts, buf);

	if (which < 0)
		return which;
	WRITE_ONCE(dev->bursts, which);
	return count;
}

static DEVICE_ATTR_RW(bursts);

static ssize_t poll_us_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct rox_device *dev = device_of(device);

	return sysfs_emit(buf, "%u\n", READ_ONCE(dev->poll_us));
}

/* 0: no pollers. Takes effect at once, also for those that there are. */
static ssize_t poll_us_store(struct device *device, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	struct rox_device *dev = device_of(device);
	u32 us;
	int err;

	err = kstrtou32(buf, 0, &us);
	if (err)
		return err;
	if (us > ROX_POLL_MAX_US)
		return -EINVAL;
	WRITE_ONCE(dev->poll_us, us);
	return count;
}

static DEVICE_ATTR_RW(poll_us);

static ssize_t early_show(struct device *device, struct device_attribute *attr, char *buf)
{
	const struct rox_device *dev = device_of(device);

	return sysfs_emit(buf, "%s\n", READ_ONCE(dev->early) ? "on" : "off");
}

/* On: packets are taken before netfilter sees them. Takes effect with the next one. */
static ssize_t early_store(struct device *device, struct device_attribute *attr,
			   const char *buf, size_t count)
{
	bool on;
	int err;

	err = kstrtobool(buf, &on);
	if (err)
		return err;
	rox_early_choose(device_of(device), on);
	return count;
}

static DEVICE_ATTR_RW(early);

static struct attribute *attrs[] = {
	&dev_attr_local.attr,
	&dev_attr_bursts.attr,
	&dev_attr_poll_us.attr,
	&dev_attr_early.attr,
	NULL
};

const struct attribute_group rox_setting_group = {
	.attrs = attrs,
};
