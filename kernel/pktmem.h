/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory for packets on their way out: used again, so not cleared again. */
#ifndef ROX_PKTMEM_H
#define ROX_PKTMEM_H

#include <linux/skbuff.h>

struct sk_buff *rox_pktmem_alloc(u32 bytes);
struct sk_buff *rox_pktmem_alloc_many(u32 front, u32 unit, u32 *nr);
bool rox_pktmem_is_ours(const struct sk_buff *skb);
bool rox_pktmem_is_short(void);
void rox_pktmem_exit(void);

#endif
