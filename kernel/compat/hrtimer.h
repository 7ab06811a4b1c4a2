/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Timers got their function by assignment before there was hrtimer_setup(). */
#ifndef ROX_COMPAT_HRTIMER_H
#define ROX_COMPAT_HRTIMER_H

#include <linux/hrtimer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif
