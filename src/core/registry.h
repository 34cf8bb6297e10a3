// SPDX-License-Identifier: MIT
/*
 * Which PE a call means: the one the thread is bound to, else the only one of the process, else the
 * only one on the thread's current device. The fast path is one comparison: every change of the
 * list increments a generation, and a thread keeps its last answer with the generation of that
 * answer.
 *
 * A call keeps its PE from being freed. The fast path has no lock and no atomic operation for that:
 * the thread stores what it uses in a word of its own, then checks the generation, and finalize,
 * which has incremented it, makes all threads' stores visible by membarrier() and reads the words.
 * Any other call is counted in the PE.
 */
#ifndef MORI_CORE_REGISTRY_H
#define MORI_CORE_REGISTRY_H

#include "core/pe.h"

/* A call under way, on the stack of its thread. */
struct registry_call {
	bool slow;		     /* what follows counts, not the thread's word */
	struct pe *pe;		     /* that counts it; NULL: it has none */
	struct registry_call *outer; /* a counted call that this one is inside of */
};

struct registry_thread {
	const struct dev_state *used; /* by its call; atomic: finalize reads it */
	uint64_t generation;	      /* of @state; 0: it must be looked up again */
	struct dev_state *state;      /* what this thread acts for */
	struct pe *bound;	      /* may be gone: see bound_id */
	uint64_t bound_id;	      /* 0: not bound */
	uint64_t acted_for;	      /* the PE, by its id, that last counted this thread */
	uint64_t ctx_generation;      /* the same for the last context */
	uint64_t ctx;
	struct dev_state *ctx_state; /* whose address, or whose copy's, ctx is */
	struct registry_call *counted;
	struct registry_thread *next; /* the threads with such answers; registry.c locks it */
	bool listed, ended;
};

extern __thread struct registry_thread registry_thread __attribute__((visibility("hidden")));
extern uint64_t registry_generation __attribute__((visibility("hidden")));

/* The slow ways: NULL and a text where no PE is meant. */
struct dev_state *registry_look(struct registry_call *call);
struct dev_state *registry_look_ctx(struct registry_call *call, uint64_t ctx);
void registry_leave_slow(struct registry_call *call);

/* A call of these would cost as much as what they do. */
#define REGISTRY_INLINE static inline __attribute__((always_inline))

/* Whether @generation, of a thread's answer, is the current one. */
static inline bool registry_fresh(uint64_t generation)
{
	/* Acquire: pairs with the release in registry_changed(). */
	return __builtin_expect(
		generation == __atomic_load_n(&registry_generation, __ATOMIC_ACQUIRE), 1);
}

/* Uses @state if it is an answer of the current generation. */
REGISTRY_INLINE bool registry_use(struct registry_call *call, const struct dev_state *state,
				  uint64_t generation)
{
	struct registry_thread *t = &registry_thread;

	call->slow = false;
	if (__builtin_expect(t->used != NULL, 0)) /* a callback's call: the word is taken */
		return false;
	__atomic_store_n(&t->used, state, __ATOMIC_RELAXED);
	/* In this order for the compiler; for the processor registry_drain() sees to it. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (registry_fresh(generation))
		return true;
	__atomic_store_n(&t->used, NULL, __ATOMIC_RELEASE);
	return false;
}

/* The state this thread acts for, until registry_leave(). */
REGISTRY_INLINE struct dev_state *registry_enter(struct registry_call *call)
{
	struct dev_state *state = registry_thread.state;

	if (__builtin_expect(registry_use(call, state, registry_thread.generation), 1))
		return state;
	return registry_look(call);
}

/* A context is what mori_shmem_device_state() returned; anything else is refused. */
REGISTRY_INLINE struct dev_state *registry_enter_ctx(struct registry_call *call, uint64_t ctx)
{
	struct dev_state *state = registry_thread.ctx_state;

	if (__builtin_expect(registry_thread.ctx == ctx &&
				     registry_use(call, state, registry_thread.ctx_generation),
			     1))
		return state;
	return registry_look_ctx(call, ctx);
}

/* Also after an enter that found no PE. */
REGISTRY_INLINE void registry_leave(struct registry_call *call)
{
	/* Release: pairs with the acquire in registry_drain(). */
	if (__builtin_expect(!call->slow, 1))
		__atomic_store_n(&registry_thread.used, NULL, __ATOMIC_RELEASE);
	else
		registry_leave_slow(call);
}

/* The PE this thread acts for until registry_leave(), or NULL and a text. */
struct pe *registry_enter_pe(struct registry_call *call);

/* The same without the text. */
struct pe *registry_enter_quiet(struct registry_call *call);

/* Ends a call where its variable goes out of scope. */
#define REGISTRY_CALL __attribute__((cleanup(registry_leave)))

/* Whether this thread is in a call of @pe, from which a callback has made the call @inner. */
bool registry_inside(const struct pe *pe, const struct registry_call *inner);

/* After registry_remove(): returns when no thread is in a call of @pe. */
void registry_drain(const struct pe *pe);

/* Whether there is one, without a text. */
int registry_known(void);

void registry_add(struct pe *pe);
void registry_remove(struct pe *pe);
int registry_bind(struct pe *pe);
/* The same for the live PE this thread is bound to itself; NULL, without a text, if none. */
struct pe *registry_enter_bound(struct registry_call *call);
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
