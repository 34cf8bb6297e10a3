// SPDX-License-Identifier: MIT
/*
 * The memory model from kernels: each kernel is one table of docs/memory-model.md, run
 * again and again with other values. Grids are of two blocks, one that writes and one
 * that reads, unless it says otherwise. Data are read by plain loads: what the test is
 * about is all that makes them safe to read.
 */
#include "litmus.h"

#include <mori/shmem_device.h>

static struct litmus_found *found_by(struct litmus_found *all)
{
	return all + mori_block_id() * mori_block_size() + mori_thread_id();
}

static void wrong(struct litmus_found *f, uint64_t round, uint64_t at, uint64_t saw, uint64_t want)
{
	if (f->wrong++)
		return;
	f->round = round;
	f->at = at;
	f->saw = saw;
	f->want = want;
}

static void good(struct litmus_found *f, uint64_t round, int status)
{
	if (!status)
		return;
	if (!f->status)
		f->status = status;
	wrong(f, round, 0, 0, 0);
}

/* The first word of part @i of @n. */
static uint64_t part(uint64_t words, uint64_t i, uint64_t n)
{
	return words * i / n;
}

/* How often the slot of @round has been used when it is over; the length of its message. */
static uint64_t use_of(uint64_t round)
{
	return (round - 1) / LITMUS_SLOTS + 1;
}

static uint64_t words_of(uint64_t round)
{
	return 1 + round * 37 % LITMUS_WORDS;
}

static uint64_t warps(void)
{
	return litmus_signals(LITMUS_SIGNAL_WARP, mori_block_size(), mori_warp_size());
}

static uint64_t signals_of(int how)
{
	return litmus_signals(how, mori_block_size(), mori_warp_size());
}

/* Every lane writes its share of the source, then the block waits for all. */
static void fill(uint64_t *src, uint64_t test, uint64_t round, uint64_t n)
{
	uint64_t me = (uint64_t)mori_shmem_my_pe();

	for (uint64_t i = mori_thread_id(); i < n; i += mori_block_size())
		src[i] = litmus_word(test, me, round, i);
	mori_block_sync();
}

/* Each lane sends a part of the message. */
static int send_lanes(uint64_t *to, const uint64_t *src, uint64_t n, uint64_t *flag, int how,
		      int pe)
{
	uint64_t lane = mori_thread_id(), lanes = mori_block_size();
	uint64_t first = part(n, lane, lanes), len = part(n, lane + 1, lanes) - first;
	int err;

	if (how == LITMUS_SIGNAL_THREAD)
		return mori_shmem_put_uint64_signal_thread(to + first, src + first, len, flag, 1,
							   MORI_SHMEM_SIGNAL_ADD, pe, 0);
	err = mori_shmem_put_uint64_thread(to + first, src + first, len, pe, 0);
	if (!err && how == LITMUS_SIGNAL_AFTER)
		return mori_shmem_signal_op_thread(flag, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
	if (!err && how == LITMUS_QUIET_ATOMIC)
		err = mori_shmem_quiet_thread();
	if (!err && how == LITMUS_QUIET_ATOMIC)
		return mori_shmem_uint64_atomic_add_thread(flag, 1, pe, 0);
	if (!err)
		err = mori_shmem_quiet_block();
	return err ? err : mori_shmem_signal_op_block(flag, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
}

/* The block, or each of its warps, sends together. */
static int send_block(uint64_t *to, const uint64_t *src, uint64_t n, uint64_t *flag, int how,
		      int pe)
{
	uint64_t warp = mori_thread_id() / mori_warp_size(), first = part(n, warp, warps());
	int err;

	switch (how) {
	case LITMUS_SIGNAL_WARP:
		return mori_shmem_put_uint64_signal_warp(to + first, src + first,
							 part(n, warp + 1, warps()) - first, flag,
							 1, MORI_SHMEM_SIGNAL_ADD, pe, 0);
	case LITMUS_SIGNAL_BLOCK:
		return mori_shmem_put_uint64_signal_block(to, src, n, flag, 1,
							  MORI_SHMEM_SIGNAL_ADD, pe, 0);
	case LITMUS_NBI_SIGNAL_BLOCK:
		err = mori_shmem_put_uint64_nbi_signal_block(to, src, n, flag, 1,
							     MORI_SHMEM_SIGNAL_ADD, pe, 0);
		return err ? err : mori_shmem_quiet_block(); /* the source is written again */
	default:
		err = mori_shmem_put_uint64_nbi_block(to, src, n, pe, 0);
		if (!err)
			err = mori_shmem_quiet_block();
		return err ? err : mori_shmem_uint64_atomic_inc_block(flag, pe, 0);
	}
}

/* One thread sets the flag by a value, after a fence. */
static int send_p(uint64_t *to, const uint64_t *src, uint64_t n, uint64_t *flag, int how, int pe,
		  uint64_t use)
{
	int err = 0;

	if (how == LITMUS_BLOCK_FENCE_P)
		err = mori_shmem_put_uint64_block(to, src, n, pe, 0);
	if (mori_thread_id())
		return err;
	if (how == LITMUS_FENCE_P)
		err = mori_shmem_put_uint64_thread(to, src, n, pe, 0);
	if (!err)
		err = mori_shmem_fence_thread();
	return err ? err : mori_shmem_uint64_p(flag, use, pe, 0);
}

static void write(struct litmus *s, uint64_t *src, struct litmus_found *f, uint64_t round, int how)
{
	uint64_t slot = round % LITMUS_SLOTS, n = words_of(round), use = use_of(round);
	uint64_t *to = s->data[slot], *flag = &s->flag[slot];
	int pe = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();

	if (use > 1)
		good(f, round,
		     mori_shmem_uint64_wait_until_block(&s->answered, MORI_SHMEM_CMP_GE,
							round - LITMUS_SLOTS));
	fill(src, (uint64_t)how, round, n);
	if (how == LITMUS_FENCE_P || how == LITMUS_BLOCK_FENCE_P)
		good(f, round, send_p(to, src, n, flag, how, pe, use));
	else if (signals_of(how) == mori_block_size() || how == LITMUS_QUIET_SIGNAL)
		good(f, round, send_lanes(to, src, n, flag, how, pe));
	else
		good(f, round, send_block(to, src, n, flag, how, pe));
	mori_block_sync();
}

/* Every lane sees that *word is at least @least, in one of the ways there are. */
static int see(uint64_t *word, uint64_t least, uint64_t way)
{
	switch (way % 5) {
	case 0:
		return mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_GE, least);
	case 1:
		while (!mori_shmem_uint64_test(word, MORI_SHMEM_CMP_GE, least))
			;
		return 0;
	case 2:
		return mori_shmem_uint64_wait_until_greater_than(word, least - 1) < least;
	case 3:
		while (mori_shmem_signal_fetch(word) < least)
			;
		return 0;
	default:
		return mori_shmem_uint64_wait_until_equals(word, least);
	}
}

static void read(struct litmus *s, uint64_t *back, struct litmus_found *f, uint64_t round, int how)
{
	uint64_t slot = round % LITMUS_SLOTS, n = words_of(round), lanes = mori_block_size();
	uint64_t *flag = &s->flag[slot], least = signals_of(how) * use_of(round);
	int me = mori_shmem_my_pe(), pes = mori_shmem_n_pes(), from = (me + pes - 1) % pes;
	const uint64_t *data = s->data[slot];
	/* One way until every slot was used twice, or another one makes up for what it lacks. */
	uint64_t way = ((uint64_t)how + round / (2 * LITMUS_SLOTS)) % 6;

	if (way == 5) /* one lane waits for all */
		good(f, round, mori_shmem_uint64_wait_until_block(flag, MORI_SHMEM_CMP_GE, least));
	else
		good(f, round, see(flag, least, way));
	if (round % 4 == 0) { /* a get after the wait instead of loads */
		good(f, round, mori_shmem_get_uint64_block(back, data, n, me, 0));
		data = back;
	}
	/* The last first, and not those this lane's fellow has written. */
	for (uint64_t i = n + (mori_thread_id() + round) % lanes; i >= lanes; i -= lanes) {
		uint64_t at = i - lanes,
			 want = litmus_word((uint64_t)how, (uint64_t)from, round, at);

		if (at < n && data[at] != want)
			wrong(f, round, at, data[at], want);
	}
	mori_block_sync();
	good(f, round,
	     mori_shmem_signal_op_block(&s->answered, round, MORI_SHMEM_SIGNAL_SET, from, 0));
}

/* Message passing: to the next PE, from the one before. */
MORI_KERNEL void pass(void *shared, uint64_t *own, void *found, uint64_t rounds, int32_t how)
{
	struct litmus_found *f = found_by(found);

	for (uint64_t round = 1; round <= rounds; round++) {
		if (mori_block_id())
			read(shared, own + LITMUS_WORDS, f, round, how);
		else
			write(shared, own, f, round, how);
	}
}

/*
 * Put, quiet, put: data go to the next PE, the flag to the one after it, which gets the
 * data from there.
 */
MORI_KERNEL void chain(void *shared, uint64_t *own, void *found, uint64_t rounds, uint64_t test)
{
	struct litmus_found *f = found_by(found);
	struct litmus *s = shared;
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();
	int before = (me + n - 1) % n, writer = (before + n - 1) % n;
	uint64_t *src = own, *back = own + LITMUS_WORDS;

	for (uint64_t round = 1; round <= rounds; round++) {
		uint64_t slot = round % LITMUS_SLOTS, words = words_of(round);
		uint64_t *data = s->data[slot], *flag = &s->flag[slot];

		if (!mori_block_id()) {
			if (round > LITMUS_SLOTS)
				good(f, round, see(&s->answered, round - LITMUS_SLOTS, round % 4));
			fill(src, test, round, words);
			good(f, round,
			     mori_shmem_put_uint64_nbi_block(data, src, words, (me + 1) % n, 0));
			good(f, round, mori_shmem_quiet_block());
			good(f, round, mori_shmem_uint64_p_block(flag, round, (me + 2) % n, 0));
			continue;
		}
		good(f, round, see(flag, round, round));
		good(f, round, mori_shmem_get_uint64_block(back, data, words, before, 0));
		for (uint64_t i = mori_thread_id(); i < words; i += mori_block_size()) {
			uint64_t want = litmus_word(test, (uint64_t)writer, round, i);

			if (back[i] != want)
				wrong(f, round, i, back[i], want);
		}
		good(f, round,
		     mori_shmem_signal_op_block(&s->answered, round, MORI_SHMEM_SIGNAL_SET, writer,
						0));
	}
}

/*
 * This lane has seen all of a round, or not; the same lane of @pe has made the other
 * half of the test. Keeps the two in step, and counts a round in which neither has.
 */
static void tell(struct litmus *s, struct litmus_found *f, uint64_t round, uint64_t saw, int pe)
{
	uint64_t lane = mori_thread_id(), *told = &s->told[round & 1][lane];

	if (saw != round && saw != round - 1)
		wrong(f, round, lane, saw, round);
	good(f, round, mori_shmem_uint64_p(told, 2 * round + (saw == round), pe, 0));
	good(f, round, mori_shmem_uint64_wait_until(told, MORI_SHMEM_CMP_GE, 2 * round));
	if (saw != round && *told != 2 * round + 1)
		wrong(f, round, lane, saw, round);
}

/*
 * A lock of PE 0, by compare-and-swap: a fence or a quiet once it is taken, a quiet before it is
 * released. The two words that it protects are changed by plain loads and stores where those reach.
 */
MORI_KERNEL void locked(void *shared, void *found, uint64_t rounds)
{
	struct litmus_found *f = found_by(found);
	struct litmus *s = shared;
	uint64_t *lock = s->flag, *words[2] = { s->data[0], s->data[1] }, *plain[2], saw[2];
	uint64_t before = 0;

	for (int i = 0; i < 2; i++)
		plain[i] = (uint64_t *)mori_shmem_ptr((uint64_t)words[i], 0);
	for (uint64_t round = 1; round <= rounds; round++) {
		/* Whatever this reads must not be what is read under the lock. */
		for (int i = 0; i < 2; i++)
			before |= plain[i] ? *plain[i] : 0;
		good(f, round, mori_shmem_uint64_atomic_add_thread(&s->answered, 1, 0, 0));
		while (mori_shmem_uint64_atomic_compare_swap_thread(lock, 0, 1, 0, 0))
			;
		good(f, round, round % 2 ? mori_shmem_fence_thread() : mori_shmem_quiet_thread());
		for (int i = 0; i < 2; i++) {
			saw[i] = plain[i] ? *plain[i] : mori_shmem_uint64_g(words[i], 0, 0);
			if (plain[i])
				*plain[i] = saw[i] + 1;
			else
				good(f, round, mori_shmem_uint64_p(words[i], saw[i] + 1, 0, 0));
		}
		if (saw[0] != saw[1])
			wrong(f, round, 0, saw[0], saw[1]);
		good(f, round, mori_shmem_quiet_thread());
		mori_shmem_uint64_atomic_swap_thread(lock, 0, 0, 0);
	}
	if (before > 4 * rounds * (uint64_t)mori_shmem_n_pes())
		wrong(f, 0, 0, before, rounds);
}

/* A word of this PE that others write: what a plain load sees where that may be old. */
static uint64_t own(uint64_t *word)
{
#ifdef __AMDGCN__
	return *word;
#else
	return mori_shmem_uint64_g(word, mori_shmem_my_pe(), 0);
#endif
}

/*
 * Store buffering, in pairs of PEs: both write, complete, and read what the other writes; one
 * of them must see it. One block: each lane its own word, or one word for all of them.
 */
MORI_KERNEL void buffer(void *shared, void *found, uint64_t rounds, int32_t whole)
{
	struct litmus_found *f = found_by(found);
	struct litmus *s = shared;
	uint64_t *x = &s->x[mori_thread_id()], saw;
	int me = mori_shmem_my_pe(), pe = me ^ 1;

	for (uint64_t round = 1; round <= rounds; round++) {
		if (whole) {
			good(f, round, mori_shmem_uint64_p_block(s->x, round, pe, 0));
			good(f, round, mori_shmem_quiet_block());
			saw = round % 2 ? own(s->x) : mori_shmem_uint64_g_block(s->x, me, 0);
		} else {
			good(f, round, mori_shmem_uint64_p(x, round, pe, 0));
			good(f, round, mori_shmem_quiet_thread());
			saw = round % 2 ? own(x) : mori_shmem_uint64_g(x, me, 0);
		}
		tell(s, f, round, saw, pe);
	}
}

/*
 * Store buffering without steps, one thread a PE: x counts at the peer, and log[i] is what
 * was seen of the peer's count after i. Who saw r only came before the peer's r + 1, whose
 * look came after that: it must have seen the i. Ends when the two have run at the same time
 * for long enough: this many reads that saw a new value.
 */
MORI_KERNEL void race(uint64_t *x, uint64_t *log, void *found, uint64_t rounds, uint64_t enough)
{
	struct litmus_found *f = found;
	int me = mori_shmem_my_pe(), pe = me ^ 1;
	uint64_t end = 0, theirs;

	while (end < rounds && enough) {
		end++;
		good(f, end, mori_shmem_uint64_p(x, end, pe, 0));
		good(f, end, mori_shmem_quiet_thread());
		log[end] = mori_shmem_uint64_g(x, me, 0);
		enough -= log[end] != log[end - 1];
	}
	good(f, 0, mori_shmem_barrier_all_thread());
	theirs = mori_shmem_uint64_g(x, me, 0);
	for (uint64_t i = 1; i <= end; i++) {
		uint64_t at = log[i] + 1, saw;

		if (log[i] < log[i - 1] || log[i] > theirs)
			wrong(f, i, 0, log[i], log[i - 1]);
		if (at > theirs)
			continue;
		saw = mori_shmem_uint64_g(log + at, pe, 0);
		if (saw < i)
			wrong(f, i, at, saw, i);
	}
}

/*
 * Independent reads of independent writes: PEs 0 and 1 signal one of the last two PEs each; each of
 * those sees its own signal and then reads the other's. One of them must see both.
 */
MORI_KERNEL void apart(void *shared, void *found, uint64_t rounds)
{
	struct litmus_found *f = found_by(found);
	struct litmus *s = shared;
	uint64_t lane = mori_thread_id();
	int me = mori_shmem_my_pe(), first = mori_shmem_n_pes() - 2;
	int reads = mori_block_id() && me >= first, writes = !mori_block_id() && me < 2;

	for (uint64_t round = 1; writes && round <= rounds; round++) {
		good(f, round,
		     mori_shmem_uint64_wait_until(&s->go[lane], MORI_SHMEM_CMP_GE,
						  2 * (round - 1)));
		good(f, round,
		     mori_shmem_signal_op_thread(&s->x[lane], round, MORI_SHMEM_SIGNAL_SET,
						 first + me, 0));
	}
	for (uint64_t round = 1; reads && round <= rounds; round++) {
		int other = first + !(me - first);

		good(f, round, see(&s->x[lane], round, round));
		good(f, round, mori_shmem_quiet_thread()); /* the order of two reads */
		tell(s, f, round, mori_shmem_uint64_atomic_fetch_thread(&s->x[lane], other, 0),
		     other);
		for (int pe = 0; pe < 2; pe++)
			good(f, round,
			     mori_shmem_signal_op_thread(&s->go[lane], 1, MORI_SHMEM_SIGNAL_ADD, pe,
							 0));
	}
}

/* Fence order: of two words that one lane writes in turn the second is never ahead. */
MORI_KERNEL void order(void *shared, void *found, uint64_t rounds)
{
	struct litmus_found *f = found_by(found);
	struct litmus *s = shared;
	uint64_t *x = &s->x[mori_thread_id()], *y = &s->y[mori_thread_id()], last = 0;
	int me = mori_shmem_my_pe(), next = (me + 1) % mori_shmem_n_pes();

	for (uint64_t round = 1; !mori_block_id() && round <= rounds; round++) {
		good(f, round, mori_shmem_uint64_p(x, round, next, 0));
		good(f, round, mori_shmem_fence_thread());
		good(f, round, mori_shmem_uint64_p(y, round, next, 0));
		good(f, round, mori_shmem_fence_thread());
	}
	while (mori_block_id() && last < rounds) {
		uint64_t second = mori_shmem_uint64_g(y, me, 0),
			 saw = mori_shmem_uint64_g(x, me, 0);

		if (saw < second || second < last || saw > rounds)
			wrong(f, second, mori_thread_id(), saw, second < last ? last : second);
		last = second;
	}
}

static int meet(int how)
{
	int err = 0;

	if (how != LITMUS_MEET_LEADS)
		return mori_shmem_barrier_all_block();
	mori_block_sync();
	if (!mori_thread_id())
		err = mori_shmem_barrier_all_thread();
	mori_block_sync();
	return err;
}

/* Barrier: one block of each PE writes a row of the table on every PE. */
MORI_KERNEL void rows(uint64_t *table, uint64_t *own, void *found, uint64_t rounds, int32_t how)
{
	struct litmus_found *f = found_by(found);
	uint64_t lane = mori_thread_id(), lanes = mori_block_size(), test = 100 + (uint64_t)how;
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();

	for (uint64_t round = 1; round <= rounds; round++) {
		/* Another half: a PE may still read the last round when the next one writes. */
		uint64_t *half = table + (round & 1) * (uint64_t)n * lanes;
		uint64_t *row = half + (uint64_t)me * lanes;

		own[lane] = litmus_word(test, (uint64_t)me, round, lane);
		for (int pe = 0; pe < n; pe++) {
			if (how == LITMUS_MEET_NBI)
				good(f, round,
				     mori_shmem_put_uint64_nbi_block(row, own, lanes, pe, 0));
			else
				good(f, round, mori_shmem_uint64_p(row + lane, own[lane], pe, 0));
		}
		good(f, round, meet(how));
		for (int pe = 0; pe < n; pe++) {
			uint64_t at = (lane + round) % lanes;
			uint64_t want = litmus_word(test, (uint64_t)pe, round, at);
			uint64_t *word = half + (uint64_t)pe * lanes + at;
			uint64_t there = mori_shmem_uint64_g(word, (me + pe) % n, 0);

			if (*word != want || there != want)
				wrong(f, round, (uint64_t)pe, *word != want ? *word : there, want);
		}
	}
}
