// SPDX-License-Identifier: MIT
/* Collectives in each scope: one call of any kind, and reductions whose type is constant. */
#include "coll.h"

#include <mori/shmem_device.h>

/* The warp's have a context, for all. */
#define CALL_thread(name, ...) mori_shmem_##name##_thread(__VA_ARGS__)
#define CALL_warp(name, ...)   mori_shmem_ctx_##name##_warp(c->ctx, __VA_ARGS__)
#define CALL_block(name, ...)  mori_shmem_##name##_block(__VA_ARGS__)
#define CALL(name, scope, ...) CALL_##scope(name, __VA_ARGS__)

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

MORI_KERNEL void coll_thread(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(thread) }

MORI_KERNEL void coll_warp(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(warp) }

MORI_KERNEL void coll_block(const void *call, uint64_t rounds, int32_t *status){ ROUNDS(block) }

/* The types that models have, as a compiler sees them that knows them. */
MORI_KERNEL void coll_known(const void *call, uint64_t rounds, int32_t *status)
{
	const struct coll_call *c = call;
	int err = 0, got;

	for (uint64_t i = 0; i < rounds; i++) {
		if (c->dtype == MORI_SHMEM_BFLOAT16)
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_BFLOAT16, MORI_SHMEM_SUM);
		else if (c->dtype == MORI_SHMEM_FLOAT16)
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_FLOAT16, MORI_SHMEM_SUM);
		else
			got = mori_shmem_reduce_block(c->team, c->dest, c->src, c->count,
						      MORI_SHMEM_FLOAT32, MORI_SHMEM_SUM);
		err = err ? err : got;
	}
	status[mori_thread_id()] = err;
}
