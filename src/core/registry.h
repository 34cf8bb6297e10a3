// SPDX-License-Identifier: MIT
/*
 * Which PE a call means: the one the thread is bound to, else the only one of the process, else the
 * only one on the thread's current device. The fast path is one comparison: every change of the
 * list increments a generation, and a thread keeps its last answer with the generation of that
 * answer.
 */
#ifndef MORI_CORE_REGISTRY_H
#define MORI_CORE_REGISTRY_H

#include "core/pe.h"

struct registry_thread {
	uint64_t generation;	 /* of @state; 0: it must be looked up again */
	struct dev_state *state; /* what this thread acts for */
	struct pe *bound;	 /* may be gone: see bound_id */
	uint64_t bound_id;	 /* 0: not bound */
	uint64_t ctx_generation; /* the same for the last context */
	uint64_t ctx;
	struct dev_state
		*ctx_state; /* the state of which ctx is the address, or the address of a copy */
};

extern __thread struct registry_thread registry_thread __attribute__((visibility("hidden")));
extern uint64_t registry_generation __attribute__((visibility("hidden")));

/* The slow ways: NULL and a text where no PE is meant. */
struct dev_state *registry_look(void);
struct dev_state *registry_look_ctx(uint64_t ctx);

/* Whether the thread's answer is of the current generation. */
static inline bool registry_fresh(void)
{
	/* Acquire: pairs with the release in registry_changed(). */
	return __builtin_expect(registry_thread.generation ==
					__atomic_load_n(&registry_generation, __ATOMIC_ACQUIRE),
				1);
}

static inline struct dev_state *registry_state(void)
{
	return registry_fresh() ? registry_thread.state : registry_look();
}

/* A context is what mori_shmem_device_state() returned; anything else is refused. */
static inline struct dev_state *registry_ctx(uint64_t ctx)
{
	if (__builtin_expect(
		    registry_thread.ctx == ctx &&
			    registry_thread.ctx_generation ==
				    __atomic_load_n(&registry_generation, __ATOMIC_ACQUIRE),
		    1))
		return registry_thread.ctx_state;
	return registry_look_ctx(ctx);
}

/* The PE this thread acts for, or NULL and a text. */
struct pe *registry_pe(void);

/* Whether there is one, without a text. */
int registry_known(void);

void registry_add(struct pe *pe);
void registry_remove(struct pe *pe);
int registry_bind(struct pe *pe);
/* The live PE this thread is bound to itself; NULL if none. */
struct pe *registry_bound(void);
struct pe *registry_find(int rank);
/*
 * Calls @fn for every PE at the end of the process; does nothing while another thread is changing
 * the list.
 */
void registry_each(void (*fn)(struct pe *pe));
/* Lowest rank in [first, first + n) that no PE of a launcher's job here has; -1 if none. Reserves it. */
int registry_reserve(int first, int n);
void registry_unreserve(int rank);

#endif
