// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The early take; see early.h. Which packets are offered is gro.c's business. */
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/ip.h>

#include "device.h"
#include "early.h"
#include "net.h"
#include "recv.h"

DEFINE_STATIC_KEY_FALSE(rox_early_chosen);

static DEFINE_MUTEX(choice_mutex);

void rox_early_choose(struct rox_device *dev, bool on)
{
	mutex_lock(&choice_mutex);
	if (on && !dev->early)
		static_branch_inc(&rox_early_chosen);
	if (!on && dev->early)
		static_branch_dec(&rox_early_chosen);
	WRITE_ONCE(dev->early, on);
	mutex_unlock(&choice_mutex);
}

/* What the stack would have noted by the time UDP has it. */
static void note(struct sk_buff *skb)
{
	skb->skb_iif = skb->dev->ifindex;
	skb_reset_network_header(skb);
	if (ip_hdr(skb)->version == 4) {
		memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
		IPCB(skb)->iif = skb->skb_iif;
		__skb_pull(skb, sizeof(struct iphdr));
	} else {
		memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
		IP6CB(skb)->iif = skb->skb_iif;
		__skb_pull(skb, sizeof(struct ipv6hdr));
	}
}

bool rox_early_take(const struct sock *sk, struct sk_buff *skb)
{
	struct rox_net *rnet = rox_net_of_sock(sk);

	if (!rnet || !rox_net_takes_early(rnet, skb))
		return false;
	note(skb);
	rox_recv_early(rnet, skb);
	return true;
}
