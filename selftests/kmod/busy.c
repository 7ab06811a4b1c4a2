// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A completion handler that takes its time. Meanwhile nobody sees to the receive
 * side it was called by, and packets for it pile up: only so many of them.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "ends.h"
#include "tests.h"

struct wake {
	struct work_struct work;
	struct kv_end *end;
	int err;
};

static bool lingers, released;

static void linger(struct kv_end *end)
{
	u64 until = ktime_get_ns() + 10 * NSEC_PER_SEC;

	WRITE_ONCE(lingers, true);
	while (!READ_ONCE(released) && ktime_get_ns() < until)
		cpu_relax();
}

/* To itself, so that the other end's send side stays free. */
static void wake(struct work_struct *work)
{
	struct wake *wake = container_of(work, struct wake, work);

	wake->err = kv_send(wake->end, wake->end, 0, 100);
}

static int send_all(struct kv_pair *pair)
{
	int i, err = 0;

	for (i = 0; i < 1000 * kv_patience && !READ_ONCE(lingers); i++)
		usleep_range(1000, 2000);
	if (!READ_ONCE(lingers))
		return -ETIMEDOUT;
	for (i = 0; i < KV_BUSY_SENT && !err; i++) {
		err = kv_send(&pair->a, &pair->b, 0, 100);
		if (!err)
			err = kv_expect(&pair->a, IB_WC_SUCCESS);
	}
	return err;
}

int kv_busy(struct kv_pair *pair)
{
	struct wake first = { .end = &pair->b };
	unsigned int cpu;
	int err;

	lingers = false;
	released = false;
	err = kv_post_recv(&pair->b, 1000);
	if (err)
		return err;
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	if (cpu < nr_cpu_ids) {
		pair->b.on_event = linger;
		ib_req_notify_cq(pair->b.cq, IB_CQ_NEXT_COMP);
		INIT_WORK_ONSTACK(&first.work, wake);
		schedule_work_on(cpu, &first.work);
		err = send_all(pair);
		WRITE_ONCE(released, true);
		flush_work(&first.work);
		destroy_work_on_stack(&first.work);
	}
	migrate_enable();
	return err ?: first.err;
}
