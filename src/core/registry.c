// SPDX-License-Identifier: MIT
/*
 * The PEs of this process, and which of them a thread acts for. A child of a fork has none of its
 * parent's PEs.
 */
#include "core/registry.h"

#include "boot/boot.h"
#include "core/faults.h"
#include "core/module.h"
#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DRAIN_SLEEP_NS 50000	/* between two looks at the calls that are under way */
#define DRAIN_STORE_NS 10000000 /* no processor keeps a store to itself for that long */
#define DRAIN_SAY_NS   10000000000

__thread struct registry_thread registry_thread;
uint64_t registry_generation = 1;

static struct {
	pthread_mutex_t lock;
	struct pe *first;
	uint64_t last_id;
	int n;
	int *reserved; /* ranks that mori_shmem_init() has reserved, sorted */
	int n_reserved;
	bool fork_watched;
	struct registry_thread *threads;
	pthread_key_t key; /* its destructor is told of the end of a thread */
	bool key_made;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock. Release: pairs with the acquire in registry_state(). */
static void registry_changed(void)
{
	__atomic_fetch_add(&registry_generation, 1, __ATOMIC_RELEASE);
}

static void registry_fork_prepare(void)
{
	pthread_mutex_lock(&registry.lock);
}

static void registry_fork_parent(void)
{
	pthread_mutex_unlock(&registry.lock);
}

/* The child is not a PE: what it inherited belongs to the parent and is only forgotten. */
static void registry_fork_child(void)
{
	registry.first = NULL;
	registry.n = 0;
	registry.n_reserved = 0;
	registry.threads = NULL;
	registry_thread.listed = false;
	registry_thread.bound_id = 0;
	registry_changed();
	pthread_mutex_init(&registry.lock, NULL);
	module_after_fork();
	faults_after_fork();
	world_after_fork();
	boot_after_fork();
}

void registry_add(struct pe *pe)
{
	pthread_mutex_lock(&registry.lock);
	if (!registry.fork_watched) {
		registry.fork_watched = true;
		pthread_atfork(registry_fork_prepare, registry_fork_parent, registry_fork_child);
	}
	pe->id = ++registry.last_id;
	pe->next = registry.first;
	registry.first = pe;
	registry.n++;
	registry_changed();
	pthread_mutex_unlock(&registry.lock);
}

void registry_remove(struct pe *pe)
{
	pthread_mutex_lock(&registry.lock);
	for (struct pe **p = &registry.first; *p; p = &(*p)->next) {
		if (*p != pe)
			continue;
		*p = pe->next;
		registry.n--;
		break;
	}
	registry_changed();
	pthread_mutex_unlock(&registry.lock);
	if (registry_thread.bound_id == pe->id) {
		registry_thread.bound_id = 0;
		log_set_rank(-1);
	}
}

/* Under the lock: the PE with this address and number, if it still exists. */
static struct pe *registry_alive(const struct pe *pe, uint64_t id)
{
	for (struct pe *p = registry.first; p; p = p->next) {
		if (p == pe && (!id || p->id == id))
			return p;
	}
	return NULL;
}

/* Under the lock: the PE on the device of the thread's current context, if it is the only one. */
static struct pe *registry_on_device(void)
{
	struct pe *found = NULL;

	for (struct pe *p = registry.first; p; p = p->next) {
		if (!p->accel.ops->current || !p->accel.ops->current(p->accel.dev))
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

/* Under the lock. *changes: another call of this thread may mean another PE. */
static struct pe *registry_choose(const char **why, bool *changes)
{
	struct pe *pe = NULL;

	*changes = false;

	*why = "this thread is not bound to a PE and the process has several: call "
	       "mori_shmem_bind(mori_shmem_find(rank)) first";
	if (registry_thread.bound_id) {
		pe = registry_alive(registry_thread.bound, registry_thread.bound_id);
		*why = "the PE this thread was bound to has finalized; call mori_shmem_bind()";
	} else if (registry.n == 1) {
		pe = registry.first;
	} else if (!registry.n) {
		*why = "there is no PE in this process: call mori_shmem_init() first";
	} else {
		pe = registry_on_device();
		*changes = true;
	}
	return pe;
}

/* The thread ends: nobody may look at its variables any more. */
static void registry_thread_ends(void *arg)
{
	struct registry_thread *t = arg;

	pthread_mutex_lock(&registry.lock);
	for (struct registry_thread **p = &registry.threads; *p; p = &(*p)->next) {
		if (*p == t) {
			*p = t->next;
			break;
		}
	}
	t->listed = false;
	t->ended = true; /* what other destructors call is counted */
	t->generation = 0;
	t->ctx_generation = 0;
	pthread_mutex_unlock(&registry.lock);
}

/* A library that is unloaded may not be called at the end of a thread. */
static __attribute__((destructor)) void registry_unload(void)
{
	if (registry.key_made)
		pthread_key_delete(registry.key);
	registry.key_made = false;
}

/* Under the lock: the generation of an answer of this thread; 0: finalize could not see its use. */
static uint64_t registry_list_thread(struct registry_thread *t)
{
	if (!t->listed && !t->ended) {
		if (!registry.key_made)
			registry.key_made =
				!pthread_key_create(&registry.key, registry_thread_ends);
		t->listed = registry.key_made && !pthread_setspecific(registry.key, t);
		if (t->listed) {
			t->next = registry.threads;
			registry.threads = t;
		}
	}
	return t->listed ? registry_generation : 0;
}

/* Under the lock: @pe, or none, is what the call uses. */
static void registry_count(struct registry_call *call, struct pe *pe)
{
	if (pe && registry_thread.acted_for != pe->id) {
		__atomic_fetch_add(&pe->n_threads, 1, __ATOMIC_RELAXED);
		registry_thread.acted_for = pe->id;
	}
	*call = (struct registry_call){ .slow = true, .pe = pe, .outer = registry_thread.counted };
	if (pe) {
		pe->calls++;
		registry_thread.counted = call;
	}
}

void registry_leave_slow(struct registry_call *call)
{
	if (!call->pe)
		return;
	pthread_mutex_lock(&registry.lock);
	call->pe->calls--;
	registry_thread.counted = call->outer;
	pthread_mutex_unlock(&registry.lock);
	call->pe = NULL;
}

static struct pe *registry_enter_why(struct registry_call *call, const char **why)
{
	struct registry_thread *t = &registry_thread;
	struct pe *pe;
	bool changes;

	pthread_mutex_lock(&registry.lock);
	pe = registry_choose(why, &changes);
	if (pe) {
		t->state = pe->state;
		t->generation = changes ? 0 : registry_list_thread(t);
	}
	registry_count(call, pe);
	pthread_mutex_unlock(&registry.lock);
	return pe;
}

struct pe *registry_enter_pe(struct registry_call *call)
{
	const char *why;
	struct pe *pe = registry_enter_why(call, &why);

	if (!pe)
		err_set(MORI_SHMEM_ESTATE, "%s", why);
	return pe;
}

struct pe *registry_enter_quiet(struct registry_call *call)
{
	const char *why;

	return registry_enter_why(call, &why);
}

bool registry_inside(const struct pe *pe, const struct registry_call *inner)
{
	if (registry_thread.used == pe->state)
		return true;
	for (const struct registry_call *c = registry_thread.counted; c; c = c->outer) {
		if (c != inner && c->pe == pe)
			return true;
	}
	return false;
}

/* Whether a thread is in a call of @pe; *others: whether there are threads beside this one. */
static bool registry_used(const struct pe *pe, bool *others)
{
	bool used;

	pthread_mutex_lock(&registry.lock);
	used = pe->calls != 0;
	*others = false;
	for (struct registry_thread *t = registry.threads; t; t = t->next) {
		*others |= t != &registry_thread;
		/* Acquire: pairs with the release in registry_leave(). */
		used |= __atomic_load_n(&t->used, __ATOMIC_ACQUIRE) == pe->state;
	}
	pthread_mutex_unlock(&registry.lock);
	return used;
}

void registry_drain(const struct pe *pe)
{
	int64_t start = clock_now();
	bool others, said = false;

	registry_used(pe, &others);
	/*
	 * Afterwards each thread has seen the new generation, or shows that it uses the PE.
	 * Registering again costs nothing; whoever has no such call waits.
	 */
	if (others && (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) ||
		       syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)))
		clock_sleep(DRAIN_STORE_NS);
	while (registry_used(pe, &others)) {
		if (!said && clock_now() - start > DRAIN_SAY_NS) {
			log_warn("mori_shmem_finalize waits for a call of another thread");
			said = true;
		}
		clock_sleep(DRAIN_SLEEP_NS);
	}
}

int registry_known(void)
{
	const char *why;
	bool known, changes;

	pthread_mutex_lock(&registry.lock);
	known = registry_choose(&why, &changes) != NULL;
	pthread_mutex_unlock(&registry.lock);
	return known;
}

struct dev_state *registry_look(struct registry_call *call)
{
	struct pe *pe = registry_enter_pe(call);

	return pe ? pe->state : NULL;
}

struct dev_state *registry_look_ctx(struct registry_call *call, uint64_t ctx)
{
	struct registry_thread *t = &registry_thread;
	struct pe *found;

	pthread_mutex_lock(&registry.lock);
	for (found = registry.first; found && found->ctx != ctx; found = found->next)
		;
	if (found) {
		t->ctx = ctx;
		t->ctx_state = found->state;
		t->ctx_generation = registry_list_thread(t);
	}
	registry_count(call, found);
	pthread_mutex_unlock(&registry.lock);
	if (found)
		return found->state;
	err_set(MORI_SHMEM_ESTATE,
		"context 0x%llx does not belong to a PE of this process: take it from "
		"mori_shmem_device_state() after init, and not past finalize",
		(unsigned long long)ctx);
	return NULL;
}

int registry_bind(struct pe *pe)
{
	uint64_t id = 0;
	int rank = -1;

	pthread_mutex_lock(&registry.lock);
	if (pe && registry_alive(pe, 0)) {
		id = pe->id;
		rank = pe->rank;
	}
	pthread_mutex_unlock(&registry.lock);
	if (pe && !id)
		return err_set(MORI_SHMEM_EINVAL,
			       "mori_shmem_bind: %p is not a PE of this process (any more)",
			       (void *)pe);
	registry_thread.bound = pe;
	registry_thread.bound_id = id;
	registry_thread.generation = 0;
	log_set_rank(rank);
	return 0;
}

struct pe *registry_enter_bound(struct registry_call *call)
{
	struct pe *pe = NULL;

	pthread_mutex_lock(&registry.lock);
	if (registry_thread.bound_id)
		pe = registry_alive(registry_thread.bound, registry_thread.bound_id);
	registry_count(call, pe);
	pthread_mutex_unlock(&registry.lock);
	return pe;
}

/* Under the lock: the world a search means, NULL and *several if that is not clear. */
static struct world *registry_world(bool *several)
{
	const char *why;
	bool changes;
	struct pe *pe = registry_choose(&why, &changes);
	struct world *world = NULL;

	*several = false;
	if (pe)
		return pe->world;
	for (struct pe *p = registry.first; p; p = p->next) {
		if (world && p->world != world)
			*several = true;
		world = p->world;
	}
	return *several ? NULL : world;
}

struct pe *registry_find(int rank)
{
	struct pe *found = NULL;
	bool several;
	struct world *world;

	pthread_mutex_lock(&registry.lock);
	world = registry_world(&several);
	for (struct pe *p = registry.first; world && p; p = p->next) {
		if (p->world == world && p->rank == rank)
			found = p;
	}
	pthread_mutex_unlock(&registry.lock);
	if (found)
		return found;
	if (several)
		err_set(MORI_SHMEM_ESTATE,
			"mori_shmem_find: the process is in several worlds: bind "
			"the thread to a PE of the one that is meant");
	else if (!world)
		err_set(MORI_SHMEM_ESTATE, "mori_shmem_find: there is no PE in this "
					   "process: call mori_shmem_init() first");
	else
		err_set(MORI_SHMEM_ENOENT, "mori_shmem_find: PE %d is not in this process", rank);
	return NULL;
}

void registry_each(void (*fn)(struct pe *pe))
{
	if (pthread_mutex_trylock(&registry.lock))
		return;
	for (struct pe *p = registry.first; p; p = p->next)
		fn(p);
	pthread_mutex_unlock(&registry.lock);
}

int registry_reserve(int first, int n)
{
	int rank = first, at = 0;
	int *more;

	pthread_mutex_lock(&registry.lock);
	more = realloc(registry.reserved, sizeof(int) * ((size_t)registry.n_reserved + 1));
	if (more)
		registry.reserved = more;
	/* Sorted, so that one pass finds the lowest that is free, and its place. */
	for (; at < registry.n_reserved && registry.reserved[at] <= rank; at++)
		rank += registry.reserved[at] == rank;
	if (!more || rank >= first + n) {
		rank = -1;
	} else {
		memmove(more + at + 1, more + at,
			sizeof(int) * (size_t)(registry.n_reserved++ - at));
		more[at] = rank;
	}
	pthread_mutex_unlock(&registry.lock);
	return rank;
}

void registry_unreserve(int rank)
{
	pthread_mutex_lock(&registry.lock);
	for (int i = 0; i < registry.n_reserved; i++) {
		if (registry.reserved[i] == rank) {
			memmove(registry.reserved + i, registry.reserved + i + 1,
				sizeof(int) * (size_t)(--registry.n_reserved - i));
			break;
		}
	}
	if (!registry.n_reserved) {
		free(registry.reserved);
		registry.reserved = NULL;
	}
	pthread_mutex_unlock(&registry.lock);
}
