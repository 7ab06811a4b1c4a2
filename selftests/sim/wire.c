// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the network: packets are real bytes, from an IPv4 header
 * to the ICRC, and most of them arrive.
 */

#include <stdlib.h>

#include "proto/icrc.h"
#include "proto/segment.h"
#include "sim.h"

#define UDP_BYTES	8

/* ---- a heap of events, earliest first ---- */

static bool earlier(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void swap(struct event *a, struct event *b)
{
	struct event t = *a;

	*a = *b;
	*b = t;
}

static void push(struct world *w, const struct event *e)
{
	u32 i = w->nr_events++;

	if (w->nr_events > w->room_events) {
		w->room_events = 2 * w->room_events + 64;
		w->heap = realloc(w->heap, w->room_events * sizeof(*e));
	}
	w->heap[i] = *e;
	for (; i && earlier(&w->heap[i], &w->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&w->heap[i], &w->heap[(i - 1) / 2]);
}

static struct event pop(struct world *w)
{
	struct event e = w->heap[0];
	u32 i = 0, child;

	w->heap[0] = w->heap[--w->nr_events];
	while ((child = 2 * i + 1) < w->nr_events) {
		if (child + 1 < w->nr_events &&
		    earlier(&w->heap[child + 1], &w->heap[child]))
			child++;
		if (!earlier(&w->heap[child], &w->heap[i]))
			break;
		swap(&w->heap[i], &w->heap[child]);
		i = child;
	}
	return e;
}

u64 wire_next_at(const struct world *w)
{
	return w->nr_events ? w->heap[0].at : ROX_TIME_NEVER;
}

void wire_free(struct world *w)
{
	while (w->nr_events)
		free(w->heap[--w->nr_events].buf);
	free(w->arriving);
	free(w->heap);
	w->heap = NULL;
	w->room_events = 0;
}

/* ---- bytes ---- */

static void frame_headers(const struct node *from, u8 *ip, u32 udp_bytes)
{
	memset(ip, 0, FRAME_BYTES);
	ip[0] = 0x45;
	put_unaligned_be16((u16)(20 + udp_bytes), ip + 2);
	ip[8] = 64;
	ip[9] = 17;
	put_unaligned_be32(0x0a000001 + from->id, ip + 12);
	put_unaligned_be32(0x0a000001 + from->peer->id, ip + 16);
	put_unaligned_be16((u16)(0xc000 + from->id), ip + 20);
	put_unaligned_be16(ROX_UDP_PORT, ip + 22);
	put_unaligned_be16((u16)udp_bytes, ip + 24);
}

static void seal(const u8 *ip, u32 bytes, u8 *icrc)
{
	const u8 *bth = ip + FRAME_BYTES;
	u32 crc = rox_icrc_begin_v4(ip, ip + 20, bth);

	crc = rox_crc32(crc, bth + ROX_BTH_BYTES,
			bytes - FRAME_BYTES - ROX_BTH_BYTES - ROX_ICRC_BYTES);
	rox_icrc_end(crc, icrc);
}

bool wire_check(const u8 *buf, u32 bytes, struct rox_pkt *p, enum rox_drop *why)
{
	u8 icrc[ROX_ICRC_BYTES];

	*why = rox_parse(buf + FRAME_BYTES, bytes - FRAME_BYTES,
			 bytes - FRAME_BYTES, p);
	if (*why != ROX_DROP_NONE)
		return false;
	seal(buf, bytes, icrc);
	*why = ROX_DROP_ICRC;
	return !memcmp(icrc, buf + bytes - ROX_ICRC_BYTES, ROX_ICRC_BYTES);
}

/* ---- the channel ---- */

static bool is_lost(struct world *w, const struct channel *c)
{
	if (w->now >= c->dead_at)
		return true;
	if (w->now >= c->blackout_at && w->now < c->blackout_end)
		return true;
	return below(w, 10000) < c->loss;
}

static u64 arrival(struct world *w, struct channel *c, u32 bytes)
{
	u64 at = max(w->now, c->busy_until) + bytes * c->byte_ps / 1000;

	c->busy_until = at;
	at += c->delay + (c->jitter ? within(w, c->jitter) : 0);
	if (below(w, 10000) < c->reorder)
		return at + 1 + within(w, c->late);
	at = max(at, c->last_at);
	c->last_at = at;
	return at;
}

static void enqueue(struct node *from, const u8 *buf, u32 bytes)
{
	struct world *w = from->world;
	struct channel *c = &w->channels[from->id];
	struct event e = {
		.at = arrival(w, c, bytes),
		.order = w->order++,
		.to = from->peer,
		.buf = malloc(bytes),
		.bytes = bytes,
	};

	memcpy(e.buf, buf, bytes);
	if (below(w, 10000) < c->corrupt)
		e.buf[below(w, bytes)] ^= (u8)(1 << below(w, 8));
	push(w, &e);
}

static void send_one(struct node *from, const struct rox_pkt *hdr, const u8 *payload)
{
	struct world *w = from->world;
	struct channel *c = &w->channels[from->id];
	u32 bytes = FRAME_BYTES + hdr->hdr_bytes + hdr->payload_bytes + hdr->pad +
		    ROX_ICRC_BYTES;
	u8 buf[FRAME_BYTES + ROX_MAX_HDR_BYTES + 4096 + 4 + ROX_ICRC_BYTES];
	u8 *at = buf + FRAME_BYTES;

	CHECK(w, bytes <= sizeof(buf));
	CHECK(w, hdr->payload_bytes <= from->req_cfg.pmtu);
	w->stats.packets++;
	if (is_lost(w, c)) {
		w->stats.lost++;
		world_trace(w, from, "lost", hdr, "");
		return;
	}
	world_trace(w, from, "send", hdr, "");
	frame_headers(from, buf, bytes - FRAME_BYTES + UDP_BYTES);
	CHECK(w, rox_build(hdr, at) == hdr->hdr_bytes);
	at += hdr->hdr_bytes;
	if (hdr->payload_bytes)
		memcpy(at, payload, hdr->payload_bytes);
	memset(at + hdr->payload_bytes, 0, hdr->pad);
	seal(buf, bytes, buf + bytes - ROX_ICRC_BYTES);
	enqueue(from, buf, bytes);
	if (below(w, 10000) < c->dup)
		enqueue(from, buf, bytes);
}

void wire_send(struct node *from, const struct rox_pkt *hdr, const u8 *payload)
{
	u32 pmtu = from->req_cfg.pmtu, i;
	struct rox_pkt one;

	if (hdr->run <= 1)
		send_one(from, hdr, payload);
	for (i = 0; hdr->run > 1 && i < hdr->run; i++) {
		rox_split(hdr, pmtu, i, &one);
		send_one(from, &one, payload ? payload + i * pmtu : NULL);
	}
}

void wire_deliver(struct world *w)
{
	struct event e = pop(w);

	w->arriving = e.buf;
	node_packet(e.to, e.buf, e.bytes);
	free(e.buf);
	w->arriving = NULL;
}
