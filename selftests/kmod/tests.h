/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#ifndef TESTS_H
#define TESTS_H

struct ib_device;
struct kv_pair;

/* TAP lines into the kernel log. Returns how many failed. */
int kv_run_tests(struct ib_device *dev, int gid_index);

/* busy.c: so many packets for a UD QP whose receive side is busy; run.sh counts
 * those that were dropped. With one CPU only, none is sent.
 */
#define KV_BUSY_SENT	1500
int kv_busy(struct kv_pair *pair);

/* hold.c: a user that keeps traffic going until the device goes away. */
struct kv_hold;
struct kv_hold *kv_hold_start(struct ib_device *dev, int gid_index);
void kv_hold_stop(struct kv_hold *hold);

#endif
