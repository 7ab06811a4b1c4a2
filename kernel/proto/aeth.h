/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Time codes of the transport: RNR NAK timer and local ACK time-out. */
#ifndef ROX_PROTO_AETH_H
#define ROX_PROTO_AETH_H

#include "wire.h"

#define ROX_TIME_NEVER		(~0ULL)

/**
 * rox_rnr_ns - how long an RNR NAK asks the requester to wait
 * @code: the low five bits of its syndrome (IBA table 45)
 */
u64 rox_rnr_ns(u8 code);

/**
 * rox_ack_timeout_ns - the local ACK time-out 4.096 us * 2^code
 * @code: 0..31; 0 is "never" and gives ROX_TIME_NEVER (IBA 9.7.6.1.3)
 */
u64 rox_ack_timeout_ns(u8 code);

#endif
