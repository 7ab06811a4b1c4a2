// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Objects of every kind made, changed and destroyed by many threads of a
 * process at the same time, QPs taken through their states in any order, under
 * a rain of signals, while data flows between pairs of QPs of each type from and
 * to memory that is deregistered, and registered otherwise, meanwhile. Any call
 * may be refused; none may hang or do harm.
 *
 *   storm-churn [crew options]	-o 0: as a user without privileges and with a
 *				small memlock limit, which must hold
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "crew.h"
#include "side.h"

#define THREADS		4
#define SLOTS		8		/* of objects of a kind */
#define OPERATIONS	150		/* of a thread in a session */
#define MEMORY		(256 * 1024)
#define SMALL_MEMLOCK	(300 * 1024)
#define UNPRIVILEGED	1		/* crew flag 0 */

/* An object, and who is at it. What is made of it keeps it from being destroyed. */
struct object {
	pthread_mutex_t mutex;
	void *what;
	struct object *cq;		/* a QP's */
	struct ibv_qp *mate;		/* a QP's: connected to it, if there is one */
};

struct session {
	struct worker *worker;
	struct side side;		/* device and PD */
	struct side peer;		/* a QP that is there to be connected to */
	uint8_t *memory;
	struct object qps[SLOTS], cqs[SLOTS], mrs[SLOTS], ahs[SLOTS], pds[SLOTS];
};

struct thread {
	pthread_t id;
	struct session *session;
	struct rng rng;
};

static void count(struct session *s, bool good)
{
	if (good)
		s->worker->done++;
	else
		s->worker->errors++;
}

/* One that nobody else is at, locked; NULL if somebody is. */
static struct object *take(struct rng *rng, struct object *objects)
{
	struct object *object = &objects[draw(rng, SLOTS)];

	return pthread_mutex_trylock(&object->mutex) ? NULL : object;
}

static void let_go(struct object *object)
{
	pthread_mutex_unlock(&object->mutex);
}

/* ---- memory ---- */

/* Most of it, most of the time: data is to flow. */
static int any_access(struct rng *rng)
{
	return IBV_ACCESS_LOCAL_WRITE | (chance(rng, 70) ? ALL_ACCESS : draw(rng, 16));
}

static void toggle_mr(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->mrs);
	size_t offset = draw(rng, MEMORY / 2), length = 1 + draw(rng, MEMORY / 2);

	if (!object)
		return;
	if (object->what) {
		count(s, !ibv_dereg_mr(object->what));
		object->what = NULL;
	} else {
		object->what = ibv_reg_mr(s->side.pd, s->memory + offset, length,
					  any_access(rng));
		s->worker->refused += !object->what && errno == ENOMEM;
		count(s, object->what);
	}
	let_go(object);
}

static void change_mr(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->mrs);

	if (!object)
		return;
	if (object->what)
		count(s, !ibv_rereg_mr(object->what, 1 + draw(rng, 7), s->side.pd,
				       s->memory + draw(rng, 4096),
				       1 + draw(rng, MEMORY / 2),
				       any_access(rng)));
	let_go(object);
}

/* ---- the rest but QPs ---- */

static void toggle_pd(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->pds);

	if (!object)
		return;
	if (object->what) {
		count(s, !ibv_dealloc_pd(object->what));
		object->what = NULL;
	} else {
		object->what = ibv_alloc_pd(s->side.context);
		count(s, object->what);
	}
	let_go(object);
}

static void toggle_cq(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->cqs);

	if (!object)
		return;
	if (object->what) {	/* busy while a QP uses it: stays then */
		if (!ibv_destroy_cq(object->what))
			object->what = NULL;
		count(s, !object->what);
	} else {
		object->what = ibv_create_cq(s->side.context,
					     1 + draw(rng, 2000), NULL,
					     chance(rng, 50) ? s->peer.channel : NULL,
					     0);
		count(s, object->what);
	}
	let_go(object);
}

/* Also while completions arrive, others poll, and it is armed. */
static void resize_cq(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->cqs);

	if (!object)
		return;
	if (object->what) {
		count(s, !ibv_resize_cq(object->what, 1 + draw(rng, 2000)));
		if (chance(rng, 50))
			count(s, !ibv_req_notify_cq(object->what, draw(rng, 2)));
	}
	let_go(object);
}

static void toggle_ah(struct session *s, struct rng *rng)
{
	struct ibv_ah_attr attr = ah_attr(&s->side, &s->side.place);
	struct object *object = take(rng, s->ahs);

	if (!object)
		return;
	if (object->what) {
		count(s, !ibv_destroy_ah(object->what));
		object->what = NULL;
	} else {
		if (chance(rng, 30))
			attr.grh.dgid.raw[15] = draw(rng, 256);
		object->what = ibv_create_ah(s->side.pd, &attr);
		count(s, object->what);
	}
	let_go(object);
}

/* ---- QPs ---- */

static enum ibv_qp_type any_type(struct rng *rng)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

	return types[draw(rng, 3)];
}

static struct ibv_qp *make_qp(struct session *s, enum ibv_qp_type type,
			      struct ibv_cq *cq, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = {
		.qp_type = type,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = cap,
	};

	return ibv_create_qp(s->side.pd, &init);
}

/* Two that are connected; @object has neither if one of them cannot be. */
static void make_mates(struct session *s, struct rng *rng, struct object *object,
		       struct ibv_cq *cq)
{
	struct ibv_qp_cap cap = { 64, 64, 1 + draw(rng, 4), 1 + draw(rng, 4), 0 };
	struct side a = s->side, b = s->side;
	enum ibv_qp_type type = any_type(rng);

	a.qp = make_qp(s, type, cq, cap);
	b.qp = a.qp ? make_qp(s, type, cq, cap) : NULL;
	if (b.qp && join_side(&a, &b) && join_side(&b, &a)) {
		object->what = a.qp;
		object->mate = b.qp;
	} else {
		if (b.qp)
			ibv_destroy_qp(b.qp);
		if (a.qp)
			ibv_destroy_qp(a.qp);
	}
	if (a.ah)
		ibv_destroy_ah(a.ah);
	if (b.ah)
		ibv_destroy_ah(b.ah);
}

/*
 * Providers look at the CQs of a QP once more when the kernel is done with it, so
 * nobody may destroy those before the call is back.
 */
static void destroy_qp(struct session *s, struct object *object)
{
	if (pthread_mutex_trylock(&object->cq->mutex))
		return;
	if (object->mate)
		count(s, !ibv_destroy_qp(object->mate));
	object->mate = NULL;
	count(s, !ibv_destroy_qp(object->what));
	object->what = NULL;
	let_go(object->cq);
}

static void create_qp(struct session *s, struct rng *rng, struct object *object)
{
	struct ibv_qp_cap cap = { draw(rng, 200), draw(rng, 200), draw(rng, 6),
				  draw(rng, 6), draw(rng, 300) };
	struct object *cq = take(rng, s->cqs);

	if (!cq)
		return;
	if (cq->what) {
		if (chance(rng, 60))
			make_mates(s, rng, object, cq->what);
		else
			object->what = make_qp(s, any_type(rng), cq->what, cap);
		object->cq = cq;
		count(s, object->what);
	}
	let_go(cq);
}

static void toggle_qp(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->qps);

	if (!object)
		return;
	if (object->what)
		destroy_qp(s, object);
	else
		create_qp(s, rng, object);
	let_go(object);
}

/* Half of the time the next step, else any, with any attributes besides. */
static void change_qp(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->qps);
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;
	int state, mask;

	if (!object)
		return;
	qp = object->what;
	if (qp) {
		state = chance(rng, 60) ? (int)qp->state + 1 : (int)draw(rng, 7);
		attr = step_attr(&s->side, qp->qp_type, state, &s->peer, &mask);
		if (chance(rng, 20))
			mask ^= 1 << draw(rng, 21);
		if (chance(rng, 10))
			attr.ah_attr.grh.sgid_index = draw(rng, 6);
		count(s, !ibv_modify_qp(qp, &attr, mask));
		if (chance(rng, 30))
			count(s, !ibv_query_qp(qp, &attr, 0x1fffff, &init));
	}
	let_go(object);
}

/* Where data comes from or goes to. Nothing keeps it from being taken away. */
static struct ibv_sge any_sge(struct session *s, struct rng *rng, uint32_t *rkey)
{
	struct object *object = take(rng, s->mrs);
	struct ibv_sge sge = { (uintptr_t)s->memory, draw(rng, 64), 0 };
	struct ibv_mr *mr;
	size_t offset;

	*rkey = s->peer.mr->rkey;
	if (!object)
		return sge;
	mr = object->what;
	if (mr) {
		offset = draw(rng, mr->length);
		sge.addr = (uintptr_t)mr->addr + offset;
		sge.length = 1 + draw(rng, mr->length - offset);
		if (chance(rng, 70) && sge.length > 2000)
			sge.length = 1 + draw(rng, 2000);
		sge.lkey = mr->lkey;
		*rkey = mr->rkey;
	}
	let_go(object);
	return sge;
}

/* @to: NULL for the session's peer, a UD QP. */
static void send_one(struct session *s, struct rng *rng, struct ibv_qp *qp,
		     const struct ibv_qp *to, const struct object *ah)
{
	uint32_t rkey, remote_rkey;
	struct ibv_sge sge = any_sge(s, rng, &rkey);
	struct ibv_sge remote = any_sge(s, rng, &remote_rkey);
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge,
		.num_sge = chance(rng, 90),
		.opcode = draw(rng, 7),
		.send_flags = draw(rng, 16),
	};

	if (qp->qp_type == IBV_QPT_UD) {
		if (!ah || !ah->what)
			return;
		wr.wr.ud.ah = ah->what;
		wr.wr.ud.remote_qpn = to ? to->qp_num : s->peer.qp->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
		wr.opcode = chance(rng, 90) ? IBV_WR_SEND : wr.opcode;
		sge.length %= 1024;
	} else if (wr.opcode == IBV_WR_ATOMIC_CMP_AND_SWP ||
		   wr.opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = remote.addr & ~7ULL;
		wr.wr.atomic.rkey = remote_rkey;
		sge.length = 8;
	} else {
		wr.wr.rdma.remote_addr = remote.addr;
		wr.wr.rdma.rkey = remote_rkey;
	}
	count(s, !ibv_post_send(qp, &wr, &bad));
}

static void receive_one(struct session *s, struct rng *rng, struct ibv_qp *qp)
{
	uint32_t rkey;
	struct ibv_sge sge = any_sge(s, rng, &rkey);
	struct ibv_recv_wr *bad, wr = { .sg_list = &sge, .num_sge = chance(rng, 90) };

	ibv_post_recv(qp, &wr, &bad);
}

/* Some messages must come through: they are what the rest happens to. */
static void poll_one(struct session *s, struct ibv_cq *cq)
{
	struct ibv_wc wc;

	if (ibv_poll_cq(cq, 1, &wc) != 1)
		return;
	if (wc.status == IBV_WC_SUCCESS)
		s->worker->moved++;
	else
		s->worker->errors++;
}

static void use_qp(struct session *s, struct rng *rng)
{
	struct object *object = take(rng, s->qps), *ah;
	struct ibv_qp *qp, *mate;
	int i;

	if (!object)
		return;
	qp = object->what;
	mate = object->mate;
	ah = take(rng, s->ahs);	/* may be destroyed while packets go by it */
	for (i = draw(rng, 20); qp && i > 0; i--) {
		receive_one(s, rng, mate ? mate : qp);
		send_one(s, rng, qp, mate, ah);
		if (mate && chance(rng, 30)) {
			receive_one(s, rng, qp);
			send_one(s, rng, mate, qp, ah);
		}
		poll_one(s, qp->send_cq);
	}
	if (ah)
		let_go(ah);
	let_go(object);
}

/* ---- a session ---- */

static void *run_thread(void *arg)
{
	static void (*const doings[])(struct session *s, struct rng *rng) = {
		toggle_qp, toggle_qp, change_qp, change_qp, change_qp, use_qp,
		use_qp, toggle_cq, resize_cq, toggle_mr, change_mr, toggle_ah, toggle_pd,
	};
	struct thread *thread = arg;
	int i;

	for (i = 0; i < OPERATIONS; i++) {
		BEAT(thread->session->worker);
		doings[draw(&thread->rng, ARRAY_SIZE(doings))](thread->session,
							       &thread->rng);
	}
	return NULL;
}

static void on_signal(int number)
{
	(void)number;
}

/* Interrupts whichever thread runs; system calls are not restarted. */
static void rain_signals(uint32_t us)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static void destroy_all(struct session *s)
{
	int i;

	for (i = 0; i < SLOTS; i++) {
		if (s->qps[i].mate)
			ibv_destroy_qp(s->qps[i].mate);
		if (s->qps[i].what)
			ibv_destroy_qp(s->qps[i].what);
		if (s->mrs[i].what)
			ibv_dereg_mr(s->mrs[i].what);
		if (s->ahs[i].what)
			ibv_destroy_ah(s->ahs[i].what);
		if (s->pds[i].what)
			ibv_dealloc_pd(s->pds[i].what);
	}
	for (i = 0; i < SLOTS; i++)
		if (s->cqs[i].what)
			ibv_destroy_cq(s->cqs[i].what);
}

/* Kilobytes that the kernel has pinned for this process. */
static long pinned(void)
{
	char line[128];
	FILE *file = fopen("/proc/self/status", "r");
	long kb = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %ld", &kb) == 1)
			break;
	if (file)
		fclose(file);
	return kb;
}

static void drop_privileges(struct worker *worker)
{
	struct rlimit limit = { SMALL_MEMLOCK, SMALL_MEMLOCK };

	if (geteuid())
		return;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(65534) || setuid(65534))
		is_bad(worker, "cannot drop privileges: %s", strerror(errno));
}

/* The sum of all regions would be far above it: see crew.must_refuse. */
static void check_memlock(struct session *s)
{
	if (pinned() > SMALL_MEMLOCK / 1024)
		is_bad(s->worker, "%ld kB are pinned, %d kB are allowed",
		       pinned(), SMALL_MEMLOCK / 1024);
}

static void run_threads(struct session *s, struct rng *rng)
{
	struct thread threads[THREADS];
	int i, n = 0;

	rain_signals(500 + draw(rng, 5000));
	for (i = 0; i < THREADS; i++) {
		threads[i].session = s;
		threads[i].rng = rng_of(rng->state, i);
		if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]))
			break;
		n++;
	}
	for (i = 0; i < n; i++)
		pthread_join(threads[i].id, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){}, NULL);
}

static void init_session(struct session *s, struct worker *worker)
{
	struct object *objects[] = { s->qps, s->cqs, s->mrs, s->ahs, s->pds };
	size_t i, k;

	s->worker = worker;
	for (i = 0; i < ARRAY_SIZE(objects); i++)
		for (k = 0; k < SLOTS; k++)
			pthread_mutex_init(&objects[i][k].mutex, NULL);
}

static bool open_session(struct session *s, struct rng *rng,
			 const struct crew *crew)
{
	struct wish wish = { IBV_QPT_UD, 4096, 16 };
	struct place places[16];
	int n = crew_places(crew, places, ARRAY_SIZE(places));
	struct place *place;

	if (!n)
		return false;
	place = &places[draw(rng, n)];
	s->memory = mmap(NULL, MEMORY + 8192, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return s->memory != MAP_FAILED && open_side(&s->side, place) &&
	       open_side(&s->peer, place) && make_side(&s->peer, &wish) &&
	       join_side(&s->peer, &s->peer);
}

static void work(struct worker *worker, struct rng *rng, const struct crew *crew)
{
	static struct session s;

	BEAT(worker);
	memset(&s, 0, sizeof(s));
	init_session(&s, worker);
	if (crew->flags & UNPRIVILEGED)
		drop_privileges(worker);
	if (!open_session(&s, rng, crew)) {
		worker->errors++;
		pause_ms(5);
	} else {
		run_threads(&s, rng);
		if (crew->flags & UNPRIVILEGED)
			check_memlock(&s);
		if (chance(rng, 10))
			_exit(0);
		destroy_all(&s);
		worker->sessions++;
	}
	close_side(&s.peer);
	close_side(&s.side);
	if (s.memory && s.memory != MAP_FAILED)
		munmap(s.memory, MEMORY + 8192);
	if (pinned() > 0)
		is_bad(worker, "%ld kB are still pinned with nothing open", pinned());
}

int main(int argc, char **argv)
{
	struct crew crew = crew_options(argc, argv, "churn");

	crew.must_refuse = crew.flags & UNPRIVILEGED;
	crew.must_move = true;
	return run_crew(&crew, work);
}
