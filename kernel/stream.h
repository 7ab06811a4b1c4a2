/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Who posts one work request after the other is followed by a worker, or kicks for several. */
#ifndef ROX_STREAM_H
#define ROX_STREAM_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct rox_qp;

struct rox_stream {
	u32 kicks;		/* in a row */
	u32 needed;		/* of those, for a stream, if more than usual */
	u32 early;		/* in a row, before as many posts as were asked for */
	u32 kicked_at;		/* the ring's index at the last one */
	u64 kicked_ns;		/* when that had been seen to, local_clock() */
	u32 drains;		/* of the completion queue, at the last one */
	u32 drained_at;		/* the ring's index when that had last changed */
	u32 rest;		/* kicks yet to be let pass */
	u32 rested;		/* how many those were at first; 0: the last attempt was good */
	u32 cpu;		/* to be tried next, if it can be had */
	bool followed;		/* no kick is needed; the work's to write, not preempted */
	u32 batch;		/* posts a kick, if more than one; anybody's to set */
	u32 hits;		/* kicks that so many had come for; the owner's */
	u32 enough;		/* of those, for a kick to be for more posts; likewise */
	u32 silent;		/* looks in time that found nothing, in a row; likewise */
	u64 asked_at;		/* for such a kick; the owner's, ns */
	struct work_struct work;
};

void rox_stream_init(struct rox_stream *s);
bool rox_stream_kick(struct rox_qp *qp);
void rox_stream_kicked(struct rox_qp *qp, bool stream);
u32 rox_stream_posts_a_kick(const struct rox_qp *qp);
void rox_stream_asks(struct rox_stream *s, u64 now);
void rox_stream_look(struct rox_qp *qp, u32 n, u32 asked, u64 now);
u64 rox_stream_deadline(const struct rox_stream *s);
void rox_stream_reset(struct rox_stream *s);
void rox_stream_stop(struct rox_stream *s);

#endif
