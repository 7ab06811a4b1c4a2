/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The provider's objects and the calls its files offer each other. */
#ifndef ROX_H
#define ROX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <ccan/container_of.h>
#include <infiniband/driver.h>
#include <util/compiler.h>

#include "abi.h"
#include "compat.h"
#include "cq_ring.h"
#include "lock.h"
#include "poller.h"
#include "ring.h"
#include "sq.h"
#include "rq.h"

struct rox_context {
	struct verbs_context vctx;
	/* What both sides can do; see ROX_CAP_*. */
	uint64_t caps;
	struct rox_poller poller;
};

/* A thread domain is a promise, see lock.h. */
struct rox_td {
	struct ibv_td td;
	/* Parent domains that refer to it. */
	atomic_uint refs;
};

/* A protection domain, or a parent domain around one. */
struct rox_pd {
	struct ibv_pd pd;
	/* Parent domains that refer to it. */
	atomic_uint refs;
	/* Of a parent domain: what it is made of. */
	struct rox_pd *contained;
	struct rox_td *td;
};

struct rox_ah {
	struct ibv_ah ah;
	/* What a work request calls it. */
	uint32_t number;
};

/*
 * A ring as it is mapped. Some look at it without the lock, so one that was
 * replaced by ibv_resize_cq() stays, as empty memory, until the queue goes.
 */
struct rox_cq_map {
	struct rox_cq_ring ring;
	size_t len;
	struct rox_cq_map *replaced;
};

struct rox_cq {
	struct verbs_cq vcq;
	struct rox_lock lock;
	_Atomic(struct rox_cq_map *) map;
	/* A queue pair whose kick was put off, or 0. */
	_Atomic(uint32_t) late;
	/* The program's, and one of each queue pair that will purge it. */
	atomic_uint refs;
	/* Between start_poll and end_poll: the completion being read, if any. */
	struct rox_cqe cur;
	bool shows;
};

struct rox_qp {
	struct verbs_qp vqp;
	struct rox_sq sq;
	/* One thread may be sending while another receives. */
	uint8_t pad[64];
	struct rox_rq rq;
	size_t sq_map_len;
	size_t rq_map_len;
};

static inline struct rox_context *to_rox_context(struct ibv_context *context)
{
	return container_of(context, struct rox_context, vctx.context);
}

static inline struct rox_pd *to_rox_pd(struct ibv_pd *pd)
{
	return container_of(pd, struct rox_pd, pd);
}

static inline struct rox_td *to_rox_td(struct ibv_td *td)
{
	return container_of(td, struct rox_td, td);
}

static inline struct rox_ah *to_rox_ah(struct ibv_ah *ah)
{
	return container_of(ah, struct rox_ah, ah);
}

static inline struct rox_cq *to_rox_cq(struct ibv_cq *cq)
{
	return container_of(cq, struct rox_cq, vcq.cq);
}

static inline struct rox_cq *to_rox_cq_ex(struct ibv_cq_ex *cq)
{
	return container_of(cq, struct rox_cq, vcq.cq_ex);
}

static inline struct rox_cq_ring *rox_cq_ring(struct rox_cq *cq)
{
	return &atomic_load_explicit(&cq->map, memory_order_acquire)->ring;
}

static inline struct rox_qp *to_rox_qp(struct ibv_qp *qp)
{
	return container_of(qp, struct rox_qp, vqp.qp);
}

static inline struct rox_qp *to_rox_qp_ex(struct ibv_qp_ex *qp)
{
	return container_of(qp, struct rox_qp, vqp.qp_ex);
}

/* map.c */
void *rox_map(struct ibv_context *context, uint64_t offset, size_t len);
void *rox_map_at(struct ibv_context *context, void *at, uint64_t offset,
		 size_t len);
void *rox_map_nothing(void *at, size_t len);
void rox_unmap(void *map, size_t len);

/* query.c */
int rox_query_device_ex(struct ibv_context *context,
			const struct ibv_query_device_ex_input *input,
			struct ibv_device_attr_ex *attr, size_t attr_size);
int rox_query_port(struct ibv_context *context, uint8_t port_num,
		   struct ibv_port_attr *attr);
int rox_query_rt_values(struct ibv_context *context,
			struct ibv_values_ex *values);

/* pd.c */
struct ibv_pd *rox_pd_alloc(struct ibv_context *context);
struct ibv_pd *rox_parent_domain_alloc(struct ibv_context *context,
				       struct ibv_parent_domain_init_attr *attr);
int rox_pd_dealloc(struct ibv_pd *pd);
struct ibv_td *rox_td_alloc(struct ibv_context *context,
			    struct ibv_td_init_attr *attr);
int rox_td_dealloc(struct ibv_td *td);
bool rox_pd_is_single_threaded(struct ibv_pd *pd);

/* mr.c */
struct ibv_mr *rox_mr_reg(struct ibv_pd *pd, void *addr, size_t length,
			  uint64_t hca_va, int access);
struct ibv_mr *rox_mr_reg_dmabuf(struct ibv_pd *pd, uint64_t offset,
				 size_t length, uint64_t iova, int fd,
				 int access);
int rox_mr_rereg(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		 void *addr, size_t length, int access);
int rox_mr_dereg(struct verbs_mr *vmr);

/* ah.c */
struct ibv_ah *rox_ah_create(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int rox_ah_destroy(struct ibv_ah *ah);

/* cq.c */
struct ibv_cq *rox_cq_create(struct ibv_context *context, int cqe,
			     struct ibv_comp_channel *channel, int comp_vector);
struct ibv_cq_ex *rox_cq_create_ex(struct ibv_context *context,
				   struct ibv_cq_init_attr_ex *attr);
int rox_cq_destroy(struct ibv_cq *cq);
void rox_cq_hold(struct ibv_cq *cq);
void rox_cq_release(struct ibv_cq *cq);
int rox_cq_arm(struct ibv_cq *cq, int solicited_only);
void rox_cq_purge(struct ibv_cq *cq, uint32_t qp_num);

/* cq_resize.c */
int rox_cq_resize(struct ibv_cq *cq, int cqe);

/* cq_poll.c */
int rox_cq_poll(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc);

/* cq_poll_ex.c */
void rox_cq_set_pollers(struct rox_cq *cq, uint64_t wc_flags);

/* qp.c */
struct ibv_qp *rox_qp_create(struct ibv_pd *pd, struct ibv_qp_init_attr *attr);
struct ibv_qp *rox_qp_create_ex(struct ibv_context *context,
				struct ibv_qp_init_attr_ex *attr);
int rox_qp_modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int rox_qp_query(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		 struct ibv_qp_init_attr *init_attr);
int rox_qp_destroy(struct ibv_qp *qp);

/* post.c */
int rox_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		  struct ibv_send_wr **bad_wr);
int rox_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		  struct ibv_recv_wr **bad_wr);

/* post_ex.c */
void rox_qp_set_builders(struct rox_qp *qp, uint64_t send_ops);

#endif
