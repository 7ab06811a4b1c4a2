// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Every operation of every service moves the bytes it should, and only those. */
#include "lib.h"

#define IMM 0x12345678

/* Where the sender's data starts and the receiver's memory: apart, so that a
 * byte too many shows.
 */
static const size_t sizes[] = {
	0, 1, 3, 4, 31, 32, 33, 255, 256, 1023, 1024, 1025, 4095, 4096, 4097,
	8191, 65535, 65536, 1 << 20,
};

static void check_surroundings(const struct end *end, size_t length)
{
	size_t i;

	for (i = length; i < length + 64 && i < end->size; i++)
		if (end->buf[i] != 0xee)
			FAIL("byte %zu after a message of %zu was written", i,
			     length);
}

static void prepare(struct pair *pair, size_t length, unsigned int seed)
{
	fill(pair->a.buf, length, seed);
	memset(pair->b.buf, 0xee, length + 64);
}

static void open_big(struct pair *pair, enum ibv_qp_type type)
{
	struct opt opt = { .size = (1 << 20) + 4096 };

	open_pair(pair, type, &opt);
}

static void send_sizes(enum ibv_qp_type type, enum ibv_wr_opcode opcode)
{
	bool imm = opcode == IBV_WR_SEND_WITH_IMM;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair pair;
	unsigned int i;

	open_big(&pair, type);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		prepare(&pair, sizes[i], i);
		recv_at(&pair.b, 0, sizes[i] + 64);
		sge = sge_of(&pair.a, 0, sizes[i]);
		wr = wr_of(&pair.a, &pair.b, opcode, &sge);
		wr.imm_data = htobe32(IMM);
		post(&pair.a, &wr);
		wc = poll_ok(pair.b.cq);
		CHECK_EQ(wc.opcode, IBV_WC_RECV);
		CHECK_EQ(wc.byte_len, sizes[i]);
		CHECK_EQ(wc.qp_num, pair.b.qp->qp_num);
		CHECK_EQ(!!(wc.wc_flags & IBV_WC_WITH_IMM), imm);
		if (imm)
			CHECK_EQ(be32toh(wc.imm_data), IMM);
		CHECK(filled(pair.b.buf, sizes[i], i));
		check_surroundings(&pair.b, sizes[i]);
		wc = poll_ok(pair.a.cq);
		CHECK_EQ(wc.opcode, IBV_WC_SEND);
		CHECK_EQ(wc.wr_id, 1);
	}
}

static void rc_send(void) { send_sizes(IBV_QPT_RC, IBV_WR_SEND); }
static void rc_send_imm(void) { send_sizes(IBV_QPT_RC, IBV_WR_SEND_WITH_IMM); }
static void uc_send(void) { send_sizes(IBV_QPT_UC, IBV_WR_SEND); }
static void uc_send_imm(void) { send_sizes(IBV_QPT_UC, IBV_WR_SEND_WITH_IMM); }

static void write_sizes(enum ibv_qp_type type, enum ibv_wr_opcode opcode)
{
	bool imm = opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
	struct ibv_sge sge;
	struct ibv_send_wr wr;
	struct ibv_wc wc;
	struct pair pair;
	unsigned int i;
	double end;

	open_big(&pair, type);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		prepare(&pair, sizes[i], i);
		if (imm)
			recv_at(&pair.b, 0, 0);
		sge = sge_of(&pair.a, 0, sizes[i]);
		wr = wr_of(&pair.a, &pair.b, opcode, &sge);
		wr.imm_data = htobe32(IMM);
		post(&pair.a, &wr);
		wc = poll_ok(pair.a.cq);
		CHECK_EQ(wc.opcode, IBV_WC_RDMA_WRITE);
		if (imm) {
			wc = poll_ok(pair.b.cq);
			CHECK_EQ(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
			CHECK_EQ(wc.byte_len, sizes[i]);
			CHECK(wc.wc_flags & IBV_WC_WITH_IMM);
			CHECK_EQ(be32toh(wc.imm_data), IMM);
		}
		/* An unreliable write may still be under way. */
		end = now() + 5 * patience_factor();
		while (type == IBV_QPT_UC && sizes[i] && now() < end)
			if (!memcmp((void *)pair.a.buf, pair.b.buf, sizes[i]))
				break;
		CHECK(filled(pair.b.buf, sizes[i], i));
		check_surroundings(&pair.b, sizes[i]);
	}
}

static void rc_write(void) { write_sizes(IBV_QPT_RC, IBV_WR_RDMA_WRITE); }
static void rc_write_imm(void)
{
	write_sizes(IBV_QPT_RC, IBV_WR_RDMA_WRITE_WITH_IMM);
}
static void uc_write(void) { write_sizes(IBV_QPT_UC, IBV_WR_RDMA_WRITE); }
static void uc_write_imm(void)
{
	write_sizes(IBV_QPT_UC, IBV_WR_RDMA_WRITE_WITH_IMM);
}

static void rc_read(void)
{
	struct ibv_wc wc;
	struct pair pair;
	unsigned int i;

	open_big(&pair, IBV_QPT_RC);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill(pair.b.buf, sizes[i], i);
		memset(pair.a.buf, 0xee, sizes[i] + 64);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_READ, 0, sizes[i],
			IBV_SEND_SIGNALED);
		wc = poll_ok(pair.a.cq);
		CHECK_EQ(wc.opcode, IBV_WC_RDMA_READ);
		CHECK(filled(pair.a.buf, sizes[i], i));
		check_surroundings(&pair.a, sizes[i]);
	}
}

/* More reads than the QP may have outstanding, in order. */
static void rc_reads_queued(void)
{
	struct opt opt = { .rd_atomic = 2 };
	struct pair pair;
	unsigned int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	fill(pair.b.buf, pair.b.size, 5);
	for (i = 0; i < 32; i++)
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_READ, i * 2000, 2000,
			IBV_SEND_SIGNALED);
	for (i = 0; i < 32; i++)
		poll_ok(pair.a.cq);
	CHECK(filled(pair.a.buf, 32 * 2000, 5));
}

static uint64_t atomic(struct pair *pair, enum ibv_wr_opcode opcode,
		       uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = sge_of(&pair->a, 64, 8);
	struct ibv_send_wr wr = wr_of(&pair->a, &pair->b, opcode, &sge);
	struct ibv_wc wc;

	wr.wr.atomic.compare_add = compare_add;
	wr.wr.atomic.swap = swap;
	post(&pair->a, &wr);
	wc = poll_ok(pair->a.cq);
	CHECK_EQ(wc.opcode, opcode == IBV_WR_ATOMIC_CMP_AND_SWP ?
			    IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD);
	CHECK_EQ(wc.byte_len, 8);
	return *(uint64_t *)(pair->a.buf + 64);
}

static void rc_cas(void)
{
	volatile uint64_t *target;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, NULL);
	target = (uint64_t *)(pair.b.buf + 64);
	*target = 0x0102030405060708;
	CHECK_EQ(atomic(&pair, IBV_WR_ATOMIC_CMP_AND_SWP, 1, 2),
		 0x0102030405060708);
	CHECK_EQ(*target, 0x0102030405060708);
	CHECK_EQ(atomic(&pair, IBV_WR_ATOMIC_CMP_AND_SWP, 0x0102030405060708,
			0x1112131415161718), 0x0102030405060708);
	CHECK_EQ(*target, 0x1112131415161718);
}

static void rc_fetch_add(void)
{
	volatile uint64_t *target;
	struct pair pair;
	unsigned int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	target = (uint64_t *)(pair.b.buf + 64);
	*target = UINT64_MAX - 1;
	CHECK_EQ(atomic(&pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, 0),
		 UINT64_MAX - 1);
	CHECK_EQ(*target, 1);
	for (i = 0; i < 100; i++)
		CHECK_EQ(atomic(&pair, IBV_WR_ATOMIC_FETCH_AND_ADD, 7, 0),
			 1 + 7 * i);
}

/* Both ends add to one word: no addition may be lost. */
static void rc_fetch_add_contended(void)
{
	struct opt opt = { .send_wr = 512, .cqe = 1024 };
	volatile uint64_t *target;
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, &opt);
	target = (uint64_t *)(pair.b.buf + 64);
	*target = 0;
	for (i = 0; i < 500; i++) {
		sge = sge_of(&pair.a, 128, 8);
		wr = wr_of(&pair.a, &pair.b, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
		wr.wr.atomic.remote_addr = (uintptr_t)target;
		wr.wr.atomic.compare_add = 1;
		post(&pair.a, &wr);
		sge = sge_of(&pair.b, 128, 8);
		wr = wr_of(&pair.b, &pair.b, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge);
		wr.wr.atomic.remote_addr = (uintptr_t)target;
		wr.wr.atomic.compare_add = 1;
		post(&pair.b, &wr);
	}
	for (i = 0; i < 500; i++) {
		poll_ok(pair.a.cq);
		poll_ok(pair.b.cq);
	}
	CHECK_EQ(*target, 1000);
}

/* The 40 bytes before a datagram: of an IPv4 packet the header is the latter
 * 20, of an IPv6 one all.
 */
static void ud_send(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct pair pair;
	unsigned int i;
	size_t mtu;

	open_pair(&pair, IBV_QPT_UD, NULL);
	mtu = 128 << pair.dev.port.active_mtu;
	for (i = 0; i < ARRAY_SIZE(sizes) && sizes[i] <= mtu; i++) {
		fill(pair.a.buf, sizes[i], i);
		memset(pair.b.buf, 0xee, sizes[i] + 128);
		recv_at(&pair.b, 0, 40 + sizes[i]);
		sge = sge_of(&pair.a, 0, sizes[i]);
		wr = wr_of(&pair.a, &pair.b, i & 1 ? IBV_WR_SEND_WITH_IMM :
						     IBV_WR_SEND, &sge);
		wr.imm_data = htobe32(IMM);
		post(&pair.a, &wr);
		wc = poll_ok(pair.b.cq);
		CHECK_EQ(wc.byte_len, 40 + sizes[i]);
		CHECK_EQ(wc.src_qp, pair.a.qp->qp_num);
		CHECK(wc.wc_flags & IBV_WC_GRH);
		CHECK_EQ(!!(wc.wc_flags & IBV_WC_WITH_IMM), i & 1);
		if (i & 1)
			CHECK_EQ(be32toh(wc.imm_data), IMM);
		CHECK(filled(pair.b.buf + 40, sizes[i], i));
		CHECK_EQ(pair.b.buf[40 + sizes[i]], 0xee);
		/* The source address is where an address handle made from the
		 * completion looks for it.
		 */
		if (pair.dev.gid.raw[10] == 0xff)
			CHECK(!memcmp(pair.b.buf + 32, pair.dev.gid.raw + 12, 4));
		else
			CHECK(!memcmp(pair.b.buf + 8, pair.dev.gid.raw, 16));
		poll_ok(pair.a.cq);
	}
}

/* An answer to whoever sent, made from the completion alone. */
static void ud_reply(void)
{
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct pair pair;

	open_pair(&pair, IBV_QPT_UD, NULL);
	fill(pair.a.buf, 100, 1);
	recv_at(&pair.b, 0, 1000);
	recv_at(&pair.a, 2000, 1000);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	wc = poll_ok(pair.b.cq);
	poll_ok(pair.a.cq);
	ah = ibv_create_ah_from_wc(pair.dev.pd, &wc,
				   (struct ibv_grh *)pair.b.buf, 1);
	CHECK(ah);
	pair.b.ah = ah;
	send_op(&pair.b, &pair.a, IBV_WR_SEND, 40, 100, IBV_SEND_SIGNALED);
	wc = poll_ok(pair.a.cq);
	CHECK_EQ(wc.byte_len, 140);
	CHECK(filled(pair.a.buf + 2040, 100, 1));
}

static void ud_wrong_qkey(void)
{
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;

	open_pair(&pair, IBV_QPT_UD, NULL);
	recv_at(&pair.b, 0, 1000);
	sge = sge_of(&pair.a, 0, 100);
	wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
	wr.wr.ud.remote_qkey = QKEY + 1;
	post(&pair.a, &wr);
	poll_ok(pair.a.cq);
	poll_none(pair.b.cq, 0.2);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.b.cq);
}

/* A datagram that does not fit is dropped or ends in an error, and the next
 * receive is not harmed.
 */
static void ud_no_receive(void)
{
	struct ibv_wc wc;
	struct pair pair;

	open_pair(&pair, IBV_QPT_UD, NULL);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	poll_none(pair.b.cq, 0.1);
	fill(pair.a.buf, 100, 3);
	recv_at(&pair.b, 0, 1000);
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	wc = poll_ok(pair.b.cq);
	CHECK_EQ(wc.byte_len, 140);
	CHECK(filled(pair.b.buf + 40, 100, 3));
}

static void inline_sizes(void)
{
	struct opt opt = { .inline_data = 512 };
	struct ibv_send_wr wr;
	struct ibv_sge sge;
	struct pair pair;
	int size;

	open_pair(&pair, IBV_QPT_RC, &opt);
	for (size = 0; size <= 512; size += 32) {
		fill(pair.a.buf, size, size);
		recv_at(&pair.b, 0, 1024);
		sge = sge_of(&pair.a, 0, size);
		sge.lkey = 0xbadbad;	/* not looked at */
		wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, &sge);
		wr.send_flags |= IBV_SEND_INLINE;
		post(&pair.a, &wr);
		memset(pair.a.buf, 0xaa, 512);	/* ours again at once */
		CHECK_EQ(poll_ok(pair.b.cq).byte_len, size);
		CHECK(filled(pair.b.buf, size, size));
		poll_ok(pair.a.cq);
	}
}

static void inline_sges(void)
{
	struct opt opt = { .inline_data = 512, .sge = 32 };
	struct ibv_send_wr wr;
	struct ibv_sge sge[32];
	struct pair pair;
	int i, nr, total;

	open_pair(&pair, IBV_QPT_RC, &opt);
	for (nr = 1; nr <= 32; nr++) {
		fill(pair.a.buf, 1024, nr);
		for (i = total = 0; i < nr; i++) {
			sge[i] = sge_of(&pair.a, total, i % 16);
			total += i % 16;
		}
		wr = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, sge);
		wr.num_sge = nr;
		wr.send_flags |= IBV_SEND_INLINE;
		memset(pair.b.buf, 0xee, 1024);
		post(&pair.a, &wr);
		poll_ok(pair.a.cq);
		CHECK(filled(pair.b.buf, total, nr));
		check_surroundings(&pair.b, total);
	}
}

static void sges(void)
{
	struct opt opt = { .sge = 32 };
	struct ibv_sge from[32], to[32];
	struct ibv_recv_wr *bad, recv = { .sg_list = to };
	struct ibv_send_wr wr;
	struct pair pair;
	int i, nr, total;

	open_pair(&pair, IBV_QPT_RC, &opt);
	for (nr = 1; nr <= 32; nr++) {
		fill(pair.a.buf, 65536, nr);
		for (i = total = 0; i < nr; i++) {
			from[i] = sge_of(&pair.a, total, 100 * i + 1);
			total += 100 * i + 1;
		}
		memset(pair.b.buf, 0xee, 65536);
		for (i = 0; i < nr; i++)
			to[i] = sge_of(&pair.b, i * (total / nr),
				       i < nr - 1 ? total / nr :
				       total - (nr - 1) * (total / nr));
		recv.num_sge = nr;
		CHECK_EQ(ibv_post_recv(pair.b.qp, &recv, &bad), 0);
		wr = wr_of(&pair.a, &pair.b, IBV_WR_SEND, from);
		wr.num_sge = nr;
		post(&pair.a, &wr);
		CHECK_EQ(poll_ok(pair.b.cq).byte_len, total);
		poll_ok(pair.a.cq);
		CHECK(filled(pair.b.buf, total, nr));
		check_surroundings(&pair.b, total);
	}
}

/* A list of requests is one post. */
static void chain(void)
{
	struct ibv_send_wr wr[32];
	struct ibv_sge sge[32];
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	fill(pair.a.buf, 32 * 500, 9);
	for (i = 0; i < 32; i++) {
		sge[i] = sge_of(&pair.a, i * 500, 500);
		wr[i] = wr_of(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, &sge[i]);
		wr[i].wr_id = 100 + i;
		wr[i].next = i < 31 ? &wr[i + 1] : NULL;
	}
	post(&pair.a, wr);
	for (i = 0; i < 32; i++)
		CHECK_EQ(poll_ok(pair.a.cq).wr_id, 100 + i);
	CHECK(filled(pair.b.buf, 32 * 500, 9));
}

/* The read's bytes are there before the fenced send leaves. */
static void fence(void)
{
	struct pair pair;
	int i;

	open_pair(&pair, IBV_QPT_RC, NULL);
	for (i = 0; i < 50; i++) {
		memset(pair.a.buf, 0, 4096);
		fill(pair.b.buf, 4096, i);
		recv_at(&pair.b, 8192, 4096);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_READ, 0, 4096, 0);
		send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 4096,
			IBV_SEND_SIGNALED | IBV_SEND_FENCE);
		poll_ok(pair.b.cq);
		poll_ok(pair.a.cq);
		CHECK(filled(pair.b.buf + 8192, 4096, i));
	}
}

/* The same after long READs, whatever number of them may be under way. */
static void fence_after_long_reads(void)
{
	struct opt opt = { .mtu = IBV_MTU_256 };
	struct pair pair;

	for (opt.rd_atomic = 1; opt.rd_atomic <= 9; opt.rd_atomic++) {
		open_pair(&pair, IBV_QPT_RC, &opt);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_READ, 0, 65 * 256, 0);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_READ, 0, 200 * 256, 0);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 100,
			IBV_SEND_SIGNALED | IBV_SEND_FENCE);
		poll_ok(pair.a.cq);
	}
}

/* A QP joined to itself. */
static void to_itself(void)
{
	struct opt opt = { .unconnected = true };
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	join(&pair.a, &pair.a, NULL);
	fill(pair.a.buf, 10000, 1);
	recv_at(&pair.a, 20000, 10000);
	send_op(&pair.a, &pair.a, IBV_WR_SEND, 0, 10000, 0);
	CHECK_EQ(poll_ok(pair.a.cq).byte_len, 10000);
	CHECK(filled(pair.a.buf + 20000, 10000, 1));
}

/* The queue wraps around many times, both ways at once. */
static void many_messages(void)
{
	int sent = 0, received = 0, done = 0, posted = 0;
	struct opt opt = { .send_wr = 16, .recv_wr = 16 };
	struct ibv_wc wc;
	struct pair pair;

	open_pair(&pair, IBV_QPT_RC, &opt);
	while (received < 5000 || done < 5000) {
		for (; posted < 5000 && posted - received < 16; posted++)
			recv_at(&pair.b, 0, 64);
		for (; sent < 5000 && sent - done < 16; sent++)
			send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 64,
				IBV_SEND_SIGNALED);
		while (ibv_poll_cq(pair.b.cq, 1, &wc) == 1) {
			CHECK_STATUS(wc, IBV_WC_SUCCESS);
			received++;
		}
		while (ibv_poll_cq(pair.a.cq, 1, &wc) == 1) {
			CHECK_STATUS(wc, IBV_WC_SUCCESS);
			done++;
		}
	}
}

static void every_path_mtu(void)
{
	enum ibv_mtu mtu;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		struct opt opt = { .mtu = mtu };
		struct pair pair;

		open_device(&pair.dev);
		if (mtu > pair.dev.port.active_mtu)
			break;
		open_pair(&pair, IBV_QPT_RC, &opt);
		prepare(&pair, 9999, mtu);
		send_op(&pair.a, &pair.b, IBV_WR_RDMA_WRITE, 0, 9999,
			IBV_SEND_SIGNALED);
		poll_ok(pair.a.cq);
		CHECK(filled(pair.b.buf, 9999, mtu));
		check_surroundings(&pair.b, 9999);
	}
}

static void write_whole(struct pair *pair, size_t length)
{
	size_t i;

	for (i = 0; i < length; i += 4096)
		*(size_t *)(pair->a.buf + i) = ~i;
	send_op(&pair->a, &pair->b, IBV_WR_RDMA_WRITE, 0, length,
		IBV_SEND_SIGNALED);
	CHECK_STATUS(poll_within(pair->a.cq, 100), IBV_WC_SUCCESS);
	for (i = 0; i < length; i += 4096)
		CHECK_EQ(*(size_t *)(pair->b.buf + i), ~i);
}

/* One message of 1 GiB, or of what memory and half a minute allow. */
static void huge_message(void)
{
	struct opt opt = { .size = 1UL << 30 };
	size_t pages = sysconf(_SC_AVPHYS_PAGES) * 4096UL, length = 16 << 20;
	struct pair pair;
	double took;

	while (opt.size * 2 > pages * 3 / 4)
		opt.size /= 2;
	if (opt.size < 64 << 20)
		skip("needs 200 MiB of free memory");
	open_pair(&pair, IBV_QPT_RC, &opt);
	took = now();
	write_whole(&pair, length);
	took = now() - took;
	while (length < opt.size && took * 2 < 30) {
		length *= 2;
		took *= 2;
	}
	printf("# message of %zu MiB\n", length >> 20);
	write_whole(&pair, length);
}

static const struct test tests[] = {
	{ "rc_send", rc_send },
	{ "rc_send_imm", rc_send_imm },
	{ "rc_write", rc_write },
	{ "rc_write_imm", rc_write_imm },
	{ "rc_read", rc_read },
	{ "rc_reads_queued", rc_reads_queued },
	{ "rc_cas", rc_cas },
	{ "rc_fetch_add", rc_fetch_add },
	{ "rc_fetch_add_contended", rc_fetch_add_contended },
	{ "uc_send", uc_send },
	{ "uc_send_imm", uc_send_imm },
	{ "uc_write", uc_write },
	{ "uc_write_imm", uc_write_imm },
	{ "ud_send", ud_send },
	{ "ud_reply", ud_reply },
	{ "ud_wrong_qkey", ud_wrong_qkey },
	{ "ud_no_receive", ud_no_receive },
	{ "inline_sizes", inline_sizes },
	{ "inline_sges", inline_sges },
	{ "sges", sges },
	{ "chain", chain },
	{ "fence", fence },
	{ "fence_after_long_reads", fence_after_long_reads },
	{ "to_itself", to_itself },
	{ "many_messages", many_messages },
	{ "every_path_mtu", every_path_mtu },
	{ "huge_message", huge_message, 120 },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
