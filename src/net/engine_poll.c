// SPDX-License-Identifier: MIT
/*
 * Who makes the engine progress, and how those who wait do it. A thread that waits polls:
 * it takes one step after the other, then yields, then sleeps. The engine's own thread takes
 * the steps when nobody polls, and sleeps in the link while there is nothing to do.
 *
 * What a caller polls for must not wake the thread as well: that costs the caller its core
 * for a moment, 20 us in a virtual machine. So the link is mute while somebody polls. To mute
 * it and end that again costs two calls of the kernel; so callers who wait again and again
 * leave it mute: the thread is parked. It only checks now and then, without the lock, whether
 * they still do; a request that comes when they no longer do waits until the next check.
 */
#include "net/engine.h"
#include "util/err.h"
#include "util/thread.h"

#include <sched.h>
#include <string.h>
#include <sys/prctl.h>

static const struct {
	int64_t consecutive_ns; /* between two waits that follow each other at once, at most */
	uint32_t park_after;	/* consecutive waits, which pay for waking the thread to park it */
	int64_t polled_ns;	/* a thread that polled less than this ago does so still */
	int64_t parked_ns, parked_max_ns; /* between two checks: twice as long each time */
	int64_t retry_ns;		  /* to sleep at most when something could not be sent, */
	int64_t sleep_ns;		  /* and else: for deadlines */
	int give_way; /* yields, at most, to threads that want the lock: they take longer to wake up */
} times = {
	.consecutive_ns = 20000,
	.park_after = 16,
	.polled_ns = 100000,
	.parked_ns = 200000,
	.parked_max_ns = 400000,
	.retry_ns = 1000000,
	.sleep_ns = 1000000000,
	.give_way = 100,
};

void engine_enter(struct net *e)
{
	__atomic_add_fetch(&e->wanted, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&e->lock);
	__atomic_sub_fetch(&e->wanted, 1, __ATOMIC_RELAXED);
}

void engine_leave(struct net *e)
{
	pthread_mutex_unlock(&e->lock);
}

void engine_changed(struct net *e)
{
	if (e->sleepers)
		pthread_cond_broadcast(&e->change);
}

int engine_progress(struct net *e)
{
	int n;

	if (__atomic_load_n(&e->any_gone, __ATOMIC_RELAXED))
		engine_end_lost(e);
	n = e->link->progress(e);
	if (e->n_resps || e->done_late) {
		e->done_late = false;
		for (struct net_conn *c = e->conns; c; c = c->next) {
			net_serve_resps(e, c);
			net_serve_idle(e, c);
		}
	}
	if (e->n_queued || e->n_awaited)
		n += net_req_progress(e);
	if (n)
		engine_changed(e);
	return n;
}

static void engine_mute(struct net *e, bool on)
{
	if (e->link->mute)
		e->link->mute(e, on);
}

static void engine_park(struct net *e, bool on)
{
	if (e->parked == on)
		return;
	e->consecutive = 0;
	__atomic_store_n(&e->parked, on, __ATOMIC_RELAXED);
	if (!e->pollers)
		engine_mute(e, on);
}

static void engine_poll_begin(struct net *e, int64_t now)
{
	int64_t since = now - __atomic_load_n(&e->polled, __ATOMIC_RELAXED);

	e->consecutive = since < times.consecutive_ns ? e->consecutive + 1 : 0;
	if (__atomic_fetch_add(&e->pollers, 1, __ATOMIC_RELAXED) == 0 && !e->parked)
		engine_mute(e, true);
	if (e->consecutive == times.park_after && !e->parked && e->link->mute) {
		engine_park(e, true);
		e->link->wake(e); /* to notice */
	}
}

static void engine_poll_end(struct net *e, int64_t now)
{
	__atomic_store_n(&e->polled, now, __ATOMIC_RELAXED);
	if (__atomic_sub_fetch(&e->pollers, 1, __ATOMIC_RELAXED) == 0 && !e->parked)
		engine_mute(e, false);
}

/* 1: something arrived. */
static int engine_wait_event(struct net *e, int64_t ns)
{
	struct timespec until = clock_timespec(clock_now() + ns);
	int came;

	e->sleepers++;
	engine_park(e, false); /* this sleeper relies on the thread */
	came = !pthread_cond_timedwait(&e->change, &e->lock, &until);
	e->sleepers--;
	return came;
}

/* After the sleep: what comes meanwhile is seen before the next one. */
static void engine_wait_slept(struct net *e, int pe)
{
	if (!e->config.slept)
		return;
	engine_leave(e);
	e->config.slept(pe);
	engine_enter(e);
}

static void engine_wait_step(struct net *e, int pe, struct backoff *b)
{
	enum backoff_step step = backoff_next(b, e->now);

	if (step == BACKOFF_SLEEP) {
		engine_poll_end(e, e->now);
		engine_wait_event(e, backoff_sleep_ns(b, e->now));
		engine_wait_slept(e, pe);
		engine_poll_begin(e, clock_now());
		return;
	}
	engine_leave(e);
	if (step == BACKOFF_YIELD || __atomic_load_n(&e->wanted, __ATOMIC_RELAXED))
		sched_yield();
	pthread_mutex_lock(&e->lock);
}

void engine_wait(struct net *e, int pe, bool (*ready)(void *what), void *what)
{
	struct backoff b = backoff_start(BACKOFF_NET, &e->learned);

	engine_poll_begin(e, clock_now());
	do {
		if (engine_progress(e))
			backoff_reset(&b);
		else
			engine_wait_step(e, pe, &b);
	} while (!ready(what));
	engine_poll_end(e, e->now);
}

void net_poll_begin(struct net *e)
{
	engine_enter(e);
	engine_poll_begin(e, clock_now());
	engine_leave(e);
}

void net_poll_end(struct net *e)
{
	engine_enter(e);
	engine_poll_end(e, clock_now());
	engine_leave(e);
}

int net_progress(struct net *e)
{
	int did;

	if (pthread_mutex_trylock(&e->lock))
		return 0; /* its holder makes progress */
	did = engine_progress(e);
	engine_leave(e);
	if (!__atomic_load_n(&e->pollers, __ATOMIC_RELAXED))
		__atomic_store_n(&e->polled, clock_now(), __ATOMIC_RELAXED);
	return did;
}

void net_drain(struct net *e)
{
	engine_enter(e);
	engine_progress(e);
	__atomic_store_n(&e->polled, clock_now(), __ATOMIC_RELAXED);
	engine_leave(e);
}

int net_wait_event(struct net *e, uint64_t ns)
{
	int came;

	engine_enter(e);
	came = engine_wait_event(e, (int64_t)ns);
	engine_leave(e);
	return came;
}

/*
 * Whether callers poll for short times, one soon after the other. A caller that polls for
 * long keeps the link mute all the while, where it can be.
 */
static bool engine_thread_unneeded(const struct net *e)
{
	if (!e->link->mute && __atomic_load_n(&e->pollers, __ATOMIC_RELAXED))
		return true;
	return clock_now() - __atomic_load_n(&e->polled, __ATOMIC_RELAXED) < times.polled_ns;
}

static void engine_thread_give_way(const struct net *e)
{
	for (int i = 0; i < times.give_way && __atomic_load_n(&e->wanted, __ATOMIC_RELAXED); i++)
		sched_yield();
}

/* Sleeps for @ns while parked; returns how long to sleep next time. */
static int64_t engine_thread_sleep_parked(struct net *e, int64_t ns)
{
	if (e->link->mute)
		e->link->sleep(e, ns);
	else
		clock_sleep(ns);
	return ns * 2 < times.parked_max_ns ? ns * 2 : times.parked_max_ns;
}

static void *engine_thread_main(void *arg)
{
	struct backoff b = backoff_start(BACKOFF_ENGINE, NULL);
	int64_t parked_ns = times.parked_ns;
	struct net *e = arg;
	bool woken = false;

	pthread_setname_np(pthread_self(), "mori-net");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	while (!__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE)) {
		bool did, park, sleeps;
		int64_t ns;

		if (__atomic_load_n(&e->parked, __ATOMIC_RELAXED) && engine_thread_unneeded(e)) {
			parked_ns = engine_thread_sleep_parked(e, parked_ns);
			continue;
		}
		parked_ns = times.parked_ns;
		engine_enter(e);
		did = !e->pollers && engine_progress(e);
		if (did)
			backoff_reset(&b);
		park = (woken || e->parked) && !e->sleepers && engine_thread_unneeded(e);
		engine_park(e, park);
		sleeps = !park && !did &&
			 (e->pollers || e->config.crowded ||
			  backoff_next(&b, clock_now()) == BACKOFF_SLEEP) &&
			 e->link->may_sleep(e);
		ns = e->n_resps || e->done_late ? times.retry_ns : times.sleep_ns;
		engine_leave(e);
		engine_thread_give_way(e);
		woken = sleeps && e->link->sleep(e, ns);
		if (!sleeps && !did && !park)
			sched_yield();
	}
	return NULL;
}

int engine_thread_start(struct net *e)
{
	int err;

	err = thread_create(&e->thread, 0, engine_thread_main, e);
	if (err)
		return err_set(MORI_SHMEM_EIO, "no thread for the network: %s", strerror(err));
	e->has_thread = true;
	return 0;
}

void engine_thread_stop(struct net *e)
{
	if (!e->has_thread)
		return;
	/* Release: pairs with the acquire in engine_thread_main(). */
	__atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
	e->link->wake(e);
	pthread_join(e->thread, NULL);
	e->has_thread = false;
}
