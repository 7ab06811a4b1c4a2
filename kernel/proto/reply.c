// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * This file contains the sending side of the responder: READ responses, atomic
 * ACKs, ACKs and NAKs in PSN order (IBA 9.7.5.1).
 */

#include "responder.h"
#include "segment.h"

static void plan_header(const struct rox_responder *r, u8 opcode, u32 psn, u32 msn,
			u8 syndrome, struct rox_pkt *h)
{
	memset(h, 0, sizeof(*h));
	h->opcode = opcode;
	h->hdr_bytes = rox_pkt_op(h)->hdr_bytes;
	h->pkey = r->cfg.pkey;
	h->migreq = r->cfg.migreq;
	h->dqpn = r->cfg.dqpn;
	h->psn = psn;
	h->msn = msn;
	h->syndrome = syndrome;
}

static void plan_read(const struct rox_responder *r, const struct rox_resource *res,
		      struct rox_resp_pkt *pkt)
{
	bool first = res->sent == 0;
	bool last = res->sent + 1 == res->pass_pkts;
	u32 offset = res->sent * r->cfg.pmtu;
	struct rox_pkt *h = &pkt->hdr;

	plan_header(r, rox_read_response_opcode(first, last),
		    rox_psn_add(res->pass_psn, res->sent), res->msn,
		    ROX_AETH_ACK_UNLIMITED, h);
	h->payload_bytes = min(res->pass_len - offset, r->cfg.pmtu);
	h->pad = -h->payload_bytes & 3;
	pkt->read = true;
	pkt->rkey = res->rkey;
	pkt->va = res->pass_va + offset;
}

static void plan_resource(const struct rox_responder *r, struct rox_resource *res,
			  struct rox_resp_pkt *pkt)
{
	pkt->res = res;
	if (!res->atomic) {
		plan_read(r, res, pkt);
		return;
	}
	plan_header(r, ROX_OP_RC_ATOMIC_ACKNOWLEDGE, res->first_psn, res->msn,
		    ROX_AETH_ACK_UNLIMITED, &pkt->hdr);
	pkt->hdr.atomic_orig = res->orig;
}

bool rox_resp_next(struct rox_responder *r, struct rox_resp_pkt *pkt)
{
	struct rox_resource *res = rox_resources_pending(&r->res);

	pkt->read = false;
	pkt->res = NULL;
	if (r->ack_due && (!res || rox_psn_before(r->ack_psn, res->pass_psn)))
		plan_header(r, ROX_OP_RC_ACKNOWLEDGE, r->ack_psn, r->ack_msn,
			    ROX_AETH_ACK_UNLIMITED, &pkt->hdr);
	else if (res)
		plan_resource(r, res, pkt);
	else if (r->nak_due)
		plan_header(r, ROX_OP_RC_ACKNOWLEDGE, r->nak_psn, r->nak_msn,
			    r->nak_syndrome, &pkt->hdr);
	else
		return false;
	return true;
}

static void sent_resource(struct rox_resource *res)
{
	if (!res->atomic && ++res->sent < res->pass_pkts)
		return;
	res->pending = false;
	if (res->atomic || rox_psn_sub(res->pass_psn, res->first_psn) +
			   res->pass_pkts == res->nr_psn)
		res->answered = true;
}

void rox_resp_sent(struct rox_responder *r, const struct rox_resp_pkt *pkt)
{
	if (pkt->res)
		sent_resource(pkt->res);
	else if (r->ack_due && pkt->hdr.syndrome == ROX_AETH_ACK_UNLIMITED)
		r->ack_due = false;
	else
		r->nak_due = false;
}

/*
 * Whose READ was answered before may have given up the memory since, and the
 * duplicate request may be an old one: that is no error.
 */
void rox_resp_read_fail(struct rox_responder *r, const struct rox_resp_pkt *pkt)
{
	if (pkt->res->answered) {
		pkt->res->pending = false;
		return;
	}
	rox_resources_cancel(&r->res);
	r->counts.naks++;
	r->ack_due = false;
	r->nak_due = true;
	r->nak_psn = pkt->hdr.psn;
	r->nak_msn = rox_psn_sub(pkt->res->msn, 1);
	r->nak_syndrome = ROX_AETH_NAK_REM_ACC;
	r->dead = true;
}
