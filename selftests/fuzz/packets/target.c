// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <sys/mman.h>

#include "target.h"

static const struct target kinds[] = {
	{ "rc", IBV_QPT_RC, IBV_QPS_RTS },
	{ "uc", IBV_QPT_UC, IBV_QPS_RTS },
	{ "ud", IBV_QPT_UD, IBV_QPS_RTS },
	{ "rc6", IBV_QPT_RC, IBV_QPS_RTS, true },
	{ "uc6", IBV_QPT_UC, IBV_QPS_RTS, true },
	{ "rc-rtr", IBV_QPT_RC, IBV_QPS_RTR },
	{ "rc-init", IBV_QPT_RC, IBV_QPS_INIT },
	{ "rc-reset", IBV_QPT_RC, IBV_QPS_RESET },
	{ "rc-err", IBV_QPT_RC, IBV_QPS_ERR },
	{ "rc-sqd", IBV_QPT_RC, IBV_QPS_SQD },
	{ "ud-init", IBV_QPT_UD, IBV_QPS_INIT },
	{ "uc-init", IBV_QPT_UC, IBV_QPS_INIT },
	{ "uc-sqe", IBV_QPT_UC, IBV_QPS_SQE },
	{ "ud-sqe", IBV_QPT_UD, IBV_QPS_SQE },
	{ "uc-err", IBV_QPT_UC, IBV_QPS_ERR },
	{ "ud-err", IBV_QPT_UD, IBV_QPS_ERR },
};

static void *memory_of(size_t bytes, uint8_t fill)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	memset(memory, fill, bytes);
	return memory;
}

static struct ibv_ah_attr peer_attr(const struct targets *ts, bool ipv6)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.dgid = ipv6 ? ts->peer6 : ts->peer,
			.sgid_index = ipv6 ? ts->gid_index6 : ts->dev.gid_index,
			.hop_limit = 64,
		},
	};
}

static bool is_dead(const struct target *t)
{
	return query_state(t->qp) == IBV_QPS_ERR;
}

/* Whether it got there: a packet that is still under way may kill it between. */
static bool step(struct targets *ts, struct target *t, enum ibv_qp_state state)
{
	struct opt opt = { .mtu = IBV_MTU_1024, .timeout = 14, .min_rnr_timer = 12 };
	struct end end = {
		.dev = &ts->dev, .type = t->type, .qp = t->qp, .psn = 100,
	};
	struct ibv_qp_attr attr = { .qp_state = state };
	int err, mask = IBV_QP_STATE;

	if (state == IBV_QPS_INIT) {
		attr = attr_init(&end, &opt, &mask);
	} else if (state == IBV_QPS_RTR) {
		attr = attr_rtr(&end, &end, &opt, &mask);
		attr.ah_attr = peer_attr(ts, t->ipv6);
		attr.dest_qp_num = PEER_QPN;
		attr.rq_psn = 200;
	} else if (state == IBV_QPS_RTS) {
		attr = attr_rts(&end, &opt, &mask);
		/* It never gives up. */
		attr.timeout = 0;
	}
	err = ibv_modify_qp(t->qp, &attr, mask);
	if (err == EINVAL && is_dead(t))
		return false;
	CHECK_EQ(err, 0);
	return true;
}

/* Nobody can ask for it: a send that may not read what it names leads there. */
static bool fail_a_send(struct targets *ts, struct target *t)
{
	struct ibv_sge sge = { .addr = (uintptr_t)t->memory, .length = 8, .lkey = 0 };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	double end = now() + 20;

	if (t->type == IBV_QPT_UD) {
		wr.wr.ud.ah = ts->ah;
		wr.wr.ud.remote_qpn = PEER_QPN;
	}
	CHECK_EQ(ibv_post_send(t->qp, &wr, &bad), 0);
	while (query_state(t->qp) != IBV_QPS_SQE) {
		if (is_dead(t))
			return false;
		if (now() > end)
			FAIL("%s does not get into SQE", t->name);
	}
	return true;
}

/* By way of RESET. */
static bool try_to_bring_up(struct targets *ts, struct target *t)
{
	enum ibv_qp_state state;

	if (!step(ts, t, IBV_QPS_RESET))
		return false;
	for (state = IBV_QPS_INIT; state <= IBV_QPS_RTS && state <= t->state; state++)
		if (!step(ts, t, state))
			return false;
	if (t->state == IBV_QPS_SQE)
		return fail_a_send(ts, t);
	return t->state <= IBV_QPS_RTS || step(ts, t, t->state);
}

static void bring_up(struct targets *ts, struct target *t)
{
	double end = now() + 20;

	while (!try_to_bring_up(ts, t))
		if (now() > end)
			FAIL("%s is always killed before it is in its state", t->name);
}

static void make(struct targets *ts, struct target *t)
{
	struct ibv_qp_init_attr init = {
		.qp_type = t->type,
		.send_cq = ts->cq,
		.recv_cq = ts->cq,
		.sq_sig_all = 1,	/* or nothing would be free again */
		.cap = { .max_send_wr = 64, .max_recv_wr = 256,
			 .max_send_sge = 4, .max_recv_sge = 4 },
	};

	t->memory = memory_of(TARGET_BYTES, GUARD);
	memset(t->memory + WINDOW_AT, 0, WINDOW_BYTES);
	t->mr = ibv_reg_mr(ts->dev.pd, t->memory + WINDOW_AT, WINDOW_BYTES, ALL_ACCESS);
	CHECK(t->mr);
	t->qp = ibv_create_qp(ts->dev.pd, &init);
	CHECK(t->qp);
	bring_up(ts, t);
}

/* Of an address that is not of one link only. */
static int index_of_ipv6(const struct dev *dev)
{
	struct ibv_gid_entry entries[64];
	ssize_t i, nr;

	nr = ibv_query_gid_table(dev->context, entries, ARRAY_SIZE(entries), 0);
	for (i = 0; i < nr; i++)
		if (entries[i].gid_type == IBV_GID_TYPE_ROCE_V2 &&
		    entries[i].gid.raw[0] == 0xfd)
			return entries[i].gid_index;
	FAIL("no GID of an IPv6 address");
}

void targets_open(struct targets *ts, const char *peer, const char *peer6)
{
	struct ibv_ah_attr attr;
	unsigned int i;

	open_device(&ts->dev);
	ts->peer.raw[10] = 0xff;
	ts->peer.raw[11] = 0xff;
	CHECK_EQ(inet_pton(AF_INET, peer, ts->peer.raw + 12), 1);
	CHECK_EQ(inet_pton(AF_INET6, peer6, ts->peer6.raw), 1);
	ts->gid_index6 = index_of_ipv6(&ts->dev);
	ts->cq = ibv_create_cq(ts->dev.context, 65536, NULL, NULL, 0);
	CHECK(ts->cq);
	attr = peer_attr(ts, false);
	ts->ah = ibv_create_ah(ts->dev.pd, &attr);
	attr = peer_attr(ts, true);
	ts->ah6 = ibv_create_ah(ts->dev.pd, &attr);
	CHECK(ts->ah && ts->ah6);
	ts->secret = memory_of(SECRET_BYTES, SECRET);
	ts->secret_mr = ibv_reg_mr(ts->dev.pd, ts->secret, SECRET_BYTES,
				   IBV_ACCESS_LOCAL_WRITE);
	CHECK(ts->secret_mr);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ts->all[i] = kinds[i];
		make(ts, &ts->all[i]);
	}
	ts->nr = i;
}

struct target *target_named(struct targets *ts, const char *name)
{
	unsigned int i;

	for (i = 0; i < ts->nr; i++)
		if (!strcmp(ts->all[i].name, name))
			return &ts->all[i];
	FAIL("no target %s", name);
}

void target_look(struct targets *ts, struct target *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(ibv_query_qp(t->qp, &attr, IBV_QP_STATE, &init), 0);
	if (attr.qp_state != t->state) {
		bring_up(ts, t);
		target_feed(ts, t);
		ts->revived++;
		CHECK_EQ(ibv_query_qp(t->qp, &attr, IBV_QP_STATE, &init), 0);
	}
	t->epsn = attr.rq_psn;
	t->psn = attr.sq_psn;
}

static void feed_receives(struct target *t)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)t->memory + WINDOW_AT,
		.length = 5000,
		.lkey = t->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	int i;

	for (i = 0; i < 64; i++) {
		sge.addr = (uintptr_t)t->memory + WINDOW_AT + i * 200;
		if (ibv_post_recv(t->qp, &wr, &bad))
			break;
	}
}

static void feed_sends(struct targets *ts, struct target *t)
{
	static const enum ibv_wr_opcode opcodes[] = {
		IBV_WR_RDMA_READ, IBV_WR_SEND, IBV_WR_ATOMIC_FETCH_AND_ADD,
		IBV_WR_RDMA_WRITE,
	};
	struct ibv_sge sge = {
		.addr = (uintptr_t)t->memory + WINDOW_AT,
		.length = 3000,
		.lkey = t->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };
	int i;

	for (i = 0; i < 8; i++) {
		wr.opcode = t->type == IBV_QPT_RC ? opcodes[i % 4] : IBV_WR_SEND;
		sge.length = wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? 8 : 3000;
		if (t->type == IBV_QPT_UD) {
			wr.wr.ud.ah = i % 2 ? ts->ah6 : ts->ah;
			wr.wr.ud.remote_qpn = PEER_QPN;
			sge.length = 500;
		}
		if (ibv_post_send(t->qp, &wr, &bad))
			break;
	}
}

void target_feed(struct targets *ts, struct target *t)
{
	struct ibv_wc wc[32];

	while (ibv_poll_cq(ts->cq, 32, wc) > 0)
		;
	if (t->state == IBV_QPS_RESET)
		return;
	feed_receives(t);
	if (t->state == IBV_QPS_RTS)
		feed_sends(ts, t);
}

static bool all_are(const uint8_t *bytes, size_t nr, uint8_t want)
{
	while (nr--)
		if (*bytes++ != want)
			return false;
	return true;
}

const char *targets_check(const struct targets *ts)
{
	const size_t end = WINDOW_AT + WINDOW_BYTES;
	unsigned int i;

	if (!all_are(ts->secret, SECRET_BYTES, SECRET))
		return "memory without remote rights was written";
	for (i = 0; i < ts->nr; i++) {
		if (!all_are(ts->all[i].memory, WINDOW_AT, GUARD))
			return "memory before the window was written";
		if (!all_are(ts->all[i].memory + end, TARGET_BYTES - end, GUARD))
			return "memory behind the window was written";
	}
	return NULL;
}
