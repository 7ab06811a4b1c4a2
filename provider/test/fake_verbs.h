/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The parts of libibverbs that the provider calls, with a kernel behind them. */
#ifndef ROX_TEST_FAKE_VERBS_H
#define ROX_TEST_FAKE_VERBS_H

#include "../rox.h"
#include "fake_kernel.h"

struct fake_device {
	struct rox_context ctx;
	/* What was created last, as the kernel sees it. */
	struct fake_wq sq;
	struct fake_wq rq;
	struct fake_cq cq;
	bool cq_stamped;
	/* Commands to arm it, and what another thread does before a resize is back. */
	uint32_t notify_commands;
	void (*on_resized_cq)(struct ibv_cq *cq);
	/* How the queue pair created last wants to be named in completions. */
	uint64_t user_qp;
	/* Entries that the next queues get. */
	uint32_t sq_entries;
	uint32_t rq_entries;
	/* Kicks so far, whom the last was for, and what they shall return. */
	uint32_t kicks;
	uint32_t kicked_qpn;
	int kick_result;
	/* The same of help. */
	uint32_t helps;
	uint32_t help_number;
	int help_result;
	/* And of polls, which are a thread's. */
	atomic_uint polls;
	atomic_int poll_result;
	/* If not 0: the next create or destroy command fails so. */
	int fail_with;
	/* If not 0: mapping the n-th ring from now fails. */
	int fail_map;
	/* What another thread does as soon as the kernel let go of a QP. */
	void (*on_destroyed_qp)(struct ibv_qp *qp);
	uint32_t live_objects;
	off_t memory_end;
};

extern struct fake_device fake;

void fake_open(void);
void fake_close(void);

#endif
