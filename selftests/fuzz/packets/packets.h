/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_H
#define PACKETS_H

#include "../uverbs/raw.h"
#include "frame.h"
#include "target.h"

struct run {
	struct targets ts;
	struct link link;
	struct path path, path6;	/* as the peer would send */
	uint64_t seed;
	uint64_t sent, by_tap, supers, answers, ipv6;
	bool merged;			/* the wire merges what it can */
	const char *broken;		/* the first thing that was wrong */
};

/* A request or response of this kind, right in all fields that it needs. */
struct rox_pkt packet_for(const struct run *run, const struct target *t, u8 opcode);

/* A WRITE of 500 bytes that this QP of UC takes now. */
struct rox_pkt uc_write(struct run *run, struct target *t);

const struct path *path_to(const struct run *run, const struct target *t);

/* generate.c: one packet, as wrong as the generator likes it; sent. */
void send_random(struct run *run, struct target *t);

/* counted.c: a result for each reason to drop; how many failed. */
int counted(struct run *run, int *results);

/* merge.c: packets that are merged before they are delivered; the same. */
int merge(struct run *run, int *results);
void merging(bool on);
/* Packets that came in as part of another, since the last time. */
long merged_since(void);

/* rate.c: for so long as much as goes, of what was prepared; true if it went. */
bool rate(struct run *run, unsigned int seconds);

long counter_of(const struct run *run, const char *name);
long drops_of(const struct run *run);

#endif
