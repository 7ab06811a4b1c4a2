/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Protection, parent and thread domains. To the kernel a parent domain is the
 * protection domain it contains.
 */
#include <errno.h>
#include <stdlib.h>

#include "rox.h"

struct ibv_pd *rox_pd_alloc(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct rox_pd *pd;
	int ret;

	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ret = ibv_cmd_alloc_pd(context, &pd->pd, &cmd, sizeof(cmd), &resp,
			       sizeof(resp));
	if (ret) {
		free(pd);
		errno = ret;
		return NULL;
	}
	return &pd->pd;
}

static int check_parent_attr(const struct ibv_parent_domain_init_attr *attr)
{
	if (!attr->pd)
		return EINVAL;
	/* The rings are the kernel's, so there is nothing to allocate. */
	if (!check_comp_mask(attr->comp_mask,
			     IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT))
		return EOPNOTSUPP;
	/* One level, so that the thread domain in force is the one named. */
	if (to_rox_pd(attr->pd)->contained)
		return EINVAL;
	return 0;
}

struct ibv_pd *rox_parent_domain_alloc(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr)
{
	struct rox_pd *pd;
	int ret;

	ret = check_parent_attr(attr);
	if (ret) {
		errno = ret;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;

	ibv_initialize_parent_domain(&pd->pd, attr->pd);
	pd->contained = to_rox_pd(attr->pd);
	atomic_fetch_add(&pd->contained->refs, 1);
	if (attr->td) {
		pd->td = to_rox_td(attr->td);
		atomic_fetch_add(&pd->td->refs, 1);
	}
	return &pd->pd;
}

static int dealloc_parent_domain(struct rox_pd *pd)
{
	atomic_fetch_sub(&pd->contained->refs, 1);
	if (pd->td)
		atomic_fetch_sub(&pd->td->refs, 1);
	free(pd);
	return 0;
}

int rox_pd_dealloc(struct ibv_pd *ibpd)
{
	struct rox_pd *pd = to_rox_pd(ibpd);
	int ret;

	if (pd->contained)
		return dealloc_parent_domain(pd);
	if (atomic_load(&pd->refs))
		return EBUSY;
	ret = ibv_cmd_dealloc_pd(ibpd);
	if (ret)
		return ret;
	free(pd);
	return 0;
}

struct ibv_td *rox_td_alloc(struct ibv_context *context,
			    struct ibv_td_init_attr *attr)
{
	struct rox_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->td.context = context;
	return &td->td;
}

int rox_td_dealloc(struct ibv_td *ibtd)
{
	struct rox_td *td = to_rox_td(ibtd);

	if (atomic_load(&td->refs))
		return EBUSY;
	free(td);
	return 0;
}

/* rox_pd_is_single_threaded - did the program promise one thread at a time? */
bool rox_pd_is_single_threaded(struct ibv_pd *pd)
{
	return pd && to_rox_pd(pd)->td;
}
