// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains what the seed decides before anything moves. */

#include <stdio.h>

#include "sim.h"

static const char *const fault_names[FAULT_NR] = {
	[FAULT_NONE] = "none",
	[FAULT_RKEY] = "rkey",
	[FAULT_RANGE] = "range",
	[FAULT_ACCESS] = "access",
	[FAULT_ALIGN] = "align",
	[FAULT_LONG_SEND] = "long_send",
	[FAULT_MALFORMED] = "malformed",
	[FAULT_GATHER] = "gather",
	[FAULT_SCATTER] = "scatter",
	[FAULT_LOCAL] = "local",
	[FAULT_READ_SOURCE] = "read_source",
	[FAULT_NO_RECV] = "no_recv",
	[FAULT_DEAD] = "dead",
};

const char *fault_name(enum fault fault)
{
	return fault_names[fault];
}

void draw_bytes(struct world *w, u8 *to, u32 bytes)
{
	u64 v;
	u32 i;

	for (i = 0; i < bytes; i += 8) {
		v = random_u64(&w->rnd);
		memcpy(to + i, &v, 8);
	}
}

#define PICK(w, ...) pick_of(w, (const u32[]){ __VA_ARGS__ },		\
			     sizeof((const u32[]){ __VA_ARGS__ }) / sizeof(u32))

static u32 pick_of(struct world *w, const u32 *list, u32 n)
{
	return list[below(w, n)];
}

/* ---- the network ---- */

static void draw_all(struct world *w, struct channel *c)
{
	u32 share = between(w, 1, 400);

	c->loss = share;
	c->reorder = share;
	c->dup = share;
	c->corrupt = share;
}

static void draw_loss(struct world *w, struct channel *c)
{
	u32 kind = below(w, 8);

	c->late = PICK(w, 3, 30, 300, 3000) * US;
	if (kind == 0)
		c->loss = between(w, 1, 100);
	else if (kind == 1)
		c->loss = between(w, 100, 1000);
	else if (kind == 2)
		c->reorder = between(w, 1, 3000);
	else if (kind == 3)
		c->dup = between(w, 1, 3000);
	else if (kind == 4)
		c->corrupt = between(w, 1, 500);
	else if (kind == 5)
		c->loss = between(w, 1000, 3000);
	else
		draw_all(w, c);
	if (chance(w, 10)) {
		c->blackout_at = within(w, 20 * MS);
		c->blackout_end = c->blackout_at + within(w, 200 * MS);
	}
}

static void draw_channel(struct world *w, struct channel *c)
{
	c->dead_at = ROX_TIME_NEVER;
	c->blackout_at = ROX_TIME_NEVER;
	c->delay = PICK(w, 0, 500, 5000, 50000, 500000);
	c->jitter = PICK(w, 0, 100, 2000);
	c->byte_ps = PICK(w, 0, 80, 800);
	if (!w->perfect)
		draw_loss(w, c);
}

/* ---- the fault ---- */

static const enum rox_wc_status fault_statuses[FAULT_NR] = {
	[FAULT_RKEY] = ROX_WC_REM_ACCESS_ERR,
	[FAULT_RANGE] = ROX_WC_REM_ACCESS_ERR,
	[FAULT_ACCESS] = ROX_WC_REM_INV_REQ_ERR,
	[FAULT_ALIGN] = ROX_WC_REM_INV_REQ_ERR,
	[FAULT_LONG_SEND] = ROX_WC_REM_INV_REQ_ERR,
	[FAULT_MALFORMED] = ROX_WC_LOC_PROT_ERR,
	[FAULT_GATHER] = ROX_WC_LOC_PROT_ERR,
	[FAULT_SCATTER] = ROX_WC_LOC_PROT_ERR,
	[FAULT_LOCAL] = ROX_WC_MW_BIND_ERR,
	[FAULT_READ_SOURCE] = ROX_WC_REM_ACCESS_ERR,
	[FAULT_NO_RECV] = ROX_WC_RNR_RETRY_EXC_ERR,
	[FAULT_DEAD] = ROX_WC_RETRY_EXC_ERR,
};

static void draw_fault(struct world *w)
{
	w->fault = FAULT_NONE;
	if (chance(w, 25))
		w->fault = between(w, 1, FAULT_NR - 1);
	if (w->service != ROX_SVC_RC && w->fault != FAULT_MALFORMED)
		w->fault = FAULT_NONE;
	if (w->fault == FAULT_NONE)
		return;
	w->fault_status = fault_statuses[w->fault];
	w->both_ways = false;
	w->late_recvs = false;
	w->fault_seq = between(w, 0, w->nodes[0].nr_ops - 1);
	if (w->fault == FAULT_ACCESS)
		w->denied = (u8)(1 << below(w, 3));
	if (w->fault == FAULT_DEAD) {
		w->channels[0].dead_at = within(w, 10 * MS);
		w->channels[1].dead_at = w->channels[0].dead_at;
	}
}

/* ---- the queue pairs ---- */

static u32 draw_psn(struct world *w)
{
	if (chance(w, 50))
		return rox_psn_sub(0, below(w, 400));
	return (u32)random_u64(&w->rnd) & ROX_PSN_MASK;
}

/*
 * A lossy network may be unlucky for long, and then a finite budget ends a
 * connection that is right. Such seeds wait for ever.
 */
static void draw_patience(struct world *w, struct node *n)
{
	struct rox_req_config *c = &n->req_cfg;
	const struct channel *ch = w->channels;

	c->min_rto_ns = PICK(w, 20, 200, 1000, 8000) * US;
	c->timeout = (u8)PICK(w, 14, 15, 16, 17, 18);
	c->retry_cnt = 7;
	if (w->perfect || w->fault == FAULT_DEAD)
		c->retry_cnt = (u8)below(w, 8);
	n->unlucky = ch[0].loss + ch[1].loss > 1000 || ch[0].blackout_end ||
		     ch[1].blackout_end;
	if (n->unlucky || chance(w, 30))
		c->timeout = 0;
	if (w->fault == FAULT_DEAD || (w->fault != FAULT_NONE && !c->timeout))
		c->timeout = (u8)PICK(w, 12, 14, 16);
	c->rnr_retry = w->fault == FAULT_NO_RECV ? (u8)below(w, 7) : 7;
	n->patient = c->min_rto_ns >= 8000 * US;
}

static void draw_requester(struct world *w, struct node *n)
{
	struct rox_req_config *c = &n->req_cfg;

	c->service = w->service;
	c->pkey = ROX_DEFAULT_PKEY;
	c->migreq = chance(w, 50);
	c->dqpn = n->peer->qpn;
	c->sqpn = n->qpn;
	c->window = PICK(w, 2, 3, 5, 8, 16, 64, 128, 512);
	c->read_chunk = PICK(w, 1, 2, 3, 8, 16, 64, 100);
	c->max_rd_atomic = (u8)between(w, 1, n->peer->nr_records);
	draw_patience(w, n);
}

static void draw_responder(struct world *w, struct node *n)
{
	struct rox_resp_config *c = &n->resp_cfg;

	c->service = w->service;
	c->allow = 7;
	if (n->id == 1)
		c->allow &= ~w->denied;
	c->min_rnr_timer = (u8)between(w, 1, 14);
	c->pkey = ROX_DEFAULT_PKEY;
	c->migreq = n->req_cfg.migreq;
	c->pmtu = n->req_cfg.pmtu;
	c->dqpn = n->peer->qpn;
	c->max_msg = 1u << 31;
}

static void draw_node(struct world *w, struct node *n)
{
	n->quantum = PICK(w, 1, 2, 8, 32, 200);
	n->idle_ns = PICK(w, 1, 1000, 20000, 100000);
	n->run = w->service == ROX_SVC_UD ? 1 : PICK(w, 1, 1, 4, 15, 64);
	if (w->service == ROX_SVC_RC && chance(w, 25))
		n->habits = 1u << below(w, 6);
	if (w->service == ROX_SVC_RC && chance(w, 10)) {
		n->drains = between(w, 1, 6);
		n->drain_at = within(w, 5 * MS);
	} else {
		n->drain_at = ROX_TIME_NEVER;
	}
	draw_requester(w, n);
	draw_responder(w, n);
}

static void start(struct node *n, u32 sq_psn, u32 rq_psn)
{
	rox_req_init(&n->req, n->slots, sizeof(n->slots[0]), NR_SLOTS);
	rox_req_start(&n->req, &n->req_cfg, sq_psn);
	/* Free-running indices wrap, too. */
	n->req.tail = 0u - below(n->world, 200);
	n->req.oldest = n->req.tail;
	n->req.next = n->req.tail;
	n->req.head = n->req.tail;
	rox_resp_init(&n->resp, n->ring, n->nr_records);
	rox_resp_start(&n->resp, &n->resp_cfg, rq_psn);
	n->req.run = n->run;
	n->resp.run = n->run;
}

void draw_world(struct world *w)
{
	u32 pmtu = PICK(w, 256, 256, 256, 512, 512, 1024, 2048, 4096);
	u32 qkey = (u32)random_u64(&w->rnd) & 0x7fffffff;
	u32 psn[2], i;

	w->service = (u8)PICK(w, ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_RC,
			      ROX_SVC_RC, ROX_SVC_RC, ROX_SVC_UC, ROX_SVC_UD);
	w->perfect = chance(w, 25);
	w->late_recvs = chance(w, 50);
	w->both_ways = chance(w, 60);
	w->max_pkts = between(w, 2, 120);
	w->recv_cap = w->max_pkts * pmtu;
	for (i = 0; i < 2; i++) {
		w->nodes[i].id = i;
		w->nodes[i].world = w;
		w->nodes[i].peer = &w->nodes[1 - i];
		w->nodes[i].qpn = 0x100 + i;
		w->nodes[i].req_cfg.pmtu = pmtu;
		w->nodes[i].req_cfg.qkey = qkey;
		w->nodes[i].nr_records = PICK(w, 1, 2, 4, MAX_RECORDS);
		w->nodes[i].nr_ops = between(w, 100, 600);
		draw_channel(w, &w->channels[i]);
	}
	draw_fault(w);
	if (!w->both_ways)
		w->nodes[1].nr_ops = 0;
	for (i = 0; i < 2; i++)
		draw_node(w, &w->nodes[i]);
	for (i = 0; i < 2; i++)
		psn[i] = draw_psn(w);
	for (i = 0; i < 2; i++)
		start(&w->nodes[i], psn[i], psn[1 - i]);
	if (w->service == ROX_SVC_RC && chance(w, 25)) {
		w->nodes[1].drain_at = ROX_TIME_NEVER;
		foreign_init(&w->nodes[1], psn[0], psn[1]);
	} else if (w->service != ROX_SVC_UD && w->fault != FAULT_DEAD) {
		w->near = PICK(w, 0, 0, 20, 90);
	}
}

/* ---- in words ---- */

static void describe_channel(const struct channel *c)
{
	printf("# network: of 10000 lost %u, twice %u, late %u, corrupt %u; ",
	       c->loss, c->dup, c->reorder, c->corrupt);
	printf("delay %llu+%llu ns, late %llu ns, %llu ps/byte%s\n",
	       (unsigned long long)c->delay, (unsigned long long)c->jitter,
	       (unsigned long long)c->late, (unsigned long long)c->byte_ps,
	       c->blackout_end ? ", black-out" : "");
}

static void describe_node(const struct node *n)
{
	const struct rox_req_config *c = &n->req_cfg;

	printf("# node %c%s: %u operations, window %u, READ pieces of %u, %u at once of %u, ",
	       'A' + (int)n->id, n->foreign ? " (foreign)" : "", n->nr_ops,
	       c->window, c->read_chunk, c->max_rd_atomic, n->peer->nr_records);
	printf("time-out %u, %u retries, RTO from %llu us, ", c->timeout, c->retry_cnt,
	       (unsigned long long)(c->min_rto_ns / US));
	printf("quantum %u, runs of %u, idle %llu ns, habits %02x\n", n->quantum, n->run,
	       (unsigned long long)n->idle_ns, n->habits);
}

void draw_describe(const struct world *w)
{
	static const char *const services[] = { "RC", "UC", "", "UD" };

	printf("# %s, path MTU %u, %s network, receives %s, fault %s at %u\n",
	       services[w->service >> 5], w->nodes[0].req_cfg.pmtu,
	       w->perfect ? "perfect" : "bad", w->late_recvs ? "late" : "ready",
	       fault_name(w->fault), w->fault_seq);
	if (w->near)
		printf("# one host, %u %% of the time\n", w->near);
	describe_channel(&w->channels[0]);
	describe_channel(&w->channels[1]);
	describe_node(&w->nodes[0]);
	describe_node(&w->nodes[1]);
}
