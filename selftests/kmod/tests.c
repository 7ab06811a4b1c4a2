// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#define pr_fmt(fmt) "rox_kverbs_test: " fmt

#include <linux/scatterlist.h>
#include <linux/slab.h>

#include "ends.h"
#include "tests.h"

#define TRY(expression) \
	do { \
		int try_ = (expression); \
		if (try_) { \
			pr_info("# line %d: %s: %d\n", __LINE__, #expression, \
				try_); \
			return try_; \
		} \
	} while (0)
#define CHECK(condition) TRY((condition) ? 0 : -EIO)

static int send_once(struct kv_pair *pair, u32 length, u8 seed)
{
	u32 grh = pair->a.type == IB_QPT_UD ? 40 : 0;

	kv_fill(pair->a.buf, length, seed);
	memset(pair->b.buf, 0xee, length + grh + 1);
	TRY(kv_post_recv(&pair->b, length + grh));
	TRY(kv_send(&pair->a, &pair->b, 0, length));
	TRY(kv_expect(&pair->b, IB_WC_SUCCESS));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	CHECK(kv_filled(pair->b.buf + grh, length, seed));
	CHECK(pair->b.buf[length + grh] == 0xee);
	return 0;
}

static int send(struct kv_pair *pair)
{
	static const u32 lengths[] = { 1, 33, 1023, 1024 };
	int i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++)
		TRY(send_once(pair, lengths[i], i));
	if (pair->a.type == IB_QPT_RC)
		TRY(send_once(pair, KV_BUF_BYTES - 100, 9));
	return 0;
}

/* Many rounds, so that the queues wrap. */
static int send_often(struct kv_pair *pair)
{
	int i;

	for (i = 0; i < 500; i++)
		TRY(send_once(pair, 64, i));
	return 0;
}

/* The whole buffer of the end as a fast-registered region. */
static struct ib_mr *alloc_mr(struct kv_end *end, int access)
{
	struct scatterlist sg;
	struct ib_mr *mr;
	int nr;

	mr = ib_alloc_mr(end->pd, IB_MR_TYPE_MEM_REG,
			 KV_BUF_BYTES / PAGE_SIZE + 1);
	if (IS_ERR(mr))
		return mr;
	sg_init_one(&sg, end->buf, KV_BUF_BYTES);
	nr = ib_dma_map_sg(end->dev, &sg, 1, DMA_BIDIRECTIONAL);
	if (nr != 1 || ib_map_mr_sg(mr, &sg, nr, NULL, PAGE_SIZE) != nr) {
		ib_dereg_mr(mr);
		return ERR_PTR(-EIO);
	}
	return mr;
}

static int reg_mr(struct kv_end *end, struct ib_mr *mr, int access)
{
	struct ib_reg_wr wr = {
		.wr.opcode = IB_WR_REG_MR,
		.mr = mr,
		.key = mr->rkey,
		.access = access,
	};

	TRY(kv_post_send(end, NULL, &wr.wr, 0, 0));
	return kv_expect(end, IB_WC_SUCCESS);
}

static int local_inv(struct kv_end *end, u32 rkey)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = rkey,
	};

	TRY(kv_post_send(end, NULL, &wr, 0, 0));
	return kv_expect(end, IB_WC_SUCCESS);
}

#define ALL_ACCESS (IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
		    IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/* body(pair, mr) with b's buffer registered. */
static int with_mr(struct kv_pair *pair,
		   int (*body)(struct kv_pair *pair, struct ib_mr *mr))
{
	struct ib_mr *mr = alloc_mr(&pair->b, ALL_ACCESS);
	int err;

	TRY(PTR_ERR_OR_ZERO(mr));
	err = reg_mr(&pair->b, mr, ALL_ACCESS);
	if (!err)
		err = body(pair, mr);
	ib_dereg_mr(mr);
	return err;
}

static int write_body(struct kv_pair *pair, struct ib_mr *mr)
{
	kv_fill(pair->a.buf, 50000, 1);
	memset(pair->b.buf, 0xee, KV_BUF_BYTES);
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_WRITE, 0, 50000, mr->iova, mr->rkey));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	CHECK(kv_filled(pair->b.buf, 50000, 1));
	CHECK(pair->b.buf[50000] == 0xee);
	return 0;
}

static int write(struct kv_pair *pair)
{
	return with_mr(pair, write_body);
}

static int read_body(struct kv_pair *pair, struct ib_mr *mr)
{
	kv_fill(pair->b.buf, 50000, 2);
	memset(pair->a.buf, 0xee, KV_BUF_BYTES);
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_READ, 0, 50000, mr->iova, mr->rkey));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	CHECK(kv_filled(pair->a.buf, 50000, 2));
	CHECK(pair->a.buf[50000] == 0xee);
	return 0;
}

static int read(struct kv_pair *pair)
{
	return with_mr(pair, read_body);
}

static int atomic(struct kv_pair *pair, struct ib_mr *mr,
		  enum ib_wr_opcode opcode, u64 compare_add, u64 swap)
{
	struct ib_atomic_wr wr = {
		.wr.opcode = opcode,
		.remote_addr = mr->iova,
		.rkey = mr->rkey,
		.compare_add = compare_add,
		.swap = swap,
	};

	TRY(kv_post_send(&pair->a, NULL, &wr.wr, 64, 8));
	return kv_expect(&pair->a, IB_WC_SUCCESS);
}

static int atomics_body(struct kv_pair *pair, struct ib_mr *mr)
{
	u64 *target = (u64 *)pair->b.buf, *old = (u64 *)(pair->a.buf + 64);

	*target = 40;
	TRY(atomic(pair, mr, IB_WR_ATOMIC_FETCH_AND_ADD, 2, 0));
	CHECK(*old == 40 && *target == 42);
	TRY(atomic(pair, mr, IB_WR_ATOMIC_CMP_AND_SWP, 42, 7));
	CHECK(*old == 42 && *target == 7);
	TRY(atomic(pair, mr, IB_WR_ATOMIC_CMP_AND_SWP, 42, 8));
	CHECK(*old == 7 && *target == 7);
	return 0;
}

static int atomics(struct kv_pair *pair)
{
	return with_mr(pair, atomics_body);
}

/* A region can be registered again once invalidated, under a new key. */
static int register_again_body(struct kv_pair *pair, struct ib_mr *mr)
{
	u8 key;

	for (key = 1; key < 20; key++) {
		TRY(write_body(pair, mr));
		TRY(local_inv(&pair->b, mr->rkey));
		ib_update_fast_reg_key(mr, key);
		TRY(reg_mr(&pair->b, mr, ALL_ACCESS));
	}
	return 0;
}

static int register_again(struct kv_pair *pair)
{
	return with_mr(pair, register_again_body);
}

static int invalidated_body(struct kv_pair *pair, struct ib_mr *mr)
{
	TRY(local_inv(&pair->b, mr->rkey));
	memset(pair->b.buf, 0xee, 100);
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_WRITE, 0, 100, mr->iova, mr->rkey));
	TRY(kv_expect(&pair->a, IB_WC_REM_ACCESS_ERR));
	CHECK(pair->b.buf[0] == 0xee);
	return 0;
}

/* After LOCAL_INV the key is no good. */
static int invalidated(struct kv_pair *pair)
{
	return with_mr(pair, invalidated_body);
}

static int send_with_inv_body(struct kv_pair *pair, struct ib_mr *mr)
{
	struct ib_send_wr wr = {
		.opcode = IB_WR_SEND_WITH_INV,
		.ex.invalidate_rkey = mr->rkey,
	};
	struct ib_wc wc;

	TRY(kv_post_recv(&pair->b, 100));
	TRY(kv_post_send(&pair->a, NULL, &wr, 0, 100));
	TRY(kv_wait(&pair->b, &wc));
	CHECK(wc.status == IB_WC_SUCCESS);
	CHECK(wc.wc_flags & IB_WC_WITH_INVALIDATE);
	CHECK(wc.ex.invalidate_rkey == mr->rkey);
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_WRITE, 0, 100, mr->iova, mr->rkey));
	return kv_expect(&pair->a, IB_WC_REM_ACCESS_ERR);
}

static int send_with_inv(struct kv_pair *pair)
{
	return with_mr(pair, send_with_inv_body);
}

static int write_only_body(struct kv_pair *pair, struct ib_mr *mr)
{
	TRY(local_inv(&pair->b, mr->rkey));
	TRY(reg_mr(&pair->b, mr, IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE));
	TRY(write_body(pair, mr));
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_READ, 0, 100, mr->iova, mr->rkey));
	return kv_expect(&pair->a, IB_WC_REM_ACCESS_ERR);
}

/* The access rights are those of the request. */
static int register_write_only(struct kv_pair *pair)
{
	return with_mr(pair, write_only_body);
}

static int register_and_send_body(struct kv_pair *pair, struct ib_mr *mr)
{
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = mr->rkey,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED,
		.mr = mr,
		.key = mr->rkey,
		.access = ALL_ACCESS,
	};

	inv.next = &reg.wr;
	TRY(ib_post_send(pair->b.qp, &inv, NULL));
	TRY(kv_expect(&pair->b, IB_WC_SUCCESS));
	return write_body(pair, mr);
}

/* Invalidate and register in one list, only the last with a completion. */
static int register_in_a_list(struct kv_pair *pair)
{
	return with_mr(pair, register_and_send_body);
}

/* Scattered pages become one region. */
static int scattered_body(struct kv_pair *pair, struct page **page, int nr,
			  struct ib_mr *mr)
{
	struct sg_table table;
	int i, mapped;

	TRY(sg_alloc_table(&table, nr, GFP_KERNEL));
	for (i = 0; i < nr; i++)
		sg_set_page(&table.sgl[i], page[i], PAGE_SIZE, 0);
	mapped = ib_dma_map_sg(pair->dev, table.sgl, nr, DMA_BIDIRECTIONAL);
	mapped = ib_map_mr_sg(mr, table.sgl, mapped, NULL, PAGE_SIZE);
	sg_free_table(&table);
	CHECK(mapped == nr);
	TRY(reg_mr(&pair->b, mr, ALL_ACCESS));
	kv_fill(pair->a.buf, nr * PAGE_SIZE, 5);
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_WRITE, 0, nr * PAGE_SIZE, mr->iova,
		    mr->rkey));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	for (i = 0; i < nr; i++)
		CHECK(!memcmp(page_address(page[i]),
			      pair->a.buf + i * PAGE_SIZE, PAGE_SIZE));
	return 0;
}

static int scattered(struct kv_pair *pair)
{
	struct page *page[8] = {};
	struct ib_mr *mr;
	int i, err = -ENOMEM;

	mr = ib_alloc_mr(pair->pd, IB_MR_TYPE_MEM_REG, ARRAY_SIZE(page));
	TRY(PTR_ERR_OR_ZERO(mr));
	for (i = ARRAY_SIZE(page) - 1; i >= 0; i--) {
		page[i] = alloc_page(GFP_KERNEL);
		if (!page[i])
			goto out;
	}
	err = scattered_body(pair, page, ARRAY_SIZE(page), mr);
out:
	ib_dereg_mr(mr);
	for (i = 0; i < ARRAY_SIZE(page); i++)
		if (page[i])
			__free_page(page[i]);
	return err;
}

static int flush(struct kv_pair *pair)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };
	int i;

	for (i = 0; i < 4; i++)
		TRY(kv_post_recv(&pair->a, 100));
	TRY(ib_modify_qp(pair->a.qp, &attr, IB_QP_STATE));
	for (i = 0; i < 4; i++)
		TRY(kv_expect(&pair->a, IB_WC_WR_FLUSH_ERR));
	TRY(kv_send(&pair->a, &pair->b, 0, 100));
	TRY(kv_expect(&pair->a, IB_WC_WR_FLUSH_ERR));
	TRY(kv_post_recv(&pair->a, 100));
	return kv_expect(&pair->a, IB_WC_WR_FLUSH_ERR);
}

/* What storage drivers do before they free their memory. */
static int drain(struct kv_pair *pair)
{
	int i;

	for (i = 0; i < 8; i++)
		TRY(kv_post_recv(&pair->b, 100));
	for (i = 0; i < 4; i++)
		TRY(kv_send(&pair->a, &pair->b, 0, 100));
	ib_drain_qp(pair->a.qp);
	ib_drain_qp(pair->b.qp);
	return 0;
}

/* Armed once is one event. */
static int one_event(struct kv_pair *pair)
{
	int before;

	before = atomic_read(&pair->b.events);
	TRY(send_once(pair, 10, 1));
	TRY(ib_req_notify_cq(pair->b.cq, IB_CQ_NEXT_COMP));
	before = atomic_read(&pair->b.events);
	TRY(kv_post_recv(&pair->b, 100));
	TRY(kv_post_recv(&pair->b, 100));
	TRY(kv_send(&pair->a, &pair->b, 0, 100));
	TRY(kv_send(&pair->a, &pair->b, 0, 100));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	msleep(20 * kv_patience);
	CHECK(atomic_read(&pair->b.events) == before + 1);
	return 0;
}

/* A kernel user may post with interrupts off and locks held. */
static int post_atomic(struct kv_pair *pair)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long flags;
	int i, err;

	for (i = 0; i < 100; i++) {
		spin_lock_irqsave(&lock, flags);
		err = kv_post_recv(&pair->b, 100);
		if (!err)
			err = kv_send(&pair->a, &pair->b, 0, 100);
		spin_unlock_irqrestore(&lock, flags);
		TRY(err);
		TRY(kv_expect(&pair->b, IB_WC_SUCCESS));
		TRY(kv_expect(&pair->a, IB_WC_SUCCESS));
	}
	return 0;
}

/* Global access to all of memory is for the kernel only, and local only. */
static int local_key_is_local(struct kv_pair *pair)
{
	CHECK(pair->pd->local_dma_lkey);
	TRY(kv_rdma(&pair->a, IB_WR_RDMA_READ, 0, 100, pair->b.dma,
		    pair->pd->local_dma_lkey));
	return kv_expect(&pair->a, IB_WC_REM_ACCESS_ERR);
}

static const struct {
	const char *name;
	int (*run)(struct kv_pair *pair);
	enum ib_qp_type type;
	enum kv_cq_kind kind;
} tests[] = {
	{ "RC send, polled", send, IB_QPT_RC, KV_POLL },
	{ "RC send, events", send, IB_QPT_RC, KV_EVENT },
	{ "RC send, direct CQ", send, IB_QPT_RC, KV_DIRECT },
	{ "RC send, softirq CQ", send, IB_QPT_RC, KV_SOFTIRQ },
	{ "RC send, workqueue CQ", send, IB_QPT_RC, KV_WORKQUEUE },
	{ "UD send, polled", send, IB_QPT_UD, KV_POLL },
	{ "UD send, events", send, IB_QPT_UD, KV_EVENT },
	{ "RC 500 sends, polled", send_often, IB_QPT_RC, KV_POLL },
	{ "RC 500 sends, events", send_often, IB_QPT_RC, KV_EVENT },
	{ "RC 500 sends, softirq CQ", send_often, IB_QPT_RC, KV_SOFTIRQ },
	{ "REG_MR and write", write, IB_QPT_RC, KV_POLL },
	{ "REG_MR and read", read, IB_QPT_RC, KV_POLL },
	{ "REG_MR and atomics", atomics, IB_QPT_RC, KV_POLL },
	{ "REG_MR, LOCAL_INV, again", register_again, IB_QPT_RC, KV_POLL },
	{ "REG_MR in a list", register_in_a_list, IB_QPT_RC, KV_POLL },
	{ "REG_MR of scattered pages", scattered, IB_QPT_RC, KV_POLL },
	{ "REG_MR for writing only", register_write_only, IB_QPT_RC, KV_POLL },
	{ "LOCAL_INV takes the key away", invalidated, IB_QPT_RC, KV_POLL },
	{ "SEND_WITH_INV", send_with_inv, IB_QPT_RC, KV_POLL },
	{ "flush", flush, IB_QPT_RC, KV_POLL },
	{ "drain, softirq CQ", drain, IB_QPT_RC, KV_SOFTIRQ },
	{ "drain, workqueue CQ", drain, IB_QPT_RC, KV_WORKQUEUE },
	{ "one arm, one event", one_event, IB_QPT_RC, KV_POLL },
	{ "post with interrupts off", post_atomic, IB_QPT_RC, KV_POLL },
	{ "the local DMA key is local", local_key_is_local, IB_QPT_RC, KV_POLL },
	{ "a handler that takes its time", kv_busy, IB_QPT_UD, KV_POLL },
};

int kv_run_tests(struct ib_device *dev, int gid_index)
{
	struct kv_pair *pair;
	int i, err, failed = 0;

	pair = kmalloc(sizeof(*pair), GFP_KERNEL);
	if (!pair)
		return ARRAY_SIZE(tests);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		err = kv_open(pair, dev, gid_index, tests[i].type,
			      tests[i].kind);
		if (err) {
			pr_info("# opening: %d\n", err);
		} else {
			err = tests[i].run(pair);
			kv_close(pair);
		}
		failed += err != 0;
		pr_info("%s %d %s\n", err ? "not ok" : "ok", i + 1,
			tests[i].name);
	}
	pr_info("1..%zu\n", ARRAY_SIZE(tests));
	kfree(pair);
	return failed;
}
