// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets as odd buffers: in fragments of any size, with a header of virtio-net
 * that says what is true of them, or not.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../uverbs/raw.h"
#include "frame.h"

#define GSO_UDP_L4 5

void tap_open(struct link *link, const char *name)
{
	struct ifreq ifr = {
		.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR | IFF_NAPI |
			     IFF_NAPI_FRAGS,
	};
	char path[128];
	FILE *file;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	link->tap = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (link->tap < 0 || ioctl(link->tap, TUNSETIFF, &ifr)) {
		printf("Bail out! tap: %s\n", strerror(errno));
		exit(2);
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/address", name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx",
			    &link->tap_mac[0], &link->tap_mac[1], &link->tap_mac[2],
			    &link->tap_mac[3], &link->tap_mac[4], &link->tap_mac[5]) != 6)
		exit(2);
	fclose(file);
}

/* In pieces of @piece bytes; of random ones if there is @seed; 0: in one. */
static void write_tap(struct link *link, const struct virtio_net_hdr *hdr,
		      const uint8_t *ip, size_t bytes, size_t piece, uint64_t *seed)
{
	uint8_t eth[ETH_BYTES];
	struct iovec iov[12];
	size_t done = 0, some;
	int nr = 0;

	memcpy(eth, link->tap_mac, 6);
	memcpy(eth + 6, "\x02\x00\x00\x00\xbe\xef\x08\x00", 8);
	if (ip[0] >> 4 == 6)
		memcpy(eth + 12, "\x86\xdd", 2);
	iov[nr++] = (struct iovec){ (void *)hdr, sizeof(*hdr) };
	iov[nr++] = (struct iovec){ eth, sizeof(eth) };
	while (done < bytes) {
		some = bytes - done;
		if (seed && nr < 11 && !one_in(seed, 3))
			some = 1 + below(seed, some);
		if (piece && piece < some && nr < 11)
			some = piece;
		if (some > 4000 && nr < 11)
			some = 4000;
		iov[nr++] = (struct iovec){ (void *)(ip + done), some };
		done += some;
		if (nr == 12)
			break;
	}
	if (done == bytes && writev(link->tap, iov, nr) < 0)
		link->refused = errno;
}

void tap_send(struct link *link, uint64_t *seed, const struct frame *f)
{
	static const uint8_t types[] = { 0, 0, 0, 1, 3, 4, GSO_UDP_L4, GSO_UDP_L4, 0x81, 0x85 };
	struct virtio_net_hdr hdr = {};

	if (one_in(seed, 2)) {
		hdr.gso_type = types[below(seed, sizeof(types))];
		hdr.gso_size = one_in(seed, 2) ? 1 + below(seed, 2000) : edge(seed);
		hdr.hdr_len = one_in(seed, 2) ? 14 + bth_at(f) : edge(seed);
	}
	if (one_in(seed, 2) || hdr.gso_type) {
		hdr.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
		hdr.csum_start = one_in(seed, 4) ? edge(seed) : 14 + f->ip_bytes;
		hdr.csum_offset = one_in(seed, 4) ? edge(seed) : 6;
	} else if (one_in(seed, 2)) {
		hdr.flags = VIRTIO_NET_HDR_F_DATA_VALID;
	}
	write_tap(link, &hdr, f->ip, f->bytes, 0, seed);
}

void tap_send_cut(struct link *link, const struct frame *f, size_t piece)
{
	const struct virtio_net_hdr hdr = {};

	write_tap(link, &hdr, f->ip, f->bytes, piece, NULL);
}

void tap_send_gso(struct link *link, struct frame *f, unsigned int nr)
{
	static uint8_t super[65536];
	size_t payload = f->bytes - bth_at(f), i;
	unsigned int id = f->ip[4] << 8 | f->ip[5];
	struct virtio_net_hdr hdr = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = GSO_UDP_L4,
		.hdr_len = 14 + bth_at(f),
		.gso_size = payload,
		.csum_start = 14 + f->ip_bytes,
		.csum_offset = 6,
	};

	if (bth_at(f) + nr * payload > sizeof(super))
		return;
	/* Each as it will be once it was cut off; the stack counts the IDs up. */
	for (i = 0; i < nr; i++) {
		if (!is_ipv6(f)) {
			f->ip[4] = (id + i) >> 8;
			f->ip[5] = (id + i) & 0xff;
		}
		frame_seal(f);
		memcpy(super + bth_at(f) + i * payload, f->ip + bth_at(f), payload);
	}
	memcpy(super, f->ip, bth_at(f));
	if (is_ipv6(f)) {
		super[4] = (UDP_BYTES + nr * payload) >> 8;
		super[5] = (UDP_BYTES + nr * payload) & 0xff;
	} else {
		super[4] = id >> 8;
		super[5] = id & 0xff;
		super[2] = (bth_at(f) + nr * payload) >> 8;
		super[3] = (bth_at(f) + nr * payload) & 0xff;
		frame_ip_checksum(super);
	}
	super[f->ip_bytes + 4] = (UDP_BYTES + nr * payload) >> 8;
	super[f->ip_bytes + 5] = (UDP_BYTES + nr * payload) & 0xff;
	write_tap(link, &hdr, super, bth_at(f) + nr * payload, 0, NULL);
}
