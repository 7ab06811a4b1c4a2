/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A spin lock that is not taken when the program promised, by a thread domain
 * or IBV_CREATE_CQ_ATTR_SINGLE_THREADED, that one thread at a time comes here.
 */
#ifndef ROX_LOCK_H
#define ROX_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct rox_lock {
	pthread_spinlock_t spin;
	bool needed;
};

static inline void rox_lock_init(struct rox_lock *lock, bool single_threaded)
{
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
	lock->needed = !single_threaded;
}

static inline void rox_lock_fini(struct rox_lock *lock)
{
	pthread_spin_destroy(&lock->spin);
}

static inline void rox_lock(struct rox_lock *lock)
{
	if (lock->needed)
		pthread_spin_lock(&lock->spin);
}

static inline void rox_unlock(struct rox_lock *lock)
{
	if (lock->needed)
		pthread_spin_unlock(&lock->spin);
}

#endif
