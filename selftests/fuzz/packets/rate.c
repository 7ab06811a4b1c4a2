// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * As many packets a second as this machine can send: they are made before, and
 * sent again and again. Some are taken, some are answered, most are dropped.
 */
#include "packets.h"

#define EACH	16

struct recipe {
	const char *target;
	u8 opcode;
	void (*change)(struct rox_pkt *p, int i);
	bool damaged;
};

static void in_turn(struct rox_pkt *p, int i)
{
	p->psn = (p->psn + i) & 0xffffff;
}

static void earlier(struct rox_pkt *p, int i)
{
	p->psn = (p->psn - 1 - i) & 0xffffff;
	p->ackreq = true;
}

static void nobody(struct rox_pkt *p, int i)
{
	p->dqpn = 0xfffff0 + i % 8;
}

static const struct recipe recipes[] = {
	{ "ud", ROX_OP_UD_SEND_ONLY },
	{ "uc", ROX_OP_UC_RDMA_WRITE_ONLY, in_turn },
	{ "uc6", ROX_OP_UC_RDMA_WRITE_ONLY, in_turn },
	{ "rc", ROX_OP_RC_SEND_ONLY, earlier },
	{ "rc6", ROX_OP_RC_RDMA_WRITE_ONLY, earlier },
	{ "rc", ROX_OP_RC_ACKNOWLEDGE, earlier },
	{ "rc", ROX_OP_RC_SEND_ONLY, nobody },
	{ "rc", ROX_OP_RC_SEND_ONLY, .damaged = true },
	{ "ud-err", ROX_OP_UD_SEND_ONLY },
};

static unsigned int prepare(struct run *run, struct frame *frames)
{
	unsigned int i, j, nr = 0;

	for (i = 0; i < ARRAY_SIZE(recipes); i++) {
		struct target *t = target_named(&run->ts, recipes[i].target);

		target_look(&run->ts, t);
		target_feed(&run->ts, t);
		for (j = 0; j < EACH; j++) {
			struct rox_pkt p = packet_for(run, t, recipes[i].opcode);

			if (recipes[i].change)
				recipes[i].change(&p, j);
			frame_make(&frames[nr], path_to(run, t), &p, 0x66);
			if (recipes[i].damaged)
				frames[nr].ip[frames[nr].bytes - 1] ^= 1;
			nr++;
		}
	}
	return nr;
}

bool rate(struct run *run, unsigned int seconds)
{
	static struct frame frames[ARRAY_SIZE(recipes) * EACH];
	unsigned int nr = prepare(run, frames);
	long received, dropped;
	double start, took;
	uint64_t sent = 0;

	received = counter_of(run, "rcvd_pkts");
	dropped = drops_of(run);
	start = now();
	do {
		link_send_all(&run->link, frames, nr);
		sent += nr;
		took = now() - start;
	} while (took < seconds);
	usleep(100000);
	received = counter_of(run, "rcvd_pkts") - received;
	dropped = drops_of(run) - dropped;
	printf("# as fast as they go: %.0f packets/s for %.0f s; of %llu, %ld were received for a QP and %ld dropped\n",
	       sent / took, took, (unsigned long long)sent, received, dropped);
	run->sent += sent;
	return received > 1000 && dropped > 1000;
}
