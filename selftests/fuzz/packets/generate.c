// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Packets that a peer may send, and should not: any opcode in any order, any
 * key, address, length and number, bytes changed and the ICRC made right again.
 */
#include "packets.h"

static uint8_t harmless_byte(uint64_t *seed)
{
	uint8_t byte = rnd(seed);

	return byte == SECRET || byte == GUARD ? 0 : byte;
}

static u8 random_opcode(uint64_t *seed, const struct target *t)
{
	u8 opcode;

	do {
		opcode = rnd(seed);
		if (one_in(seed, 10))
			continue;
		opcode = (opcode & 0x1f) |
			 (t->type == IBV_QPT_RC ? ROX_SVC_RC :
			  t->type == IBV_QPT_UC ? ROX_SVC_UC : ROX_SVC_UD);
	} while (!rox_opcodes[opcode].hdr_bytes);
	return opcode;
}

struct rox_pkt packet_for(const struct run *run, const struct target *t, u8 opcode)
{
	struct rox_pkt p = {
		.opcode = opcode,
		.migreq = true,
		.pkey = ROX_DEFAULT_PKEY,
		.dqpn = t->qp->qp_num,
		.psn = t->epsn,
		.qkey = QKEY,
		.sqpn = PEER_QPN,
		.rkey = t->mr->rkey,
		.va = (uintptr_t)t->memory + WINDOW_AT,
	};

	(void)run;
	if (rox_opcodes[opcode].flags & ROX_OPF_FULL)
		p.payload_bytes = 1024;
	else if (rox_opcodes[opcode].flags & ROX_OPF_PAYLOAD)
		p.payload_bytes = 64;
	p.dma_len = p.payload_bytes;
	return p;
}

struct rox_pkt uc_write(struct run *run, struct target *t)
{
	struct rox_pkt p;

	target_look(&run->ts, t);
	p = packet_for(run, t, ROX_OP_UC_RDMA_WRITE_ONLY);
	p.payload_bytes = 500;
	p.dma_len = 500;
	return p;
}

static void random_payload(uint64_t *seed, struct rox_pkt *p)
{
	if (!(rox_pkt_op(p)->flags & ROX_OPF_PAYLOAD) && !one_in(seed, 20))
		return;
	switch (below(seed, 5)) {
	case 0:
		p->payload_bytes = below(seed, 1025);
		break;
	case 1:
		p->payload_bytes = below(seed, 4200);
		break;
	case 2:
		p->payload_bytes = edge(seed) % 4200;
		break;
	}
	p->pad = -p->payload_bytes & 3;
	if (one_in(seed, 20))
		p->pad = below(seed, 4);
}

static void random_memory(const struct run *run, uint64_t *seed,
			  const struct target *t, struct rox_pkt *p)
{
	switch (below(seed, 6)) {
	case 0:
		p->va += below(seed, WINDOW_BYTES);
		break;
	case 1:
		p->va += edge(seed);
		break;
	case 2:
		p->rkey = run->ts.secret_mr->rkey;
		p->va = (uintptr_t)run->ts.secret + below(seed, SECRET_BYTES);
		break;
	case 3:
		p->rkey = one_in(seed, 2) ? rnd(seed) : below(seed, 2);
		break;
	}
	(void)t;
	p->dma_len = one_in(seed, 3) ? edge(seed) :
		     one_in(seed, 2) ? below(seed, WINDOW_BYTES) : p->payload_bytes;
	if (rox_pkt_op(p)->flags & ROX_OPF_ATOMIC && !one_in(seed, 8))
		p->va &= ~7ULL;
	p->swap_add = rnd(seed);
	p->compare = rnd(seed);
	p->ieth = p->rkey;
}

static void random_sequence(uint64_t *seed, struct target *t, struct rox_pkt *p)
{
	bool response = rox_pkt_op(p)->flags & ROX_OPF_RESPONSE;

	p->psn = response ? t->psn - below(seed, 12) : t->epsn;
	if (one_in(seed, 6))
		p->psn += below(seed, 40) - 20;
	else if (one_in(seed, 30))
		p->psn = rnd(seed);
	else if (!response)
		t->epsn++;
	p->psn &= 0xffffff;
	p->ackreq = one_in(seed, 2);
	p->solicited = one_in(seed, 4);
	p->syndrome = one_in(seed, 2) ? 0x1f : rnd(seed);
	p->msn = rnd(seed) & 0xffffff;
	p->atomic_orig = rnd(seed);
}

static void random_address(const struct run *run, uint64_t *seed, struct rox_pkt *p)
{
	if (one_in(seed, 40))
		p->dqpn = rnd(seed) & 0xffffff;
	if (one_in(seed, 40))
		p->pkey = rnd(seed);
	if (one_in(seed, 40))
		p->qkey = rnd(seed);
	(void)run;
	/* The connection manager's. */
	if (one_in(seed, 30)) {
		p->opcode = ROX_OP_UD_SEND_ONLY;
		p->dqpn = ROX_GSI_QPN;
		p->qkey = ROX_GSI_QKEY;
		p->payload_bytes = one_in(seed, 4) ? below(seed, 1024) : 256;
		p->pad = -p->payload_bytes & 3;
	}
	if (one_in(seed, 60)) {
		p->opcode = ROX_OP_CNP;
		p->payload_bytes = 0;
		p->pad = 0;
	}
}

static void mutate(uint64_t *seed, struct frame *f)
{
	unsigned int i, nr = 1 + below(seed, 4);

	for (i = 0; i < nr; i++)
		f->ip[bth_at(f) + below(seed, one_in(seed, 2) ? 28 : f->bytes - bth_at(f))] =
			harmless_byte(seed);
}

const struct path *path_to(const struct run *run, const struct target *t)
{
	return t->ipv6 ? &run->path6 : &run->path;
}

static void deform(uint64_t *seed, struct frame *f)
{
	switch (below(seed, 5)) {
	case 0:
		frame_resize(f, bth_at(f) + below(seed, 80));
		break;
	case 1:
		frame_resize(f, f->bytes + below(seed, 300));
		break;
	case 2:
		/* UDP says less, or more, than there is. */
		f->ip[f->ip_bytes + 4] = rnd(seed) & 0x0f;
		f->ip[f->ip_bytes + 5] = rnd(seed);
		break;
	case 3:
		f->ip[1] = rnd(seed);
		/* The time to live, or the hop limit. */
		f->ip[is_ipv6(f) ? 7 : 8] = 1 + below(seed, 255);
		break;
	default:
		frame_resize(f, f->bytes - 1 - below(seed, 8));
	}
}

static void leave(struct run *run, uint64_t *seed, struct frame *f)
{
	run->sent++;
	if (one_in(seed, 40)) {
		link_send_fragments(&run->link, f, 1 + below(seed, 100));
	} else if (one_in(seed, 12)) {
		run->by_tap++;
		tap_send(&run->link, seed, f);
	} else if (one_in(seed, 60)) {
		run->supers++;
		tap_send_gso(&run->link, f, 2 + below(seed, 14));
	} else {
		link_send(&run->link, f);
	}
}

void send_random(struct run *run, struct target *t)
{
	static struct frame f;
	uint64_t *seed = &run->seed;
	static const uint8_t extensions[] = { 0, 43, 44, 60 };
	struct path path = *path_to(run, t);
	struct rox_pkt p;

	p = packet_for(run, t, random_opcode(seed, t));
	random_payload(seed, &p);
	random_memory(run, seed, t, &p);
	random_sequence(seed, t, &p);
	random_address(run, seed, &p);
	/* Datagrams come from anywhere. */
	if (t->type == IBV_QPT_UD && one_in(seed, 3))
		path = run->path6;
	run->ipv6 += path.ipv6;
	path.sport = run->merged && one_in(seed, 2) ? path.sport : 0xc000 | below(seed, 0x4000);
	if (one_in(seed, 50))
		path.from[below(seed, path.ipv6 ? 16 : 4)] ^= 1 << below(seed, 8);
	frame_make(&f, &path, &p, harmless_byte(seed));
	if (one_in(seed, 5))
		mutate(seed, &f);
	if (one_in(seed, 12))
		deform(seed, &f);
	if (!one_in(seed, 25))
		frame_seal(&f);
	if (one_in(seed, 8))
		frame_udp_checksum(&f);
	if (is_ipv6(&f) && one_in(seed, 25))
		frame_extend(&f, extensions[below(seed, 4)]);
	leave(run, seed, &f);
}
