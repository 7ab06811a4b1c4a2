/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Linux-OpenIB */
/*
 * The whole contract between the rox kernel module and its rdma-core provider.
 *
 * Rings
 * -----
 * A send queue, a receive queue and a completion queue is one mapping each: a
 * struct rox_ring_hdr, then, at ROX_RING_DATA, a power of two of fixed-size
 * entries. Indices are free-running __u32; entry i lives in slot
 * i & (entries - 1). The producer alone writes prod, the consumer alone writes
 * cons, and flags has one setter, named below. They are 128 bytes apart: a
 * cache line and the one an adjacent-line prefetcher would drag along.
 *
 * The kernel keeps private copies of its own indices and never reads them back
 * from here. A user program that scribbles on a ring harms its own queue only.
 *
 * cons says what the kernel is done with. The provider takes a slot again only when it
 * has polled the completion of it, or of a later one of its queue: free_to of struct
 * rox_cqe. So who fills its queues cannot overrun a completion queue of their size,
 * whenever it polls. The kernel does not rely on that.
 *
 * When a QP goes to RESET the kernel moves cons up to prod, so that what was
 * posted is forgotten; indices go on from where they are. In the error state
 * the receive queue's NEED_KICK is set too, so that receives posted then are
 * flushed; in every other state posting a receive needs no kick.
 *
 * Ordering
 * --------
 *   send, receive queue (user produces)      kernel consumes
 *
 *     write entry                              LOAD.acquire prod        (B)
 *     STORE.release prod               (A)     copy entry, once
 *     full fence                       (C)     work, retire
 *     LOAD flags                               STORE.release cons       (E)
 *     NEED_KICK set? kick              (D)     before going idle:
 *                                                STORE flags |= NEED_KICK
 *                                                full fence             (C')
 *                                                LOAD prod; moved? go on (D')
 *
 *   completion queue (kernel produces)       user consumes
 *
 *     write entry but its seq                  LOAD.acquire cqe.seq     (G)
 *     STORE.release cqe.seq            (F)     read entry
 *     full fence                       (H)     STORE.release cons       (I)
 *     LOAD arm (flags); fire if armed  (J)
 *                                              to arm: STORE flags = mode
 *                                                      full fence        (H')
 *                                                      poll once more    (J')
 *
 * (A)/(B): an entry is seen whole once its index is. (C)/(C'): either the user
 * sees NEED_KICK or the kernel sees the new prod, so no post is left lying.
 * While a poller watches the queue (ROX_METHOD_POLL), or a worker follows it, NEED_KICK
 * stays clear and they load prod again and again; before they leave, (C') and (D').
 * With KICK_LATE a timer of the kernel's does so, for what is posted before kick_at. The
 * kernel stores kick_at before flags; who sees an older one kicks too early, or as late
 * as that timer, which harms nothing.
 * A completion queue's help is stored by the kernel, and set to 0 by whoever acts on it.
 * It is asked for where no event is, and who arms polls once more after that, so nobody
 * waits for an event that depends on help. If none comes, a timer does without.
 * (E): the producer may overwrite a slot only after reading cons past it with
 * acquire. (F)/(G): the sequence number makes the rest of the completion
 * visible. (H)/(H'): either the kernel sees the arm word or the user's last
 * poll sees the completion, so no event is lost.
 */
#ifndef ROX_ABI_H
#define ROX_ABI_H

#include <linux/types.h>

/* Matched over netlink and in every ioctl header; outside the in-tree enum. */
#define ROX_DRIVER_ID			0x00726f78

/* Never raised: both sides grow by capability bits. */
#define ROX_ABI_VERSION			1

/* Ring memory. */
#define ROX_RING_DATA			512

#define ROX_RING_NEED_KICK		(1U << 0)
/* With it: not before prod has come to kick_at. */
#define ROX_RING_KICK_LATE		(1U << 1)

/* Values of a completion queue's flags word. */
#define ROX_CQ_DISARMED			0
#define ROX_CQ_ARM_SOLICITED		1
#define ROX_CQ_ARM_NEXT			2

struct rox_ring_hdr {
	__u32 prod;
	__u32 pad_prod[31];
	__u32 cons;
	__u32 pad_cons[31];
	__u32 flags;
	__u32 kick_at;
	__u32 help;
	__u32 pad_flags[29];
	__u32 reserved[32];
};

/*
 * Work requests. Values are part of the ABI and equal enum ib_uverbs_wr_opcode
 * where that has the operation.
 */
enum rox_wr_opcode {
	ROX_WR_RDMA_WRITE = 0,
	ROX_WR_RDMA_WRITE_WITH_IMM = 1,
	ROX_WR_SEND = 2,
	ROX_WR_SEND_WITH_IMM = 3,
	ROX_WR_RDMA_READ = 4,
	ROX_WR_ATOMIC_CMP_AND_SWP = 5,
	ROX_WR_ATOMIC_FETCH_AND_ADD = 6,
	ROX_WR_LOCAL_INV = 7,
	ROX_WR_BIND_MW = 8,
	ROX_WR_SEND_WITH_INV = 9,
	/* Kernel users only; refused from a user's ring. */
	ROX_WR_REG_MR = 32,
};

/* rox_sqe.flags */
#define ROX_SQE_SIGNALED		(1U << 0)
#define ROX_SQE_SOLICITED		(1U << 1)
#define ROX_SQE_FENCE			(1U << 2)
#define ROX_SQE_INLINE			(1U << 3)
#define ROX_SQE_FLAGS			0x0f

struct rox_sge {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/*
 * Send queue entry: this head, then num_sge rox_sge, or inline_len bytes when
 * ROX_SQE_INLINE is set. The slot size is the queue's stride.
 *
 *   imm          immediate data in wire order; for SEND_WITH_INV and LOCAL_INV
 *                the key in host order
 *   rkey         RDMA and atomics: remote key. UD: the address handle's number
 *   remote_addr  RDMA and atomics
 *   compare_add  CAS: compare, FETCH_ADD: add. UD: remote QPN
 *   swap         CAS: swap. UD: remote Q_Key
 */
struct rox_sqe {
	__aligned_u64 wr_id;
	__u8 opcode;
	__u8 flags;
	__u8 num_sge;
	__u8 reserved;
	__u32 inline_len;
	__u32 imm;
	__u32 rkey;
	__aligned_u64 remote_addr;
	__aligned_u64 compare_add;
	__aligned_u64 swap;
};

/* Receive queue entry: this head, then num_sge rox_sge. */
struct rox_rqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
};

/* rox_cqe.flags equal enum ib_uverbs_wc flags as libibverbs has them. */
#define ROX_CQE_GRH			(1U << 0)
#define ROX_CQE_WITH_IMM		(1U << 1)
#define ROX_CQE_WITH_INV		(1U << 3)

/*
 * Completion, one cache line. status and opcode hold enum ib_wc_status and
 * enum ib_wc_opcode (equal to libibverbs' values). The entry with free-running
 * index i is valid once seq == i + 1. timestamp_ns is CLOCK_MONOTONIC, and set only in a
 * queue created with the timestamp flag.
 *
 *   qp           user_qp of rox_create_qp_req. In kernel consumers' queues, which are
 *                never mapped, their struct ib_qp
 *   kernel_vlan  a VLAN's number plus 1, in kernel consumers' queues; else 0
 *   free_to      the index after the one of this request: with it, all before are done.
 *                Of the receive queue if opcode has ROX_CQE_OPCODE_RECV, else of the send
 *                queue
 */
#define ROX_CQE_OPCODE_RECV		(1U << 7)

struct rox_cqe {
	__aligned_u64 wr_id;
	__u32 qp_num;
	__u32 src_qp;
	__u32 byte_len;
	__u32 imm;
	__u32 vendor_err;
	__u8 status;
	__u8 opcode;
	__u8 flags;
	__u8 sl;
	__aligned_u64 timestamp_ns;
	__aligned_u64 qp;
	__u16 pkey_index;
	__u16 kernel_vlan;
	__u16 reserved[2];
	__u32 free_to;
	__u32 seq;
};

/* Capability bits both sides exchange when a context is opened. */
#define ROX_CAP_BASE			(1ULL << 0)
#define ROX_CAP_POLL			(1ULL << 1)	/* ROX_METHOD_POLL */
#define ROX_CAP_HELP			(1ULL << 2)	/* ROX_METHOD_HELP */

struct rox_alloc_ucontext_req {
	__aligned_u64 caps;
	__aligned_u64 reserved;
};

struct rox_alloc_ucontext_resp {
	__aligned_u64 caps;
	__u32 max_inline;
	__u32 max_sge;
	__aligned_u64 reserved;
};

struct rox_create_cq_req {
	__aligned_u64 flags;
};

/* Of resize_cq too, which has no room for a request. */
struct rox_create_cq_resp {
	__aligned_u64 mmap_offset;
	__u32 mmap_len;
	__u32 entries;
};

/* user_qp is the program's, and comes back in each completion. */
struct rox_create_qp_req {
	__aligned_u64 flags;
	__aligned_u64 user_qp;
};

struct rox_create_qp_resp {
	__aligned_u64 sq_mmap_offset;
	__aligned_u64 rq_mmap_offset;
	__u32 sq_mmap_len;
	__u32 rq_mmap_len;
	__u32 sq_entries;
	__u32 sq_stride;
	__u32 rq_entries;
	__u32 rq_stride;
};

/* libibverbs has no room for a request with this verb. */
struct rox_create_ah_resp {
	__u32 ah_number;
	__u32 reserved;
};

/*
 * Driver-namespace ioctl. KICK runs the queue of one QP of the calling context
 * in the caller. ROX_ATTR_KICK_QPN, a __u32 passed by value, is its number; 0
 * stands for every QP of the context that has unseen work. QP numbers are
 * handed out in a circle, so that a number is not reused while completions of
 * its last owner may still lie in a queue.
 *
 * POLL lends the calling thread: it runs the send queues of the context that were
 * kicked since, which need no kick until it returns. It returns 0 when nothing was
 * posted for ROX_ATTR_POLL_US microseconds, a __u32 by value, or for as long as
 * the link's setting poll_us, if that is less; EINTR for a signal; EBUSY if there
 * is another; EPERM where the setting is 0; EIO when the device goes away.
 *
 * HELP is called by who polled a completion queue in vain and found in its ring's help
 * what is not 0: packets of one of its QPs wait, and the caller sees to them.
 * ROX_ATTR_HELP_NUMBER is what was found, a __u32 by value. It returns 0, too, if somebody
 * else was there before; EINVAL if no QP of the context is meant, or none any more.
 *
 * The numbers are 1 << UVERBS_ID_NS_SHIFT and up.
 */
#define ROX_ID_NS			0x1000

enum rox_object_id {
	ROX_OBJECT_CONTEXT = ROX_ID_NS,
};

enum rox_context_method_id {
	ROX_METHOD_KICK = ROX_ID_NS,
	ROX_METHOD_POLL,
	ROX_METHOD_HELP,
};

enum rox_kick_attr_id {
	ROX_ATTR_KICK_QPN = ROX_ID_NS,
};

enum rox_poll_attr_id {
	ROX_ATTR_POLL_US = ROX_ID_NS,
};

enum rox_help_attr_id {
	ROX_ATTR_HELP_NUMBER = ROX_ID_NS,
};

#endif
