/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Posting, from the verbs to the bytes in the rings. Built once for every
 * version of rdma-core at hand.
 */
#include <unistd.h>

#include "fixture.h"

static void post_send__send(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED | IBV_SEND_FENCE;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.wr_id, 42);
	EXPECT_EQ(got.sqe.opcode, ROX_WR_SEND);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_SIGNALED | ROX_SQE_SOLICITED |
				 ROX_SQE_FENCE);
	EXPECT_EQ(got.sqe.num_sge, 1);
	EXPECT_EQ(got.sq.sges[0].addr, 0x1000);
	EXPECT_EQ(got.sq.sges[0].length, 8);
	EXPECT_EQ(got.sq.sges[0].lkey, 3);
	EXPECT(!take_send());
	teardown();
}

static void post_send__operands_of_each_operation(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	wr.imm_data = 0x11223344;
	wr.wr.rdma.remote_addr = 0x5000;
	wr.wr.rdma.rkey = 77;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.imm, 0x11223344);
	EXPECT_EQ(got.sqe.remote_addr, 0x5000);
	EXPECT_EQ(got.sqe.rkey, 77);

	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.remote_addr = 0x6000;
	wr.wr.atomic.compare_add = 5;
	wr.wr.atomic.swap = 6;
	wr.wr.atomic.rkey = 78;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.remote_addr, 0x6000);
	EXPECT_EQ(got.sqe.compare_add, 5);
	EXPECT_EQ(got.sqe.swap, 6);
	EXPECT_EQ(got.sqe.rkey, 78);

	wr.opcode = IBV_WR_LOCAL_INV;
	wr.invalidate_rkey = 79;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.imm, 79);
	EXPECT_EQ(got.sqe.num_sge, 0);
	teardown();
}

static void post_send__ud(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_UD, IBV_QPS_RTS);
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = 99;
	wr.wr.ud.remote_qkey = 0x80000001;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.rkey, 1234);
	EXPECT_EQ(got.sqe.compare_add, 99);
	EXPECT_EQ(got.sqe.swap, 0x80000001);
	teardown();
}

static void post_send__inline(void)
{
	char text[] = "hello inline world, longer than allowed if it is sent twice";
	struct ibv_sge sges[2] = {
		{ .addr = (uintptr_t)text, .length = 6 },
		{ .addr = (uintptr_t)text + 13, .length = 5 },
	};
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	wr.sg_list = sges;
	wr.num_sge = 2;
	wr.send_flags = IBV_SEND_INLINE;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.flags, ROX_SQE_INLINE);
	EXPECT_EQ(got.sqe.inline_len, 11);
	EXPECT_EQ(got.sqe.num_sge, 0);
	EXPECT(!memcmp(got.bytes + sizeof(got.sqe), "hello world", 11));

	sges[0].length = sges[1].length = 40;
	EXPECT_EQ(post_one(&wr), EINVAL);
	EXPECT(!take_send());
	wr.opcode = IBV_WR_RDMA_READ;
	wr.num_sge = 1;
	EXPECT_EQ(post_one(&wr), EINVAL);
	teardown();
}

static void post_send__refuses(void)
{
	static const enum ibv_qp_state bad_states[] = {
		IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR
	};
	struct ibv_send_wr wr = send_wr();
	int i;

	setup(IBV_QPT_UC, IBV_QPS_RTS);
	wr.num_sge = 5;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.num_sge = -1;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	wr.send_flags = 1 << 20;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	wr.opcode = IBV_WR_RDMA_READ;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr.opcode = 32 + IBV_WR_SEND;
	EXPECT_EQ(post_one(&wr), EINVAL);
	wr = send_wr();
	for (i = 0; i < 3; i++) {
		qp->state = bad_states[i];
		EXPECT_EQ(post_one(&wr), EINVAL);
	}
	qp->state = IBV_QPS_ERR;
	EXPECT_EQ(post_one(&wr), 0);
	teardown();
}

static void post_send__list_stops_at_the_bad_one(void)
{
	struct ibv_send_wr wrs[3], *bad = NULL;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 3; i++) {
		wrs[i] = send_wr();
		wrs[i].next = i < 2 ? &wrs[i + 1] : NULL;
	}
	wrs[2].num_sge = 100;
	fake_wq_idle(&fake.sq);
	EXPECT_EQ(post(wrs, &bad), EINVAL);
	EXPECT(bad == &wrs[2]);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT(take_send() && take_send());
	EXPECT(!take_send());
	teardown();
}

static void post_send__full(void)
{
	struct ibv_send_wr wr = send_wr();
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(post_one(&wr), ENOMEM);
	EXPECT(take_send());
	EXPECT_EQ(post_one(&wr), 0);
	teardown();
}

static void post_send__kicks_only_when_asked(void)
{
	struct ibv_send_wr wr = send_wr(), next = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(fake.kicks, 0);
	fake_wq_idle(&fake.sq);
	wr.next = &next;
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT_EQ(fake.kicked_qpn, 17);
	teardown();
}

/* Two are posted, a third would have to be kicked. */
static void two_late(void)
{
	struct ibv_send_wr wr = send_wr(), *bad;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	fake.sq.hdr->kick_at = fake.sq.hdr->prod + 3;
	fake.sq.hdr->flags = ROX_RING_NEED_KICK | ROX_RING_KICK_LATE;
	EXPECT_EQ(post(&wr, &bad), 0);
	EXPECT_EQ(post(&wr, &bad), 0);
	EXPECT_EQ(fake.kicks, 0);
}

static void post_send__late_kick(void)
{
	struct ibv_send_wr wr = send_wr(), *bad;
	struct ibv_wc wc;

	two_late();
	EXPECT_EQ(post(&wr, &bad), 0);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT_EQ(fake.kicked_qpn, 17);
	/* None is due any more. */
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
	EXPECT_EQ(fake.kicks, 1);
	teardown();
}

static void poll_cq__makes_up_for_a_late_kick(void)
{
	struct ibv_wc wc;

	two_late();
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
	EXPECT_EQ(fake.kicks, 1);
	EXPECT_EQ(fake.kicked_qpn, 17);
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
	EXPECT_EQ(fake.kicks, 1);
	teardown();
}

static void poll_cq__no_late_kick_of_what_is_gone(void)
{
	struct ibv_wc wc;

	two_late();
	EXPECT_EQ(rox_qp_destroy(qp), 0);
	EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
	EXPECT_EQ(fake.kicks, 0);
	EXPECT_EQ(rox_ah_destroy(ah), 0);
	EXPECT_EQ(rox_cq_destroy(cq), 0);
	EXPECT_EQ(rox_pd_dealloc(pd), 0);
	fake_close();
}

/* Once, whatever becomes of it; not while there are completions to take. */
static void poll_cq__helps_if_asked(void)
{
	struct ibv_wc wc;
	int result;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	for (result = 0; result <= EINVAL; result += EINVAL) {
		fake.help_result = result;
		fake.cq.hdr->help = 0x80000000 + result;
		complete(17, 1);
		EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 1);
		EXPECT_EQ(fake.helps, result ? 1 : 0);
		EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
		EXPECT_EQ(fake.help_number, 0x80000000 + result);
		EXPECT_EQ(fake.cq.hdr->help, 0);
		EXPECT_EQ(rox_cq_poll(cq, 1, &wc), 0);
		EXPECT_EQ(fake.helps, result ? 2 : 1);
	}
	EXPECT_EQ(fake.kicks, 0);
	teardown();
}

static void post_send__error_of_the_kick(void)
{
	struct ibv_send_wr wr = send_wr();

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	fake_wq_idle(&fake.sq);
	fake.kick_result = EPERM;
	EXPECT_EQ(post_one(&wr), EPERM);
	fake.kick_result = EIO;
	EXPECT_EQ(post_one(&wr), EIO);
	teardown();
}

static void post_recv__list(void)
{
	struct ibv_sge sge = { .addr = 0x2000, .length = 16, .lkey = 4 };
	struct ibv_recv_wr wrs[2] = {
		{ .wr_id = 1, .next = &wrs[1], .sg_list = &sge, .num_sge = 1 },
		{ .wr_id = 2 },
	}, *bad = NULL;

	setup(IBV_QPT_RC, IBV_QPS_RESET);
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), EINVAL);
	EXPECT(bad == wrs);
	qp->state = IBV_QPS_INIT;
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), 0);
	EXPECT_EQ(fake.kicks, 0);
	EXPECT(fake_wq_take(&fake.rq, &got));
	EXPECT_EQ(got.rqe.wr_id, 1);
	EXPECT_EQ(got.rqe.num_sge, 1);
	EXPECT_EQ(got.rq.sges[0].addr, 0x2000);
	EXPECT(fake_wq_take(&fake.rq, &got));
	EXPECT_EQ(got.rqe.wr_id, 2);
	EXPECT_EQ(got.rqe.num_sge, 0);
	wrs[1].num_sge = 5;
	fake_wq_idle(&fake.rq);
	EXPECT_EQ(rox_post_recv(qp, wrs, &bad), EINVAL);
	EXPECT(bad == &wrs[1]);
	EXPECT_EQ(fake.kicks, 1);
	teardown();
}

static void wr_builder__one_kick_for_a_batch(void)
{
	struct ibv_sge sges[2] = { { .addr = 1 }, { .addr = 2 } };
	struct ibv_qp_ex *ex;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	fake_wq_idle(&fake.sq);
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write_imm(ex, 5, 0x100, 0xabcd);
	ibv_wr_set_sge_list(ex, 2, sges);
	ex->wr_id = 2;
	ex->wr_flags = 0;
	ibv_wr_send_inv(ex, 55);
	ibv_wr_set_inline_data(ex, "abc", 3);
	ex->wr_id = 3;
	ibv_wr_atomic_fetch_add(ex, 6, 0x200, 9);
	ibv_wr_set_sge(ex, 7, 0x300, 8);
	EXPECT_EQ(fake.sq.hdr->prod, 0);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT_EQ(fake.kicks, 1);

	EXPECT(take_send());
	EXPECT_EQ(got.sqe.opcode, ROX_WR_RDMA_WRITE_WITH_IMM);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_SIGNALED);
	EXPECT_EQ(got.sqe.imm, 0xabcd);
	EXPECT_EQ(got.sqe.rkey, 5);
	EXPECT_EQ(got.sqe.remote_addr, 0x100);
	EXPECT_EQ(got.sqe.num_sge, 2);
	EXPECT_EQ(got.sq.sges[1].addr, 2);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.wr_id, 2);
	EXPECT_EQ(got.sqe.opcode, ROX_WR_SEND_WITH_INV);
	EXPECT_EQ(got.sqe.imm, 55);
	EXPECT_EQ(got.sqe.flags, ROX_SQE_INLINE);
	EXPECT_EQ(got.sqe.inline_len, 3);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.compare_add, 9);
	EXPECT_EQ(got.sq.sges[0].lkey, 7);
	EXPECT(!take_send());
	teardown();
}

static void wr_builder__error_takes_back_the_batch(void)
{
	struct ibv_sge sges[5] = {};
	struct ibv_qp_ex *ex;
	int i;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	for (i = 0; i < 6; i++) {
		ibv_wr_send(ex);
		ibv_wr_set_sge(ex, 1, 2, 3);
	}
	EXPECT_EQ(ibv_wr_complete(ex), ENOMEM);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_set_sge_list(ex, 5, sges);
	ibv_wr_send(ex);
	ibv_wr_set_sge(ex, 1, 2, 3);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_rdma_read(ex, 1, 2);
	ibv_wr_set_inline_data(ex, "abc", 3);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_abort(ex);
	qp->state = IBV_QPS_RTR;
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	EXPECT(!take_send());
	EXPECT_EQ(fake.kicks, 0);
	teardown();
}

static void wr_builder__ud_needs_an_address(void)
{
	struct ibv_qp_ex *ex;

	setup(IBV_QPT_UD, IBV_QPS_RTS);
	ex = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(ex);
	ibv_wr_send_imm(ex, 8);
	ibv_wr_set_ud_addr(ex, ah, 5, 6);
	ibv_wr_set_sge(ex, 1, 2, 3);
	EXPECT_EQ(ibv_wr_complete(ex), 0);
	EXPECT(take_send());
	EXPECT_EQ(got.sqe.rkey, 1234);
	EXPECT_EQ(got.sqe.compare_add, 5);
	EXPECT_EQ(got.sqe.swap, 6);
	EXPECT_EQ(got.sqe.imm, 8);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	ibv_wr_start(ex);
	ibv_wr_send(ex);
	ibv_wr_send(ex);
	ibv_wr_set_ud_addr(ex, ah, 5, 6);
	EXPECT_EQ(ibv_wr_complete(ex), EINVAL);
	EXPECT(!take_send());
	teardown();
}

static void setup_poller(const char *us)
{
	struct ibv_qp_init_attr attr = { .qp_type = IBV_QPT_RC };
	struct fake_wq sq, rq;
	struct ibv_qp *other;

	setup(IBV_QPT_RC, IBV_QPS_RTS);
	sq = fake.sq;
	rq = fake.rq;
	fake.ctx.caps = ROX_CAP_POLL;
	if (us)
		setenv("ROX_POLL_US", us, 1);
	else
		unsetenv("ROX_POLL_US");
	rox_poller_init(context);
	attr.send_cq = attr.recv_cq = cq;
	other = rox_qp_create(pd, &attr);
	EXPECT(other);
	EXPECT_EQ(rox_qp_destroy(other), 0);
	fake.sq = sq;
	fake.rq = rq;
}

static void teardown_poller(void)
{
	rox_poller_fini(context);
	teardown();
}

/* Within seconds. */
static bool polled(unsigned int times)
{
	int ms;

	for (ms = 0; ms < 5000 && atomic_load(&fake.polls) != times; ms++)
		usleep(1000);
	return atomic_load(&fake.polls) == times;
}

static void poller__none_unless_wanted(void)
{
	setup_poller(NULL);
	EXPECT_EQ(fake.ctx.poller.pid, 0);
	teardown_poller();
	setup_poller("1000");
	EXPECT_EQ(fake.ctx.poller.pid, getpid());
	teardown_poller();
}

static void poller__sleeps_until_kicked(void)
{
	struct ibv_send_wr wr = send_wr();

	setup_poller("1000");
	fake_wq_idle(&fake.sq);
	EXPECT(polled(1));
	while (!atomic_load(&fake.ctx.poller.asleep))
		usleep(1000);
	EXPECT_EQ(atomic_load(&fake.polls), 1);
	EXPECT_EQ(post_one(&wr), 0);
	EXPECT(polled(2));
	teardown_poller();
}

static void poller__goes_on_after_a_signal(void)
{
	setup_poller("1000");
	atomic_store(&fake.poll_result, EINTR);
	while (atomic_load(&fake.polls) < 3)
		usleep(1000);
	atomic_store(&fake.poll_result, 0);
	teardown_poller();
}

static void poller__ends_when_refused(void)
{
	struct ibv_send_wr wr = send_wr();

	setup_poller("1000");
	atomic_store(&fake.poll_result, EPERM);
	fake_wq_idle(&fake.sq);
	EXPECT_EQ(post_one(&wr), 0);
	usleep(20000);
	EXPECT(atomic_load(&fake.polls) <= 2);
	teardown_poller();
}

static const struct tap_case cases[] = {
	TAP_CASE(post_send__send),
	TAP_CASE(post_send__operands_of_each_operation),
	TAP_CASE(post_send__ud),
	TAP_CASE(post_send__inline),
	TAP_CASE(post_send__refuses),
	TAP_CASE(post_send__list_stops_at_the_bad_one),
	TAP_CASE(post_send__full),
	TAP_CASE(post_send__kicks_only_when_asked),
	TAP_CASE(post_send__late_kick),
	TAP_CASE(poll_cq__makes_up_for_a_late_kick),
	TAP_CASE(poll_cq__no_late_kick_of_what_is_gone),
	TAP_CASE(poll_cq__helps_if_asked),
	TAP_CASE(post_send__error_of_the_kick),
	TAP_CASE(poller__none_unless_wanted),
	TAP_CASE(poller__sleeps_until_kicked),
	TAP_CASE(poller__goes_on_after_a_signal),
	TAP_CASE(poller__ends_when_refused),
	TAP_CASE(post_recv__list),
	TAP_CASE(wr_builder__one_kick_for_a_batch),
	TAP_CASE(wr_builder__error_takes_back_the_batch),
	TAP_CASE(wr_builder__ud_needs_an_address),
};

TAP_MAIN(cases)
