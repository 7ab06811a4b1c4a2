// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Received packets between recv.c and the owner of a side; see inbox.h. */
#include "device.h"
#include "inbox.h"
#include "qp.h"

/* Bytes that a CPU may count for itself. */
#define BATCH	SZ_128K

static void count(const struct rox_qp *qp, s64 bytes)
{
	percpu_counter_add_batch(&qp->dev->inbox_bytes, bytes, BATCH);
}

/* Lengths are read without the lock elsewhere, which __skb_queue_*() know of. */
static s64 move(struct sk_buff_head *from, struct sk_buff_head *to, u32 nr)
{
	struct sk_buff *skb;
	s64 bytes = 0;

	while (nr-- && (skb = __skb_dequeue(from))) {
		bytes += skb->truesize;
		__skb_queue_tail(to, skb);
	}
	return bytes;
}

void rox_inbox_put(const struct rox_qp *qp, struct sk_buff_head *inbox,
		   struct sk_buff_head *skbs)
{
	s64 bytes;
	u32 room;

	if (percpu_counter_read(&qp->dev->inbox_bytes) >= ROX_INBOXES_BYTES)
		return;
	spin_lock_bh(&inbox->lock);
	room = ROX_INBOX_PKTS - min_t(u32, ROX_INBOX_PKTS, skb_queue_len(inbox));
	bytes = move(skbs, inbox, room);
	spin_unlock_bh(&inbox->lock);
	count(qp, bytes);
}

void rox_inbox_take(const struct rox_qp *qp, struct sk_buff_head *inbox, u32 nr,
		    struct sk_buff_head *skbs)
{
	s64 bytes;

	__skb_queue_head_init(skbs);
	if (skb_queue_empty_lockless(inbox))
		return;
	spin_lock_bh(&inbox->lock);
	bytes = move(inbox, skbs, nr);
	spin_unlock_bh(&inbox->lock);
	count(qp, -bytes);
}

void rox_inbox_purge(const struct rox_qp *qp, struct sk_buff_head *inbox)
{
	struct sk_buff_head skbs;

	rox_inbox_take(qp, inbox, U32_MAX, &skbs);
	__skb_queue_purge(&skbs);
}
