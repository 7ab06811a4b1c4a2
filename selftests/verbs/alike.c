// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Short messages that are posted together, from one device to another: whether they leave
 * in one buffer or one by one, each arrives as it was sent.
 *
 *   alike -d DEVICE -g GID-INDEX [NAME-PART]; the other device by FAR_DEVICE and FAR_GID
 */
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>

#include "lib.h"

#define MESSAGES 40
#define BYTES 1000
#define GRH_BYTES 40
/* Of a datagram, what is behind the IP header and not payload: UDP, BTH, DETH, ICRC. */
#define UD_HEADERS (8 + 12 + 8 + 4)

static struct dev near_dev, far_dev;
static struct end near, far;

static void open_ends(enum ibv_qp_type type)
{
	const char *other = getenv("FAR_DEVICE"), *gid = getenv("FAR_GID");

	CHECK(other && gid);
	open_device(&near_dev);
	device_name = other;
	gid_index = atoi(gid);
	open_device(&far_dev);
	make_end(&near, &near_dev, type, NULL);
	make_end(&far, &far_dev, type, NULL);
	join(&near, &far, NULL);
	join(&far, &near, NULL);
}

/* A list of @n messages, all posted by one call. */
struct batch {
	struct ibv_send_wr wrs[MESSAGES];
	struct ibv_sge sges[MESSAGES];
};

static void prepare(struct batch *batch, enum ibv_wr_opcode opcode, size_t bytes)
{
	int i;

	for (i = 0; i < MESSAGES; i++) {
		fill(near.buf + i * BYTES, bytes, i);
		batch->sges[i] = sge_of(&near, i * BYTES, bytes);
		batch->wrs[i] = wr_of(&near, &far, opcode, &batch->sges[i]);
		batch->wrs[i].wr_id = i;
		batch->wrs[i].imm_data = htonl(0x1000 + i);
		if (i)
			batch->wrs[i - 1].next = &batch->wrs[i];
	}
}

static void receives(int n)
{
	size_t room = BYTES + GRH_BYTES;
	int i;

	for (i = 0; i < n; i++)
		recv_at(&far, i * room, room);
}

static void all_sent(int n)
{
	int i;

	for (i = 0; i < n; i++)
		CHECK_EQ(poll_ok(near.cq).wr_id, i);
}

static void arrived(int i, size_t bytes)
{
	size_t grh = far.type == IBV_QPT_UD ? GRH_BYTES : 0;
	struct ibv_wc wc = poll_ok(far.cq);

	CHECK_EQ(wc.byte_len, bytes + grh);
	if (wc.wc_flags & IBV_WC_WITH_IMM)
		CHECK_EQ(ntohl(wc.imm_data), 0x1000 + i);
	if (far.type == IBV_QPT_UD)
		CHECK_EQ(wc.src_qp, near.qp->qp_num);
	CHECK(filled(far.buf + i * (BYTES + GRH_BYTES) + grh, bytes, i));
}

/* Several times: what is trusted to arrive whole may be sent in another way. */
static void sends(enum ibv_qp_type type, enum ibv_wr_opcode opcode)
{
	struct batch batch;
	int round, i;

	open_ends(type);
	for (round = 0; round < 5; round++) {
		memset(far.buf, 0, far.size);
		receives(MESSAGES);
		prepare(&batch, opcode, BYTES);
		post(&near, batch.wrs);
		for (i = 0; i < MESSAGES; i++)
			arrived(i, BYTES);
		all_sent(MESSAGES);
	}
}

static void rc_send(void)
{
	sends(IBV_QPT_RC, IBV_WR_SEND);
}

static void rc_send_imm(void)
{
	sends(IBV_QPT_RC, IBV_WR_SEND_WITH_IMM);
}

static void uc_send(void)
{
	sends(IBV_QPT_UC, IBV_WR_SEND);
}

static void ud_send(void)
{
	sends(IBV_QPT_UD, IBV_WR_SEND);
}

static void ud_send_imm(void)
{
	sends(IBV_QPT_UD, IBV_WR_SEND_WITH_IMM);
}

static void writes(enum ibv_qp_type type)
{
	struct batch batch;
	int round, i;

	open_ends(type);
	for (round = 0; round < 5; round++) {
		memset(far.buf, 0, far.size);
		prepare(&batch, IBV_WR_RDMA_WRITE, BYTES);
		/* With a message, that tells that all came before. */
		recv_at(&far, 0, 0);
		batch.wrs[MESSAGES - 1].opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
		post(&near, batch.wrs);
		CHECK_EQ(ntohl(poll_ok(far.cq).imm_data), 0x1000 + MESSAGES - 1);
		for (i = 0; i < MESSAGES; i++)
			CHECK(filled(far.buf + i * BYTES, BYTES, i));
		all_sent(MESSAGES);
	}
}

static void rc_write(void)
{
	writes(IBV_QPT_RC);
}

static void uc_write(void)
{
	writes(IBV_QPT_UC);
}

/* Not alike, but for some in a row. */
static void lengths(enum ibv_qp_type type)
{
	static const size_t bytes[] = { BYTES, BYTES, BYTES - 1, BYTES, 0, 0, 0, 1, 1, 3,
					BYTES, 4, 4, 4, BYTES - 1, BYTES - 2 };
	struct batch batch;
	int i;

	open_ends(type);
	receives(MESSAGES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	for (i = 0; i < MESSAGES; i++)
		batch.sges[i].length = bytes[i % ARRAY_SIZE(bytes)];
	post(&near, batch.wrs);
	for (i = 0; i < MESSAGES; i++)
		arrived(i, batch.sges[i].length);
	all_sent(MESSAGES);
}

static void rc_lengths(void)
{
	lengths(IBV_QPT_RC);
}

static void ud_lengths(void)
{
	lengths(IBV_QPT_UD);
}

/* One whose memory may not be read: those before it arrive, none behind it. */
static void unreadable(enum ibv_qp_type type)
{
	const int bad = 17;
	struct batch batch;
	struct ibv_wc wc;
	int i;

	open_ends(type);
	receives(MESSAGES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	batch.sges[bad].lkey ^= 0x5a5a00;
	post(&near, batch.wrs);
	for (i = 0; i < bad; i++)
		arrived(i, BYTES);
	all_sent(bad);
	wc = poll_one(near.cq);
	CHECK_EQ(wc.wr_id, bad);
	CHECK_STATUS(wc, IBV_WC_LOC_PROT_ERR);
	for (i = bad + 1; i < MESSAGES; i++) {
		wc = poll_one(near.cq);
		CHECK_EQ(wc.wr_id, i);
		CHECK_STATUS(wc, IBV_WC_WR_FLUSH_ERR);
	}
	poll_none(far.cq, 0.1);
}

static void rc_unreadable(void)
{
	unreadable(IBV_QPT_RC);
}

static void uc_unreadable(void)
{
	unreadable(IBV_QPT_UC);
}

static void ud_unreadable(void)
{
	unreadable(IBV_QPT_UD);
}

/* Nobody has room for most of them at first. */
static void rc_not_ready(void)
{
	struct batch batch;
	int i;

	open_ends(IBV_QPT_RC);
	receives(7);
	prepare(&batch, IBV_WR_SEND, BYTES);
	post(&near, batch.wrs);
	for (i = 0; i < 7; i++)
		arrived(i, BYTES);
	for (i = 7; i < MESSAGES; i++) {
		recv_at(&far, i * (BYTES + GRH_BYTES), BYTES + GRH_BYTES);
		arrived(i, BYTES);
	}
	all_sent(MESSAGES);
}

/* By turns to one queue pair and to another. */
static void ud_two_places(void)
{
	struct batch batch;
	struct end other;
	int i;

	open_ends(IBV_QPT_UD);
	make_end(&other, &far_dev, IBV_QPT_UD, NULL);
	join(&other, &near, NULL);
	receives(MESSAGES);
	for (i = 0; i < MESSAGES; i++)
		recv_at(&other, 0, BYTES + GRH_BYTES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	for (i = 0; i < MESSAGES; i += 3)
		batch.wrs[i].wr.ud.remote_qpn = other.qp->qp_num;
	post(&near, batch.wrs);
	all_sent(MESSAGES);
	for (i = 0; i < MESSAGES; i++)
		if (i % 3 == 0)
			CHECK_EQ(poll_ok(other.cq).byte_len, BYTES + GRH_BYTES);
		else
			CHECK_EQ(poll_ok(far.cq).byte_len, BYTES + GRH_BYTES);
	poll_none(far.cq, 0.05);
	poll_none(other.cq, 0.05);
}

static uint16_t checksum(const void *data, size_t bytes)
{
	const uint16_t *word = data;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < bytes / 2; i++)
		sum += word[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void check_ip4(const struct iphdr *ip, int *id)
{
	CHECK_EQ(ntohs(ip->tot_len), sizeof(*ip) + UD_HEADERS + BYTES);
	CHECK_EQ(checksum(ip, sizeof(*ip)), 0);
	CHECK(!memcmp(&ip->saddr, near_dev.gid.raw + 12, 4));
	CHECK(!memcmp(&ip->daddr, far_dev.gid.raw + 12, 4));
	/* As the packets would have been numbered. */
	if (*id >= 0)
		CHECK_EQ(ntohs(ip->id), (*id + 1) & 0xffff);
	*id = ntohs(ip->id);
}

static void check_ip6(const struct ip6_hdr *ip)
{
	CHECK_EQ(ntohs(ip->ip6_plen), UD_HEADERS + BYTES);
	CHECK(!memcmp(&ip->ip6_src, near_dev.gid.raw, 16));
	CHECK(!memcmp(&ip->ip6_dst, far_dev.gid.raw, 16));
}

/* What is in front of a datagram is its own header. */
static void ud_grh(void)
{
	struct batch batch;
	const uint8_t *grh;
	int i, id = -1;

	open_ends(IBV_QPT_UD);
	receives(MESSAGES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	post(&near, batch.wrs);
	for (i = 0; i < MESSAGES; i++) {
		CHECK(poll_ok(far.cq).wc_flags & IBV_WC_GRH);
		grh = far.buf + i * (BYTES + GRH_BYTES);
		if (grh[0] >> 4 == 6)
			check_ip6((const struct ip6_hdr *)grh);
		else
			check_ip4((const struct iphdr *)(grh + 20), &id);
	}
}

/* ---- the receiver's part is left to who polls for it ---- */

static long asked(void)
{
	return counter(&far_dev, "helps") + counter(&far_dev, "helps_missed");
}

/*
 * Nobody has been asked yet; then it depends on the CPUs. He who is asked may come too late,
 * if something else has this one.
 */
static void helped(enum ibv_qp_type type)
{
	long before, helps, supers;
	struct batch batch;
	int i;

	open_ends(type);
	before = asked();
	helps = counter(&far_dev, "helps");
	supers = counter(&far_dev, "rcvd_super_pkts");
	receives(MESSAGES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	post(&near, batch.wrs);
	for (i = 0; i < MESSAGES; i++)
		arrived(i, BYTES);
	all_sent(MESSAGES);
	printf("# helped %ld times\n", counter(&far_dev, "helps") - helps);
	/* What comes one by one is seen to at once. */
	CHECK(asked() > before || counter(&far_dev, "rcvd_super_pkts") == supers);
}

static void rc_helped(void)
{
	helped(IBV_QPT_RC);
}

static void uc_helped(void)
{
	helped(IBV_QPT_UC);
}

static void ud_helped(void)
{
	helped(IBV_QPT_UD);
}

/* They arrive all the same if nobody comes, and those behind them too. */
static void rc_not_helped(void)
{
	long before;
	struct batch batch;
	double end;
	int round, i;

	open_ends(IBV_QPT_RC);
	before = counter(&far_dev, "helps_missed");
	for (round = 0; round < 5; round++) {
		memset(far.buf, 0, far.size);
		receives(MESSAGES);
		prepare(&batch, IBV_WR_SEND, BYTES);
		post(&near, batch.wrs);
		for (end = now() + 5; now() < end; usleep(100))
			if (filled(far.buf + (MESSAGES - 1) * (BYTES + GRH_BYTES), BYTES,
				   MESSAGES - 1))
				break;
		CHECK(now() < end);
		for (i = 0; i < MESSAGES; i++)
			arrived(i, BYTES);
		all_sent(MESSAGES);
	}
	CHECK(counter(&far_dev, "helps_missed") > before);
}

/* Who waits for an event is not asked. */
static void rc_waits_for_event(void)
{
	long before;
	struct batch batch;
	struct ibv_cq *cq;
	void *context;
	int i;

	open_ends(IBV_QPT_RC);
	before = asked();
	CHECK_EQ(ibv_req_notify_cq(far.cq, 0), 0);
	receives(MESSAGES);
	prepare(&batch, IBV_WR_SEND, BYTES);
	post(&near, batch.wrs);
	CHECK_EQ(ibv_get_cq_event(far.channel, &cq, &context), 0);
	ibv_ack_cq_events(cq, 1);
	for (i = 0; i < MESSAGES; i++)
		arrived(i, BYTES);
	all_sent(MESSAGES);
	CHECK_EQ(asked(), before);
}

/* Somebody was asked for a queue pair that is no more when he comes, or resized the queue. */
static void asked_and_gone(void)
{
	struct batch batch;
	int round;

	for (round = 0; round < 10; round++) {
		open_ends(IBV_QPT_RC);
		receives(MESSAGES);
		prepare(&batch, IBV_WR_SEND, BYTES);
		post(&near, batch.wrs);
		if (round % 2)
			CHECK_EQ(ibv_resize_cq(far.cq, 300 + round), 0);
		CHECK_EQ(ibv_destroy_qp(far.qp), 0);
		poll_none(far.cq, 0.001);
		CHECK_EQ(ibv_destroy_cq(far.cq), 0);
	}
}

static const struct test tests[] = {
	{ "rc_send", rc_send },
	{ "rc_send_imm", rc_send_imm },
	{ "rc_write", rc_write },
	{ "rc_lengths", rc_lengths },
	{ "rc_unreadable", rc_unreadable },
	{ "rc_not_ready", rc_not_ready },
	{ "uc_send", uc_send },
	{ "uc_write", uc_write },
	{ "uc_unreadable", uc_unreadable },
	{ "ud_send", ud_send },
	{ "ud_send_imm", ud_send_imm },
	{ "ud_lengths", ud_lengths },
	{ "ud_unreadable", ud_unreadable },
	{ "ud_two_places", ud_two_places },
	{ "ud_grh", ud_grh },
	{ "rc_helped", rc_helped },
	{ "uc_helped", uc_helped },
	{ "ud_helped", ud_helped },
	{ "rc_not_helped", rc_not_helped },
	{ "rc_waits_for_event", rc_waits_for_event },
	{ "asked_and_gone", asked_and_gone },
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
