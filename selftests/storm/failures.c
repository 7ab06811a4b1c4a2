// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes each allocation of an operation fail in turn: the first, the second,
 * and so on until none is left. The operation may fail then, and the next one
 * must work.
 *
 *   storm-failures SECONDS FIRST [NETDEV]	for at most SECONDS in all, from
 *		allocation FIRST on; with a NETDEV, "rdma link add" there is one of
 *		the operations
 *
 * Needs a kernel with fault injection set up for it: failures.sh.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "side.h"

#define LIMIT		60	/* seconds for one try */
#define NONE_LEFT	100	/* exit status */

static const char *netdev;

/* What a try has: side and peer opened and made as far as its operation wants. */
struct scene {
	struct side side, peer;
	struct wish wish;
};

/* ---- fault injection ---- */

static int nth = -1;

static void arm(int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", n);

	if (nth < 0)
		nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0 || pwrite(nth, text, length, 0) != length)
		_exit(2);
}

/* Allocations still to come before one fails: 0 if one did. */
static int left(void)
{
	char text[16] = "";

	/* This call copies to us, and that may be what the last one befalls. */
	return pread(nth, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 1;
}

/* ---- operations: false if they failed, which they may ---- */

static bool do_open(struct scene *s)
{
	return open_side(&s->side, &s->peer.place);
}

static bool do_make(struct scene *s)
{
	return make_side(&s->side, &s->wish);
}

static bool do_join(struct scene *s)
{
	return join_side(&s->side, &s->peer);
}

static bool take_one(struct ibv_cq *cq, double seconds)
{
	double end = now() + seconds;
	struct ibv_wc wc;
	int n;

	while (!(n = ibv_poll_cq(cq, 1, &wc)) && now() < end)
		pause_ms(1);
	return n == 1;
}

/*
 * A message must end, well or not: what is lost is sent again. If it was the
 * kick's own system call that failed, the next post's does for both.
 */
static bool do_send(struct scene *s)
{
	struct ibv_sge sge = {
		(uintptr_t)s->side.buf, 3000, s->side.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = send_wr(&s->side, &s->peer,
					      IBV_WR_RDMA_WRITE, &sge);

	if (ibv_post_send(s->side.qp, &wr, &bad))
		return false;
	if (take_one(s->side.cq, 10))
		return true;
	printf("# failures: a message waits for the next one\n");
	if (ibv_post_send(s->side.qp, &wr, &bad) || !take_one(s->side.cq, 20)) {
		printf("# failures: a message never ended\n");
		fflush(stdout);
		_exit(4);
	}
	return true;
}

static bool do_change(struct scene *s)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	bool good;

	good = !ibv_rereg_mr(s->side.mr, IBV_REREG_MR_CHANGE_TRANSLATION,
			     NULL, s->side.buf, 4096, 0);
	return good && !ibv_query_qp(s->side.qp, &attr, 0xffff, &init);
}

static bool do_close(struct scene *s)
{
	close_side(&s->side);
	return true;
}

static bool do_fork(struct scene *s)
{
	pid_t pid = fork();

	(void)s;
	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

static void put_string(struct nlmsghdr *msg, int type, const char *text)
{
	struct nlattr *attr = (void *)msg + NLMSG_ALIGN(msg->nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + strlen(text) + 1;
	memcpy((void *)attr + NLA_HDRLEN, text, strlen(text) + 1);
	msg->nlmsg_len = NLMSG_ALIGN(msg->nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

/* "rdma link add x_failures type rox netdev NETDEV" */
static bool do_link_add(struct scene *s)
{
	char buf[512] __attribute__((aligned(8))) = "";
	struct nlmsghdr *msg = (void *)buf;
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	bool good;

	(void)s;
	msg->nlmsg_len = NLMSG_LENGTH(0);
	msg->nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_NEWLINK);
	msg->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "x_failures");
	put_string(msg, RDMA_NLDEV_ATTR_LINK_TYPE, "rox");
	put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	good = fd >= 0 && send(fd, msg, msg->nlmsg_len, 0) > 0;
	if (fd >= 0)
		close(fd);
	return good;
}

/* ---- tries ---- */

enum stage { NOTHING, OPENED, MADE, JOINED };

static const struct operation {
	const char *name;
	bool (*run)(struct scene *s);
	enum stage from;
	enum ibv_qp_type type;
} operations[] = {
	{ "open", do_open, NOTHING, IBV_QPT_RC },
	{ "make CQ, QP, MR", do_make, OPENED, IBV_QPT_RC },
	{ "connect", do_join, MADE, IBV_QPT_RC },
	{ "address", do_join, MADE, IBV_QPT_UD },
	{ "send", do_send, JOINED, IBV_QPT_RC },
	{ "change", do_change, JOINED, IBV_QPT_RC },
	{ "fork", do_fork, JOINED, IBV_QPT_RC },
	{ "close", do_close, JOINED, IBV_QPT_RC },
	{ "link add", do_link_add, NOTHING, IBV_QPT_RC },
};

static void prepare(const struct operation *op, struct scene *s)
{
	struct place place;
	bool good;

	s->wish = (struct wish){ op->type, 65536, 16 };
	good = find_places(&place, 1) == 1 && open_side(&s->peer, &place) &&
	       make_side(&s->peer, &s->wish);
	if (good && op->from >= OPENED)
		good = open_side(&s->side, &place);
	if (good && op->from >= MADE)
		good = make_side(&s->side, &s->wish) &&
		       join_side(&s->peer, op->from == MADE ? &s->peer : &s->side);
	if (good && op->from >= JOINED)
		good = join_side(&s->side, &s->peer);
	if (!good) {
		printf("# failures: %s: what precedes it does not work\n", op->name);
		fflush(stdout);
		_exit(5);
	}
}

/* In a process of its own. Half of them leave everything to the kernel. */
static int try(const struct operation *op, int n)
{
	struct scene s = {};
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm(LIMIT);
		prepare(op, &s);
		arm(n);
		op->run(&s);
		status = left() ? NONE_LEFT : 0;
		arm(0);
		if (n & 1) {
			close_side(&s.side);
			close_side(&s.peer);
		}
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The link goes, and could be made again. */
static void delete_link(void)
{
	if (netdev && system("rdma link delete x_failures 2>/dev/null"))
		return;
}

/* Whether all its allocations had their turn within the time. */
static int run_operation(const struct operation *op, int first, double end)
{
	int n, status = 0;

	for (n = first; now() < end; n++) {
		status = try(op, n);
		if (op->run == do_link_add)
			delete_link();
		if (status)
			break;
	}
	printf("# failures: %s: allocations %d to %d failed in turn%s\n", op->name,
	       first, n - 1, status == NONE_LEFT ? ", and there are no more" : "");
	if (status && status != NONE_LEFT)
		printf("# failures: %s: number %d: status %d\n", op->name, n, status);
	fflush(stdout);
	return status && status != NONE_LEFT;
}

int main(int argc, char **argv)
{
	double each;
	int failed = 0;
	size_t i;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: storm-failures SECONDS FIRST [NETDEV]\n");
		return 2;
	}
	netdev = argv[3];
	each = atof(argv[1]) / ARRAY_SIZE(operations);
	for (i = 0; i < ARRAY_SIZE(operations); i++)
		if (netdev || operations[i].run != do_link_add)
			failed += run_operation(&operations[i], atoi(argv[2]),
						now() + each);
	return failed != 0;
}
