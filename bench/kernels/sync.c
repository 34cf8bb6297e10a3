// SPDX-License-Identifier: MIT
/*
 * Kernels in which PEs synchronise: ping-pong by put with signal and by signal alone between two
 * PEs, and the barrier of all PEs.
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

/* Signals without an answer: what it costs to send one. */
TIMED_KERNEL(signal_rate_thread)
{
	uint64_t start = timed_start();

	for (uint64_t i = 1; i <= iters; i++)
		mori_shmem_signal_op_thread(word, base + i, MORI_SHMEM_SIGNAL_SET, pe, 0);
	timed_stop(start, ns);
}

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

MORI_KERNEL void empty(void)
{
}

#ifdef __NVPTX__
static void flag_set(uint64_t *flag, uint64_t v)
{
	__asm__ volatile("st.release.sys.b64 [%0], %1;" ::"l"(flag), "l"(v) : "memory");
}

static void flag_wait(const uint64_t *flag, uint64_t v)
{
	uint64_t seen;

	do {
		__asm__ volatile("ld.acquire.sys.b64 %0, [%1];"
				 : "=l"(seen)
				 : "l"(flag)
				 : "memory");
	} while (seen < v);
}

static uint64_t at(const void *mine, int pe)
{
	return mori_shmem_ptr((uint64_t)(uintptr_t)mine, pe);
}

typedef uint32_t vec16 __attribute__((vector_size(16)));

/* What one would write by hand for a block: 16 bytes a thread, a flag of release order. */
static void plain_send(uint64_t to, const char *from, uint64_t len, uint64_t flag, uint64_t turn)
{
	uint64_t i = mori_thread_id(), by = mori_block_size(), n = len / 16;

	for (; i < n; i += by)
		((vec16 *)(uintptr_t)to)[i] = ((const vec16 *)from)[i];
	for (i = n * 16 + mori_thread_id(); i < len; i += by)
		((char *)(uintptr_t)to)[i] = from[i];
	mori_block_sync();
	if (!mori_thread_id())
		flag_set((uint64_t *)(uintptr_t)flag, turn);
}

static void plain_wait(const uint64_t *flag, uint64_t turn)
{
	if (!mori_thread_id())
		flag_wait(flag, turn);
	mori_block_sync();
}

TIMED_KERNEL(plain_pingpong)
{
	uint64_t start = 0, answers = mori_shmem_my_pe() > pe, turn = base + 1;
	uint64_t to = at(dst, pe), flag = at(word, pe);

	for (; turn <= base + 1 + iters; turn++) {
		start = turn == base + 2 ? timed_start() : start;
		answers ? (plain_wait(word, turn), plain_send(to, src, len, flag, turn)) :
			  (plain_send(to, src, len, flag, turn), plain_wait(word, turn));
	}
	timed_stop(start, ns);
}

/*
 * Thread t signals PE t and waits for it: word[pe] is PE pe's flag. For a block of n_pes or more.
 */
TIMED_KERNEL(plain_barrier)
{
	int t = (int)mori_thread_id(), mine = t < mori_shmem_n_pes();
	uint64_t start = 0, to = mine ? at(word + mori_shmem_my_pe(), t) : 0;

	for (uint64_t turn = base + 1; turn <= base + 1 + iters; turn++) {
		start = turn == base + 2 ? timed_start() : start;
		mori_block_sync();
		if (mine) {
			flag_set((uint64_t *)(uintptr_t)to, turn);
			flag_wait(word + t, turn);
		}
		mori_block_sync();
	}
	timed_stop(start, ns);
}
#endif
