// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The wire: a raw socket at its other end, in another namespace. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "frame.h"

#define BATCH		32
#define FULL_SECONDS	10

static void die(const char *what)
{
	printf("Bail out! %s: %s\n", what, strerror(errno));
	exit(2);
}

static void read_mac(const char *netdev, uint8_t *mac)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/net/%s/address", netdev);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1],
			    &mac[2], &mac[3], &mac[4], &mac[5]) != 6)
		die(path);
	fclose(file);
}

/* The socket stays in the namespace it was made in; we come back. */
void link_open(struct link *link, const char *ns, const char *netdev,
	       const char *peer)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
	};
	int yes = 1;
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;
	int room = 8 << 20;
	char path[128];

	link->tap = -1;
	link->batch = calloc(BATCH, sizeof(*link->batch));
	if (!link->batch)
		die("memory");
	read_mac(netdev, link->to);
	memcpy(link->from, "\x02\x00\x00\x00\xbe\xef", 6);
	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (home < 0 || there < 0 || setns(there, CLONE_NEWNET))
		die(path);
	link->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_ALL));
	link->ifindex = if_nametoindex(peer);
	addr.sll_ifindex = link->ifindex;
	if (link->fd < 0 || !link->ifindex ||
	    bind(link->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(peer);
	setsockopt(link->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes));
	setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (setns(home, CLONE_NEWNET))
		die("namespace");
	close(home);
	close(there);
}

static void address(const struct link *link, struct frame *f)
{
	memcpy(f->eth, link->to, 6);
	memcpy(f->eth + 6, link->from, 6);
	f->eth[12] = is_ipv6(f) ? 0x86 : 0x08;
	f->eth[13] = is_ipv6(f) ? 0xdd : 0x00;
}

/* Full is full: it is tried again, but not for ever. */
static void send_batch(struct link *link, struct mmsghdr *messages, unsigned int nr)
{
	unsigned int done = 0, tries = 0;
	int some;

	while (done < nr) {
		some = sendmmsg(link->fd, messages + done, nr - done, 0);
		if (some > 0) {
			done += some;
			tries = 0;
			continue;
		}
		if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
			done++;		/* this one not */
		if (++tries > FULL_SECONDS * 10000)
			die("the wire takes no packets any more");
		usleep(100);
	}
}

void link_send_all(struct link *link, struct frame *frames, unsigned int nr)
{
	struct mmsghdr messages[BATCH] = {};
	struct iovec iov[BATCH];
	unsigned int i, at;

	for (at = 0; at < nr; at += i) {
		for (i = 0; i < BATCH && at + i < nr; i++) {
			struct frame *f = &frames[at + i];

			address(link, f);
			iov[i] = (struct iovec){ f->eth, ETH_BYTES + f->bytes };
			messages[i].msg_hdr.msg_iov = &iov[i];
			messages[i].msg_hdr.msg_iovlen = 1;
		}
		send_batch(link, messages, i);
	}
}

void link_flush(struct link *link)
{
	link_send_all(link, link->batch, link->queued);
	link->queued = 0;
}

void link_send(struct link *link, struct frame *f)
{
	struct frame *slot = &link->batch[link->queued++];

	slot->bytes = f->bytes;
	slot->ip_bytes = f->ip_bytes;
	memcpy(slot->ip, f->ip, f->bytes);
	if (link->queued == BATCH)
		link_flush(link);
}

static void send_fragment4(struct link *link, const struct frame *f, size_t from,
			   size_t bytes, bool more)
{
	static struct frame part;
	size_t offset = from / 8;

	memcpy(part.ip, f->ip, IP4_BYTES);
	memcpy(part.ip + IP4_BYTES, f->ip + IP4_BYTES + from, bytes);
	part.ip_bytes = IP4_BYTES;
	part.bytes = IP4_BYTES + bytes;
	part.ip[2] = part.bytes >> 8;
	part.ip[3] = part.bytes & 0xff;
	part.ip[6] = (more ? 0x20 : 0) | (offset >> 8 & 0x1f);
	part.ip[7] = offset & 0xff;
	frame_ip_checksum(part.ip);
	link_send(link, &part);
}

static void send_fragment6(struct link *link, const struct frame *f, size_t from,
			   size_t bytes, bool more, uint32_t id)
{
	static struct frame part;
	uint8_t *header = part.ip + IP6_BYTES;

	memcpy(part.ip, f->ip, IP6_BYTES);
	memcpy(header, (uint8_t []){ 17, 0, from >> 8, (from & 0xf8) | more }, 4);
	memcpy(header + 4, &id, 4);
	memcpy(header + 8, f->ip + IP6_BYTES + from, bytes);
	part.ip_bytes = IP6_BYTES;
	part.bytes = IP6_BYTES + 8 + bytes;
	part.ip[4] = (8 + bytes) >> 8;
	part.ip[5] = (8 + bytes) & 0xff;
	part.ip[6] = 44;
	link_send(link, &part);
}

void link_send_fragments(struct link *link, const struct frame *f, unsigned int first)
{
	size_t all = f->bytes - f->ip_bytes, cut = first * 8;
	static uint32_t id;

	if (!cut || cut >= all)
		cut = 16;
	if (is_ipv6(f)) {
		id++;
		send_fragment6(link, f, 0, cut, true, id);
		send_fragment6(link, f, cut, all - cut, false, id);
	} else {
		send_fragment4(link, f, 0, cut, true);
		send_fragment4(link, f, cut, all - cut, false);
	}
}

/* To port 4791, that is; the neighbours' talk is none. */
static bool is_roce(const uint8_t *buf, size_t bytes)
{
	size_t udp = ETH_BYTES + (buf[12] == 0x08 ? IP4_BYTES : IP6_BYTES);

	return bytes > udp + UDP_BYTES && buf[udp + 2] == 0x12 && buf[udp + 3] == 0xb7;
}

size_t link_receive(struct link *link, uint8_t *buf, size_t room)
{
	ssize_t bytes;

	do {
		bytes = recv(link->fd, buf, room, 0);
	} while (bytes > 0 && !is_roce(buf, bytes));
	return bytes > 0 ? bytes : 0;
}
