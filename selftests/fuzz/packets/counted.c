// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Whatever is dropped is counted, once, and under its reason. */
#include <arpa/inet.h>

#include "packets.h"

#define TIMES 20

struct reason {
	const char *what;
	const char *target;
	const char *counter;
	u8 opcode;
	void (*change)(struct run *run, struct rox_pkt *p, struct path *path);
	void (*damage)(struct frame *f);
	bool fragments;
	bool once;	/* the QP is no longer the same afterwards */
	bool in_turn;	/* each at the next PSN */
	void (*prepare)(struct target *t);
};

static void wrong_qpn(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->dqpn = 3;
}

static void multicast(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->dqpn = ROX_MULTICAST_QPN;
}

static void wrong_pkey(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->pkey = 0x9234;
}

static void wrong_qkey(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->qkey ^= 1;
}

static void stranger(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)p;
	path->from[path->ipv6 ? 15 : 3] ^= 0x40;
}

static void earlier(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->psn = (p->psn - 1) & 0xffffff;
}

static void later(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->psn = (p->psn + 5) & 0xffffff;
}

static void old_answer(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)path;
	p->psn = (target_named(&run->ts, "rc")->psn - 2) & 0xffffff;
}

static void early_answer(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)path;
	p->psn = (target_named(&run->ts, "rc")->psn + 2) & 0xffffff;
}

static void to_gsi(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->dqpn = ROX_GSI_QPN;
	p->qkey = 0x80010001;
}

static void mad_of(struct rox_pkt *p, unsigned int bytes)
{
	p->dqpn = ROX_GSI_QPN;
	p->qkey = ROX_GSI_QKEY;
	p->payload_bytes = bytes;
}

/* Of version 0x33: that is what it is filled with. */
static void another_mad(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	mad_of(p, 256);
}

static void short_mad(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	mad_of(p, 252);
}

static void elsewhere(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run;
	p->dqpn = 3;
	inet_pton(AF_INET, "10.4.0.1", path->to);
}

/* From the right host, but by its other address. */
static void other_family(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)p;
	*path = path->ipv6 ? run->path : run->path6;
}

static void wrong_key(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->rkey ^= 1;
	/* Nothing may be read or written by any key. */
	if (!p->dma_len)
		p->dma_len = 64;
}

static void key_without_right(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)path;
	p->rkey = run->ts.secret_mr->rkey;
	p->va = (uintptr_t)run->ts.secret;
}

static void over_the_end(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->va += WINDOW_BYTES - p->dma_len + 1;
}

static void says_more(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	p->dma_len++;
}

static void longer_than_mtu(struct run *run, struct rox_pkt *p, struct path *path)
{
	(void)run, (void)path;
	/* Of the link, that is: a datagram has no other. */
	p->payload_bytes = 4100;
}

static void short_receive(struct target *t)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)t->memory + WINDOW_AT, .length = 48, .lkey = t->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	CHECK_EQ(ibv_post_recv(t->qp, &wr, &bad), 0);
}

static void hop_by_hop(struct frame *f)
{
	frame_extend(f, 0);
}

static void destination_options(struct frame *f)
{
	frame_extend(f, 60);
}

static void only_fragment(struct frame *f)
{
	frame_extend(f, 44);
}

static void five_bytes(struct frame *f)
{
	frame_resize(f, bth_at(f) + 5);
}

static void bth_only(struct frame *f)
{
	frame_resize(f, bth_at(f) + ROX_BTH_BYTES);
}

static void version(struct frame *f)
{
	f->ip[bth_at(f) + 1] |= 1;
	frame_seal(f);
}

static void no_opcode(struct frame *f)
{
	f->ip[bth_at(f)] = 0x1f;
	frame_seal(f);
}

static void pad_of_nothing(struct frame *f)
{
	f->ip[bth_at(f) + 1] |= 0x30;
	frame_resize(f, bth_at(f) + ROX_BTH_BYTES + ROX_ICRC_BYTES);
	frame_seal(f);
}

static void odd(struct frame *f)
{
	frame_resize(f, f->bytes + 2);
	frame_seal(f);
}

static void wrong_icrc(struct frame *f)
{
	f->ip[f->bytes - 1] ^= 1;
}

static void udp_shorter(struct frame *f)
{
	f->ip[f->ip_bytes + 5] -= 4;
	frame_seal(f);
}

static void options(struct frame *f)
{
	memmove(f->ip + IP4_BYTES + 4, f->ip + IP4_BYTES, f->bytes - IP4_BYTES);
	memset(f->ip + IP4_BYTES, 1, 4);
	f->bytes += 4;
	f->ip[0] = 0x46;
	f->ip[3] += 4;
	frame_ip_checksum(f->ip);
}

static const struct reason reasons[] = {
	{ "five bytes", "rc", "short", ROX_OP_RC_SEND_ONLY, .damage = five_bytes },
	{ "no ICRC", "rc", "short", ROX_OP_RC_SEND_ONLY, .damage = bth_only },
	{ "no room for its headers", "rc", "short", ROX_OP_RC_RDMA_WRITE_ONLY, .damage = bth_only },
	{ "a transport version", "rc", "version", ROX_OP_RC_SEND_ONLY, .damage = version },
	{ "no such opcode", "rc", "opcode", ROX_OP_RC_SEND_ONLY, .damage = no_opcode },
	{ "pad without payload", "rc", "pad", ROX_OP_RC_SEND_ONLY, .damage = pad_of_nothing },
	{ "an odd length", "rc", "length", ROX_OP_RC_SEND_ONLY, .damage = odd },
	{ "a wrong ICRC", "rc", "icrc", ROX_OP_RC_SEND_ONLY, .damage = wrong_icrc },
	{ "a shorter UDP length", "rc", "icrc", ROX_OP_RC_SEND_ONLY, .damage = udp_shorter },
	{ "IP options", "rc", "unsupported", ROX_OP_RC_SEND_ONLY, .damage = options },
	{ "IP fragments", "rc", "unsupported", ROX_OP_RC_SEND_ONLY, .fragments = true },
	{ "no such QP", "rc", "no_qp", ROX_OP_RC_SEND_ONLY, .change = wrong_qpn },
	{ "multicast", "ud", "unsupported", ROX_OP_UD_SEND_ONLY, .change = multicast },
	{ "an address that no device has", "rc", "no_qp", ROX_OP_RC_SEND_ONLY, .change = elsewhere },
	{ "UC to RC", "rc", "service", ROX_OP_UC_SEND_ONLY },
	{ "RC to UD", "ud", "service", ROX_OP_RC_SEND_ONLY },
	{ "a wrong P_Key", "rc", "pkey", ROX_OP_RC_SEND_ONLY, .change = wrong_pkey },
	{ "a wrong Q_Key", "ud", "qkey", ROX_OP_UD_SEND_ONLY, .change = wrong_qkey },
	{ "a wrong Q_Key, to QP 1", "ud", "qkey", ROX_OP_UD_SEND_ONLY, .change = to_gsi },
	{ "a MAD of another version", "ud", "unsupported", ROX_OP_UD_SEND_ONLY, .change = another_mad },
	{ "a short MAD", "ud", "length", ROX_OP_UD_SEND_ONLY, .change = short_mad },
	{ "a stranger", "rc", "source", ROX_OP_RC_SEND_ONLY, .change = stranger },
	{ "a stranger, to UC", "uc", "source", ROX_OP_UC_SEND_ONLY, .change = stranger },
	{ "to a QP in RESET", "rc-reset", "qp_state", ROX_OP_RC_SEND_ONLY },
	{ "to a QP in INIT", "rc-init", "qp_state", ROX_OP_RC_SEND_ONLY },
	{ "to a UD QP in INIT", "ud-init", "qp_state", ROX_OP_UD_SEND_ONLY },
	{ "to a QP in ERR", "rc-err", "qp_state", ROX_OP_RC_SEND_ONLY },
	{ "an answer to a QP in RTR", "rc-rtr", "qp_state", ROX_OP_RC_ACKNOWLEDGE },
	{ "a duplicate", "rc", "duplicate", ROX_OP_RC_SEND_ONLY, .change = earlier },
	{ "a gap", "rc", "out_of_order", ROX_OP_RC_SEND_ONLY, .change = later },
	{ "an old answer", "rc", "stale", ROX_OP_RC_ACKNOWLEDGE, .change = old_answer },
	{ "an answer to nothing", "rc", "ghost", ROX_OP_RC_ACKNOWLEDGE, .change = early_answer },
	{ "no receive, UD", "ud", "no_recv", ROX_OP_UD_SEND_ONLY },
	{ "no receive, RC", "rc", "no_recv", ROX_OP_RC_SEND_ONLY },
	{ "a QP of IPv6, a stranger", "rc6", "source", ROX_OP_RC_SEND_ONLY, .change = stranger },
	{ "a QP of IPv6, by IPv4", "rc6", "source", ROX_OP_RC_SEND_ONLY, .change = other_family },
	{ "a QP of IPv4, by IPv6", "rc", "source", ROX_OP_RC_SEND_ONLY, .change = other_family },
	{ "IPv6, a wrong ICRC", "rc6", "icrc", ROX_OP_RC_SEND_ONLY, .damage = wrong_icrc },
	{ "IPv6, five bytes", "rc6", "short", ROX_OP_RC_SEND_ONLY, .damage = five_bytes },
	{ "IPv6, a hop-by-hop header", "rc6", "unsupported", ROX_OP_RC_SEND_ONLY, .damage = hop_by_hop },
	{ "IPv6, destination options", "rc6", "unsupported", ROX_OP_RC_SEND_ONLY, .damage = destination_options },
	{ "IPv6, a fragment that is all", "rc6", "unsupported", ROX_OP_RC_SEND_ONLY, .damage = only_fragment },
	{ "IPv6 fragments", "rc6", "unsupported", ROX_OP_RC_SEND_ONLY, .fragments = true },
	{ "IPv6, a duplicate", "rc6", "duplicate", ROX_OP_RC_SEND_ONLY, .change = earlier },
	{ "to a UC QP in INIT", "uc-init", "qp_state", ROX_OP_UC_SEND_ONLY },
	{ "to a UC QP in ERR", "uc-err", "qp_state", ROX_OP_UC_SEND_ONLY },
	{ "to a UD QP in ERR", "ud-err", "qp_state", ROX_OP_UD_SEND_ONLY },
	{ "no receive, UD in SQE", "ud-sqe", "no_recv", ROX_OP_UD_SEND_ONLY },
	{ "a middle without a first, RC", "rc", "sequence", ROX_OP_RC_SEND_MIDDLE, .once = true },
	{ "a middle without a first, UC", "uc", "sequence", ROX_OP_UC_SEND_MIDDLE, .once = true },
	{ "a wrong key, RC", "rc", "access", ROX_OP_RC_RDMA_WRITE_ONLY, .change = wrong_key, .once = true },
	{ "a READ by a wrong key", "rc", "access", ROX_OP_RC_RDMA_READ_REQUEST, .change = wrong_key, .once = true },
	{ "a wrong key, UC", "uc", "access", ROX_OP_UC_RDMA_WRITE_ONLY, .change = wrong_key, .in_turn = true },
	{ "a key without that right", "uc", "access", ROX_OP_UC_RDMA_WRITE_ONLY, .change = key_without_right, .in_turn = true },
	{ "a byte behind the region", "uc6", "access", ROX_OP_UC_RDMA_WRITE_ONLY, .change = over_the_end, .in_turn = true },
	{ "a WRITE that is short, RC", "rc", "length", ROX_OP_RC_RDMA_WRITE_ONLY, .change = says_more, .once = true },
	{ "a WRITE that is short, UC", "uc", "length", ROX_OP_UC_RDMA_WRITE_ONLY, .change = says_more, .in_turn = true },
	{ "longer than a datagram may be", "ud", "length", ROX_OP_UD_SEND_ONLY, .change = longer_than_mtu },
	{ "longer than its receive, UD", "ud", "recv_length", ROX_OP_UD_SEND_ONLY, .prepare = short_receive },
	{ "longer than its receive, RC", "rc6", "recv_length", ROX_OP_RC_SEND_ONLY, .prepare = short_receive, .once = true },
};

long counter_of(const struct run *run, const char *name)
{
	char path[256];
	long value = -1;
	FILE *file;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 ibv_get_device_name(run->ts.dev.context->device), name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%ld", &value) != 1)
		value = -1;
	if (file)
		fclose(file);
	return value;
}

long drops_of(const struct run *run)
{
	static const char * const names[] = {
#define NAME(sym, text) "drop_" text,
		ROX_DROP_REASONS(NAME)
#undef NAME
	};
	unsigned int i;
	long sum = 0;

	for (i = 1; i < ARRAY_SIZE(names); i++)
		sum += counter_of(run, names[i]);
	return sum;
}

/* Put together again it would be a packet without any fault. */
static void send_in_pieces(struct run *run, struct frame *f)
{
	if (!is_ipv6(f))
		f->ip[6] = 0;
	frame_seal(f);
	link_send_fragments(&run->link, f, 4);
}

static void send_all(struct run *run, const struct reason *reason)
{
	struct target *t = target_named(&run->ts, reason->target);
	struct path path = *path_to(run, t);
	static struct frame f;
	struct rox_pkt p;
	int i;

	target_look(&run->ts, t);
	if (reason->prepare)
		reason->prepare(t);
	p = packet_for(run, t, reason->opcode);
	if (reason->change)
		reason->change(run, &p, &path);
	for (i = 0; i < (reason->once ? 1 : TIMES); i++) {
		frame_make(&f, &path, &p, 0x33);
		if (reason->damage)
			reason->damage(&f);
		if (reason->fragments)
			send_in_pieces(run, &f);
		else
			link_send(&run->link, &f);
		if (reason->in_turn)
			p.psn = (p.psn + 1) & 0xffffff;
	}
	link_flush(&run->link);
}

/*
 * The counters are cached for a moment, and packets take theirs. What is counted
 * twice comes a moment later than what is wanted.
 */
static long settled(const struct run *run, const char *name, long want)
{
	long value = 0;
	int i;

	for (i = 0; i < 40; i++) {
		usleep(50000);
		value = name ? counter_of(run, name) : drops_of(run);
		if (value >= want)
			break;
	}
	usleep(100000);
	return name ? counter_of(run, name) : drops_of(run);
}

int counted(struct run *run, int *results)
{
	unsigned int i;
	int failed = 0;

	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		long before, all_before, by, all, want = reasons[i].once ? 1 : TIMES;
		char name[64];
		bool good;

		snprintf(name, sizeof(name), "drop_%s", reasons[i].counter);
		usleep(50000);
		before = counter_of(run, name);
		all_before = drops_of(run);
		send_all(run, &reasons[i]);
		by = settled(run, name, before + want) - before;
		all = settled(run, NULL, all_before + want) - all_before;
		good = by == want && all == want;
		if (!good)
			printf("# %s: %s went up by %ld, all drops by %ld, should by %ld\n",
			       reasons[i].what, name, by, all, want);
		printf("%s %d dropped and counted: %s\n", good ? "ok" : "not ok",
		       ++*results, reasons[i].what);
		failed += !good;
	}
	return failed;
}
