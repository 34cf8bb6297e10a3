// SPDX-License-Identifier: MIT
/*
 * The memory model, by tests in which a wrong order would show: message passing
 * through a fence, a quiet, a signal; store buffering. PEs work in pairs, 0 with
 * 1, 2 with 3 and so on, all at the same time; an odd one out only takes part in barriers.
 */
/* TEST: pes=2,4,5 */
#include "pes.h"

#define SLOTS  64 /* messages on their way before the reader has to answer */
#define MOST   TEST_SCALE(10000)
#define ROUNDS ((uint64_t)pes_rounds(MOST))
#define WORDS  24 /* longest message */

struct shared {
	uint64_t data[SLOTS][WORDS];
	uint64_t flag[SLOTS];
	uint64_t answered;	/* at the writer: rounds the reader has checked */
	uint64_t x[MOST + 1];	/* store buffering: written by the peer, once each */
	uint64_t saw[MOST + 1]; /* and what each saw, from the peer */
};

/* How the flag follows the data. */
enum how { FENCE, QUIET, NBI_QUIET, PUT_SIGNAL, NBI_SIGNAL, QUIET_SIGNAL, HOWS };
static const char *const names[] = { "put, fence, put", "put, quiet, put", "nbi, quiet, put",
				     "put with signal", "nbi with signal", "nbi, quiet, signal" };

static uint64_t word(uint64_t round, size_t i)
{
	return round * 1000003 + i;
}

static void wait_for(uint64_t *at, uint64_t least)
{
	MUST(mori_shmem_uint64_wait_until_for(at, MORI_SHMEM_CMP_GE, least, AWAIT_NS));
}

static void send(struct shared *s, enum how how, uint64_t round, int peer)
{
	size_t slot = round % SLOTS, n = 1 + round % WORDS;
	uint64_t data[WORDS], *to = s->data[slot], *flag = &s->flag[slot];

	for (size_t i = 0; i < n; i++)
		data[i] = word(round, i);
	if (how == FENCE || how == QUIET)
		MUST(mori_shmem_put_uint64_thread(to, data, n, peer, 0));
	else if (how == NBI_QUIET || how == QUIET_SIGNAL)
		MUST(mori_shmem_put_uint64_nbi_thread(to, data, n, peer, 0));
	if (how == FENCE)
		MUST(mori_shmem_fence_thread());
	else if (how == QUIET || how == NBI_QUIET || how == QUIET_SIGNAL)
		MUST(mori_shmem_quiet_thread());
	if (how == FENCE || how == QUIET || how == NBI_QUIET)
		MUST(mori_shmem_put_uint64_thread(flag, &round, 1, peer, 0));
	else if (how == PUT_SIGNAL)
		MUST(mori_shmem_put_uint64_signal_thread(to, data, n, flag, round, 9, peer, 0));
	else if (how == NBI_SIGNAL)
		MUST(mori_shmem_put_uint64_nbi_signal_thread(to, data, n, flag, round, 9, peer, 0));
	else
		MUST(mori_shmem_signal_op_thread(flag, round, 9, peer, 0));
	if (how == NBI_SIGNAL)
		MUST(mori_shmem_quiet_thread()); /* the source is on this stack */
}

/* Plain loads: seeing the flag is all that makes the data safe to read. */
static int receive(const struct shared *s, uint64_t round)
{
	size_t slot = round % SLOTS, n = 1 + round % WORDS;
	int good = 1;

	for (size_t i = n; i-- > 0;) /* the last written first */
		good &= s->data[slot][i] == word(round, i);
	return good;
}

static void message_passing(struct shared *s, enum how how, int writes, int peer)
{
	long wrong = 0;

	memset(s, 0, sizeof(*s));
	BARRIER();
	for (uint64_t round = 1; peer >= 0 && round <= ROUNDS; round++) {
		if (writes) {
			if (round > SLOTS)
				wait_for(&s->answered, round - SLOTS);
			send(s, how, round, peer);
			continue;
		}
		wait_for(&s->flag[round % SLOTS], round);
		wrong += !receive(s, round);
		if (round % 8 == 0 || round == ROUNDS)
			MUST(mori_shmem_uint64_p(&s->answered, round, peer, 0));
	}
	CHECK_EQ(names[how], wrong, 0);
	BARRIER();
}

/*
 * Both write, complete, and read what the other writes: at least one must see
 * the other's. Waiting for the other's word keeps the two in step.
 */
static void store_buffering(struct shared *s, int peer)
{
	long both_missed = 0;

	memset(s, 0, sizeof(*s));
	BARRIER();
	for (uint64_t i = 1; peer >= 0 && i <= ROUNDS; i++) {
		uint64_t seen;

		MUST(mori_shmem_uint64_p(&s->x[i], i, peer, 0));
		MUST(mori_shmem_quiet_thread());
		seen = mori_shmem_uint64_g(&s->x[i], me, 0);
		MUST(mori_shmem_uint64_p(&s->saw[i], seen + 1, peer, 0));
		wait_for(&s->saw[i], 1);
		if (!seen)
			both_missed += s->saw[i] == 1;
	}
	CHECK_EQ("store buffering: both missed", both_missed, 0);
	BARRIER();
}

static int test_pe(void)
{
	struct shared *s = pes_malloc(sizeof(*s));
	int peer = (me ^ 1) < n_pes ? (me ^ 1) : -1;

	if (n_pes < 2)
		SKIP("needs two PEs");
	for (int how = 0; how < HOWS; how++) {
		test_at(names[how]);
		message_passing(s, (enum how)how, me % 2 == 0, peer);
		message_passing(s, (enum how)how, me % 2 == 1, peer);
	}
	test_at("store buffering");
	for (int i = 0; i < 4; i++)
		store_buffering(s, peer);
	MUST(mori_shmem_free(s));
	return 0;
}
