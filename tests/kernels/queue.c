// SPDX-License-Identifier: MIT
/* Many threads on few queues: more posts than a ring has slots, and many times round it. */
#include "queue.h"

#include <mori/shmem_device.h>

static uint64_t tag(int pe, uint64_t t, uint64_t round)
{
	return (uint64_t)(pe + 1) << 56 | t << 32 | round;
}

/* What thread @t of this PE left at @pe is there, by a get of @n words. */
static uint64_t look(const uint64_t *words, uint64_t n, uint64_t *own, uint64_t t, uint64_t round,
		     int pe, int qp)
{
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < n; i++)
		own[i] = ~(uint64_t)0;
	if (mori_shmem_getmem_thread(own, words, n * 8, pe, qp))
		return 1;
	for (uint64_t i = 0; i < n; i++)
		wrong += own[i] != tag(mori_shmem_my_pe(), t, round) + i;
	return wrong;
}

/*
 * @at has a word that all count in, then QUEUE_WORDS a thread; @own has twice so many, of this
 * PE alone. @out: a thread's wrong statuses and words. @tickets: what each found in the word
 * before it added its number and one, every 8 rounds.
 */
MORI_KERNEL void crowd(uint64_t *out, uint64_t *at, uint64_t *own, uint64_t *tickets,
		       uint64_t rounds, int32_t pe, int32_t qps)
{
	uint64_t t = (uint64_t)mori_block_id() * mori_block_size() + mori_thread_id();
	uint64_t *there = at + 1 + t * QUEUE_WORDS, wrong = 0;
	int qp = (int)(t % (uint64_t)qps), me = mori_shmem_my_pe();

	own += 2 * t * QUEUE_WORDS;
	for (uint64_t r = 1; r <= rounds; r++) {
		for (uint64_t i = 0; i < QUEUE_WORDS; i++)
			own[i] = tag(me, t, r) + i;
		for (uint64_t i = 0; i < QUEUE_WORDS; i++)
			wrong += mori_shmem_uint64_p(there + i, own[i], pe, qp) != 0;
		if (r % 8)
			continue;
		wrong += mori_shmem_putmem_nbi_thread(there, own, QUEUE_WORDS * 8, pe, qp) != 0;
		wrong += look(there, QUEUE_WORDS, own + QUEUE_WORDS, t, r, pe, qp);
		tickets[t * (rounds / 8) + r / 8 - 1] =
			mori_shmem_uint64_atomic_fetch_add_thread(at, t + 1, pe, qp);
		wrong += mori_shmem_quiet_thread() != 0;
	}
	out[t] = wrong + (uint64_t)(mori_shmem_status() != 0);
}

/* Byte @i of what PE @pe sends; no two places of a copy are alike in their neighbours. */
static char pattern(uint64_t i, uint64_t len, int pe)
{
	return (char)((i * 0x9e3779b97f4a7c15u >> 40) + len + (uint64_t)pe);
}

/* The block's threads together: sizes around everything that is special, to every PE. */
MORI_KERNEL void sizes(uint64_t *out, char *at, char *own, uint64_t least, uint64_t most)
{
	uint64_t t = mori_thread_id(), threads = mori_block_size(), wrong = 0;
	int me = mori_shmem_my_pe();

	for (uint64_t len = least; len <= most; len = len < 80 ? len + 1 : len * 3 + 1) {
		int pe = (int)((uint64_t)(me + 1) % (uint64_t)mori_shmem_n_pes());
		char *back = own + most;

		for (uint64_t i = t; i < len; i += threads) {
			own[i] = pattern(i, len, me);
			back[i] = 0;
		}
		back[len] = 77; /* and nothing behind it */
		mori_block_sync();
		wrong += mori_shmem_putmem_block(at, own, len, pe, (int)len) != 0;
		wrong += mori_shmem_getmem_warp(back, at, len, pe, (int)len) != 0;
		mori_block_sync();
		for (uint64_t i = t; i < len; i += threads)
			wrong += back[i] != pattern(i, len, me);
		wrong += back[len] != 77;
		mori_block_sync();
	}
	out[t] = wrong;
}

/*
 * What an atomic finds, and what it leaves for the next, on a word that no other thread has.
 * The values share some bits, so that no two operations come to the same.
 */
#define ATOMS(name, type)                                                                          \
	static uint64_t atoms_##name(type *word, type a, int pe, int qp)                           \
	{                                                                                          \
		const type b = (type)~a, c = 0x5a5a5a5a, m = 0xff0;                                \
		uint64_t wrong = mori_shmem_##name##_atomic_set_thread(word, a, pe, qp) != 0;      \
                                                                                                   \
		wrong += mori_shmem_##name##_atomic_fetch_thread(word, pe, qp) != a;               \
		wrong += mori_shmem_##name##_atomic_fetch_add_thread(word, b, pe, qp) != a;        \
		wrong += mori_shmem_##name##_atomic_fetch_inc_thread(word, pe, qp) != (type) - 1;  \
		wrong += mori_shmem_##name##_atomic_swap_thread(word, a, pe, qp) != 0;             \
		wrong += mori_shmem_##name##_atomic_fetch_or_thread(word, c, pe, qp) != a;         \
		wrong += mori_shmem_##name##_atomic_fetch_and_thread(word, m, pe, qp) != (a | c);  \
		wrong += mori_shmem_##name##_atomic_fetch_xor_thread(word, c, pe, qp) !=           \
			 ((a | c) & m);                                                            \
		wrong += mori_shmem_##name##_atomic_swap_thread(word, b, pe, qp) !=                \
			 (((a | c) & m) ^ c);                                                      \
		wrong += mori_shmem_##name##_atomic_compare_swap_thread(word, a, 1, pe, qp) != b;  \
		wrong += mori_shmem_##name##_atomic_compare_swap_thread(word, b, a, pe, qp) != b;  \
		wrong += mori_shmem_##name##_atomic_add_thread(word, 5, pe, qp) != 0;              \
		wrong += mori_shmem_##name##_atomic_inc_thread(word, pe, qp) != 0;                 \
		wrong += mori_shmem_##name##_atomic_xor_thread(word, c, pe, qp) != 0;              \
		wrong += mori_shmem_##name##_atomic_or_thread(word, m, pe, qp) != 0;               \
		wrong +=                                                                           \
			mori_shmem_##name##_atomic_and_thread(word, (type) ~(type)6, pe, qp) != 0; \
		return wrong + (mori_shmem_##name##_atomic_fetch_thread(word, pe, qp) !=           \
				(type)((((a + 6) ^ c) | m) & ~(type)6));                           \
	}

ATOMS(uint32, uint32_t)
ATOMS(uint64, uint64_t)

#define REALS(name, type)                                                                          \
	static uint64_t reals_##name(type *word, type a, int pe, int qp)                           \
	{                                                                                          \
		uint64_t wrong =                                                                   \
			mori_shmem_##name##_atomic_fetch_add_thread(word, a, pe, qp) != (type)0;   \
                                                                                                   \
		wrong += mori_shmem_##name##_atomic_add_thread(word, (type)0.5, pe, qp) != 0;      \
		return wrong + (mori_shmem_##name##_atomic_fetch_add_thread(word, -a, pe, qp) !=   \
				a + (type)0.5);                                                    \
	}

REALS(float, float)
REALS(double, double)

/* @at has QUEUE_ATOMS words of 8 bytes a thread, zero; the halves beside those of 4 bytes stay so. */
MORI_KERNEL void atoms(uint64_t *out, uint64_t *at, int32_t pe)
{
	uint64_t t = (uint64_t)mori_block_id() * mori_block_size() + mori_thread_id();
	uint64_t a = tag(mori_shmem_my_pe(), t + 1, 0x5e7f79b9u ^ t << 7), wrong = 0;
	int qp = (int)t;

	at += t * QUEUE_ATOMS;
	wrong += atoms_uint64(at, a, pe, qp);
	wrong += atoms_uint32((uint32_t *)(at + 1), (uint32_t)a, pe, qp);
	wrong += atoms_uint32((uint32_t *)(at + 2) + 1, (uint32_t)~a, pe, qp);
	wrong += reals_double((double *)(at + 3), (double)(t + 1), pe, qp);
	wrong += reals_float((float *)(at + 4), (float)(t + 1), pe, qp);
	wrong += reals_float((float *)(at + 5) + 1, (float)(t + 2), pe, qp);
	out[t] = wrong + (uint64_t)(mori_shmem_quiet_thread() != 0);
}

/* Until the PE does not answer any more; the status that each thread got. */
MORI_KERNEL void until(int32_t *out, char *at, char *own, uint64_t len, int32_t pe, int32_t scope)
{
	int err = 0;

	while (!err) {
		if (scope == 0)
			err = mori_shmem_putmem_thread(at, own, len, pe, (int)mori_thread_id());
		else if (scope == 1)
			err = mori_shmem_getmem_warp(own, at, len, pe, 0);
		else
			err = mori_shmem_putmem_nbi_block(at, own, len, pe, 1);
		if (!err && scope == 2)
			err = mori_shmem_quiet_block();
	}
	out[mori_thread_id()] = err;
}
