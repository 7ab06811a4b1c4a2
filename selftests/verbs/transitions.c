// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Each of the 49 pairs of QP states, for each type of QP: whether one leads to
 * the other, which attributes that needs and which it takes (IBA 10.3.1 and
 * 11.2.5.2, as the kernel's ib_modify_qp_is_ok() reads them), and what becomes
 * of requests that were posted before.
 *
 * One QP goes through all of it, a; its peer b is always ready to send. After
 * each step both start again, and a message shows that nothing is left.
 */
#include <stddef.h>

#include "lib.h"

enum { RC, UC, UD, NR_TYPES };
#define NR_STATES (IBV_QPS_ERR + 1)

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
static const char *const type_names[] = { "RC", "UC", "UD" };
static const char *const state_names[] = {
	"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR",
};

struct step {
	bool exists;
	int needs[NR_TYPES];	/* all of these */
	int takes[NR_TYPES];	/* any of those */
};

#define PORT	(IBV_QP_PKEY_INDEX | IBV_QP_PORT)
#define PEER	(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN)
#define SENDER	(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
		 IBV_QP_MAX_QP_RD_ATOMIC)
#define MOVE	(IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define AT_WORK	(IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | MOVE)

#define TO_RTS { AT_WORK | IBV_QP_MIN_RNR_TIMER, AT_WORK, \
		 IBV_QP_CUR_STATE | IBV_QP_QKEY }
#define WAYS_OUT [IBV_QPS_RESET] = { true }, [IBV_QPS_ERR] = { true }

static const struct step steps[NR_STATES][NR_STATES] = {
	[IBV_QPS_RESET] = {
		[IBV_QPS_RESET] = { true },
		[IBV_QPS_INIT] = { true, { PORT | IBV_QP_ACCESS_FLAGS,
					   PORT | IBV_QP_ACCESS_FLAGS,
					   PORT | IBV_QP_QKEY } },
	},
	[IBV_QPS_INIT] = {
		WAYS_OUT,
		[IBV_QPS_INIT] = { true, {}, { PORT | IBV_QP_ACCESS_FLAGS,
					       PORT | IBV_QP_ACCESS_FLAGS,
					       PORT | IBV_QP_QKEY } },
		[IBV_QPS_RTR] = { true,
			{ PEER | IBV_QP_MAX_DEST_RD_ATOMIC |
			  IBV_QP_MIN_RNR_TIMER, PEER, 0 },
			{ IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_PKEY_INDEX,
			  IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_PKEY_INDEX,
			  IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	},
	[IBV_QPS_RTR] = {
		WAYS_OUT,
		[IBV_QPS_RTS] = { true, { IBV_QP_SQ_PSN | SENDER,
					  IBV_QP_SQ_PSN, IBV_QP_SQ_PSN },
				  TO_RTS },
	},
	[IBV_QPS_RTS] = {
		WAYS_OUT,
		[IBV_QPS_RTS] = { true, {}, TO_RTS },
		[IBV_QPS_SQD] = { true, {}, { IBV_QP_EN_SQD_ASYNC_NOTIFY,
					      IBV_QP_EN_SQD_ASYNC_NOTIFY,
					      IBV_QP_EN_SQD_ASYNC_NOTIFY } },
	},
	[IBV_QPS_SQD] = {
		WAYS_OUT,
		[IBV_QPS_RTS] = { true, {}, TO_RTS },
		[IBV_QPS_SQD] = { true, {},
			{ PORT | IBV_QP_AV | SENDER | MOVE |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_MIN_RNR_TIMER,
			  IBV_QP_AV | MOVE | IBV_QP_ACCESS_FLAGS |
			  IBV_QP_PKEY_INDEX,
			  IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	},
	[IBV_QPS_SQE] = {	/* RC never gets there */
		WAYS_OUT,
		[IBV_QPS_RTS] = { true, {}, {
			0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS,
			IBV_QP_CUR_STATE | IBV_QP_QKEY } },
	},
	[IBV_QPS_ERR] = { WAYS_OUT },
};

/* What modifying must return; SOME_ERROR: the device or the kernel cannot. */
#define SOME_ERROR (-1)

static int expected(int type, int from, int to, int mask)
{
	const struct step *step;
	int attrs = mask & ~IBV_QP_STATE;

	if (!(mask & IBV_QP_STATE))
		to = from;
	step = &steps[from][to];
	/* RoCE has no alternate paths, which the core says by itself. */
	if (mask & IBV_QP_ALT_PATH)
		return SOME_ERROR;
	if (!step->exists || (attrs & step->needs[type]) != step->needs[type] ||
	    attrs & ~(step->needs[type] | step->takes[type]))
		return EINVAL;
	/* Uverbs adds the port, which UC may not change. */
	if (type == UC && to == IBV_QPS_SQD && mask & IBV_QP_AV)
		return SOME_ERROR;
	return 0;
}

struct sample {
	struct pair pair;
	int type;
	int owed;		/* completions of what a has posted */
	int bad;
	unsigned int seed;
};

/* Values for all attributes; others than the defaults where that is harmless. */
static struct ibv_qp_attr attrs_for(struct sample *s, int from, int to)
{
	struct end *a = &s->pair.a;
	struct ibv_qp_attr attr;
	int mask;

	attr = attr_rtr(a, &s->pair.b, NULL, &mask);
	attr.qp_state = to;
	attr.cur_qp_state = from;
	attr.port_num = 1;
	attr.qkey = QKEY + 1;
	attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
	attr.min_rnr_timer = 9;
	attr.sq_psn = a->psn;
	attr.timeout = 13;
	attr.retry_cnt = 5;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 4;
	attr.en_sqd_async_notify = 1;
	attr.path_mig_state = IBV_MIG_MIGRATED;
	attr.alt_ah_attr = attr.ah_attr;
	attr.alt_port_num = 1;
	return attr;
}

static void send_some(struct sample *s)
{
	int i;

	for (i = 0; i < 4; i++, s->owed++)
		send_op(&s->pair.a, &s->pair.b, IBV_WR_SEND, 0, 1000,
			IBV_SEND_SIGNALED);
}

static void receive_some(struct sample *s)
{
	int i;

	for (i = 0; i < 4; i++, s->owed++)
		recv_at(&s->pair.a, 0, 2000);
}

/* A send that fails here stops the send queue. */
static void into_sqe(struct sample *s)
{
	struct end *a = &s->pair.a;
	struct ibv_sge sge = sge_of(a, 0, 1000);
	struct ibv_send_wr wr = wr_of(a, &s->pair.b, IBV_WR_SEND, &sge);
	struct ibv_wc wc;
	double end = now() + 10 * patience_factor();

	sge.lkey++;
	post(a, &wr);
	for (s->owed++; ; s->owed--) {
		wc = poll_one(a->cq);
		if (wc.status != IBV_WC_SUCCESS)
			break;
	}
	s->owed--;
	CHECK_STATUS(wc, IBV_WC_LOC_PROT_ERR);
	while (query_state(a->qp) != IBV_QPS_SQE)
		CHECK(now() < end);
}

/* From RESET to the state, with work left to do if busy. */
static void bring(struct sample *s, int state, bool busy)
{
	struct end *a = &s->pair.a;
	struct ibv_qp_attr attr;
	int mask;

	s->owed = 0;
	if (state == IBV_QPS_RESET)
		return;
	attr = attr_init(a, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(a->qp, &attr, mask), 0);
	if (busy)
		receive_some(s);
	if (state == IBV_QPS_INIT)
		return;
	attr = attr_rtr(a, &s->pair.b, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(a->qp, &attr, mask), 0);
	if (state == IBV_QPS_RTR)
		return;
	attr = attr_rts(a, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(a->qp, &attr, mask), 0);
	if (busy)
		send_some(s);	/* RC: nobody receives them, so they go on */
	if (state == IBV_QPS_RTS)
		return;
	if (state == IBV_QPS_SQE)
		into_sqe(s);
	else
		CHECK_EQ(modify_state(a->qp, state), 0);
	if (busy)
		send_some(s);
}

/* Everything posted comes back once; in RESET it is forgotten. */
static void settle(struct sample *s, const char *what)
{
	struct end *a = &s->pair.a;
	struct ibv_wc wc;

	if (query_state(a->qp) != IBV_QPS_RESET) {
		CHECK_EQ(modify_state(a->qp, IBV_QPS_ERR), 0);
		while (s->owed--) {
			wc = poll_one(a->cq);
			if (wc.status != IBV_WC_SUCCESS &&
			    wc.status != IBV_WC_WR_FLUSH_ERR)
				FAIL("%s: then %s", what,
				     ibv_wc_status_str(wc.status));
		}
	}
	usleep(2000);
	if (ibv_poll_cq(a->cq, 1, &wc))
		FAIL("%s: more than was posted, or after RESET", what);
}

static void restart(struct end *end, const struct end *to)
{
	struct ibv_qp_attr attr;
	int mask;

	attr = attr_init(end, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
	attr = attr_rtr(end, to, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
	attr = attr_rts(end, NULL, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
}

/* Leaves a in RESET and b in RTS. */
static void works_again(struct sample *s)
{
	struct end *a = &s->pair.a, *b = &s->pair.b;
	size_t at = s->type == UD ? 40 : 0;

	CHECK_EQ(modify_state(a->qp, IBV_QPS_RESET), 0);
	CHECK_EQ(modify_state(b->qp, IBV_QPS_RESET), 0);
	/* Nothing that is still under way may pass for something new. */
	a->psn = random() & 0xffffff;
	b->psn = random() & 0xffffff;
	restart(a, b);
	restart(b, a);
	recv_at(b, 0, 2000);
	fill(a->buf, 1000, ++s->seed);
	send_op(a, b, IBV_WR_SEND, 0, 1000, IBV_SEND_SIGNALED);
	poll_ok(a->cq);
	CHECK_EQ(poll_ok(b->cq).byte_len, 1000 + at);
	CHECK(filled(b->buf + at, 1000, s->seed));
	CHECK_EQ(modify_state(a->qp, IBV_QPS_RESET), 0);
}

static struct ibv_qp_attr told(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	memset(&attr, 0, sizeof(attr));
	CHECK_EQ(ibv_query_qp(qp, &attr, (IBV_QP_DEST_QPN << 1) - 1, &init), 0);
	attr.sq_draining = 0;	/* changes by itself */
	return attr;
}

/* Whether the QP has the attributes of the mask. */
static bool has(struct ibv_qp *qp, const struct ibv_qp_attr *want, int mask)
{
	struct ibv_qp_attr attr = told(qp);
	bool same = true;

#define HAS(bit, field) \
	do { \
		if (mask & IBV_QP_##bit && attr.field != want->field) { \
			printf("# %s is %d\n", #field, (int)attr.field); \
			same = false; \
		} \
	} while (0)
	HAS(STATE, qp_state);
	HAS(ACCESS_FLAGS, qp_access_flags);
	HAS(PKEY_INDEX, pkey_index);
	HAS(PORT, port_num);
	HAS(QKEY, qkey);
	HAS(AV, ah_attr.grh.sgid_index);
	HAS(PATH_MTU, path_mtu);
	HAS(TIMEOUT, timeout);
	HAS(RETRY_CNT, retry_cnt);
	HAS(RNR_RETRY, rnr_retry);
	HAS(RQ_PSN, rq_psn);
	HAS(MAX_QP_RD_ATOMIC, max_rd_atomic);
	HAS(MIN_RNR_TIMER, min_rnr_timer);
	HAS(SQ_PSN, sq_psn);
	HAS(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic);
	HAS(PATH_MIG_STATE, path_mig_state);
	HAS(DEST_QPN, dest_qp_num);
#undef HAS
	return same;
}

/* One modification; what is refused must have changed nothing. */
static void modify(struct sample *s, int from, struct ibv_qp_attr attr,
		   int mask, int want, const char *what)
{
	struct ibv_qp *qp = s->pair.a.qp;
	struct ibv_qp_attr before = told(qp), after;
	int got = ibv_modify_qp(qp, &attr, mask);

	if (want == SOME_ERROR ? !got : got != want) {
		printf("# %s with %#x: %d, not %d\n", what, mask, got, want);
		s->bad++;
	}
	if (!got) {
		if (!(mask & IBV_QP_STATE))
			attr.qp_state = from;
		if (!has(qp, &attr, mask | IBV_QP_STATE)) {
			printf("# after %s with %#x\n", what, mask);
			s->bad++;
		}
		return;
	}
	after = told(qp);
	/* What was posted goes on meanwhile. */
	before.sq_psn = after.sq_psn;
	before.rq_psn = after.rq_psn;
	if (memcmp(&before, &after, sizeof(before))) {
		printf("# %s with %#x, refused: state %s, others changed\n",
		       what, mask, state_names[after.qp_state]);
		s->bad++;
	}
}

static void open_sample(struct sample *s, int type)
{
	memset(s, 0, sizeof(*s));
	s->type = type;
	open_pair(&s->pair, types[type], NULL);
	works_again(s);
}

/* What the target needs on its usual way. */
static int usual(int type, int to)
{
	return IBV_QP_STATE |
	       (to == IBV_QPS_INIT ? steps[IBV_QPS_RESET][to].needs[type] :
		to == IBV_QPS_RTR ? steps[IBV_QPS_INIT][to].needs[type] :
		to == IBV_QPS_RTS ? steps[IBV_QPS_RTR][to].needs[type] : 0);
}

static void try_step(struct sample *s, int from, int to, bool busy)
{
	int mask = IBV_QP_STATE | steps[from][to].needs[s->type];
	struct ibv_qp_attr attr;
	char what[64];

	snprintf(what, sizeof(what), "%s %s to %s%s", type_names[s->type],
		 state_names[from], state_names[to], busy ? ", busy," : "");
	bring(s, from, busy);
	attr = attrs_for(s, from, to);
	modify(s, from, attr, mask, expected(s->type, from, to, mask), what);
	if (!steps[from][to].exists && usual(s->type, to) != mask)
		modify(s, from, attr, usual(s->type, to), EINVAL, what);
	settle(s, what);
	works_again(s);
}

static void all_pairs(int type, bool busy)
{
	struct sample s;
	int from, to;

	open_sample(&s, type);
	for (from = 0; from < NR_STATES; from++) {
		if (type == RC && from == IBV_QPS_SQE)
			continue;
		for (to = 0; to < NR_STATES; to++)
			try_step(&s, from, to, busy);
	}
	CHECK_EQ(s.bad, 0);
}

static void try_bit(struct sample *s, int from, int to, int bit)
{
	int mask = (IBV_QP_STATE | steps[from][to].needs[s->type]) ^ bit;
	int want = expected(s->type, from, to, mask);
	struct ibv_qp_attr attr;
	char what[64];

	snprintf(what, sizeof(what), "%s %s to %s, bit %#x", type_names[s->type],
		 state_names[from], state_names[to], bit);
	bring(s, from, false);
	attr = attrs_for(s, from, to);
	if (bit == IBV_QP_CUR_STATE && !want) {
		attr.cur_qp_state = from == IBV_QPS_RTS ? IBV_QPS_SQD :
							  IBV_QPS_RTS;
		modify(s, from, attr, mask, EINVAL, "another current state");
		attr.cur_qp_state = from;
	}
	modify(s, from, attr, mask, want, what);
	CHECK_EQ(modify_state(s->pair.a.qp, IBV_QPS_RESET), 0);
}

/* One attribute less than each step needs, and one more. */
static void each_bit(int type)
{
	struct sample s;
	int from, to, bit;

	open_sample(&s, type);
	for (from = 0; from < NR_STATES; from++) {
		if (type == RC && from == IBV_QPS_SQE)
			continue;
		for (to = 0; to < NR_STATES; to++) {
			if (!steps[from][to].exists)
				continue;
			for (bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1)
				try_bit(&s, from, to, bit);
			works_again(&s);
		}
	}
	CHECK_EQ(s.bad, 0);
}

static void idle_rc(void) { all_pairs(RC, false); }
static void idle_uc(void) { all_pairs(UC, false); }
static void idle_ud(void) { all_pairs(UD, false); }
static void busy_rc(void) { all_pairs(RC, true); }
static void busy_uc(void) { all_pairs(UC, true); }
static void busy_ud(void) { all_pairs(UD, true); }
static void each_bit_rc(void) { each_bit(RC); }
static void each_bit_uc(void) { each_bit(UC); }
static void each_bit_ud(void) { each_bit(UD); }

static const struct test tests[] = {
	{ "idle_rc", idle_rc, 60 },
	{ "idle_uc", idle_uc, 60 },
	{ "idle_ud", idle_ud, 60 },
	{ "busy_rc", busy_rc, 60 },
	{ "busy_uc", busy_uc, 60 },
	{ "busy_ud", busy_ud, 60 },
	{ "each_bit_rc", each_bit_rc, 60 },
	{ "each_bit_uc", each_bit_uc, 60 },
	{ "each_bit_ud", each_bit_ud, 60 },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
