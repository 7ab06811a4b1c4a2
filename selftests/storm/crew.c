// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crew.h"

#define MAX_WORKERS 64

/* The foreman's own notes of a worker. */
struct post {
	uint64_t beat;
	double since;		/* beat is that old */
	double killed;		/* 0: alive */
	uint64_t sessions;	/* of those that held this post before */
};

struct foreman {
	const struct crew *crew;
	struct worker *workers;
	struct post posts[MAX_WORKERS];
	struct rng rng;
	uint64_t started;
	unsigned long kills, deaths;
	double slowest;		/* from SIGKILL to the end */
	int failures;
	void (*work)(struct worker *worker, struct rng *rng,
		     const struct crew *crew);
};

void is_bad(struct worker *worker, const char *format, ...)
{
	va_list args;

	if (worker->bad++)
		return;
	va_start(args, format);
	vsnprintf(worker->why, sizeof(worker->why), format, args);
	va_end(args);
}

static void usage(const char *name)
{
	fprintf(stderr,
		"usage: storm-%s [-s SEED] [-t SECONDS] [-w WORKERS] [-k KILL-MS] [-l LIMIT] [-n SESSIONS] [-d DEVICE] [-x] [-o N]...\n",
		name);
	exit(2);
}

struct crew crew_options(int argc, char **argv, const char *name)
{
	struct crew crew = {
		.name = name, .seed = 1, .seconds = 5, .workers = 4, .limit = 10,
		.least = 4,
	};
	int option;

	while ((option = getopt(argc, argv, "s:t:w:k:l:n:d:xo:")) != -1) {
		switch (option) {
		case 's': crew.seed = strtoull(optarg, NULL, 0); break;
		case 't': crew.seconds = atof(optarg); break;
		case 'w': crew.workers = atoi(optarg); break;
		case 'k': crew.kill_ms = atoi(optarg); break;
		case 'l': crew.limit = atof(optarg); break;
		case 'n': crew.least = atoi(optarg); break;
		case 'd': crew.device = optarg; break;
		case 'x': crew.strict = true; break;
		case 'o': crew.flags |= 1ULL << atoi(optarg); break;
		default: usage(name);
		}
	}
	if (crew.workers < 1 || crew.workers > MAX_WORKERS)
		usage(name);
	return crew;
}

int crew_places(const struct crew *crew, struct place *places, int max)
{
	int n = find_places(places, max), kept = 0, i;

	for (i = 0; i < n; i++)
		if (!crew->device || !strcmp(places[i].device, crew->device))
			places[kept++] = places[i];
	return kept;
}

/* Where it was, and who it was: the program, libibverbs, or the provider. */
static void on_crash(int number)
{
	void *frames[24];

	backtrace_symbols_fd(frames, backtrace(frames, 24), STDOUT_FILENO);
	raise(number);
}

static void tell_crashes(void)
{
	struct sigaction action = {
		.sa_handler = on_crash,
		.sa_flags = SA_RESETHAND | SA_NODEFER,
	};
	void *frame;

	backtrace(&frame, 1);	/* loads what it needs now */
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGABRT, &action, NULL);
}

/* Each worker's decisions are those of its number in the order of starting. */
static void start(struct foreman *f, int i)
{
	struct worker *worker = &f->workers[i];
	struct rng rng = rng_of(f->crew->seed, ++f->started);
	pid_t pid;

	fflush(stdout);
	f->posts[i].sessions += worker->sessions;
	worker->sessions = 0;
	worker->nr = f->started;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		tell_crashes();
		/* Every second one has a poller. */
		if (worker->nr % 2)
			setenv("ROX_POLL_US", "2000", 1);
		while (1)
			f->work(worker, &rng, f->crew);
	}
	worker->pid = pid;
	f->posts[i].beat = worker->beat;
	f->posts[i].since = now();
	f->posts[i].killed = 0;
}

static void fail(struct foreman *f, struct worker *worker, const char *what)
{
	f->failures++;
	printf("# %s, worker %d, pid %d: %s (line %d)\n", f->crew->name,
	       worker->nr, worker->pid, what, worker->at);
	show_task(worker->pid);
}

static void kill_worker(struct foreman *f, int i)
{
	if (f->posts[i].killed || f->workers[i].pid <= 0)
		return;
	f->posts[i].killed = now();
	kill(f->workers[i].pid, SIGKILL);
	f->kills++;
}

static void buried(struct foreman *f, int i, int status)
{
	struct worker *worker = &f->workers[i];
	struct post *post = &f->posts[i];
	char what[64];

	if (post->killed && now() - post->killed > f->slowest)
		f->slowest = now() - post->killed;
	f->deaths++;
	if (!post->killed && WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) {
		snprintf(what, sizeof(what), "ended by signal %d",
			 WTERMSIG(status));
		fail(f, worker, what);
	} else if (!post->killed && WIFEXITED(status) && WEXITSTATUS(status)) {
		snprintf(what, sizeof(what), "ended with status %d",
			 WEXITSTATUS(status));
		fail(f, worker, what);
	}
	worker->pid = 0;
}

/* Whoever is dead, grandchildren included. False if nobody is left alive. */
static bool bury(struct foreman *f)
{
	int status, i;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (i = 0; i < f->crew->workers; i++)
			if (f->workers[i].pid == pid)
				buried(f, i, status);
	return pid == 0 || errno != ECHILD;
}

static void look_after(struct foreman *f, int i)
{
	struct worker *worker = &f->workers[i];
	struct post *post = &f->posts[i];

	if (worker->pid <= 0)
		return;
	if (post->killed) {
		if (now() - post->killed > f->crew->limit) {
			fail(f, worker, "cannot be killed");
			post->killed = now() + 3600;
		}
		return;
	}
	if (post->beat != worker->beat) {
		post->beat = worker->beat;
		post->since = now();
	} else if (now() - post->since > f->crew->limit) {
		fail(f, worker, "hangs");
		kill_worker(f, i);
	}
}

static uint64_t all_sessions(const struct foreman *f)
{
	uint64_t sessions = 0;
	int i;

	for (i = 0; i < f->crew->workers; i++)
		sessions += f->workers[i].sessions + f->posts[i].sessions;
	return sessions;
}

/*
 * On a machine that is slow just now, workers that are killed all the time get
 * nowhere: then some are let live, and all of them once the time is over ...
 */
static bool may_kill(const struct foreman *f, double end)
{
	return now() < end && f->kills < 6 + 3 * all_sessions(f);
}

/* ... and the time is not over before something was done. */
static bool is_over(const struct foreman *f, double end)
{
	const struct crew *crew = f->crew;

	if (f->failures >= 3 || now() > end + 4 * crew->limit)
		return true;
	return now() > end && all_sessions(f) >= (uint64_t)crew->least;
}

static void watch(struct foreman *f)
{
	const struct crew *crew = f->crew;
	double end = now() + crew->seconds, kill_at;
	int i;

	kill_at = now() + draw(&f->rng, 2 * crew->kill_ms) / 1e3;
	while (!is_over(f, end)) {
		bury(f);
		for (i = 0; i < crew->workers; i++) {
			look_after(f, i);
			if (f->workers[i].pid <= 0)
				start(f, i);
		}
		if (crew->kill_ms && now() >= kill_at) {
			i = draw(&f->rng, crew->workers);
			if (may_kill(f, end))
				kill_worker(f, i);
			kill_at = now() + draw(&f->rng, 2 * crew->kill_ms) / 1e3;
		}
		pause_ms(5);
	}
}

/* The parent of a process; 0 if it has ended. */
static pid_t parent_of(pid_t pid)
{
	char path[64], line[512], *end = NULL;
	FILE *file;
	int parent = 0;
	char state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fgets(line, sizeof(line), file))
		end = strrchr(line, ')');
	if (end && (sscanf(end, ") %c %d", &state, &parent) != 2 || state == 'Z'))
		parent = 0;
	if (file)
		fclose(file);
	return parent;
}

/* Those that workers left behind are this process's children now. */
static void find_left_behind(struct foreman *f)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t pid;

	while (dir && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (pid <= 0 || parent_of(pid) != getpid())
			continue;
		f->failures++;
		printf("# %s, pid %d: left behind by a worker, does not end\n",
		       f->crew->name, pid);
		show_task(pid);
		kill(pid, SIGKILL);
	}
	if (dir)
		closedir(dir);
}

/* They all go. What they left behind ends by itself, by its own alarm. */
static void dismiss(struct foreman *f)
{
	double end = now() + f->crew->limit + 5;
	int i;

	for (i = 0; i < f->crew->workers; i++)
		kill_worker(f, i);
	while (bury(f) && now() < end)
		pause_ms(2);
	for (i = 0; i < f->crew->workers; i++)
		if (f->workers[i].pid > 0)
			fail(f, &f->workers[i], "cannot be killed at the end");
	if (bury(f))
		find_left_behind(f);
}

static int report(struct foreman *f)
{
	uint64_t sessions = all_sessions(f), done = 0, errors = 0, bad = 0,
		 refused = 0, moved = 0;
	const struct crew *crew = f->crew;
	bool little, lax, idle;
	struct worker *worker;
	int i;

	for (i = 0; i < crew->workers; i++) {
		worker = &f->workers[i];
		done += worker->done;
		errors += worker->errors;
		bad += worker->bad;
		refused += worker->refused;
		moved += worker->moved;
		if (worker->bad)
			printf("# %s: bad: %s\n", crew->name, worker->why);
	}
	printf("# %s: seed %llu: %llu processes, %llu sessions, %llu done, %llu errors, %llu refused, %llu bad, %lu kills, slowest death %.0f ms\n",
	       crew->name, (unsigned long long)crew->seed,
	       (unsigned long long)f->started, (unsigned long long)sessions,
	       (unsigned long long)done, (unsigned long long)errors,
	       (unsigned long long)refused, (unsigned long long)bad, f->kills,
	       f->slowest * 1e3);
	little = sessions < (uint64_t)crew->least || (crew->least && !done);
	if (little)
		printf("# %s: not enough was done: %d sessions were to be\n",
		       crew->name, crew->least);
	lax = crew->must_refuse && !refused;
	if (lax)
		printf("# %s: the limit refused nothing\n", crew->name);
	idle = crew->must_move && !moved;
	if (crew->must_move)
		printf("# %s: %llu messages came through\n", crew->name,
		       (unsigned long long)moved);
	return bad || f->failures || little || lax || idle;
}

int run_crew(const struct crew *crew,
	     void (*work)(struct worker *worker, struct rng *rng,
			  const struct crew *crew))
{
	static struct foreman f;

	f.crew = crew;
	f.work = work;
	f.rng = rng_of(crew->seed, 0);
	f.workers = mmap(NULL, MAX_WORKERS * sizeof(*f.workers),
			 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	if (f.workers == MAP_FAILED)
		return 1;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	watch(&f);
	dismiss(&f);
	return report(&f);
}
