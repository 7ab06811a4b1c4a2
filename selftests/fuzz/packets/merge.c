// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A wire whose receiver merges datagrams of a flow into super-packets, which a
 * socket that cannot have them gets one by one. Only what has a UDP checksum is
 * merged. How many were is what IP counted as packets, but not as deliveries.
 */
#include "packets.h"

#define FLOW	150

static void set(const char *path, const char *value)
{
	FILE *file = fopen(path, "w");

	CHECK(file && fputs(value, file) >= 0 && !fclose(file));
}

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

long merged_since(void)
{
	static const char * const kinds[] = {
		"InNoECTPkts", "InECT1Pkts", "InECT0Pkts", "InCEPkts",
	};
	static long last;
	long packets = 0, before = last;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		packets += ip_count("/proc/net/netstat", "IpExt:", kinds[i]);
	last = packets - ip_count("/proc/net/snmp", "Ip:", "InReceives");
	return last - before;
}

int merge(struct run *run, int *results)
{
	long before, received, merged;
	static struct frame f;
	struct rox_pkt p;
	bool good;
	int i;

	merging(true);
	p = uc_write(run);
	usleep(50000);
	before = counter_of(run, "rcvd_pkts");
	merged_since();
	for (i = 0; i < FLOW; i++, p.psn = (p.psn + 1) & 0xffffff) {
		frame_make(&f, &run->path, &p, 0x44);
		frame_udp_checksum(&f);
		link_send(&run->link, &f);
	}
	link_flush(&run->link);
	usleep(500000);
	received = counter_of(run, "rcvd_pkts") - before;
	merged = merged_since();
	merging(false);
	good = received == FLOW && merged > 0;
	printf("# of %d packets of a flow %ld were received, %ld of them merged with another\n",
	       FLOW, received, merged);
	printf("%s %d packets that the stack merged are received one by one\n",
	       good ? "ok" : "not ok", ++*results);
	return !good;
}
