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
#include "gro.h"
#include "help.h"
#include "inbox.h"
#include "net.h"
#include "proto/icrc.h"
#include "qp.h"
#include "recv.h"
#include "super.h"
#include "trace.h"

void rox_drop(const struct rox_device *dev, u32 qpn, enum rox_drop why)
{
	trace_rox_drop(qpn, why);
	if (dev)
		rox_count_drop(dev, why);
}

void rox_drop_many(const struct rox_device *dev, u32 qpn, u32 nr, enum rox_drop why)
{
	while (nr--)
		rox_drop(dev, qpn, why);
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

/* What came in together for one side of a QP, and is not delivered yet. */
struct batch {
	struct rox_qp *qp;	/* referenced, or NULL */
	bool request;
	bool early;		/* all of it */
	u32 nr;			/* packets */
	u32 bytes;
	u32 ends;		/* of messages, about */
	struct sk_buff_head skbs;
};

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
	rox_drop_many(dev, qpn, rox_super_nr(skb), why);
	rcu_read_unlock();
}

/* True if they are left to a poller. What there is no room for cannot be. */
static bool leave(struct batch *batch)
{
	return skb_queue_empty(&batch->skbs) &&
	       rox_help_ask(batch->qp, batch->request, batch->ends);
}

/* The owner of a side takes all of it in one turn. */
static void deliver(struct rox_net *rnet, struct batch *batch)
{
	struct rox_qp *qp = batch->qp;
	struct sk_buff *skb;

	if (skb_queue_empty(&batch->skbs))
		return;
	rox_count(qp->dev, ROX_CNT_RCVD_PKTS, batch->nr);
	rox_count(qp->dev, ROX_CNT_RCVD_BYTES, batch->bytes);
	if (batch->early)
		rox_count(qp->dev, ROX_CNT_RCVD_EARLY, batch->nr);
	if (batch->request) {
		rox_inbox_put(qp, &qp->rq.run, &qp->rq.inbox, &batch->skbs);
		if (!leave(batch))
			rox_respond_run(qp);
	} else {
		rox_inbox_put(qp, &qp->sq.run, &qp->sq.inbox, &batch->skbs);
		if (!leave(batch))
			rox_send_run(qp);
	}
	batch->nr = 0;
	batch->bytes = 0;
	batch->ends = 0;
	while ((skb = __skb_dequeue(&batch->skbs))) {
		drop(rnet, qp, skb, qp->qpn, ROX_DROP_BUSY);
		kfree_skb(skb);
	}
}

static void end(struct rox_net *rnet, struct batch *batch)
{
	deliver(rnet, batch);
	if (batch->qp)
		rox_qp_put(batch->qp);
	batch->qp = NULL;
}

/* Most come in many for one. */
static enum rox_drop find_qp(struct rox_net *rnet, const struct sk_buff *skb, u32 qpn,
			     struct batch *batch)
{
	struct rox_qp *qp;

	if (batch->qp && batch->qp->qpn == qpn)
		return ROX_DROP_NONE;
	end(rnet, batch);
	if (qpn == ROX_MULTICAST_QPN)
		return ROX_DROP_UNSUPPORTED;

	qp = qpn == ROX_GSI_QPN ? get_gsi(rnet, skb) : rox_qp_get(qpn);
	if (!qp)
		return ROX_DROP_NO_QP;
	if (qp->dev->rnet != rnet) {
		/* Another namespace's; not even its counters are to change. */
		rox_qp_put(qp);
		return ROX_DROP_NETNS;
	}
	batch->qp = qp;
	return ROX_DROP_NONE;
}

/*
 * How many messages end in what begins with @pkt? Of packets in one, messages of a packet
 * each are told from pieces of one.
 */
static u32 ends_in(const struct sk_buff *skb, const struct rox_pkt *pkt)
{
	u16 flags = rox_pkt_op(pkt)->flags;

	if (!(flags & ROX_OPF_LAST))
		return rox_super_is_one(skb);
	return flags & ROX_OPF_FIRST ? rox_super_nr(skb) : 1;
}

/* Consumes @skb. */
static void accept(struct rox_net *rnet, struct sk_buff *skb, const struct rox_pkt *pkt,
		   struct batch *batch)
{
	bool request = rox_pkt_op(pkt)->flags & ROX_OPF_REQUEST;

	if (!rox_super_is_one(skb))
		trace_rox_recv(batch->qp, pkt);
	if (rox_pkt_op(pkt)->flags & ROX_OPF_CNP) {
		rox_count(batch->qp->dev, ROX_CNT_RCVD_PKTS, 1);
		rox_count(batch->qp->dev, ROX_CNT_RCVD_BYTES, skb->len);
		rox_count(batch->qp->dev, ROX_CNT_CNP_RCVD, 1);
		consume_skb(skb);
		return;
	}
	/* It may lie in the inbox for longer than the stack expects. */
	skb_dst_drop(skb);
	skb_orphan(skb);
	nf_reset_ct(skb);
	if (request != batch->request)
		deliver(rnet, batch);
	batch->request = request;
	batch->nr += rox_super_nr(skb);
	if (rox_super_is_one(skb))
		rox_count(batch->qp->dev, ROX_CNT_RCVD_SUPER, rox_super_nr(skb));
	batch->bytes += rox_super_bytes(skb);
	batch->ends += ends_in(skb, pkt);
	__skb_queue_tail(&batch->skbs, skb);
}

/* What the packet says for itself. */
static enum rox_drop check(struct rox_net *rnet, struct sk_buff *skb, struct rox_pkt *pkt)
{
	enum rox_drop why;

	rox_super_none(skb);
	why = strip(skb);
	if (!why) {
		rox_super_first(skb);
		why = parse(skb, pkt);
	}
	/* A super-packet that comes as one has not been on a wire. */
	if (!why && !rox_super_is_one(skb)) {
		why = check_icrc(skb);
		/* Several CPUs may count as one: it is only ever seen to change. */
		if (why == ROX_DROP_ICRC)
			WRITE_ONCE(rnet->damaged, READ_ONCE(rnet->damaged) + 1);
	}
	return why;
}

static bool is_of_service(const struct rox_qp *qp, const struct rox_pkt *pkt)
{
	u8 service = pkt->opcode & ROX_SVC_MASK;

	return service == qp->service || service == ROX_SVC_CNP;
}

/* One packet; consumed. */
static void receive(struct rox_net *rnet, struct sk_buff *skb, struct batch *batch)
{
	const struct rox_qp *qp = NULL;
	struct rox_pkt pkt;
	enum rox_drop why;

	pkt.dqpn = 0;	/* of what is too short to say */
	why = check(rnet, skb, &pkt);
	if (!why)
		why = find_qp(rnet, skb, pkt.dqpn, batch);
	if (!why) {
		qp = batch->qp;
		if (!is_of_service(qp, &pkt))
			why = ROX_DROP_SERVICE;
	}
	if (!why) {
		accept(rnet, skb, &pkt, batch);
	} else {
		drop(rnet, qp, skb, pkt.dqpn, why);
		kfree_skb(skb);
	}
}

/**
 * rox_recv - a datagram, or several of one flow, came in on a namespace's socket
 * @sk:  the socket, its user data is the struct rox_net
 * @skb: data at the UDP header; consumed
 *
 * Context: softirq, RCU read side.
 * Return: 0, always.
 */
int rox_recv(struct sock *sk, struct sk_buff *skb)
{
	struct rox_net *rnet = rox_net_of_sock(sk);
	struct batch batch = {};
	struct sk_buff *next;

	if (!rnet) {
		kfree_skb(skb);
		return 0;
	}
	__skb_queue_head_init(&batch.skbs);
	for (skb = rox_gro_open(sk, skb); skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		receive(rnet, skb, &batch);
	}
	end(rnet, &batch);
	return 0;
}

void rox_recv_early(struct rox_net *rnet, struct sk_buff *skb)
{
	struct batch batch = { .early = true };

	__skb_queue_head_init(&batch.skbs);
	receive(rnet, skb, &batch);
	end(rnet, &batch);
}

static bool state_takes(enum ib_qp_state state, bool request)
{
	return rox_recv_takes_requests(state) && (request || state != IB_QPS_RTR);
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

/* Of packets in one, recv.c has seen the first only. */
static enum rox_drop check_member(const struct rox_qp *qp, const struct rox_pkt *pkt,
				  bool request)
{
	bool is_request = rox_pkt_op(pkt)->flags & ROX_OPF_REQUEST;

	if (pkt->dqpn != qp->qpn)
		return ROX_DROP_NO_QP;
	if ((pkt->opcode & ROX_SVC_MASK) != qp->service || is_request != request)
		return ROX_DROP_SERVICE;
	trace_rox_recv(qp, pkt);
	return ROX_DROP_NONE;
}

enum rox_drop rox_recv_read(const struct rox_qp *qp, const struct sk_buff *skb,
			    bool request, struct rox_pkt *pkt)
{
	enum rox_drop why = parse(skb, pkt);

	if (!why && rox_super_is_one(skb))
		why = check_member(qp, pkt, request);
	if (why)
		return why;
	if (!state_takes(READ_ONCE(qp->state), request))
		return ROX_DROP_QP_STATE;
	if (!is_default_pkey(pkt->pkey))
		return ROX_DROP_PKEY;
	if (qp->service == ROX_SVC_UD)
		return check_datagram(qp, skb, pkt);
	return qp->av_valid && is_from_peer(&qp->av, skb) ?
	       ROX_DROP_NONE : ROX_DROP_SOURCE;
}
