// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Each mistake ends in the completion status it should, at the right end. */
#include "lib.h"

/* After an error a request posted later is flushed. */
static void broken(struct end *end, const struct end *to)
{
	CHECK_EQ(query_state(end->qp), IBV_QPS_ERR);
	send_op(end, to, IBV_WR_SEND, 0, 10, 0);
	CHECK_STATUS(poll_one(end->cq), IBV_WC_WR_FLUSH_ERR);
}

static void one_fails(struct pair *pair, struct ibv_send_wr *wr,
		      enum ibv_wc_status status)
{
	post(&pair->a, wr);
	CHECK_STATUS(poll_one(pair->a.cq), status);
	broken(&pair->a, &pair->b);
}

static void local_key(enum ibv_wr_opcode opcode, int add_key, int add_offset)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	recv_at(&pair.b, 0, 1000);
	sge = sge_of(&pair.a, 0, 1000);
	wr = wr_of(&pair.a, &pair.b, opcode, &sge);
	sge.lkey += add_key;
	sge.addr += add_offset;
	one_fails(&pair, &wr, IBV_WC_LOC_PROT_ERR);
}

static void bad_lkey_send(void) { local_key(IBV_WR_SEND, 1, 0); }
static void bad_lkey_read(void) { local_key(IBV_WR_RDMA_READ, 1, 0); }
static void lkey_range(void) { local_key(IBV_WR_SEND, 0, 65536 - 999); }
static void lkey_range_before(void) { local_key(IBV_WR_SEND, 0, -1); }

/* Of what cannot be read whole nothing is sent: not what precedes the fault either. */
static void second_lkey(enum ibv_qp_type type, enum ibv_wr_opcode opcode)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge[2];
	struct pair pair;

	open_pair(&pair, type, NULL);
	memset(pair.b.buf, 0x55, pair.b.size);
	recv_at(&pair.b, 0, 1000);
	sge[0] = sge_of(&pair.a, 0, 8);
	sge[1] = sge_of(&pair.a, 100, 8);
	sge[1].lkey++;
	wr = wr_of(&pair.a, &pair.b, opcode, sge);
	wr.num_sge = 2;
	post(&pair.a, &wr);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_LOC_PROT_ERR);
	CHECK_EQ(*(uint64_t *)pair.b.buf, 0x5555555555555555);
}

static void second_lkey_write(void) { second_lkey(IBV_QPT_RC, IBV_WR_RDMA_WRITE); }
static void second_lkey_send(void) { second_lkey(IBV_QPT_RC, IBV_WR_SEND); }
static void second_lkey_write_uc(void) { second_lkey(IBV_QPT_UC, IBV_WR_RDMA_WRITE); }

static void lkey_wraps(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	sge = sge_of(&pair.a, 0, 0x80000000);
	sge.addr = -(uint64_t)4096;
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.remote_addr = (uintptr_t)pair.b.buf;
	one_fails(&pair, &wr, IBV_WC_LOC_PROT_ERR);
}

/* Memory of another protection domain is no memory. */
static void other_pd(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	struct ibv_mr *mr;
	struct ibv_pd *pd;

	open_pair(&pair, IBV_QPT_RC, NULL);
	pd = ibv_alloc_pd(pair.dev.context);
	mr = ibv_reg_mr(pd, pair.b.buf, 4096, ALL_ACCESS);
	CHECK(mr);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.rkey = mr->rkey;
	one_fails(&pair, &wr, IBV_WC_REM_ACCESS_ERR);
}

static void remote(enum ibv_wr_opcode opcode, int access, int qp_access,
		   int add_key, long add_offset)
{
	struct opt opt = { .access = access, .qp_access = qp_access };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	memset(pair.b.buf, 0x55, pair.b.size);
	sge = sge_of(&pair.a, 0, 8);
	wr = wr_of(&pair.a, &pair.b, opcode, &sge);
	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.rkey += add_key;
		wr.wr.atomic.remote_addr += add_offset;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.rkey += add_key;
		wr.wr.rdma.remote_addr += add_offset;
	}
	post(&pair.a, &wr);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_ACCESS_ERR);
	broken(&pair.a, &pair.b);
	CHECK_EQ(*(uint64_t *)pair.b.buf, 0x5555555555555555);
	CHECK_EQ(query_state(pair.b.qp), IBV_QPS_ERR);
}

#define LOCAL IBV_ACCESS_LOCAL_WRITE
static void bad_rkey_write(void) { remote(IBV_WR_RDMA_WRITE, 0, 0, 1, 0); }
static void bad_rkey_read(void) { remote(IBV_WR_RDMA_READ, 0, 0, 1, 0); }
static void bad_rkey_atomic(void)
{
	remote(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 0, 1, 0);
}
static void rkey_range(void) { remote(IBV_WR_RDMA_WRITE, 0, 0, 0, 65529); }
static void rkey_range_before(void) { remote(IBV_WR_RDMA_READ, 0, 0, 0, -1); }
static void rkey_wraps(void)
{
	remote(IBV_WR_RDMA_WRITE, 0, 0, 0, -4 - (long)0x7fffffffffff);
}
static void mr_forbids_write(void)
{
	remote(IBV_WR_RDMA_WRITE, LOCAL | IBV_ACCESS_REMOTE_READ, 0, 0, 0);
}
static void mr_forbids_read(void)
{
	remote(IBV_WR_RDMA_READ, LOCAL | IBV_ACCESS_REMOTE_WRITE, 0, 0, 0);
}
static void mr_forbids_atomic(void)
{
	remote(IBV_WR_ATOMIC_FETCH_AND_ADD,
	       LOCAL | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, 0, 0,
	       0);
}

/* Forbidden by the QP is an invalid request (IBA 9.7.4.1.6), as cards have it;
 * an access error is let pass.
 */
static void qp_forbids(enum ibv_wr_opcode opcode, int qp_access)
{
	struct opt opt = { .qp_access = qp_access };
	enum ibv_wc_status status;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, opcode, 0, 8, IBV_SEND_SIGNALED);
	status = poll_one(pair.a.cq).status;
	if (status != IBV_WC_REM_INV_REQ_ERR && status != IBV_WC_REM_ACCESS_ERR)
		FAIL("status %s", ibv_wc_status_str(status));
	broken(&pair.a, &pair.b);
}

static void qp_forbids_write(void)
{
	qp_forbids(IBV_WR_RDMA_WRITE, LOCAL | IBV_ACCESS_REMOTE_READ);
}
static void qp_forbids_read(void)
{
	qp_forbids(IBV_WR_RDMA_READ, LOCAL | IBV_ACCESS_REMOTE_WRITE);
}
static void qp_forbids_atomic(void)
{
	qp_forbids(IBV_WR_ATOMIC_FETCH_AND_ADD, LOCAL | IBV_ACCESS_REMOTE_WRITE);
}

static void atomic_unaligned(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	sge = sge_of(&pair.a, 0, 8);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
	wr.wr.atomic.remote_addr += 4;
	one_fails(&pair, &wr, IBV_WC_REM_INV_REQ_ERR);
}

/* Of a zero-length request neither key nor address is looked at. */
static void zero_length_bad_rkey(void)
{
	struct ibv_send_wr wr;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, NULL);
	wr.wr.rdma.rkey = 0xdeadbeef;
	wr.wr.rdma.remote_addr = 0;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
	wr.opcode = IBV_WR_RDMA_READ;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
}

static void too_long_for_receive(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	memset(pair.b.buf, 0xee, 20000);
	recv_at(&pair.b, 0, 9999);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 10000, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_INV_REQ_ERR);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_LOC_LEN_ERR);
	CHECK_EQ(pair.b.buf[9999], 0xee);
	broken(&pair.a, &pair.b);
	CHECK_EQ(query_state(pair.b.qp), IBV_QPS_ERR);
}

/* Of the room, what no message can be so long as to need is as good as none. */
static void receive_has_room_for_more_than_a_message(void)
{
	struct ibv_recv_wr *bad, wr = { .num_sge = 2 };
	struct ibv_sge sge[2];
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 2; i++)
		sge[i] = sge_of(&pair.b, 0, 3u << 29);
	wr.sg_list = sge;
	CHECK_EQ(ibv_post_recv(pair.b.qp, &wr, &bad), 0);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_SUCCESS);
	CHECK_EQ(poll_one(pair.b.cq).byte_len, 8);
}

/* The ends do not agree on the path MTU: not a matter of how a message gets there. */
static void other_path_mtu(void)
{
	struct opt opt = { .unconnected = true }, small = { .mtu = IBV_MTU_256 };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.b, &pair.opt);
	join(&pair.b, &pair.a, &small);
	recv_at(&pair.b, 0, 1000);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 1000, 0);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_INV_REQ_ERR);
}

static void receive_bad_lkey(void)
{
	struct ibv_sge sge;
	struct ibv_recv_wr *bad, recv = { .sg_list = &sge, .num_sge = 1 };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	sge = sge_of(&pair.b, 0, 1000);
	sge.lkey++;
	CHECK_EQ(ibv_post_recv(pair.b.qp, &recv, &bad), 0);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 1000, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_LOC_PROT_ERR);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_OP_ERR);
}

/* A bad receive ends the queue pair: what follows it is flushed, also of UC. */
static void receive_bad_lkey_uc(void)
{
	struct ibv_sge sge, from;
	struct ibv_recv_wr *bad, recv = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_send_wr wr[3];
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_UC, NULL);
	sge = sge_of(&pair.b, 0, 1000);
	sge.lkey++;
	CHECK_EQ(ibv_post_recv(pair.b.qp, &recv, &bad), 0);
	recv_at(&pair.b, 1000, 1000);
	recv_at(&pair.b, 2000, 1000);
	from = sge_of(&pair.a, 0, 1000);
	for (i = 0; i < 3; i++) {
		wr[i] = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &from);
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	post(&pair.a, wr);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_LOC_PROT_ERR);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_WR_FLUSH_ERR);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_WR_FLUSH_ERR);
}

/* Memory without local write access cannot receive. */
static void receive_read_only(void)
{
	struct opt opt = { .access = IBV_ACCESS_REMOTE_READ };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	recv_at(&pair.b, 0, 1000);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 1000, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.b.cq), IBV_WC_LOC_PROT_ERR);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_OP_ERR);
}

static void rnr_exceeded(void)
{
	struct opt opt = { .rnr_retry = 2, .min_rnr_timer = 14 }; /* 1.28 ms */
	struct pair pair;
	double start;

	open_pair(&pair, IBV_QPT_RC, &opt);
	start = now();
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_RNR_RETRY_EXC_ERR);
	CHECK(now() - start >= 0.0025);
	broken(&pair.a, &pair.b);
	/* The other end is unharmed. */
	CHECK_EQ(query_state(pair.b.qp), IBV_QPS_RTS);
}

static void rnr_no_retry(void)
{
	struct opt opt = { .rnr_retry = NO_RETRY };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_RNR_RETRY_EXC_ERR);
}

/* A peer without a receive queue never is ready. */
static void rnr_without_receive_queue(void)
{
	struct opt opt = { .recv_wr = NO_RECEIVES, .rnr_retry = 1 };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_RNR_RETRY_EXC_ERR);
}

/* What the peer sends meanwhile uses up none of the waits: 3 of 164 ms. */
static void rnr_spared_by_sends(void)
{
	struct opt opt = { .rnr_retry = 3, .min_rnr_timer = 28 };
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	for (i = 0; i < 20; i++) {
		send_op(&pair.b, &pair.a, IBV_WR_RDMA_WRITE, 0, 100, IBV_SEND_SIGNALED);
		poll_ok(pair.b.cq);
	}
	recv_at(&pair.b, 0, 100);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
}

/* rnr_retry 7 is for ever: the message arrives once there is a receive. */
static void rnr_waits(void)
{
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	fill(pair.a.buf, 30000, 4);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 30000, IBV_SEND_SIGNALED);
	poll_none(pair.a.cq, 0.3);
	recv_at(&pair.b, 0, 30000);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	CHECK(filled(pair.b.buf, 30000, 4));
}

/* Nobody there: within (retry_cnt + 1) times four times the time-out. */
static void retry_exceeded(void)
{
	struct opt opt = { .timeout = 14, .retry = 2, .unconnected = true };
	double took, bound = 3 * 4 * 4.096e-6 * (1 << 14);
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.b, &opt);
	took = now();
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 100, IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_RETRY_EXC_ERR);
	took = now() - took;
	printf("# gave up after %.3f s\n", took);
	bound += 0.5 * patience_factor();
	if (took > bound)
		FAIL("took %.3f s, allowed %.3f", took, bound);
	broken(&pair.a, &pair.b);
}

/* The peer's QP goes away in the middle. */
static void peer_destroyed(void)
{
	struct opt opt = { .timeout = 12, .retry = 2 };
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	ibv_destroy_qp(pair.b.qp);
	for (i = 0; i < 5; i++)
		send_op(&pair.a, &pair.a, IBV_WR_RDMA_WRITE, 0, 100,
			IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_RETRY_EXC_ERR);
	for (i = 0; i < 4; i++)
		CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_WR_FLUSH_ERR);
}

/* What was completed before the mistake stays so, in order. */
static void error_in_the_middle(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 9; i++) {
		sge = sge_of(&pair.a, 0, 3000);
		wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
		wr.wr_id = i;
		if (i == 4)
			wr.wr.rdma.rkey++;
		post(&pair.a, &wr);
	}
	for (i = 0; i < 9; i++) {
		struct ibv_wc wc = poll_one(pair.a.cq);

		CHECK_EQ(wc.wr_id, i);
		CHECK_STATUS(wc, i < 4 ? IBV_WC_SUCCESS :
			     i == 4 ? IBV_WC_REM_ACCESS_ERR :
			     IBV_WC_WR_FLUSH_ERR);
	}
}

/* What failed comes first, then what is flushed because of it. */
static void cause_before_flushed_receives(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 8; i++)
		recv_at(&pair.a, 0, 100);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.rkey++;
	post(&pair.a, &wr);
	CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_ACCESS_ERR);
	for (i = 0; i < 8; i++)
		CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_WR_FLUSH_ERR);
}

/* Many bad keys one after the other, each on a new connection (a completion
 * must come every time).
 */
static void bad_rkey_again_and_again(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 200; i++) {
		sge = sge_of(&pair.a, 0, 100);
		wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
		wr.wr.rdma.rkey++;
		post(&pair.a, &wr);
		CHECK_STATUS(poll_one(pair.a.cq), IBV_WC_REM_ACCESS_ERR);
		CHECK_EQ(modify_state(pair.a.qp, IBV_QPS_RESET), 0);
		CHECK_EQ(modify_state(pair.b.qp, IBV_QPS_RESET), 0);
		join(&pair.a, &pair.b, NULL);
		join(&pair.b, &pair.a, NULL);
	}
}

static void too_many_sges(void)
{
	struct ibv_send_wr *bad, wr;
	struct ibv_sge sge[64];
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 64; i++)
		sge[i] = sge_of(&pair.a, i, 1);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, sge);
	wr.num_sge = 64;
	CHECK(ibv_post_send(pair.a.qp, &wr, &bad) != 0);
	CHECK(bad == &wr);
}

static void queue_full(void)
{
	struct opt opt = { .recv_wr = 8, .unconnected = true };
	struct ibv_recv_wr *bad, recv = {};
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned int i;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.b, &opt);
	CHECK_EQ(ibv_query_qp(pair.a.qp, &attr, IBV_QP_CAP, &init), 0);
	for (i = 0; i < init.cap.max_recv_wr; i++)
		CHECK_EQ(ibv_post_recv(pair.a.qp, &recv, &bad), 0);
	CHECK_EQ(ibv_post_recv(pair.a.qp, &recv, &bad), ENOMEM);
}

static void inline_too_long(void)
{
	struct opt opt = { .inline_data = 64 };
	struct ibv_qp_init_attr init;
	struct ibv_send_wr *bad, wr;
	struct ibv_qp_attr attr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	CHECK_EQ(ibv_query_qp(pair.a.qp, &attr, IBV_QP_CAP, &init), 0);
	sge = sge_of(&pair.a, 0, init.cap.max_inline_data + 1);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	wr.send_flags |= IBV_SEND_INLINE;
	CHECK(ibv_post_send(pair.a.qp, &wr, &bad) != 0);
}

/* A datagram longer than the MTU. */
static void ud_too_long(void)
{
	struct ibv_send_wr *bad, wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_UD, NULL);
	sge = sge_of(&pair.a, 0, 4097);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	if (ibv_post_send(pair.a.qp, &wr, &bad))
		return;
	CHECK(poll_one(pair.a.cq).status != IBV_WC_SUCCESS);
}

/* UC has no answer: a bad key remains unseen, and nothing is written. */
static void uc_bad_rkey(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_UC, NULL);
	memset(pair.b.buf, 0xee, 100);
	fill(pair.a.buf, 100, 0);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	wr.wr.rdma.rkey++;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
	usleep(50000);
	CHECK_EQ(pair.b.buf[50], 0xee);
}

/* A key of memory no longer registered. */
static void deregistered(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge);
	CHECK_EQ(ibv_dereg_mr(pair.b.mr), 0);
	one_fails(&pair, &wr, IBV_WC_REM_ACCESS_ERR);
}

static const struct test tests[] = {
	{ "bad_lkey_send", bad_lkey_send },
	{ "bad_lkey_read", bad_lkey_read },
	{ "second_lkey_write", second_lkey_write },
	{ "second_lkey_send", second_lkey_send },
	{ "second_lkey_write_uc", second_lkey_write_uc },
	{ "lkey_range", lkey_range },
	{ "lkey_range_before", lkey_range_before },
	{ "lkey_wraps", lkey_wraps },
	{ "other_pd", other_pd },
	{ "bad_rkey_write", bad_rkey_write },
	{ "bad_rkey_read", bad_rkey_read },
	{ "bad_rkey_atomic", bad_rkey_atomic },
	{ "rkey_range", rkey_range },
	{ "rkey_range_before", rkey_range_before },
	{ "rkey_wraps", rkey_wraps },
	{ "mr_forbids_write", mr_forbids_write },
	{ "mr_forbids_read", mr_forbids_read },
	{ "mr_forbids_atomic", mr_forbids_atomic },
	{ "qp_forbids_write", qp_forbids_write },
	{ "qp_forbids_read", qp_forbids_read },
	{ "qp_forbids_atomic", qp_forbids_atomic },
	{ "atomic_unaligned", atomic_unaligned },
	{ "zero_length_bad_rkey", zero_length_bad_rkey },
	{ "too_long_for_receive", too_long_for_receive },
	{ "receive_has_room_for_more_than_a_message", receive_has_room_for_more_than_a_message },
	{ "other_path_mtu", other_path_mtu },
	{ "receive_bad_lkey", receive_bad_lkey },
	{ "receive_bad_lkey_uc", receive_bad_lkey_uc },
	{ "receive_read_only", receive_read_only },
	{ "rnr_exceeded", rnr_exceeded },
	{ "rnr_no_retry", rnr_no_retry },
	{ "rnr_without_receive_queue", rnr_without_receive_queue },
	{ "rnr_spared_by_sends", rnr_spared_by_sends },
	{ "rnr_waits", rnr_waits },
	{ "retry_exceeded", retry_exceeded },
	{ "peer_destroyed", peer_destroyed },
	{ "error_in_the_middle", error_in_the_middle },
	{ "cause_before_flushed_receives", cause_before_flushed_receives },
	{ "bad_rkey_again_and_again", bad_rkey_again_and_again, 60 },
	{ "too_many_sges", too_many_sges },
	{ "queue_full", queue_full },
	{ "inline_too_long", inline_too_long },
	{ "ud_too_long", ud_too_long },
	{ "uc_bad_rkey", uc_bad_rkey },
	{ "deregistered", deregistered },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
