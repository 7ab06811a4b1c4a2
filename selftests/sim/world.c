// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* This file contains the clock: one run from the seed to the verdict. */

#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

noreturn void world_fail(struct world *w, const char *why)
{
	w->why = why;
	longjmp(w->failed, 1);
}

void world_trace(struct world *w, const struct node *n, const char *what,
		 const struct rox_pkt *p, const char *more)
{
	if (!w->verbose)
		return;
	printf("# %12.3f us  %c %-10s", (double)w->now / 1000, 'A' + (int)n->id, what);
	if (p)
		printf(" %-28s psn %06x len %u%s", rox_pkt_op(p)->name, p->psn,
		       p->payload_bytes, p->ackreq ? " ackreq" : "");
	if (p && (rox_pkt_op(p)->hdrs & ROX_HDR_AETH))
		printf(" syndrome %02x msn %u", p->syndrome, p->msn);
	if (p && (rox_pkt_op(p)->flags & ROX_OPF_REQUEST) &&
	    (rox_pkt_op(p)->hdrs & ROX_HDR_RETH))
		printf(" dma %u", p->dma_len);
	if (!p)
		printf(" wr %u", n->completed);
	printf(" %s\n", more);
}

/* A timer is a bit late, and sometimes early by mistake. */
static u64 tick_at(const struct node *n)
{
	u64 at = n->foreign ? foreign_deadline(n) : rox_req_deadline(&n->req);

	return at == ROX_TIME_NEVER ? at : max(at, n->world->now);
}

static u64 next_at(const struct world *w)
{
	const struct node *n;
	u64 at = wire_next_at(w);

	for (n = w->nodes; n < w->nodes + 2; n++) {
		at = min(at, tick_at(n));
		at = min(at, n->wake_at);
		at = min(at, n->post_at);
		at = min(at, n->recv_at);
		at = min(at, n->drain_at);
	}
	return at;
}

static void node_events(struct node *n)
{
	struct world *w = n->world;

	if (tick_at(n) <= w->now || chance(w, 1))
		node_tick(n);
	if (n->post_at <= w->now)
		load_post(n);
	if (n->recv_at <= w->now)
		load_recvs(n);
	if (n->drain_at <= w->now)
		node_drain(n);
	if (n->wake_at <= w->now)
		node_run(n);
}

static void live(struct world *w)
{
	u64 at;

	while (!judge_finished(w)) {
		at = next_at(w);
		if (at == ROX_TIME_NEVER)
			world_fail(w, "stopped for ever");
		w->now = max(w->now, at);
		if (w->now > w->limit)
			world_fail(w, "not finished in time");
		while (wire_next_at(w) <= w->now)
			wire_deliver(w);
		node_events(&w->nodes[0]);
		node_events(&w->nodes[1]);
	}
}

static void count(struct world *w)
{
	const struct node *n;

	w->stats.seeds = 1;
	w->stats.faults[w->fault] = 1;
	for (n = w->nodes; n < w->nodes + 2; n++) {
		w->stats.ops += n->completed;
		w->stats.retransmits += n->req.counts.retransmits;
		w->stats.timeouts += n->req.counts.timeouts;
		w->stats.rnr_naks += n->req.counts.rnr_naks;
		w->stats.seq_naks += n->req.counts.seq_naks;
		w->stats.duplicates += n->resp.counts.duplicates;
	}
}

bool world_run(struct world *w, u64 seed, bool verbose)
{
	memset(w, 0, sizeof(*w));
	w->seed = seed;
	w->verbose = verbose;
	w->rnd.state = seed;
	draw_world(w);
	/* About ten times what the slowest of many seeds took. */
	w->limit = w->nodes[0].unlucky ? 300 * SEC : 30 * SEC;
	if (verbose)
		draw_describe(w);
	node_init(&w->nodes[0]);
	node_init(&w->nodes[1]);
	if (setjmp(w->failed))
		return false;
	live(w);
	judge_end(w);
	count(w);
	return true;
}

void world_free(struct world *w)
{
	node_free(&w->nodes[0]);
	node_free(&w->nodes[1]);
	wire_free(w);
}
