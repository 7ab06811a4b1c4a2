/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What a RoCE v2 packet looks like: sizes, fields and constants, with their
 * IBA names (IBA volume 1, chapter 9; annex A17 for RoCE v2).
 */
#ifndef ROX_PROTO_WIRE_H
#define ROX_PROTO_WIRE_H

#include "types.h"

#define ROX_UDP_PORT			4791

/* Header sizes in bytes. */
#define ROX_BTH_BYTES			12
#define ROX_DETH_BYTES			8
#define ROX_RETH_BYTES			16
#define ROX_ATOMIC_ETH_BYTES		28
#define ROX_AETH_BYTES			4
#define ROX_ATOMIC_ACK_ETH_BYTES	8
#define ROX_IMM_BYTES			4
#define ROX_IETH_BYTES			4
#define ROX_ICRC_BYTES			4
/* Zeros that follow the BTH of a CNP (IBA A17.9.3). */
#define ROX_CNP_PAD_BYTES		16

/* BTH and the longest chain of extension headers (IBA 9.2). */
#define ROX_MAX_HDR_BYTES		(ROX_BTH_BYTES + ROX_ATOMIC_ETH_BYTES)

/* The largest path MTU, and so the most payload of any packet (IBA 9.2.4). */
#define ROX_MAX_PAYLOAD_BYTES		4096

/* Bits of the BTH, by byte (IBA 9.2). */
#define ROX_BTH1_SOLICITED		0x80
#define ROX_BTH1_MIGREQ			0x40
#define ROX_BTH1_PAD_SHIFT		4
#define ROX_BTH1_PAD_MASK		0x30
#define ROX_BTH1_TVER_MASK		0x0f
#define ROX_BTH4_FECN			0x80
#define ROX_BTH4_BECN			0x40
#define ROX_BTH8_ACKREQ			0x80

/* Room a packet needs in front of UD payload at the receiver (IBA 11.4.1.2). */
#define ROX_GRH_BYTES			40

#define ROX_DEFAULT_PKEY		0xffff
#define ROX_MULTICAST_QPN		0xffffff
#define ROX_GSI_QPN			1
#define ROX_GSI_QKEY			0x80010000u
/* A WR's Q_Key with this bit set means "use the QP's own" (IBA 10.2.5). */
#define ROX_QKEY_PRIVILEGED		0x80000000u

/* Upper three bits of the opcode: transport service (IBA 9.2.1). */
#define ROX_SVC_RC			0x00
#define ROX_SVC_UC			0x20
#define ROX_SVC_UD			0x60
#define ROX_SVC_CNP			0x80
#define ROX_SVC_MASK			0xe0

enum rox_op {
	ROX_OP_RC_SEND_FIRST			= 0x00,
	ROX_OP_RC_SEND_MIDDLE			= 0x01,
	ROX_OP_RC_SEND_LAST			= 0x02,
	ROX_OP_RC_SEND_LAST_WITH_IMM		= 0x03,
	ROX_OP_RC_SEND_ONLY			= 0x04,
	ROX_OP_RC_SEND_ONLY_WITH_IMM		= 0x05,
	ROX_OP_RC_RDMA_WRITE_FIRST		= 0x06,
	ROX_OP_RC_RDMA_WRITE_MIDDLE		= 0x07,
	ROX_OP_RC_RDMA_WRITE_LAST		= 0x08,
	ROX_OP_RC_RDMA_WRITE_LAST_WITH_IMM	= 0x09,
	ROX_OP_RC_RDMA_WRITE_ONLY		= 0x0a,
	ROX_OP_RC_RDMA_WRITE_ONLY_WITH_IMM	= 0x0b,
	ROX_OP_RC_RDMA_READ_REQUEST		= 0x0c,
	ROX_OP_RC_RDMA_READ_RESPONSE_FIRST	= 0x0d,
	ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE	= 0x0e,
	ROX_OP_RC_RDMA_READ_RESPONSE_LAST	= 0x0f,
	ROX_OP_RC_RDMA_READ_RESPONSE_ONLY	= 0x10,
	ROX_OP_RC_ACKNOWLEDGE			= 0x11,
	ROX_OP_RC_ATOMIC_ACKNOWLEDGE		= 0x12,
	ROX_OP_RC_COMPARE_SWAP			= 0x13,
	ROX_OP_RC_FETCH_ADD			= 0x14,
	ROX_OP_RC_SEND_LAST_WITH_INVALIDATE	= 0x16,
	ROX_OP_RC_SEND_ONLY_WITH_INVALIDATE	= 0x17,

	ROX_OP_UC_SEND_FIRST			= 0x20,
	ROX_OP_UC_SEND_MIDDLE			= 0x21,
	ROX_OP_UC_SEND_LAST			= 0x22,
	ROX_OP_UC_SEND_LAST_WITH_IMM		= 0x23,
	ROX_OP_UC_SEND_ONLY			= 0x24,
	ROX_OP_UC_SEND_ONLY_WITH_IMM		= 0x25,
	ROX_OP_UC_RDMA_WRITE_FIRST		= 0x26,
	ROX_OP_UC_RDMA_WRITE_MIDDLE		= 0x27,
	ROX_OP_UC_RDMA_WRITE_LAST		= 0x28,
	ROX_OP_UC_RDMA_WRITE_LAST_WITH_IMM	= 0x29,
	ROX_OP_UC_RDMA_WRITE_ONLY		= 0x2a,
	ROX_OP_UC_RDMA_WRITE_ONLY_WITH_IMM	= 0x2b,

	ROX_OP_UD_SEND_ONLY			= 0x64,
	ROX_OP_UD_SEND_ONLY_WITH_IMM		= 0x65,

	ROX_OP_CNP				= 0x81,
};

/*
 * AETH syndrome: two bits of kind, five of value (IBA 9.7.5.2.4).
 * An ACK carries credits, of which 31 means "no limit"; an RNR NAK a code of
 * the RNR timer table; a NAK its reason.
 */
#define ROX_AETH_KIND_MASK		0xe0
#define ROX_AETH_VALUE_MASK		0x1f
#define ROX_AETH_ACK			0x00
#define ROX_AETH_RNR_NAK		0x20
#define ROX_AETH_NAK			0x60
#define ROX_AETH_ACK_UNLIMITED		(ROX_AETH_ACK | 0x1f)
#define ROX_AETH_NAK_PSN_SEQ		(ROX_AETH_NAK | 0x00)
#define ROX_AETH_NAK_INV_REQ		(ROX_AETH_NAK | 0x01)
#define ROX_AETH_NAK_REM_ACC		(ROX_AETH_NAK | 0x02)
#define ROX_AETH_NAK_REM_OP		(ROX_AETH_NAK | 0x03)

#endif
