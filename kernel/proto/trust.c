// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the function that decides whether to rely on a way; see trust.h. */

#include "trust.h"

/* So many losses of trust, and it takes 4,096 arrivals to be won again. */
#define MAX_DOUBT	12

static void begin_anew(struct rox_trust *t, u32 losses, u32 damaged, u32 received)
{
	if (t->trusted && t->damaged != damaged && t->doubt < MAX_DOUBT)
		t->doubt++;
	t->begun = true;
	t->trusted = false;
	t->losses = losses;
	t->damaged = damaged;
	t->seen = received;
}

bool rox_trust(struct rox_trust *t, u32 losses, u32 damaged, u32 received)
{
	if (!t->begun || losses != t->losses)
		begin_anew(t, losses, damaged, received);
	/* Negative if the receiver was reset. */
	if (!t->trusted && (s32)(received - t->seen) >= 1 << t->doubt)
		t->trusted = true;
	return t->trusted;
}
