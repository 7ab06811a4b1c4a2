// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder machine under any sequence of request packets and outcomes, next
 * to a model of what it may ask for and may answer.
 *
 * Input: a configuration, then steps; each a packet with its outcome, a few
 * replies, a change of what the peer is allowed, or, as within a host, runs of
 * packets that a requester hands over, each with its outcome and all its replies.
 */
#include <rdma/rox-abi.h>

#include "packet.h"
#include "proto/responder.h"
#include "proto/segment.h"

#define NR_RECORDS	8
/* What was asked again may be answered after its record was forgotten. */
#define NR_HISTORY	(4 * NR_RECORDS)
#define PKEY		0xffff
#define DQPN		0x123456
#define MOST_RUN	64

/* A READ or atomic that was carried out. */
struct record {
	u64 va;
	u64 orig;
	u32 rkey;
	u32 len;
	u32 psn;
	u32 nr_psn;
	bool atomic;
};

struct model {
	struct rox_responder r;
	struct rox_resource ring[NR_RECORDS];
	struct rox_resp_config cfg;
	u32 epsn;
	u32 msn;
	u32 nr_records_kept;	/* by the responder */
	bool dead;
	bool too_far;		/* READs took so many PSNs that they come round */
	u64 quota;		/* replies that were asked for, not sent yet */

	/* The message under way. */
	bool in_msg;
	bool writing;
	bool recv_held;
	u64 va;
	u32 rkey;
	u32 len;
	u32 placed;

	/* What duplicates may ask for. */
	struct record records[NR_HISTORY];
	u32 nr_records;
};

static u32 pick_service(u8 choice)
{
	static const u8 services[] = { ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_UC, ROX_SVC_UD };

	return services[choice & 3];
}

static void start(struct model *m, struct input *in)
{
	u8 choice = take_u8(in);

	memset(m, 0, sizeof(*m));
	m->cfg.service = (u8)pick_service(choice);
	m->cfg.pmtu = 256u << (choice >> 2) % 5;
	m->cfg.allow = take_u8(in) ^ 7;
	m->cfg.min_rnr_timer = take_u8(in);
	m->cfg.pkey = PKEY;
	m->cfg.dqpn = DQPN;
	m->cfg.max_msg = choice & 0x80 ? 8 * m->cfg.pmtu : 0x80000000;
	m->epsn = take_u32(in) & ROX_PSN_MASK;
	m->nr_records_kept = take_u8(in) % (NR_RECORDS + 1);
	rox_resp_init(&m->r, m->ring, m->nr_records_kept);
	rox_resp_start(&m->r, &m->cfg, m->epsn);
}

/* ---- requests ---- */

static u8 take_request_opcode(struct input *in, u8 service)
{
	u8 how = take_u8(in);

	if (how >= 0xf0)
		return take_u8(in);
	if (service == ROX_SVC_UD)
		return (u8)(ROX_OP_UD_SEND_ONLY + (how & 1));
	return (u8)(service | how % 0x18);
}

/* A READ or atomic again: the same, a part of it, or nearly so. */
static void take_duplicate(const struct model *m, struct input *in, struct rox_pkt *p)
{
	const struct record *rec = &m->records[take_u8(in) % NR_HISTORY];
	u32 skip = take_u8(in) & 3;
	u8 error = take_u8(in);

	p->opcode = rec->atomic ? ROX_OP_RC_FETCH_ADD : ROX_OP_RC_RDMA_READ_REQUEST;
	p->psn = rox_psn_add(rec->psn, skip);
	p->rkey = rec->rkey;
	p->va = rec->va + skip * m->cfg.pmtu;
	p->dma_len = rec->len - skip * m->cfg.pmtu;
	if (error & 0x80)
		p->dma_len += error & 15;
	if (error & 0x40)
		p->va += error & 15;
	if (error & 0x20)
		p->rkey ^= 1;
}

static bool take_request(struct model *m, struct input *in, struct rox_pkt *p)
{
	u8 bits;

	memset(p, 0, sizeof(*p));
	p->opcode = take_request_opcode(in, m->cfg.service);
	p->psn = take_psn(in, m->epsn);
	p->payload_bytes = take_payload(in, p->opcode, m->cfg.pmtu);
	p->dma_len = take_length(in, m->cfg.pmtu);
	bits = take_u8(in);
	p->ackreq = bits & 1;
	p->solicited = bits & 2;
	p->rkey = bits >> 6;
	p->va = (bits & 4 ? 0xfffffffffffff000ull : 0x10000) + take_u16(in);
	if (bits & 8 && m->nr_records)
		take_duplicate(m, in, p);
	p->pkey = PKEY;
	p->dqpn = 5;
	return through_parser(p);
}

static void check_send(struct model *m, const struct rox_pkt *p,
		       const struct rox_resp_op *op)
{
	CHECK(op->offset == m->placed);
	CHECK(op->msg_bytes == m->placed + p->payload_bytes);
	CHECK(m->cfg.service == ROX_SVC_UD || op->msg_bytes <= m->cfg.max_msg);
	CHECK(op->needs_recv != m->recv_held);
	CHECK(op->completes == op->last);
}

/* Never outside what the RETH announced, and all of it by the end. */
static void check_write(struct model *m, const struct rox_pkt *p,
			const struct rox_resp_op *op)
{
	bool imm = rox_pkt_op(p)->hdrs & ROX_HDR_IMM;

	CHECK(m->cfg.allow & ROX_RESP_ALLOW_WRITE || !op->first);
	if (op->first) {
		CHECK(op->range_va == p->va && op->range_len == p->dma_len);
		m->va = p->va;
		m->rkey = p->rkey;
		m->len = p->dma_len;
	}
	CHECK(op->rkey == m->rkey);
	CHECK(op->va == m->va + m->placed);
	CHECK(op->len == p->payload_bytes);
	CHECK((u64)m->placed + op->len <= m->len);
	CHECK(!op->last || m->placed + op->len == m->len);
	CHECK(m->len <= m->cfg.max_msg);
	CHECK(op->completes == (op->last && imm));
	CHECK(op->needs_recv == (op->completes && !m->recv_held));
}

static void check_payload_op(struct model *m, const struct rox_pkt *p,
			     const struct rox_resp_op *op)
{
	bool writing = op->kind == ROX_RESP_WRITE;

	CHECK(op->first == !!(rox_pkt_op(p)->flags & ROX_OPF_FIRST));
	CHECK(op->last == !!(rox_pkt_op(p)->flags & ROX_OPF_LAST));
	CHECK(p->payload_bytes <= p->run * m->cfg.pmtu);
	CHECK(p->run == 1 || p->payload_bytes > before_last(p, m->cfg.pmtu));
	CHECK(op->last || p->payload_bytes == p->run * m->cfg.pmtu);
	if (op->first) {
		CHECK(!m->in_msg || m->cfg.service != ROX_SVC_RC);
		m->placed = 0;
	} else {
		CHECK(m->in_msg && m->writing == writing);
	}
	if (writing)
		check_write(m, p, op);
	else
		check_send(m, p, op);
}

static void check_exec(struct model *m, const struct rox_pkt *p,
		       const struct rox_resp_op *op)
{
	CHECK(!m->dead);
	CHECK((p->opcode & ROX_SVC_MASK) == m->cfg.service);
	CHECK(rox_pkt_op(p)->flags & ROX_OPF_REQUEST);
	if (m->cfg.service == ROX_SVC_RC)
		CHECK(p->psn == m->epsn);
	if (m->cfg.service == ROX_SVC_UC) {
		/* Late is dropped; from further back, or ahead, one begins anew. */
		CHECK(p->psn == m->epsn ||
		      rox_psn_sub(m->epsn, p->psn) > ROX_UC_LATE);
		CHECK(op->first || p->psn == m->epsn);
	}
	switch (op->kind) {
	case ROX_RESP_SEND:
	case ROX_RESP_WRITE:
		check_payload_op(m, p, op);
		return;
	case ROX_RESP_READ:
		CHECK(m->cfg.allow & ROX_RESP_ALLOW_READ);
		CHECK(op->len == p->dma_len && op->len <= m->cfg.max_msg);
		break;
	case ROX_RESP_ATOMIC:
		CHECK(m->cfg.allow & ROX_RESP_ALLOW_ATOMIC);
		CHECK(op->len == 8);
		break;
	}
	CHECK(m->cfg.service == ROX_SVC_RC && !m->in_msg && !op->needs_recv);
	CHECK(op->va == p->va && op->rkey == p->rkey);
}

static u32 record(struct model *m, const struct rox_pkt *p,
		  const struct rox_resp_op *op, u64 orig)
{
	struct record *rec = &m->records[m->nr_records++ % NR_HISTORY];

	*rec = (struct record){
		.va = p->va, .orig = orig, .rkey = p->rkey, .len = op->len,
		.psn = p->psn, .nr_psn = 1, .atomic = op->kind == ROX_RESP_ATOMIC,
	};
	if (op->kind == ROX_RESP_READ)
		rec->nr_psn = rox_nr_pkts(op->len, m->cfg.pmtu);
	return rec->nr_psn;
}

static void commit(struct model *m, const struct rox_pkt *p,
		   const struct rox_resp_op *op)
{
	u64 orig = (u64)p->psn << 32 | 0x5eed;
	u32 psns = p->run;

	rox_resp_commit(&m->r, p, op, orig);
	if (op->kind == ROX_RESP_READ || op->kind == ROX_RESP_ATOMIC) {
		psns = record(m, p, op, orig);
	} else {
		m->recv_held = (m->recv_held || op->needs_recv) && !op->completes;
		m->in_msg = !op->last;
		m->writing = op->kind == ROX_RESP_WRITE;
		m->placed += p->payload_bytes;
	}
	m->too_far |= psns > ROX_PSN_HALF / NR_HISTORY / 2;
	m->epsn = rox_psn_add(p->psn, psns);
	m->msn = rox_psn_add(m->msn, op->last);
}

/* The message is over without having ended. */
static void abandon(struct model *m, const struct rox_pkt *p)
{
	if (m->cfg.service == ROX_SVC_RC)
		return;
	m->in_msg = false;
	m->epsn = rox_psn_add(p->psn, p->run);
}

/* No key allows a range that goes round the end of the address space. */
static bool goes_round(const struct rox_resp_op *op)
{
	return op->va + op->len < op->va ||
	       op->range_va + op->range_len < op->range_va;
}

static void outcome(struct model *m, const struct rox_pkt *p,
		    const struct rox_resp_op *op, u8 choice)
{
	static const u8 reasons[] = {
		ROX_AETH_NAK_REM_ACC, ROX_AETH_NAK_INV_REQ, ROX_AETH_NAK_REM_OP,
	};

	if (choice < 0xd0 && !goes_round(op)) {
		commit(m, p, op);
	} else if (choice < 0xf0 && op->needs_recv) {
		rox_resp_rnr(&m->r, p);
		abandon(m, p);
	} else {
		rox_resp_refuse(&m->r, p, reasons[choice % 3]);
		m->dead = m->cfg.service == ROX_SVC_RC;
		m->recv_held = false;
		abandon(m, p);
	}
}

/* UC: what was not carried out ends the message it should have gone on with. */
static void not_executed(struct model *m, const struct rox_pkt *p,
			 const struct rox_resp_op *op)
{
	if (m->cfg.service != ROX_SVC_UC || op->drop == ROX_DROP_DUPLICATE ||
	    op->drop == ROX_DROP_SERVICE || op->drop == ROX_DROP_OPCODE)
		return;
	abandon(m, p);
}

static enum rox_resp_verdict request(struct model *m, const struct rox_pkt *p,
				     struct rox_resp_op *op, u8 choice)
{
	enum rox_resp_verdict v;

	m->quota += rox_nr_pkts(p->dma_len, m->cfg.pmtu) + 1;
	v = rox_resp_rx(&m->r, p, op);
	CHECK(v == ROX_RESP_DROP || !m->dead);
	if (v == ROX_RESP_EXEC) {
		check_exec(m, p, op);
		outcome(m, p, op, choice);
		return v;
	}
	CHECK(op->drop != ROX_DROP_NONE);
	m->dead |= v == ROX_RESP_FATAL;
	not_executed(m, p, op);
	return v;
}

static void step_request(struct model *m, struct input *in)
{
	struct rox_resp_op op;
	struct rox_pkt p;
	u8 choice = take_u8(in);

	if (take_request(m, in, &p))
		request(m, &p, &op, choice);
}

/* ---- replies ---- */

/* The youngest that holds @psn. */
static const struct record *find_record(const struct model *m, u32 psn)
{
	const struct record *rec;
	u32 age;

	for (age = 1; age <= NR_HISTORY && age <= m->nr_records; age++) {
		rec = &m->records[(m->nr_records - age) % NR_HISTORY];
		if (rox_psn_sub(psn, rec->psn) < rec->nr_psn)
			return rec;
	}
	return NULL;
}

static bool is_within(const struct record *rec, const struct rox_resp_pkt *pkt)
{
	return pkt->rkey == rec->rkey && pkt->va >= rec->va &&
	       pkt->va - rec->va + pkt->hdr.payload_bytes <= rec->len;
}

/* From inside a range that was asked for under that key, whatever the PSN. */
static void check_read_reply(const struct model *m, const struct rox_resp_pkt *pkt)
{
	const struct record *rec = find_record(m, pkt->hdr.psn);
	u32 i;

	CHECK(rec);
	CHECK(m->too_far || pkt->hdr.run <= rec->nr_psn - rox_psn_sub(pkt->hdr.psn, rec->psn));
	for (i = 0; i < NR_HISTORY && i < m->nr_records; i++)
		if (is_within(&m->records[i], pkt))
			return;
	CHECK(!"inside a range that was asked for");
}

static void check_ack(const struct model *m, const struct rox_pkt *h)
{
	switch (h->syndrome & ROX_AETH_KIND_MASK) {
	case ROX_AETH_ACK:
		CHECK(m->too_far || rox_psn_before(h->psn, m->epsn));
		return;
	case ROX_AETH_RNR_NAK:
	case ROX_AETH_NAK:
		CHECK(h->psn == m->epsn || m->dead);
		return;
	}
	CHECK(!"a known kind of AETH");
}

static void check_reply(const struct model *m, const struct rox_resp_pkt *pkt)
{
	const struct rox_pkt *h = &pkt->hdr;
	u16 flags = rox_pkt_op(h)->flags;
	const struct record *rec;

	CHECK(m->cfg.service == ROX_SVC_RC);
	CHECK(h->dqpn == DQPN && h->pkey == PKEY);
	CHECK(flags & ROX_OPF_RESPONSE);
	CHECK(m->too_far || !rox_psn_after(h->psn, m->epsn));
	if (rox_pkt_op(h)->hdrs & ROX_HDR_AETH)
		CHECK(!rox_psn_after(h->msn, m->msn));
	check_well_formed(h, m->cfg.pmtu);
	CHECK(h->run <= (pkt->read ? m->r.run : 1));
	CHECK(pkt->read || !h->payload_bytes);
	if (h->opcode == ROX_OP_RC_ACKNOWLEDGE)
		check_ack(m, h);
	else if (flags & ROX_OPF_READ)
		check_read_reply(m, pkt);
	if (flags & ROX_OPF_ATOMIC) {
		rec = find_record(m, h->psn);
		CHECK(rec && (m->too_far || rec->orig == h->atomic_orig));
	}
}

static void step_replies(struct model *m, u8 most, bool fail)
{
	struct rox_resp_pkt pkt;
	u32 i;

	for (i = 0; i < most && rox_resp_next(&m->r, &pkt); i++) {
		check_reply(m, &pkt);
		CHECK(m->quota >= pkt.hdr.run);
		m->quota -= pkt.hdr.run;
		if (pkt.read && fail) {
			rox_resp_read_fail(&m->r, &pkt);
			m->quota += pkt.hdr.run;
			m->dead |= m->r.dead;
			return;
		}
		rox_resp_sent(&m->r, &pkt);
	}
}

/* ---- handed over by a requester of the same host ---- */

/* Nothing is owed, and what is sent next is what is expected. */
static bool may_hand_over(struct model *m)
{
	struct rox_resp_pkt reply;

	return !m->dead && !rox_resp_next(&m->r, &reply);
}

/*
 * What a requester sends on in the message under way, or begins. It may be wrong
 * about that: the hostile network may have sent what it thinks that it sent.
 */
static u8 take_wr_opcode(const struct model *m, struct input *in, bool wrong)
{
	static const u8 sends[] = {
		ROX_WR_SEND, ROX_WR_SEND_WITH_IMM, ROX_WR_SEND_WITH_INV,
	};
	static const u8 writes[] = {
		ROX_WR_RDMA_WRITE, ROX_WR_RDMA_WRITE_WITH_IMM,
	};
	static const u8 others[] = {
		ROX_WR_RDMA_READ, ROX_WR_RDMA_READ, ROX_WR_ATOMIC_FETCH_AND_ADD,
		ROX_WR_ATOMIC_CMP_AND_SWP,
	};
	u8 how = take_u8(in);

	if ((!m->in_msg || wrong) && how >= 0xa0)
		return others[how % ARRAY_SIZE(others)];
	if (m->in_msg && !wrong ? m->writing : how & 1)
		return writes[(how >> 1) % ARRAY_SIZE(writes)];
	return sends[(how >> 1) % ARRAY_SIZE(sends)];
}

/* Bytes left of the message under way, or of the one that begins. */
static u32 take_rest(const struct model *m, struct input *in, bool wrong)
{
	u32 rest;

	if (m->in_msg && m->writing && !wrong)
		return m->len - m->placed;
	rest = take_length(in, m->cfg.pmtu) % (4 * MOST_RUN * m->cfg.pmtu);
	return max(rest, (u32)m->in_msg);
}

/* As a requester cuts it that plans runs of @most packets of @pmtu. */
static void cut(struct rox_pkt *p, u32 rest, u32 most, u32 pmtu)
{
	p->run = 1;
	p->dma_len = rest;
	if (!(rox_pkt_op(p)->flags & ROX_OPF_PAYLOAD))
		return;
	p->run = min(rox_nr_pkts(rest, pmtu), most);
	p->payload_bytes = min(rest, p->run * pmtu);
}

struct sender {
	u32 run;
	u32 pmtu;		/* its own idea of it */
	bool wrong;		/* about the message under way */
};

static bool take_run(struct model *m, struct input *in, const struct sender *s,
		     struct rox_pkt *p)
{
	u8 wr_op = take_wr_opcode(m, in, s->wrong);
	u32 rest = take_rest(m, in, s->wrong);
	bool first = m->in_msg == s->wrong;
	bool last = rox_nr_pkts(rest, s->pmtu) <= s->run;
	u8 bits = take_u8(in);
	int opcode = rox_segment_opcode(m->cfg.service, wr_op, first, last);

	if (opcode < 0)
		return false;
	memset(p, 0, sizeof(*p));
	p->opcode = (u8)opcode;
	cut(p, rest, s->run, s->pmtu);
	p->psn = m->epsn;
	p->ackreq = s->run > 1 || last || bits & 1;
	p->rkey = bits >> 6;
	p->va = 0x10000 + bits;
	p->pkey = PKEY;
	p->dqpn = 5;
	return run_through_parser(p, s->pmtu);
}

static bool is_allowed(const struct model *m, u16 flags)
{
	if (flags & ROX_OPF_WRITE)
		return m->cfg.allow & ROX_RESP_ALLOW_WRITE;
	if (flags & ROX_OPF_READ)
		return m->nr_records_kept && m->cfg.allow & ROX_RESP_ALLOW_READ;
	if (flags & ROX_OPF_ATOMIC)
		return m->nr_records_kept && m->cfg.allow & ROX_RESP_ALLOW_ATOMIC;
	return true;
}

/* Nothing is wrong with it: it has to be carried out. */
static bool is_right(const struct model *m, const struct sender *s,
		     const struct rox_pkt *p)
{
	u16 flags = rox_pkt_op(p)->flags;
	u32 bytes = p->dma_len;

	if (m->cfg.service == ROX_SVC_UD)
		return p->payload_bytes <= m->cfg.pmtu;
	if (s->wrong || s->pmtu != m->cfg.pmtu || !is_allowed(m, flags))
		return false;
	if (flags & ROX_OPF_SEND)
		bytes = p->payload_bytes + (flags & ROX_OPF_FIRST ? 0 : m->placed);
	else if (flags & ROX_OPF_WRITE && !(flags & ROX_OPF_FIRST))
		bytes = m->len;
	return bytes <= m->cfg.max_msg;
}

/* What is left to be answered of a READ. */
struct answer {
	u32 psn;
	u32 nr_psn;
	u32 left;
	u64 va;
	bool begun;
};

/* As much at once as a run holds, in order, each byte once. */
static void check_answer(const struct model *m, struct answer *a,
			 const struct rox_resp_pkt *pkt)
{
	const struct rox_pkt *h = &pkt->hdr;
	u16 flags = rox_pkt_op(h)->flags;

	CHECK(pkt->read && h->psn == a->psn && pkt->va == a->va);
	CHECK(h->run == min(m->r.run, a->nr_psn));
	CHECK(h->payload_bytes == min(a->left, h->run * m->cfg.pmtu));
	CHECK(!(flags & ROX_OPF_FIRST) == a->begun);
	CHECK(!(flags & ROX_OPF_LAST) == (h->run < a->nr_psn));
	a->begun = true;
	a->psn = rox_psn_add(a->psn, h->run);
	a->nr_psn -= h->run;
	a->left -= h->payload_bytes;
	a->va += h->payload_bytes;
}

/* All replies are taken at once: @a, or else one at the most. */
static u32 take_replies(struct model *m, struct answer *a, bool fail)
{
	struct rox_resp_pkt pkt;
	u32 n;

	for (n = 0; rox_resp_next(&m->r, &pkt); n++) {
		if (a->nr_psn && !m->dead)
			check_answer(m, a, &pkt);
		else
			CHECK(!n || m->dead);
		step_replies(m, 1, fail);
	}
	return n;
}

static void check_replies(const struct model *m, const struct rox_pkt *p,
			  const struct answer *a, u32 n)
{
	if (m->cfg.service != ROX_SVC_RC) {
		CHECK(!n);
		return;
	}
	CHECK(m->dead || (!a->nr_psn && !a->left));
	CHECK(n || !p->ackreq);
	CHECK(!m->r.ack_due && !m->r.nak_due);
}

/* A message as a whole, which a requester takes for due. */
static void hand_over_whole(struct model *m, struct input *in, const struct sender *s)
{
	struct rox_resp_op op;
	struct rox_pkt p;
	bool right;

	if (!take_run(m, in, s, &p))
		return;
	p.run = rox_nr_pkts(p.dma_len, s->pmtu);
	p.payload_bytes = p.dma_len;
	p.opcode = (u8)rox_segment_opcode(m->cfg.service, p.rkey & 1 ? ROX_WR_SEND :
					  ROX_WR_RDMA_WRITE_WITH_IMM, true, true);
	right = !m->in_msg && p.payload_bytes <= m->cfg.max_msg &&
		rox_nr_pkts(p.payload_bytes, m->cfg.pmtu) == p.run &&
		is_allowed(m, rox_pkt_op(&p)->flags);
	CHECK(rox_resp_whole(&m->r, &p, &op) == right);
	if (!right || goes_round(&op))
		return;
	CHECK(op.first && op.last && op.completes && op.msg_bytes == p.payload_bytes);
	CHECK(op.needs_recv == !m->recv_held);
	m->placed = 0;
	p.ackreq = false;
	commit(m, &p, &op);
	CHECK(m->r.epsn == m->epsn && !m->r.ack_due && !m->r.nak_due);
}

static bool hand_over(struct model *m, struct input *in, const struct sender *s)
{
	u8 choice = take_u8(in);
	struct answer a = {};
	struct rox_resp_op op;
	enum rox_resp_verdict v;
	struct rox_pkt p;
	bool right;

	if (!take_run(m, in, s, &p))
		return false;
	right = is_right(m, s, &p);
	v = request(m, &p, &op, choice);
	CHECK(v == ROX_RESP_EXEC || !right);
	if (m->cfg.service != ROX_SVC_UD)
		CHECK(m->r.epsn == m->epsn);
	if (v == ROX_RESP_EXEC && op.kind == ROX_RESP_READ && !m->dead)
		a = (struct answer){
			.psn = p.psn, .nr_psn = rox_nr_pkts(op.len, m->cfg.pmtu),
			.left = op.len, .va = op.va,
		};
	check_replies(m, &p, &a, take_replies(m, &a, choice >= 0xc0 && choice < 0xd0));
	return !m->dead;
}

/* As long as a requester holds us; it sends what comes next, and waits for no reply. */
static void step_hand_over(struct model *m, struct input *in)
{
	u8 n = take_u8(in), how;
	struct sender s;

	if (!may_hand_over(m))
		return;
	m->r.run = 1 + take_u8(in) % MOST_RUN;
	how = take_u8(in);
	s.run = m->cfg.service == ROX_SVC_UD ? 1 : 1 + how % m->r.run;
	how = take_u8(in);
	s.pmtu = how < 0xf8 ? m->cfg.pmtu : 256u << (how & 7) % 5;
	s.wrong = how >= 0xe0 && how < 0xf8;
	if (n & 0x80 && m->cfg.service != ROX_SVC_UD)
		hand_over_whole(m, in, &s);
	for (n &= 15; hand_over(m, in, &s) && n && in->left; n--)
		s.wrong = false;
	m->r.run = 1;
}

static void step_reconfigure(struct model *m, struct input *in)
{
	m->cfg.allow = take_u8(in);
	m->cfg.min_rnr_timer = take_u8(in);
	rox_resp_reconfigure(&m->r, &m->cfg);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	struct model m;
	u8 choice;

	start(&m, &in);
	while (in.left) {
		choice = take_u8(&in);
		if (choice < 0xa0)
			step_request(&m, &in);
		else if (choice < 0xf8)
			step_replies(&m, choice & 15, (choice & 0x70) == 0x70);
		else if (choice < 0xfc)
			step_reconfigure(&m, &in);
		else
			step_hand_over(&m, &in);
	}
	step_replies(&m, 255, false);
	return 0;
}
