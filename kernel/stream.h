/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Who posts one work request after the other is followed by a worker. */
#ifndef ROX_STREAM_H
#define ROX_STREAM_H

#include <linux/types.h>
#include <linux/workqueue.h>

struct rox_qp;

struct rox_stream {
	u32 kicks;		/* in a row */
	u32 kicked_at;		/* the ring's index at the last one */
	u32 drains;		/* of the completion queue, at the last one */
	u32 rest;		/* kicks yet to be let pass */
	u32 rested;		/* how many those were at first; 0: the last attempt was good */
	u32 cpu;		/* to be tried next, if it can be had */
	bool followed;		/* no kick is needed; the work's to write, not preempted */
	struct work_struct work;
};

void rox_stream_init(struct rox_stream *s);
void rox_stream_kicked(struct rox_qp *qp);
void rox_stream_stop(struct rox_stream *s);

#endif
