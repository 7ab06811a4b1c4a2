/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* How a message is cut into packets of a path MTU. */
#ifndef ROX_PROTO_SEGMENT_H
#define ROX_PROTO_SEGMENT_H

#include "pkt.h"

/* Number of packets for @bytes: one at least, also for an empty message. */
static inline u32 rox_nr_pkts(u32 bytes, u32 pmtu)
{
	return bytes ? (bytes - 1) / pmtu + 1 : 1;
}

/**
 * rox_segment_opcode - wire opcode of one request packet of a message
 * @service: ROX_SVC_RC, _UC or _UD
 * @wr_op:   enum rox_wr_opcode of the work request
 * @first:   it is the first packet of its message
 * @last:    it is the last one
 *
 * Return: the opcode, or -1 if the service does not have the operation.
 */
int rox_segment_opcode(u8 service, u8 wr_op, bool first, bool last);

/* Wire opcode of one READ response packet. */
u8 rox_read_response_opcode(bool first, bool last);

/**
 * rox_split - one packet of a run, as it goes on the wire
 * @run:  planned as one: run->run packets of SEND or WRITE, or READ responses
 * @pmtu: bytes; all packets but the last one of the run are full
 * @i:    which, less than run->run
 * @one:  the packet; its payload begins @i * @pmtu bytes into the run's
 *
 * Only the last packet of the run asks for what the run asks for: an ACK, an event.
 */
void rox_split(const struct rox_pkt *run, u32 pmtu, u32 i, struct rox_pkt *one);

/**
 * rox_merge - the reverse: does a packet go on where a run ends?
 * @run:   a packet as parsed, full, which those merged so far are part of
 * @pmtu:  bytes
 * @bth:   the next packet
 * @bytes: its length, from BTH to ICRC
 *
 * Only packets without further headers are merged, so a READ's last response is not;
 * and none behind one that asks for something. Then @run is longer by it.
 * Reads no byte at or beyond @bytes.
 */
bool rox_merge(struct rox_pkt *run, u32 pmtu, const u8 *bth, u32 bytes);

#endif
