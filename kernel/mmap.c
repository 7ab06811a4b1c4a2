// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of rings, and how programs map it.
 *
 * A mapping holds references of its own on the pages, and its VMA has no
 * operations of ours. So when a ring goes, by its program's will or because the
 * device is removed, what is still mapped is memory like any other: nobody else
 * writes to it, and no code of this module has to stay for it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/ib_verbs.h>

#include "compat/mm.h"
#include "ring.h"
#include "ucontext.h"

/* What a __u32 length in the response structs can tell. */
#define RING_MAX_BYTES		SZ_1G
/* The largest have some ten thousand pages: others may run in between. */
#define PAGES_AT_ONCE		256

static void breathe(u32 i)
{
	if (!(i % PAGES_AT_ONCE))
		cond_resched();
}

/*
 * What a ring is made of: of the ring, and of who may map it, whichever goes last. A
 * mapping has references of its own to the pages.
 */
struct rox_pages {
	refcount_t refs;
	u32 nr;
	struct page *page[];
};

static void free_pages_of(struct rox_pages *pages, u32 nr)
{
	while (nr--) {
		put_page(pages->page[nr]);
		breathe(nr);
	}
	kvfree(pages);
}

static void put_pages(struct rox_pages *pages)
{
	if (refcount_dec_and_test(&pages->refs))
		free_pages_of(pages, pages->nr);
}

/* Charged to the creator's memory cgroup, not to its memlock limit. */
static struct rox_pages *get_new_pages(u32 nr)
{
	struct rox_pages *pages;
	struct page *page;
	u32 i;

	pages = kvmalloc(struct_size(pages, page, nr), GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!pages)
		return NULL;
	refcount_set(&pages->refs, 1);
	pages->nr = nr;
	for (i = 0; i < nr; i++) {
		page = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
		pages->page[i] = page;
		if (!page || fatal_signal_pending(current)) {
			free_pages_of(pages, i + !!page);
			return NULL;
		}
		breathe(i);
	}
	return pages;
}

/* A single one is mapped already, where all memory is. */
static void *map_in_kernel(struct rox_pages *pages)
{
	if (pages->nr == 1)
		return page_address(pages->page[0]);
	return vmap(pages->page, pages->nr, VM_MAP, PAGE_KERNEL);
}

static void unmap_in_kernel(const struct rox_pages *pages, void *addr)
{
	if (pages->nr > 1)
		vunmap(addr);
}

static struct rox_mmap *offer_pages(struct rox_ucontext *uctx, struct rox_pages *pages)
{
	struct rox_mmap *map;

	map = kzalloc(sizeof(*map), GFP_KERNEL_ACCOUNT);
	if (!map)
		return NULL;
	refcount_inc(&pages->refs);
	map->pages = pages;
	/* From here on who guesses the offset can map it. */
	if (!rdma_user_mmap_entry_insert(&uctx->ib, &map->entry,
					 (size_t)pages->nr * PAGE_SIZE))
		return map;
	put_pages(pages);
	kfree(map);
	return NULL;
}

static size_t ring_bytes(u32 entries, u32 stride)
{
	return size_add(ROX_RING_DATA, size_mul(entries, stride));
}

/**
 * rox_ring_create - allocate a ring, and offer it for mmap if @uctx
 * @ring:    zeroed
 * @uctx:    the user's context, or NULL for a kernel user
 * @entries: at least 1; rounded up to a power of two
 * @stride:  bytes of an entry, a multiple of 16
 *
 * Context: process, may sleep. Return: 0, -ENOMEM or -EINVAL.
 */
int rox_ring_create(struct rox_ring *ring, struct rox_ucontext *uctx,
		    u32 entries, u32 stride)
{
	size_t bytes;

	if (!entries || entries > BIT(31) || !stride || stride % 16)
		return -EINVAL;
	entries = roundup_pow_of_two(entries);
	bytes = ring_bytes(entries, stride);
	if (bytes > RING_MAX_BYTES)
		return -EINVAL;
	ring->pages = get_new_pages(DIV_ROUND_UP(bytes, PAGE_SIZE));
	if (!ring->pages)
		goto err_pages;
	ring->hdr = map_in_kernel(ring->pages);
	if (!ring->hdr)
		goto err_map;
	if (uctx) {
		ring->map = offer_pages(uctx, ring->pages);
		if (!ring->map)
			goto err_offer;
	}
	ring->data = (void *)ring->hdr + ROX_RING_DATA;
	ring->entries = entries;
	ring->stride = stride;
	return 0;

err_offer:
	unmap_in_kernel(ring->pages, ring->hdr);
err_map:
	put_pages(ring->pages);
err_pages:
	memset(ring, 0, sizeof(*ring));
	return -ENOMEM;
}

/**
 * rox_ring_destroy - free a ring, if there is one
 * @ring: nothing in the kernel looks at it any more
 *
 * Context: process, may sleep.
 */
void rox_ring_destroy(struct rox_ring *ring)
{
	if (!ring->hdr)
		return;
	if (ring->map)
		rdma_user_mmap_entry_remove(&ring->map->entry);
	unmap_in_kernel(ring->pages, ring->hdr);
	put_pages(ring->pages);
	memset(ring, 0, sizeof(*ring));
}

/**
 * rox_ring_mmap_offset - where the user finds it
 * @ring: created with a context
 *
 * Context: any. Return: the offset for mmap().
 */
u64 rox_ring_mmap_offset(const struct rox_ring *ring)
{
	return ring->map ? rdma_user_mmap_get_offset(&ring->map->entry) : 0;
}

/**
 * rox_ring_mmap_bytes - how much the user maps, no more and no less
 * @ring: created with a context
 *
 * Context: any. Return: the length for mmap().
 */
u32 rox_ring_mmap_bytes(const struct rox_ring *ring)
{
	return ring->map ? ring->pages->nr * (u32)PAGE_SIZE : 0;
}

static int map_pages(struct rox_pages *pages, struct vm_area_struct *vma)
{
	unsigned long done, some, left;
	int err;

	if (vma->vm_flags & VM_EXEC)
		return -EPERM;
	/* A child of fork() shares it, as it shares the open device. */
	rox_vm_flags_mod(vma, VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	for (done = 0; done < pages->nr; done += some) {
		some = min_t(unsigned long, pages->nr - done, PAGES_AT_ONCE);
		left = some;
		err = vm_insert_pages(vma, vma->vm_start + done * PAGE_SIZE,
				      pages->page + done, &left);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/**
 * rox_mmap - map a ring into a program
 * @ib:  the program's context
 * @vma: whose offset names the ring; shared and of its exact size
 *
 * Context: process, mmap lock held for writing.
 * Return: 0; -EINVAL if there is no such ring; -EPERM to execute it; -ENOMEM.
 */
int rox_mmap(struct ib_ucontext *ib, struct vm_area_struct *vma)
{
	struct rdma_user_mmap_entry *entry;
	int err;

	entry = rdma_user_mmap_entry_get(ib, vma);
	if (!entry)
		return -EINVAL;
	err = map_pages(container_of(entry, struct rox_mmap, entry)->pages, vma);
	rdma_user_mmap_entry_put(entry);
	return err;
}

/**
 * rox_mmap_free - nobody can map a ring any more
 * @entry: of its cookie
 *
 * Context: process.
 */
void rox_mmap_free(struct rdma_user_mmap_entry *entry)
{
	struct rox_mmap *map = container_of(entry, struct rox_mmap, entry);

	put_pages(map->pages);
	kfree(map);
}
