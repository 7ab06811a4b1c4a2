/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A user's open context, its queue pairs, and the rings it maps. */
#ifndef ROX_UCONTEXT_H
#define ROX_UCONTEXT_H

#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "poll.h"

struct rox_ring;

struct rox_ucontext {
	struct ib_ucontext ib;
	u64 caps;		/* ROX_CAP_* both sides have */
	struct xarray qps;	/* numbers of its QPs, to kick them all */
	struct rox_poller poller;
};

/* Cookie for mmap; has its own page references, so it may outlive the ring. */
struct rox_mmap {
	struct rdma_user_mmap_entry entry;
	struct rox_pages *pages;	/* a reference */
};

static inline struct rox_ucontext *to_rox_ucontext(struct ib_ucontext *ib)
{
	return container_of(ib, struct rox_ucontext, ib);
}

int rox_alloc_ucontext(struct ib_ucontext *ib, struct ib_udata *udata);
void rox_dealloc_ucontext(struct ib_ucontext *ib);
void rox_disassociate_ucontext(struct ib_ucontext *ib);

/*
 * A QP of a program is known to its context from after rox_qp_publish() until
 * before rox_qp_unpublish().
 */
int rox_ucontext_add_qp(struct rox_ucontext *uctx, u32 qpn);
void rox_ucontext_del_qp(struct rox_ucontext *uctx, u32 qpn);

/* mmap.c */
int rox_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma);
void rox_mmap_free(struct rdma_user_mmap_entry *entry);

/* uapi.c */
extern const struct uapi_definition rox_uapi_defs[];

#endif
