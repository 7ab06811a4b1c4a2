/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What an administrator can choose for a link. */
#ifndef ROX_SETTING_H
#define ROX_SETTING_H

#include <linux/sysfs.h>

struct rox_device;

extern const struct attribute_group rox_setting_group;

void rox_setting_init(struct rox_device *dev);
int rox_setting_check(void);

#endif
