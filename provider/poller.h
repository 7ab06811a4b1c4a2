/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A thread that the program lends to the kernel, if it wants to: posting makes no
 * system call while that polls. See poller.c.
 */
#ifndef ROX_POLLER_H
#define ROX_POLLER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct ibv_context;

struct rox_poller {
	/* Microseconds that the kernel looks for work in vain; 0: no poller. */
	uint32_t us;
	pthread_mutex_t start;
	/* Of the process that started it; a child of fork() has no such thread. */
	pid_t pid;
	pthread_t thread;
	/* The thread waits for a kick, or is to end. */
	atomic_bool asleep;
	atomic_bool stop;
	sem_t wake;
};

void rox_poller_init(struct ibv_context *context);
void rox_poller_fini(struct ibv_context *context);
void rox_poller_start(struct ibv_context *context);
void rox_poller_wake(struct rox_poller *poller);

/* rox_poller_kicked - work again; cheap when there is no poller, or it is awake */
static inline void rox_poller_kicked(struct rox_poller *poller)
{
	if (atomic_load_explicit(&poller->asleep, memory_order_relaxed))
		rox_poller_wake(poller);
}

#endif
