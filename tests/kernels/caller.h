// SPDX-License-Identifier: MIT
/* How kernels make the calls of call.h: which lane makes which call, and where the results go. */
#ifndef MORI_TESTS_CALLER_H
#define MORI_TESTS_CALLER_H

#include "call.h"

#define CALL_WAIT_NS 40000000000u

#define ARG(i) c->arg[i]
#define INT(i) (int)c->arg[i]
#define PTR(i) ((void *)(uintptr_t)c->arg[i])

/* Without this a kernel would hold every operation in one function, and take long to compile. */
#ifdef __clang__
#define CALL_APART [[clang::noinline]]
#else
#define CALL_APART
#endif

/* Either form of one operation. */
#define CALL(name, ...)                                                                            \
	(c->form ? mori_shmem_ctx_##name(ctx, ##__VA_ARGS__) : mori_shmem_##name(__VA_ARGS__))
#define CALL_CASE(name, ...)                                                                       \
	case CALL_##name:                                                                          \
		CALL_APART return (uint64_t)CALL(name, ##__VA_ARGS__);

static inline uint64_t call_lanes(void)
{
	return (uint64_t)mori_block_size() * mori_block_size_y() * mori_block_size_z();
}

static inline uint64_t call_lane(void)
{
	return mori_thread_id() +
	       (uint64_t)mori_block_size() *
		       (mori_thread_id_y() + (uint64_t)mori_block_size_y() * mori_thread_id_z());
}

/* Where this thread writes down the result of a round. */
static inline uint64_t call_out(uint64_t round)
{
	return (round * mori_grid_size() + mori_block_id()) * call_lanes() + call_lane();
}

/* The call that this thread takes part in. */
static inline const struct call *call_mine(const void *calls, enum dev_scope scope, uint64_t round)
{
	uint64_t warp = mori_warp_size(), each = 1, mine = 0;

	if (scope == DEV_thread) {
		each = call_lanes();
		mine = call_lane();
	} else if (scope == DEV_warp) {
		each = (call_lanes() + warp - 1) / warp;
		mine = call_lane() / warp;
	}
	return (const struct call *)calls + (round * mori_grid_size() + mori_block_id()) * each +
	       mine;
}

/* Every lane waits on its own, and takes its share of the bytes. */
static inline int call_watch(const struct call *c, uint64_t ctx, enum dev_scope scope)
{
	uint64_t lanes = scope == DEV_block ? call_lanes() : 1, lane = 0;
	int err = mori_shmem_ctx_uint64_wait_until_equals_for(ctx, (uint64_t *)(uintptr_t)c->word,
							      c->value, CALL_WAIT_NS);

	if (scope == DEV_block)
		lane = call_lane();
	if (scope == DEV_warp) {
		uint64_t left = call_lanes() - call_lane() / mori_warp_size() * mori_warp_size();

		lanes = left < mori_warp_size() ? left : mori_warp_size();
		lane = mori_lane_id();
	}
	for (uint64_t i = lane; !err && i < c->len; i += lanes)
		((unsigned char *)(uintptr_t)c->to)[i] =
			((const unsigned char *)(uintptr_t)c->from)[i];
	return err;
}

/* The body of a kernel: @make is what makes one call. */
#define CALL_ROUNDS(make, scope)                                                                   \
	for (uint64_t round = 0; round < rounds; round++) {                                        \
		const struct call *c = call_mine(calls, DEV_##scope, round);                       \
		uint64_t got = c->op ? make##_##scope##_call(c, ctx) : CALL_NOT_MADE;              \
		if (c->op && c->quiet && mori_shmem_ctx_quiet_##scope(ctx))                        \
			got = CALL_NOT_QUIET;                                                      \
		if (c->op && c->word && call_watch(c, ctx, DEV_##scope))                           \
			got = CALL_NOT_SEEN;                                                       \
		out[call_out(round)] = got;                                                        \
	}

/* The function that @make means: a switch over @cases. */
#define CALL_SWITCH(make, scope, cases)                                                            \
	static uint64_t make##_##scope##_call(const struct call *c, uint64_t ctx)                  \
	{                                                                                          \
		switch (c->op) {                                                                   \
			cases default : return CALL_UNKNOWN;                                       \
		}                                                                                  \
	}

#endif
