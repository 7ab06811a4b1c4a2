// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains what the kernel does for a responder: memory and receives. */

#include <stdlib.h>

#include "sim.h"

static bool in_memory(u32 rkey, u64 va, u64 len)
{
	if (rkey != MEM_RKEY && rkey != GONE_RKEY)
		return false;
	return va >= MEM_VA && va - MEM_VA <= MEM_BYTES &&
	       len <= MEM_BYTES - (va - MEM_VA);
}

static bool take_recv(struct node *n)
{
	if (n->recv_taken == n->recv_posted)
		return false;
	n->recv_taken++;
	/* Fresh bytes, so that a stale message cannot look right. */
	memset(n->recv_buf, (u8)n->recv_taken ^ 0x5a, min(n->world->recv_cap, 256u));
	return true;
}

/* Returns the NAK syndrome, 0 if all is well. */
static u8 do_send(struct node *n, const struct rox_resp_op *op,
		  const struct rox_pkt *p, const u8 *payload)
{
	CHECK(n->world, op->offset + p->payload_bytes == op->msg_bytes);
	if (op->msg_bytes > n->world->recv_cap)
		return ROX_AETH_NAK_INV_REQ;
	memcpy(n->recv_buf + op->offset, payload, p->payload_bytes);
	return 0;
}

static u8 do_write(struct node *n, const struct rox_resp_op *op,
		   const struct rox_pkt *p, const u8 *payload)
{
	CHECK(n->world, op->len == p->payload_bytes);
	if (op->first && op->range_len &&
	    !in_memory(op->rkey, op->range_va, op->range_len))
		return ROX_AETH_NAK_REM_ACC;
	if (!op->len)
		return 0;
	CHECK(n->world, in_memory(op->rkey, op->va, op->len));
	memcpy(n->mem + (op->va - MEM_VA), payload, op->len);
	return 0;
}

static u8 do_read(struct node *n, const struct rox_resp_op *op)
{
	(void)n;
	if (op->len && !in_memory(op->rkey, op->va, op->len))
		return ROX_AETH_NAK_REM_ACC;
	return 0;
}

static u8 do_atomic(struct node *n, const struct rox_resp_op *op,
		    const struct rox_pkt *p, u64 *orig)
{
	u64 v;

	if (op->va & 7)
		return ROX_AETH_NAK_INV_REQ;
	if (!in_memory(op->rkey, op->va, 8))
		return ROX_AETH_NAK_REM_ACC;
	memcpy(&v, n->mem + (op->va - MEM_VA), 8);
	*orig = v;
	if (p->opcode == ROX_OP_RC_FETCH_ADD)
		v += p->swap_add;
	else if (v == p->compare)
		v = p->swap_add;
	memcpy(n->mem + (op->va - MEM_VA), &v, 8);
	return 0;
}

static u8 carry_out(struct node *n, const struct rox_resp_op *op,
		    const struct rox_pkt *p, const u8 *payload, u64 *orig)
{
	switch (op->kind) {
	case ROX_RESP_SEND:
		return do_send(n, op, p, payload);
	case ROX_RESP_WRITE:
		return do_write(n, op, p, payload);
	case ROX_RESP_READ:
		return do_read(n, op);
	case ROX_RESP_ATOMIC:
		return do_atomic(n, op, p, orig);
	}
	return ROX_AETH_NAK_REM_OP;
}

static void exec_op(struct node *n, const struct rox_resp_op *op,
		    const struct rox_pkt *p, const u8 *payload)
{
	u64 orig = 0;
	u8 nak;

	if (op->needs_recv && !take_recv(n)) {
		world_trace(n->world, n, "rnr", p, "");
		rox_resp_rnr(&n->resp, p);
		return;
	}
	nak = carry_out(n, op, p, payload, &orig);
	if (nak) {
		world_trace(n->world, n, "refuse", p, "");
		rox_resp_refuse(&n->resp, p, nak);
		return;
	}
	rox_resp_commit(&n->resp, p, op, orig);
	if (op->completes)
		judge_received(n, p, op);
}

void exec_request(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	struct rox_pkt q = *p;
	struct rox_resp_op op;

	if (n->habits & HABIT_ACK_ALL)
		q.ackreq = true;
	if ((n->habits & HABIT_NAK_AGAIN) && chance(n->world, 30))
		n->resp.nak_sent = false;
	switch (rox_resp_rx(&n->resp, &q, &op)) {
	case ROX_RESP_EXEC:
		exec_op(n, &op, &q, payload);
		break;
	case ROX_RESP_DROP:
	case ROX_RESP_DONE:
	case ROX_RESP_FATAL:
		world_trace(n->world, n, "not done", p, rox_drop_name(op.drop));
		break;
	}
}

static bool fits(const struct node *n, const struct rox_resp_op *op)
{
	if (op->kind == ROX_RESP_SEND)
		return op->msg_bytes <= n->world->recv_cap;
	return !op->len || in_memory(op->rkey, op->va, op->len);
}

bool exec_whole(struct node *n, const struct rox_pkt *p, const struct rox_resp_op *op,
		const u8 *payload)
{
	u64 orig;

	if (!fits(n, op) || (op->needs_recv && !take_recv(n)))
		return false;
	CHECK(n->world, !carry_out(n, op, p, payload, &orig));
	return true;
}

bool exec_gather_read(struct node *n, const struct rox_resp_pkt *pkt, const u8 **from)
{
	*from = NULL;
	if (!pkt->read || !pkt->hdr.payload_bytes)
		return true;
	if (pkt->rkey == GONE_RKEY &&
	    (chance(n->world, 30) || (rox_pkt_op(&pkt->hdr)->flags & ROX_OPF_LAST)))
		return false;
	CHECK(n->world, in_memory(pkt->rkey, pkt->va, pkt->hdr.payload_bytes));
	*from = n->mem + (pkt->va - MEM_VA);
	return true;
}
