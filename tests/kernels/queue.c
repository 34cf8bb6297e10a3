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
 * @at has a word that all increment, then QUEUE_WORDS per thread; @own has twice as many, of this
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

/* Byte @i of what PE @pe sends; no two places of a copy have the same neighbours. */
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

static uint64_t fetched(int wide, void *word, int op, uint64_t value, uint64_t compare, int pe,
			int qp)
{
	return wide ? mori_shmem_atomic_uint64_fetch_thread(word, value, compare, op, pe, qp) :
		      mori_shmem_atomic_uint32_fetch_thread(word, (uint32_t)value,
							    (uint32_t)compare, op, pe, qp);
}

static uint64_t posted(int wide, void *word, int op, uint64_t value, int pe, int qp)
{
	int err =
		wide ? mori_shmem_atomic_uint64_nonfetch_thread(word, value, op, pe, qp) :
		       mori_shmem_atomic_uint32_nonfetch_thread(word, (uint32_t)value, op, pe, qp);

	return err != 0;
}

/*
 * What an atomic finds, and leaves for the next one, on a word that no other thread uses. The
 * values share some bits, so that no two operations have the same result.
 */
static uint64_t whole(int wide, void *word, uint64_t a, int pe, int qp)
{
	const uint64_t all = wide ? UINT64_MAX : UINT32_MAX, b = ~a & all, c = 0x5a5a5a5a,
		       m = 0xff0;
	uint64_t wrong = posted(wide, word, MORI_SHMEM_AMO_SET, a, pe, qp);

	a &= all;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH, 0, 0, pe, qp) != a;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH_ADD, b, 0, pe, qp) != a;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH_INC, 0, 0, pe, qp) != all;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_SWAP, a, 0, pe, qp) != 0;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH_OR, c, 0, pe, qp) != a;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH_AND, m, 0, pe, qp) != (a | c);
	wrong += fetched(wide, word, MORI_SHMEM_AMO_FETCH_XOR, c, 0, pe, qp) != ((a | c) & m);
	wrong += fetched(wide, word, MORI_SHMEM_AMO_SWAP, b, 0, pe, qp) != (((a | c) & m) ^ c);
	wrong += fetched(wide, word, MORI_SHMEM_AMO_COMPARE_SWAP, 1, a, pe, qp) != b;
	wrong += fetched(wide, word, MORI_SHMEM_AMO_COMPARE_SWAP, a, b, pe, qp) != b;
	wrong += posted(wide, word, MORI_SHMEM_AMO_ADD, 5, pe, qp);
	wrong += posted(wide, word, MORI_SHMEM_AMO_INC, 0, pe, qp);
	wrong += posted(wide, word, MORI_SHMEM_AMO_XOR, c, pe, qp);
	wrong += posted(wide, word, MORI_SHMEM_AMO_OR, m, pe, qp);
	wrong += posted(wide, word, MORI_SHMEM_AMO_AND, ~(uint64_t)6, pe, qp);
	return wrong + (fetched(wide, word, MORI_SHMEM_AMO_FETCH, 0, 0, pe, qp) !=
			((((a + 6) ^ c) | m) & ~(uint64_t)6 & all));
}

#define REAL(name, type)                                                                           \
	static uint64_t real_##name(type *word, type a, int pe, int qp)                            \
	{                                                                                          \
		type was = mori_shmem_##name##_atomic_fetch_add_thread(word, a, pe, qp);           \
		int err = mori_shmem_##name##_atomic_add_thread(word, (type)0.5, pe, qp);          \
		type sum = mori_shmem_##name##_atomic_fetch_add_thread(word, -a, pe, qp);          \
                                                                                                   \
		return (uint64_t)(err != 0) + (was != 0) + (sum != a + (type)0.5);                 \
	}
REAL(float, float)
REAL(double, double)

/* @at has QUEUE_ATOMS words of 8 bytes a thread, zero; the halves beside those of 4 bytes stay so. */
MORI_KERNEL void atoms(uint64_t *out, uint64_t *at, int32_t pe)
{
	uint64_t t = (uint64_t)mori_block_id() * mori_block_size() + mori_thread_id();
	uint64_t a = tag(mori_shmem_my_pe(), t + 1, 0x5e7f79b9u ^ t << 7), wrong = 0;
	int qp = (int)t;

	at += t * QUEUE_ATOMS;
	wrong += whole(1, at, a, pe, qp);
	wrong += whole(0, at + 1, a, pe, qp);
	wrong += whole(0, (uint32_t *)(at + 2) + 1, ~a, pe, qp);
	wrong += real_double((double *)(at + 3), (double)(t + 1), pe, qp);
	wrong += real_float((float *)(at + 4), (float)(t + 1), pe, qp);
	wrong += real_float((float *)(at + 5) + 1, (float)(t + 2), pe, qp);
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
