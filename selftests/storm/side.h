/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One side of a pair: a device opened, and a QP with what it needs. Unlike
 * those of selftests/verbs these may fail anywhere: the device may be gone.
 */
#ifndef STORM_SIDE_H
#define STORM_SIDE_H

#include "storm.h"

#define QKEY 0x22222222
#define ALL_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct side {
	struct place place;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *buf;
	size_t size;
	struct ibv_qp *qp;
	struct ibv_ah *ah;	/* UD: to the other side */
	uint32_t psn;
	int recvs, sends;	/* posted and not yet completed */
};

struct wish {
	enum ibv_qp_type type;
	size_t size;		/* of the memory */
	int wrs;		/* of either queue */
};

struct ibv_context *open_named(const char *device);
/* False if anything failed; close_side() undoes what did not. */
bool open_side(struct side *side, const struct place *place);
bool make_side(struct side *side, const struct wish *wish);
/* All that @of has, but a QP of its own. Not for close_side(). */
bool share_side(struct side *side, const struct side *of, const struct wish *wish);
void close_side(struct side *side);

struct ibv_ah_attr ah_attr(const struct side *side, const struct place *to);
/* The attributes of a step, with their mask. RTR needs the other side. */
struct ibv_qp_attr step_attr(const struct side *side, enum ibv_qp_type type,
			     enum ibv_qp_state state, const struct side *to,
			     int *mask);
/* From RESET to RTS. */
bool join_side(struct side *side, const struct side *to);
bool make_pair(struct side *a, struct side *b, const struct wish *wish);

bool post_recv(struct side *side, size_t offset, size_t length);
struct ibv_send_wr send_wr(const struct side *side, const struct side *to,
			   enum ibv_wr_opcode opcode, struct ibv_sge *sge);

#endif
