/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Address handles: resolved by the kernel, named by number in requests. */
#include <errno.h>
#include <stdlib.h>

#include "rox.h"

struct ibv_ah *rox_ah_create(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct rox_cmd_create_ah_resp resp = {};
	struct rox_ah *ah;
	int ret;

	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	ret = ibv_cmd_create_ah(pd, &ah->ah, attr, &resp.ibv_resp, sizeof(resp));
	if (ret) {
		free(ah);
		errno = ret;
		return NULL;
	}
	ah->number = resp.ah_number;
	return &ah->ah;
}

int rox_ah_destroy(struct ibv_ah *ibah)
{
	int ret = ibv_cmd_destroy_ah(ibah);

	if (ret)
		return ret;
	free(to_rox_ah(ibah));
	return 0;
}
