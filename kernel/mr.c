// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: who may touch which bytes, and where they are.
 *
 * A reference is taken for one copy, with bottom halves disabled, and so lasts
 * for microseconds; of a program's memory for one message within the host, its
 * completions included. Deregistration and invalidation make the region impossible
 * to find or to enter, and then wait for the last copy under way: when they
 * return, nothing touches the memory any more.
 */
#include <linux/overflow.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_umem.h>

#include "compat/verbs.h"
#include "device.h"
#include "key.h"
#include "mr.h"

#define ACCESS_KNOWN	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
			 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC | \
			 IB_ACCESS_MW_BIND | IB_ACCESS_HUGETLB | \
			 IB_ACCESS_OPTIONAL)

/* Entries of a scatter list that are gone through without a pause. */
#define RUNS_AT_ONCE	4096

/* Pinned user memory, and where it is. */
struct mr_memory {
	struct ib_umem *umem;
	struct rox_extent *extents;
	u32 nr_extents;
};

/* What ROX_LOCAL_DMA_LKEY stands for. It is never freed: nobody counts. */
static struct rox_mr local_dma = {
	.kind = ROX_MR_DMA,
	.key = ROX_LOCAL_DMA_LKEY,
	.access = IB_ACCESS_LOCAL_WRITE,
	.valid = true,
	.length = U64_MAX,
};

static struct rox_mr *mr_new(struct ib_pd *pd, enum rox_mr_kind kind, int access)
{
	struct rox_device *dev = to_rox_dev(pd->device);
	struct rox_mr *mr;
	int err = -ENOMEM;

	if (atomic_inc_return(&dev->nr_mrs) > ROX_MAX_MR)
		goto err_count;
	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		goto err_count;
	err = rox_key_alloc(dev, mr);
	if (err)
		goto err_free;

	mr->pd = pd;
	mr->kind = kind;
	mr->access = access;
	mr->ib.lkey = mr->key;
	mr->ib.rkey = mr->key;
	refcount_set(&mr->refs, 1);
	init_completion(&mr->gone);
	return mr;

err_free:
	kfree(mr);
err_count:
	atomic_dec(&dev->nr_mrs);
	return ERR_PTR(err);
}

/* The key is free already, and nobody has a reference. */
static void mr_free(struct rox_mr *mr)
{
	atomic_dec(&mr->dev->nr_mrs);
	kfree_rcu(mr, rcu);
}

/*
 * Count the contiguous runs of the memory, and list them if there is @out.
 * Physical contiguity is enough: all memory has its place in the direct map.
 */
static u32 list_runs(struct ib_umem *umem, struct rox_extent *out)
{
	u32 skip = ib_umem_offset(umem);
	struct scatterlist *sg;
	u8 *end = NULL;
	u64 offset = 0;
	u32 nr = 0;
	u8 *addr;
	int i;

	for_each_sgtable_sg(&umem->sgt_append.sgt, sg, i) {
		addr = (u8 *)sg_virt(sg) + skip;
		if (addr != end) {
			if (out)
				out[nr] = (struct rox_extent){ offset, addr };
			nr++;
		}
		offset += sg->length - skip;
		end = addr + sg->length - skip;
		skip = 0;
		if (!(i % RUNS_AT_ONCE))
			cond_resched();
	}
	return nr;
}

static int pin_memory(struct ib_device *ib, u64 start, u64 length, int access,
		      struct mr_memory *mem)
{
	mem->umem = ib_umem_get_va(ib, start, length, access);
	if (IS_ERR(mem->umem))
		return PTR_ERR(mem->umem);

	mem->nr_extents = list_runs(mem->umem, NULL);
	mem->extents = kvmalloc_array(mem->nr_extents, sizeof(*mem->extents),
				      GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!mem->extents) {
		ib_umem_release(mem->umem);
		return -ENOMEM;
	}
	list_runs(mem->umem, mem->extents);
	return 0;
}

static void unpin_memory(const struct mr_memory *mem)
{
	kvfree(mem->extents);
	ib_umem_release(mem->umem);
}

/* Exchange the region's memory for @mem; nobody may be looking. */
static void swap_memory(struct rox_mr *mr, struct mr_memory *mem)
{
	swap(mr->umem, mem->umem);
	swap(mr->extents, mem->extents);
	swap(mr->nr_extents, mem->nr_extents);
}

static int check_range(u64 start, u64 length, u64 iova)
{
	u64 last;

	if (!length || length > SIZE_MAX)
		return -EINVAL;
	if (check_add_overflow(start, length - 1, &last) ||
	    check_add_overflow(iova, length - 1, &last))
		return -EINVAL;
	return 0;
}

static void set_range(struct rox_mr *mr, u64 iova, u64 length)
{
	mr->iova = iova;
	mr->length = length;
	mr->ib.iova = iova;
	mr->ib.length = length;
}

/**
 * rox_mr_register - register a program's memory
 * @pd:     protection domain
 * @start:  its address in the caller's memory
 * @length: bytes, at least 1
 * @iova:   the address by which work requests call @start
 * @access: IB_ACCESS_*
 *
 * Context: process, may sleep.
 * Return: the region, or -EOPNOTSUPP (access flags), -EINVAL (addresses wrap),
 * -ENOMEM (also the memlock limit), -EFAULT.
 */
struct ib_mr *rox_mr_register(struct ib_pd *pd, u64 start, u64 length, u64 iova,
			      int access)
{
	struct mr_memory mem;
	struct rox_mr *mr;
	int err;

	if (access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	err = check_range(start, length, iova);
	if (err)
		return ERR_PTR(err);

	mr = mr_new(pd, ROX_MR_USER, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	err = pin_memory(pd->device, start, length, access, &mem);
	if (err) {
		rox_key_free(mr);
		mr_free(mr);
		return ERR_PTR(err);
	}
	swap_memory(mr, &mem);
	set_range(mr, iova, length);
	mr->ib.type = IB_MR_TYPE_USER;
	mr->valid = true;
	rox_key_publish(mr);
	return &mr->ib;
}

static void wait_for_copies(struct rox_mr *mr)
{
	rox_mr_put(mr);
	wait_for_completion(&mr->gone);
}

/* Undo wait_for_copies(), with the region changed meanwhile. */
static void revive(struct rox_mr *mr)
{
	reinit_completion(&mr->gone);
	/*
	 * Somebody may have found the region before it was hidden and take a
	 * reference now: he has to see it as it is now. Pairs with the barrier
	 * in rox_mr_get().
	 */
	smp_wmb();
	refcount_set(&mr->refs, 1);
	rox_key_publish(mr);
}

/* The memory a re-registration needs to pin, if any: @mem->umem is set then. */
static int repin_memory(struct rox_mr *mr, int flags, u64 start, u64 length,
			int access, struct mr_memory *mem)
{
	if (!(flags & IB_MR_REREG_TRANS)) {
		if (!ib_access_writable(access) || mr->umem->writable)
			return 0;
		/* Pinned for reading; to be written now. */
		if (mr->umem->owning_mm != current->mm)
			return -EPERM;
		start = mr->umem->address;
		length = mr->umem->length;
	}
	return pin_memory(&mr->dev->ib, start, length, access, mem);
}

/**
 * rox_rereg_user_mr - change memory, rights or protection domain of a region
 * @ibmr:   the region
 * @flags:  IB_MR_REREG_*: which of the others count
 * @start:  see rox_mr_register()
 * @length: see there
 * @iova:   see there
 * @access: see there
 * @pd:     new protection domain
 * @udata:  unused
 *
 * The keys stay. Accesses during the change are refused. If it fails, the
 * region is as it was.
 *
 * Context: process, may sleep. Return: NULL, or an error of rox_mr_register().
 */
struct ib_mr *rox_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start,
				u64 length, u64 iova, int access,
				struct ib_pd *pd, struct ib_udata *udata)
{
	struct rox_mr *mr = to_rox_mr(ibmr);
	struct mr_memory mem = {};
	int err;

	if (!(flags & IB_MR_REREG_ACCESS))
		access = mr->access;
	if (flags & ~IB_MR_REREG_SUPPORTED || access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	if (mr->kind != ROX_MR_USER)
		return ERR_PTR(-EINVAL);
	if (flags & IB_MR_REREG_TRANS) {
		err = check_range(start, length, iova);
		if (err)
			return ERR_PTR(err);
	}
	err = repin_memory(mr, flags, start, length, access, &mem);
	if (err)
		return ERR_PTR(err);

	rox_key_hide(mr);
	wait_for_copies(mr);
	if (mem.umem)
		swap_memory(mr, &mem);
	if (flags & IB_MR_REREG_TRANS)
		set_range(mr, iova, length);
	if (flags & IB_MR_REREG_PD)
		mr->pd = pd;
	mr->access = access;
	revive(mr);

	if (mem.umem)
		unpin_memory(&mem);
	return NULL;
}

/**
 * rox_get_dma_mr - a region of all kernel memory, by kernel address
 * @pd:     a kernel user's protection domain
 * @access: IB_ACCESS_*
 *
 * Context: process, may sleep. Return: the region, -EOPNOTSUPP or -ENOMEM.
 */
struct ib_mr *rox_get_dma_mr(struct ib_pd *pd, int access)
{
	struct rox_mr *mr;

	if (access & ~ACCESS_KNOWN)
		return ERR_PTR(-EOPNOTSUPP);
	mr = mr_new(pd, ROX_MR_DMA, access);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	set_range(mr, 0, U64_MAX);
	mr->ib.type = IB_MR_TYPE_DMA;
	mr->valid = true;
	rox_key_publish(mr);
	return &mr->ib;
}

/**
 * rox_dereg_mr - end a region
 * @ibmr:  the region
 * @udata: unused
 *
 * Context: process; sleeps for the copies under way, microseconds. Return: 0.
 */
int rox_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct rox_mr *mr = to_rox_mr(ibmr);

	rox_key_free(mr);
	wait_for_copies(mr);
	kvfree(mr->extents);
	ib_umem_release(mr->umem);
	mr_free(mr);
	return 0;
}

/**
 * rox_alloc_mr - a region for fast registration
 * @pd:         protection domain
 * @type:       IB_MR_TYPE_MEM_REG
 * @max_num_sg: pages, at most ROX_MAX_FRWR_PAGES
 *
 * Context: process, may sleep.
 * Return: the region, or -EOPNOTSUPP, -EINVAL, -ENOMEM.
 */
struct ib_mr *rox_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	struct rox_mr *mr;

	if (type != IB_MR_TYPE_MEM_REG)
		return ERR_PTR(-EOPNOTSUPP);
	if (!max_num_sg || max_num_sg > ROX_MAX_FRWR_PAGES)
		return ERR_PTR(-EINVAL);

	mr = mr_new(pd, ROX_MR_FAST, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->extents = kvcalloc(max_num_sg, sizeof(*mr->extents), GFP_KERNEL);
	if (!mr->extents) {
		rox_key_free(mr);
		mr_free(mr);
		return ERR_PTR(-ENOMEM);
	}
	mr->max_pages = max_num_sg;
	mr->ib.type = IB_MR_TYPE_MEM_REG;
	rox_key_publish(mr);
	return &mr->ib;
}

/*
 * Nobody enters any more, and those inside have left. He who takes a reference
 * looks at valid before and after, so there is an end to this: those that are
 * past the first look, each for one copy.
 */
static void invalidate(struct rox_mr *mr)
{
	WRITE_ONCE(mr->valid, false);
	/* Pairs with the barrier in rox_mr_get(). */
	smp_mb();
	/*
	 * With PREEMPT_RT we may have preempted the one we wait for; but he has
	 * bottom halves disabled, which there is a lock that lends priority.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		local_bh_disable();
	while (refcount_read(&mr->refs) > 1)
		cpu_relax();
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		local_bh_enable();
}

static int add_page(struct ib_mr *ibmr, u64 addr)
{
	struct rox_mr *mr = to_rox_mr(ibmr);
	u64 offset = (u64)mr->nr_pages * ibmr->page_size;
	u8 *page = (u8 *)(uintptr_t)addr;
	struct rox_extent *last;

	if (mr->nr_pages == mr->max_pages)
		return -ENOMEM;
	mr->nr_pages++;
	if (mr->nr_extents) {
		last = &mr->extents[mr->nr_extents - 1];
		if (last->addr + (offset - last->offset) == page)
			return 0;
	}
	mr->extents[mr->nr_extents++] = (struct rox_extent){ offset, page };
	return 0;
}

/**
 * rox_map_mr_sg - gather what the next REG_MR makes accessible
 * @ibmr:      from rox_alloc_mr()
 * @sg:        DMA mapped, so its addresses are kernel addresses
 * @nents:     entries of it
 * @sg_offset: where to begin in the first one; in and out
 *
 * A region still valid is invalidated first.
 *
 * Context: any but hard interrupt. Return: entries mapped, or -EINVAL.
 */
int rox_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
		  unsigned int *sg_offset)
{
	struct rox_mr *mr = to_rox_mr(ibmr);
	u32 head, i;
	int ret;

	if (mr->kind != ROX_MR_FAST)
		return -EINVAL;
	invalidate(mr);
	mr->nr_pages = 0;
	mr->nr_extents = 0;
	ret = ib_sg_to_pages(ibmr, sg, nents, sg_offset, add_page);
	if (ret <= 0)
		return ret;

	/* The region begins inside its first page. */
	head = ibmr->iova & (ibmr->page_size - 1);
	mr->extents[0].addr += head;
	for (i = 1; i < mr->nr_extents; i++)
		mr->extents[i].offset -= head;
	return ret;
}

/**
 * rox_mr_fast_register - carry a REG_MR out
 * @mr:     the region
 * @key:    its new key: another variant of the one it got
 * @access: IB_ACCESS_*
 *
 * Context: any, one caller at a time for a region.
 * Return: 0, or -EINVAL: not of that kind, in use, or not its key.
 */
int rox_mr_fast_register(struct rox_mr *mr, u32 key, int access)
{
	if (mr->kind != ROX_MR_FAST || READ_ONCE(mr->valid) ||
	    (mr->key ^ key) & ~ROX_KEY_VARIANT_MASK)
		return -EINVAL;

	WRITE_ONCE(mr->key, key);
	mr->access = access;
	mr->iova = mr->ib.iova;
	mr->length = mr->ib.length;
	/* Pairs with grants(): valid means that all of it is. */
	smp_store_release(&mr->valid, true);
	return 0;
}

/**
 * rox_mr_invalidate - end the access by a fast registered region's key
 * @pd:  protection domain of the QP that asks
 * @key: the key
 *
 * Copies under way have ended when it returns. A region that is not valid
 * stays so: that is no error.
 *
 * Context: bottom halves disabled, no region but a program's referenced by the caller.
 * Return: 0, or -EINVAL if @pd has no such key.
 */
int rox_mr_invalidate(struct ib_pd *pd, u32 key)
{
	struct rox_mr *mr;
	int err = -EINVAL;

	/*
	 * No reference is taken: two who invalidate the same region would wait
	 * for each other. RCU keeps it as long as it is needed here.
	 */
	mr = rox_key_find(to_rox_dev(pd->device), key);
	if (mr && mr->kind == ROX_MR_FAST && READ_ONCE(mr->key) == key &&
	    mr->pd == pd) {
		invalidate(mr);
		err = 0;
	}
	return err;
}

/* What is inline from here on, each message of 64 bytes does twice. */
static __always_inline bool grants(const struct rox_mr *mr, const struct ib_pd *pd,
				   u32 key, u64 addr, u64 bytes, int access)
{
	u64 offset;

	/* Pairs with rox_mr_fast_register(). */
	if (!smp_load_acquire(&mr->valid))
		return false;
	if (READ_ONCE(mr->key) != key || mr->pd != pd || access & ~mr->access)
		return false;
	offset = addr - mr->iova;
	return addr >= mr->iova && offset <= mr->length &&
	       bytes <= mr->length - offset;
}

static struct rox_mr *get_local_dma(const struct ib_pd *pd, u64 addr, u64 bytes,
				    int access)
{
	if (pd->uobject || access & ~local_dma.access ||
	    bytes > U64_MAX - addr)
		return NULL;
	return &local_dma;
}

static __always_inline struct rox_mr *get_granting(struct ib_pd *pd, u32 key, u64 addr,
						   u64 bytes, int access)
{
	struct rox_mr *mr;

	if (key == ROX_LOCAL_DMA_LKEY)
		return get_local_dma(pd, addr, bytes, access);

	mr = rox_key_find(to_rox_dev(pd->device), key);
	if (!mr || !READ_ONCE(mr->valid) || !refcount_inc_not_zero(&mr->refs))
		return NULL;

	/* Pairs with invalidate() and revive(): a reference, then a look. */
	smp_mb__after_atomic();
	if (likely(grants(mr, pd, key, addr, bytes, access)))
		return mr;
	rox_mr_put(mr);
	return NULL;
}

/**
 * rox_mr_get - look a key up and check an access
 * @pd:     the QP's protection domain
 * @key:    lkey or rkey
 * @addr:   first byte, in the region's I/O virtual addresses
 * @bytes:  length; @addr + @bytes may not wrap
 * @access: IB_ACCESS_* bits the region must grant; 0 for local read
 *
 * Context: bottom halves disabled until rox_mr_put(), or whoever waits for the
 * reference waits long. Return: the region, or NULL if any of it does not hold.
 */
struct rox_mr *rox_mr_get(struct ib_pd *pd, u32 key, u64 addr, u64 bytes, int access)
{
	return get_granting(pd, key, addr, bytes, access);
}

static inline bool is_in_extent(const struct rox_mr *mr, u32 i, u64 offset)
{
	const struct rox_extent *ext = mr->extents;

	return i < mr->nr_extents && ext[i].offset <= offset &&
	       (i + 1 == mr->nr_extents || ext[i + 1].offset > offset);
}

static u32 search_extent(const struct rox_mr *mr, u64 offset)
{
	u32 low = 0, high = mr->nr_extents;
	u32 mid;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		if (mr->extents[mid].offset <= offset)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* The extent that holds the byte at @offset. Most go on where they were. */
static inline u32 find_extent(struct rox_mr *mr, u64 offset)
{
	u32 last, i;

	if (mr->nr_extents == 1)
		return 0;
	last = READ_ONCE(mr->last_extent);
	if (is_in_extent(mr, last, offset))
		return last;
	i = last + 1;
	if (!is_in_extent(mr, i, offset)) {
		/* Scattered memory has an extent for each page: then this is it. */
		i = (offset + offset_in_page(mr->extents[0].addr)) >> PAGE_SHIFT;
		if (!is_in_extent(mr, i, offset))
			i = search_extent(mr, offset);
	}
	WRITE_ONCE(mr->last_extent, i);
	return i;
}

static __always_inline u8 *run_at(struct rox_mr *mr, u64 addr, u32 *bytes)
{
	u64 offset = addr - mr->iova;
	u64 end;
	u32 i;

	if (mr->kind == ROX_MR_DMA)
		return (u8 *)(uintptr_t)addr;

	i = find_extent(mr, offset);
	end = i + 1 < mr->nr_extents ? mr->extents[i + 1].offset : mr->length;
	*bytes = min_t(u64, *bytes, end - offset);
	return mr->extents[i].addr + (offset - mr->extents[i].offset);
}

/**
 * rox_mr_run - the longest contiguous run at an address
 * @mr:    referenced
 * @addr:  inside it
 * @bytes: in: wanted, at least 1; out: available, at least 1
 *
 * Context: any. Return: kernel address of the byte.
 */
u8 *rox_mr_run(struct rox_mr *mr, u64 addr, u32 *bytes)
{
	return run_at(mr, addr, bytes);
}

/**
 * rox_mr_get_piece - look a key up, check an access, and find the bytes
 * @pd:     as for rox_mr_get()
 * @key:    likewise
 * @addr:   likewise
 * @bytes:  at least 1
 * @access: likewise
 * @piece:  if it is granted: where they are, if in one piece, else NULL
 *
 * Context: as for rox_mr_get(). Return: likewise.
 */
struct rox_mr *rox_mr_get_piece(struct ib_pd *pd, u32 key, u64 addr, u32 bytes,
				int access, u8 **piece)
{
	struct rox_mr *mr = get_granting(pd, key, addr, bytes, access);
	u32 run = bytes;

	if (!mr)
		return NULL;
	*piece = run_at(mr, addr, &run);
	if (run != bytes)
		*piece = NULL;
	return mr;
}
