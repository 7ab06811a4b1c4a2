/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Finished work requests. */
#ifndef ROX_RETIRE_H
#define ROX_RETIRE_H

#include <linux/types.h>

struct rox_qp;

u32 rox_retire(struct rox_qp *qp);

#endif
