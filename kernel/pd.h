/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Protection domains. */
#ifndef ROX_PD_H
#define ROX_PD_H

struct ib_pd;
struct ib_udata;

int rox_alloc_pd(struct ib_pd *pd, struct ib_udata *udata);
int rox_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata);

#endif
