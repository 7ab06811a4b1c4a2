// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester machine under any sequence of work requests, responses, losses
 * and time, next to a model of what it may send, place and complete.
 *
 * Input: a configuration, then steps.
 */

#include "packet.h"
#include "proto/requester.h"
#include "proto/segment.h"

#define NR_SLOTS	8
#define STRIDE		128
#define DQPN		0x123456
#define SQPN		0x000077
#define MOST_BYTES	(64u << 10)
#define MOST_PKTS	(MOST_BYTES / 256)

/* What the model knows of the WR with that index. */
struct entry {
	u64 wr_id;
	u32 length;
	u32 placed;		/* bytes */
	u8 opcode;
	bool is_bad;
	bool got[MOST_PKTS];	/* of a READ: placed */
};

struct model {
	struct rox_requester r;
	_Alignas(8) u8 slots[NR_SLOTS * STRIDE];
	struct rox_req_config cfg;
	struct entry entries[NR_SLOTS];
	u64 now;
	u32 accepted;
	u32 completed;
	u32 most_rd;		/* largest max_rd_atomic so far */
	bool failed;		/* a WR completed in error */
};

static void start(struct model *m, struct input *in)
{
	static const u8 services[] = {
		ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_UC, ROX_SVC_UD,
	};
	u8 choice = take_u8(in);

	memset(m, 0, sizeof(*m));
	m->cfg = (struct rox_req_config){
		.service = services[choice & 3],
		.pmtu = 256u << (choice >> 2) % 5,
		.timeout = take_u8(in) & 31,
		.retry_cnt = choice >> 5,
		.rnr_retry = take_u8(in) & 7,
		.max_rd_atomic = take_u8(in) & 15,
		.window = take_u8(in),
		.read_chunk = take_u8(in) & 31,
		.pkey = 0xffff, .dqpn = DQPN, .sqpn = SQPN, .qkey = 0x11111111,
		.min_rto_ns = 1000000,
	};
	m->most_rd = m->cfg.max_rd_atomic;
	m->now = 1000000000;
	rox_req_init(&m->r, m->slots, STRIDE, NR_SLOTS);
	rox_req_start(&m->r, &m->cfg, take_u32(in));
}

static bool is_rc(const struct model *m)
{
	return m->cfg.service == ROX_SVC_RC;
}

static bool is_live(const struct model *m)
{
	return m->r.state == ROX_REQ_RUNNING || m->r.state == ROX_REQ_DRAINING;
}

static bool is_atomic(u8 wr_op)
{
	return wr_op == ROX_WR_ATOMIC_CMP_AND_SWP ||
	       wr_op == ROX_WR_ATOMIC_FETCH_AND_ADD;
}

static bool is_local(u8 wr_op)
{
	return wr_op == ROX_WR_LOCAL_INV || wr_op == ROX_WR_BIND_MW ||
	       wr_op == ROX_WR_REG_MR;
}

/* Valid between any two calls of the machine. */
static void check_state(const struct model *m)
{
	const struct rox_requester *r = &m->r;
	u32 inflight = rox_psn_sub(r->psn, r->una);

	CHECK(r->head - r->tail <= NR_SLOTS);
	CHECK(r->oldest - r->tail <= r->head - r->tail);
	CHECK(r->next - r->oldest <= r->head - r->oldest);
	CHECK(r->head == m->accepted && r->tail == m->completed);
	if (is_live(m))
		CHECK(rox_psn_sub(r->cursor, r->una) <= inflight);
	CHECK(inflight <= max(r->cfg.window, r->cfg.read_chunk));
	if (is_live(m))
		CHECK(r->rd_inflight <= m->most_rd);
	if (is_live(m) && inflight)
		CHECK(rox_req_deadline(r) != ROX_TIME_NEVER);
	if (is_live(m) && inflight)
		CHECK(r->oldest != r->head);
}

static struct entry *entry_of(struct model *m, const struct rox_wr *wr)
{
	size_t at = (size_t)((const u8 *)wr - m->slots);
	struct entry *e;

	CHECK(at % STRIDE == 0 && at / STRIDE < NR_SLOTS);
	e = &m->entries[at / STRIDE];
	CHECK(e->wr_id >= m->completed && e->wr_id < m->accepted);
	CHECK(e->wr_id == wr->wr_id && e->length == wr->length);
	return e;
}

/* ---- work requests ---- */

static u8 take_wr_opcode(struct input *in)
{
	static const u8 ops[] = {
		ROX_WR_RDMA_WRITE, ROX_WR_RDMA_WRITE_WITH_IMM, ROX_WR_SEND,
		ROX_WR_SEND_WITH_IMM, ROX_WR_RDMA_READ, ROX_WR_RDMA_READ,
		ROX_WR_ATOMIC_CMP_AND_SWP, ROX_WR_ATOMIC_FETCH_AND_ADD,
		ROX_WR_LOCAL_INV, ROX_WR_BIND_MW, ROX_WR_SEND_WITH_INV,
		ROX_WR_REG_MR, ROX_WR_SEND, ROX_WR_SEND, ROX_WR_RDMA_WRITE,
	};
	u8 how = take_u8(in) & 15;

	return how < ARRAY_SIZE(ops) ? ops[how] : take_u8(in);
}

static void step_accept(struct model *m, struct input *in)
{
	struct rox_wr *wr;
	u8 bits;

	if (!rox_req_can_accept(&m->r))
		return;
	wr = rox_req_slot(&m->r);
	memset(wr, 0xa5, STRIDE);
	wr->wr_id = m->accepted;
	wr->opcode = take_wr_opcode(in);
	wr->length = take_length(in, m->cfg.pmtu) % MOST_BYTES;
	if (is_atomic(wr->opcode))
		wr->length = 8;
	bits = take_u8(in);
	wr->flags = bits & ROX_SQE_FLAGS;
	wr->remote_addr = 0x10000 + bits;
	m->entries[m->accepted++ % NR_SLOTS] = (struct entry){
		.wr_id = wr->wr_id, .length = wr->length, .opcode = wr->opcode,
		.is_bad = bits >= 0xf8,
	};
	rox_req_accept(&m->r, bits >= 0xf8 ? ROX_WC_LOC_QP_OP_ERR : ROX_WC_SUCCESS);
}

/* ---- sending ---- */

static void check_planned_read(const struct model *m, const struct rox_req_pkt *pkt)
{
	const struct rox_pkt *h = &pkt->hdr;

	CHECK(h->va == pkt->wr->remote_addr + pkt->offset);
	CHECK((u64)pkt->offset + h->dma_len <= pkt->wr->length);
	CHECK(rox_nr_pkts(h->dma_len, m->cfg.pmtu) <= m->r.cfg.read_chunk);
}

static void check_planned(struct model *m, const struct rox_req_pkt *pkt)
{
	const struct rox_pkt *h = &pkt->hdr;
	struct entry *e = entry_of(m, pkt->wr);
	bool last = rox_pkt_op(h)->flags & ROX_OPF_LAST;

	CHECK(!e->is_bad && !is_local(e->opcode));
	CHECK(rox_pkt_op(h)->flags & ROX_OPF_REQUEST);
	CHECK((h->opcode & ROX_SVC_MASK) == m->cfg.service);
	CHECK(m->cfg.service == ROX_SVC_UD ? h->sqpn == SQPN : h->dqpn == DQPN);
	CHECK(h->psn == m->r.cursor);
	CHECK(pkt->again == (m->r.cursor != m->r.psn));
	check_well_formed(h, m->cfg.pmtu);
	if (e->opcode == ROX_WR_RDMA_READ) {
		check_planned_read(m, pkt);
		return;
	}
	if (is_atomic(e->opcode))
		return;
	CHECK((u64)pkt->offset + h->payload_bytes <= e->length);
	CHECK(last == (pkt->offset + h->payload_bytes == e->length));
}

/* Returns false if there is nothing more to do now. */
static bool send_one(struct model *m, u8 choice)
{
	struct rox_req_pkt pkt;

	switch (rox_req_next(&m->r, m->now, &pkt)) {
	case ROX_REQ_SEND:
		check_planned(m, &pkt);
		if (choice == 0xff)
			rox_req_fail(&m->r, ROX_WC_LOC_PROT_ERR);
		else if (choice != 0xfe)
			rox_req_sent(&m->r, &pkt, m->now);
		return choice < 0xfe;
	case ROX_REQ_LOCAL:
		CHECK(is_local(entry_of(m, pkt.wr)->opcode));
		rox_req_local_done(&m->r, choice == 0xff ? ROX_WC_MW_BIND_ERR :
							   ROX_WC_SUCCESS);
		return true;
	case ROX_REQ_IDLE:
	case ROX_REQ_BLOCKED:
		break;
	}
	return false;
}

static void step_send(struct model *m, struct input *in)
{
	u8 n = take_u8(in) & 31;

	check_state(m);
	while (n-- && send_one(m, 0))
		check_state(m);
	send_one(m, take_u8(in));
}

/* ---- responses ---- */

static u32 take_response_payload(struct model *m, struct input *in, u8 opcode)
{
	const struct rox_wr *wr = rox_req_wr(&m->r, m->r.oldest);
	u8 how = take_u8(in);
	u32 rest;

	if (how >= 0xe0)
		return take_payload(in, opcode, m->cfg.pmtu);
	if (!(rox_opcodes[opcode].flags & ROX_OPF_PAYLOAD))
		return 0;
	/* What would be right for the READ that is under way. */
	if (m->r.oldest == m->r.head)
		return m->cfg.pmtu;
	rest = wr->length - m->entries[m->r.oldest % NR_SLOTS].placed;
	return min(rest, m->cfg.pmtu);
}

static u8 take_syndrome(struct input *in)
{
	u8 how = take_u8(in);

	if (how < 0x80)
		return ROX_AETH_ACK_UNLIMITED;
	if (how < 0xa0)
		return ROX_AETH_NAK_PSN_SEQ;
	if (how < 0xc0)
		return ROX_AETH_RNR_NAK | (how & 31);
	if (how < 0xc8)
		return ROX_AETH_NAK | (how & 7);
	return take_u8(in);
}

static bool take_response(struct model *m, struct input *in, struct rox_pkt *p)
{
	u8 how = take_u8(in);

	memset(p, 0, sizeof(*p));
	p->opcode = (u8)(ROX_OP_RC_RDMA_READ_RESPONSE_FIRST + how % 6);
	if (how >= 0xfc)
		p->opcode = take_u8(in);
	p->psn = take_psn(in, how & 0x40 ? rox_psn_sub(m->r.psn, 1) : m->r.una);
	p->syndrome = take_syndrome(in);
	p->atomic_orig = 0x5eed;
	p->payload_bytes = take_response_payload(m, in, p->opcode);
	return through_parser(p);
}

/* Each byte of a READ once, in any order; an atomic's answer once. */
static void check_place(struct model *m, const struct rox_pkt *p,
			const struct rox_req_place *place)
{
	struct entry *e = entry_of(m, place->wr);

	CHECK(is_rc(m));
	if (place->atomic) {
		CHECK(is_atomic(e->opcode) && !e->placed);
		CHECK(place->orig == p->atomic_orig);
		e->placed = 8;
		return;
	}
	CHECK(e->opcode == ROX_WR_RDMA_READ);
	CHECK(place->bytes == p->payload_bytes);
	CHECK(place->offset % m->cfg.pmtu == 0);
	CHECK(!e->got[place->offset / m->cfg.pmtu]);
	e->got[place->offset / m->cfg.pmtu] = true;
	CHECK((u64)place->offset + place->bytes <= e->length);
	e->placed += place->bytes;
}

static void step_response(struct model *m, struct input *in)
{
	u32 una = m->r.una, inflight = rox_psn_sub(m->r.psn, una);
	struct rox_req_place place;
	struct rox_pkt p;
	enum rox_drop why;
	u8 choice = take_u8(in);

	if (!take_response(m, in, &p))
		return;
	why = rox_req_rx(&m->r, &p, m->now, &place);
	if (place.bytes || place.atomic) {
		CHECK(why == ROX_DROP_NONE);
		check_place(m, &p, &place);
		rox_req_placed(&m->r, &place, choice == 0xff ?
			       ROX_WC_LOC_PROT_ERR : ROX_WC_SUCCESS);
	}
	/* Nothing that was not sent is ever acknowledged. */
	CHECK(rox_psn_sub(m->r.una, una) <= inflight);
	if (rox_psn_sub(p.psn, una) >= inflight)
		CHECK(m->r.una == una && why != ROX_DROP_NONE);
	check_state(m);
}

/* ---- the rest ---- */

static void complete_one(struct model *m, const struct rox_wr *wr)
{
	const struct entry *e = &m->entries[m->completed % NR_SLOTS];

	CHECK(wr->wr_id == m->completed && wr->wr_id == e->wr_id);
	m->completed++;
	if (wr->status != ROX_WC_SUCCESS) {
		m->failed = true;
		return;
	}
	CHECK(!e->is_bad);
	CHECK(!m->failed || is_local(e->opcode));
	if (e->opcode == ROX_WR_RDMA_READ || is_atomic(e->opcode))
		CHECK(e->placed == e->length);
}

static void step_complete(struct model *m)
{
	struct rox_wr *wr;

	while ((wr = rox_req_complete(&m->r)))
		complete_one(m, wr);
	check_state(m);
}

static void step_time(struct model *m, struct input *in)
{
	u8 how = take_u8(in);
	u64 deadline = rox_req_deadline(&m->r);

	if (how < 0x80 && deadline != ROX_TIME_NEVER && deadline > m->now)
		m->now = deadline;
	else
		m->now += 1ull << (how & 31);
	rox_req_tick(&m->r, m->now);
	check_state(m);
}

static void step_life(struct model *m, struct input *in)
{
	u8 how = take_u8(in);

	switch (how & 7) {
	case 0:
		rox_req_error(&m->r, how & 0x80 ? ROX_WC_WR_FLUSH_ERR :
						  ROX_WC_FATAL_ERR);
		break;
	case 1:
	case 2:
		rox_req_drain(&m->r, how & 1);
		break;
	case 3:
		if (is_rc(m))
			break;
		step_complete(m);
		rox_req_resume(&m->r);
		m->failed = false;
		break;
	default:
		m->cfg.max_rd_atomic = how >> 4;
		m->most_rd = max(m->most_rd, (u32)m->cfg.max_rd_atomic);
		rox_req_reconfigure(&m->r, &m->cfg);
	}
	if (rox_req_drained(&m->r))
		CHECK(m->r.una == m->r.psn);
	check_state(m);
}

static void step(struct model *m, struct input *in)
{
	u8 choice = take_u8(in);

	if (choice < 0x40)
		step_accept(m, in);
	else if (choice < 0x80)
		step_send(m, in);
	else if (choice < 0xd8)
		step_response(m, in);
	else if (choice < 0xe8)
		step_complete(m);
	else if (choice < 0xfa)
		step_time(m, in);
	else
		step_life(m, in);
}

/* Whatever happened, every WR completes once, in order. */
static void finish(struct model *m)
{
	rox_req_error(&m->r, ROX_WC_WR_FLUSH_ERR);
	step_complete(m);
	CHECK(m->completed == m->accepted);
	CHECK(rox_req_deadline(&m->r) == ROX_TIME_NEVER);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct model m;

	start(&m, &in);
	while (in.left)
		step(&m, &in);
	finish(&m);
	return 0;
}
