// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Faults on purpose, one each time it is loaded: insmod rox_faults_test.ko
 * fault=NAME. Who tests with a kernel that should catch them sees here that it
 * does. The compiler is kept from seeing what is wrong.
 */
#include <linux/compiler.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "what to do wrong");

/* An object whose address the compiler does not know the origin of. */
static int *allocate(size_t size)
{
	int *object = kzalloc(size, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(object);
	return object;
}

static void use_after_free(void)
{
	int *object = allocate(64), *alias = object;

	OPTIMIZER_HIDE_VAR(alias);
	kfree(object);
	WRITE_ONCE(alias[3], 1);
}

static void out_of_bounds(void)
{
	int *object = allocate(60);

	if (object)
		WRITE_ONCE(object[15], 1);
	kfree(object);
}

static DEFINE_MUTEX(lock_a);
static DEFINE_MUTEX(lock_b);

/* Never at once, so nothing deadlocks here: the order is what is wrong. */
static void abba(void)
{
	mutex_lock(&lock_a);
	mutex_lock(&lock_b);
	mutex_unlock(&lock_b);
	mutex_unlock(&lock_a);

	mutex_lock(&lock_b);
	mutex_lock(&lock_a);
	mutex_unlock(&lock_a);
	mutex_unlock(&lock_b);
}

static void sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
}

static void rcu_without_lock(void)
{
	static int value;
	static int __rcu *pointer = (int __rcu __force *)&value;

	(void)rcu_dereference(pointer);
}

static void undefined_shift(void)
{
	int by = 40, one = 1;

	OPTIMIZER_HIDE_VAR(by);
	one <<= by;
	OPTIMIZER_HIDE_VAR(one);
}

static void expire(struct timer_list *timer)
{
}

static void free_live_timer(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, expire, 0);
	mod_timer(timer, jiffies + 3600 * HZ);
	kfree(timer);
}

static void leak(void)
{
	int i;

	/* Several: a stale copy of an address in a register or on a stack may
	 * make one of them look as if it were in use.
	 */
	for (i = 0; i < 8; i++)
		allocate(200);
}

static int leak_pages(void *unused)
{
	struct page *pages = alloc_pages(GFP_KERNEL, 2);

	OPTIMIZER_HIDE_VAR(pages);
	while (!kthread_should_stop())
		msleep(20);
	return pages ? 0 : -ENOMEM;
}

/* Not by what the module runs as it is loaded: that counts as the kernel's. */
static void page_leak(void)
{
	struct task_struct *leaker = kthread_run(leak_pages, NULL, "rox_leaker");

	if (IS_ERR(leaker))
		return;
	msleep(100);
	kthread_stop(leaker);
}

/* For three times what is taken for one; see kernel.watchdog_thresh, 1 here. */
static void soft_lockup(void)
{
	u64 end = ktime_get_ns() + 6 * NSEC_PER_SEC;

	preempt_disable();
	while (ktime_get_ns() < end)
		cpu_relax();
	preempt_enable();
}

static void list_corruption(void)
{
	struct list_head head, entry, *next = &entry;

	INIT_LIST_HEAD(&head);
	list_add(&entry, &head);
	head.next = &head;
	OPTIMIZER_HIDE_VAR(next);
	list_del(next);
}

static void refcount_underflow(void)
{
	refcount_t count = REFCOUNT_INIT(1);

	refcount_dec(&count);
}

static int raced;

static int racer(void *unused)
{
	unsigned long end = jiffies + 5 * HZ;

	while (time_before(jiffies, end)) {
		raced++;
		barrier();
		cond_resched();
	}
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static void race(void)
{
	struct task_struct *racers[2];
	int i;

	for (i = 0; i < 2; i++)
		racers[i] = kthread_run(racer, NULL, "rox_racer%d", i);
	for (i = 0; i < 2; i++)
		if (!IS_ERR(racers[i]))
			kthread_stop(racers[i]);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "use_after_free", use_after_free },
	{ "out_of_bounds", out_of_bounds },
	{ "abba", abba },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "rcu_without_lock", rcu_without_lock },
	{ "undefined_shift", undefined_shift },
	{ "free_live_timer", free_live_timer },
	{ "leak", leak },
	{ "page_leak", page_leak },
	{ "soft_lockup", soft_lockup },
	{ "list_corruption", list_corruption },
	{ "refcount_underflow", refcount_underflow },
	{ "data_race", race },
};

static int __init faults_test_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(faults[i].name, fault))
			continue;
		faults[i].commit();
		return 0;
	}
	return -EINVAL;
}
module_init(faults_test_init);

static void __exit faults_test_exit(void)
{
}
module_exit(faults_test_exit);

MODULE_DESCRIPTION("Faults on purpose, to see that they are caught");
MODULE_LICENSE("Dual BSD/GPL");
