// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory for packets on their way out. Distributions clear what is allocated, which
 * costs a packet as much as its CRC. Here each CPU has some blocks of pages that it
 * cuts packets from, in turn. A block whose packets have all been freed, wherever,
 * is cut again as it is: a packet is written from end to end before it leaves.
 *
 * A packet holds a reference to its block as any skb does to the page it lies in, so
 * it may outlive this module. The CPU's own reference keeps the block; its count
 * tells whether anybody else has one.
 */
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>

#include "pktmem.h"

#define BLOCK_ORDER	3
#define BLOCK_BYTES	(PAGE_SIZE << BLOCK_ORDER)
/* A CPU's: more than one QP's window with its headers. */
#define NR_BLOCKS	16

struct pktmem {
	struct page *blocks[NR_BLOCKS];	/* NULL until needed */
	u32 at;				/* the one that is being cut */
	u32 used;			/* bytes of it */
};

/* Only its CPU touches it, with BHs disabled. */
static DEFINE_PER_CPU(struct pktmem, pktmem) = { .used = BLOCK_BYTES };

/* Block @at may be cut from its beginning: it is new, or nobody else's. */
static bool have_block(struct pktmem *mem)
{
	struct page **block = &mem->blocks[mem->at];

	if (*block && page_ref_count(*block) == 1)
		return true;
	if (*block)
		put_page(*block);
	*block = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY,
			     BLOCK_ORDER);
	return *block;
}

/* @bytes of memory with a reference to their page, or NULL. */
static void *cut(struct pktmem *mem, u32 bytes)
{
	void *piece;

	if (mem->used + bytes > BLOCK_BYTES) {
		mem->at = (mem->at + 1) % NR_BLOCKS;
		mem->used = BLOCK_BYTES;
		if (!have_block(mem))
			return NULL;
		mem->used = 0;
	}
	piece = page_address(mem->blocks[mem->at]) + mem->used;
	mem->used += bytes;
	get_page(mem->blocks[mem->at]);
	return piece;
}

static struct sk_buff *cut_skb(u32 bytes)
{
	struct sk_buff *skb;
	void *piece;

	if (bytes > BLOCK_BYTES)
		return NULL;
	piece = cut(this_cpu_ptr(&pktmem), bytes);
	if (!piece)
		return NULL;
	skb = build_skb(piece, bytes);
	if (!skb)
		put_page(virt_to_head_page(piece));
	return skb;
}

/**
 * rox_pktmem_alloc - an empty packet, MAX_HEADER bytes reserved
 * @bytes: room behind them; what is in it is not cleared
 *
 * Context: BHs disabled. Return: NULL without memory.
 */
struct sk_buff *rox_pktmem_alloc(u32 bytes)
{
	struct sk_buff *skb = NULL;

	/* There, BHs disabled is not alone on the CPU. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		skb = cut_skb(SKB_DATA_ALIGN(MAX_HEADER + bytes) +
			      SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
	if (!skb)
		skb = alloc_skb(MAX_HEADER + bytes, GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, MAX_HEADER);
	return skb;
}

/**
 * rox_pktmem_exit - let go of all blocks; packets keep theirs
 *
 * Context: module exit, nobody sends any more.
 */
void rox_pktmem_exit(void)
{
	struct pktmem *mem;
	u32 i;
	int cpu;

	for_each_possible_cpu(cpu) {
		mem = per_cpu_ptr(&pktmem, cpu);
		for (i = 0; i < NR_BLOCKS; i++)
			if (mem->blocks[i])
				put_page(mem->blocks[i]);
	}
}
