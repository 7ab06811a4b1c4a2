/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs that packets are aimed at, of every type and in every state. Each
 * believes that its peer is at the other end of the wire.
 *
 * Its memory: guard, WINDOW_BYTES from WINDOW_AT on that the peer may write to,
 * guard. All share SECRET, registered as well, but without any remote right.
 */
#ifndef TARGET_H
#define TARGET_H

#include "../../verbs/lib.h"

#define TARGET_BYTES	(16 * 4096UL)
#define WINDOW_AT	(3 * 4096UL + 77)
#define WINDOW_BYTES	20000UL
#define GUARD		0xa7
#define SECRET		0xc3
#define SECRET_BYTES	16384UL
#define PEER_QPN	0x123456

struct target {
	const char *name;
	enum ibv_qp_type type;
	enum ibv_qp_state state;	/* it is to be in */
	bool ipv6;			/* its peer's address */
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *memory;
	uint32_t epsn, psn;		/* as last asked: expected, next to send */
};

struct targets {
	struct dev dev;
	union ibv_gid peer, peer6;
	int gid_index6;
	struct ibv_cq *cq;
	struct ibv_ah *ah, *ah6;
	uint8_t *secret;
	struct ibv_mr *secret_mr;
	struct target all[24];
	unsigned int nr;
	uint64_t revived;
};

void targets_open(struct targets *ts, const char *peer, const char *peer6);
struct target *target_named(struct targets *ts, const char *name);
/* Back into its state if it left it; and where its sequence is now. */
void target_look(struct targets *ts, struct target *t);
/* Something to receive into, something to send. */
void target_feed(struct targets *ts, struct target *t);
/* NULL, or what is wrong. */
const char *targets_check(const struct targets *ts);

#endif
