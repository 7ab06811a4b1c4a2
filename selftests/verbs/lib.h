/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the verbs tests share: TAP output, and two QPs of one device joined to
 * each other.
 *
 * A test is a function. It runs in a process of its own, so that it may simply
 * end where it fails and nothing it leaves behind matters to the next one.
 */
#ifndef VERBS_LIB_H
#define VERBS_LIB_H

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct test {
	const char *name;
	void (*run)(void);
	unsigned int seconds;	/* until it counts as hung; 0: 20 */
};

/* main() of a test program: [-d DEVICE] [-g GID-INDEX] [NAME-PART]. */
int run_tests(int argc, char **argv, const struct test *tests, int nr);
void parse_device(int argc, char **argv);

void fail(const char *file, int line, const char *format, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
void skip(const char *format, ...)
	__attribute__((noreturn, format(printf, 1, 2)));

#define FAIL(...) fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition) \
	do { \
		if (!(condition)) \
			FAIL("%s, errno %d", #condition, errno); \
	} while (0)
#define CHECK_EQ(got, want) \
	do { \
		long long got_ = (long long)(got), want_ = (long long)(want); \
		if (got_ != want_) \
			FAIL("%s is %lld, not %lld (%s)", #got, got_, want_, \
			     #want); \
	} while (0)
#define CHECK_STATUS(wc, want) \
	do { \
		if ((wc).status != (want)) \
			FAIL("completion status %s, not %s", \
			     ibv_wc_status_str((wc).status), \
			     ibv_wc_status_str(want)); \
	} while (0)

extern const char *device_name;
extern int gid_index;		/* -1: the first RoCE v2 GID of an IPv4 address */

#define QKEY 0x11111111
#define ALL_ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* An opened device. */
struct dev {
	struct ibv_context *context;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
};

/* A QP with its own CQ, channel, and memory. */
struct end {
	struct dev *dev;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	enum ibv_qp_type type;
	struct ibv_mr *mr;
	uint8_t *buf;
	size_t size;
	struct ibv_ah *ah;	/* UD: to the other end */
	uint32_t psn;
};

/* What a test may want otherwise; zero means the default. */
struct opt {
	size_t size;		/* of each buffer: 64 KiB */
	int access;		/* of the memory: ALL_ACCESS */
	int qp_access;		/* ALL_ACCESS */
	int send_wr, recv_wr;	/* 64; recv_wr may be NO_RECEIVES */
	int sge;		/* 4 */
	int inline_data;	/* 0 */
	int cqe;		/* 256 */
	bool signal_all;
	int timeout;		/* 14 */
	int retry;		/* 7 */
	int rnr_retry;		/* 7 */
	int min_rnr_timer;	/* 1 */
	int rd_atomic;		/* 8 */
	enum ibv_mtu mtu;	/* the port's */
	bool unconnected;	/* leave the QPs in RESET */
};

/* For opt.retry and opt.rnr_retry, where 0 means the default. */
#define NO_RETRY (-1)
#define NO_RECEIVES (-1)

struct pair {
	struct dev dev;
	struct opt opt;
	struct end a, b;
};

void open_device(struct dev *dev);
void open_pair(struct pair *pair, enum ibv_qp_type type, const struct opt *opt);
void make_end(struct end *end, struct dev *dev, enum ibv_qp_type type,
	      const struct opt *opt);
/* Attributes for each step, with the mask in *mask. */
struct ibv_qp_attr attr_init(const struct end *end, const struct opt *opt,
			     int *mask);
struct ibv_qp_attr attr_rtr(const struct end *end, const struct end *to,
			    const struct opt *opt, int *mask);
struct ibv_qp_attr attr_rts(const struct end *end, const struct opt *opt,
			    int *mask);
void join(struct end *end, const struct end *to, const struct opt *opt);
int modify_state(struct ibv_qp *qp, enum ibv_qp_state state);
enum ibv_qp_state query_state(struct ibv_qp *qp);

/* Pattern number seed over the buffer, and whether it is there. */
void fill(void *buf, size_t size, unsigned int seed);
bool filled(const void *buf, size_t size, unsigned int seed);

struct ibv_sge sge_of(const struct end *end, size_t offset, size_t length);
/* A send request of one SGE; fill in the rest. UD is addressed to `to`. */
struct ibv_send_wr wr_of(const struct end *end, const struct end *to,
			 enum ibv_wr_opcode opcode, struct ibv_sge *sge);
void post(struct end *end, struct ibv_send_wr *wr);
void send_op(struct end *end, const struct end *to, enum ibv_wr_opcode opcode,
	     size_t offset, size_t length, int flags);
void recv_at(struct end *end, size_t offset, size_t length);

/* One completion within the seconds; poll_none looks for a while that there is
 * none.
 */
struct ibv_wc poll_within(struct ibv_cq *cq, double seconds);
struct ibv_wc poll_one(struct ibv_cq *cq);
struct ibv_wc poll_ok(struct ibv_cq *cq);
void poll_none(struct ibv_cq *cq, double seconds);
/* Whether the channel or the device's asynchronous file becomes readable. */
bool readable(int fd, double seconds);
double now(void);
/* The device's counter, once it is not the value that was cached before. */
long counter(const struct dev *dev, const char *name);
/* How many times longer things may take here than usual: see lib/tap.sh. */
double patience_factor(void);

#endif
