// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains functions that name the packets a message is cut into. */

#include "segment.h"

#include <rdma/rox-abi.h>

#include "psn.h"

/* Where a packet stands in its message: first << 1 | last. */
enum place { MIDDLE, LAST, FIRST, ONLY, NR_PLACES };

#define RC	BIT(ROX_SVC_RC >> 5)
#define UC	BIT(ROX_SVC_UC >> 5)
#define UD	BIT(ROX_SVC_UD >> 5)

struct operation {
	u8 services;		/* that have it */
	u8 op[NR_PLACES];	/* the opcode in RC */
};

#define SENDS(sv, last, only)						\
	{ .services = (sv), .op = {					\
		[FIRST] = ROX_OP_RC_SEND_FIRST,				\
		[MIDDLE] = ROX_OP_RC_SEND_MIDDLE,			\
		[LAST] = ROX_OP_RC_SEND_##last,				\
		[ONLY] = ROX_OP_RC_SEND_##only } }

#define WRITES(sv, last, only)						\
	{ .services = (sv), .op = {					\
		[FIRST] = ROX_OP_RC_RDMA_WRITE_FIRST,			\
		[MIDDLE] = ROX_OP_RC_RDMA_WRITE_MIDDLE,			\
		[LAST] = ROX_OP_RC_RDMA_WRITE_##last,			\
		[ONLY] = ROX_OP_RC_RDMA_WRITE_##only } }

/* Always one packet, however long what it asks for. */
#define SINGLE(code)							\
	{ .services = RC, .op = { [MIDDLE ... ONLY] = (code) } }

static const struct operation operations[] = {
	[ROX_WR_SEND] = SENDS(RC | UC | UD, LAST, ONLY),
	[ROX_WR_SEND_WITH_IMM] =
		SENDS(RC | UC | UD, LAST_WITH_IMM, ONLY_WITH_IMM),
	[ROX_WR_SEND_WITH_INV] =
		SENDS(RC, LAST_WITH_INVALIDATE, ONLY_WITH_INVALIDATE),
	[ROX_WR_RDMA_WRITE] = WRITES(RC | UC, LAST, ONLY),
	[ROX_WR_RDMA_WRITE_WITH_IMM] =
		WRITES(RC | UC, LAST_WITH_IMM, ONLY_WITH_IMM),
	[ROX_WR_RDMA_READ] = SINGLE(ROX_OP_RC_RDMA_READ_REQUEST),
	[ROX_WR_ATOMIC_CMP_AND_SWP] = SINGLE(ROX_OP_RC_COMPARE_SWAP),
	[ROX_WR_ATOMIC_FETCH_AND_ADD] = SINGLE(ROX_OP_RC_FETCH_ADD),
};

int rox_segment_opcode(u8 service, u8 wr_op, bool first, bool last)
{
	enum place place = first << 1 | last;
	const struct operation *o;

	if (wr_op >= ARRAY_SIZE(operations))
		return -1;
	o = &operations[wr_op];
	if (service & ~ROX_SVC_MASK || !(o->services & BIT(service >> 5)))
		return -1;
	if (service == ROX_SVC_UD && place != ONLY)
		return -1;
	return service | o->op[place];
}

u8 rox_read_response_opcode(bool first, bool last)
{
	static const u8 op[NR_PLACES] = {
		[FIRST] = ROX_OP_RC_RDMA_READ_RESPONSE_FIRST,
		[MIDDLE] = ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE,
		[LAST] = ROX_OP_RC_RDMA_READ_RESPONSE_LAST,
		[ONLY] = ROX_OP_RC_RDMA_READ_RESPONSE_ONLY,
	};

	return op[first << 1 | last];
}

/* ---- runs ---- */

/* What a run is cut into, by its opcode within the service. */
struct cut {
	u8 first, middle, last;
};

#define CUT(only, end, msg) {						\
	.first = (only) ? ROX_OP_RC_##msg##_FIRST : ROX_OP_RC_##msg##_MIDDLE, \
	.middle = ROX_OP_RC_##msg##_MIDDLE,				\
	.last = ROX_OP_RC_##msg##_##end }

static const struct cut cuts[] = {
	[ROX_OP_RC_SEND_FIRST] = CUT(true, MIDDLE, SEND),
	[ROX_OP_RC_SEND_MIDDLE] = CUT(false, MIDDLE, SEND),
	[ROX_OP_RC_SEND_LAST] = CUT(false, LAST, SEND),
	[ROX_OP_RC_SEND_LAST_WITH_IMM] = CUT(false, LAST_WITH_IMM, SEND),
	[ROX_OP_RC_SEND_LAST_WITH_INVALIDATE] = CUT(false, LAST_WITH_INVALIDATE, SEND),
	[ROX_OP_RC_SEND_ONLY] = CUT(true, LAST, SEND),
	[ROX_OP_RC_SEND_ONLY_WITH_IMM] = CUT(true, LAST_WITH_IMM, SEND),
	[ROX_OP_RC_SEND_ONLY_WITH_INVALIDATE] = CUT(true, LAST_WITH_INVALIDATE, SEND),

	[ROX_OP_RC_RDMA_WRITE_FIRST] = CUT(true, MIDDLE, RDMA_WRITE),
	[ROX_OP_RC_RDMA_WRITE_MIDDLE] = CUT(false, MIDDLE, RDMA_WRITE),
	[ROX_OP_RC_RDMA_WRITE_LAST] = CUT(false, LAST, RDMA_WRITE),
	[ROX_OP_RC_RDMA_WRITE_LAST_WITH_IMM] = CUT(false, LAST_WITH_IMM, RDMA_WRITE),
	[ROX_OP_RC_RDMA_WRITE_ONLY] = CUT(true, LAST, RDMA_WRITE),
	[ROX_OP_RC_RDMA_WRITE_ONLY_WITH_IMM] = CUT(true, LAST_WITH_IMM, RDMA_WRITE),

	[ROX_OP_RC_RDMA_READ_RESPONSE_FIRST] = CUT(true, MIDDLE, RDMA_READ_RESPONSE),
	[ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE] = CUT(false, MIDDLE, RDMA_READ_RESPONSE),
	[ROX_OP_RC_RDMA_READ_RESPONSE_LAST] = CUT(false, LAST, RDMA_READ_RESPONSE),
	[ROX_OP_RC_RDMA_READ_RESPONSE_ONLY] = CUT(true, LAST, RDMA_READ_RESPONSE),
};

static u8 cut_opcode(const struct rox_pkt *run, u32 i)
{
	u8 service = run->opcode & ROX_SVC_MASK;
	const struct cut *cut = &cuts[run->opcode & ~ROX_SVC_MASK];

	if (run->run == 1)
		return run->opcode;
	if (i == 0)
		return service | cut->first;
	return service | (i + 1 < run->run ? cut->middle : cut->last);
}

void rox_split(const struct rox_pkt *run, u32 pmtu, u32 i, struct rox_pkt *one)
{
	*one = *run;
	one->run = 1;
	one->opcode = cut_opcode(run, i);
	one->hdr_bytes = rox_pkt_op(one)->hdr_bytes;
	one->psn = rox_psn_add(run->psn, i);
	one->payload_bytes = run->payload_bytes - i * pmtu;
	if (i + 1 == run->run)
		return;
	one->payload_bytes = pmtu;
	one->pad = 0;
	one->ackreq = false;
	one->solicited = false;
}

/* ---- the reverse ---- */

#define NO_LAST	0xff

/* What may follow on an opcode within its service, and what it is with the last then. */
struct follower {
	u8 middle, last, with_last;
};

static const struct follower followers[] = {
	[ROX_OP_RC_SEND_FIRST] = {
		ROX_OP_RC_SEND_MIDDLE, ROX_OP_RC_SEND_LAST, ROX_OP_RC_SEND_ONLY },
	[ROX_OP_RC_SEND_MIDDLE] = {
		ROX_OP_RC_SEND_MIDDLE, ROX_OP_RC_SEND_LAST, ROX_OP_RC_SEND_LAST },
	[ROX_OP_RC_RDMA_WRITE_FIRST] = {
		ROX_OP_RC_RDMA_WRITE_MIDDLE, ROX_OP_RC_RDMA_WRITE_LAST,
		ROX_OP_RC_RDMA_WRITE_ONLY },
	[ROX_OP_RC_RDMA_WRITE_MIDDLE] = {
		ROX_OP_RC_RDMA_WRITE_MIDDLE, ROX_OP_RC_RDMA_WRITE_LAST,
		ROX_OP_RC_RDMA_WRITE_LAST },
	[ROX_OP_RC_RDMA_READ_RESPONSE_FIRST] = {
		ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, NO_LAST, NO_LAST },
	[ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE] = {
		ROX_OP_RC_RDMA_READ_RESPONSE_MIDDLE, NO_LAST, NO_LAST },
};

/* Of all that a BTH says, but for opcode, pad and what is asked for. */
static bool is_next_of(const struct rox_pkt *run, const u8 *b)
{
	return !(b[1] & ROX_BTH1_TVER_MASK) &&
	       get_unaligned_be16(b + 2) == run->pkey &&
	       rox_get_be24(b + 5) == run->dqpn &&
	       rox_get_be24(b + 9) == rox_psn_add(run->psn, run->run);
}

static bool add_last(struct rox_pkt *run, u8 with_last, u32 pmtu, const u8 *b, u32 area)
{
	u8 pad = (b[1] & ROX_BTH1_PAD_MASK) >> ROX_BTH1_PAD_SHIFT;

	if (area % 4 || pad >= area || area - pad > pmtu)
		return false;
	run->opcode = (run->opcode & ROX_SVC_MASK) | with_last;
	run->payload_bytes += area - pad;
	run->pad = pad;
	return true;
}

static bool add_middle(struct rox_pkt *run, u32 pmtu, const u8 *b, u32 area)
{
	if (area != pmtu || b[1] & ROX_BTH1_PAD_MASK)
		return false;
	run->payload_bytes += area;
	return true;
}

bool rox_merge(struct rox_pkt *run, u32 pmtu, const u8 *bth, u32 bytes)
{
	u32 area = bytes - ROX_BTH_BYTES - ROX_ICRC_BYTES;
	const struct follower *f;
	u8 code;

	if (!(rox_pkt_op(run)->flags & ROX_OPF_FULL) || run->ackreq || run->solicited ||
	    bytes < ROX_BTH_BYTES + ROX_ICRC_BYTES || !is_next_of(run, bth) ||
	    (bth[0] ^ run->opcode) & ROX_SVC_MASK)
		return false;
	f = &followers[run->opcode & ~ROX_SVC_MASK];
	code = bth[0] & ~ROX_SVC_MASK;
	if (code != f->middle && code != f->last)
		return false;
	if (code == f->middle ? !add_middle(run, pmtu, bth, area) :
				!add_last(run, f->with_last, pmtu, bth, area))
		return false;
	run->ackreq = bth[8] & ROX_BTH8_ACKREQ;
	run->solicited = bth[1] & ROX_BTH1_SOLICITED;
	run->run++;
	return true;
}
