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
#include <linux/sizes.h>

#include "pktmem.h"

/* A whole burst, if there is memory in such pieces, or else half as much. */
#define BLOCK_BYTES	SZ_64K
#define LEAST_BYTES	(PAGE_SIZE > SZ_32K ? PAGE_SIZE : SZ_32K)
/* A CPU's: more than one QP's window with its headers. */
#define NR_BLOCKS	8
/* For what encapsulates a burst's packets where nobody asks for more. */
#define HEADROOM	(MAX_HEADER > 256 ? MAX_HEADER : 256)
/* As many packets of one length as it is worth to put into what is left of a block. */
#define MIN_UNITS	8U
/* A block that something has kept for so long is given up, one at a time. */
#define STUCK_TIME	(HZ / 10)

struct pktmem {
	struct page *blocks[NR_BLOCKS];	/* NULL until all others were in use once */
	u32 at;				/* the one that is being cut */
	u32 bytes;			/* that it has; 0 before the first one */
	u32 used;			/* bytes of those */
	bool is_short;			/* all are in use */
	unsigned long look_at;		/* then: when to look for memory again; jiffies */
};

/* Only its CPU touches it, with BHs disabled. */
static DEFINE_PER_CPU(struct pktmem, pktmem);

static bool is_free(const struct page *block)
{
	return block && page_ref_count(block) == 1;
}

/* Its address tells our blocks from other pages. They keep it until they are freed. */
static const u8 mark;
#define MARK	((unsigned long)&mark)

static struct page *make_block(void)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY |
			  __GFP_NOMEMALLOC;
	struct page *block;

	block = alloc_pages(gfp, get_order(BLOCK_BYTES));
	if (!block)
		block = alloc_pages(gfp, get_order(LEAST_BYTES));
	if (block)
		set_page_private(block, MARK);
	return block;
}

static bool begin_block(struct pktmem *mem, u32 at)
{
	mem->at = at;
	mem->bytes = page_size(mem->blocks[at]);
	mem->used = 0;
	mem->is_short = false;
	return true;
}

/* Of blocks that are all in use: one that is not made yet, or else the next to be cut. */
static u32 find_slot(const struct pktmem *mem)
{
	u32 next = (mem->at + 1) % NR_BLOCKS, i;

	for (i = 0; i < NR_BLOCKS; i++)
		if (!mem->blocks[(next + i) % NR_BLOCKS])
			return (next + i) % NR_BLOCKS;
	return next;
}

/* A new block, for one that may be kept by somebody who never lets go of it. */
static bool replace_block(struct pktmem *mem)
{
	u32 at = find_slot(mem);
	struct page *block;

	if (mem->is_short && time_before(jiffies, mem->look_at))
		return false;
	/* Given up is one only after all were in use for a while. */
	block = mem->is_short || !mem->blocks[at] ? make_block() : NULL;
	if (!block) {
		mem->is_short = true;
		mem->look_at = jiffies + STUCK_TIME;
		return false;
	}
	if (mem->blocks[at])
		put_page(mem->blocks[at]);
	mem->blocks[at] = block;
	return begin_block(mem, at);
}

/* Go on with the next block that is not in use, which may be the same. */
static bool next_block(struct pktmem *mem)
{
	u32 i, at;

	for (i = 0; i < NR_BLOCKS; i++) {
		at = (mem->at + i) % NR_BLOCKS;
		if (is_free(mem->blocks[at]))
			return begin_block(mem, at);
	}
	return replace_block(mem);
}

/* @bytes of memory with a reference to their page, or NULL. */
static void *cut(struct pktmem *mem, u32 bytes)
{
	void *piece;

	if (mem->used + bytes > mem->bytes && !next_block(mem))
		return NULL;
	if (bytes > mem->bytes)
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
 * rox_pktmem_alloc - an empty packet, MAX_HEADER bytes or more reserved
 * @bytes: room behind them; what is in it is not cleared
 *
 * Context: BHs disabled. Return: NULL without memory.
 */
struct sk_buff *rox_pktmem_alloc(u32 bytes)
{
	struct sk_buff *skb = NULL;

	/* There, BHs disabled is not alone on the CPU. */
	if (!IS_ENABLED(CONFIG_PREEMPT_RT))
		skb = cut_skb(SKB_DATA_ALIGN(HEADROOM + bytes) +
			      SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
	if (!skb)
		skb = alloc_skb(HEADROOM + bytes, GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, HEADROOM);
	return skb;
}

/* Behind the first @front bytes of data, and MAX_HEADER or more of headroom. */
static u32 units_in(u32 bytes, u32 front, u32 unit)
{
	u32 rest = SKB_DATA_ALIGN(HEADROOM + front) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info)) + SMP_CACHE_BYTES;

	return bytes > rest ? (bytes - rest) / unit : 0;
}

/**
 * rox_pktmem_alloc_many - an empty packet, MAX_HEADER bytes or more reserved
 * @front: room for what comes first
 * @unit:  and for as many times this
 * @nr:    as @nr says; less than that and two at least when this returns
 *
 * Only of blocks. Context: BHs disabled. Return: NULL if there is none for two.
 */
struct sk_buff *rox_pktmem_alloc_many(u32 front, u32 unit, u32 *nr)
{
	struct pktmem *mem = this_cpu_ptr(&pktmem);
	struct sk_buff *skb;
	u32 units;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return NULL;
	/* What is left of a block, if that is worth it; else as much as the next one has. */
	units = units_in(mem->bytes - mem->used, front, unit);
	if (units < min(*nr, MIN_UNITS)) {
		if (!next_block(mem))
			return NULL;
		units = units_in(mem->bytes, front, unit);
	}
	units = min(units, *nr);
	if (units < 2)
		return NULL;
	skb = cut_skb(SKB_DATA_ALIGN(HEADROOM + front + units * unit) +
		      SKB_DATA_ALIGN(sizeof(struct skb_shared_info)));
	if (!skb)
		return NULL;
	skb_reserve(skb, HEADROOM);
	*nr = units;
	return skb;
}

/**
 * rox_pktmem_is_ours - was a packet sent from memory of this file, and is still there?
 * @skb: any
 *
 * Context: any.
 */
bool rox_pktmem_is_ours(const struct sk_buff *skb)
{
	return skb->head_frag && page_private(virt_to_head_page(skb->head)) == MARK;
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
