/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What happens to netdevs, and what their devices make of it. */
#ifndef ROX_EVENT_H
#define ROX_EVENT_H

#include <linux/types.h>

struct rox_device;

int rox_event_register(void);
void rox_event_unregister(void);
void rox_event_catch_up(struct rox_device *dev, bool present);

#endif
