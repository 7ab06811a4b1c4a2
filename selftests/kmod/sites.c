// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Lets what a task asks for fail at places where nothing failed yet, one each
 * time. A place is all that led there: the callers, from the system call on.
 * What is allocated in a loop has one place, of however many thousand turns.
 *
 * A task says that it takes part by /proc/thread-self/fail-nth, with a number
 * that is larger than all it will ask for. Where it comes to a new place that
 * number becomes 1, and so this is what fails.
 *
 *   modprobe rox_sites
 *   echo 0 >/sys/module/rox_sites/parameters/places	forget all of them
 *   cat /sys/module/rox_sites/parameters/places	how many there were
 *   cat /sys/module/rox_sites/parameters/last		the last one that was new
 *
 * For one task at a time.
 */
#include <linux/fault-inject.h>
#include <linux/jhash.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#define PLACES	4096	/* a power of two; not more than half of it is used */
#define DEPTH	48

/* Of each place the hash of its callers, not 0, at one of the indices from it on. */
static u64 seen[PLACES];
static unsigned int places;

static unsigned long last[DEPTH];
static unsigned int last_depth;

static u64 hash_of(const unsigned long *callers, unsigned int depth)
{
	u32 length = depth * (sizeof(*callers) / sizeof(u32));
	const u32 *words = (const u32 *)callers;

	return (u64)jhash2(words, length, 0) << 32 | jhash2(words, length, 1) | 1;
}

/* False if it was there, or if there are too many already. */
static bool add(u64 hash)
{
	unsigned int i = hash >> 32;

	if (places >= PLACES / 2)
		return false;
	for (; seen[i % PLACES]; i++)
		if (seen[i % PLACES] == hash)
			return false;
	seen[i % PLACES] = hash;
	places++;
	return true;
}

/*
 * Of a task's own requests alone. A breakpoint, which is one way to get here,
 * counts as an NMI, and as an interrupt too.
 */
static bool of_a_task(void)
{
	unsigned long own = in_nmi() ? HARDIRQ_OFFSET : 0;

	return hardirq_count() == own && !in_serving_softirq();
}

/* On the way into should_fail_ex(), which counts down and fails at 0. */
static int look(struct kprobe *probe, struct pt_regs *regs)
{
	unsigned long callers[DEPTH];
	unsigned int depth;

	if (READ_ONCE(current->fail_nth) <= 1 || !of_a_task())
		return 0;
	depth = stack_trace_save(callers, DEPTH, 0);
	if (!add(hash_of(callers, depth)))
		return 0;
	memcpy(last, callers, depth * sizeof(*callers));
	last_depth = depth;
	WRITE_ONCE(current->fail_nth, 1);
	return 0;
}

NOKPROBE_SYMBOL(look);

static struct kprobe probe = {
	.symbol_name = "should_fail_ex",
	.pre_handler = look,
};

static int forget(const char *text, const struct kernel_param *param)
{
	memset(seen, 0, sizeof(seen));
	places = 0;
	last_depth = 0;
	return 0;
}

static int show_places(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%u\n", places);
}

static const struct kernel_param_ops places_ops = {
	.set = forget,
	.get = show_places,
};
module_param_cb(places, &places_ops, NULL, 0600);
MODULE_PARM_DESC(places, "how many places there were; written: none any more");

static int show_last(char *text, const struct kernel_param *param)
{
	return stack_trace_snprint(text, PAGE_SIZE, last, last_depth, 0);
}

static const struct kernel_param_ops last_ops = {
	.get = show_last,
};
module_param_cb(last, &last_ops, NULL, 0400);
MODULE_PARM_DESC(last, "who called at the last one");

static int __init sites_init(void)
{
	return register_kprobe(&probe);
}
module_init(sites_init);

static void __exit sites_exit(void)
{
	unregister_kprobe(&probe);
}
module_exit(sites_exit);

MODULE_DESCRIPTION("Test that lets allocations fail at every place in turn");
MODULE_LICENSE("Dual BSD/GPL");
