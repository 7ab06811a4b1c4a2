// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traffic on whatever devices there are: RC, UC and UD, between a device and
 * itself and between neighbours, for a short while each time. A session ends
 * in one of many ways, of which tidying up is one. In some, each side is a
 * process of its own, and one of them dies: the other one must be told, and be
 * able to go on.
 *
 *   storm-traffic [crew options]	-x: the devices stay, so nothing may fail
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"
#include "side.h"

#define WRS		32
#define MEMORY		(128 * 1024)
#define LONGEST		16384	/* of a message */
#define DATAGRAM	1024
#define RECV_AT		(MEMORY / 2)
#define MAX_PLACES	32

struct session {
	struct worker *worker;
	struct rng *rng;
	bool strict;
	double limit;
	struct side a, b;
};

static const enum ibv_wr_opcode operations[] = {
	/* UD: the first two, UC: the first four. */
	IBV_WR_SEND, IBV_WR_SEND_WITH_IMM,
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM,
	IBV_WR_RDMA_READ, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static enum ibv_wr_opcode pick_operation(struct rng *rng, enum ibv_qp_type type)
{
	uint32_t nr = type == IBV_QPT_UD ? 2 : type == IBV_QPT_UC ? 4 :
		      ARRAY_SIZE(operations);

	return operations[draw(rng, nr)];
}

static uint32_t pick_length(struct rng *rng, enum ibv_qp_type type,
			    enum ibv_wr_opcode opcode)
{
	if (opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
		return 8;
	if (type == IBV_QPT_UD)
		return 1 + draw(rng, DATAGRAM);
	return 1 + draw(rng, chance(rng, 70) ? 256 : LONGEST);
}

/* False: the queue, or the device, does not take it. */
static bool post_one(struct session *s, struct side *from, struct side *to)
{
	enum ibv_qp_type type = from->qp->qp_type;
	enum ibv_wr_opcode opcode = pick_operation(s->rng, type);
	struct ibv_sge sge = {
		.addr = (uintptr_t)from->buf + 8 * draw(s->rng, 4096),
		.length = pick_length(s->rng, type, opcode),
		.lkey = from->mr->lkey,
	};
	struct ibv_send_wr *bad, wr = send_wr(from, to, opcode, &sge);

	if (ibv_post_send(from->qp, &wr, &bad))
		return false;
	from->sends++;
	return true;
}

static bool fill_queues(struct session *s, struct side *from, struct side *to)
{
	int sends = draw(s->rng, WRS);

	while (to->recvs < WRS)
		if (!post_recv(to, RECV_AT, LONGEST + 64))
			return false;
	while (from->sends < sends)
		if (!post_one(s, from, to))
			return false;
	return true;
}

static void failed(struct session *s, const struct side *side,
		   const struct ibv_wc *wc)
{
	s->worker->errors++;
	if (s->strict)
		is_bad(s->worker, "%s on %s, QP type %d",
		       ibv_wc_status_str(wc->status), side->place.device,
		       side->qp->qp_type);
}

/* How many completions; below 0: one of them says that it is over. */
static int reap(struct session *s, struct side *side)
{
	struct ibv_wc wc[16];
	int i, n;

	n = ibv_poll_cq(side->cq, ARRAY_SIZE(wc), wc);
	for (i = 0; i < n; i++) {
		if (wc[i].status) {
			failed(s, side, &wc[i]);
			return -1;
		}
		s->worker->done++;
		if (wc[i].opcode & IBV_WC_RECV)
			side->recvs--;
		else
			side->sends--;
	}
	return n;
}

/* As programs do that sleep. */
static void wait_for_event(struct side *side)
{
	struct pollfd fd = { .fd = side->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (ibv_req_notify_cq(side->cq, 0) || poll(&fd, 1, 3) != 1)
		return;
	if (!ibv_get_cq_event(side->channel, &cq, &context))
		ibv_ack_cq_events(cq, 1);
}

static bool is_over(const struct side *side)
{
	struct pollfd fd = { .fd = side->context->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool fatal;

	if (poll(&fd, 1, 0) != 1 || ibv_get_async_event(side->context, &event))
		return false;
	fatal = event.event_type == IBV_EVENT_DEVICE_FATAL;
	ibv_ack_async_event(&event);
	return fatal;
}

static void exchange(struct session *s, double seconds)
{
	double end = now() + seconds;
	int a, b;

	do {
		BEAT(s->worker);
		if (!fill_queues(s, &s->a, &s->b) ||
		    !fill_queues(s, &s->b, &s->a))
			pause_ms(1);
		a = reap(s, &s->a);
		b = reap(s, &s->b);
		if (a < 0 || b < 0)
			return;
		if (!a && !b)
			wait_for_event(chance(s->rng, 50) ? &s->a : &s->b);
	} while (now() < end && !is_over(&s->a) && !is_over(&s->b));
}

/* Two places that reach each other, often one and the same. */
static bool pick_places(const struct crew *crew, struct rng *rng,
			struct place *a, struct place *b)
{
	struct place places[MAX_PLACES];
	int n = crew_places(crew, places, MAX_PLACES), i, tries;

	if (!n)
		return false;
	*a = places[draw(rng, n)];
	*b = *a;
	for (tries = 0; tries < 4; tries++) {
		i = draw(rng, n);
		if (neighbours(&places[i], a)) {
			*b = places[i];
			break;
		}
	}
	return true;
}

static enum ibv_qp_type pick_type(struct rng *rng)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC, IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD,
	};

	return types[draw(rng, ARRAY_SIZE(types))];
}

/* ---- ways to end ---- */

/* The child has all that the parent has, and ends or becomes something else. */
static void fork_away(struct session *s)
{
	struct rng rng = *s->rng;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(5);
		pause_ms(draw(&rng, 30));
		if (chance(&rng, 50))
			execl("/bin/sleep", "sleep", "0.02", (char *)NULL);
		_exit(0);
	}
	exchange(s, draw(s->rng, 40) / 1e3);
	if (pid > 0 && chance(s->rng, 50))
		waitpid(pid, NULL, 0);
}

static void end_somehow(struct session *s)
{
	uint32_t way = draw(s->rng, 10);

	s->worker->sessions++;
	BEAT(s->worker);
	if (way < 2)
		_exit(0);	/* everything open */
	if (way < 4)
		fork_away(s);
	if (way == 4)		/* posts and does not look */
		fill_queues(s, &s->a, &s->b);
	if (way == 5)
		execl("/bin/true", "true", (char *)NULL);
	close_side(&s->a);
	close_side(&s->b);
}

/* ---- a process on each side ---- */

/* What a process has to know of the other one's side. */
struct far {
	struct place place;
	uint32_t qpn, psn, rkey;
	void *buf;
};

/* As much of it as connecting and sending look at. */
struct stand_in {
	struct ibv_qp qp;
	struct ibv_mr mr;
	struct side side;
};

static bool introduce(int fd, const struct side *mine, struct stand_in *other)
{
	struct far far = {
		.place = mine->place,
		.qpn = mine->qp->qp_num,
		.psn = mine->psn,
		.rkey = mine->mr->rkey,
		.buf = mine->buf,
	};

	if (send(fd, &far, sizeof(far), MSG_NOSIGNAL) != sizeof(far) ||
	    recv(fd, &far, sizeof(far), MSG_WAITALL) != sizeof(far))
		return false;
	memset(other, 0, sizeof(*other));
	other->qp.qp_num = far.qpn;
	other->mr.rkey = far.rkey;
	other->side = (struct side){
		.place = far.place,
		.psn = far.psn,
		.buf = far.buf,
		.qp = &other->qp,
		.mr = &other->mr,
		.recvs = WRS,	/* are its own to post */
	};
	return true;
}

/* Takes what has completed; how much of it was not well. */
static int take_all(struct session *s, struct side *side)
{
	struct ibv_wc wc;
	int failed = 0;

	while (ibv_poll_cq(side->cq, 1, &wc) == 1) {
		if (wc.wr_id)	/* post_recv() */
			side->recvs--;
		else
			side->sends--;
		failed += wc.status != IBV_WC_SUCCESS;
		s->worker->done += wc.status == IBV_WC_SUCCESS;
	}
	return failed;
}

/* Until something fails, which it does when the other one is dead. */
static int exchange_with(struct session *s, struct side *other, double seconds)
{
	double end = now() + seconds;
	int failed;

	do {
		BEAT(s->worker);
		while (s->a.recvs < WRS && post_recv(&s->a, RECV_AT, LONGEST + 64))
			;
		while (s->a.sends < WRS / 2 && post_one(s, &s->a, other))
			;
		failed = take_all(s, &s->a);
		if (!failed)
			wait_for_event(&s->a);
	} while (!failed && now() < end && !is_over(&s->a));
	return failed;
}

static bool meet(struct session *s, const struct place *place,
		 const struct wish *wish, int fd, struct stand_in *other)
{
	return open_side(&s->a, place) && make_side(&s->a, wish) &&
	       introduce(fd, &s->a, other) && join_side(&s->a, &other->side);
}

/* It is killed, or has had enough and leaves everything open. */
static void be_the_other(struct session *s, const struct place *place,
			 const struct wish *wish, int fd, pid_t parent)
{
	struct stand_in other;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	alarm(5 * patience());
	if (meet(s, place, wish, fd, &other))
		exchange_with(s, &other.side, draw(s->rng, 300) / 1e3);
	_exit(0);
}

/*
 * The other one is dead, so a message to it cannot end well if its QP type tells,
 * and all that was sent must end. Receives end with the QP.
 */
static void outlive(struct session *s, struct side *other, double limit, int failed)
{
	bool told = s->a.qp->qp_type == IBV_QPT_RC;
	double end = now() + limit;

	if (s->a.sends < WRS)
		post_one(s, &s->a, other);
	while ((s->a.sends > 0 || (told && s->a.recvs > 0)) && now() < end &&
	       !is_over(&s->a)) {
		BEAT(s->worker);
		failed += take_all(s, &s->a);
		pause_ms(1);
	}
	s->worker->errors += failed;
	if (!s->strict)
		return;
	if (s->a.sends > 0 || (told && s->a.recvs > 0))
		is_bad(s->worker, "%s: the other process is dead, and %d sends and %d receives, QP type %d, do not end",
		       s->a.place.device, s->a.sends, s->a.recvs,
		       s->a.qp->qp_type);
	else if (told != (failed > 0))
		is_bad(s->worker, "%s: the other process is dead: %d errors with QP type %d",
		       s->a.place.device, failed, s->a.qp->qp_type);
}

/* The same QP, with itself now. */
static void go_on(struct session *s)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	double end = now() + s->limit;
	int failed = 0;
	bool good;

	if (s->a.ah)
		ibv_destroy_ah(s->a.ah);
	s->a.ah = NULL;
	good = !ibv_modify_qp(s->a.qp, &attr, IBV_QP_STATE);
	take_all(s, &s->a);
	s->a.sends = 0;
	s->a.recvs = 0;
	good = good && join_side(&s->a, &s->a) &&
	       post_recv(&s->a, RECV_AT, LONGEST + 64) &&
	       post_one(s, &s->a, &s->a);
	while (good && s->a.sends > 0 && now() < end && !is_over(&s->a)) {
		BEAT(s->worker);
		failed += take_all(s, &s->a);
		pause_ms(1);
	}
	if (s->strict && (!good || failed || s->a.sends))
		is_bad(s->worker, "%s: who lost the other one cannot use the QP again: %s, %d errors, %d sends do not end, QP type %d",
		       s->a.place.device, good ? "taken" : strerror(errno), failed,
		       s->a.sends, s->a.qp->qp_type);
}

static void lose_the_other(struct session *s, const struct place *a,
			   const struct wish *wish, int fd, pid_t pid)
{
	struct stand_in other;
	int failed;

	if (!meet(s, a, wish, fd, &other)) {
		s->worker->errors++;
		if (s->strict)
			is_bad(s->worker, "%s: two processes do not get together: %s",
			       a->device, strerror(errno));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return;
	}
	failed = exchange_with(s, &other.side, draw(s->rng, 200) / 1e3);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	BEAT(s->worker);
	outlive(s, &other.side, s->limit, failed);
	go_on(s);
	s->worker->sessions++;
}

static void session_of_two(struct session *s, const struct place *a,
			   const struct place *b, const struct wish *wish)
{
	pid_t parent = getpid(), pid;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		be_the_other(s, b, wish, fds[1], parent);
	}
	close(fds[1]);
	if (pid > 0)
		lose_the_other(s, a, wish, fds[0], pid);
	close(fds[0]);
	close_side(&s->a);
}

static void work(struct worker *worker, struct rng *rng, const struct crew *crew)
{
	struct session s = { worker, rng, crew->strict, crew->limit };
	struct wish wish = { pick_type(rng), MEMORY, WRS };
	double seconds = (5 + draw(rng, 200)) / 1e3;
	struct place a, b;

	BEAT(worker);
	if (!pick_places(crew, rng, &a, &b)) {
		worker->errors++;
		pause_ms(10);
		return;
	}
	BEAT(worker);
	if (chance(rng, 25)) {
		session_of_two(&s, &a, &b, &wish);
		return;
	}
	if (open_side(&s.a, &a) && open_side(&s.b, &b) &&
	    make_pair(&s.a, &s.b, &wish)) {
		exchange(&s, seconds);
		end_somehow(&s);
		return;
	}
	worker->errors++;
	if (crew->strict)
		is_bad(worker, "cannot make a pair of %s and %s, QP type %d: %s (states %d, %d)",
		       a.device, b.device, wish.type, strerror(errno),
		       s.a.qp ? (int)s.a.qp->state : -1,
		       s.b.qp ? (int)s.b.qp->state : -1);
	close_side(&s.a);
	close_side(&s.b);
	pause_ms(1);
}

int main(int argc, char **argv)
{
	struct crew crew = crew_options(argc, argv, "traffic");

	return run_crew(&crew, work);
}
