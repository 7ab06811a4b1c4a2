/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A requester for the suites: posts, sends what it may, takes answers. */
#ifndef ROX_UNIT_SEND_QUEUE_H
#define ROX_UNIT_SEND_QUEUE_H

#include <kunit/test.h>

#include "proto/requester.h"

#define SQ_SLOTS	16
#define SQ_PMTU		256
#define SQ_PSN		0xfffffe	/* wraps soon */
#define SQ_MS		1000000ull

struct send_queue {
	struct rox_requester r;
	struct rox_req_config cfg;
	struct rox_wr slots[SQ_SLOTS];
	struct rox_req_pkt pkt;		/* the last one planned */
	struct rox_req_place place;	/* of the last answer */
	u64 now;
};

static inline void sq_restart(struct send_queue *q)
{
	rox_req_init(&q->r, q->slots, sizeof(q->slots[0]), SQ_SLOTS);
	rox_req_start(&q->r, &q->cfg, SQ_PSN);
}

static inline void sq_start(struct send_queue *q, u8 service)
{
	memset(q, 0, sizeof(*q));
	q->now = 1000 * SQ_MS;
	q->cfg = (struct rox_req_config) {
		.service = service,
		.timeout = 12,		/* 16.8 ms */
		.retry_cnt = 3,
		.rnr_retry = 2,
		.max_rd_atomic = 4,
		.pkey = ROX_DEFAULT_PKEY,
		.pmtu = SQ_PMTU,
		.dqpn = 0x77,
		.sqpn = 0x55,
		.qkey = 0x1234,
		.window = 8,
		.read_chunk = 4,
		.min_rto_ns = SQ_MS,
	};
	sq_restart(q);
}

static inline struct rox_wr *sq_post(struct send_queue *q, u8 opcode, u32 length, u8 flags)
{
	struct rox_wr *wr = rox_req_slot(&q->r);

	memset(wr, 0, sizeof(*wr));
	wr->wr_id = q->r.head;
	wr->opcode = opcode;
	wr->flags = flags;
	wr->length = length;
	wr->imm = 0x01020304;
	wr->rkey = 0xabcd;
	wr->remote_addr = 0x10000;
	wr->compare_add = 11;
	wr->swap = 22;
	rox_req_accept(&q->r, ROX_WC_SUCCESS);
	return wr;
}

static inline enum rox_req_verdict sq_next(struct send_queue *q)
{
	return rox_req_next(&q->r, q->now, &q->pkt);
}

/* Send one packet if there is one. */
static inline enum rox_req_verdict sq_send(struct send_queue *q)
{
	enum rox_req_verdict v = sq_next(q);

	if (v == ROX_REQ_SEND)
		rox_req_sent(&q->r, &q->pkt, q->now);
	return v;
}

/* Send all there is; how many packets. */
static inline u32 sq_send_all(struct send_queue *q)
{
	u32 n = 0;

	while (n < 1000 && sq_send(q) == ROX_REQ_SEND)
		n++;
	return n;
}

static inline struct rox_pkt sq_answer(u8 opcode, u32 n)
{
	return (struct rox_pkt) {
		.opcode = opcode,
		.run = 1,
		.psn = rox_psn_add(SQ_PSN, n),
		.syndrome = ROX_AETH_ACK_UNLIMITED,
	};
}

/* An ACK or NAK for packet @n from the beginning. */
static inline enum rox_drop sq_aeth(struct send_queue *q, u32 n, u8 syndrome)
{
	struct rox_pkt p = sq_answer(ROX_OP_RC_ACKNOWLEDGE, n);

	p.syndrome = syndrome;
	return rox_req_rx(&q->r, &p, q->now, &q->place);
}

static inline enum rox_drop sq_ack(struct send_queue *q, u32 n)
{
	return sq_aeth(q, n, ROX_AETH_ACK_UNLIMITED);
}

/* A READ response for packet @n, placed at once. */
static inline enum rox_drop sq_data(struct send_queue *q, u32 n, u8 opcode, u32 bytes)
{
	struct rox_pkt p = sq_answer(opcode, n);
	enum rox_drop why;

	p.payload_bytes = bytes;
	why = rox_req_rx(&q->r, &p, q->now, &q->place);
	if (why == ROX_DROP_NONE)
		rox_req_placed(&q->r, &q->place, ROX_WC_SUCCESS);
	return why;
}

/* The status of the oldest WR; -1 if it is not finished. */
static inline int sq_complete(struct send_queue *q)
{
	struct rox_wr *wr = rox_req_complete(&q->r);

	return wr ? wr->status : -1;
}

#endif
