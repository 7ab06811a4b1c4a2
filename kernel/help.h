/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A program that polls a completion queue in vain is asked to see to the packets that
 * came for a queue pair of it, on its own CPU.
 */
#ifndef ROX_HELP_H
#define ROX_HELP_H

#include <linux/hrtimer.h>
#include <linux/types.h>

struct rox_cq;
struct rox_qp;
struct rox_ucontext;

/* Of a completion queue; under its lock, but for the timer. */
struct rox_help {
	u32 asked;		/* for whom, a rox_help_ask() in numbers; 0: nobody */
	u64 asked_at;		/* ns */
	u32 rest;		/* times yet to be let pass */
	u32 rested;		/* how many those were at first; 0: help came last time */
	unsigned int cpu;	/* where help came from last; nr_cpu_ids: not known */
	bool timed;		/* the timer is started, or about to be */
	struct hrtimer timer;
};

void rox_help_init(struct rox_cq *cq);
void rox_help_stop(struct rox_cq *cq);
bool rox_help_ask(struct rox_qp *qp, bool request, u32 ends);
int rox_help(const struct rox_ucontext *uctx, u32 number);

#endif
