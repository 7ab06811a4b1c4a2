/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The invariant CRC of RoCE v2 (IBA 7.8.1 and annex A17.3.3): a CRC-32 over
 * the packet from the IP header on, with the fields that change on the way
 * replaced by ones, preceded by eight bytes of ones in place of the LRH.
 */
#ifndef ROX_PROTO_ICRC_H
#define ROX_PROTO_ICRC_H

#include "types.h"

/**
 * rox_crc32 - continue a reflected CRC-32 (polynomial 0xedb88320)
 * @crc: value so far, not inverted
 *
 * Given by the home of the core: the kernel's fastest there, a table in user
 * space. Same convention as the kernel's crc32_le().
 */
u32 rox_crc32(u32 crc, const void *data, size_t bytes);

/**
 * rox_icrc_begin_v4 - CRC over the masked IPv4, UDP and BTH headers
 * @ip:  the 20-byte IPv4 header (RoCE packets carry no options)
 * @udp: the 8-byte UDP header
 * @bth: the 12-byte BTH
 */
u32 rox_icrc_begin_v4(const u8 *ip, const u8 *udp, const u8 *bth);

/**
 * rox_icrc_begin_v6 - CRC over the masked IPv6, UDP and BTH headers
 * @ip:  the 40-byte IPv6 header
 * @udp: the 8-byte UDP header
 * @bth: the 12-byte BTH
 */
u32 rox_icrc_begin_v6(const u8 *ip, const u8 *udp, const u8 *bth);

/**
 * rox_icrc_end - the four bytes that end the packet
 * @crc: over everything from the IP header to the last pad byte
 * @out: where they go, least significant byte first
 */
static inline void rox_icrc_end(u32 crc, u8 *out)
{
	u32 v = ~crc;

	out[0] = (u8)v;
	out[1] = (u8)(v >> 8);
	out[2] = (u8)(v >> 16);
	out[3] = (u8)(v >> 24);
}

#endif
