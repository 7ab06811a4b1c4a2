/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Tracepoints, in the order of a message's way: kick, wqe, send, recv, complete
 * or respond, cqe; and drop and timeout, where it ends early.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rox

#if !defined(ROX_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ROX_TRACE_H

#include <linux/tracepoint.h>
#include <rdma/rox-abi.h>

#include "proto/drop.h"
#include "proto/pkt.h"
#include "proto/requester.h"
#include "qp.h"

TRACE_EVENT(rox_kick,
	    TP_PROTO(const struct rox_qp *qp),
	    TP_ARGS(qp),
	    TP_STRUCT__entry(__field(u32, qpn)
			     __field(u32, state)),
	    TP_fast_assign(__entry->qpn = qp->qpn;
			   __entry->state = READ_ONCE(qp->state);),
	    TP_printk("qpn=%u state=%u", __entry->qpn, __entry->state)
);

TRACE_EVENT(rox_wqe,
	    TP_PROTO(const struct rox_qp *qp, const struct rox_wr *wr, u8 status),
	    TP_ARGS(qp, wr, status),
	    TP_STRUCT__entry(__field(u32, qpn)
			     __field(u64, wr_id)
			     __field(u32, length)
			     __field(u8, opcode)
			     __field(u8, flags)
			     __field(u8, num_sge)
			     __field(u8, status)),
	    TP_fast_assign(__entry->qpn = qp->qpn;
			   __entry->wr_id = wr->wr_id;
			   __entry->length = wr->length;
			   __entry->opcode = wr->opcode;
			   __entry->flags = wr->flags;
			   __entry->num_sge = wr->num_sge;
			   __entry->status = status;),
	    TP_printk("qpn=%u wr_id=%#llx opcode=%u flags=%#x length=%u num_sge=%u status=%u",
		      __entry->qpn, __entry->wr_id, __entry->opcode, __entry->flags,
		      __entry->length, __entry->num_sge, __entry->status)
);

DECLARE_EVENT_CLASS(rox_pkt,
		    TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
		    TP_ARGS(qp, pkt),
		    TP_STRUCT__entry(__field(u32, qpn)
				     __field(u32, dqpn)
				     __field(u32, psn)
				     __field(u32, msn)
				     __field(u32, payload)
				     __field(u8, opcode)
				     __field(u8, syndrome)
				     __field(bool, ackreq)),
		    TP_fast_assign(__entry->qpn = qp->qpn;
				   __entry->dqpn = pkt->dqpn;
				   __entry->psn = pkt->psn;
				   __entry->msn = pkt->msn;
				   __entry->payload = pkt->payload_bytes;
				   __entry->opcode = pkt->opcode;
				   __entry->syndrome = pkt->syndrome;
				   __entry->ackreq = pkt->ackreq;),
		    TP_printk("qpn=%u dqpn=%u %s psn=%u ackreq=%d payload=%u syndrome=%#x msn=%u",
			      __entry->qpn, __entry->dqpn, rox_opcodes[__entry->opcode].name,
			      __entry->psn, __entry->ackreq, __entry->payload,
			      __entry->syndrome, __entry->msn)
);

/* A request leaves. */
DEFINE_EVENT(rox_pkt, rox_send,
	     TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
	     TP_ARGS(qp, pkt)
);

/* A packet found its QP. */
DEFINE_EVENT(rox_pkt, rox_recv,
	     TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
	     TP_ARGS(qp, pkt)
);

/* The owner of the receive side takes a request. */
DEFINE_EVENT(rox_pkt, rox_respond,
	     TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
	     TP_ARGS(qp, pkt)
);

/* A reply leaves: ACK, NAK (by its syndrome), READ or atomic response. */
DEFINE_EVENT(rox_pkt, rox_reply,
	     TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
	     TP_ARGS(qp, pkt)
);

/* The owner of the send side takes a reply. */
DEFINE_EVENT(rox_pkt, rox_complete,
	     TP_PROTO(const struct rox_qp *qp, const struct rox_pkt *pkt),
	     TP_ARGS(qp, pkt)
);

TRACE_EVENT(rox_timeout,
	    TP_PROTO(const struct rox_qp *qp),
	    TP_ARGS(qp),
	    TP_STRUCT__entry(__field(u32, qpn)
			     __field(u32, una)
			     __field(u32, psn)),
	    TP_fast_assign(__entry->qpn = qp->qpn;
			   __entry->una = qp->sq.req.una;
			   __entry->psn = qp->sq.req.psn;),
	    TP_printk("qpn=%u una=%u psn=%u", __entry->qpn, __entry->una,
		      __entry->psn)
);

TRACE_EVENT(rox_cqe,
	    TP_PROTO(const struct rox_cqe *cqe),
	    TP_ARGS(cqe),
	    TP_STRUCT__entry(__field(u64, wr_id)
			     __field(u32, qpn)
			     __field(u32, bytes)
			     __field(u8, opcode)
			     __field(u8, status)),
	    TP_fast_assign(__entry->wr_id = cqe->wr_id;
			   __entry->qpn = cqe->qp_num;
			   __entry->bytes = cqe->byte_len;
			   __entry->opcode = cqe->opcode;
			   __entry->status = cqe->status;),
	    TP_printk("qpn=%u wr_id=%#llx opcode=%u status=%u bytes=%u",
		      __entry->qpn, __entry->wr_id, __entry->opcode,
		      __entry->status, __entry->bytes)
);

TRACE_EVENT(rox_drop,
	    TP_PROTO(u32 qpn, u32 why),
	    TP_ARGS(qpn, why),
	    TP_STRUCT__entry(__field(u32, qpn)
			     __field(u32, why)),
	    TP_fast_assign(__entry->qpn = qpn;
			   __entry->why = why;),
	    TP_printk("qpn=%u why=%s", __entry->qpn, rox_drop_name(__entry->why))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
