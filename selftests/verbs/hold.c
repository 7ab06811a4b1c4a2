// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A program that holds the device, with traffic, until the device goes away.
 *
 *   hold [-d DEVICE] [-g GID-INDEX] [idle]
 *
 * Says "holding" once it does; ends with 0 after IBV_EVENT_DEVICE_FATAL if every
 * later call fails or completes in error and none hangs or crashes.
 */
#include <fcntl.h>

#include "lib.h"

static bool fatal(struct ibv_context *context)
{
	struct ibv_async_event event;
	bool is_fatal;

	if (ibv_get_async_event(context, &event))
		return false;
	is_fatal = event.event_type == IBV_EVENT_DEVICE_FATAL;
	printf("event: %s\n", ibv_event_type_str(event.event_type));
	fflush(stdout);
	ibv_ack_async_event(&event);
	return is_fatal;
}

/* Keep the queue full of writes; errors only count. */
static void traffic(struct pair *pair, unsigned long *done, unsigned long *failed)
{
	struct ibv_sge sge = sge_of(&pair->a, 0, 16384);
	struct ibv_send_wr *bad, wr = wr_of(&pair->a, &pair->b,
					    IBV_WR_RDMA_WRITE, &sge);
	struct ibv_wc wc;
	int i;

	for (i = 0; i < 8; i++)
		if (ibv_post_send(pair->a.qp, &wr, &bad))
			break;
	while (ibv_poll_cq(pair->a.cq, 1, &wc) == 1) {
		*done += wc.status == IBV_WC_SUCCESS;
		*failed += wc.status != IBV_WC_SUCCESS;
	}
}

static void try_everything(struct pair *pair)
{
	struct ibv_device_attr attr;
	struct ibv_recv_wr *bad, wr = {};
	unsigned long done = 0, failed = 0;
	double end = now() + 0.3;

	while (now() < end)
		traffic(pair, &done, &failed);
	ibv_post_recv(pair->a.qp, &wr, &bad);
	ibv_req_notify_cq(pair->a.cq, 0);
	printf("after the event: %lu completions, %lu with errors\n", done,
	       failed);
	CHECK(!ibv_alloc_pd(pair->dev.context));
	CHECK(!ibv_reg_mr(pair->dev.pd, pair->a.buf, 4096, ALL_ACCESS));
	CHECK(!ibv_create_cq(pair->dev.context, 10, NULL, NULL, 0));
	CHECK(modify_state(pair->a.qp, IBV_QPS_ERR) != 0);
	(void)!ibv_query_device(pair->dev.context, &attr);
	ibv_destroy_qp(pair->a.qp);
	ibv_destroy_qp(pair->b.qp);
	ibv_dereg_mr(pair->a.mr);
	ibv_destroy_cq(pair->a.cq);
	ibv_close_device(pair->dev.context);
}

int main(int argc, char **argv)
{
	unsigned long done = 0, failed = 0;
	struct pair pair;
	bool idle;
	int fd;

	parse_device(argc, argv);
	idle = optind < argc;
	open_pair(&pair, IBV_QPT_RC, NULL);
	fd = pair.dev.context->async_fd;
	printf("holding\n");
	fflush(stdout);
	do {
		if (idle)
			readable(fd, 1);
		else
			traffic(&pair, &done, &failed);
	} while (!readable(fd, 0) || !fatal(pair.dev.context));
	printf("%lu completions, %lu with errors\n", done, failed);
	fflush(stdout);
	try_everything(&pair);
	return 0;
}
