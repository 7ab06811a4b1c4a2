/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Included in front of every file, so it must stay cheap: the range of kernels,
 * and names the newest kernel has that older ones lack. What needs headers is
 * next to this file, one per subject, and included by those who use it.
 */
#ifndef ROX_COMPAT_H
#define ROX_COMPAT_H

#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(8, 0, 0)
#error "rox is for Linux 6.1 to 7.x"
#endif

#ifndef CONFIG_64BIT
#error "rox is for 64 bit kernels: it copies by kernel address, without kmap"
#endif

#if !IS_ENABLED(CONFIG_INFINIBAND_VIRT_DMA)
#error "rox needs a kernel with CONFIG_INFINIBAND_VIRT_DMA"
#endif

#endif
