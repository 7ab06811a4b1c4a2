// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the way within a host, as kernel/direct.c has it: a run of
 * packets is handed to the other engine as one, and its replies are taken at once.
 * What was sent before by the network may still arrive, late and twice.
 */

#include "sim.h"

/* Nothing is owed, nothing is missing: else the network has to bring it. */
static bool may_hand_over(struct node *n)
{
	struct rox_responder *resp = &n->peer->resp;
	struct rox_resp_pkt reply;

	/* The other's receives that are due are posted first. */
	return n->peer->recv_at > n->world->now &&
	       rox_req_is_clear(&n->req) && rox_req_has_more(&n->req) &&
	       resp->running && !resp->dead && !rox_resp_next(resp, &reply) &&
	       resp->epsn == n->req.cursor;
}

static void count(struct world *w, const struct rox_pkt *p)
{
	w->stats.handed += p->run;
	w->stats.runs++;
}

void near_request(struct node *n, const struct rox_pkt *p, const u8 *payload)
{
	world_trace(n->world, n, "hand over", p, "");
	count(n->world, p);
	exec_request(n->peer, p, payload);
}

/* Responses to what @n has just handed over. */
void near_replies(struct node *n)
{
	struct node *near = n->peer;
	struct rox_resp_pkt reply;
	const u8 *from;

	while (rox_resp_next(&near->resp, &reply)) {
		if (!exec_gather_read(near, &reply, &from)) {
			rox_resp_read_fail(&near->resp, &reply);
			continue;
		}
		world_trace(n->world, n, "taken", &reply.hdr, "");
		count(n->world, &reply.hdr);
		node_response(n, &reply.hdr, from);
		rox_resp_sent(&near->resp, &reply);
	}
}

/* ---- a message as a whole, as kernel/whole.c has it ---- */

static void whole_done(struct node *n, struct rox_wr *wr, const struct rox_pkt *p,
		       const struct rox_resp_op *op)
{
	const struct rox_req_pkt pkt = { .hdr = *p, .wr = wr, .nr_psn = p->run };

	world_trace(n->world, n, "hand over whole", p, "");
	count(n->world, p);
	n->world->stats.whole++;
	judge_first_packet(n, op_of(wr));
	op_of(wr)->begun = true;
	judge_request(n, &pkt);
	rox_resp_commit(&n->peer->resp, p, op, 0);
	rox_req_whole_done(&n->req, wr, p);
	n->life_at = n->world->now;
	if (op->completes)
		judge_received(n->peer, p, op);
}

/* False: nothing has changed, and its packets will tell what is in its way. */
static bool near_whole(struct node *n)
{
	struct rox_pkt p;
	struct rox_wr *wr = rox_req_whole(&n->req, &p);
	struct rox_resp_op op;

	if (!wr || op_of(wr)->fail_send)
		return false;
	if (!rox_resp_whole(&n->peer->resp, &p, &op) ||
	    !exec_whole(n->peer, &p, &op, op_of(wr)->source))
		return false;
	whole_done(n, wr, &p, &op);
	return true;
}

static bool near_next(struct node *n)
{
	return (chance(n->world, 50) && near_whole(n)) || node_pump_request(n, true);
}

void near_run(struct node *n)
{
	struct world *w = n->world;
	u32 left = n->quantum;

	if (!chance(w, w->near) || !may_hand_over(n))
		return;
	n->req.run = between(w, 1, 64);
	n->req.read_runs = true;
	/* What is asked for at once is answered at once. */
	n->peer->resp.run = between(w, n->req.run, 64);
	while (left-- && near_next(n))
		;
	n->req.run = n->run;
	n->req.read_runs = false;
	n->peer->resp.run = n->peer->run;
	node_wake(n->peer, 0);
}

/* @n has posted receives, and whom it told that there were none is of its host. */
void near_posted(struct node *n)
{
	struct node *sender = n->peer;

	if (!sender->req.rnr_waiting || !chance(n->world, n->world->near))
		return;
	rox_req_hurry(&sender->req, n->world->now);
	sender->rnr_until = 0;
	node_wake(sender, 0);
}
