// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The hostile network: packets of all kinds, with right ICRCs, as fast as they
 * go, at queue pairs of every type in every state; beside them a program by the
 * book, and one that watches the CPUs.
 *
 *	packets -d DEVICE -g GID-INDEX [-s SEED] [-t SECONDS]
 *
 * in the topology that run.sh makes.
 */
#include <arpa/inet.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>

#include "../uverbs/beside.h"
#undef GUARD
#include "packets.h"

/* As many equal bytes in a row come from nowhere but a secret. */
#define RUN		16

static struct shared *shared;

void broken(struct shared *where, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(where->broken, sizeof(where->broken), format, args);
	va_end(args);
}

/* What the device sends back holds nothing that it was not allowed to read. */
static void read_answers(struct run *run)
{
	static uint8_t secret[RUN], guard[RUN], buf[FRAME_BYTES];
	size_t bytes;

	memset(secret, SECRET, RUN);
	memset(guard, GUARD, RUN);
	while ((bytes = link_receive(&run->link, buf, sizeof(buf)))) {
		run->answers++;
		if (memmem(buf, bytes, secret, RUN) || memmem(buf, bytes, guard, RUN))
			run->broken = "the device sent memory that no key grants";
	}
}

static long unreclaimable_kib(void)
{
	char line[128];
	long kib = 0;
	FILE *file;

	file = fopen("/proc/meminfo", "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SUnreclaim: %ld", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

static void flood(struct run *run, unsigned int seconds, long *grown)
{
	double start = now(), end = start + seconds, next = 0;
	long before = unreclaimable_kib();
	struct target *t;
	unsigned int i;

	while (now() < end && !run->broken) {
		/* In the second half some are merged on their way. */
		if (!run->merged && now() > start + seconds / 2.0) {
			merging(true);
			merged_since();
			run->merged = true;
		}
		t = &run->ts.all[below(&run->seed, one_in(&run->seed, 4) ? run->ts.nr : 5)];
		target_look(&run->ts, t);
		if (one_in(&run->seed, 8))
			target_feed(&run->ts, t);
		for (i = 0; i < 40; i++)
			send_random(run, t);
		link_flush(&run->link);
		read_answers(run);
		if (now() < next)
			continue;
		next = now() + 0.5;
		if (!run->broken)
			run->broken = targets_check(&run->ts);
		if (unreclaimable_kib() - before > *grown)
			*grown = unreclaimable_kib() - before;
	}
}

static int results, failed;

static void result(bool good, const char *what)
{
	printf("%s %d %s\n", good ? "ok" : "not ok", ++results, what);
	failed += !good;
}

static void storm(struct run *run, unsigned int seconds)
{
	long received = counter_of(run, "rcvd_pkts"), dropped = drops_of(run), grown = 0;
	struct beside beside;
	bool good, went;
	long merged;

	beside_start(&beside, shared);
	beside_calm(&beside, shared);
	flood(run, seconds - seconds / 4, &grown);
	merged = merged_since();
	merging(false);
	went = rate(run, seconds / 4);
	read_answers(run);
	good = beside_end(&beside, shared);
	usleep(100000);
	received = counter_of(run, "rcvd_pkts") - received;
	dropped = drops_of(run) - dropped;
	printf("# %llu sent, %llu of them with IPv6, %llu by tap and %llu as super-packets; %ld received for a QP, %ld dropped, %llu answers; %llu times a QP died and was revived\n",
	       (unsigned long long)run->sent, (unsigned long long)run->ipv6,
	       (unsigned long long)run->by_tap,
	       (unsigned long long)run->supers, received, dropped,
	       (unsigned long long)run->answers, (unsigned long long)run->ts.revived);
	printf("# %ld were merged with others on their way; kernel memory grew by %ld KiB\n",
	       merged, grown);
	if (run->broken)
		printf("# %s\n", run->broken);
	result(!run->broken, "memory that no key grants is neither read nor written");
	result(good, "a program beside has what it sent");
	result(victim_content(shared), "a program beside is not kept waiting for long");
	result(received > 1000 && dropped > 100 && run->answers > 10, "they reached the queue pairs");
	result(went, "they do so as fast as they can be sent");
	result(merged > 0 && run->ipv6 > 100, "some of IPv6, some merged on their way");
	result(bystander_content(shared), "no CPU is held for long");
	result(grown < 64 << 10, "memory is bounded");
}

/* How many a QP receives of what @send sends 16 times. */
static long received_of(struct run *run, void (*send)(struct run *run, struct frame *f, int i))
{
	struct rox_pkt p = uc_write(run, target_named(&run->ts, "uc"));
	static struct frame f;
	long before;
	int i;

	usleep(50000);
	before = counter_of(run, "rcvd_pkts");
	run->link.refused = 0;
	for (i = 0; i < 16; i++) {
		frame_make(&f, &run->path, &p, 0x44);
		send(run, &f, i);
	}
	usleep(500000);
	return counter_of(run, "rcvd_pkts") - before;
}

static void send_cut(struct run *run, struct frame *f, int i)
{
	tap_send_cut(&run->link, f, 20 + i * 13);
}

static void send_super(struct run *run, struct frame *f, int i)
{
	tap_send_gso(&run->link, f, 2 + i);
}

static bool kernel_before(unsigned int major, unsigned int minor)
{
	unsigned int a = 0, b = 0;
	struct utsname name;

	CHECK(!uname(&name) && sscanf(name.release, "%u.%u", &a, &b) == 2);
	return a < major || (a == major && b < minor);
}

/* Buffers that are not one piece of memory, or more than one packet. */
static void odd_buffers(struct run *run)
{
	long received = received_of(run, send_cut);
	bool takes_none;

	printf("# of 16 packets in pieces, %ld were received, errno %d\n", received,
	       run->link.refused);
	result(received == 16, "a packet in many pieces of memory is read whole");
	received = received_of(run, send_super);
	takes_none = run->link.refused == EINVAL && kernel_before(6, 2);
	printf("# of 16 super-packets of 152 packets, %ld were received, errno %d\n",
	       received, run->link.refused);
	result(received == 152 || takes_none,
	       takes_none ? "super-packets # SKIP this kernel's tap devices take none" :
				   "a super-packet is cut before it is looked at");
}

int main(int argc, char **argv)
{
	static struct run run;
	unsigned int seconds = 15;
	uint64_t seed = time(NULL);
	int option;

	while ((option = getopt(argc, argv, "d:g:s:t:")) != -1) {
		if (option == 'd')
			device_name = optarg;
		else if (option == 'g')
			gid_index = atoi(optarg);
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 't')
			seconds = atoi(optarg);
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	snprintf(shared->device, sizeof(shared->device), "%s", device_name);
	shared->gid_index = gid_index;
	printf("TAP version 13\n# seed %llu, %u s\n", (unsigned long long)seed, seconds);
	run.seed = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	run.path.sport = 0xc123;
	inet_pton(AF_INET, "10.3.0.2", run.path.from);
	inet_pton(AF_INET, "10.3.0.1", run.path.to);
	run.path6 = (struct path){ .ipv6 = true, .sport = 0xc456 };
	inet_pton(AF_INET6, "fd00:3::2", run.path6.from);
	inet_pton(AF_INET6, "fd00:3::1", run.path6.to);
	link_open(&run.link, "rt-b", "rta", "rtb");
	tap_open(&run.link, "rtt");
	targets_open(&run.ts, "10.3.0.2", "fd00:3::2");
	failed += counted(&run, &results);
	failed += merge(&run, &results);
	odd_buffers(&run);
	storm(&run, seconds);
	printf("1..%d\n# Totals: pass:%d fail:%d skip:0\n", results, results - failed,
	       failed);
	return failed ? 1 : 0;
}
