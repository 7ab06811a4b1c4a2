// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Sends to itself from a work item, as fast as the device lets it. */
#define pr_fmt(fmt) "rox_kverbs_test: " fmt

#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ends.h"
#include "tests.h"

struct kv_hold {
	struct kv_pair pair;
	struct delayed_work work;
	unsigned long sent, failed;
};

static void traffic(struct work_struct *work)
{
	struct kv_hold *hold = container_of(to_delayed_work(work),
					    struct kv_hold, work);
	struct kv_pair *pair = &hold->pair;
	struct ib_wc wc;
	int i;

	for (i = 0; i < 16; i++) {
		if (kv_post_recv(&pair->b, 4096) ||
		    kv_send(&pair->a, &pair->b, 0, 4096))
			break;
		hold->sent++;
	}
	while (ib_poll_cq(pair->a.cq, 1, &wc) == 1)
		hold->failed += wc.status != IB_WC_SUCCESS;
	while (ib_poll_cq(pair->b.cq, 1, &wc) == 1)
		hold->failed += wc.status != IB_WC_SUCCESS;
	schedule_delayed_work(&hold->work, 1);
}

struct kv_hold *kv_hold_start(struct ib_device *dev, int gid_index)
{
	struct kv_hold *hold = kzalloc(sizeof(*hold), GFP_KERNEL);
	int err;

	if (!hold)
		return ERR_PTR(-ENOMEM);
	err = kv_open(&hold->pair, dev, gid_index, IB_QPT_RC, KV_POLL);
	if (err) {
		kfree(hold);
		return ERR_PTR(err);
	}
	INIT_DELAYED_WORK(&hold->work, traffic);
	schedule_delayed_work(&hold->work, 0);
	pr_info("holding %s\n", dev_name(&dev->dev));
	return hold;
}

void kv_hold_stop(struct kv_hold *hold)
{
	cancel_delayed_work_sync(&hold->work);
	kv_close(&hold->pair);
	pr_info("let go: %lu sent, %lu failed\n", hold->sent, hold->failed);
	kfree(hold);
}
