// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams to an address that nobody may have, as many as the device takes,
 * until it is killed.
 *
 *   shout [-d DEVICE] [-g GID-INDEX] IPV4-ADDRESS
 */
#include <arpa/inet.h>

#include "lib.h"

#define QPS 8

static void address(struct end *end, const char *text)
{
	struct ibv_ah_attr ah = {
		.is_global = 1,
		.port_num = 1,
		.grh.sgid_index = end->dev->gid_index,
		.grh.hop_limit = 64,
	};

	ah.grh.dgid.raw[10] = ah.grh.dgid.raw[11] = 0xff;
	CHECK_EQ(inet_pton(AF_INET, text, ah.grh.dgid.raw + 12), 1);
	ibv_destroy_ah(end->ah);
	end->ah = ibv_create_ah(end->dev->pd, &ah);
	CHECK(end->ah);
}

int main(int argc, char **argv)
{
	struct pair pairs[QPS];
	struct ibv_sge sge;
	struct ibv_send_wr *bad, wr;
	struct ibv_wc wc;
	int i;

	parse_device(argc, argv);
	for (i = 0; i < QPS; i++) {
		open_pair(&pairs[i], IBV_QPT_UD, NULL);
		address(&pairs[i].a, argv[argc - 1]);
	}
	printf("shouting\n");
	fflush(stdout);
	for (i = 0;; i = (i + 1) % QPS) {
		sge = sge_of(&pairs[i].a, 0, 1000);
		wr = wr_of(&pairs[i].a, &pairs[i].b, IBV_WR_SEND, &sge);
		wr.send_flags = IBV_SEND_SIGNALED;
		while (!ibv_post_send(pairs[i].a.qp, &wr, &bad))
			;
		while (ibv_poll_cq(pairs[i].a.cq, 1, &wc) == 1)
			;
		usleep(1000);
	}
}
