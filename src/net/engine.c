// SPDX-License-Identifier: MIT
/* The engine as a whole: opened with the best link, closed, and waited in. */
#include "net/engine.h"
#include "util/err.h"
#include "util/log.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPIN_NS	  50000	   /* a wait drives the engine without giving its core away at most, */
#define SPIN_MIN  2000	   /* less where that was in vain, */
#define TRY_EVERY 64	   /* waits until the most is tried again, */
#define AGAIN_NS  20000	   /* a wait so soon after the last one is one of many; */
#define STREAK	  16	   /* after so many of them the thread stays away: no sooner does it pay */
#define YIELD_NS  200000   /* then giving it to whoever wants it, then it sleeps */
#define NAP_NS	  20000000 /* and looks again */

_Static_assert(sizeof(struct place) == NET_ADDRESS_BYTES, "what processes exchange");

int64_t engine_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void engine_enter(struct engine *e)
{
	__atomic_add_fetch(&e->wanted, 1, __ATOMIC_RELAXED);
	pthread_mutex_lock(&e->lock);
	__atomic_sub_fetch(&e->wanted, 1, __ATOMIC_RELAXED);
}

void engine_leave(struct engine *e)
{
	pthread_mutex_unlock(&e->lock);
}

void engine_changed(struct engine *e)
{
	if (e->sleepers)
		pthread_cond_broadcast(&e->change);
}

void engine_away(struct engine *e, bool on)
{
	if (e->away == on)
		return;
	e->streak = 0;
	__atomic_store_n(&e->away, on, __ATOMIC_RELAXED);
	if (!e->holders && e->link->hold)
		e->link->hold(e, on);
}

/* 1: something came. */
static int wait_change(struct engine *e, int64_t ns)
{
	struct timespec until;
	int64_t at = engine_now() + ns;
	int came;

	until.tv_sec = at / 1000000000;
	until.tv_nsec = at % 1000000000;
	e->sleepers++;
	engine_away(e, false); /* this one counts on the thread */
	came = !pthread_cond_timedwait(&e->change, &e->lock, &until);
	e->sleepers--;
	return came;
}

void engine_hold(struct engine *e, int64_t now)
{
	bool again = now - __atomic_load_n(&e->driven, __ATOMIC_RELAXED) < AGAIN_NS;

	e->streak = again ? e->streak + 1 : 0;
	if (__atomic_fetch_add(&e->holders, 1, __ATOMIC_RELAXED) == 0 && !e->away && e->link->hold)
		e->link->hold(e, true);
	if (e->streak == STREAK && !e->away && e->link->hold) {
		engine_away(e, true);
		e->link->wake(e); /* to hear of it */
	}
}

void engine_rest(struct engine *e, int64_t now)
{
	__atomic_store_n(&e->driven, now, __ATOMIC_RELAXED);
	if (__atomic_sub_fetch(&e->holders, 1, __ATOMIC_RELAXED) == 0 && !e->away && e->link->hold)
		e->link->hold(e, false);
}

static void wait_sleep(struct engine *e)
{
	engine_rest(e, engine_now());
	wait_change(e, NAP_NS);
	engine_hold(e, engine_now());
}

/* Nothing has come for @idle_ns. */
static void wait_pause(struct engine *e, int64_t idle_ns)
{
	bool yields;

	if (idle_ns > YIELD_NS) {
		wait_sleep(e);
		return;
	}
	yields = idle_ns > e->spin_ns || e->config.crowded;
	engine_leave(e);
	if (yields || __atomic_load_n(&e->wanted, __ATOMIC_RELAXED))
		sched_yield();
	pthread_mutex_lock(&e->lock);
}

/* Whether @c has been silent for too long since @start. */
static bool wait_over(const struct engine *e, struct conn *c, int64_t start, int64_t now)
{
	int64_t heard = conn_heard(c, now), since = heard > start ? heard : start;

	return e->config.timeout_s > 0 && (double)(now - since) > e->config.timeout_s * 1e9;
}

/*
 * Whoever answers may need the very core that a wait spins on: one that was idle for
 * longer makes the next spin shorter.
 */
static void wait_learn(struct engine *e, int64_t idle)
{
	if (++e->n_waits % TRY_EVERY == 0)
		e->spin_ns = SPIN_NS;
	else if (idle > e->spin_ns && e->spin_ns > SPIN_MIN)
		e->spin_ns /= 2;
	else if (idle < e->spin_ns && e->spin_ns < SPIN_NS)
		e->spin_ns *= 2;
}

int engine_wait(struct engine *e, struct conn *c, int pe, bool (*ready)(void *what), void *what)
{
	int64_t start, last, now, idle = 0;
	int err = 0;

	if (ready(what))
		return 0;
	start = last = engine_now();
	engine_hold(e, start);
	do {
		int did = engine_progress(e);

		now = engine_now();
		idle = now - last > idle ? now - last : idle;
		if (did)
			last = now;
		if (c->state == CONN_DEAD && !ready(what)) {
			err = conn_error(c, pe);
			break;
		}
		if (wait_over(e, c, start, now))
			conn_end(e, c, MORI_SHMEM_ETIMEDOUT,
				 "it has not answered for %g s (MORI_SHMEM_TIMEOUT)",
				 e->config.timeout_s);
		else if (!did)
			wait_pause(e, now - last);
	} while (!ready(what));
	wait_learn(e, idle);
	engine_rest(e, now);
	return err;
}

static void engine_close(struct net *n)
{
	struct engine *e = engine_of(n);

	thread_stop(e);
	while (e->conns) {
		struct conn *c = e->conns;

		e->conns = c->next;
		conn_free(e, c);
	}
	if (e->link) {
		mem_close(e);
		e->link->close(e);
	}
	while (e->ask_free) {
		struct ask *a = e->ask_free;

		e->ask_free = a->next;
		free(a);
	}
	pthread_mutex_destroy(&e->lock);
	pthread_cond_destroy(&e->change);
	free(e->to);
	free(e->from);
	free(e->gone);
	free(e->addresses);
	free(e->proc_of);
	free((char *)e->config.provider);
	free((char *)e->config.ifname);
	free(e);
}

static int engine_copy_config(struct engine *e, const struct net_config *config)
{
	size_t procs = (size_t)config->n_procs;

	e->config = *config;
	e->config.provider = config->provider ? strdup(config->provider) : NULL;
	e->config.ifname = config->ifname ? strdup(config->ifname) : NULL;
	e->proc_of = malloc((size_t)config->n_pes * sizeof(*e->proc_of));
	e->to = calloc(procs, sizeof(struct conn *));
	e->from = calloc(procs, sizeof(struct conn *));
	e->gone = calloc(procs, sizeof(*e->gone));
	e->addresses = calloc(procs, sizeof(*e->addresses));
	if (!e->proc_of || !e->to || !e->from || !e->gone || !e->addresses ||
	    (config->provider && !e->config.provider) || (config->ifname && !e->config.ifname))
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for %d processes",
			       config->n_procs);
	memcpy(e->proc_of, config->proc_of, (size_t)config->n_pes * sizeof(*e->proc_of));
	memcpy(e->secret, config->secret, sizeof(e->secret));
	e->config.proc_of = e->proc_of;
	e->config.secret = e->secret;
	return 0;
}

static int engine_try_link(struct engine *e, const struct link_ops *link)
{
	int err;

	e->link = link;
	err = link->open(e);
	if (err) {
		link->close(e);
		e->link = NULL;
		e->state = NULL;
	}
	return err;
}

#ifdef MORI_HAVE_FABRIC
/* Whether the machine has a NIC for libfabric: to ask itself takes it half a second. */
static bool engine_has_nic(void)
{
	static const char *const classes[] = { "/sys/class/infiniband", "/sys/class/cxi" };
	bool found = false;

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]) && !found; i++) {
		DIR *dir = opendir(classes[i]);
		struct dirent *entry;

		while (dir && !found && (entry = readdir(dir)))
			found = entry->d_name[0] != '.';
		if (dir)
			closedir(dir);
	}
	return found;
}
#endif

/*
 * NICs with RDMA come first; libfabric's tcp only where it is asked for, because plain
 * sockets do the same in half the time (docs/decisions.md).
 */
static int engine_open_link(struct engine *e)
{
	const char *want = e->config.provider;
	int err = MORI_SHMEM_ENOTSUP;
	struct err_was was;

	err_save(&was);
	if (want && !strcmp(want, link_sock.name))
		return engine_try_link(e, &link_sock);
#ifdef MORI_HAVE_FABRIC
	if (want || engine_has_nic())
		err = engine_try_link(e, &link_fabric);
#else
	if (want)
		err_set(err,
			"MORI_FABRIC_PROVIDER=%s: this library was built without libfabric's "
			"headers and knows only sockets; build it again with "
			"MORI_WITH_FABRIC=ON where libfabric-dev is installed",
			want);
#endif
	if (err != MORI_SHMEM_ENOTSUP || want)
		return err;
	err_restore(&was);
	return engine_try_link(e, &link_sock);
}

static int engine_open(const struct net_config *config, struct net **out)
{
	struct engine *e = calloc(1, sizeof(*e));
	pthread_condattr_t attr;
	int err;

	if (!e)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for the network");
	e->net.ops = &net_engine;
	e->spin_ns = SPIN_NS;
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->change, &attr);
	pthread_condattr_destroy(&attr);
	err = engine_copy_config(e, config);
	if (!err)
		err = engine_open_link(e);
	if (!err)
		err = thread_start(e);
	if (err) {
		engine_close(&e->net);
		return err;
	}
	log_info("network: %s", e->link->provider(e));
	*out = &e->net;
	return 0;
}

static const char *engine_provider(const struct net *n)
{
	const struct engine *e = (const struct engine *)n;

	return e->link->provider(e);
}

static void engine_address(const struct net *n, unsigned char out[NET_ADDRESS_BYTES])
{
	memcpy(out, &((const struct engine *)n)->address, NET_ADDRESS_BYTES);
}

static int engine_peers(struct net *n, const unsigned char (*addresses)[NET_ADDRESS_BYTES])
{
	struct engine *e = engine_of(n);

	engine_enter(e);
	memcpy(e->addresses, addresses, (size_t)e->config.n_procs * NET_ADDRESS_BYTES);
	engine_leave(e);
	return 0;
}

static int engine_drive(struct net *n)
{
	struct engine *e = engine_of(n);
	int did;

	if (pthread_mutex_trylock(&e->lock))
		return 0; /* somebody does */
	did = engine_progress(e);
	engine_leave(e);
	if (!__atomic_load_n(&e->holders, __ATOMIC_RELAXED))
		__atomic_store_n(&e->driven, engine_now(), __ATOMIC_RELAXED);
	return did;
}

static void engine_hold_net(struct net *n)
{
	struct engine *e = engine_of(n);

	engine_enter(e);
	engine_hold(e, engine_now());
	engine_leave(e);
}

static void engine_rest_net(struct net *n)
{
	struct engine *e = engine_of(n);

	engine_enter(e);
	engine_rest(e, engine_now());
	engine_leave(e);
}

static void engine_settle(struct net *n)
{
	struct engine *e = engine_of(n);

	engine_enter(e);
	engine_progress(e);
	__atomic_store_n(&e->driven, engine_now(), __ATOMIC_RELAXED);
	engine_leave(e);
}

static int engine_nap(struct net *n, uint64_t ns)
{
	struct engine *e = engine_of(n);
	int came;

	engine_enter(e);
	came = wait_change(e, (int64_t)ns);
	engine_leave(e);
	return came;
}

void engine_bury(struct engine *e)
{
	/* Acquire: pairs with the release in engine_lost(). */
	if (!__atomic_exchange_n(&e->any_gone, false, __ATOMIC_ACQUIRE))
		return;
	for (int proc = 0; proc < e->config.n_procs; proc++) {
		struct conn *c;

		if (!__atomic_exchange_n(&e->gone[proc], false, __ATOMIC_RELAXED))
			continue;
		c = e->to[proc] ? e->to[proc] : conn_new(e, proc, false);
		if (c)
			conn_end(e, c, MORI_SHMEM_EPEER, "its process was lost");
		if (e->from[proc])
			conn_end(e, e->from[proc], MORI_SHMEM_EPEER, "its process was lost");
	}
}

/* Whoever has the lock may be at a copy of a device, which takes as long as that likes. */
static void engine_lost(struct net *n, int pe)
{
	struct engine *e = engine_of(n);

	__atomic_store_n(&e->gone[e->proc_of[pe]], true, __ATOMIC_RELAXED);
	__atomic_store_n(&e->any_gone, true, __ATOMIC_RELEASE);
	if (pthread_mutex_trylock(&e->lock)) {
		e->link->wake(e); /* the thread, or who drives the engine now, does it */
		return;
	}
	engine_bury(e);
	engine_leave(e);
}

static int engine_error(struct net *n, int pe)
{
	struct engine *e = engine_of(n);
	struct conn *c;
	int err = 0;

	engine_enter(e);
	engine_bury(e);
	c = e->to[e->proc_of[pe]];
	if (c && c->state == CONN_DEAD)
		err = conn_error(c, pe);
	engine_leave(e);
	return err;
}

const struct net_ops net_engine = {
	.name = "engine",
	.open = engine_open,
	.close = engine_close,
	.provider = engine_provider,
	.address = engine_address,
	.peers = engine_peers,
	.region_add = mem_region_add,
	.region_remove = mem_region_remove,
	.put = ops_put,
	.get = ops_get,
	.amo = ops_amo,
	.post = post_add,
	.fence = ops_fence,
	.quiet = ops_quiet,
	.progress = engine_drive,
	.hold = engine_hold_net,
	.rest = engine_rest_net,
	.settle = engine_settle,
	.nap = engine_nap,
	.lost = engine_lost,
	.error = engine_error,
};
