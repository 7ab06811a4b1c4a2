/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef ROX_ABI_GUARD_H
#define ROX_ABI_GUARD_H

#include <stdbool.h>

bool rox_abi_guard_ok(void);

#endif
