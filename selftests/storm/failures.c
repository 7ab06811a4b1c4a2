// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes allocations of an operation fail, one in each try, until none is left.
 * The operation may fail then, and the next one must work.
 *
 *   storm-failures [-a] SECONDS SEED DEVICE WIRE-DEVICE NETDEV
 *
 * Without -a by number, the first and then as many others, chosen by SEED, as
 * SECONDS are enough for, so that each operation gets to its end. With -a by
 * place, all: the callers that are new decide what fails, so that ten thousand
 * turns of a loop are one try; and it fails if an operation's time is over before.
 * "send" is done on both devices; "rdma link add" on NETDEV.
 *
 * Needs a kernel with fault injection set up for it: failures.sh. -a needs
 * rox_sites.ko too.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/rox.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "side.h"

#define LIMIT		60	/* seconds for one try, times patience */
#define ALL_OF_THEM	1000000	/* more allocations than any operation has */
#define LINK		"x_failures"
#define PLACES		"/sys/module/rox_sites/parameters/"
#define MOST_PLACES	2048	/* that rox_sites.ko remembers */

/* Exit statuses of a try. */
#define NONE_LEFT	100
#define NEVER_ENDS	4
#define CANNOT_PREPARE	5
#define WRONG_ANSWER	6
#define NOT_AGAIN	7

static struct place places[2];	/* of the two devices */
static const char *netdev;
static bool all;

/* What a try has: side and peer opened and made as far as its operation wants. */
struct scene {
	const struct operation *op;
	struct side side, peer;
	struct wish wish;
	uint32_t link;		/* index of the device to delete */
};

enum stage { NOTHING, OPENED, MADE, JOINED };

struct operation {
	const char *name;
	bool (*run)(struct scene *s);
	enum stage from;
	enum ibv_qp_type type;
	int device;		/* of the two */
	void (*ready)(struct scene *s);
	int (*call)(struct scene *s);	/* of destroy() */
};

/* ---- fault injection ---- */

static int nth = -1;

/* Of the last try, from its process: allocations still to come before one fails. */
static int *left;

/* Of what is armed this call itself may be what fails: once. */
static void arm(int n)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%d", n);

	if (nth < 0)
		nth = open("/proc/thread-self/fail-nth", O_RDWR);
	if (nth < 0 || (pwrite(nth, text, length, 0) != length &&
			pwrite(nth, text, length, 0) != length))
		_exit(2);
}

/* What comes now must work. */
static void disarm(void)
{
	char text[16] = "";

	if (*left >= 0)
		return;
	/*
	 * This call copies to us, and may itself be what fails: by number that is
	 * after all others, by place it may be before some of them.
	 */
	*left = pread(nth, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : !all;
	arm(0);
}

static void give_up(struct scene *s, int status, const char *why)
{
	printf("# failures: %s: %s\n", s->op->name, why);
	fflush(stdout);
	_exit(status);
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
	bool datagram = s->side.qp->qp_type == IBV_QPT_UD;
	struct ibv_sge sge = {
		(uintptr_t)s->side.buf, datagram ? 1000 : 3000, s->side.mr->lkey,
	};
	struct ibv_send_wr *bad, wr = send_wr(&s->side, &s->peer, datagram ?
					      IBV_WR_SEND : IBV_WR_RDMA_WRITE, &sge);
	bool good = !ibv_post_send(s->side.qp, &wr, &bad);

	if (good && take_one(s->side.cq, 2))
		return true;
	disarm();
	if (ibv_post_send(s->side.qp, &wr, &bad) ||
	    !take_one(s->side.cq, 20 * patience()))
		give_up(s, NEVER_ENDS, "a message never ended");
	return good;
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

/* The thread lends itself for a while. */
static bool do_poll(struct scene *s)
{
	bool good = !rox_poll(s->side.context, 500);
	int ret;

	disarm();
	ret = good ? 0 : rox_poll(s->side.context, 500);
	if (ret)
		give_up(s, NOT_AGAIN, strerror(ret));
	return good;
}

static bool do_close(struct scene *s)
{
	close_side(&s->side);
	return true;
}

/* ---- destroying: what was refused must be possible afterwards ---- */

static int end_ah(struct scene *s)
{
	return ibv_destroy_ah(s->side.ah);
}

static int end_qp(struct scene *s)
{
	return ibv_destroy_qp(s->side.qp);
}

static int end_cq(struct scene *s)
{
	return ibv_destroy_cq(s->side.cq);
}

static int end_mr(struct scene *s)
{
	return ibv_dereg_mr(s->side.mr);
}

static int end_pd(struct scene *s)
{
	return ibv_dealloc_pd(s->side.pd);
}

/* What stands in the way of the CQ's end, and of the PD's. */
static void ready_cq(struct scene *s)
{
	if (end_qp(s))
		give_up(s, CANNOT_PREPARE, "the QP does not go");
	s->side.qp = NULL;
}

static void ready_pd(struct scene *s)
{
	ready_cq(s);
	if (end_mr(s))
		give_up(s, CANNOT_PREPARE, "the MR does not go");
	s->side.mr = NULL;
}

/* The system call that tells may have failed after the object was gone. */
static bool do_destroy(struct scene *s)
{
	bool good = !s->op->call(s);
	int ret;

	disarm();
	ret = good ? 0 : s->op->call(s);
	if (ret && ret != ENOENT && ret != EINVAL)
		give_up(s, NOT_AGAIN, strerror(ret));
	if (s->op->call == end_ah)
		s->side.ah = NULL;
	else if (s->op->call == end_qp)
		s->side.qp = NULL;
	else if (s->op->call == end_cq)
		s->side.cq = NULL;
	else if (s->op->call == end_mr)
		s->side.mr = NULL;
	else
		s->side.pd = NULL;
	return good;
}

static bool do_fork(struct scene *s)
{
	pid_t pid = fork();

	(void)s;
	if (pid == 0)
		_exit(0);
	return pid > 0 && waitpid(pid, NULL, 0) == pid;
}

/* ---- links, by netlink ---- */

struct request {
	struct nlmsghdr msg;
	char attributes[256];
};

static void put(struct request *request, int type, const void *data, int length)
{
	struct nlattr *attr = (void *)request + NLMSG_ALIGN(request->msg.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + length;
	memcpy((void *)attr + NLA_HDRLEN, data, length);
	request->msg.nlmsg_len = NLMSG_ALIGN(request->msg.nlmsg_len) +
				 NLA_ALIGN(attr->nla_len);
}

static void put_string(struct request *request, int type, const char *text)
{
	put(request, type, text, strlen(text) + 1);
}

static struct request request_of(int command)
{
	return (struct request){
		.msg = {
			.nlmsg_len = NLMSG_LENGTH(0),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
	};
}

/* What the kernel answers: 0 or an errno; -1: the answer itself was what failed. */
static int answer(struct scene *s, int fd)
{
	struct timeval limit = { 20 * patience() };
	struct {
		struct nlmsghdr msg;
		struct nlmsgerr error;
		char rest[1024];
	} reply;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (recv(fd, &reply, sizeof(reply), 0) < (int)NLMSG_LENGTH(sizeof(reply.error))) {
		if (errno == EAGAIN)
			give_up(s, WRONG_ANSWER, "no answer by netlink");
		return -1;
	}
	return reply.msg.nlmsg_type == NLMSG_ERROR ? -reply.error.error : -1;
}

static bool link_exists(void)
{
	return !access("/sys/class/infiniband/" LINK, F_OK);
}

/* After it the link must be there, or not, as the answer is. */
static bool ask(struct scene *s, const struct request *request, bool there)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), ret = -1;
	bool sent = fd >= 0 &&
		    send(fd, request, request->msg.nlmsg_len, 0) > 0;

	disarm();
	if (sent)
		ret = answer(s, fd);
	if (fd >= 0)
		close(fd);
	if (ret == 0 && link_exists() != there)
		give_up(s, WRONG_ANSWER, there ? "made, says netlink, and is not there" :
			"deleted, says netlink, and is still there");
	if (ret > 0 && link_exists() == there)
		give_up(s, WRONG_ANSWER, strerror(ret));
	return ret == 0;
}

/* "rdma link add x_failures type rox netdev NETDEV" */
static bool do_link_add(struct scene *s)
{
	struct request request = request_of(RDMA_NLDEV_CMD_NEWLINK);

	put_string(&request, RDMA_NLDEV_ATTR_DEV_NAME, LINK);
	put_string(&request, RDMA_NLDEV_ATTR_LINK_TYPE, "rox");
	put_string(&request, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return ask(s, &request, true);
}

/* The device goes with a program's side open on it. */
static bool do_link_delete(struct scene *s)
{
	struct request request = request_of(RDMA_NLDEV_CMD_DELLINK);

	put(&request, RDMA_NLDEV_ATTR_DEV_INDEX, &s->link, sizeof(s->link));
	return ask(s, &request, false);
}

/* "5: x_failures: ..." */
static void ready_link(struct scene *s)
{
	static const char add[] = "rdma link add " LINK " type rox netdev ";
	char command[128];
	struct place place;
	double end = now() + 10 * patience();
	FILE *pipe;

	snprintf(command, sizeof(command), "%s%.32s", add, netdev);
	if (system(command))
		give_up(s, CANNOT_PREPARE, "no link to delete");
	pipe = popen("rdma dev show " LINK, "r");
	if (!pipe || fscanf(pipe, "%u:", &s->link) != 1)
		give_up(s, CANNOT_PREPARE, "the link has no number");
	pclose(pipe);
	while (!find_place(LINK, &place) && now() < end)
		pause_ms(10);
	if (!find_place(LINK, &place) || !open_side(&s->side, &place) ||
	    !make_side(&s->side, &s->wish))
		give_up(s, CANNOT_PREPARE, "the link to delete does not work");
}

/* The link goes, and could be made again. */
static bool link_is_gone(void)
{
	if (link_exists() && system("rdma link delete " LINK))
		return false;
	return !link_exists();
}

/* ---- tries ---- */

#define RC IBV_QPT_RC
#define UD IBV_QPT_UD

static const struct operation operations[] = {
	{ "open", do_open, NOTHING, RC },
	{ "make CQ, QP, MR", do_make, OPENED, RC },
	{ "connect", do_join, MADE, RC },
	{ "address", do_join, MADE, UD },
	{ "send, copied", do_send, JOINED, RC, 0 },
	{ "send, in packets", do_send, JOINED, RC, 1 },
	{ "datagram, copied", do_send, JOINED, UD, 0 },
	{ "datagram, in packets", do_send, JOINED, UD, 1 },
	{ "change", do_change, JOINED, RC },
	{ "poll", do_poll, JOINED, RC },
	{ "fork", do_fork, JOINED, RC },
	{ "destroy address", do_destroy, JOINED, UD, 0, NULL, end_ah },
	{ "destroy QP", do_destroy, JOINED, RC, 1, NULL, end_qp },
	{ "destroy CQ", do_destroy, JOINED, RC, 0, ready_cq, end_cq },
	{ "deregister MR", do_destroy, JOINED, RC, 0, NULL, end_mr },
	{ "free PD", do_destroy, JOINED, RC, 0, ready_pd, end_pd },
	{ "close", do_close, JOINED, RC },
	{ "link add", do_link_add, NOTHING, RC },
	{ "link delete", do_link_delete, NOTHING, RC, 0, ready_link },
};

static void prepare(const struct operation *op, struct scene *s)
{
	const struct place *place = &places[op->device];
	bool good = true;

	s->op = op;
	s->wish = (struct wish){ op->type, 65536, 16 };
	s->peer.place = *place;
	if (op->from >= OPENED)
		good = open_side(&s->side, place);
	if (good && op->from >= MADE)
		good = open_side(&s->peer, place) &&
		       make_side(&s->peer, &s->wish) &&
		       make_side(&s->side, &s->wish) &&
		       join_side(&s->peer, op->from == MADE ? &s->peer : &s->side);
	if (good && op->from >= JOINED)
		good = join_side(&s->side, &s->peer);
	if (!good)
		give_up(s, CANNOT_PREPARE, "what precedes it does not work");
	if (op->ready)
		op->ready(s);
}

/* In a process of its own. Who is not @tidy leaves everything to the kernel. */
static int try(const struct operation *op, int n, bool tidy)
{
	struct scene s = {};
	int status;
	pid_t pid;

	fflush(stdout);
	*left = -1;
	pid = fork();
	if (pid == 0) {
		alarm(LIMIT * patience());
		prepare(op, &s);
		arm(n);
		op->run(&s);
		disarm();
		if (tidy) {
			close_side(&s.side);
			close_side(&s.peer);
		}
		_exit(*left ? NONE_LEFT : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (!link_is_gone())
		return WRONG_ANSWER;
	return status;
}

/* How far to the next one, if @seconds are enough for tries that take @each. */
static int step(struct rng *rng, int sites, double seconds, double each)
{
	int tries = seconds / each, stride;

	if (sites <= 0 || tries > sites)
		return 1;
	stride = sites / (tries > 0 ? tries : 1) + 1;
	return 1 + draw(rng, 2 * stride - 1);
}

struct account {
	int sites, failed, last;	/* allocations, and how many failed */
	int status;			/* of the last try */
};

static struct account fail_by_number(const struct operation *op, struct rng *rng,
				     double seconds)
{
	double start = now(), end = start + seconds;
	struct account a = {};
	int n = 1;

	a.status = try(op, ALL_OF_THEM, false);
	if (a.status != NONE_LEFT)
		return a;
	a.sites = ALL_OF_THEM - *left;
	while (now() < end || !a.failed) {
		a.last = n;
		a.status = try(op, n, n & 1);
		if (a.status)
			break;
		a.failed++;
		n += step(rng, a.sites - n, end - now(), (now() - start) / (a.failed + 1));
	}
	return a;
}

/* How many places there were, -1 without rox_sites.ko; if @forget none any more. */
static int places_seen(bool forget)
{
	char text[16] = "";
	int fd = open(PLACES "places", O_RDWR), n = -1;

	if (fd < 0)
		return -1;
	if (forget && write(fd, "0", 1) != 1)
		n = -1;
	else if (pread(fd, text, sizeof(text) - 1, 0) > 0)
		n = atoi(text);
	close(fd);
	return n;
}

static void show_last_place(void)
{
	FILE *file = fopen(PLACES "last", "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		printf("#   %s", line);
	if (file)
		fclose(file);
}

static struct account fail_by_place(const struct operation *op, double seconds)
{
	double end = now() + seconds;
	struct account a = {};

	if (places_seen(true) != 0)
		return (struct account){ .status = CANNOT_PREPARE };
	do {
		a.status = try(op, ALL_OF_THEM, a.failed & 1);
		if (a.status)
			break;
		a.failed++;
	} while (now() < end);
	a.sites = a.last = places_seen(false);
	return a;
}

static void report(const struct operation *op, const struct account *a, double took)
{
	const char *end = a->status == NONE_LEFT ? ", and there are no more" : "";

	if (all)
		printf("# failures: %s: at %d places in turn%s, %.0f s\n", op->name,
		       a->failed, end, took);
	else
		printf("# failures: %s: %d of about %d allocations in turn, to number %d%s, %.0f s\n",
		       op->name, a->failed, a->sites, a->last, end, took);
}

/* Null, or what is wrong: also if not all had their turn that were to. */
static const char *fault_of(const struct account *a)
{
	static char text[64];

	if (a->status != 0 && a->status != NONE_LEFT) {
		snprintf(text, sizeof(text), "number %d: status %d", a->last, a->status);
		return text;
	}
	if (!a->failed)
		return "nothing failed";
	if (all && a->sites == MOST_PLACES)
		return "more places than are remembered";
	if (all && a->status != NONE_LEFT)
		return "the time was over before";
	return NULL;
}

static bool run_operation(const struct operation *op, struct rng *rng, double seconds)
{
	double start = now();
	struct account a = all ? fail_by_place(op, seconds) :
				 fail_by_number(op, rng, seconds);
	const char *fault = fault_of(&a);

	report(op, &a, now() - start);
	if (fault)
		printf("# failures: %s: %s\n", op->name, fault);
	if (fault && all)
		show_last_place();
	fflush(stdout);
	return !fault;
}

/* What each try would do again: find the devices, and load what drives them. */
static bool find_devices(char **names)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (list)
		ibv_free_device_list(list);
	return list && find_place(names[0], &places[0]) &&
	       find_place(names[1], &places[1]);
}

/* Of the time, compared with the others: of the places, most are where links are made. */
static int parts(const struct operation *op)
{
	return all && op->run == do_link_add ? 6 : 1;
}

/* Time that one does not need is the others'. */
static int run_operations(double seconds, uint64_t seed)
{
	double end = now() + seconds;
	int failed = 0, left_over = 0, n = ARRAY_SIZE(operations), i;
	struct rng rng;

	for (i = 0; i < n; i++)
		left_over += parts(&operations[i]);
	for (i = 0; i < n; i++) {
		rng = rng_of(seed, i);
		failed += !run_operation(&operations[i], &rng, (end - now()) *
					 parts(&operations[i]) / left_over);
		left_over -= parts(&operations[i]);
	}
	return failed;
}

int main(int argc, char **argv)
{
	all = argc > 1 && !strcmp(argv[1], "-a");
	argv += all;
	if (argc - all != 6) {
		fprintf(stderr, "usage: storm-failures [-a] SECONDS SEED DEVICE WIRE-DEVICE NETDEV\n");
		return 2;
	}
	netdev = argv[5];
	left = mmap(NULL, sizeof(*left), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (left == MAP_FAILED)
		return 1;
	if (!find_devices(argv + 3)) {
		printf("# failures: the devices are not there\n");
		return CANNOT_PREPARE;
	}
	return run_operations(atof(argv[1]), strtoull(argv[2], NULL, 0)) != 0;
}
