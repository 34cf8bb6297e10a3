// SPDX-License-Identifier: MIT
/*
 * Order, barriers and queries. Arguments of order: PE, queue, and where 8 bytes
 * are put before it, come from, and are got back to after it. Of questions: an
 * address, of which PE, for which PE.
 */
#include "caller.h"

#define PLAIN(name, ...) CALL_CASE(name)
#define ONE_PE(op)                                                                                 \
	CALL_CASE(op##_thread_pe, INT(0))                                                          \
	CALL_CASE(op##_thread_pe_qp, INT(0), INT(1))
#define QUESTIONS                                                                                  \
	CALL_CASE(my_pe)                                                                           \
	CALL_CASE(n_pes)                                                                           \
	CALL_CASE(status)                                                                          \
	CALL_CASE(ptr_p2p, ARG(0), INT(1), INT(2))                                                 \
	CALL_CASE(ptr, ARG(0), INT(2))

CALL_SWITCH(complete, thread, MORI_OPS_ORDER(PLAIN, thread) ONE_PE(quiet) ONE_PE(fence))
CALL_SWITCH(complete, warp, MORI_OPS_ORDER(PLAIN, warp))
CALL_SWITCH(complete, block, MORI_OPS_ORDER(PLAIN, block))
CALL_SWITCH(meet, thread, MORI_OPS_BARRIER(PLAIN, thread))
CALL_SWITCH(meet, block, MORI_OPS_BARRIER(PLAIN, block))
CALL_SWITCH(query, thread, QUESTIONS)

/* Nothing is put or got by a call that names no place. */
#define ORDERED(scope)                                                                             \
	static uint64_t order_##scope##_call(const struct call *c, uint64_t ctx)                   \
	{                                                                                          \
		uint64_t got, n = PTR(2) ? 8 : 0;                                                  \
		int pe = n ? INT(0) : 0;                                                           \
		(void)mori_shmem_ctx_putmem_nbi_##scope(ctx, PTR(2), PTR(3), n, pe, 0);            \
		got = complete_##scope##_call(c, ctx);                                             \
		(void)mori_shmem_ctx_getmem_##scope(ctx, PTR(4), PTR(2), n, pe, 0);                \
		return got;                                                                        \
	}
ORDERED(thread)
ORDERED(warp)
ORDERED(block)

MORI_KERNEL void order_thread(const void *calls, uint64_t rounds, uint64_t ctx,
			      uint64_t *out){ CALL_ROUNDS(order, thread) }

MORI_KERNEL void order_warp(const void *calls, uint64_t rounds, uint64_t ctx,
			    uint64_t *out){ CALL_ROUNDS(order, warp) }

MORI_KERNEL void order_block(const void *calls, uint64_t rounds, uint64_t ctx,
			     uint64_t *out){ CALL_ROUNDS(order, block) }

MORI_KERNEL void query_thread(const void *calls, uint64_t rounds, uint64_t ctx, uint64_t *out)
{
	CALL_ROUNDS(query, thread)
}

/* Records on every PE that this one has reached @round. */
static void come(uint64_t ctx, uint64_t *came, uint64_t round)
{
	int me = mori_shmem_ctx_my_pe(ctx), n = mori_shmem_ctx_n_pes(ctx);

	for (int pe = 0; pe < n; pe++)
		(void)mori_shmem_ctx_uint64_p(ctx, came + me, round, pe, 0);
	(void)mori_shmem_ctx_quiet_thread(ctx); /* a sync alone completes nothing */
}

/* How many have not reached @round, or are in one that no PE can have reached. */
static uint64_t missing(uint64_t ctx, const uint64_t *came, uint64_t round)
{
	uint64_t bad = 0;
	int n = mori_shmem_ctx_n_pes(ctx);

	for (int pe = 0; pe < n; pe++) {
		uint64_t seen = mori_shmem_ctx_signal_fetch(ctx, came + pe);

		bad += seen != round && seen != round + 1;
	}
	return bad;
}

/* Rounds @first to @last of one operation; every lane counts what was wrong. */
MORI_KERNEL void meet_block(const void *calls, uint64_t *came, uint64_t first, uint64_t last,
			    uint64_t ctx, uint64_t *out)
{
	for (uint64_t round = first; round <= last; round++) {
		if (!call_lane())
			come(ctx, came, round);
		out[call_lane()] += meet_block_call(calls, ctx) != 0;
		out[call_lane()] += missing(ctx, came, round);
	}
}

/* The same by one thread of the grid: the last of block 0. */
MORI_KERNEL void meet_thread(const void *calls, uint64_t *came, uint64_t first, uint64_t last,
			     uint64_t ctx, uint64_t *out)
{
	for (uint64_t round = first; !mori_block_id() && round <= last; round++) {
		if (call_lane() != call_lanes() - 1)
			continue;
		come(ctx, came, round);
		out[call_lane()] += meet_thread_call(calls, ctx) != 0;
		out[call_lane()] += missing(ctx, came, round);
	}
}

/* The clock advances and never goes back. */
MORI_KERNEL void tick(uint64_t *out)
{
	uint64_t start = mori_clock_ns(), last = start, back = 0;

	while (last == start || last - start < 1000000) {
		uint64_t now = mori_clock_ns();

		back += now < last;
		last = now;
	}
	out[call_out(0)] = back;
}
