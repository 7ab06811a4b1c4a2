// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * rox_parse() on any bytes: it stays inside them, what it lets through is sound,
 * and rox_build() gives the same bytes again. So is what rox_merge() makes of it.
 *
 * Input: two bytes that say how much longer the packet is than what can be read,
 * then the packet from the BTH on.
 */

#include "input.h"
#include "proto/pkt.h"
#include "proto/psn.h"
#include "proto/segment.h"

static void clear_reserved(const struct rox_opcode *op, u8 *buf)
{
	buf[4] &= ROX_BTH4_FECN | ROX_BTH4_BECN;
	buf[8] &= ROX_BTH8_ACKREQ;
	if (op->hdrs & ROX_HDR_DETH)
		buf[ROX_BTH_BYTES + 4] = 0;
	if (op->hdrs & ROX_HDR_CNP)
		memset(buf + ROX_BTH_BYTES, 0, ROX_CNP_PAD_BYTES);
}

static void check_sound(const struct rox_pkt *p, u32 total)
{
	const struct rox_opcode *op = rox_pkt_op(p);

	CHECK(op->hdr_bytes && p->hdr_bytes == op->hdr_bytes);
	CHECK((u64)p->hdr_bytes + p->payload_bytes + p->pad +
	      ROX_ICRC_BYTES == total);
	CHECK(p->pad <= 3);
	CHECK((p->payload_bytes + p->pad) % 4 == 0);
	CHECK(p->payload_bytes <= ROX_MAX_PAYLOAD_BYTES);
	CHECK(op->flags & ROX_OPF_PAYLOAD || !p->payload_bytes);
	CHECK(!(op->flags & ROX_OPF_FULL) || (p->payload_bytes && !p->pad));
}

static void check_rebuilt(const struct rox_pkt *p, const u8 *buf)
{
	const struct rox_opcode *op = rox_pkt_op(p);
	u8 seen[ROX_MAX_HDR_BYTES], again[ROX_MAX_HDR_BYTES];

	memcpy(seen, buf, op->hdr_bytes);
	clear_reserved(op, seen);
	CHECK(rox_build(p, again) == op->hdr_bytes);
	CHECK(!memcmp(seen, again, op->hdr_bytes));
}

/* As if the packet had followed on itself, or on one like it that is full. */
static void check_merged(struct rox_pkt run, const u8 *buf, u32 bytes)
{
	u32 pmtu = max(run.payload_bytes, 4U);
	u8 opcode = run.opcode;

	run.psn = rox_psn_sub(run.psn, 1);
	if (run.opcode == ROX_OP_RC_SEND_LAST || run.opcode == ROX_OP_RC_RDMA_WRITE_LAST) {
		run.opcode--;
		run.payload_bytes = pmtu;
	}
	run.pad = 0;
	run.ackreq = false;
	run.solicited = false;
	if (!rox_merge(&run, pmtu, buf, bytes))
		return;
	CHECK(run.run == 2);
	CHECK(run.payload_bytes > pmtu && run.payload_bytes <= 2 * pmtu);
	CHECK(rox_opcodes[opcode].hdr_bytes == ROX_BTH_BYTES);
	CHECK(!((rox_pkt_op(&run)->flags ^ rox_opcodes[opcode].flags) & ROX_OPF_LAST));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 extra = take_u16(&in);
	u32 avail = (u32)in.left;
	struct rox_pkt p;
	u8 *copy = malloc(avail);	/* so that ASan sees where it ends */

	CHECK(copy || !avail);
	if (avail)
		memcpy(copy, in.at, avail);
	if (rox_parse(copy, avail, avail + extra, &p) == ROX_DROP_NONE) {
		check_sound(&p, avail + extra);
		check_rebuilt(&p, copy);
		if (!extra)
			check_merged(p, copy, avail);
	}
	free(copy);
	return 0;
}
