// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A wire whose receiver collects packets of a flow, and hands them on as one. How many
 * were is what IP counted as packets, but not as deliveries.
 */
#include "packets.h"

#define FLOW	150
/* Packets of two messages. */
#define MESSAGE	10
#define PADDING	12

static void set(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(value, file) >= 0 && !fclose(file));
}

/* With the other two a veth takes part in it too. */
void merging(bool on)
{
	static const char * const commands[] = {
		"ethtool -K rta gro off rx-gro-list off rx-udp-gro-forwarding off",
		"ethtool -K rta gro on rx-gro-list on rx-udp-gro-forwarding on",
	};

	if (system(commands[on]))
		FAIL("%s", commands[on]);
	/* What may wait for more of its flow, in ns. */
	set("/sys/class/net/rta/gro_flush_timeout", on ? "2000000" : "0");
	set("/sys/class/net/rta/napi_defer_hard_irqs", on ? "1" : "0");
}

/* The value below the name: two lines a protocol, names and values. */
static long ip_count(const char *path, const char *protocol, const char *name)
{
	char names[4096], values[4096], *n, *v, *rest_n, *rest_v;
	size_t bytes = strlen(protocol);
	FILE *file = fopen(path, "r");

	CHECK(file);
	while (fgets(names, sizeof(names), file) && fgets(values, sizeof(values), file)) {
		if (strncmp(names, protocol, bytes))
			continue;
		fclose(file);
		n = strtok_r(names, " \n", &rest_n);
		v = strtok_r(values, " \n", &rest_v);
		for (; n && v; n = strtok_r(NULL, " \n", &rest_n), v = strtok_r(NULL, " \n", &rest_v))
			if (!strcmp(n, name))
				return atol(v);
		break;
	}
	FAIL("no %s in %s", name, path);
}

/* IPv6 has one a line. */
static long ip6_count(const char *name)
{
	FILE *file = fopen("/proc/net/snmp6", "r");
	char found[64];
	long value;

	CHECK(file);
	while (fscanf(file, "%63s %ld", found, &value) == 2)
		if (!strcmp(found, name)) {
			fclose(file);
			return value;
		}
	FAIL("no %s of IPv6", name);
}

long merged_since(void)
{
	static const char * const kinds[] = {
		"InNoECTPkts", "InECT1Pkts", "InECT0Pkts", "InCEPkts",
	};
	static long last;
	long packets = 0, before = last;
	char name[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		snprintf(name, sizeof(name), "Ip6%s", kinds[i]);
		packets += ip_count("/proc/net/netstat", "IpExt:", kinds[i]) + ip6_count(name);
	}
	last = packets - ip_count("/proc/net/snmp", "Ip:", "InReceives") -
	       ip6_count("Ip6InReceives");
	return last - before;
}

struct kind {
	const char *target, *what;
	void (*change)(struct frame *f);
	bool merges, dropped;
};

/* As some senders number what may not be fragmented: not at all. */
static void same_id(struct frame *f)
{
	f->ip[4] = 0;
	f->ip[5] = 0;
	frame_seal(f);
}

/* Which the stack looks behind when it collects, and we do not. */
static void destination_options(struct frame *f)
{
	frame_extend(f, 60);
}

static const struct kind kinds[] = {
	{ "uc", "packets that are merged are received one by one", NULL, true },
	{ "uc6", "and so are those of IPv6", NULL, true },
	{ "uc", "what could not be taken apart as it was is not merged", same_id, false },
	{ "uc", "nor is what has a UDP checksum", frame_udp_checksum, false },
	{ "uc6", "nor what has an extension header, all of which is dropped", destination_options,
	  .dropped = true },
};

/*
 * Number @i of messages one after the other; behind each long one comes one of no
 * bytes, padded, as NICs do with what is shorter than 60.
 */
static void make_part(const struct run *run, const struct target *t,
		      const struct kind *kind, struct rox_pkt *p, int i, struct frame *f)
{
	int part = i % MESSAGE;
	bool empty = part == MESSAGE - 1;

	p->payload_bytes = empty ? 0 : 1024;
	p->dma_len = empty ? 0 : (MESSAGE - 1) * 1024;
	p->opcode = ROX_OP_UC_RDMA_WRITE_MIDDLE;
	if (empty)
		p->opcode = ROX_OP_UC_RDMA_WRITE_ONLY;
	else if (part == 0)
		p->opcode = ROX_OP_UC_RDMA_WRITE_FIRST;
	else if (part == MESSAGE - 2)
		p->opcode = ROX_OP_UC_RDMA_WRITE_LAST;
	frame_make(f, path_to(run, t), p, 0x44);
	if (kind->change)
		kind->change(f);
	if (empty) {
		memset(f->ip + f->bytes, 0, PADDING);
		f->bytes += PADDING;
	}
}

static bool merge_kind(struct run *run, const struct kind *kind)
{
	struct target *t = target_named(&run->ts, kind->target);
	long before, received, dropped, merged;
	static struct frame f;
	struct rox_pkt p;
	int i;

	p = uc_write(run, t);
	usleep(50000);
	before = counter_of(run, "rcvd_pkts");
	dropped = drops_of(run);
	merged_since();
	for (i = 0; i < FLOW; i++, p.psn = (p.psn + 1) & 0xffffff) {
		make_part(run, t, kind, &p, i, &f);
		link_send(&run->link, &f);
	}
	link_flush(&run->link);
	usleep(500000);
	received = counter_of(run, "rcvd_pkts") - before;
	dropped = drops_of(run) - dropped;
	merged = merged_since();
	printf("# of %d packets of a flow %ld were received and %ld dropped, %ld of them merged with another\n",
	       FLOW, received, dropped, merged);
	return (kind->dropped ? dropped == FLOW : received == FLOW && !dropped) &&
	       (merged > 0) == kind->merges;
}

int merge(struct run *run, int *results)
{
	unsigned int i;
	int failed = 0;
	bool good;

	merging(true);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		good = merge_kind(run, &kinds[i]);
		failed += !good;
		printf("%s %d %s\n", good ? "ok" : "not ok", ++*results, kinds[i].what);
	}
	merging(false);
	return failed;
}
