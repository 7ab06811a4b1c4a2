/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Per-CPU hardware counters of a device: one list, X(symbol, name). Shown by
 * "rdma statistic" and in sysfs hw_counters. Drop reasons follow, one each,
 * named drop_<reason>.
 */
#ifndef ROX_STATS_H
#define ROX_STATS_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "proto/drop.h"

#define ROX_COUNTERS(X)				\
	X(SENT_PKTS,	"sent_pkts")		\
	X(SENT_BYTES,	"sent_bytes")		\
	X(RCVD_PKTS,	"rcvd_pkts")		\
	X(RCVD_BYTES,	"rcvd_bytes")		\
	X(RCVD_SUPER,	"rcvd_super_pkts")	\
	X(RCVD_EARLY,	"rcvd_early_pkts")	\
	X(ACKS_SENT,	"acks_sent")		\
	X(DUPLICATES,	"duplicate_request")	\
	X(OUT_OF_SEQ,	"out_of_sequence")	\
	X(RNR_SENT,	"rnr_nak_sent")		\
	X(RNR_RCVD,	"rnr_nak_rcvd")		\
	X(NAK_SENT,	"nak_sent")		\
	X(SEQ_NAK_RCVD,	"packet_seq_err")	\
	X(RETRANSMITS,	"retransmits")		\
	X(TIMEOUTS,	"local_ack_timeout_err")\
	X(STALE_ACKS,	"stale_acks")		\
	X(SEND_ERRORS,	"send_err")		\
	X(BACKOFFS,	"xmit_backoff")		\
	X(CNP_RCVD,	"rp_cnp_handled")	\
	X(DIRECT_MSGS,	"direct_msgs")		\
	X(DIRECT_BYTES,	"direct_bytes")		\
	X(KICKS,	"kicks")		\
	X(WORKER_RUNS,	"worker_runs")		\
	X(HELPS,	"helps")		\
	X(HELPS_MISSED,	"helps_missed")		\
	X(CQ_OVERRUNS,	"cq_overruns")

enum rox_counter {
#define ROX_COUNTER_ENUM(sym, name)	ROX_CNT_##sym,
	ROX_COUNTERS(ROX_COUNTER_ENUM)
#undef ROX_COUNTER_ENUM
	ROX_CNT_DROP,
	ROX_CNT_NR = ROX_CNT_DROP + ROX_DROP_NR
};

struct rox_stats {
	u64 count[ROX_CNT_NR];
};

struct ib_device;
struct rdma_hw_stats;

struct rdma_hw_stats *rox_alloc_hw_stats(struct ib_device *ib, u32 port);
int rox_get_hw_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port,
		     int index);

#endif
