// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "lib.h"

#define KSFT_FAIL 1
#define KSFT_SKIP 4

const char *device_name;
int gid_index = -1;

/* TAP. */

void fail(const char *file, int line, const char *format, ...)
{
	va_list args;

	printf("# %s:%d: ", file, line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(KSFT_FAIL);
}

void skip(const char *format, ...)
{
	va_list args;

	printf("# SKIP ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(KSFT_SKIP);
}

double patience_factor(void)
{
	const char *value = getenv("PATIENCE");

	return value ? atof(value) : 1;
}

static int run_test(const struct test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		alarm((test->seconds ? test->seconds : 20) * patience_factor());
		test->run();
		fflush(stdout);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return KSFT_FAIL;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# ended by signal %d (%s)\n", WTERMSIG(status),
	       WTERMSIG(status) == SIGALRM ? "hung" : strsignal(WTERMSIG(status)));
	return KSFT_FAIL;
}

void parse_device(int argc, char **argv)
{
	int option;

	while ((option = getopt(argc, argv, "d:g:")) != -1) {
		if (option == 'd') {
			device_name = optarg;
		} else if (option == 'g') {
			gid_index = atoi(optarg);
		} else {
			fprintf(stderr, "usage: %s [-d DEVICE] [-g GID-INDEX]\n",
				argv[0]);
			exit(2);
		}
	}
}

int run_tests(int argc, char **argv, const struct test *tests, int nr)
{
	int i, status, done = 0, failed = 0, skipped = 0;

	parse_device(argc, argv);
	printf("TAP version 13\n");
	for (i = 0; i < nr; i++) {
		if (optind < argc && !strstr(tests[i].name, argv[optind]))
			continue;
		status = run_test(&tests[i]);
		failed += status && status != KSFT_SKIP;
		skipped += status == KSFT_SKIP;
		printf("%s %d %s%s\n",
		       status && status != KSFT_SKIP ? "not ok" : "ok", ++done,
		       tests[i].name, status == KSFT_SKIP ? " # SKIP" : "");
	}
	printf("1..%d\n# Totals: pass:%d fail:%d skip:%d\n", done,
	       done - failed - skipped, failed, skipped);
	return failed ? KSFT_FAIL : 0;
}

/* Devices. */

static struct ibv_context *open_named(void)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int i;

	list = ibv_get_device_list(NULL);
	CHECK(list);
	for (i = 0; list[i] && !context; i++)
		if (!device_name ||
		    !strcmp(ibv_get_device_name(list[i]), device_name))
			context = ibv_open_device(list[i]);
	if (!context)
		FAIL("cannot open device %s", device_name ? device_name : "(any)");
	ibv_free_device_list(list);
	return context;
}

static bool is_ipv4(const union ibv_gid *gid)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(gid->raw, prefix, sizeof(prefix));
}

static void find_gid(struct dev *dev)
{
	struct ibv_gid_entry entries[64];
	ssize_t i, nr;

	nr = ibv_query_gid_table(dev->context, entries, ARRAY_SIZE(entries), 0);
	CHECK(nr > 0);
	for (i = 0; i < nr; i++) {
		if (entries[i].gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		if (gid_index >= 0 ? entries[i].gid_index != (uint32_t)gid_index :
				     !is_ipv4(&entries[i].gid))
			continue;
		dev->gid = entries[i].gid;
		dev->gid_index = entries[i].gid_index;
		return;
	}
	FAIL("no GID to use");
}

void open_device(struct dev *dev)
{
	dev->context = open_named();
	CHECK(!ibv_query_device(dev->context, &dev->attr));
	CHECK(!ibv_query_port(dev->context, 1, &dev->port));
	dev->pd = ibv_alloc_pd(dev->context);
	CHECK(dev->pd);
	find_gid(dev);
}

/* Ends. */

static struct opt with_defaults(const struct opt *given, const struct dev *dev)
{
	struct opt opt = given ? *given : (struct opt){};

#define DEFAULT(field, value) (opt.field = opt.field ? opt.field : (value))
	DEFAULT(size, 65536);
	DEFAULT(access, ALL_ACCESS);
	DEFAULT(qp_access, ALL_ACCESS);
	DEFAULT(send_wr, 64);
	DEFAULT(recv_wr, 64);
	DEFAULT(sge, 4);
	DEFAULT(cqe, 256);
	DEFAULT(timeout, 14);
	DEFAULT(retry, 7);
	DEFAULT(rnr_retry, 7);
	DEFAULT(min_rnr_timer, 1);
	DEFAULT(rd_atomic, 8);
	DEFAULT(mtu, dev->port.active_mtu);
#undef DEFAULT
	if (opt.retry == NO_RETRY)
		opt.retry = 0;
	if (opt.rnr_retry == NO_RETRY)
		opt.rnr_retry = 0;
	return opt;
}

void make_end(struct end *end, struct dev *dev, enum ibv_qp_type type,
	      const struct opt *given)
{
	struct opt opt = with_defaults(given, dev);
	struct ibv_qp_init_attr init = {
		.qp_type = type,
		.sq_sig_all = opt.signal_all,
		.cap = {
			.max_send_wr = opt.send_wr,
			.max_recv_wr = opt.recv_wr < 0 ? 0 : opt.recv_wr,
			.max_send_sge = opt.sge,
			.max_recv_sge = opt.sge,
			.max_inline_data = opt.inline_data,
		},
	};

	memset(end, 0, sizeof(*end));
	end->dev = dev;
	end->type = type;
	end->size = opt.size;
	end->psn = random() & 0xffffff;
	end->channel = ibv_create_comp_channel(dev->context);
	CHECK(end->channel);
	end->cq = ibv_create_cq(dev->context, opt.cqe, NULL, end->channel, 0);
	CHECK(end->cq);
	end->buf = mmap(NULL, opt.size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(end->buf != MAP_FAILED);
	end->mr = ibv_reg_mr(dev->pd, end->buf, opt.size, opt.access);
	CHECK(end->mr);
	init.send_cq = end->cq;
	init.recv_cq = end->cq;
	end->qp = ibv_create_qp(dev->pd, &init);
	CHECK(end->qp);
}

struct ibv_qp_attr attr_init(const struct end *end, const struct opt *opt,
			     int *mask)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = with_defaults(opt, end->dev).qp_access,
		.qkey = QKEY,
	};

	*mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;
	*mask |= end->type == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS;
	return attr;
}

static struct ibv_ah_attr ah_attr(const struct end *end, const struct end *to)
{
	return (struct ibv_ah_attr){
		.is_global = 1,
		.port_num = 1,
		.grh = {
			.dgid = to->dev->gid,
			.sgid_index = end->dev->gid_index,
			.hop_limit = 64,
		},
	};
}

struct ibv_qp_attr attr_rtr(const struct end *end, const struct end *to,
			    const struct opt *given, int *mask)
{
	struct opt opt = with_defaults(given, end->dev);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = opt.mtu,
		.dest_qp_num = to->qp->qp_num,
		.rq_psn = to->psn,
		.max_dest_rd_atomic = opt.rd_atomic,
		.min_rnr_timer = opt.min_rnr_timer,
		.ah_attr = ah_attr(end, to),
	};

	*mask = IBV_QP_STATE;
	if (end->type != IBV_QPT_UD)
		*mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
			 IBV_QP_RQ_PSN;
	if (end->type == IBV_QPT_RC)
		*mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	return attr;
}

struct ibv_qp_attr attr_rts(const struct end *end, const struct opt *given,
			    int *mask)
{
	struct opt opt = with_defaults(given, end->dev);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = end->psn,
		.timeout = opt.timeout,
		.retry_cnt = opt.retry,
		.rnr_retry = opt.rnr_retry,
		.max_rd_atomic = opt.rd_atomic,
	};

	*mask = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (end->type == IBV_QPT_RC)
		*mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_MAX_QP_RD_ATOMIC;
	return attr;
}

/* To RTS, from RESET. */
void join(struct end *end, const struct end *to, const struct opt *opt)
{
	struct ibv_qp_attr attr;
	int mask;

	attr = attr_init(end, opt, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
	attr = attr_rtr(end, to, opt, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
	attr = attr_rts(end, opt, &mask);
	CHECK_EQ(ibv_modify_qp(end->qp, &attr, mask), 0);
	if (end->type == IBV_QPT_UD) {
		struct ibv_ah_attr ah = ah_attr(end, to);

		end->ah = ibv_create_ah(end->dev->pd, &ah);
		CHECK(end->ah);
	}
}

void open_pair(struct pair *pair, enum ibv_qp_type type, const struct opt *opt)
{
	open_device(&pair->dev);
	pair->opt = opt ? *opt : (struct opt){};
	make_end(&pair->a, &pair->dev, type, opt);
	make_end(&pair->b, &pair->dev, type, opt);
	if (pair->opt.unconnected)
		return;
	join(&pair->a, &pair->b, opt);
	join(&pair->b, &pair->a, opt);
}

int modify_state(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

enum ibv_qp_state query_state(struct ibv_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	CHECK_EQ(ibv_query_qp(qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

/* Data. */

static uint8_t pattern(size_t i, unsigned int seed)
{
	return (i * 7 + (i >> 8) * 13 + (i >> 16) * 17 + seed * 101) & 0xff;
}

void fill(void *buf, size_t size, unsigned int seed)
{
	uint8_t *byte = buf;
	size_t i;

	for (i = 0; i < size; i++)
		byte[i] = pattern(i, seed);
}

bool filled(const void *buf, size_t size, unsigned int seed)
{
	const uint8_t *byte = buf;
	size_t i;

	for (i = 0; i < size; i++)
		if (byte[i] != pattern(i, seed)) {
			printf("# byte %zu of %zu is %02x, not %02x\n", i, size,
			       byte[i], pattern(i, seed));
			return false;
		}
	return true;
}

/* Work requests. */

struct ibv_sge sge_of(const struct end *end, size_t offset, size_t length)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)end->buf + offset,
		.length = length,
		.lkey = end->mr->lkey,
	};
}

/* Remote memory: the same offset of the other end's. */
struct ibv_send_wr wr_of(const struct end *end, const struct end *to,
			 enum ibv_wr_opcode opcode, struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = 1,
		.sg_list = sge,
		.num_sge = sge ? 1 : 0,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
	};
	uint64_t remote = (uintptr_t)to->buf;

	if (sge)
		remote += sge->addr - (uintptr_t)end->buf;
	if (end->type == IBV_QPT_UD) {
		wr.wr.ud.ah = end->ah;
		wr.wr.ud.remote_qpn = to->qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
	} else if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = to->mr->rkey;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = to->mr->rkey;
	}
	return wr;
}

void post(struct end *end, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	CHECK_EQ(ibv_post_send(end->qp, wr, &bad), 0);
}

void send_op(struct end *end, const struct end *to, enum ibv_wr_opcode opcode,
	     size_t offset, size_t length, int flags)
{
	struct ibv_sge sge = sge_of(end, offset, length);
	struct ibv_send_wr wr = wr_of(end, to, opcode, &sge);

	wr.send_flags = flags;
	post(end, &wr);
}

void recv_at(struct end *end, size_t offset, size_t length)
{
	struct ibv_sge sge = sge_of(end, offset, length);
	struct ibv_recv_wr *bad, wr = {
		.wr_id = 2,
		.sg_list = &sge,
		.num_sge = length ? 1 : 0,
	};

	CHECK_EQ(ibv_post_recv(end->qp, &wr, &bad), 0);
}

/* Completions. */

double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static bool try_poll(struct ibv_cq *cq, struct ibv_wc *wc, double seconds)
{
	double end = now() + seconds;
	int nr;

	do {
		nr = ibv_poll_cq(cq, 1, wc);
		if (nr < 0)
			FAIL("ibv_poll_cq: %d", nr);
	} while (!nr && now() < end);
	return nr;
}

struct ibv_wc poll_within(struct ibv_cq *cq, double seconds)
{
	struct ibv_wc wc;

	if (!try_poll(cq, &wc, seconds * patience_factor()))
		FAIL("no completion within %g s", seconds);
	return wc;
}

struct ibv_wc poll_one(struct ibv_cq *cq)
{
	return poll_within(cq, 10);
}

struct ibv_wc poll_ok(struct ibv_cq *cq)
{
	struct ibv_wc wc = poll_one(cq);

	CHECK_STATUS(wc, IBV_WC_SUCCESS);
	return wc;
}

void poll_none(struct ibv_cq *cq, double seconds)
{
	struct ibv_wc wc;

	if (try_poll(cq, &wc, seconds))
		FAIL("unexpected completion: wr_id %llu, %s",
		     (unsigned long long)wc.wr_id, ibv_wc_status_str(wc.status));
}

bool readable(int fd, double seconds)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, seconds * patience_factor() * 1000) == 1;
}

long counter(const struct dev *dev, const char *name)
{
	char path[256], text[32] = "";
	FILE *file;

	usleep(50000);
	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 ibv_get_device_name(dev->context->device), name);
	file = fopen(path, "r");
	CHECK(file);
	CHECK(fgets(text, sizeof(text), file));
	fclose(file);
	return atol(text);
}
