/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One row for each wire opcode: what follows the BTH and what it means. */
#ifndef ROX_PROTO_OPCODE_H
#define ROX_PROTO_OPCODE_H

#include "wire.h"

/* Extension headers, in the order they follow the BTH. */
#define ROX_HDR_DETH		BIT(0)
#define ROX_HDR_RETH		BIT(1)
#define ROX_HDR_ATOMIC		BIT(2)
#define ROX_HDR_AETH		BIT(3)
#define ROX_HDR_ATOMIC_ACK	BIT(4)
#define ROX_HDR_IMM		BIT(5)
#define ROX_HDR_IETH		BIT(6)
#define ROX_HDR_CNP		BIT(7)	/* the reserved bytes of a CNP */

/* Properties. */
#define ROX_OPF_REQUEST		BIT(0)	/* goes to the responder */
#define ROX_OPF_RESPONSE	BIT(1)	/* goes to the requester */
#define ROX_OPF_FIRST		BIT(2)	/* begins a message (FIRST or ONLY) */
#define ROX_OPF_LAST		BIT(3)	/* ends a message (LAST or ONLY) */
#define ROX_OPF_SEND		BIT(4)
#define ROX_OPF_WRITE		BIT(5)
#define ROX_OPF_READ		BIT(6)	/* request or response */
#define ROX_OPF_ATOMIC		BIT(7)	/* request or response */
#define ROX_OPF_PAYLOAD		BIT(8)	/* may carry payload */
#define ROX_OPF_FULL		BIT(9)	/* payload must be exactly one path MTU */
#define ROX_OPF_CNP		BIT(10)

struct rox_opcode {
	u8 hdrs;	/* ROX_HDR_* */
	u8 hdr_bytes;	/* BTH and extension headers; 0: no such opcode */
	u16 flags;	/* ROX_OPF_* */
	const char *name;
};

extern const struct rox_opcode rox_opcodes[256];

#endif
