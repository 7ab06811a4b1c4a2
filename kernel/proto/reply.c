// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the sending side of the responder: READ responses, atomic
 * ACKs, ACKs and NAKs in PSN order (IBA 9.7.5.1).
 */

#include "responder.h"
#include "segment.h"

enum reply {
	REPLY_NONE,
	REPLY_ACK,
	REPLY_NAK,
	REPLY_AGAIN,		/* a READ response of replays[0] */
	REPLY_DATA,		/* a READ response or atomic ACK of a record */
};

static void plan_header(const struct rox_responder *r, u8 opcode, u32 psn, u32 msn,
			u8 syndrome, struct rox_pkt *h)
{
	memset(h, 0, sizeof(*h));
	h->opcode = opcode;
	h->hdr_bytes = rox_pkt_op(h)->hdr_bytes;
	h->run = 1;
	h->pkey = r->cfg.pkey;
	h->migreq = r->cfg.migreq;
	h->dqpn = r->cfg.dqpn;
	h->psn = psn;
	h->msn = msn;
	h->syndrome = syndrome;
}

/* The next packet of an answer. */
static void plan_read(const struct rox_responder *r, const struct rox_replay *rp,
		      struct rox_resp_pkt *pkt)
{
	u32 n = min(r->run, rp->nr_psn - rp->sent);
	bool first = rp->sent == rp->from;
	bool last = rp->sent + n == rp->nr_psn;
	u32 offset = rp->sent * r->cfg.pmtu;
	struct rox_pkt *h = &pkt->hdr;

	plan_header(r, rox_read_response_opcode(first, last),
		    rox_psn_add(rp->psn, rp->sent), rp->msn,
		    ROX_AETH_ACK_UNLIMITED, h);
	h->run = n;
	h->payload_bytes = min(rp->len - offset, n * r->cfg.pmtu);
	h->pad = -h->payload_bytes & 3;
	pkt->read = true;
	pkt->rkey = rp->rkey;
	pkt->va = rp->va + offset;
}

static void plan_resource(const struct rox_responder *r, struct rox_resource *res,
			  struct rox_resp_pkt *pkt)
{
	const struct rox_replay whole = {
		.va = res->va,
		.rkey = res->rkey,
		.len = res->len,
		.psn = res->first_psn,
		.nr_psn = res->nr_psn,
		.msn = res->msn,
		.sent = res->sent,
		.from = res->from,
	};

	pkt->res = res;
	if (!res->atomic) {
		plan_read(r, &whole, pkt);
		return;
	}
	plan_header(r, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, res->first_psn, res->msn,
		    ROX_AETH_ACK_UNLIMITED, &pkt->hdr);
	pkt->hdr.atomic_orig = res->orig;
}

/* READ responses and atomic ACKs that are owed. @psn: of the oldest, if any */
static enum reply next_data(struct rox_responder *r, struct rox_resource **res, u32 *psn)
{
	*res = NULL;
	if (r->nr_replays) {
		*psn = r->replays[0].psn;
		return REPLY_AGAIN;
	}
	*res = rox_resources_pending(&r->res);
	if (!*res)
		return REPLY_NONE;
	*psn = (*res)->first_psn;
	return REPLY_DATA;
}

static enum reply next_reply(struct rox_responder *r, struct rox_resource **res)
{
	u32 psn = 0;
	enum reply data = next_data(r, res, &psn);

	if (r->ack_due && (data == REPLY_NONE || rox_psn_before(r->ack_psn, psn)))
		return REPLY_ACK;
	if (data == REPLY_NONE && r->nak_due)
		return REPLY_NAK;
	return data;
}

bool rox_resp_next(struct rox_responder *r, struct rox_resp_pkt *pkt)
{
	struct rox_resource *res;

	pkt->what = next_reply(r, &res);
	pkt->read = false;
	pkt->res = NULL;
	switch (pkt->what) {
	case REPLY_ACK:
		plan_header(r, ROX_OP_RC_ACKNOWLEDGE, r->ack_psn, r->ack_msn,
			    ROX_AETH_ACK_UNLIMITED, &pkt->hdr);
		return true;
	case REPLY_NAK:
		plan_header(r, ROX_OP_RC_ACKNOWLEDGE, r->nak_psn, r->nak_msn,
			    r->nak_syndrome, &pkt->hdr);
		return true;
	case REPLY_AGAIN:
		plan_read(r, &r->replays[0], pkt);
		return true;
	case REPLY_DATA:
		plan_resource(r, res, pkt);
		return true;
	}
	return false;
}

static void forget_replay(struct rox_responder *r)
{
	r->nr_replays--;
	memmove(&r->replays[0], &r->replays[1], r->nr_replays * sizeof(r->replays[0]));
}

static void sent_data(struct rox_resource *res, u32 n)
{
	res->sent += n;
	if (!res->atomic && res->sent < res->nr_psn)
		return;
	res->pending = false;
	res->answered = true;
}

void rox_resp_sent(struct rox_responder *r, const struct rox_resp_pkt *pkt)
{
	switch (pkt->what) {
	case REPLY_ACK:
		r->ack_due = false;
		break;
	case REPLY_NAK:
		r->nak_due = false;
		break;
	case REPLY_AGAIN:
		r->replays[0].sent += pkt->hdr.run;
		if (r->replays[0].sent == r->replays[0].nr_psn)
			forget_replay(r);
		break;
	case REPLY_DATA:
		sent_data(pkt->res, pkt->hdr.run);
		break;
	}
}

/*
 * Who has its answer may have allowed the memory to be given up, and the
 * request for a repetition may be an old one: that is no error.
 */
void rox_resp_read_fail(struct rox_responder *r, const struct rox_resp_pkt *pkt)
{
	if (pkt->what == REPLY_AGAIN) {
		forget_replay(r);
		return;
	}
	rox_resources_cancel(&r->res);
	r->nr_replays = 0;
	r->counts.naks++;
	r->ack_due = false;
	r->nak_due = true;
	r->nak_psn = pkt->hdr.psn;
	r->nak_msn = rox_psn_sub(pkt->res->msn, 1);
	r->nak_syndrome = ROX_AETH_NAK_REM_ACC;
	r->dead = true;
}
