// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains functions that mask headers for the invariant CRC. */

#include "icrc.h"
#include "wire.h"

#define IPV4_BYTES	20
#define IPV4_TOS	1
#define IPV4_TTL	8
#define IPV4_CHECKSUM	10

#define IPV6_BYTES	40
#define IPV6_HOP_LIMIT	7

#define UDP_BYTES	8
#define UDP_CHECKSUM	6

/* The byte of FECN, BECN and reserved bits. */
#define BTH_RESV8A	4

/* CRC over the eight bytes of ones that stand for the LRH, from ~0. */
#define SEED		0xdebb20e3u

static void mask_ipv4(const u8 *ip, u8 *to)
{
	memcpy(to, ip, IPV4_BYTES);
	to[IPV4_TOS] = 0xff;
	to[IPV4_TTL] = 0xff;
	memset(to + IPV4_CHECKSUM, 0xff, 2);
}

/* Of the first word only the version is invariant. */
static void mask_ipv6(const u8 *ip, u8 *to)
{
	memcpy(to, ip, IPV6_BYTES);
	to[0] |= 0x0f;
	memset(to + 1, 0xff, 3);
	to[IPV6_HOP_LIMIT] = 0xff;
}

static void mask_udp_bth(const u8 *udp, const u8 *bth, u8 *to)
{
	memcpy(to, udp, UDP_BYTES);
	memset(to + UDP_CHECKSUM, 0xff, 2);
	to += UDP_BYTES;
	memcpy(to, bth, ROX_BTH_BYTES);
	to[BTH_RESV8A] = 0xff;
}

u32 rox_icrc_begin_v4(const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 masked[IPV4_BYTES + UDP_BYTES + ROX_BTH_BYTES];

	mask_ipv4(ip, masked);
	mask_udp_bth(udp, bth, masked + IPV4_BYTES);
	return rox_crc32(SEED, masked, sizeof(masked));
}

u32 rox_icrc_begin_v6(const u8 *ip, const u8 *udp, const u8 *bth)
{
	u8 masked[IPV6_BYTES + UDP_BYTES + ROX_BTH_BYTES];

	mask_ipv6(ip, masked);
	mask_udp_bth(udp, bth, masked + IPV6_BYTES);
	return rox_crc32(SEED, masked, sizeof(masked));
}
