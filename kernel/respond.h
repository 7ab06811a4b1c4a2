/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What else than packets drives the receive side of a QP. */
#ifndef ROX_RESPOND_H
#define ROX_RESPOND_H

struct rox_qp;
struct rox_request;
struct rox_resp_pkt;

void rox_respond_established(struct rox_qp *qp);
int rox_respond_request(struct rox_qp *qp, const struct rox_request *req);
void rox_respond_fold_counts(struct rox_qp *qp);
void rox_respond_read_failed(struct rox_qp *qp, const struct rox_resp_pkt *pkt);

#endif
