/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory regions: the kernel keeps them, we keep the handles. */
#include <errno.h>
#include <stdlib.h>

#include "rox.h"

static struct ibv_mr *mr_or_error(struct verbs_mr *vmr, int err)
{
	if (!err)
		return &vmr->ibv_mr;
	free(vmr);
	errno = err;
	return NULL;
}

struct ibv_mr *rox_mr_reg(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;
	ret = ibv_cmd_reg_mr(pd, addr, length, hca_va, access, vmr, &cmd,
			     sizeof(cmd), &resp, sizeof(resp));
	return mr_or_error(vmr, ret);
}

struct ibv_mr *rox_mr_reg_dmabuf(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access)
{
	struct verbs_mr *vmr;
	int ret;

	vmr = calloc(1, sizeof(*vmr));
	if (!vmr)
		return NULL;
	ret = rox_cmd_reg_dmabuf_mr(pd, offset, length, iova, fd, access, vmr);
	return mr_or_error(vmr, ret);
}

int rox_mr_rereg(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		 void *addr, size_t length, int access)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	return ibv_cmd_rereg_mr(vmr, flags, addr, length, (uintptr_t)addr,
				access, pd, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
}

int rox_mr_dereg(struct verbs_mr *vmr)
{
	int ret = ibv_cmd_dereg_mr(vmr);

	if (ret)
		return ret;
	free(vmr);
	return 0;
}
