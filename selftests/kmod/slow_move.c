// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes the move of an RDMA device to another namespace take long at its most
 * delicate point: when nobody can find the device, and it is not yet where it
 * goes. The core renames the device there, to its own name, and that is put off.
 *
 *   insmod rox_slow_move.ko ms=1000
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/kprobes.h>
#include <linux/module.h>

static unsigned int ms = 1000;
module_param(ms, uint, 0444);
MODULE_PARM_DESC(ms, "how much longer it takes");

static struct task_struct *sleeper;	/* only ever compared */

static int slow_rename(struct device *dev, const char *name)
{
	int err;

	msleep(ms);
	WRITE_ONCE(sleeper, current);
	err = device_rename(dev, name);
	WRITE_ONCE(sleeper, NULL);
	return err;
}

/* On the way into device_rename(): go to slow_rename() first, which comes back. */
static int divert(struct kprobe *probe, struct pt_regs *regs)
{
	struct device *dev = (struct device *)regs_get_kernel_argument(regs, 0);

	if (READ_ONCE(sleeper) == current || !dev->class ||
	    strcmp(dev->class->name, "infiniband"))
		return 0;
	instruction_pointer_set(regs, (unsigned long)slow_rename);
	return 1;
}

NOKPROBE_SYMBOL(divert);

static struct kprobe probe = {
	.symbol_name = "device_rename",
	.pre_handler = divert,
};

static int __init slow_move_init(void)
{
	return register_kprobe(&probe);
}
module_init(slow_move_init);

/* Whoever unloads this sees to it that nothing moves. */
static void __exit slow_move_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(slow_move_exit);

MODULE_DESCRIPTION("Test of RDMA devices that move between namespaces");
MODULE_LICENSE("Dual BSD/GPL");
