/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Who runs beside what is hostile: a program by the book (victim.c), and one in
 * real time on each CPU (bystander.c). First for a while without it, but beside
 * programs that only compute, which says what this machine makes of them: it may be
 * emulated, and busy otherwise.
 */
#ifndef BESIDE_H
#define BESIDE_H

#include "world.h"

#define MAX_CPUS	64

struct beside {
	pid_t victim, watchers[MAX_CPUS];
	int cpus;
};

/* Children of the caller; they end with it. 0 in the child. */
pid_t child(void);
/* For good, in a child; what may be locked is limited then. */
void drop_privileges(void);
/* It may have ended, but nobody waited for it yet. */
bool alive(pid_t pid);
bool ended_well(pid_t pid);

void beside_start(struct beside *b, struct shared *shared);
/* Calm for a while, then shared->storm. */
void beside_calm(struct beside *b, struct shared *shared);
/* All of them end. Was everything right for the victim? */
bool beside_end(struct beside *b, struct shared *shared);

/* What it was like for them, printed and judged. */
bool bystander_content(const struct shared *shared);
bool kicks_short(const struct shared *shared);
bool victim_content(const struct shared *shared);

#endif
