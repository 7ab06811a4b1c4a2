// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.
 *
 * Letters are those of the ordering table in rox-abi.h. A kernel user's queue
 * is the same ring; it is not mapped by anybody, and its consumer is in here.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <rdma/uverbs_ioctl.h>

#include "cq.h"
#include "device.h"
#include "proto/status.h"
#include "ucontext.h"
#include "udata.h"

/* Entries hold the core's values, in both directions without conversion. */
#define SAME_STATUS(name) \
	static_assert((int)ROX_WC_##name == (int)IB_WC_##name)
SAME_STATUS(SUCCESS);
SAME_STATUS(LOC_LEN_ERR);
SAME_STATUS(LOC_QP_OP_ERR);
SAME_STATUS(LOC_PROT_ERR);
SAME_STATUS(WR_FLUSH_ERR);
SAME_STATUS(MW_BIND_ERR);
SAME_STATUS(BAD_RESP_ERR);
SAME_STATUS(LOC_ACCESS_ERR);
SAME_STATUS(REM_INV_REQ_ERR);
SAME_STATUS(REM_ACCESS_ERR);
SAME_STATUS(REM_OP_ERR);
SAME_STATUS(RETRY_EXC_ERR);
SAME_STATUS(RNR_RETRY_EXC_ERR);
SAME_STATUS(FATAL_ERR);
SAME_STATUS(GENERAL_ERR);

static_assert(IB_WC_RECV == ROX_CQE_OPCODE_RECV && IB_WC_RECV_RDMA_WITH_IMM <= U8_MAX &&
	      IB_WC_REG_MR <= U8_MAX);
static_assert(sizeof(struct rox_cqe) == 64);
static_assert(offsetofend(struct rox_cqe, seq) == sizeof(struct rox_cqe));
static_assert(offsetof(struct rox_ring_hdr, cons) == 128 &&
	      offsetof(struct rox_ring_hdr, flags) == 256 &&
	      sizeof(struct rox_ring_hdr) == ROX_RING_DATA);

#define FLAGS_KNOWN	IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION

/**
 * rox_cq_make_ring - a ring for a queue, and what its user is told of it
 * @ring:    zeroed
 * @uctx:    the program's context, or NULL for a kernel user
 * @entries: at least 1
 * @udata:   the verb's, or NULL for a kernel user
 *
 * Context: process, may sleep. Return: 0, -EINVAL, -ENOMEM, -EFAULT; no ring then.
 */
int rox_cq_make_ring(struct rox_ring *ring, struct rox_ucontext *uctx, u32 entries,
		     struct ib_udata *udata)
{
	struct rox_create_cq_resp resp = {};
	int err;

	err = rox_ring_create(ring, uctx, entries, sizeof(struct rox_cqe));
	if (err || !udata)
		return err;

	resp.mmap_offset = rox_ring_mmap_offset(ring);
	resp.mmap_len = rox_ring_mmap_bytes(ring);
	resp.entries = ring->entries;
	err = rox_udata_out(udata, &resp, sizeof(resp));
	if (err)
		rox_ring_destroy(ring);
	return err;
}

static int create_ring(struct rox_cq *cq, u32 entries, struct ib_udata *udata)
{
	int err;

	if (udata) {
		err = rox_udata_no_flags(udata);
		if (err)
			return err;
		cq->user = rdma_udata_to_drv_context(udata, struct rox_ucontext, ib);
	}
	return rox_cq_make_ring(&cq->ring, cq->user, entries, udata);
}

/**
 * rox_cq_create - what the create_cq verb is made of
 * @ibcq:  zeroed by the core, which set device and handlers
 * @attr:  entries, comp_vector, flags
 * @udata: NULL for kernel users
 *
 * Context: process, may sleep.
 * Return: 0, -EOPNOTSUPP (flags), -EINVAL (limits), -ENOMEM, -EFAULT.
 */
int rox_cq_create(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		  struct ib_udata *udata)
{
	struct rox_device *dev = to_rox_dev(ibcq->device);
	struct rox_cq *cq = to_rox_cq(ibcq);
	int err = -ENOMEM;

	if (attr->flags & ~FLAGS_KNOWN)
		return -EOPNOTSUPP;
	if (attr->cqe < 1 || attr->cqe > ROX_MAX_CQE ||
	    attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;

	if (atomic_inc_return(&dev->nr_cqs) <= ROX_MAX_CQ)
		err = create_ring(cq, attr->cqe, udata);
	if (err) {
		atomic_dec(&dev->nr_cqs);
		return err;
	}
	spin_lock_init(&cq->lock);
	rox_help_init(cq);
	cq->timestamps = attr->flags & IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION;
	ibcq->cqe = cq->ring.entries;
	return 0;
}

/**
 * rox_destroy_cq - verb; no QP uses the queue any more
 * @ibcq:  the queue
 * @udata: unused
 *
 * Context: process, may sleep. Return: 0.
 */
int rox_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	rox_help_stop(to_rox_cq(ibcq));
	rox_ring_destroy(&to_rox_cq(ibcq)->ring);
	atomic_dec(&to_rox_dev(ibcq->device)->nr_cqs);
	return 0;
}

static bool put_cqe(struct rox_cq *cq, const struct rox_cqe *cqe)
{
	struct rox_cqe *slot = rox_ring_slot(&cq->ring, cq->ring.pos);
	u32 room = rox_ring_reserve(&cq->ring, cq->ring.pos);

	if (cq->overrun || !room)
		return false;
	if (room == cq->ring.entries)
		WRITE_ONCE(cq->drains, cq->drains + 1);
	memcpy(slot, cqe, offsetof(struct rox_cqe, seq));
	cq->ring.pos++;
	smp_store_release(&slot->seq, cq->ring.pos);		/* (F) */
	return true;
}

/* Is somebody to be woken? Then nobody waits any more. */
static bool disarm(struct rox_cq *cq, bool solicited)
{
	u32 arm;

	smp_mb();						/* (H) */
	arm = READ_ONCE(cq->ring.hdr->flags);			/* (J) */
	if (arm != ROX_CQ_ARM_NEXT &&
	    !(arm == ROX_CQ_ARM_SOLICITED && solicited))
		return false;
	/*
	 * An arm stored since (J) is lost by this, but not the wake-up it asked
	 * for: that is still to come.
	 */
	WRITE_ONCE(cq->ring.hdr->flags, ROX_CQ_DISARMED);
	return true;
}

static void raise_overrun(struct rox_cq *cq)
{
	struct ib_event event = {
		.device = cq->ib.device,
		.element.cq = &cq->ib,
		.event = IB_EVENT_CQ_ERR,
	};

	rox_count(to_rox_dev(cq->ib.device), ROX_CNT_CQ_OVERRUNS, 1);
	if (cq->ib.event_handler)
		cq->ib.event_handler(&event, cq->ib.cq_context);
}

/**
 * rox_cq_post - add a completion and wake whoever waits
 * @cq:        the queue
 * @cqe:       all but seq and timestamp filled in
 * @solicited: fires ROX_CQ_ARM_SOLICITED too; so does a status not success
 *
 * Calls the completion handler with no lock held. On overrun: the CQ is dead,
 * IB_EVENT_CQ_ERR is raised once, completions are lost.
 *
 * Context: any with no CQ lock held; a QP of the queue is kept from being
 * destroyed. Return: false if lost.
 */
bool rox_cq_post(struct rox_cq *cq, struct rox_cqe *cqe, bool solicited)
{
	bool fire = false, overrun = false;
	unsigned long flags;
	bool ok;

	if (cq->timestamps)
		cqe->timestamp_ns = ktime_get_ns();
	if (cq->user)
		cqe->kernel_vlan = 0;

	spin_lock_irqsave(&cq->lock, flags);
	ok = put_cqe(cq, cqe);
	if (ok) {
		fire = disarm(cq, solicited || cqe->status != ROX_WC_SUCCESS);
	} else {
		overrun = !cq->overrun;
		cq->overrun = true;
	}
	spin_unlock_irqrestore(&cq->lock, flags);

	if (fire && cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	if (overrun)
		raise_overrun(cq);
	return ok;
}

static int wc_flags(const struct rox_cqe *cqe)
{
	return (cqe->flags & ROX_CQE_GRH ? IB_WC_GRH : 0) |
	       (cqe->flags & ROX_CQE_WITH_IMM ? IB_WC_WITH_IMM : 0) |
	       (cqe->flags & ROX_CQE_WITH_INV ? IB_WC_WITH_INVALIDATE : 0) |
	       (cqe->kernel_vlan ? IB_WC_WITH_VLAN : 0);
}

static void fill_wc(struct ib_wc *wc, const struct rox_cqe *cqe)
{
	*wc = (struct ib_wc) {
		.wr_id = cqe->wr_id,
		.status = cqe->status,
		.opcode = cqe->opcode,
		.vendor_err = cqe->vendor_err,
		.byte_len = cqe->byte_len,
		.qp = (struct ib_qp *)(uintptr_t)cqe->qp,
		.src_qp = cqe->src_qp,
		.wc_flags = wc_flags(cqe),
		.pkey_index = cqe->pkey_index,
		.sl = cqe->sl,
		.port_num = 1,
	};
	if (cqe->kernel_vlan)
		wc->vlan_id = cqe->kernel_vlan - 1;
	if (cqe->flags & ROX_CQE_WITH_INV)
		wc->ex.invalidate_rkey = cqe->imm;
	else
		wc->ex.imm_data = (__force __be32)cqe->imm;
}

/* The oldest completion a kernel user has not polled, or NULL. */
static const struct rox_cqe *next_cqe(const struct rox_cq *cq)
{
	const struct rox_cqe *cqe = rox_ring_slot(&cq->ring, cq->cons);

	return cqe->seq == cq->cons + 1 ? cqe : NULL;
}

/**
 * rox_poll_cq - verb: kernel users take completions
 * @ibcq: the queue
 * @num:  at most that many
 * @wc:   room for them
 *
 * Context: any. Return: how many, or -EINVAL for a program's queue.
 */
int rox_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct rox_cq *cq = to_rox_cq(ibcq);
	const struct rox_cqe *cqe;
	unsigned long flags;
	int n;

	if (cq->user)
		return -EINVAL;
	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num; n++) {
		cqe = next_cqe(cq);
		if (!cqe)
			break;
		fill_wc(&wc[n], cqe);
		cq->cons++;
	}
	if (n)
		rox_ring_release(&cq->ring, cq->cons);		/* (I) */
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

/* A program that arms by a command looked at a ring that was replaced. */
static bool has_more(const struct rox_cq *cq)
{
	return cq->user && cq->ring.pos != READ_ONCE(cq->ring.hdr->cons);
}

/**
 * rox_req_notify_cq - verb: arm the queue
 * @ibcq:  the queue
 * @flags: IB_CQ_SOLICITED or IB_CQ_NEXT_COMP, IB_CQ_REPORT_MISSED_EVENTS
 *
 * Programs normally store the arm word themselves; who calls this instead is woken
 * at once if there are completions. Context: any.
 * Return: 0; 1 if there are completions now and @flags asks for that.
 */
int rox_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	bool next = (flags & IB_CQ_SOLICITED_MASK) == IB_CQ_NEXT_COMP;
	struct rox_cq *cq = to_rox_cq(ibcq);
	unsigned long irq_flags;
	int missed = 0;
	bool fire;
	u32 *arm;

	/* Under the producers' lock, which stands in for the two fences. */
	spin_lock_irqsave(&cq->lock, irq_flags);
	arm = &cq->ring.hdr->flags;
	if (next)
		WRITE_ONCE(*arm, ROX_CQ_ARM_NEXT);
	else if (READ_ONCE(*arm) != ROX_CQ_ARM_NEXT)
		WRITE_ONCE(*arm, ROX_CQ_ARM_SOLICITED);
	if (flags & IB_CQ_REPORT_MISSED_EVENTS && !cq->user)
		missed = next_cqe(cq) ? 1 : 0;
	fire = has_more(cq) && disarm(cq, true);
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	if (fire && cq->ib.comp_handler)
		cq->ib.comp_handler(&cq->ib, cq->ib.cq_context);
	return missed;
}
