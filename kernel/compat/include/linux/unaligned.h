/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The name since 6.12; found only where the kernel has none. */
#ifndef ROX_COMPAT_LINUX_UNALIGNED_H
#define ROX_COMPAT_LINUX_UNALIGNED_H

#include <asm/unaligned.h>

#endif
