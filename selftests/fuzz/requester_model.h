/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What the fuzzer of the requester knows of it, and what that has to agree with. */
#ifndef ROX_FUZZ_REQUESTER_MODEL_H
#define ROX_FUZZ_REQUESTER_MODEL_H

#include "packet.h"
#include "proto/requester.h"
#include "proto/responder.h"
#include "proto/segment.h"

#define NR_SLOTS	8
#define STRIDE		128
#define DQPN		0x123456
#define SQPN		0x000077
#define MOST_BYTES	(64u << 10)
#define MOST_PKTS	(MOST_BYTES / 256)
#define MOST_RUN	64
/* READs and atomics that the peer remembers: it is never asked for more at once. */
#define NR_RECORDS	16

/* What the model knows of the WR with that index. */
struct entry {
	u64 wr_id;
	u32 length;
	u32 placed;		/* bytes */
	u32 psn;		/* the first, once something was planned */
	u32 sent;		/* packets, not counting those that were sent again */
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
	u32 psn;		/* of the next new packet */
	u32 most_rd;		/* largest max_rd_atomic so far */
	u32 more_rd;		/* READ pieces that went beyond it in a run */
	bool failed;		/* a WR completed in error */

	struct rox_responder peer;
	struct rox_resource records[NR_RECORDS];
	bool alike;		/* the peer has the same path MTU */
	bool deceived;		/* what is handed over was answered by somebody else */
};

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

static u32 nr_packets(const struct model *m, const struct entry *e)
{
	return is_atomic(e->opcode) ? 1 : rox_nr_pkts(e->length, m->cfg.pmtu);
}

/* READ pieces and atomics of @e that were sent and are not finished. */
static u32 nr_asked(const struct model *m, const struct entry *e)
{
	u32 chunk = m->r.cfg.read_chunk;
	u32 total = nr_packets(m, e);
	u32 done;

	if (!e->sent || (e->opcode != ROX_WR_RDMA_READ && !is_atomic(e->opcode)))
		return 0;
	done = rox_psn_before(m->r.una, e->psn) ? 0 : rox_psn_sub(m->r.una, e->psn);
	if (done >= total)
		return 0;
	return rox_nr_pkts(e->sent, chunk) - done / chunk;
}

static void check_asked(struct model *m)
{
	u32 i, n = 0;

	if (m->r.una == m->r.psn)
		m->more_rd = 0;
	for (i = m->completed; i != m->accepted; i++)
		n += nr_asked(m, &m->entries[i % NR_SLOTS]);
	CHECK(m->r.rd_inflight == n);
	CHECK(n <= m->most_rd + m->more_rd);
}

/* Valid between any two calls of the machine. */
static void check_state(struct model *m)
{
	const struct rox_requester *r = &m->r;
	u32 inflight = rox_psn_sub(r->psn, r->una);

	CHECK(r->head - r->tail <= NR_SLOTS);
	CHECK(r->oldest - r->tail <= r->head - r->tail);
	CHECK(r->next - r->oldest <= r->head - r->oldest);
	CHECK(r->head == m->accepted && r->tail == m->completed);
	CHECK(r->psn == m->psn);
	if (is_live(m))
		CHECK(rox_psn_sub(r->cursor, r->una) <= inflight);
	CHECK(inflight <= max(r->cfg.window, r->cfg.read_chunk));
	if (is_live(m))
		check_asked(m);
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

/* ---- what is planned ---- */

/*
 * A new request is for whole pieces: one, or as many as a run may have. What is
 * asked for again lies within a piece.
 */
static void check_planned_read(const struct model *m, const struct rox_req_pkt *pkt,
			       const struct entry *e, u32 i)
{
	u32 most = min(m->r.run, m->r.cfg.window);
	u32 chunk = m->r.cfg.read_chunk;
	const struct rox_pkt *h = &pkt->hdr;
	u32 n = pkt->nr_psn;

	CHECK(h->run == 1);
	CHECK(h->va == pkt->wr->remote_addr + pkt->offset);
	CHECK((u64)pkt->offset + h->dma_len <= pkt->wr->length);
	CHECK(n == rox_nr_pkts(h->dma_len, m->cfg.pmtu));
	CHECK(n <= (pkt->again ? chunk : max(chunk, most)));
	if (pkt->again)
		CHECK(i % chunk + n <= chunk);
	else
		CHECK(i % chunk == 0 && (n % chunk == 0 || i + n == nr_packets(m, e)));
}

static void check_planned_data(const struct model *m, const struct rox_req_pkt *pkt,
			       const struct entry *e)
{
	u32 most = min(m->r.run, m->r.cfg.window);
	const struct rox_pkt *h = &pkt->hdr;
	u16 flags = rox_pkt_op(h)->flags;

	CHECK(h->run == pkt->nr_psn && h->run <= most);
	CHECK(h->run == rox_nr_pkts(h->payload_bytes, m->cfg.pmtu));
	CHECK((u64)pkt->offset + h->payload_bytes <= e->length);
	CHECK(!(flags & ROX_OPF_FIRST) == (pkt->offset > 0));
	CHECK(!(flags & ROX_OPF_LAST) == (pkt->offset + h->payload_bytes < e->length));
}

/* It takes up the PSNs that it has to, and there is room for them. */
static void check_planned_psns(struct model *m, const struct rox_req_pkt *pkt, u32 i)
{
	u32 before = rox_psn_sub(pkt->hdr.psn, m->r.una);
	const struct entry *e = entry_of(m, pkt->wr);

	CHECK(pkt->nr_psn && i + pkt->nr_psn <= nr_packets(m, e));
	CHECK(pkt->offset == i * m->cfg.pmtu);
	if (pkt->again) {
		CHECK(i + pkt->nr_psn <= e->sent);
		return;
	}
	CHECK(i == e->sent && pkt->hdr.psn == m->psn);
	if (is_rc(m) && before)
		CHECK(before + pkt->nr_psn <= m->r.cfg.window);
}

static void check_planned(struct model *m, const struct rox_req_pkt *pkt)
{
	const struct rox_pkt *h = &pkt->hdr;
	struct entry *e = entry_of(m, pkt->wr);
	u32 i;

	CHECK(!e->is_bad && !is_local(e->opcode));
	CHECK(rox_pkt_op(h)->flags & ROX_OPF_REQUEST);
	CHECK((h->opcode & ROX_SVC_MASK) == m->cfg.service);
	CHECK(m->cfg.service == ROX_SVC_UD ? h->sqpn == SQPN : h->dqpn == DQPN);
	CHECK(h->psn == m->r.cursor);
	CHECK(pkt->again == (m->r.cursor != m->r.psn));
	/* Who is handed a run answers it at once. */
	CHECK(h->ackreq || m->r.run == 1 || !is_rc(m));
	check_well_formed(h, m->cfg.pmtu);
	if (!e->sent)
		e->psn = m->psn;
	i = rox_psn_sub(h->psn, e->psn);
	check_planned_psns(m, pkt, i);
	if (e->opcode == ROX_WR_RDMA_READ)
		check_planned_read(m, pkt, e, i);
	else if (is_atomic(e->opcode))
		CHECK(h->run == 1 && pkt->nr_psn == 1);
	else
		check_planned_data(m, pkt, e);
}

/* ---- what comes of it ---- */

static void place_packet(struct model *m, struct entry *e, u32 i)
{
	u32 pmtu = m->cfg.pmtu;

	if (e->got[i]) {
		CHECK(m->deceived);
		return;
	}
	e->got[i] = true;
	e->placed += min(e->length - i * pmtu, pmtu);
}

/*
 * Each byte of a READ once, in any order; an atomic's answer once. A run may
 * bring what somebody else has answered before the peer was asked.
 */
static void check_place(struct model *m, const struct rox_pkt *p,
			const struct rox_req_place *place)
{
	struct entry *e = entry_of(m, place->wr);
	u32 i = rox_psn_sub(p->psn, e->psn);
	u32 n;

	CHECK(is_rc(m));
	if (place->atomic) {
		CHECK(is_atomic(e->opcode) && !e->placed);
		CHECK(place->orig == p->atomic_orig);
		e->placed = 8;
		return;
	}
	CHECK(e->opcode == ROX_WR_RDMA_READ);
	CHECK(place->bytes == p->payload_bytes);
	CHECK(place->offset == i * m->cfg.pmtu);
	CHECK((u64)place->offset + place->bytes <= e->length);
	CHECK(rox_nr_pkts(place->bytes, m->cfg.pmtu) == p->run);
	for (n = p->run; n; n--)
		place_packet(m, e, i++);
}

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

#endif
