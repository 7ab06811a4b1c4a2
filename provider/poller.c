/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The poller's thread. It stays in the kernel as long as there is work, and for
 * ROX_POLL_US after that; then it sleeps until somebody has to kick. Nothing
 * depends on it: without it, every post that has to kick does.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "rox.h"

#define STACK_BYTES (64 * 1024)

static int lend(struct rox_context *ctx)
{
	DECLARE_COMMAND_BUFFER(cmd, ROX_OBJECT_CONTEXT, ROX_METHOD_POLL, 1);

	fill_attr_in_uint32(cmd, ROX_ATTR_POLL_US, ctx->poller.us);
	return execute_ioctl(&ctx->vctx.context, cmd);
}

static void sleep_until_kicked(struct rox_poller *poller)
{
	atomic_store(&poller->asleep, true);
	while (sem_wait(&poller->wake) && errno == EINTR)
		;
}

static void *poller_thread(void *arg)
{
	struct rox_context *ctx = arg;
	struct rox_poller *poller = &ctx->poller;
	int ret;

	while (!atomic_load(&poller->stop)) {
		ret = lend(ctx);
		if (ret == EINTR)
			continue;
		/* The device is gone, or nobody may poll: no use to go on. */
		if (ret)
			break;
		sleep_until_kicked(poller);
	}
	return NULL;
}

void rox_poller_wake(struct rox_poller *poller)
{
	if (atomic_exchange(&poller->asleep, false))
		sem_post(&poller->wake);
}

/* Signals are for the program's threads; its stack holds next to nothing. */
static int create_thread(struct rox_context *ctx)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int ret;

	ret = pthread_attr_init(&attr);
	if (ret)
		return ret;
	pthread_attr_setstacksize(&attr, STACK_BYTES + PTHREAD_STACK_MIN);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ret = pthread_create(&ctx->poller.thread, &attr, poller_thread, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return ret;
}

/*
 * rox_poller_start - there is a queue pair now
 *
 * A program that only looks at the device gets no thread. If there can be none,
 * that costs speed, no more.
 */
void rox_poller_start(struct ibv_context *context)
{
	struct rox_context *ctx = to_rox_context(context);
	struct rox_poller *poller = &ctx->poller;

	if (!poller->us)
		return;
	pthread_mutex_lock(&poller->start);
	if (!poller->pid && !create_thread(ctx))
		poller->pid = getpid();
	pthread_mutex_unlock(&poller->start);
}

static uint32_t wanted_us(void)
{
	const char *value = getenv("ROX_POLL_US");
	unsigned long us = value ? strtoul(value, NULL, 0) : 0;

	return us < UINT32_MAX ? us : UINT32_MAX;
}

void rox_poller_init(struct ibv_context *context)
{
	struct rox_context *ctx = to_rox_context(context);
	struct rox_poller *poller = &ctx->poller;

	poller->us = ctx->caps & ROX_CAP_POLL ? wanted_us() : 0;
	pthread_mutex_init(&poller->start, NULL);
	atomic_init(&poller->asleep, false);
	atomic_init(&poller->stop, false);
	sem_init(&poller->wake, 0, 0);
}

/*
 * rox_poller_fini - before the context is closed
 *
 * There is nothing to poll any more, so the thread is back after its time.
 */
void rox_poller_fini(struct ibv_context *context)
{
	struct rox_poller *poller = &to_rox_context(context)->poller;

	if (poller->pid == getpid()) {
		atomic_store(&poller->stop, true);
		sem_post(&poller->wake);
		pthread_join(poller->thread, NULL);
	}
	sem_destroy(&poller->wake);
	pthread_mutex_destroy(&poller->start);
}
