// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * How fast the kernel's memcpy() is, for who compares: what size is written to the
 * parameter "bytes" is copied over and over, and "mb_per_s" says millions of bytes a
 * second.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>

#define MOST_BYTES	(16u << 20)
#define LONG_ENOUGH	(200 * NSEC_PER_MSEC)

static unsigned int mb_per_s;
module_param(mb_per_s, uint, 0444);
MODULE_PARM_DESC(mb_per_s, "what came out: millions of bytes a second");

static u64 copy(void *to, const void *from, unsigned int bytes, u64 *blocks)
{
	u64 start = ktime_get_ns(), ns;

	*blocks = 0;
	do {
		memcpy(to, from, bytes);
		/* Or the compiler sees that nobody reads it. */
		barrier_data(to);
		++*blocks;
		ns = ktime_get_ns() - start;
		cond_resched();
	} while (ns < LONG_ENOUGH);
	return ns;
}

/* Not when the module is loaded: what runs only then, gcc makes small, not fast. */
static int measure(const char *text, const struct kernel_param *kp)
{
	unsigned int bytes;
	void *from, *to;
	u64 ns, blocks;
	int err;

	err = kstrtouint(text, 0, &bytes);
	if (err || !bytes || bytes > MOST_BYTES)
		return err ?: -EINVAL;
	from = kvzalloc(bytes, GFP_KERNEL);
	to = kvzalloc(bytes, GFP_KERNEL);
	if (from && to) {
		ns = copy(to, from, bytes, &blocks);
		mb_per_s = (unsigned int)div64_u64(blocks * bytes * 1000, ns);
	} else {
		err = -ENOMEM;
	}
	kvfree(to);
	kvfree(from);
	return err;
}

static const struct kernel_param_ops ops = { .set = measure };
module_param_cb(bytes, &ops, NULL, 0200);
MODULE_PARM_DESC(bytes, "of a block, which is measured when it is written");

MODULE_DESCRIPTION("measures memcpy()");
MODULE_LICENSE("Dual BSD/GPL");
