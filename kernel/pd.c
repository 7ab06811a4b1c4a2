// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Protection domains: an identity that queue pairs and regions are compared by. */
#include <rdma/ib_verbs.h>

#include "device.h"
#include "pd.h"

/**
 * rox_alloc_pd - a new protection domain
 * @pd:    zeroed
 * @udata: not looked at
 *
 * The core keeps some three hundred bytes for each, which it charges to nobody. So
 * there is an end to them.
 * Context: process. Return: 0, or -ENOMEM if there are too many.
 */
int rox_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	struct rox_device *dev = to_rox_dev(pd->device);

	if (atomic_inc_return(&dev->nr_pds) <= ROX_MAX_PD)
		return 0;
	atomic_dec(&dev->nr_pds);
	return -ENOMEM;
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
	atomic_dec(&to_rox_dev(pd->device)->nr_pds);
	return 0;
}
