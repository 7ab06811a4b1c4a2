/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A queue whose work runs where it is queued says so on newer kernels. */
#ifndef ROX_COMPAT_WORKQUEUE_H
#define ROX_COMPAT_WORKQUEUE_H

#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define ROX_WQ_PERCPU	WQ_PERCPU
#else
#define ROX_WQ_PERCPU	0
#endif

#endif
