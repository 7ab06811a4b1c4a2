// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains another implementation of RC, written from the IBA and
 * from what rdma_rxe is seen to do, without anything of the protocol core: what
 * both engines would get wrong in the same way shows against it.
 *
 * Its habits: go-back-N, a fixed time-out, a window of 128; an ACK is asked for
 * at the end of a message and every 64 packets; READs are asked for at once,
 * however long; replies leave as soon as a request is carried out; one NAK for
 * a gap, but also one behind an RNR NAK; MigReq is 0.
 */

#include <stdlib.h>

#include "proto/segment.h"
#include "sim.h"

#define WINDOW		128
#define ACK_EVERY	64
#define RTO		(20 * MS)

struct record {
	bool used;
	bool atomic;
	u32 psn;
	u32 nr;
	u32 msn;
	u32 rkey;
	u32 len;
	u64 va;
	u64 orig;
};

struct foreign {
	/* responder */
	u32 epsn;
	u32 msn;
	bool nak_sent;
	bool ack_owed;
	u32 bytes;		/* of the message so far */
	u32 total;
	u32 rkey;
	u64 va;
	bool recv_held;
	struct record records[MAX_RECORDS];
	u32 nr_read;

	/* requester */
	u32 una;
	u32 nxt;
	u32 end;
	u32 op_una;
	u32 op_nxt;
	bool retrying;
	u64 rnr_until;
	u64 rto_at;
	u32 *psn;		/* of each operation */
	u32 *nr;
};

void foreign_init(struct node *n, u32 rq_psn, u32 sq_psn)
{
	struct foreign *f = calloc(1, sizeof(*f));

	n->foreign = f;
	f->epsn = rq_psn;
	f->una = sq_psn;
	f->nxt = sq_psn;
	f->end = sq_psn;
	f->rto_at = ROX_TIME_NEVER;
	f->psn = calloc(n->nr_ops + 1, sizeof(u32));
	f->nr = calloc(n->nr_ops + 1, sizeof(u32));
}

void foreign_free(struct node *n)
{
	if (!n->foreign)
		return;
	free(n->foreign->psn);
	free(n->foreign->nr);
	free(n->foreign);
}

static void emit(struct node *n, struct rox_pkt *p, const u8 *payload)
{
	p->hdr_bytes = rox_pkt_op(p)->hdr_bytes;
	p->pkey = ROX_DEFAULT_PKEY;
	p->dqpn = n->peer->qpn;
	p->pad = (4 - p->payload_bytes % 4) % 4;
	wire_send(n, p, payload);
}

/* ---- responder ---- */

static void say(struct node *n, u32 psn, u8 syndrome)
{
	struct rox_pkt p = {
		.opcode = ROX_OP_RC_ACKNOWLEDGE,
		.psn = psn,
		.syndrome = syndrome,
		.msn = n->foreign->msn,
	};

	n->foreign->ack_owed = false;
	emit(n, &p, NULL);
}

static void die(struct node *n, u8 syndrome)
{
	say(n, n->foreign->epsn, syndrome);
	n->resp.dead = true;
}

/* What is repeated from the middle of a READ goes on with MIDDLE or LAST. */
static void read_out(struct node *n, const struct record *rec, u32 psn, u64 va, u32 len)
{
	u32 pmtu = n->req_cfg.pmtu;
	u32 nr = rox_nr_pkts(len, pmtu), i;
	struct rox_pkt p;

	for (i = 0; i < nr; i++) {
		memset(&p, 0, sizeof(p));
		p.opcode = rox_read_response_opcode(i == 0 && psn == rec->psn,
						    i == nr - 1);
		p.psn = rox_psn_add(psn, i);
		p.syndrome = ROX_AETH_ACK_UNLIMITED;
		p.msn = rec->msn;
		p.payload_bytes = min(pmtu, len - i * pmtu);
		if (rec->rkey == GONE_RKEY && i == nr - 1) {
			n->foreign->msn = rec->msn - 1;
			say(n, p.psn, ROX_AETH_NAK_REM_ACC);
			n->resp.dead = true;
			return;
		}
		emit(n, &p, n->mem + (va - MEM_VA) + i * pmtu);
	}
}

static void answer_atomic(struct node *n, const struct record *rec)
{
	struct rox_pkt p = {
		.opcode = ROX_OP_RC_ATOMIC_ACKNOWLEDGE,
		.psn = rec->psn,
		.syndrome = ROX_AETH_ACK_UNLIMITED,
		.msn = rec->msn,
		.atomic_orig = rec->orig,
	};

	emit(n, &p, NULL);
}

static bool in_range(u64 va, u32 len, u32 rkey)
{
	return (rkey == MEM_RKEY || rkey == GONE_RKEY) && va >= MEM_VA &&
	       va + len <= MEM_VA + MEM_BYTES;
}

static struct record *new_record(struct foreign *f, const struct node *n,
				 const struct rox_pkt *p)
{
	struct record *rec = &f->records[f->nr_read++ % n->nr_records];

	f->msn = rox_psn_add(f->msn, 1);
	*rec = (struct record) {
		.used = true,
		.psn = p->psn,
		.nr = 1,
		.msn = f->msn,
		.rkey = p->rkey,
		.va = p->va,
		.len = p->dma_len,
	};
	return rec;
}

static void do_read(struct node *n, const struct rox_pkt *p)
{
	struct foreign *f = n->foreign;
	struct record *rec;

	if (p->dma_len && !in_range(p->va, p->dma_len, p->rkey)) {
		die(n, ROX_AETH_NAK_REM_ACC);
		return;
	}
	rec = new_record(f, n, p);
	rec->nr = rox_nr_pkts(p->dma_len, n->req_cfg.pmtu);
	f->epsn = rox_psn_add(f->epsn, rec->nr);
	read_out(n, rec, p->psn, p->va, p->dma_len);
}

static void do_atomic(struct node *n, const struct rox_pkt *p)
{
	struct foreign *f = n->foreign;
	struct record *rec;
	u64 v, *at;

	if (p->va % 8 || !in_range(p->va, 8, p->rkey)) {
		die(n, p->va % 8 ? ROX_AETH_NAK_INV_REQ : ROX_AETH_NAK_REM_ACC);
		return;
	}
	at = (u64 *)(n->mem + (p->va - MEM_VA));
	v = *at;
	if (p->opcode == ROX_OP_RC_FETCH_ADD)
		*at = v + p->swap_add;
	else if (v == p->compare)
		*at = p->swap_add;
	rec = new_record(f, n, p);
	rec->atomic = true;
	rec->orig = v;
	f->epsn = rox_psn_add(f->epsn, 1);
	answer_atomic(n, rec);
}

/* True if the packet may go on. */
static bool take_recv(struct node *n, const struct rox_pkt *p)
{
	u16 flags = rox_pkt_op(p)->flags;

	if (n->foreign->recv_held)
		return true;
	if (!(flags & ROX_OPF_SEND) && !(rox_pkt_op(p)->hdrs & ROX_HDR_IMM))
		return true;
	if (n->recv_taken == n->recv_posted) {
		say(n, p->psn, ROX_AETH_RNR_NAK | n->resp_cfg.min_rnr_timer);
		return false;
	}
	n->recv_taken++;
	n->foreign->recv_held = true;
	return true;
}

/* Returns a NAK, 0 if all is well. */
static u8 put(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct foreign *f = n->foreign;

	if (rox_pkt_op(p)->flags & ROX_OPF_SEND) {
		if (f->bytes + p->payload_bytes > n->world->recv_cap)
			return ROX_AETH_NAK_INV_REQ;
		memcpy(n->recv_buf + f->bytes, payload, p->payload_bytes);
		return 0;
	}
	if (f->bytes == 0 && f->total && !in_range(f->va, f->total, f->rkey))
		return ROX_AETH_NAK_REM_ACC;
	if (p->payload_bytes)
		memcpy(n->mem + (f->va - MEM_VA) + f->bytes, payload, p->payload_bytes);
	return 0;
}

static void finish_message(struct node *n, const struct rox_pkt *p)
{
	struct foreign *f = n->foreign;
	struct rox_resp_op op = {
		.kind = rox_pkt_op(p)->flags & ROX_OPF_SEND ? ROX_RESP_SEND : ROX_RESP_WRITE,
		.msg_bytes = f->bytes,
	};

	f->msn = rox_psn_add(f->msn, 1);
	if (f->recv_held)
		judge_received(n, p, &op);
	f->recv_held = false;
}

static void do_payload(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	u16 flags = rox_pkt_op(p)->flags;
	struct foreign *f = n->foreign;
	u8 nak;

	if (flags & ROX_OPF_FIRST) {
		f->bytes = 0;
		f->total = p->dma_len;
		f->va = p->va;
		f->rkey = p->rkey;
	}
	if (!take_recv(n, p))
		return;
	nak = put(n, p, payload);
	if (nak) {
		die(n, nak);
		return;
	}
	f->bytes += p->payload_bytes;
	f->epsn = rox_psn_add(f->epsn, 1);
	f->nak_sent = false;
	if (flags & ROX_OPF_LAST)
		finish_message(n, p);
	if (!p->ackreq)
		return;
	f->ack_owed = true;
	if (chance(n->world, 60))
		say(n, p->psn, ROX_AETH_ACK_UNLIMITED);
}

static void do_expected(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	static const u8 right[] = {
		ROX_RESP_ALLOW_WRITE, ROX_RESP_ALLOW_READ, ROX_RESP_ALLOW_ATOMIC,
	};
	u16 flags = rox_pkt_op(p)->flags;
	u32 i;

	for (i = 0; i < 3; i++) {
		if ((flags & (ROX_OPF_WRITE << i)) && !(n->resp_cfg.allow & right[i])) {
			die(n, ROX_AETH_NAK_INV_REQ);
			return;
		}
	}
	if (!(flags & (ROX_OPF_READ | ROX_OPF_ATOMIC))) {
		do_payload(n, p, payload);
		return;
	}
	n->foreign->nak_sent = false;
	if (flags & ROX_OPF_READ)
		do_read(n, p);
	else
		do_atomic(n, p);
}

/* rdma_rxe moves the beginning of its record along, but not the length. */
static void read_again(struct node *n, struct record *rec, const struct rox_pkt *p)
{
	if (p->va < rec->va || p->dma_len > rec->len ||
	    p->va + p->dma_len > rec->va + rec->len)
		return;
	rec->va = p->va;
	read_out(n, rec, p->psn, p->va, p->dma_len);
}

static void do_duplicate(struct node *n, const struct rox_pkt *p)
{
	struct foreign *f = n->foreign;
	struct record *rec;

	if (rox_pkt_op(p)->flags & (ROX_OPF_SEND | ROX_OPF_WRITE)) {
		say(n, rox_psn_sub(f->epsn, 1), ROX_AETH_ACK_UNLIMITED);
		return;
	}
	for (rec = f->records; rec < f->records + n->nr_records; rec++) {
		if (!rec->used || rox_psn_sub(p->psn, rec->psn) >= rec->nr)
			continue;
		if (rec->atomic)
			answer_atomic(n, rec);
		else
			read_again(n, rec, p);
		return;
	}
}

void foreign_request(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct foreign *f = n->foreign;

	if (n->resp.dead)
		return;
	if (p->psn == f->epsn) {
		do_expected(n, p, payload);
	} else if (rox_psn_before(p->psn, f->epsn)) {
		do_duplicate(n, p);
	} else if (!f->nak_sent) {
		f->nak_sent = true;
		say(n, f->epsn, ROX_AETH_NAK_PSN_SEQ);
	}
}

/* ---- requester ---- */

static bool is_local(const struct op *op)
{
	return op->opcode == ROX_WR_REG_MR || op->opcode == ROX_WR_BIND_MW ||
	       op->opcode == ROX_WR_LOCAL_INV;
}

static bool is_atomic(const struct op *op)
{
	return op->opcode == ROX_WR_ATOMIC_CMP_AND_SWP ||
	       op->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD;
}

static bool is_read(const struct op *op)
{
	return op->opcode == ROX_WR_RDMA_READ;
}

static u32 reads_out(const struct node *n)
{
	const struct foreign *f = n->foreign;
	u32 i, out = 0;

	for (i = f->op_una; i < n->posted && n->ops[i].executed; i++)
		out += is_read(&n->ops[i]) || is_atomic(&n->ops[i]);
	return out;
}

static void retire(struct node *n)
{
	struct foreign *f = n->foreign;
	struct rox_wr wr = { .status = ROX_WC_SUCCESS };

	while (f->op_una < n->posted && n->ops[f->op_una].executed &&
	       (is_local(&n->ops[f->op_una]) ||
		rox_psn_sub(f->una, f->psn[f->op_una]) == f->nr[f->op_una])) {
		wr.wr_id = f->op_una;
		judge_completion(n, &wr, &n->ops[f->op_una++]);
	}
}

/* May operation op_nxt begin? */
static bool may_begin(struct node *n, const struct op *op)
{
	struct foreign *f = n->foreign;

	if ((op->flags & ROX_SQE_FENCE) && reads_out(n))
		return false;
	if (op->opcode == ROX_WR_LOCAL_INV)
		return f->una == f->end;
	if (is_read(op) || is_atomic(op))
		return reads_out(n) < n->req_cfg.max_rd_atomic;
	return true;
}

static void fill(const struct node *n, const struct op *op, u32 i, struct rox_pkt *p)
{
	u32 pmtu = n->req_cfg.pmtu, at = i * pmtu;
	bool one = is_read(op) || is_atomic(op);
	u32 nr = n->foreign->nr[op->seq];
	bool last = one || i == nr - 1;

	memset(p, 0, sizeof(*p));
	p->opcode = (u8)rox_segment_opcode(ROX_SVC_RC, op->opcode, one || !i, last);
	p->psn = n->foreign->nxt;
	p->ackreq = last || p->psn % ACK_EVERY == 0;
	p->solicited = last && (op->flags & ROX_SQE_SOLICITED);
	p->rkey = op->rkey;
	p->va = op->va + (is_read(op) ? at : 0);
	p->dma_len = op->length - (is_read(op) ? at : 0);
	p->ieth = op->imm;
	memcpy(&p->imm, &op->imm, 4);
	p->swap_add = op->swap;
	p->compare = op->compare_add;
	if (op->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD)
		p->swap_add = op->compare_add;
	if (!one)
		p->payload_bytes = min(pmtu, op->length - at);
}

static void send_one(struct node *n, struct op *op)
{
	struct foreign *f = n->foreign;
	u32 i = rox_psn_sub(f->nxt, f->psn[op->seq]);
	struct rox_req_pkt pkt = { .nr_psn = is_read(op) ? f->nr[op->seq] - i : 1 };

	fill(n, op, i, &pkt.hdr);
	pkt.again = f->nxt != f->end;
	judge_request(n, &pkt);
	emit(n, &pkt.hdr, op->source ? op->source + i * n->req_cfg.pmtu : NULL);
	f->nxt = rox_psn_add(f->nxt, pkt.nr_psn);
	if (rox_psn_after(f->nxt, f->end))
		f->end = f->nxt;
	if (i + pkt.nr_psn == f->nr[op->seq])
		f->op_nxt++;
	if (f->rto_at == ROX_TIME_NEVER)
		f->rto_at = n->world->now + RTO;
}

static bool pump(struct node *n)
{
	struct foreign *f = n->foreign;
	struct op *op = &n->ops[f->op_nxt];

	if (n->world->now < f->rnr_until || f->op_nxt == n->posted)
		return false;
	if (!f->nr[f->op_nxt] && !op->executed) {
		if (!may_begin(n, op))
			return false;
		op->executed = true;
		if (!is_local(op)) {
			f->psn[f->op_nxt] = f->nxt;
			f->nr[f->op_nxt] = is_atomic(op) ? 1 :
				rox_nr_pkts(op->length, n->req_cfg.pmtu);
		}
	}
	if (is_local(op)) {
		f->op_nxt++;
		return true;
	}
	if (f->nxt == f->end && rox_psn_sub(f->nxt, f->una) >= WINDOW)
		return false;
	send_one(n, op);
	return true;
}

void foreign_run(struct node *n)
{
	struct foreign *f = n->foreign;
	u32 left = n->quantum;

	if (f->ack_owed && chance(n->world, 70) && !n->resp.dead)
		say(n, rox_psn_sub(f->epsn, 1), ROX_AETH_ACK_UNLIMITED);
	while (left-- && pump(n))
		;
	retire(n);
	n->wake_at = ROX_TIME_NEVER;
	if (f->ack_owed || left == ~0u)
		n->wake_at = n->world->now + 1 + within(n->world, n->idle_ns);
}

static void go_back(struct foreign *f)
{
	f->nxt = f->una;
	f->op_nxt = f->op_una;
}

static void retry(struct foreign *f)
{
	if (f->retrying)
		return;
	f->retrying = true;
	go_back(f);
}

static void advance(struct node *n, u32 to)
{
	struct foreign *f = n->foreign;

	f->una = to;
	f->retrying = false;
	if (rox_psn_before(f->nxt, f->una))
		f->nxt = f->una;
	f->rto_at = f->una == f->end ? ROX_TIME_NEVER : n->world->now + RTO;
	retire(n);
	f->op_nxt = max(f->op_nxt, f->op_una);
}

/* All before @to arrived; stops at a READ or atomic. */
static bool acked(struct node *n, u32 to)
{
	struct foreign *f = n->foreign;
	struct op *op;

	while (f->una != to) {
		op = &n->ops[f->op_una];
		if (is_read(op) || is_atomic(op)) {
			retry(f);
			return false;
		}
		advance(n, rox_psn_add(f->una, 1));
	}
	return true;
}

static void take_data(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct foreign *f = n->foreign;
	struct world *w = n->world;
	struct op *op;
	u32 at;

	if (!acked(n, p->psn))
		return;
	op = &n->ops[f->op_una];
	if (is_atomic(op)) {
		CHECK(w, p->opcode == ROX_OP_RC_ATOMIC_ACKNOWLEDGE);
		CHECK(w, p->atomic_orig == op->want_orig);
		op->answered = true;
	} else {
		at = rox_psn_sub(p->psn, f->psn[op->seq]) * n->req_cfg.pmtu;
		CHECK(w, is_read(op));
		CHECK(w, p->payload_bytes == min(n->req_cfg.pmtu, op->length - at));
		memcpy(op->sink + at, payload, p->payload_bytes);
		op->answered = at + p->payload_bytes == op->length;
	}
	advance(n, rox_psn_add(p->psn, 1));
}

static void take_aeth(struct node *n, const struct rox_pkt *p)
{
	struct foreign *f = n->foreign;
	u8 kind = p->syndrome & ROX_AETH_KIND_MASK;

	if (kind == ROX_AETH_ACK) {
		acked(n, rox_psn_add(p->psn, 1));
		return;
	}
	if (!acked(n, p->psn))
		return;
	if (kind == ROX_AETH_RNR_NAK) {
		go_back(f);
		f->rnr_until = n->world->now + rox_rnr_ns(p->syndrome & 0x1f);
		f->rto_at = f->rnr_until + RTO;
		n->wake_at = f->rnr_until;
		return;
	}
	CHECK(n->world, p->syndrome == ROX_AETH_NAK_PSN_SEQ);
	retry(f);
}

void foreign_response(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct foreign *f = n->foreign;

	judge_response(n, p, ROX_DROP_STALE);
	if (rox_psn_sub(p->psn, f->una) >= rox_psn_sub(f->end, f->una))
		return;
	if (rox_pkt_op(p)->flags & (ROX_OPF_READ | ROX_OPF_ATOMIC))
		take_data(n, p, payload);
	else
		take_aeth(n, p);
}

u64 foreign_deadline(const struct node *n)
{
	return n->foreign->rto_at;
}

void foreign_tick(struct node *n)
{
	struct foreign *f = n->foreign;

	if (n->world->now < f->rto_at)
		return;
	f->rto_at = n->world->now + RTO;
	f->retrying = false;
	go_back(f);
}
