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
	uint8_t *ip = f->ip, *udp = ip + IP_BYTES, *bth = ip + BTH_AT;
	size_t end = f->bytes - ROX_ICRC_BYTES;
	u32 crc;

	if (f->bytes >= BTH_AT + ROX_BTH_BYTES + ROX_ICRC_BYTES) {
		crc = rox_icrc_begin_v4(ip, udp, bth);
		crc = rox_crc32(crc, bth + ROX_BTH_BYTES,
				end - BTH_AT - ROX_BTH_BYTES);
		rox_icrc_end(crc, ip + end);
	}
	frame_ip_checksum(ip);
}

void frame_resize(struct frame *f, size_t bytes)
{
	if (bytes > FRAME_BYTES)
		bytes = FRAME_BYTES;
	if (bytes > f->bytes)
		memset(f->ip + f->bytes, 0, bytes - f->bytes);
	f->bytes = bytes;
	put16(bytes, f->ip + 2);
	put16(bytes - IP_BYTES, f->ip + IP_BYTES + 4);
	frame_ip_checksum(f->ip);
}

void frame_make(struct frame *f, const struct path *path, const struct rox_pkt *p,
		uint8_t fill)
{
	static uint16_t id;
	uint8_t *ip = f->ip, *udp = ip + IP_BYTES;
	size_t bytes = BTH_AT;

	memset(ip, 0, BTH_AT);
	ip[0] = 0x45;
	put16(++id, ip + 4);
	ip[6] = 0x40;
	ip[8] = 64;
	ip[9] = 17;
	memcpy(ip + 12, &path->from, 4);
	memcpy(ip + 16, &path->to, 4);
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
