/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The kernel's fastest CRC-32; rox_crc32() itself is declared in proto/icrc.h. */
#ifndef ROX_CRC_H
#define ROX_CRC_H

/**
 * rox_crc_init - find the fastest implementation
 *
 * Never fails for want of a fast one: the portable one always is there.
 * Context: process, may sleep; before the first packet. Return: 0.
 */
int rox_crc_init(void);

/**
 * rox_crc_exit - undo rox_crc_init()
 *
 * Context: process, after the last packet.
 */
void rox_crc_exit(void);

#endif
