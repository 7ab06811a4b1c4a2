/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The send side's packets, on their way to xmit.c. */
#ifndef ROX_TRANSMIT_H
#define ROX_TRANSMIT_H

#include <linux/types.h>

struct rox_burst;
struct rox_qp;
struct rox_req_pkt;

u32 rox_transmit(struct rox_qp *qp, const struct rox_req_pkt *pkt,
		 struct rox_burst *burst, u64 now);
bool rox_transmit_flush(struct rox_qp *qp, struct rox_burst *burst, u64 now);

#endif
