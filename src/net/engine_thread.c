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

#define LINGER_NS 20000	     /* after the last work, before it sleeps */
#define DRIVEN_NS 100000     /* so long ago, at most, callers have driven the engine that do it */
#define AWAY_NS	  200000     /* it stays away from it so long at first, */
#define AWAY_MOST 400000     /* and so long at most */
#define POLL_NS	  1000000000 /* it looks again after that time, whatever the link says, */
#define GIVE_WAY  100	     /* times it yields to who waits for the lock, at most */
#define RETRY_NS  1000000    /* or after that one where something could not be sent */

int engine_progress(struct engine *e)
{
	int n;

	if (__atomic_load_n(&e->any_gone, __ATOMIC_RELAXED))
		engine_bury(e);
	n = e->link->progress(e);
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

/*
 * Whether callers drive the engine for short times, one soon after the other. One that does it
 * for long keeps what comes from the thread all the while, where the link can do that.
 */
static bool thread_driven(const struct engine *e)
{
	if (!e->link->hold && __atomic_load_n(&e->holders, __ATOMIC_RELAXED))
		return true;
	return engine_now() - __atomic_load_n(&e->driven, __ATOMIC_RELAXED) < DRIVEN_NS;
}

/*
 * Callers who wait again and again do what comes with their own hands. To be woken by it
 * as well costs them their core for a moment (in a virtual machine 20 us), and so does a look
 * now and then, the more so one with the lock: the longer they go on the rarer are the looks.
 */
static bool thread_away(const struct engine *e)
{
	return __atomic_load_n(&e->away, __ATOMIC_RELAXED) && thread_driven(e);
}

/* Whoever wants the lock needs longer to wake than the thread to take it again. */
static void thread_give_way(const struct engine *e)
{
	for (int i = 0; i < GIVE_WAY && __atomic_load_n(&e->wanted, __ATOMIC_RELAXED); i++)
		sched_yield();
}

static void *thread_main(void *arg)
{
	int64_t worked = 0, away_ns = AWAY_NS;
	struct engine *e = arg;
	bool woken = false;

	pthread_setname_np(pthread_self(), "mori-net");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	while (!__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE)) {
		int64_t timeout;
		bool sleeps, away;
		int did;

		if (thread_away(e)) {
			if (e->link->hold)
				e->link->sleep(e, away_ns);
			else
				nanosleep(&(struct timespec){ .tv_nsec = away_ns }, NULL);
			away_ns = away_ns * 2 < AWAY_MOST ? away_ns * 2 : AWAY_MOST;
			continue;
		}
		away_ns = AWAY_NS;
		engine_enter(e);
		did = e->holders ? 0 : engine_progress(e);
		if (did)
			worked = engine_now();
		away = (woken || e->away) && !e->sleepers && thread_driven(e);
		engine_away(e, away);
		sleeps = !away && !did &&
			 (e->holders || e->config.crowded || engine_now() - worked > LINGER_NS) &&
			 e->link->may_sleep(e);
		timeout = e->n_replies || e->late ? RETRY_NS : POLL_NS;
		engine_leave(e);
		thread_give_way(e);
		woken = sleeps && e->link->sleep(e, timeout);
		if (!sleeps && !did && !away)
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
