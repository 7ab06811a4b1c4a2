// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains: an identity that queue pairs and regions are compared by. */
#include <rdma/ib_verbs.h>

#include "pd.h"

/**
 * rox_alloc_pd - a new protection domain
 * @pd:    zeroed
 * @udata: not looked at
 *
 * Context: process. Return: 0.
 */
int rox_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

/**
 * rox_dealloc_pd - its end; the core saw to it that nothing uses it
 * @pd:    the protection domain
 * @udata: not looked at
 *
 * Context: process. Return: 0.
 */
int rox_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}
