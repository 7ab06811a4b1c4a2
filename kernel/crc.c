// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* CRC-32 for the ICRC, by whatever this kernel and CPU do fastest. */

#include "compat/crc.h"
#include "crc.h"
#include "proto/icrc.h"

int rox_crc_init(void)
{
	rox_compat_crc_init();
	return 0;
}

void rox_crc_exit(void)
{
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
