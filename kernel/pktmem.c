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
 *
 * So the blocks also tell how much a CPU's packets wait in the queues of this host.
 * Such queues count packets, and a burst is one for them: when all blocks are in use
 * there are no bursts, and single packets have ordinary memory.
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
	bool is_short;			/* all are in use */
};

/* Only its CPU touches it, with BHs disabled. */
static DEFINE_PER_CPU(struct pktmem, pktmem) = { .used = BLOCK_BYTES };

static bool is_free(const struct page *block)
{
	return page_ref_count(block) == 1;
}

static bool make_block(struct page **block)
{
	*block = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY,
			     BLOCK_ORDER);
	return *block;
}

/* Go on with the next block that is not in use. */
static bool next_block(struct pktmem *mem)
{
	u32 i, at;

	for (i = 1; i <= NR_BLOCKS; i++) {
		at = (mem->at + i) % NR_BLOCKS;
		if (mem->blocks[at] ? is_free(mem->blocks[at]) :
				      make_block(&mem->blocks[at])) {
			mem->at = at;
			mem->used = 0;
			return true;
		}
	}
	return false;
}

/* @bytes of memory with a reference to their page, or NULL. */
static void *cut(struct pktmem *mem, u32 bytes)
{
	void *piece;

	mem->is_short = mem->used + bytes > BLOCK_BYTES && !next_block(mem);
	if (mem->is_short)
		return NULL;
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
 * rox_pktmem_is_short - does as much as may wait in this host's queues?
 *
 * Of the packets of this CPU. Context: BHs disabled.
 */
bool rox_pktmem_is_short(void)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) || this_cpu_read(pktmem.is_short);
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
