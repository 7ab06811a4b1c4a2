// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the names of the drop reasons. */

#include "drop.h"
#include "types.h"

const char *rox_drop_name(enum rox_drop why)
{
	static const char *const names[] = {
#define ROX_DROP_NAME(sym, name)	\
		[ROX_DROP_##sym] = name,
		ROX_DROP_REASONS(ROX_DROP_NAME)
#undef ROX_DROP_NAME
	};

	return (unsigned int)why < ARRAY_SIZE(names) ? names[why] : "invalid";
}
