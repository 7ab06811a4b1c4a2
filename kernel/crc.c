// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * CRC-32 for the ICRC, by whatever this kernel and CPU do fastest. What that is, and
 * how fast, is in debugfs: rox/crc32. A text and not a file of ours, which would keep
 * the module from being unloaded while somebody has it open.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "compat/crc.h"
#include "crc.h"
#include "proto/icrc.h"

#define MEASURED_BYTES	4096
#define MEASURED_TIMES	64

static struct dentry *debugfs;
static char text[128];
static struct debugfs_blob_wrapper blob = { .data = text };

/* Megabytes a second, once; less than a millisecond where it is slow. */
static u32 __init measure(const u8 *data)
{
	u64 start = ktime_get_ns(), ns;
	u32 crc = 0, i;

	for (i = 0; i < MEASURED_TIMES; i++)
		crc = rox_crc32(crc, data, MEASURED_BYTES);
	ns = max_t(u64, ktime_get_ns() - start, 1);
	/* So that it is computed. */
	OPTIMIZER_HIDE_VAR(crc);
	return div64_u64(1000ULL * MEASURED_BYTES * MEASURED_TIMES, ns);
}

static void __init show(void)
{
	u8 *data = kzalloc(MEASURED_BYTES, GFP_KERNEL);

	blob.size = scnprintf(text, sizeof(text), "%s, %u MB/s\n", rox_compat_crc_name(),
			      data ? measure(data) : 0);
	kfree(data);
	debugfs = debugfs_create_dir("rox", NULL);
	debugfs_create_blob("crc32", 0444, debugfs, &blob);
}

int __init rox_crc_init(void)
{
	rox_compat_crc_init();
	show();
	return 0;
}

void rox_crc_exit(void)
{
	debugfs_remove(debugfs);
	rox_compat_crc_exit();
}

/**
 * rox_crc32 - continue a reflected CRC-32
 * @crc:   value so far, not inverted
 * @data:  kernel memory
 * @bytes: its length
 *
 * Context: any. Return: the new value.
 */
u32 rox_crc32(u32 crc, const void *data, size_t bytes)
{
	return rox_compat_crc32(crc, data, bytes);
}
