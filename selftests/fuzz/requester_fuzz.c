// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester machine under any sequence of work requests, responses, losses
 * and time, next to a model of what it may send, place and complete.
 *
 * Its peer is a responder, which has got some of what was sent. Responses are
 * the peer's or anybody's: the network is hostile. Where the peer waits for what
 * is sent next, runs of packets are handed over to it, as within a host, and its
 * replies, runs as well, are taken at once.
 *
 * Input: a configuration, then steps.
 */

#include "requester_model.h"

static void start_peer(struct model *m, u32 choice)
{
	struct rox_resp_config cfg = {
		.service = m->cfg.service, .pmtu = m->cfg.pmtu,
		.allow = ROX_RESP_ALLOW_WRITE | ROX_RESP_ALLOW_READ |
			 ROX_RESP_ALLOW_ATOMIC,
		.pkey = 0xffff, .dqpn = SQPN, .max_msg = 0x80000000,
	};

	if (choice >= 0xf8)
		cfg.pmtu = 256u << (choice & 7) % 5;
	m->alike = cfg.pmtu == m->cfg.pmtu;
	rox_resp_init(&m->peer, m->records, NR_RECORDS);
	rox_resp_start(&m->peer, &cfg, m->psn);
}

static void start(struct model *m, struct input *in)
{
	static const u8 services[] = {
		ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_UC, ROX_SVC_UD,
	};
	u8 choice = take_u8(in);
	u32 psn;

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
	psn = take_u32(in);
	m->psn = psn & ROX_PSN_MASK;
	rox_req_start(&m->r, &m->cfg, psn);
	start_peer(m, psn >> 24);
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

static void step_complete(struct model *m)
{
	struct rox_wr *wr;

	while ((wr = rox_req_complete(&m->r)))
		complete_one(m, wr);
	check_state(m);
}

/* ---- sending ---- */

/* A READ of several pieces is one request of the peer's. */
static void sent(struct model *m, const struct rox_req_pkt *pkt)
{
	struct entry *e = entry_of(m, pkt->wr);

	rox_req_sent(&m->r, pkt, m->now);
	if (pkt->again)
		return;
	e->sent += pkt->nr_psn;
	m->psn = rox_psn_add(m->psn, pkt->nr_psn);
	if (e->opcode == ROX_WR_RDMA_READ)
		m->more_rd += (pkt->nr_psn - 1) / m->r.cfg.read_chunk;
}

/* ---- the peer ---- */

/* What becomes of what is sent. */
enum fate {
	DONE,
	NOT_READY,		/* no receive */
	REFUSED,
	GONE,			/* what is read may not be any more */
	NO_PLACE,		/* the requester's own memory is gone */
	NOT_SENT,		/* likewise */
};

static enum fate fate_of(u8 choice)
{
	static const u8 fates[16] = {
		[8] = NOT_READY, [9] = NOT_READY, [10] = REFUSED, [11] = GONE,
		[12] = NO_PLACE, [13] = NOT_SENT,
	};

	return fates[choice >> 4];
}

/* Peer and requester agree what it is for. */
static void check_meaning(const struct model *m, const struct rox_req_pkt *pkt,
			  const struct rox_resp_op *op)
{
	u32 payload = pkt->hdr.payload_bytes;

	if (!m->alike)
		return;
	if (op->kind == ROX_RESP_SEND) {
		CHECK(op->offset == pkt->offset);
		CHECK(op->msg_bytes == pkt->offset + payload);
		return;
	}
	CHECK(op->va == pkt->wr->remote_addr + pkt->offset);
	if (op->kind == ROX_RESP_WRITE)
		CHECK(op->len == payload && op->msg_bytes == pkt->offset + payload);
	else if (op->kind == ROX_RESP_READ)
		CHECK(op->len == pkt->hdr.dma_len);
}

/* The peer gets @pkt. Returns why it is not carried out. */
static enum rox_drop peer_gets(struct model *m, const struct rox_req_pkt *pkt,
			       enum fate fate)
{
	enum rox_resp_verdict v;
	struct rox_resp_op op;

	v = rox_resp_rx(&m->peer, &pkt->hdr, &op);
	CHECK(v != ROX_RESP_FATAL || !m->alike);
	if (v != ROX_RESP_EXEC)
		return op.drop;
	check_meaning(m, pkt, &op);
	if (fate == NOT_READY && op.needs_recv)
		rox_resp_rnr(&m->peer, &pkt->hdr);
	else if (fate == REFUSED)
		rox_resp_refuse(&m->peer, &pkt->hdr, ROX_AETH_NAK_REM_ACC);
	else
		rox_resp_commit(&m->peer, &pkt->hdr, &op, 0x5eed);
	return ROX_DROP_NONE;
}

static void do_local(struct model *m, const struct rox_req_pkt *pkt, u8 choice)
{
	CHECK(is_local(entry_of(m, pkt->wr)->opcode));
	rox_req_local_done(&m->r, choice == 0xff ? ROX_WC_MW_BIND_ERR :
						   ROX_WC_SUCCESS);
}

static void send_packet(struct model *m, const struct rox_req_pkt *pkt, u8 choice)
{
	bool lost = choice & 1;

	if (!lost && m->cfg.service != ROX_SVC_UD)
		peer_gets(m, pkt, fate_of(choice));
	sent(m, pkt);
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
			send_packet(m, &pkt, choice);
		return choice < 0xfe;
	case ROX_REQ_LOCAL:
		do_local(m, &pkt, choice);
		return true;
	case ROX_REQ_IDLE:
	case ROX_REQ_BLOCKED:
		break;
	}
	return false;
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

/* False if the payload of @p is to be placed, but is not there. */
static bool respond(struct model *m, const struct rox_pkt *p, enum fate fate,
		    struct rox_req_place *place)
{
	u32 una = m->r.una, inflight = rox_psn_sub(m->r.psn, una);
	bool gone = false;
	enum rox_drop why;

	why = rox_req_rx(&m->r, p, m->now, place);
	if (place->bytes || place->atomic) {
		CHECK(why == ROX_DROP_NONE);
		gone = fate == GONE && place->bytes;
		if (!gone) {
			check_place(m, p, place);
			rox_req_placed(&m->r, place, fate == NO_PLACE ?
				       ROX_WC_LOC_PROT_ERR : ROX_WC_SUCCESS);
		}
	}
	/* Nothing that was not sent is ever acknowledged. */
	CHECK(rox_psn_sub(m->r.una, una) <= inflight);
	if (rox_psn_sub(p->psn, una) >= inflight)
		CHECK(m->r.una == una && why != ROX_DROP_NONE);
	check_state(m);
	return !gone;
}

static void step_response(struct model *m, struct input *in)
{
	struct rox_req_place place;
	struct rox_pkt p;
	u8 choice = take_u8(in);

	if (take_response(m, in, &p))
		respond(m, &p, choice == 0xff ? NO_PLACE : DONE, &place);
}

/* All that the peer owes, in packets or runs. */
static void take_replies(struct model *m, enum fate fate)
{
	struct rox_req_place place;
	struct rox_resp_pkt reply;

	while (rox_resp_next(&m->peer, &reply)) {
		check_well_formed(&reply.hdr, m->peer.cfg.pmtu);
		CHECK(reply.hdr.run <= m->peer.run);
		if (!respond(m, &reply.hdr, fate, &place)) {
			rox_resp_read_fail(&m->peer, &reply);
			continue;
		}
		if (place.bytes && m->alike)
			CHECK(place.offset == reply.va - place.wr->remote_addr);
		rox_resp_sent(&m->peer, &reply);
	}
}

static void lose_replies(struct model *m)
{
	struct rox_resp_pkt reply;

	while (rox_resp_next(&m->peer, &reply))
		rox_resp_sent(&m->peer, &reply);
}

/* ---- handing over, within a host ---- */

static bool may_hand_over(const struct model *m)
{
	return m->cfg.service != ROX_SVC_UD && is_live(m) && !m->peer.dead &&
	       rox_req_is_clear(&m->r) && rox_req_has_more(&m->r) &&
	       m->peer.epsn == m->r.cursor;
}

/* With nobody in between, what is due is carried out and answered, all of it. */
static void check_given(const struct model *m, const struct rox_req_pkt *pkt,
			enum rox_drop why)
{
	u32 end = rox_psn_add(pkt->hdr.psn, pkt->nr_psn);

	CHECK(why == ROX_DROP_NONE || (!is_rc(m) && why == ROX_DROP_OUT_OF_ORDER));
	if (!is_live(m) || !is_rc(m))
		return;
	CHECK(m->r.rnr_waiting || m->peer.epsn == end);
	CHECK(!m->r.rnr_waiting || m->peer.epsn == pkt->hdr.psn);
	if (pkt->hdr.ackreq || m->r.rnr_waiting)
		CHECK(m->r.una == m->peer.epsn);
}

/* The peer posts at once, or is trusted to do so, or the NAK is taken at its word. */
static void await_post(struct model *m, u8 choice)
{
	if (!(choice & 3))
		rox_req_hurry(&m->r, m->now);
	else if (choice & 1)
		rox_req_rest(&m->r, m->now + 100000000);
	check_state(m);
}

static void give(struct model *m, const struct rox_req_pkt *pkt, u8 choice)
{
	bool due = pkt->hdr.psn == m->peer.epsn;
	enum fate fate = fate_of(choice);
	enum rox_drop why;

	if (fate == NOT_SENT) {
		rox_req_fail(&m->r, ROX_WC_LOC_PROT_ERR);
		return;
	}
	why = peer_gets(m, pkt, fate);
	sent(m, pkt);
	check_state(m);
	take_replies(m, fate);
	if (due && m->alike && !m->deceived)
		check_given(m, pkt, why);
	if (m->r.rnr_waiting)
		await_post(m, choice);
}

/* What may be handed over as a whole is a message with nothing before it under way. */
static void check_whole(struct model *m, const struct rox_wr *wr, const struct rox_pkt *p)
{
	const struct entry *e = entry_of(m, wr);

	CHECK(m->r.state == ROX_REQ_RUNNING && m->cfg.service != ROX_SVC_UD);
	CHECK(m->r.una == m->psn && !m->r.rnr_waiting && !e->sent && !e->is_bad);
	CHECK(e->opcode == ROX_WR_SEND || e->opcode == ROX_WR_SEND_WITH_IMM ||
	      e->opcode == ROX_WR_RDMA_WRITE || e->opcode == ROX_WR_RDMA_WRITE_WITH_IMM);
	CHECK(p->psn == m->psn && p->payload_bytes == e->length && p->dma_len == e->length);
	CHECK(p->run == rox_nr_pkts(e->length, m->cfg.pmtu));
	CHECK(p->opcode == rox_segment_opcode(m->cfg.service, e->opcode, true, true));
}

/* False if it goes in packets. */
static bool give_whole(struct model *m)
{
	struct rox_pkt p;
	struct rox_wr *wr = rox_req_whole(&m->r, &p);
	struct rox_resp_op op;
	struct entry *e;

	if (!wr)
		return false;
	check_whole(m, wr, &p);
	e = entry_of(m, wr);
	if (!rox_resp_whole(&m->peer, &p, &op))
		return false;
	CHECK(op.msg_bytes == e->length && m->peer.epsn == m->psn);
	rox_resp_commit(&m->peer, &p, &op, 0);
	rox_req_whole_done(&m->r, wr, &p);
	e->psn = m->psn;
	e->sent = p.run;
	m->psn = rox_psn_add(m->psn, p.run);
	CHECK(m->peer.epsn == m->psn && m->r.una == m->psn);
	check_state(m);
	return true;
}

static bool hand_over(struct model *m, struct input *in)
{
	u8 choice = take_u8(in);
	struct rox_req_pkt pkt;

	if (choice >= 0x40 && choice < 0x60)
		step_accept(m, in);
	else if (choice >= 0x60 && choice < 0x80)
		step_complete(m);
	else if (choice < 0x20 && give_whole(m))
		return true;
	switch (rox_req_next(&m->r, m->now, &pkt)) {
	case ROX_REQ_SEND:
		check_planned(m, &pkt);
		give(m, &pkt, choice);
		return true;
	case ROX_REQ_LOCAL:
		do_local(m, &pkt, choice);
		return true;
	case ROX_REQ_IDLE:
	case ROX_REQ_BLOCKED:
		break;
	}
	return false;
}

/* Who is handed a run may answer in longer ones. */
static void step_hand_over(struct model *m, struct input *in, u32 n)
{
	u32 run = take_u8(in) % MOST_RUN, more = take_u8(in);

	lose_replies(m);
	if (!may_hand_over(m))
		return;
	m->r.run = 1 + run;
	m->r.read_runs = true;
	m->peer.run = 1 + run + more % (MOST_RUN - run);
	/* The peer has seen nothing from una on. */
	m->deceived = m->r.reached != m->r.una;
	while (n-- && hand_over(m, in))
		check_state(m);
	m->deceived = false;
	m->r.run = 1;
	m->r.read_runs = false;
	m->peer.run = 1;
}

static void step_send(struct model *m, struct input *in)
{
	u8 how = take_u8(in), n = how & 31;

	check_state(m);
	if (how >= 0xc0) {
		step_hand_over(m, in, n);
		return;
	}
	while (n-- && send_one(m, 0))
		check_state(m);
	send_one(m, take_u8(in));
	if (how & 0x20)
		take_replies(m, DONE);
	else
		lose_replies(m);
}

/* ---- the rest ---- */

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
	case 4:
		if (how & 8) {
			rox_req_hurry(&m->r, m->now);
			break;
		}
		fallthrough;
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
