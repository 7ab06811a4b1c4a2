/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_verbs.h"

#define FAKE_MAX_SGE 4
#define FAKE_MAX_INLINE 64
#define FAKE_SQ_STRIDE (sizeof(struct rox_sqe) + FAKE_MAX_INLINE)
#define FAKE_RQ_STRIDE (sizeof(struct rox_rqe) + 4 * sizeof(struct rox_sge))

struct fake_device fake;

static struct ibv_device ibdev = { .name = "fake" };

void fake_open(void)
{
	memset(&fake, 0, sizeof(fake));
	fake.sq_entries = fake.rq_entries = 4;
	fake.ctx.vctx.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
	fake.ctx.vctx.context.device = &ibdev;
	fake.ctx.vctx.context.cmd_fd = memfd_create("rings", MFD_CLOEXEC);
}

void fake_close(void)
{
	close(fake.ctx.vctx.context.cmd_fd);
}

static int take_failure(void)
{
	int err = fake.fail_with;

	fake.fail_with = 0;
	return err;
}

/* The kernel's own mapping stays until the program ends. */
static void *new_ring(uint32_t len, __u64 *offset)
{
	long page = sysconf(_SC_PAGESIZE);
	int fd = fake.ctx.vctx.context.cmd_fd;
	void *map;

	*offset = fake.memory_end;
	fake.memory_end += (len + page - 1) & ~(page - 1);
	if (ftruncate(fd, fake.memory_end))
		abort();
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, *offset);
	if (map == MAP_FAILED)
		abort();
	if (fake.fail_map && !--fake.fail_map)
		*offset = 1; /* Not a multiple of the page size. */
	return map;
}

static int create(void)
{
	int err = take_failure();

	fake.live_objects += !err;
	return err;
}

static int destroy(void)
{
	int err = take_failure();

	fake.live_objects -= !err;
	return err;
}

int ibv_cmd_create_cq_ex(struct ibv_context *context,
			 const struct ibv_cq_init_attr_ex *attr,
			 ROX_NEWER_CQ_PARAM
			 struct verbs_cq *cq, struct ibv_create_cq_ex *cmd,
			 size_t cmd_size,
			 struct ib_uverbs_ex_create_cq_resp *resp,
			 size_t resp_size, uint32_t cmd_flags)
{
	struct rox_cmd_create_cq_resp *r = (void *)resp;
	void *map;

	if (resp_size != sizeof(*r) || create())
		return EINVAL;
	fake.cq_stamped = attr->wc_flags & IBV_WC_EX_WITH_COMPLETION_TIMESTAMP;
	for (r->entries = 1; r->entries < attr->cqe;)
		r->entries *= 2;
	r->mmap_len = fake_len(r->entries, sizeof(struct rox_cqe));
	map = new_ring(r->mmap_len, &r->drv_payload.mmap_offset);
	fake_cq_init(&fake.cq, map, r->entries, 0);
	cq->cq.context = context;
	cq->cq.cqe = r->entries;
	return 0;
}

static void move_cqes(struct fake_cq *to, const struct fake_cq *from)
{
	const size_t size = sizeof(struct rox_cqe);
	uint32_t i;

	for (i = from->hdr->cons; i != from->prod; i++)
		memcpy(fake_slot(to->hdr, i & (to->entries - 1), size),
		       fake_slot(from->hdr, i & (from->entries - 1), size), size);
	to->hdr->cons = from->hdr->cons;
	to->hdr->flags = from->hdr->flags;
	to->events = from->events;
	from->hdr->flags = ROX_CQ_DISARMED;
}

int ibv_cmd_resize_cq(struct ibv_cq *cq, int cqe, struct ibv_resize_cq *cmd,
		      size_t cmd_size, struct ib_uverbs_resize_cq_resp *resp,
		      size_t resp_size)
{
	struct rox_cmd_resize_cq_resp *r = (void *)resp;
	struct fake_cq old = fake.cq;
	int err = take_failure();
	void *map;

	if (err)
		return err;
	for (r->entries = 1; r->entries < cqe;)
		r->entries *= 2;
	r->mmap_len = fake_len(r->entries, sizeof(struct rox_cqe));
	map = new_ring(r->mmap_len, &r->drv_payload.mmap_offset);
	fake_cq_init(&fake.cq, map, r->entries, old.prod);
	move_cqes(&fake.cq, &old);
	cq->cqe = r->entries;
	if (fake.on_resized_cq)
		fake.on_resized_cq(cq);
	return 0;
}

int ibv_cmd_req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
	fake.notify_commands++;
	return 0;
}

int ibv_cmd_destroy_cq(struct ibv_cq *cq)
{
	return destroy();
}

static void create_queue(struct fake_wq *wq, uint32_t entries, uint32_t stride,
			 __u64 *offset, uint32_t *len)
{
	if (!entries)
		return;
	*len = fake_len(entries, stride);
	fake_wq_init(wq, new_ring(*len, offset), entries, stride, 0);
}

int ibv_cmd_create_qp_ex(struct ibv_context *context, struct verbs_qp *qp,
			 struct ibv_qp_init_attr_ex *attr,
			 struct ibv_create_qp *cmd, size_t cmd_size,
			 struct ib_uverbs_create_qp_resp *resp,
			 size_t resp_size)
{
	struct rox_create_qp_resp *r =
		&((struct rox_cmd_create_qp_resp *)resp)->drv_payload;

	if (attr->comp_mask != IBV_QP_INIT_ATTR_PD || create())
		return EINVAL;
	fake.user_qp = ((struct rox_cmd_create_qp *)cmd)->user_qp;
	create_queue(&fake.sq, fake.sq_entries, FAKE_SQ_STRIDE,
		     &r->sq_mmap_offset, &r->sq_mmap_len);
	create_queue(&fake.rq, fake.rq_entries, FAKE_RQ_STRIDE,
		     &r->rq_mmap_offset, &r->rq_mmap_len);
	r->sq_entries = fake.sq_entries;
	r->sq_stride = FAKE_SQ_STRIDE;
	r->rq_entries = fake.rq_entries;
	r->rq_stride = FAKE_RQ_STRIDE;
	attr->cap.max_send_sge = attr->cap.max_recv_sge = FAKE_MAX_SGE;
	attr->cap.max_inline_data = FAKE_MAX_INLINE;
	qp->comp_mask = 0;
	qp->qp.context = context;
	qp->qp.qp_num = 17;
	qp->qp.pd = attr->pd;
	qp->qp.send_cq = attr->send_cq;
	qp->qp.recv_cq = attr->recv_cq;
	qp->qp.qp_type = attr->qp_type;
	qp->qp.state = IBV_QPS_RESET;
	return 0;
}

int ibv_cmd_destroy_qp(struct ibv_qp *qp)
{
	int err = destroy();

	if (!err && fake.on_destroyed_qp)
		fake.on_destroyed_qp(qp);
	return err;
}

/* To RESET: what was posted is dropped. */
int ibv_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		      int attr_mask, struct ibv_modify_qp *cmd, size_t cmd_size)
{
	struct fake_wq *wqs[] = { &fake.sq, &fake.rq };
	int i;

	if (!(attr_mask & IBV_QP_STATE) || attr->qp_state != IBV_QPS_RESET)
		return 0;
	for (i = 0; i < 2; i++) {
		wqs[i]->cons = wqs[i]->hdr->prod;
		fake_wq_retire(wqs[i]);
	}
	return 0;
}

int ibv_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		     struct ibv_qp_init_attr *init_attr,
		     struct ibv_query_qp *cmd, size_t cmd_size)
{
	return 0;
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp)
{
	struct verbs_qp *vqp = (struct verbs_qp *)qp;

	return vqp->comp_mask & VERBS_QP_EX ? &vqp->qp_ex : NULL;
}

int execute_ioctl(struct ibv_context *context, struct ibv_command_buffer *cmd)
{
	if (cmd->hdr.object_id == ROX_OBJECT_CONTEXT &&
	    cmd->hdr.method_id == ROX_METHOD_POLL &&
	    cmd->hdr.attrs[0].attr_id == ROX_ATTR_POLL_US) {
		usleep(cmd->hdr.attrs[0].data);
		atomic_fetch_add(&fake.polls, 1);
		return atomic_load(&fake.poll_result);
	}
	if (cmd->hdr.object_id == ROX_OBJECT_CONTEXT &&
	    cmd->hdr.method_id == ROX_METHOD_HELP &&
	    cmd->hdr.attrs[0].attr_id == ROX_ATTR_HELP_NUMBER) {
		fake.helps++;
		fake.help_number = cmd->hdr.attrs[0].data;
		return fake.help_result;
	}
	if (cmd->hdr.object_id != ROX_OBJECT_CONTEXT ||
	    cmd->hdr.method_id != ROX_METHOD_KICK ||
	    cmd->hdr.attrs[0].attr_id != ROX_ATTR_KICK_QPN)
		return EPROTONOSUPPORT;
	fake.kicks++;
	fake.kicked_qpn = cmd->hdr.attrs[0].data;
	return fake.kick_result;
}

int ibv_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		     struct ibv_alloc_pd *cmd, size_t cmd_size,
		     struct ib_uverbs_alloc_pd_resp *resp, size_t resp_size)
{
	pd->context = context;
	return create();
}

int ibv_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return destroy();
}

int ibv_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
		      struct ibv_ah_attr *attr,
		      struct ib_uverbs_create_ah_resp *resp, size_t resp_size)
{
	((struct rox_cmd_create_ah_resp *)resp)->ah_number = 1234;
	ah->context = pd->context;
	return create();
}

int ibv_cmd_destroy_ah(struct ibv_ah *ah)
{
	return destroy();
}

int ibv_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t hca_va, int access, struct verbs_mr *vmr,
		   struct ibv_reg_mr *cmd, size_t cmd_size,
		   struct ib_uverbs_reg_mr_resp *resp, size_t resp_size)
{
	return create();
}

int ibv_cmd_rereg_mr(struct verbs_mr *vmr, uint32_t flags, void *addr,
		     size_t length, uint64_t hca_va, int access,
		     struct ibv_pd *pd, struct ibv_rereg_mr *cmd,
		     size_t cmd_sz, struct ib_uverbs_rereg_mr_resp *resp,
		     size_t resp_sz)
{
	return 0;
}

int ibv_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return destroy();
}

int ibv_cmd_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
			  uint64_t iova, int fd, int access,
			  struct verbs_mr *vmr ROX_NEWER_DMABUF_PARAM)
{
	return create();
}

int ibv_cmd_query_device_any(struct ibv_context *context,
			     const struct ibv_query_device_ex_input *input,
			     struct ibv_device_attr_ex *attr, size_t attr_size,
			     struct ib_uverbs_ex_query_device_resp *resp,
			     size_t *resp_size)
{
	resp->base.fw_ver = 1ULL << 32 | 2 << 16 | 3;
	return 0;
}

int ibv_cmd_query_port(struct ibv_context *context, uint8_t port_num,
		       struct ibv_port_attr *port_attr,
		       struct ibv_query_port *cmd, size_t cmd_size)
{
	return 0;
}

void __verbs_log(struct verbs_context *ctx, uint32_t level, const char *fmt,
		 ...)
{
}
