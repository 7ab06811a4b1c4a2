/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef PACKETS_H
#define PACKETS_H

#include "../uverbs/raw.h"
#include "frame.h"
#include "target.h"

struct run {
	struct targets ts;
	struct link link;
	struct path path;		/* as the peer would send */
	uint64_t seed;
	uint64_t sent, by_tap, supers, answers;
	const char *broken;		/* the first thing that was wrong */
};

/* A request or response of this kind, right in all fields that it needs. */
struct rox_pkt packet_for(const struct run *run, const struct target *t, u8 opcode);

/* generate.c: one packet, as wrong as the generator likes it; sent. */
void send_random(struct run *run, struct target *t);

/* counted.c: a result for each reason to drop; how many failed. */
int counted(struct run *run, int *results);

long counter_of(const struct run *run, const char *name);
long drops_of(const struct run *run);

#endif
