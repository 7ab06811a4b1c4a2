/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Replies that are no packets. */
#ifndef ROX_COMPLETE_H
#define ROX_COMPLETE_H

struct rox_buf;
struct rox_pkt;
struct rox_qp;

int rox_complete_reply(struct rox_qp *qp, const struct rox_pkt *pkt,
		       const struct rox_buf *payload);

#endif
