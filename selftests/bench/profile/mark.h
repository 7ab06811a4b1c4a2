/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Instructions that do nothing, and that nobody else uses: NOPs of eight bytes. */
#ifndef ROX_PROFILE_MARK_H
#define ROX_PROFILE_MARK_H

#define MARK_BEGIN	0x01
#define MARK_END	0x02
#define MARK_BYTES(what) 0x0f, 0x1f, 0x84, 0x00, (what), 'r', 'o', 'x'

#endif
