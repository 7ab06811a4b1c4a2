/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One request on its way into memory, and its receive completion. */
#ifndef ROX_EXECUTE_H
#define ROX_EXECUTE_H

#include "copy.h"
#include "proto/responder.h"

struct rox_qp;

/* A request and what it brings. */
struct rox_request {
	struct rox_pkt pkt;
	struct rox_buf payload;
	u8 grh[ROX_GRH_BYTES];		/* UD: what its receive begins with */
	int ifindex;			/* UD: of the netdev it came in by, or 0 */
};

struct rox_exec {
	struct rox_qp *qp;
	const struct rox_request *req;
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
	ROX_EXEC_NO_SOURCE,	/* the payload cannot be read: the sender's fault */
};

/**
 * rox_execute - do what a request asks for, short of telling anybody
 * @ex: the first three members set, the others 0
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
