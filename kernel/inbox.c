// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Received packets between recv.c and the owner of a side; see inbox.h. */
#include "device.h"
#include "inbox.h"
#include "qp.h"
#include "super.h"

/* Bytes that a CPU may count for itself. */
#define BATCH	SZ_128K

static void count(const struct rox_qp *qp, s64 bytes)
{
	percpu_counter_add_batch(&qp->dev->inbox_bytes, bytes, BATCH);
}

/* Lengths are read without the lock elsewhere, which __skb_queue_*() know of. */
static s64 move_one(struct sk_buff_head *from, struct sk_buff_head *to)
{
	struct sk_buff *skb = __skb_dequeue(from);

	__skb_queue_tail(to, skb);
	return skb->truesize;
}

bool rox_inboxes_are_full(const struct rox_qp *qp)
{
	return percpu_counter_read(&qp->dev->inbox_bytes) >= ROX_INBOXES_BYTES;
}

void rox_inbox_put(const struct rox_qp *qp, const struct rox_run *run,
		   struct sk_buff_head *inbox, struct sk_buff_head *skbs)
{
	s64 bytes = 0;

	if (rox_inboxes_are_full(qp) && rox_run_is_owned(run))
		return;
	spin_lock_bh(&inbox->lock);
	while (!skb_queue_empty(skbs) && skb_queue_len(inbox) < ROX_INBOX_PKTS)
		bytes += move_one(skbs, inbox);
	spin_unlock_bh(&inbox->lock);
	count(qp, bytes);
}

u32 rox_inbox_take(const struct rox_qp *qp, struct sk_buff_head *inbox, u32 nr,
		   struct sk_buff_head *skbs)
{
	u32 left = nr;
	s64 bytes = 0;

	__skb_queue_head_init(skbs);
	if (skb_queue_empty_lockless(inbox))
		return 0;
	spin_lock_bh(&inbox->lock);
	while (left && !skb_queue_empty(inbox)) {
		left -= min(left, rox_super_nr(skb_peek(inbox)));
		bytes += move_one(inbox, skbs);
	}
	spin_unlock_bh(&inbox->lock);
	count(qp, -bytes);
	return nr - left;
}

void rox_inbox_purge(const struct rox_qp *qp, struct sk_buff_head *inbox)
{
	struct sk_buff_head skbs;

	rox_inbox_take(qp, inbox, U32_MAX, &skbs);
	__skb_queue_purge(&skbs);
}
