// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The way in: from the UDP socket to the inbox of a QP's side. A packet passes
 * from the outside in: bytes, ICRC, QP. What needs the QP's attributes is
 * checked by the owner of the side, while they hold still.
 */

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/netfilter.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <rdma/ib_mad.h>

#include "device.h"
#include "net.h"
#include "proto/icrc.h"
#include "qp.h"
#include "recv.h"
#include "trace.h"

/* Bytes that a CPU may count for itself. */
#define INBOX_BATCH	SZ_128K

void rox_drop(const struct rox_device *dev, u32 qpn, enum rox_drop why)
{
	trace_rox_drop(qpn, why);
	if (dev)
		rox_count_drop(dev, why);
}

/* Plain headers only: the ICRC covers neither options nor extension headers,
 * and no RoCE packet is ever fragmented.
 */
static bool is_plain_ip(const struct sk_buff *skb)
{
	if (ip_hdr(skb)->version == 4)
		return ip_hdr(skb)->ihl == sizeof(struct iphdr) / 4 &&
		       !ip_is_fragment(ip_hdr(skb)) &&
		       !IPCB(skb)->frag_max_size;	/* reassembled */

	return ipv6_hdr(skb)->nexthdr == IPPROTO_UDP &&
	       !(IP6CB(skb)->flags & IP6SKB_FRAGMENTED);
}

/* From the UDP header on to the BTH on, and no byte more than UDP says. */
static enum rox_drop strip(struct sk_buff *skb)
{
	u32 bytes;

	if (!pskb_may_pull(skb, sizeof(struct udphdr)))
		return ROX_DROP_SHORT;
	skb_reset_transport_header(skb);
	if (!is_plain_ip(skb))
		return ROX_DROP_UNSUPPORTED;

	bytes = ntohs(udp_hdr(skb)->len);
	if (bytes < sizeof(struct udphdr) || bytes > skb->len)
		return ROX_DROP_LENGTH;
	if (pskb_trim(skb, bytes))
		return ROX_DROP_NO_MEMORY;
	__skb_pull(skb, sizeof(struct udphdr));
	return ROX_DROP_NONE;
}

static enum rox_drop parse(const struct sk_buff *skb, struct rox_pkt *pkt)
{
	u32 avail = min_t(u32, skb->len, ROX_MAX_HDR_BYTES);
	u8 room[ROX_MAX_HDR_BYTES];
	const u8 *bth = skb_header_pointer(skb, 0, avail, room);

	return bth ? rox_parse(bth, avail, skb->len, pkt) : ROX_DROP_SHORT;
}

static u32 crc_skb(u32 crc, struct sk_buff *skb, u32 from, u32 to)
{
	struct skb_seq_state st;
	unsigned int consumed = 0;
	unsigned int n;
	const u8 *data;

	if (to <= skb_headlen(skb))
		return rox_crc32(crc, skb->data + from, to - from);

	skb_prepare_seq_read(skb, from, to, &st);
	while ((n = skb_seq_read(consumed, &data, &st))) {
		/* A block ends where its memory does, not at @to. */
		n = min(n, to - from - consumed);
		crc = rox_crc32(crc, data, n);
		consumed += n;
	}
	return crc;
}

/* After parse(): there is a whole BTH, and an ICRC at the end. */
static enum rox_drop check_icrc(struct sk_buff *skb)
{
	u32 end = skb->len - ROX_ICRC_BYTES;
	u8 bth_room[ROX_BTH_BYTES], icrc_room[ROX_ICRC_BYTES];
	const u8 *bth = skb_header_pointer(skb, 0, ROX_BTH_BYTES, bth_room);
	const u8 *icrc = skb_header_pointer(skb, end, ROX_ICRC_BYTES, icrc_room);
	const u8 *ip = skb_network_header(skb);
	const u8 *udp = skb_transport_header(skb);
	u8 want[ROX_ICRC_BYTES];
	u32 crc;

	if (!bth || !icrc)
		return ROX_DROP_SHORT;
	crc = ip_hdr(skb)->version == 4 ? rox_icrc_begin_v4(ip, udp, bth) :
					  rox_icrc_begin_v6(ip, udp, bth);
	crc = crc_skb(crc, skb, ROX_BTH_BYTES, end);
	rox_icrc_end(crc, want);
	return memcmp(want, icrc, ROX_ICRC_BYTES) ? ROX_DROP_ICRC : ROX_DROP_NONE;
}

/* QP1 has the same number everywhere: the address tells whose it is. */
static struct rox_qp *get_gsi(struct rox_net *rnet, const struct sk_buff *skb)
{
	struct rox_device *dev;
	struct rox_qp *qp = NULL;

	rcu_read_lock();
	dev = rox_net_find_device(rnet, skb);
	if (dev)
		qp = rcu_dereference(dev->gsi);
	if (qp && !refcount_inc_not_zero(&qp->refs))
		qp = NULL;
	rcu_read_unlock();
	return qp;
}

static enum rox_drop find_qp(struct rox_net *rnet, const struct sk_buff *skb,
			     const struct rox_pkt *pkt, struct rox_qp **qp)
{
	u8 service = pkt->opcode & ROX_SVC_MASK;

	if (pkt->dqpn == ROX_MULTICAST_QPN)
		return ROX_DROP_UNSUPPORTED;

	*qp = pkt->dqpn == ROX_GSI_QPN ? get_gsi(rnet, skb) : rox_qp_get(pkt->dqpn);
	if (!*qp)
		return ROX_DROP_NO_QP;
	if ((*qp)->dev->rnet != rnet) {
		/* Another namespace's; not even its counters are to change. */
		rox_qp_put(*qp);
		*qp = NULL;
		return ROX_DROP_NETNS;
	}
	if (service != (*qp)->service && service != ROX_SVC_CNP)
		return ROX_DROP_SERVICE;
	return ROX_DROP_NONE;
}

bool rox_inbox_put(const struct rox_qp *qp, struct sk_buff_head *inbox,
		   struct sk_buff *skb)
{
	struct percpu_counter *bytes = &qp->dev->inbox_bytes;

	if (skb_queue_len_lockless(inbox) >= ROX_INBOX_PKTS ||
	    percpu_counter_read(bytes) >= ROX_INBOXES_BYTES)
		return false;
	percpu_counter_add_batch(bytes, skb->truesize, INBOX_BATCH);
	skb_queue_tail(inbox, skb);
	return true;
}

struct sk_buff *rox_inbox_take(const struct rox_qp *qp, struct sk_buff_head *inbox)
{
	struct sk_buff *skb = skb_dequeue(inbox);

	if (skb)
		percpu_counter_add_batch(&qp->dev->inbox_bytes, -(s64)skb->truesize,
					 INBOX_BATCH);
	return skb;
}

void rox_inbox_purge(const struct rox_qp *qp, struct sk_buff_head *inbox)
{
	struct sk_buff *skb;

	while ((skb = rox_inbox_take(qp, inbox)))
		kfree_skb(skb);
}

/* Into the inbox of the side it is for; consumes @skb if it got in. */
static enum rox_drop deliver(struct rox_qp *qp, struct sk_buff *skb,
			     const struct rox_pkt *pkt)
{
	bool request = rox_pkt_op(pkt)->flags & ROX_OPF_REQUEST;
	struct sk_buff_head *inbox = request ? &qp->rq.inbox : &qp->sq.inbox;

	/* It may lie there for longer than the stack expects. */
	skb_dst_drop(skb);
	skb_orphan(skb);
	nf_reset_ct(skb);
	if (!rox_inbox_put(qp, inbox, skb))
		return ROX_DROP_BUSY;
	if (request)
		rox_respond_run(qp);
	else
		rox_send_run(qp);
	return ROX_DROP_NONE;
}

static enum rox_drop accept(struct rox_net *rnet, struct sk_buff *skb,
			    struct rox_pkt *pkt, struct rox_qp **qp)
{
	enum rox_drop why = strip(skb);

	if (!why)
		why = parse(skb, pkt);
	if (!why)
		why = check_icrc(skb);
	if (!why)
		why = find_qp(rnet, skb, pkt, qp);
	return why;
}

/*
 * With no QP to tell, it counts where the packet came in, or else, as from one's own
 * machine, at the device that has its address. To find that takes a search of the
 * GID tables, which not every piece of garbage is worth.
 */
static void drop(struct rox_net *rnet, const struct rox_qp *qp,
		 const struct sk_buff *skb, u32 qpn, enum rox_drop why)
{
	const struct rox_device *dev;

	rcu_read_lock();
	dev = qp ? qp->dev : rox_net_ingress_device(rnet, skb);
	if (!dev && (why == ROX_DROP_NO_QP || why == ROX_DROP_NETNS))
		dev = rox_net_find_device(rnet, skb);
	if (!dev)
		dev = rox_net_oldest_device(rnet);
	rox_drop(dev, qpn, why);
	rcu_read_unlock();
}

/**
 * rox_recv - a datagram came in on one of a namespace's sockets
 * @sk:  the socket, its user data is the struct rox_net
 * @skb: data at the UDP header; consumed
 *
 * Context: softirq, RCU read side.
 * Return: 0, always.
 */
int rox_recv(struct sock *sk, struct sk_buff *skb)
{
	struct rox_net *rnet = rcu_dereference_sk_user_data(sk);
	struct rox_qp *qp = NULL;
	struct rox_pkt pkt = {};
	enum rox_drop why;

	if (!rnet) {
		kfree_skb(skb);
		return 0;
	}

	why = accept(rnet, skb, &pkt, &qp);
	if (!why) {
		trace_rox_recv(qp, &pkt);
		rox_count(qp->dev, ROX_CNT_RCVD_PKTS, 1);
		rox_count(qp->dev, ROX_CNT_RCVD_BYTES, skb->len);
		if (rox_pkt_op(&pkt)->flags & ROX_OPF_CNP) {
			rox_count(qp->dev, ROX_CNT_CNP_RCVD, 1);
			consume_skb(skb);
		} else {
			why = deliver(qp, skb, &pkt);
		}
	}
	if (why) {
		drop(rnet, qp, skb, pkt.dqpn, why);
		kfree_skb(skb);
	}
	if (qp)
		rox_qp_put(qp);
	return 0;
}

static bool state_takes(enum ib_qp_state state, bool request)
{
	switch (state) {
	case IB_QPS_RTR:
		return request;
	case IB_QPS_RTS:
	case IB_QPS_SQD:
	case IB_QPS_SQE:
		return true;
	default:
		return false;
	}
}

bool rox_recv_takes_requests(enum ib_qp_state state)
{
	return state_takes(state, true);
}

/* A link-local address is somebody else's on another link. */
static bool is_of_link(const struct rox_av *av, const struct sk_buff *skb)
{
	return !(ipv6_addr_type(&av->saddr6) & IPV6_ADDR_LINKLOCAL) ||
	       IP6CB(skb)->iif == av->ifindex || skb->skb_iif == av->ifindex;
}

static bool is_from_peer(const struct rox_av *av, const struct sk_buff *skb)
{
	const struct ipv6hdr *ip6 = ipv6_hdr(skb);
	const struct iphdr *ip = ip_hdr(skb);

	if (av->ipv6)
		return ip->version == 6 &&
		       ipv6_addr_equal(&ip6->saddr, &av->daddr6) &&
		       ipv6_addr_equal(&ip6->daddr, &av->saddr6) &&
		       is_of_link(av, skb);
	return ip->version == 4 && ip->saddr == av->daddr4 &&
	       ip->daddr == av->saddr4;
}

/* The default partition, as full or limited member; we are a full one. */
static bool is_default_pkey(u16 pkey)
{
	return (pkey | 0x8000) == ROX_DEFAULT_PKEY;
}

/*
 * QP1 takes whole MADs of the one version there is. The core would log each
 * other one, at the pace of whoever sends them, and read a short one to the end.
 */
static enum rox_drop check_mad(const struct sk_buff *skb, const struct rox_pkt *pkt)
{
	const u8 *version;
	u8 room;

	if (pkt->payload_bytes != IB_MGMT_MAD_SIZE)
		return ROX_DROP_LENGTH;
	version = skb_header_pointer(skb, pkt->hdr_bytes, sizeof(room), &room);
	return version && *version == IB_MGMT_BASE_VERSION ? ROX_DROP_NONE :
							     ROX_DROP_UNSUPPORTED;
}

static enum rox_drop check_datagram(const struct rox_qp *qp, const struct sk_buff *skb,
				    const struct rox_pkt *pkt)
{
	if (pkt->qkey != qp->qkey)
		return ROX_DROP_QKEY;
	return qp->type == IB_QPT_GSI ? check_mad(skb, pkt) : ROX_DROP_NONE;
}

enum rox_drop rox_recv_read(const struct rox_qp *qp, const struct sk_buff *skb,
			    struct rox_pkt *pkt)
{
	enum rox_drop why = parse(skb, pkt);
	bool request;

	if (why)
		return why;

	request = rox_pkt_op(pkt)->flags & ROX_OPF_REQUEST;
	if (!state_takes(READ_ONCE(qp->state), request))
		return ROX_DROP_QP_STATE;
	if (!is_default_pkey(pkt->pkey))
		return ROX_DROP_PKEY;
	if (qp->service == ROX_SVC_UD)
		return check_datagram(qp, skb, pkt);
	return qp->av_valid && is_from_peer(&qp->av, skb) ?
	       ROX_DROP_NONE : ROX_DROP_SOURCE;
}
