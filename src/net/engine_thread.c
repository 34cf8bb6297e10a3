// SPDX-License-Identifier: MIT
/*
 * What drives the engine: one step, and the thread that takes it when nobody else
 * does. The thread sleeps in the link while there is nothing to do, and stays away
 * while a caller drives the engine itself.
 */
#include "net/engine.h"
#include "util/err.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define LINGER_NS 20000	 /* after the last work, before it sleeps */
#define AWAY_NS	  100000 /* the thread stays away so long after a caller's step */
#define POLL_MS	  1000	 /* it looks again after that time, whatever the link says */

int engine_progress(struct engine *e)
{
	int n = e->link->progress(e);

	if (e->n_replies || e->late) {
		e->late = false;
		for (struct conn *c = e->conns; c; c = c->next) {
			serve_replies(e, c);
			msg_pause(e, c);
		}
	}
	if (e->n_posts)
		n += post_progress(e);
	if (n)
		engine_changed(e);
	return n;
}

/* Whether a caller drives the engine, or has just done so. */
static bool thread_stays_away(struct engine *e)
{
	return __atomic_load_n(&e->spinners, __ATOMIC_RELAXED) ||
	       engine_now() - __atomic_load_n(&e->driven, __ATOMIC_RELAXED) < AWAY_NS;
}

static void *thread_main(void *arg)
{
	struct engine *e = arg;
	struct timespec away = { .tv_nsec = AWAY_NS };
	int64_t worked = 0;

	pthread_setname_np(pthread_self(), "mori-net");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	while (!__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE)) {
		int timeout, did;
		bool sleeps;

		if (thread_stays_away(e)) {
			nanosleep(&away, NULL);
			continue;
		}
		engine_enter(e);
		did = engine_progress(e);
		if (did)
			worked = engine_now();
		sleeps = !did && (e->config.crowded || engine_now() - worked > LINGER_NS) &&
			 e->link->may_sleep(e);
		timeout = e->n_replies || e->late ? 1 : POLL_MS;
		engine_leave(e);
		if (sleeps)
			e->link->sleep(e, timeout);
		else if (!did)
			sched_yield();
	}
	return NULL;
}

int thread_start(struct engine *e)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&e->thread, NULL, thread_main, e);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err_set(MORI_SHMEM_EIO, "no thread for the network: %s", strerror(err));
	e->has_thread = true;
	return 0;
}

void thread_stop(struct engine *e)
{
	if (!e->has_thread)
		return;
	/* Release: pairs with the acquire in thread_main(). */
	__atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
	e->link->wake(e);
	pthread_join(e->thread, NULL);
	e->has_thread = false;
}
