/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Address vectors: where packets of a connection or an address handle go. */
#ifndef ROX_AV_H
#define ROX_AV_H

#include <linux/in6.h>
#include <linux/xarray.h>
#include <net/dst_cache.h>
#include <rdma/ib_verbs.h>

struct rox_device;

/* Immutable once set up, but for the route cache. */
struct rox_av {
	bool ipv6;
	u8 tos;
	u8 ttl;
	u16 sport;		/* host order, 0xc000 and up */
	u32 flow_label;
	int ifindex;		/* of the source GID's netdev */
	union {
		__be32 saddr4;
		struct in6_addr saddr6;
	};
	union {
		__be32 daddr4;
		struct in6_addr daddr6;
	};
	const struct ib_gid_attr *sgid_attr;	/* referenced; not for senders */
	struct dst_cache dst;			/* used with BHs disabled */
	bool singly;				/* the route bears no bursts; both sides set it */
};

struct rox_ah {
	struct ib_ah ib;
	struct rox_ah_entry *entry;
};

/* What a number in a WQE leads to; freed by RCU, so that senders need no lock. */
struct rox_ah_entry {
	struct rcu_head rcu;
	u32 number;
	const struct ib_pd *pd;
	struct rox_av av;
	struct rdma_ah_attr attr;	/* for query */
};

/**
 * rox_av_init - fill an address vector from verbs attributes
 * @lqpn: and @rqpn: for the UDP source port when the flow label is 0
 *
 * Takes its own reference on the source GID. Context: process or softirq (the
 * connection manager creates AHs there); @gfp says which.
 * Return: 0, -EINVAL (no GRH, GID unusable), -ENOMEM.
 */
int rox_av_init(struct rox_av *av, const struct rdma_ah_attr *attr, u32 lqpn,
		u32 rqpn, gfp_t gfp);
void rox_av_fini(struct rox_av *av);

/* dev->ahs: kernel users create address handles with interrupts disabled. */
#define ROX_AH_XA_FLAGS	(XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ | XA_FLAGS_ACCOUNT)

int rox_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata);
int rox_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int rox_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int rox_destroy_ah(struct ib_ah *ibah, u32 flags);

/* RCU read side. NULL if there is none, or it is another protection domain's. */
struct rox_ah_entry *rox_ah_find(struct rox_device *dev, u32 number,
				 const struct ib_pd *pd);

#endif
