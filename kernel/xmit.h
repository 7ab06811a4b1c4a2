/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* From complete packets to the network. */
#ifndef ROX_XMIT_H
#define ROX_XMIT_H

#include "av.h"
#include "proto/pkt.h"

struct rox_burst;
struct rox_device;
struct rox_qp;

enum rox_xmit_result {
	ROX_XMIT_SENT,
	ROX_XMIT_CONGESTED,	/* the local queue dropped it: back off */
	ROX_XMIT_LOST,		/* no route, filtered, no neighbour: as lost on the way */
};

/**
 * rox_xmit - send a burst
 * @dev:   counts it
 * @av:    as for rox_burst_begin()
 * @burst: one packet at least; consumed
 * @hdr:   of any of its packets
 *
 * Context: BHs disabled, no lock held. Return: what became of it; if that is
 * ROX_XMIT_CONGESTED, burst->psn tells of the first packet that did not leave.
 */
enum rox_xmit_result rox_xmit(struct rox_device *dev, struct rox_av *av,
			      struct rox_burst *burst, const struct rox_pkt *hdr);

/*
 * Does so much wait in the queues of this host that a packet which nothing else
 * holds back should wait too? RC has its window.
 */
bool rox_xmit_is_clogged(struct rox_device *dev, const struct rox_av *av);

/* Does the route to @av's destination stay on this host? BHs disabled. */
bool rox_xmit_is_local(struct rox_device *dev, struct rox_av *av);

/**
 * rox_xmit_plan - may a burst have super-packets, and which need no ICRC?
 * @qp:      whose it is
 * @av:      where it goes
 * @dqpn:    likewise
 * @request: what the burst is of: the send side, else the receive side
 * @burst:   empty; its planned, may_super and trusted are set
 *
 * Super-packets, if the other end gets them as they are, as well as can be told: the
 * stack makes packets of them where need be. Those then must have their ICRCs. So they
 * have them until the other end, a queue pair of this module, has received one whole
 * that was as long; and from any loss on until it has again. Of UC and UD all have.
 * Context: owner of that side, BHs disabled.
 */
void rox_xmit_plan(struct rox_qp *qp, struct rox_av *av, u32 dqpn, bool request,
		   struct rox_burst *burst);

#endif
