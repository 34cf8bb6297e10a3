// SPDX-License-Identifier: MIT
/*
 * Threads of the library: signals are for the program's own threads, and the cores are those of
 * the thread that creates them unless MORI_IGNORE_CPU_AFFINITY is set.
 */
#include "util/thread.h"

#include <sched.h>
#include <signal.h>
#include <string.h>

static bool thread_any_core; /* of the process, as the level of the log */

void thread_ignore_affinity(bool ignore)
{
	__atomic_store_n(&thread_any_core, ignore, __ATOMIC_RELAXED);
}

static int thread_set_attr(pthread_attr_t *attr, size_t stack)
{
	cpu_set_t all[8]; /* the kernel leaves out the cores that the process may not have */
	int err = stack ? pthread_attr_setstacksize(attr, stack) : 0;

	if (err || !__atomic_load_n(&thread_any_core, __ATOMIC_RELAXED))
		return err;
	memset(all, 0xff, sizeof(all));
	return pthread_attr_setaffinity_np(attr, sizeof(all), all);
}

int thread_create(pthread_t *out, size_t stack, void *(*start)(void *), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return err;
	err = thread_set_attr(&attr, stack);
	if (!err) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &before);
		err = pthread_create(out, &attr, start, arg);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	pthread_attr_destroy(&attr);
	return err;
}
