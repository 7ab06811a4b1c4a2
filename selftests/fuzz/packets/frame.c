// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <string.h>

#include "frame.h"

static void put16(uint16_t value, uint8_t *at)
{
	at[0] = value >> 8;
	at[1] = value & 0xff;
}

void frame_ip_checksum(uint8_t *ip)
{
	unsigned int i, bytes = (ip[0] & 15) * 4;
	uint32_t sum = 0;

	put16(0, ip + 10);
	for (i = 0; i < bytes; i += 2)
		sum += ip[i] << 8 | ip[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(~sum, ip + 10);
}

void frame_seal(struct frame *f)
{
	uint8_t *ip = f->ip, *udp = ip + f->ip_bytes, *bth = ip + bth_at(f);
	size_t end = f->bytes - ROX_ICRC_BYTES;
	u32 crc;

	if (f->bytes >= bth_at(f) + ROX_BTH_BYTES + ROX_ICRC_BYTES) {
		crc = is_ipv6(f) ? rox_icrc_begin_v6(ip, udp, bth) :
				   rox_icrc_begin_v4(ip, udp, bth);
		crc = rox_crc32(crc, bth + ROX_BTH_BYTES,
				end - bth_at(f) - ROX_BTH_BYTES);
		rox_icrc_end(crc, ip + end);
	}
	if (!is_ipv6(f))
		frame_ip_checksum(ip);
}

void frame_resize(struct frame *f, size_t bytes)
{
	if (bytes > FRAME_BYTES)
		bytes = FRAME_BYTES;
	if (bytes > f->bytes)
		memset(f->ip + f->bytes, 0, bytes - f->bytes);
	f->bytes = bytes;
	put16(bytes - f->ip_bytes, f->ip + f->ip_bytes + 4);
	if (is_ipv6(f)) {
		put16(bytes - IP6_BYTES, f->ip + 4);
	} else {
		put16(bytes, f->ip + 2);
		frame_ip_checksum(f->ip);
	}
}

static void put_ipv4(uint8_t *ip, const struct path *path)
{
	static uint16_t id;

	ip[0] = 0x45;
	put16(++id, ip + 4);
	ip[6] = 0x40;
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, path->from, 4);
	memcpy(ip + 16, path->to, 4);
}

static void put_ipv6(uint8_t *ip, const struct path *path)
{
	ip[0] = 0x60;
	ip[6] = 17;
	ip[7] = 64;
	memcpy(ip + 8, path->from, 16);
	memcpy(ip + 24, path->to, 16);
}

void frame_make(struct frame *f, const struct path *path, const struct rox_pkt *p,
		uint8_t fill)
{
	uint8_t *ip = f->ip, *udp;
	size_t bytes;

	f->ip_bytes = path->ipv6 ? IP6_BYTES : IP4_BYTES;
	bytes = bth_at(f);
	udp = ip + f->ip_bytes;
	memset(ip, 0, bytes);
	if (path->ipv6)
		put_ipv6(ip, path);
	else
		put_ipv4(ip, path);
	put16(path->sport, udp);
	put16(ROX_UDP_PORT, udp + 2);
	bytes += rox_build(p, ip + bytes);
	memset(ip + bytes, fill, p->payload_bytes);
	bytes += p->payload_bytes;
	memset(ip + bytes, 0, p->pad);
	bytes += p->pad + ROX_ICRC_BYTES;
	f->bytes = bytes;
	frame_resize(f, bytes);
	frame_seal(f);
}

static uint32_t sum_of(const uint8_t *at, size_t bytes)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2)
		sum += at[i] << 8 | at[i + 1];
	return i < bytes ? sum + (at[i] << 8) : sum;
}

void frame_udp_checksum(struct frame *f)
{
	size_t bytes = f->bytes - f->ip_bytes;
	uint8_t *udp = f->ip + f->ip_bytes;
	uint32_t sum = 17 + bytes;

	put16(0, udp + 6);
	sum += is_ipv6(f) ? sum_of(f->ip + 8, 32) : sum_of(f->ip + 12, 8);
	sum += sum_of(udp, bytes);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	put16(sum == 0xffff ? sum : ~sum, udp + 6);
}

void frame_extend(struct frame *f, uint8_t type)
{
	/* Next is UDP; an option of six bytes that says nothing. */
	static const uint8_t options[8] = { 17, 0, 1, 4 };
	static const uint8_t fragment[8] = { 17, 0, 0, 0, 1, 2, 3, 4 };

	memmove(f->ip + IP6_BYTES + 8, f->ip + IP6_BYTES, f->bytes - IP6_BYTES);
	memcpy(f->ip + IP6_BYTES, type == 44 ? fragment : options, 8);
	f->ip[6] = type;
	f->bytes += 8;
	put16(f->bytes - IP6_BYTES, f->ip + 4);
}
