// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A kernel user of the verbs.
 *
 *   insmod rox_kverbs_test.ko device=NAME gid=INDEX
 *	runs the tests on the device, results in the kernel log; fails to load
 *	when one fails
 *   insmod rox_kverbs_test.ko device=NAME gid=INDEX hold=1
 *	uses the device until it goes away or the module is unloaded
 */
#define pr_fmt(fmt) "rox_kverbs_test: " fmt

#include <linux/module.h>
#include <rdma/ib_verbs.h>

#include "ends.h"
#include "tests.h"

static char *device = "rox0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "RDMA device to use");

static int gid;
module_param(gid, int, 0444);
MODULE_PARM_DESC(gid, "index of the GID to use");

static bool hold;
module_param(hold, bool, 0444);
MODULE_PARM_DESC(hold, "use the device until it goes away");

module_param_named(patience, kv_patience, uint, 0444);
MODULE_PARM_DESC(patience, "how many times longer than usual things may take");

static struct ib_client client;
static struct ib_device *found;

static int add(struct ib_device *dev)
{
	struct kv_hold *held;

	if (strcmp(dev_name(&dev->dev), device))
		return -EOPNOTSUPP;
	found = dev;
	if (!hold)
		return 0;
	held = kv_hold_start(dev, gid);
	if (IS_ERR(held))
		return PTR_ERR(held);
	ib_set_client_data(dev, &client, held);
	return 0;
}

static void remove(struct ib_device *dev, void *held)
{
	if (held)
		kv_hold_stop(held);
}

static struct ib_client client = {
	.name = "rox_kverbs_test",
	.add = add,
	.remove = remove,
};

static int __init kverbs_test_init(void)
{
	int err;

	err = ib_register_client(&client);
	if (err)
		return err;
	if (!found)
		err = -ENODEV;
	else if (!hold && kv_run_tests(found, gid))
		err = -EIO;
	if (err)
		ib_unregister_client(&client);
	return err;
}
module_init(kverbs_test_init);

static void __exit kverbs_test_exit(void)
{
	ib_unregister_client(&client);
}
module_exit(kverbs_test_exit);

MODULE_DESCRIPTION("Test of RDMA devices through the kernel's verbs");
MODULE_LICENSE("Dual BSD/GPL");
