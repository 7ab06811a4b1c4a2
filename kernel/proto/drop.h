/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a packet was not acted on. One list for traces, counters and tests:
 * X(symbol, counter name).
 */
#ifndef ROX_PROTO_DROP_H
#define ROX_PROTO_DROP_H

#define ROX_DROP_REASONS(X)				\
	X(NONE,		"none")				\
	/* bytes */					\
	X(SHORT,	"short")			\
	X(LENGTH,	"length")			\
	X(VERSION,	"version")			\
	X(OPCODE,	"opcode")			\
	X(PAD,		"pad")				\
	X(ICRC,		"icrc")				\
	/* address */					\
	X(NO_QP,	"no_qp")			\
	X(QP_STATE,	"qp_state")			\
	X(SERVICE,	"service")			\
	X(PKEY,		"pkey")				\
	X(QKEY,		"qkey")				\
	X(SOURCE,	"source")			\
	X(NETNS,	"netns")			\
	X(NO_DEVICE,	"no_device")			\
	/* sequence */					\
	X(DUPLICATE,	"duplicate")			\
	X(OUT_OF_ORDER,	"out_of_order")			\
	X(SEQUENCE,	"sequence")			\
	X(STALE,	"stale")			\
	X(GHOST,	"ghost")			\
	/* resources */					\
	X(NO_RECV,	"no_recv")			\
	X(RECV_LENGTH,	"recv_length")			\
	X(ACCESS,	"access")			\
	X(BUSY,		"busy")				\
	X(NO_MEMORY,	"no_memory")			\
	X(ROUTE,	"route")			\
	X(XMIT,		"xmit")				\
	X(UNSUPPORTED,	"unsupported")

enum rox_drop {
#define ROX_DROP_ENUM(sym, name)	ROX_DROP_##sym,
	ROX_DROP_REASONS(ROX_DROP_ENUM)
#undef ROX_DROP_ENUM
	ROX_DROP_NR
};

/**
 * rox_drop_name - the counter name of a drop reason
 * @why: a reason; a value out of range gives "invalid"
 */
const char *rox_drop_name(enum rox_drop why);

#endif
