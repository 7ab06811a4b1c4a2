/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two QPs of one device joined to each other, in the kernel. Each has its own
 * CQ and a buffer addressed with the local DMA key.
 */
#ifndef ENDS_H
#define ENDS_H

#include <linux/completion.h>
#include <rdma/ib_verbs.h>

#define KV_BUF_BYTES	(64 * 1024)
#define KV_QKEY		0x11111111
#define KV_WRS		64

/* How completions are looked for. */
enum kv_cq_kind {
	KV_POLL,	/* ib_create_cq(), ib_poll_cq() in a loop */
	KV_EVENT,	/* ib_create_cq(), armed, handler */
	KV_DIRECT,	/* ib_alloc_cq() of this kind ... */
	KV_SOFTIRQ,
	KV_WORKQUEUE,	/* ... with a done function in each request */
};

struct kv_end {
	struct ib_device *dev;
	struct ib_pd *pd;
	enum kv_cq_kind kind;
	struct ib_cq *cq;
	struct ib_qp *qp;
	enum ib_qp_type type;
	u8 *buf;
	u64 dma;
	struct ib_ah *ah;	/* UD: to the other end */
	u32 psn;
	struct completion event;
	struct ib_cqe cqe;	/* of requests where the CQ calls done */
	struct ib_wc wc;	/* last that done saw */
	struct completion done;
	atomic_t events;
	void (*on_event)(struct kv_end *end);	/* in its CQ's handler */
};

struct kv_pair {
	struct ib_device *dev;
	struct ib_pd *pd;
	int gid_index;
	union ib_gid gid;
	struct kv_end a, b;
};

int kv_open(struct kv_pair *pair, struct ib_device *dev, int gid_index,
	    enum ib_qp_type type, enum kv_cq_kind kind);
void kv_close(struct kv_pair *pair);

/* 0, or the errno of the post. */
int kv_post_recv(struct kv_end *end, u32 length);
int kv_post_send(struct kv_end *end, struct kv_end *to, struct ib_send_wr *wr,
		 u32 offset, u32 length);
int kv_send(struct kv_end *end, struct kv_end *to, u32 offset, u32 length);
int kv_rdma(struct kv_end *end, enum ib_wr_opcode opcode, u32 offset,
	    u32 length, u64 remote, u32 rkey);

/* How many times longer than usual things may take here. */
extern unsigned int kv_patience;
/* The next completion: 0, or -ETIMEDOUT after five seconds of patience 1. */
int kv_wait(struct kv_end *end, struct ib_wc *wc);
/* The same, and its status: 0 or -EIO when it is another one. */
int kv_expect(struct kv_end *end, enum ib_wc_status status);

void kv_fill(u8 *buf, size_t length, u8 seed);
bool kv_filled(const u8 *buf, size_t length, u8 seed);

#endif
