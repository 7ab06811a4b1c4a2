// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Connections by the connection manager, one after the other, each used once and
 * taken down again: what one takes, and that the last ones take no more.
 *
 *   storm-connect CONNECTIONS ADDRESS	of a device here
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "side.h"

#define PORT		7471
#define ROUNDS		5
#define WRS		4
#define BYTES		64
/* The last round's against the second one's. */
#define SLOWER		2
#define GROWTH_KB	2048

static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;
static double limit;

/* Both ends; what they share is made with the first one. */
struct ends {
	struct rdma_cm_id *client, *server;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	int established, disconnected;
};

static bool failed(const char *what)
{
	printf("# connect: %s: %s\n", what, strerror(errno));
	return false;
}

static struct sockaddr_in address_of(const char *text, int port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, text, &address.sin_addr);
	return address;
}

/* Whatever else comes is of a connection that is over. */
static void note(struct ends *ends, const struct rdma_cm_event *event)
{
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		ends->server = event->id;
	if (event->event == RDMA_CM_EVENT_ESTABLISHED)
		ends->established++;
	if (event->event == RDMA_CM_EVENT_DISCONNECTED)
		ends->disconnected++;
}

/* The next event, which must be @wanted, or any that is none of an error: -1. */
static bool next(struct ends *ends, int wanted)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	struct rdma_cm_event *event;
	int got, status;

	if (poll(&fd, 1, limit * 1000) != 1) {
		errno = ETIMEDOUT;
		return failed("no event");
	}
	if (rdma_get_cm_event(channel, &event))
		return failed("event");
	got = event->event;
	status = event->status;
	note(ends, event);
	rdma_ack_cm_event(event);
	if (wanted < 0 ? status == 0 : got == wanted)
		return true;
	printf("# connect: %s, status %d, instead of %s\n", rdma_event_str(got),
	       status, wanted < 0 ? "success" : rdma_event_str(wanted));
	return false;
}

static bool make_qp(struct ends *ends, struct rdma_cm_id *id)
{
	static uint8_t memory[2 * BYTES];
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { WRS, WRS, 1, 1, 0 },
		.sq_sig_all = 1,
	};

	if (!ends->pd) {
		ends->pd = ibv_alloc_pd(id->verbs);
		ends->cq = ibv_create_cq(id->verbs, 4 * WRS, NULL, NULL, 0);
		ends->mr = ends->pd ? ibv_reg_mr(ends->pd, memory, sizeof(memory),
						 ALL_ACCESS) : NULL;
	}
	if (!ends->mr || !ends->cq)
		return failed("PD, CQ, MR");
	init.send_cq = ends->cq;
	init.recv_cq = ends->cq;
	return !rdma_create_qp(id, ends->pd, &init) || failed("QP");
}

static bool receive(struct ends *ends)
{
	struct ibv_sge sge = {
		(uintptr_t)ends->mr->addr + BYTES, BYTES, ends->mr->lkey,
	};
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = 1 };

	return !ibv_post_recv(ends->server->qp, &wr, &bad) || failed("receive");
}

/* One message; both of its completions. */
static bool use(struct ends *ends)
{
	struct ibv_sge sge = { (uintptr_t)ends->mr->addr, BYTES, ends->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
	};
	double end = now() + limit;
	struct ibv_wc wc;
	int done = 0;

	if (ibv_post_send(ends->client->qp, &wr, &bad))
		return failed("send");
	while (done < 2 && now() < end)
		if (ibv_poll_cq(ends->cq, 1, &wc) == 1) {
			if (wc.status)
				break;
			done++;
		}
	if (done < 2)
		printf("# connect: %d completions of a message\n", done);
	return done == 2;
}

static bool establish(struct ends *ends, struct sockaddr_in *to)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
		.rnr_retry_count = 7,
	};

	if (rdma_create_id(channel, &ends->client, NULL, RDMA_PS_TCP))
		return failed("ID");
	if (rdma_resolve_addr(ends->client, NULL, (struct sockaddr *)to, limit * 1000) ||
	    !next(ends, RDMA_CM_EVENT_ADDR_RESOLVED) ||
	    rdma_resolve_route(ends->client, limit * 1000) ||
	    !next(ends, RDMA_CM_EVENT_ROUTE_RESOLVED))
		return failed("way to the address");
	if (!make_qp(ends, ends->client))
		return false;
	if (rdma_connect(ends->client, &param) ||
	    !next(ends, RDMA_CM_EVENT_CONNECT_REQUEST))
		return failed("connect");
	if (!make_qp(ends, ends->server) || !receive(ends))
		return false;
	if (rdma_accept(ends->server, &param))
		return failed("accept");
	while (ends->established < 2)
		if (!next(ends, -1))
			return false;
	return true;
}

static bool wait_disconnected(struct ends *ends, int nr)
{
	while (ends->disconnected < nr)
		if (!next(ends, -1))
			return false;
	return true;
}

static bool take_down(struct ends *ends)
{
	struct ibv_wc wc;

	/* The one who asks hears of it when the other has agreed. */
	if (rdma_disconnect(ends->client) || !wait_disconnected(ends, 1) ||
	    rdma_disconnect(ends->server) || !wait_disconnected(ends, 2))
		return failed("disconnect");
	rdma_destroy_qp(ends->client);
	rdma_destroy_qp(ends->server);
	while (ibv_poll_cq(ends->cq, 1, &wc) == 1)
		;
	if (rdma_destroy_id(ends->client) || rdma_destroy_id(ends->server))
		return failed("end of an ID");
	ends->established = 0;
	ends->disconnected = 0;
	return true;
}

static bool one_round(struct ends *ends, struct sockaddr_in *to, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (!establish(ends, to) || !use(ends) || !take_down(ends)) {
			printf("# connect: that was number %d of %d\n", i + 1, n);
			return false;
		}
	return true;
}

static bool listen_at(struct sockaddr_in *address)
{
	channel = rdma_create_event_channel();
	return channel && !rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) &&
	       !rdma_bind_addr(listener, (struct sockaddr *)address) &&
	       !rdma_listen(listener, 16);
}

static bool rounds(struct ends *ends, struct sockaddr_in *to, int n)
{
	double took[ROUNDS], start;
	long kb[ROUNDS];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		start = now();
		if (!one_round(ends, to, n))
			return false;
		took[i] = now() - start;
		/* What the protocol keeps for a while of those that are over. */
		pause_ms(3000);
		kb[i] = settled_memory();
		printf("# connect: round %d of %d, %d connections: %.2f ms each, %ld kB free after\n",
		       i + 1, ROUNDS, n, took[i] / n * 1e3, kb[i]);
		fflush(stdout);
	}
	if (took[ROUNDS - 1] > SLOWER * took[1] + 0.5)
		printf("# connect: the last ones took much longer than the second ones\n");
	else if (kb[1] - kb[ROUNDS - 1] > GROWTH_KB * patience())
		printf("# connect: %ld kB more are used\n", kb[1] - kb[ROUNDS - 1]);
	else
		return true;
	return false;
}

int main(int argc, char **argv)
{
	struct sockaddr_in address;
	struct ends ends = {};
	int n;

	if (argc != 3 || (n = atoi(argv[1])) < ROUNDS) {
		fprintf(stderr, "usage: storm-connect CONNECTIONS ADDRESS\n");
		return 2;
	}
	limit = 10 * patience();
	address = address_of(argv[2], PORT);
	if (!listen_at(&address))
		return !failed("listen");
	return !rounds(&ends, &address, n / ROUNDS);
}
