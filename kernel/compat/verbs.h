/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Entries of struct ib_device_ops whose signatures changed between 6.1 and 7.3,
 * and what of the verbs core has moved. verbs.c puts these into its table:
 *
 *   .create_cq = rox_create_cq, ROX_OP_CREATE_USER_CQ ROX_OP_RESIZE_CQ
 *   .reg_user_mr = rox_reg_user_mr,
 */
#ifndef ROX_COMPAT_VERBS_H
#define ROX_COMPAT_VERBS_H

#include <linux/version.h>
#include <rdma/ib_umem.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "../cq.h"
#include "../mr.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static inline int rox_create_cq(struct ib_cq *ibcq,
				const struct ib_cq_init_attr *attr,
				struct uverbs_attr_bundle *attrs)
{
	return rox_cq_create(ibcq, attr, attrs ? &attrs->driver_udata : NULL);
}
#else
static inline int rox_create_cq(struct ib_cq *ibcq,
				const struct ib_cq_init_attr *attr,
				struct ib_udata *udata)
{
	return rox_cq_create(ibcq, attr, udata);
}
#endif

/* Programs' queues have an entry of their own since 7.1. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#define ROX_OP_CREATE_USER_CQ	.create_user_cq = rox_create_cq,
#define ROX_OP_RESIZE_CQ	.resize_user_cq = rox_cq_resize,
#else
#define ROX_OP_CREATE_USER_CQ
static inline int rox_resize_cq(struct ib_cq *ibcq, int cqe,
				struct ib_udata *udata)
{
	return cqe < 1 ? -EINVAL : rox_cq_resize(ibcq, cqe, udata);
}

#define ROX_OP_RESIZE_CQ	.resize_cq = rox_resize_cq,
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
static inline struct ib_mr *rox_reg_user_mr(struct ib_pd *pd, u64 start,
					    u64 length, u64 iova, int access,
					    struct ib_dmah *dmah,
					    struct ib_udata *udata)
{
	/* Processing hints are for a card's bus transactions. */
	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	return rox_mr_register(pd, start, length, iova, access);
}
#else
static inline struct ib_mr *rox_reg_user_mr(struct ib_pd *pd, u64 start,
					    u64 length, u64 iova, int access,
					    struct ib_udata *udata)
{
	return rox_mr_register(pd, start, length, iova, access);
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
static inline struct ib_umem *ib_umem_get_va(struct ib_device *device,
					     unsigned long addr, size_t size,
					     int access)
{
	return ib_umem_get(device, addr, size, access);
}
#endif

#endif
