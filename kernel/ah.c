// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address vectors, and address handles: numbered address vectors.
 *
 * A work request names an address handle by number, and a sender finds it under
 * RCU. Of a handle that is gone, the route cache lives on for a grace period;
 * the GID reference does not, since the core wants all of them back before the
 * device goes. So senders keep off av->sgid_attr.
 */
#include <linux/slab.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <rdma/ib_cache.h>
#include <rdma/uverbs_ioctl.h>

#include "av.h"
#include "device.h"
#include "udata.h"

static int set_addresses(struct rox_av *av, const union ib_gid *sgid,
			 const union ib_gid *dgid)
{
	const struct in6_addr *saddr = (const struct in6_addr *)sgid->raw;
	const struct in6_addr *daddr = (const struct in6_addr *)dgid->raw;

	av->ipv6 = !ipv6_addr_v4mapped(saddr);
	/* IPv4 multicast has GIDs of its own, but those are v4-mapped too. */
	if (av->ipv6 == ipv6_addr_v4mapped(daddr))
		return -EINVAL;

	if (av->ipv6) {
		av->saddr6 = *saddr;
		av->daddr6 = *daddr;
	} else {
		av->saddr4 = saddr->s6_addr32[3];
		av->daddr4 = daddr->s6_addr32[3];
	}
	return 0;
}

static int set_ifindex(struct rox_av *av, const struct ib_gid_attr *sgid)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rdma_read_gid_attr_ndev_rcu(sgid);
	if (!IS_ERR(ndev))
		av->ifindex = ndev->ifindex;
	rcu_read_unlock();
	return IS_ERR(ndev) ? -EINVAL : 0;
}

/**
 * rox_av_init - fill an address vector from verbs attributes
 * @av:   filled; what it held is lost
 * @attr: has a GRH, its sgid_attr resolved by the core
 * @lqpn: and
 * @rqpn: for the UDP source port when the flow label is 0
 * @gfp:  what the context allows
 *
 * Takes its own reference on the source GID. Context: any that @gfp fits.
 * Return: 0, -EINVAL (no GRH, GID unusable), -ENOMEM.
 */
int rox_av_init(struct rox_av *av, const struct rdma_ah_attr *attr, u32 lqpn,
		u32 rqpn, gfp_t gfp)
{
	const struct ib_global_route *grh = &attr->grh;
	const struct ib_gid_attr *sgid = grh->sgid_attr;
	int err;

	if (!(attr->ah_flags & IB_AH_GRH) || !sgid ||
	    sgid->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return -EINVAL;

	memset(av, 0, sizeof(*av));
	err = set_addresses(av, &sgid->gid, &grh->dgid);
	if (!err)
		err = set_ifindex(av, sgid);
	if (!err)
		err = dst_cache_init(&av->dst, gfp | __GFP_ACCOUNT);
	if (err)
		return err;

	av->tos = grh->traffic_class;
	av->ttl = grh->hop_limit ?: IPDEFTTL;
	av->flow_label = grh->flow_label & IB_GRH_FLOWLABEL_MASK;
	av->sport = rdma_get_udp_sport(av->flow_label, lqpn, rqpn);
	rdma_hold_gid_attr(sgid);
	av->sgid_attr = sgid;
	return 0;
}

static void put_gid(struct rox_av *av)
{
	if (av->sgid_attr)
		rdma_put_gid_attr(av->sgid_attr);
	av->sgid_attr = NULL;
}

/**
 * rox_av_fini - give up what an address vector holds
 * @av: from rox_av_init()
 *
 * Context: any; nobody sends by it any more.
 */
void rox_av_fini(struct rox_av *av)
{
	put_gid(av);
	dst_cache_destroy(&av->dst);
}

static void free_entry(struct rcu_head *rcu)
{
	struct rox_ah_entry *entry = container_of(rcu, struct rox_ah_entry, rcu);

	rox_av_fini(&entry->av);
	kfree(entry);
}

static void retire_entry(struct rox_ah_entry *entry)
{
	put_gid(&entry->av);
	call_rcu(&entry->rcu, free_entry);
}

static struct rox_ah_entry *new_entry(const struct ib_pd *pd,
				      const struct rdma_ah_attr *attr, gfp_t gfp)
{
	struct rox_ah_entry *entry = kzalloc(sizeof(*entry), gfp | __GFP_ACCOUNT);
	int err;

	if (!entry)
		return ERR_PTR(-ENOMEM);
	err = rox_av_init(&entry->av, attr, 0, 0, gfp);
	if (err) {
		kfree(entry);
		return ERR_PTR(err);
	}
	entry->pd = pd;
	entry->attr = *attr;
	entry->attr.grh.sgid_attr = NULL;
	return entry;
}

/* Numbers that one sort of users has, and where they go on. */
struct numbers {
	u32 first, last;
	u32 *cursor;
};

/* Programs cannot take those that the connection manager needs. */
static struct numbers numbers_of(struct rox_device *dev, bool kernel)
{
	if (kernel)
		return (struct numbers) {
			ROX_MAX_AH + 1, 2 * ROX_MAX_AH, &dev->kernel_ah_cursor,
		};
	return (struct numbers) { 1, ROX_MAX_AH, &dev->ah_cursor };
}

/* In a circle; see take_number() in lookup.c. The table is locked. */
static int take_number(struct rox_device *dev, struct rox_ah_entry *entry,
		       const struct numbers *all, gfp_t gfp)
{
	u32 from = clamp(*all->cursor, all->first, all->last);
	int err;

	err = __xa_alloc(&dev->ahs, &entry->number, entry, XA_LIMIT(from, all->last), gfp);
	if (err == -EBUSY)
		err = __xa_alloc(&dev->ahs, &entry->number, entry,
				 XA_LIMIT(all->first, from), gfp);
	if (!err)
		*all->cursor = entry->number == all->last ? all->first :
							    entry->number + 1;
	return err;
}

/* Callers may have interrupts disabled, so none of the plain xa_*() will do. */
static int number_entry(struct rox_device *dev, struct rox_ah_entry *entry,
			bool kernel, gfp_t gfp)
{
	struct numbers all = numbers_of(dev, kernel);
	unsigned long flags;
	int err;

	xa_lock_irqsave(&dev->ahs, flags);
	err = take_number(dev, entry, &all, gfp | __GFP_ACCOUNT);
	xa_unlock_irqrestore(&dev->ahs, flags);
	return err ? -ENOMEM : 0;
}

/**
 * rox_create_ah - verb; kernel users' and programs'
 * @ibah:  zeroed by the core, which set device and pd
 * @init:  attributes, and whether sleeping is allowed
 * @udata: NULL for kernel users
 *
 * Context: process, or any with interrupts disabled for kernel users that do
 * not pass RDMA_CREATE_AH_SLEEPABLE. Return: 0, -EINVAL, -ENOMEM, -EFAULT.
 */
int rox_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		  struct ib_udata *udata)
{
	gfp_t gfp = init->flags & RDMA_CREATE_AH_SLEEPABLE ? GFP_KERNEL : GFP_ATOMIC;
	struct rox_ah *ah = container_of(ibah, struct rox_ah, ib);
	struct rox_create_ah_resp resp = {};
	int err;

	/* libibverbs has no room for a request with this verb. */
	err = udata && udata->inlen ? rox_udata_no_flags(udata) : 0;
	if (err)
		return err;
	ah->entry = new_entry(ibah->pd, init->ah_attr, gfp);
	if (IS_ERR(ah->entry))
		return PTR_ERR(ah->entry);
	err = number_entry(to_rox_dev(ibah->device), ah->entry, !udata, gfp);
	if (err) {
		retire_entry(ah->entry);
		return err;
	}
	resp.ah_number = ah->entry->number;
	err = udata ? rox_udata_out(udata, &resp, sizeof(resp)) : 0;
	if (err)
		rox_destroy_ah(ibah, RDMA_DESTROY_AH_SLEEPABLE);
	return err;
}

/**
 * rox_modify_ah - verb: another address under the same number
 * @ibah: the handle
 * @attr: new attributes
 *
 * Context: any, as the core has it. Return: 0, -EINVAL, -ENOMEM.
 */
int rox_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct rox_device *dev = to_rox_dev(ibah->device);
	struct rox_ah *ah = container_of(ibah, struct rox_ah, ib);
	struct rox_ah_entry *old = ah->entry;
	struct rox_ah_entry *entry;
	unsigned long flags;

	entry = new_entry(ibah->pd, attr, GFP_ATOMIC);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	entry->number = old->number;
	/* Its place is taken already, so this cannot fail. */
	xa_lock_irqsave(&dev->ahs, flags);
	__xa_store(&dev->ahs, entry->number, entry, 0);
	xa_unlock_irqrestore(&dev->ahs, flags);
	ah->entry = entry;
	retire_entry(old);
	return 0;
}

/**
 * rox_query_ah - verb
 * @ibah: the handle
 * @attr: filled, without a GID reference
 *
 * Context: any. Return: 0.
 */
int rox_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = container_of(ibah, struct rox_ah, ib)->entry->attr;
	return 0;
}

/**
 * rox_destroy_ah - verb
 * @ibah:  the handle
 * @flags: RDMA_DESTROY_AH_*
 *
 * Context: any that rox_create_ah() may run in. Return: 0.
 */
int rox_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct rox_ah_entry *entry = container_of(ibah, struct rox_ah, ib)->entry;
	struct rox_device *dev = to_rox_dev(ibah->device);
	unsigned long irq_flags;

	xa_lock_irqsave(&dev->ahs, irq_flags);
	__xa_erase(&dev->ahs, entry->number);
	xa_unlock_irqrestore(&dev->ahs, irq_flags);
	retire_entry(entry);
	return 0;
}

/**
 * rox_ah_find - an address handle by its number
 * @dev:    the sender's device
 * @number: from anywhere
 * @pd:     the sender's protection domain
 *
 * Context: RCU read side, for as long as the entry is used.
 * Return: the entry, or NULL if there is none in that protection domain.
 */
struct rox_ah_entry *rox_ah_find(struct rox_device *dev, u32 number,
				 const struct ib_pd *pd)
{
	struct rox_ah_entry *entry = xa_load(&dev->ahs, number);

	return entry && entry->pd == pd ? entry : NULL;
}
