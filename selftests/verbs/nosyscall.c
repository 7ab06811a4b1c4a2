// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* For strace: 10,000 posted receives, arms and polls between two calls of
 * getppid(), which tell the measured part from the rest.
 */
#include "lib.h"

#define ROUNDS 10000

int main(int argc, char **argv)
{
	struct opt opt = { .recv_wr = ROUNDS };
	struct ibv_recv_wr *bad, wr = { .num_sge = 1 };
	struct ibv_sge sge;
	struct pair pair;
	struct ibv_wc wc;
	int i, failed = 0;

	parse_device(argc, argv);
	open_pair(&pair, IBV_QPT_RC, &opt);
	sge = sge_of(&pair.b, 0, 100);
	wr.sg_list = &sge;
	getppid();
	for (i = 0; i < ROUNDS; i++) {
		failed += ibv_post_recv(pair.b.qp, &wr, &bad) != 0;
		failed += ibv_req_notify_cq(pair.b.cq, i & 1) != 0;
		failed += ibv_poll_cq(pair.b.cq, 1, &wc) != 0;
	}
	getppid();
	CHECK_EQ(failed, 0);
	/* They were posted all right. */
	send_op(&pair.a, &pair.b, IBV_WR_SEND, 0, 100, IBV_SEND_SIGNALED);
	poll_ok(pair.a.cq);
	poll_ok(pair.b.cq);
	return 0;
}
