/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A responder for the suites: takes packets, and what they ask for succeeds. */
#ifndef ROX_UNIT_RECV_QUEUE_H
#define ROX_UNIT_RECV_QUEUE_H

#include <kunit/test.h>

#include "proto/responder.h"

#define RQ_PMTU		256
#define RQ_PSN		0xfffffe	/* wraps soon */
#define RQ_RECORDS	2

struct recv_queue {
	struct rox_responder r;
	struct rox_resp_config cfg;
	struct rox_resource ring[RQ_RECORDS];
	struct rox_resp_op op;		/* of the last packet */
	struct rox_resp_pkt reply;	/* the last one planned */
};

static inline void rq_restart(struct recv_queue *q)
{
	rox_resp_init(&q->r, q->ring, RQ_RECORDS);
	rox_resp_start(&q->r, &q->cfg, RQ_PSN);
}

static inline void rq_start(struct recv_queue *q, u8 service)
{
	memset(q, 0, sizeof(*q));
	q->cfg = (struct rox_resp_config) {
		.service = service,
		.allow = ROX_RESP_ALLOW_WRITE | ROX_RESP_ALLOW_READ |
			 ROX_RESP_ALLOW_ATOMIC,
		.min_rnr_timer = 12,
		.pkey = ROX_DEFAULT_PKEY,
		.pmtu = RQ_PMTU,
		.dqpn = 0x99,
		.max_msg = 1u << 31,
	};
	rq_restart(q);
}

/* Packet @n from the beginning. */
static inline struct rox_pkt rq_pkt(u8 opcode, u32 n, u32 payload)
{
	return (struct rox_pkt) {
		.opcode = opcode,
		.run = 1,
		.psn = rox_psn_add(RQ_PSN, n),
		.payload_bytes = payload,
		.dma_len = payload,
		.va = 0x10000,
		.rkey = 0xabcd,
		.ackreq = true,
	};
}

static inline enum rox_resp_verdict rq_look(struct recv_queue *q, const struct rox_pkt *p)
{
	return rox_resp_rx(&q->r, p, &q->op);
}

/* Look at it, and carry it out if that is asked for. */
static inline enum rox_resp_verdict rq_take(struct recv_queue *q, const struct rox_pkt *p)
{
	enum rox_resp_verdict v = rq_look(q, p);

	if (v == ROX_RESP_EXEC)
		rox_resp_commit(&q->r, p, &q->op, 0x1111);
	return v;
}

static inline enum rox_resp_verdict rq_recv(struct recv_queue *q, u8 opcode, u32 n, u32 payload)
{
	struct rox_pkt p = rq_pkt(opcode, n, payload);

	return rq_take(q, &p);
}

static inline enum rox_resp_verdict rq_read(struct recv_queue *q, u32 n, u32 bytes)
{
	struct rox_pkt p = rq_pkt(ROX_OP_RC_RDMA_READ_REQUEST, n, 0);

	p.dma_len = bytes;
	return rq_take(q, &p);
}

/* The next reply, sent; false if there is none. */
static inline bool rq_reply(struct recv_queue *q)
{
	if (!rox_resp_next(&q->r, &q->reply))
		return false;
	rox_resp_sent(&q->r, &q->reply);
	return true;
}

/* The next reply is an ACK or NAK for packet @n. */
static inline void rq_expect_aeth(struct kunit *test, struct recv_queue *q, u32 n, u8 syndrome)
{
	KUNIT_ASSERT_TRUE(test, rq_reply(q));
	KUNIT_EXPECT_EQ(test, q->reply.hdr.opcode, ROX_OP_RC_ACKNOWLEDGE);
	KUNIT_EXPECT_EQ(test, q->reply.hdr.psn, rox_psn_add(RQ_PSN, n));
	KUNIT_EXPECT_EQ(test, q->reply.hdr.syndrome, syndrome);
}

#endif
