/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TESTS_H
#define TESTS_H

struct ib_device;

/* TAP lines into the kernel log. Returns how many failed. */
int kv_run_tests(struct ib_device *dev, int gid_index);

/* hold.c: a user that keeps traffic going until the device goes away. */
struct kv_hold;
struct kv_hold *kv_hold_start(struct ib_device *dev, int gid_index);
void kv_hold_stop(struct kv_hold *hold);

#endif
