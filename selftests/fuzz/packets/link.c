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
#include <unistd.h>

#include "frame.h"

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
		.sll_protocol = htons(ETH_P_IP),
	};
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), there;
	int room = 8 << 20;
	char path[128];

	link->tap = -1;
	read_mac(netdev, link->to);
	memcpy(link->from, "\x02\x00\x00\x00\xbe\xef", 6);
	snprintf(path, sizeof(path), "/run/netns/%s", ns);
	there = open(path, O_RDONLY | O_CLOEXEC);
	if (home < 0 || there < 0 || setns(there, CLONE_NEWNET))
		die(path);
	link->fd = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK, htons(ETH_P_IP));
	link->ifindex = if_nametoindex(peer);
	addr.sll_ifindex = link->ifindex;
	if (link->fd < 0 || !link->ifindex ||
	    bind(link->fd, (struct sockaddr *)&addr, sizeof(addr)))
		die(peer);
	setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	if (setns(home, CLONE_NEWNET))
		die("namespace");
	close(home);
	close(there);
}

static void send_bytes(struct link *link, const uint8_t *frame, size_t bytes)
{
	/* Full is full: a lost packet is no news here. */
	while (send(link->fd, frame, bytes, 0) < 0 &&
	       (errno == EAGAIN || errno == ENOBUFS || errno == EINTR))
		usleep(100);
}

static void address(const struct link *link, uint8_t *eth)
{
	memcpy(eth, link->to, 6);
	memcpy(eth + 6, link->from, 6);
	eth[12] = 0x08;
	eth[13] = 0x00;
}

void link_send(struct link *link, struct frame *f)
{
	address(link, f->eth);
	send_bytes(link, f->eth, ETH_BYTES + f->bytes);
}

static void send_fragment(struct link *link, const struct frame *f, size_t from,
			  size_t bytes, bool more)
{
	static struct frame part;
	size_t offset = from / 8;

	memcpy(part.ip, f->ip, IP_BYTES);
	memcpy(part.ip + IP_BYTES, f->ip + IP_BYTES + from, bytes);
	part.bytes = IP_BYTES + bytes;
	part.ip[2] = part.bytes >> 8;
	part.ip[3] = part.bytes & 0xff;
	part.ip[6] = (more ? 0x20 : 0) | (offset >> 8 & 0x1f);
	part.ip[7] = offset & 0xff;
	frame_ip_checksum(part.ip);
	link_send(link, &part);
}

void link_send_fragments(struct link *link, const struct frame *f, unsigned int first)
{
	size_t all = f->bytes - IP_BYTES, cut = first * 8;

	if (!cut || cut >= all)
		cut = 16;
	send_fragment(link, f, 0, cut, true);
	send_fragment(link, f, cut, all - cut, false);
}

size_t link_receive(struct link *link, uint8_t *buf, size_t room)
{
	struct sockaddr_ll from;
	socklen_t length = sizeof(from);
	ssize_t bytes;

	do {
		bytes = recvfrom(link->fd, buf, room, 0,
				 (struct sockaddr *)&from, &length);
	} while (bytes > 0 && from.sll_pkttype == PACKET_OUTGOING);
	return bytes > 0 ? bytes : 0;
}
