// SPDX-License-Identifier: MIT
/*
 * Kernels in which PEs meet: put with signal and signal alone to and fro between two
 * PEs, and the barrier of all.
 */
#include "timed.h"

enum { CHECKED_ROUNDS = 32 };

static void wait_thread(uint64_t *word, uint64_t turn)
{
	mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_GE, turn);
}

/* One lane waits; the call that follows brings the warp together. */
static void wait_warp(uint64_t *word, uint64_t turn)
{
	if (!mori_lane_id())
		wait_thread(word, turn);
}

static void wait_block(uint64_t *word, uint64_t turn)
{
	mori_shmem_uint64_wait_until_block(word, MORI_SHMEM_CMP_GE, turn);
}

/*
 * Turns are counted from @base on; the PE with the higher number answers. In the first one,
 * which is not timed, the PEs find each other.
 */
#define TO_AND_FRO(name, scope, send)                                                              \
	TIMED_KERNEL(name##_##scope)                                                               \
	{                                                                                          \
		uint64_t start = 0, answers = mori_shmem_my_pe() > pe, turn = base + 1;            \
		for (; turn <= base + 1 + iters; turn++) {                                         \
			start = turn == base + 2 ? timed_start() : start;                          \
			answers ? (wait_##scope(word, turn), send) :                               \
				  (send, wait_##scope(word, turn));                                \
		}                                                                                  \
		timed_stop(start, ns);                                                             \
	}
#define BOTH(scope)                                                                                \
	TO_AND_FRO(pingpong, scope,                                                                \
		   mori_shmem_putmem_signal_##scope(dst, src, len, word, turn,                     \
						    MORI_SHMEM_SIGNAL_SET, pe, 0))                 \
	TO_AND_FRO(signal, scope,                                                                  \
		   mori_shmem_signal_op_##scope(word, turn, MORI_SHMEM_SIGNAL_SET, pe, 0))
BOTH(thread)
BOTH(warp)
BOTH(block)

#define BARRIER(scope)                                                                             \
	TIMED_KERNEL(barrier_##scope)                                                              \
	{                                                                                          \
		uint64_t start = mori_shmem_barrier_all_##scope() ? 0 : timed_start();             \
		for (uint64_t i = 0; i < iters; i++)                                               \
			mori_shmem_barrier_all_##scope();                                          \
		timed_stop(start, ns);                                                             \
	}
BARRIER(thread)
BARRIER(block)

/* What the left neighbour wrote before a barrier is there after it; wrong ones are counted. */
#define BARRIER_HOLDS(scope)                                                                       \
	MORI_KERNEL void barrier_holds_##scope(uint64_t *word, uint64_t *wrong)                    \
	{                                                                                          \
		uint64_t me = (uint64_t)mori_shmem_my_pe(), n = (uint64_t)mori_shmem_n_pes();      \
		for (uint64_t i = 1; i <= CHECKED_ROUNDS; i++) {                                   \
			tell(word, i << 20 | me, (me + 1) % n);                                    \
			mori_shmem_barrier_all_##scope();                                          \
			look(word, i << 20 | (me + n - 1) % n, wrong);                             \
			mori_shmem_barrier_all_##scope();                                          \
		}                                                                                  \
	}

static void tell(uint64_t *word, uint64_t value, uint64_t pe)
{
	if (!mori_thread_id())
		mori_shmem_uint64_p(word, value, (int)pe, 0);
}

static void look(const uint64_t *word, uint64_t value, uint64_t *wrong)
{
	if (!mori_thread_id() && mori_shmem_signal_fetch(word) != value)
		++*wrong;
}

BARRIER_HOLDS(thread)
BARRIER_HOLDS(block)
