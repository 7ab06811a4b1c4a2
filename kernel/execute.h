/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One request on its way into memory, and its receive completion. */
#ifndef ROX_EXECUTE_H
#define ROX_EXECUTE_H

#include <linux/skbuff.h>

#include "proto/responder.h"

struct rox_qp;

struct rox_exec {
	struct rox_qp *qp;
	const struct sk_buff *skb;	/* data at the BTH */
	const struct rox_pkt *pkt;
	const struct rox_resp_op *op;
	/* results */
	u64 orig;			/* atomic: value before */
	u8 syndrome;			/* refused: what the NAK says */
	enum rox_drop why;
};

enum rox_exec_result {
	ROX_EXEC_DONE,
	ROX_EXEC_NO_RECV,	/* a receive is needed and none is posted */
	ROX_EXEC_REFUSED,
};

/**
 * rox_execute - do what a request asks for, short of telling anybody
 * @ex: the first four members set, the others 0
 *
 * If it is the receiver's own fault that it is refused, the receive was
 * completed with the error, and for UC and UD the QP was put into the error
 * state; RC's caller does that once the NAK is out.
 * Context: owner of the receive side, BHs disabled.
 */
enum rox_exec_result rox_execute(struct rox_exec *ex);

/* The message is complete and committed: complete its receive. */
void rox_exec_complete(const struct rox_exec *ex);

/* Complete the receive that is held (rq.cur) as flushed. */
void rox_exec_flush_one(struct rox_qp *qp);

#endif
