/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Driver attributes for "rdma -dd resource". */
#ifndef ROX_RESTRACK_H
#define ROX_RESTRACK_H

struct ib_cq;
struct ib_mr;
struct ib_qp;
struct sk_buff;

int rox_fill_res_qp(struct sk_buff *msg, struct ib_qp *ibqp);
int rox_fill_res_cq(struct sk_buff *msg, struct ib_cq *ibcq);
int rox_fill_res_mr(struct sk_buff *msg, struct ib_mr *ibmr);

#endif
