// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the work: requests at random, and the model, which carries
 * out each one in the moment it is posted. It may, because a queue pair
 * executes in order and exactly once, and nobody else writes the peer's memory.
 */

#include <stdlib.h>

#include "sim.h"

/* ---- what ---- */

struct weight {
	u8 opcode;
	u8 share;
};

static const struct weight rc_mix[] = {
	{ ROX_WR_SEND, 15 }, { ROX_WR_SEND_WITH_IMM, 8 },
	{ ROX_WR_SEND_WITH_INV, 6 }, { ROX_WR_RDMA_WRITE, 20 },
	{ ROX_WR_RDMA_WRITE_WITH_IMM, 11 }, { ROX_WR_RDMA_READ, 18 },
	{ ROX_WR_ATOMIC_CMP_AND_SWP, 7 }, { ROX_WR_ATOMIC_FETCH_AND_ADD, 8 },
	{ ROX_WR_REG_MR, 3 }, { ROX_WR_BIND_MW, 2 }, { ROX_WR_LOCAL_INV, 2 },
	{ }
};

static const struct weight uc_mix[] = {
	{ ROX_WR_SEND, 30 }, { ROX_WR_SEND_WITH_IMM, 20 },
	{ ROX_WR_RDMA_WRITE, 20 }, { ROX_WR_RDMA_WRITE_WITH_IMM, 28 },
	{ ROX_WR_LOCAL_INV, 1 }, { ROX_WR_REG_MR, 1 },
	{ }
};

static const struct weight ud_mix[] = {
	{ ROX_WR_SEND, 60 }, { ROX_WR_SEND_WITH_IMM, 40 },
	{ }
};

static u8 pick(struct world *w, const struct weight *mix)
{
	u32 left = below(w, 100);

	for (; left >= mix->share; mix++)
		left -= mix->share;
	return mix->opcode;
}

static u8 needs_right(u8 opcode)
{
	switch (opcode) {
	case ROX_WR_RDMA_WRITE:
	case ROX_WR_RDMA_WRITE_WITH_IMM:
		return ROX_RESP_ALLOW_WRITE;
	case ROX_WR_RDMA_READ:
		return ROX_RESP_ALLOW_READ;
	case ROX_WR_ATOMIC_CMP_AND_SWP:
	case ROX_WR_ATOMIC_FETCH_AND_ADD:
		return ROX_RESP_ALLOW_ATOMIC;
	}
	return 0;
}

static u8 pick_opcode(struct world *w)
{
	u8 opcode;

	if (w->service == ROX_SVC_UD)
		return pick(w, ud_mix);
	if (w->service == ROX_SVC_UC)
		return pick(w, uc_mix);
	do
		opcode = pick(w, rc_mix);
	while (needs_right(opcode) & w->denied);
	return opcode;
}

static bool is_send(u8 opcode)
{
	return opcode == ROX_WR_SEND || opcode == ROX_WR_SEND_WITH_IMM ||
	       opcode == ROX_WR_SEND_WITH_INV;
}

static bool is_write(u8 opcode)
{
	return opcode == ROX_WR_RDMA_WRITE || opcode == ROX_WR_RDMA_WRITE_WITH_IMM;
}

static bool is_atomic(u8 opcode)
{
	return opcode == ROX_WR_ATOMIC_CMP_AND_SWP ||
	       opcode == ROX_WR_ATOMIC_FETCH_AND_ADD;
}

static bool takes_recv(u8 opcode)
{
	return is_send(opcode) || opcode == ROX_WR_RDMA_WRITE_WITH_IMM;
}

/* ---- how long ---- */

static u32 pick_length(struct world *w, u32 pmtu)
{
	switch (below(w, 12)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
	case 3:
	case 4:
		return pmtu - 1 + below(w, 3);
	case 5:
	case 6:
		return pmtu * between(w, 2, 6) - 1 + below(w, 3);
	case 7:
	case 8:
		return below(w, pmtu);
	case 9:
		return below(w, 4 * pmtu);
	case 10:
		return below(w, 64);
	}
	return below(w, (chance(w, 15) ? w->max_pkts : 12) * pmtu);
}

static u32 longest(const struct node *n, u8 opcode)
{
	const struct world *w = n->world;

	if (w->service == ROX_SVC_UD)
		return n->req_cfg.pmtu;
	return takes_recv(opcode) ? w->recv_cap : MEM_BYTES / 2;
}

static void draw_length(struct node *n, struct op *op)
{
	struct world *w = n->world;

	if (is_atomic(op->opcode)) {
		op->length = 8;
		return;
	}
	op->length = pick_length(w, n->req_cfg.pmtu);
	if (op->opcode == ROX_WR_RDMA_READ && chance(w, 4))
		op->length = below(w, 3 * w->max_pkts * n->req_cfg.pmtu);
	op->length = min(op->length, longest(n, op->opcode));
}

/* ---- where ---- */

/* What READs may still be reading; only a fence makes it safe to write there. */
static void fence_if_read(struct node *n, struct op *op)
{
	u64 end = op->va + op->length;

	if (op->flags & ROX_SQE_FENCE)
		n->read_lo = n->read_hi;
	if (op->opcode == ROX_WR_RDMA_READ) {
		if (n->read_lo == n->read_hi) {
			n->read_lo = op->va;
			n->read_hi = end;
		}
		n->read_lo = min(n->read_lo, op->va);
		n->read_hi = max(n->read_hi, end);
	} else if (op->va < n->read_hi && end > n->read_lo) {
		op->flags |= ROX_SQE_FENCE;
		n->read_lo = n->read_hi;
	}
}

static void draw_target(struct node *n, struct op *op)
{
	struct world *w = n->world;
	u32 at = below(w, MEM_BYTES - op->length + 1);

	op->rkey = MEM_RKEY;
	if (is_atomic(op->opcode))
		at = 8 * below(w, chance(w, 50) ? 4 : MEM_BYTES / 8);
	if (w->service == ROX_SVC_UC) {
		if (n->uc_at + op->length > MEM_BYTES)
			n->uc_at = 0;
		at = n->uc_at;
		n->uc_at += op->length;
	}
	op->va = MEM_VA + at;
	if (w->service == ROX_SVC_RC)
		fence_if_read(n, op);
}

static void draw_operands(struct node *n, struct op *op)
{
	struct world *w = n->world;
	u64 there;

	op->imm = (u32)random_u64(&w->rnd);
	op->compare_add = random_u64(&w->rnd);
	op->swap = random_u64(&w->rnd);
	if (w->service == ROX_SVC_UD) {
		op->compare_add = n->peer->qpn;
		op->swap = n->peer->req_cfg.qkey;
		if (chance(w, 30))
			op->swap = ROX_QKEY_PRIVILEGED | below(w, 1000);
	}
	if (op->opcode == ROX_WR_ATOMIC_CMP_AND_SWP && chance(w, 70)) {
		memcpy(&there, n->peer->model + (op->va - MEM_VA), 8);
		op->compare_add = there;
	}
}

static void draw_op(struct node *n, struct op *op)
{
	struct world *w = n->world;

	op->seq = n->posted;
	op->flags = (chance(w, 50) ? ROX_SQE_SIGNALED : 0) |
		    (chance(w, 20) ? ROX_SQE_SOLICITED : 0) |
		    (chance(w, 6) ? ROX_SQE_FENCE : 0);
	/* Solicited means nothing to a plain WRITE. */
	if (!takes_recv(op->opcode))
		op->flags &= ~ROX_SQE_SOLICITED;
	draw_length(n, op);
	if (needs_right(op->opcode))
		draw_target(n, op);
	else if (op->flags & ROX_SQE_FENCE)
		n->read_lo = n->read_hi;
	draw_operands(n, op);
	if (is_send(op->opcode) || is_write(op->opcode))
		op->source = n->pool + below(w, POOL_BYTES - op->length + 1);
}

/* ---- the model ---- */

static void model_atomic(struct op *op, u8 *at)
{
	u64 v;

	memcpy(&v, at, 8);
	op->want_orig = v;
	if (op->opcode == ROX_WR_ATOMIC_FETCH_AND_ADD)
		v += op->compare_add;
	else if (v == op->compare_add)
		v = op->swap;
	memcpy(at, &v, 8);
}

static void model(struct node *n, struct op *op)
{
	u8 *at;

	if (takes_recv(op->opcode))
		n->wants[n->nr_wants++].op = op;
	if (!needs_right(op->opcode))
		return;
	at = n->peer->model + (op->va - MEM_VA);
	if (is_atomic(op->opcode))
		model_atomic(op, at);
	else if (is_write(op->opcode))
		memcpy(at, op->source, op->length);
	else
		memcpy(op->want, at, op->length);
}

static void room_for_answer(struct op *op)
{
	if (op->opcode != ROX_WR_RDMA_READ)
		return;
	op->sink = malloc(op->length + 1);
	op->seen = calloc(1, op->length / 256 + 1);
	op->want = calloc(1, op->length + 1);
}

/* ---- faults ---- */

static u8 fault_opcode(struct world *w)
{
	static const u8 remote[] = {
		ROX_WR_RDMA_WRITE, ROX_WR_RDMA_WRITE_WITH_IMM, ROX_WR_RDMA_READ,
		ROX_WR_ATOMIC_CMP_AND_SWP, ROX_WR_ATOMIC_FETCH_AND_ADD,
	};
	static const u8 sends[] = {
		ROX_WR_SEND, ROX_WR_SEND_WITH_IMM, ROX_WR_SEND_WITH_INV,
		ROX_WR_RDMA_WRITE_WITH_IMM,
	};
	u8 opcode;

	switch (w->fault) {
	case FAULT_ACCESS:
		do
			opcode = remote[below(w, 5)];
		while (!(needs_right(opcode) & w->denied));
		return opcode;
	case FAULT_RKEY:
	case FAULT_RANGE:
		return remote[below(w, 5)];
	case FAULT_ALIGN:
		return remote[3 + below(w, 2)];
	case FAULT_LONG_SEND:
		return sends[below(w, 3)];
	case FAULT_GATHER:
		return chance(w, 50) ? ROX_WR_SEND : ROX_WR_RDMA_WRITE;
	case FAULT_SCATTER:
		return remote[2 + below(w, 3)];
	case FAULT_LOCAL:
		return chance(w, 50) ? ROX_WR_BIND_MW : ROX_WR_REG_MR;
	case FAULT_READ_SOURCE:
		return ROX_WR_RDMA_READ;
	case FAULT_NO_RECV:
		return sends[below(w, 4)];
	default:
		return pick_opcode(w);
	}
}

static void spoil(struct node *n, struct op *op)
{
	struct world *w = n->world;

	if (!is_atomic(op->opcode))
		op->length = max_t(u32, op->length, 1);
	switch (w->fault) {
	case FAULT_RKEY:
		op->rkey = MEM_RKEY + 0x100;
		break;
	case FAULT_RANGE:
		op->va = MEM_VA + MEM_BYTES - (is_atomic(op->opcode) ? 0 : op->length - 1);
		break;
	case FAULT_ALIGN:
		op->va += between(w, 1, 7);
		break;
	case FAULT_LONG_SEND:
		op->length = w->recv_cap + between(w, 1, 3 * n->req_cfg.pmtu);
		op->source = n->pool;
		break;
	case FAULT_MALFORMED:
		op->bad = w->fault_status;
		break;
	case FAULT_GATHER:
		op->fail_send = true;
		break;
	case FAULT_SCATTER:
		op->fail_place = true;
		break;
	case FAULT_READ_SOURCE:
		op->rkey = GONE_RKEY;
		break;
	default:
		break;
	}
}

static bool is_spoiled(const struct node *n, u32 seq)
{
	return n->id == 0 && n->world->fault != FAULT_NONE &&
	       n->world->fault != FAULT_DEAD && seq == n->world->fault_seq;
}

/*
 * Is operation @seq carried out by the peer? Of those that follow the faulty
 * one, some are already on their way when the fault shows on our side only.
 */
static bool is_modelled(const struct node *n, u32 seq)
{
	switch (n->world->fault) {
	case FAULT_NONE:
	case FAULT_DEAD:
	case FAULT_SCATTER:
	case FAULT_READ_SOURCE:
		return true;
	default:
		return n->id || seq < n->world->fault_seq;
	}
}

/* ---- posting ---- */

static void accept(struct node *n, struct op *op)
{
	struct slot *slot = (struct slot *)rox_req_slot(&n->req);

	memset(slot, 0xee, sizeof(*slot));
	slot->op = op;
	slot->wr.wr_id = op->seq;
	slot->wr.opcode = op->opcode;
	slot->wr.flags = op->flags;
	slot->wr.num_sge = 1;
	slot->wr.length = op->length;
	slot->wr.imm = op->imm;
	slot->wr.rkey = op->rkey;
	slot->wr.remote_addr = op->va;
	slot->wr.compare_add = op->compare_add;
	slot->wr.swap = op->swap;
	rox_req_accept(&n->req, op->bad);
}

static void post_one(struct node *n)
{
	struct op *op = &n->ops[n->posted];
	struct world *w = n->world;
	bool spoiled = is_spoiled(n, n->posted);

	op->opcode = spoiled ? fault_opcode(w) : pick_opcode(w);
	draw_op(n, op);
	if (spoiled)
		spoil(n, op);
	room_for_answer(op);
	if (is_modelled(n, n->posted))
		model(n, op);
	n->posted++;
	if (!n->foreign)
		accept(n, op);
}

static bool can_post(const struct node *n)
{
	if (n->posted == n->nr_ops)
		return false;
	if (n->foreign)
		return n->posted - n->completed < NR_SLOTS;
	return rox_req_can_accept(&n->req);
}

void load_post(struct node *n)
{
	struct world *w = n->world;
	u32 burst = between(w, 1, chance(w, 20) ? NR_SLOTS : 6);

	while (burst-- && can_post(n))
		post_one(n);
	n->post_at = ROX_TIME_NEVER;
	if (n->posted < n->nr_ops)
		n->post_at = w->now + 1 + within(w, chance(w, 5) ? 20 * MS : 60 * US);
	if (w->fault == FAULT_NO_RECV)
		load_recvs(n->peer);
	n->wake_at = w->now;
}

void load_recvs(struct node *n)
{
	struct world *w = n->world;

	n->recv_at = ROX_TIME_NEVER;
	if (w->fault == FAULT_NO_RECV) {
		n->recv_posted = n->peer->nr_wants;
	} else if (!w->late_recvs) {
		n->recv_posted = n->peer->nr_ops + 1;
	} else if (n->recv_posted <= n->peer->nr_ops) {
		n->recv_posted += below(w, 12);
		n->recv_at = w->now + 1 + within(w, chance(w, 10) ? 8 * MS : 500 * US);
		near_posted(n);
	}
}
