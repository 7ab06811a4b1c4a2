/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Changing a QP while it may be at work. */
#ifndef ROX_MODIFY_H
#define ROX_MODIFY_H

#include <linux/types.h>

struct rox_qp;

void rox_qp_lock_sides(struct rox_qp *qp);
void rox_qp_unlock_sides(struct rox_qp *qp, bool changed);

#endif
