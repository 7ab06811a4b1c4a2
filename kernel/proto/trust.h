/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Whether a way can be relied on for what cannot be proved beforehand, here: that
 * super-packets arrive as they are sent, and so need no ICRC.
 */
#ifndef ROX_PROTO_TRUST_H
#define ROX_PROTO_TRUST_H

#include "types.h"

/* {} at first. */
struct rox_trust {
	bool begun;
	bool trusted;		/* since the last loss */
	u8 doubt;		/* rises with each loss that it may have to do with */
	u32 seen;		/* of what arrived as it was sent, at the last loss */
	u32 losses;
	u32 damaged;		/* likewise */
};

/**
 * rox_trust - has the way proved itself?
 * @t:        what is thought of it
 * @losses:   something that changes whenever packets may have been lost
 * @damaged:  something that changes whenever the receiver drops what is damaged
 * @received: how much has arrived as it was sent, by the receiver's count
 *
 * It has once something arrived after the last loss; twice as much after each loss that
 * came while there was trust and something was damaged: others may take the way now.
 */
bool rox_trust(struct rox_trust *t, u32 losses, u32 damaged, u32 received);

#endif
