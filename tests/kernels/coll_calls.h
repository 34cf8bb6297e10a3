// SPDX-License-Identifier: MIT
/* A collective of any kind in each scope, with COLL_CTX in the form that takes a context. */
#ifndef MORI_TESTS_KERNELS_COLL_CALLS_H
#define MORI_TESTS_KERNELS_COLL_CALLS_H

#include "coll.h"

#include <mori/shmem_device.h>

#ifdef COLL_CTX
#define CALL(name, scope, ...) mori_shmem_ctx_##name##_##scope(c->ctx, __VA_ARGS__)
#else
#define CALL(name, scope, ...) mori_shmem_##name##_##scope(__VA_ARGS__)
#endif

#define DATA c->team, c->dest, c->src, c->count, c->dtype
#define COLL(scope)                                                                                \
	static int call_##scope(const struct coll_call *c)                                         \
	{                                                                                          \
		return c->kind == COLL_SYNC	 ? CALL(team_sync, scope, c->team) :               \
		       c->kind == COLL_BARRIER	 ? CALL(barrier, scope, c->team) :                 \
		       c->kind == COLL_BROADCAST ? CALL(broadcast, scope, DATA, c->root) :         \
		       c->kind == COLL_FCOLLECT	 ? CALL(fcollect, scope, DATA) :                   \
		       c->kind == COLL_COLLECT	 ? CALL(collect, scope, DATA) :                    \
						   CALL(alltoall, scope, DATA);                      \
	}
#define REDUCE(scope)                                                                              \
	static int reduce_##scope(const struct coll_call *c)                                       \
	{                                                                                          \
		return c->kind == COLL_REDUCE ? CALL(reduce, scope, DATA, c->op) :                 \
						CALL(reducescatter, scope, DATA, c->op);           \
	}
COLL(thread)
COLL(warp)
COLL(block)
REDUCE(thread)
REDUCE(warp)
REDUCE(block)

#define ROUNDS(scope)                                                                              \
	const struct coll_call *c = call;                                                          \
	int err = 0, got;                                                                          \
	for (uint64_t i = 0; i < rounds; i++) {                                                    \
		got = c->kind < COLL_REDUCE ? call_##scope(c) : reduce_##scope(c);                 \
		err = err ? err : got;                                                             \
	}                                                                                          \
	status[mori_thread_id()] = err;

#endif
