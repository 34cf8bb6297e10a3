// SPDX-License-Identifier: MIT
/*
 * Atomics on one word by all PEs at once: no update is lost, every ticket is
 * given once, and a compare-and-swap lock keeps plain data whole.
 */
#include "pes.h"

#define HAMMER                                                                                     \
	pes_rounds(TEST_SCALE(200000)) /* long enough to be interrupted where cores are few */
#define ROUNDS pes_rounds(TEST_SCALE(2000))

struct words {
	uint64_t add64, inc64, tickets, lock, plain;
	uint32_t add32, xor32, tickets32;
	double add_double;
	float add_float;
};

/* Every PE hammers the words of every PE. */
static void hammer(struct words *w)
{
	const uint64_t n = (uint64_t)n_pes, rounds = HAMMER;

	memset(w, 0, sizeof(*w));
	BARRIER();
	for (uint64_t i = 0; i < rounds; i++) {
		for (int k = 0; k < n_pes; k++) {
			int pe = (me + k) % n_pes;

			MUST(mori_shmem_uint64_atomic_add_thread(&w->add64, (uint64_t)me + 1, pe,
								 0));
			MUST(mori_shmem_uint64_atomic_inc_thread(&w->inc64, pe, 0));
			(void)mori_shmem_uint32_atomic_fetch_add_thread(&w->add32, 3, pe, 0);
			MUST(mori_shmem_uint32_atomic_xor_thread(&w->xor32, 1u << (me % 32), pe,
								 0));
			MUST(mori_shmem_double_atomic_add_thread(&w->add_double, 0.5, pe, 0));
			(void)mori_shmem_float_atomic_fetch_add_thread(&w->add_float, 1.0f, pe, 0);
		}
	}
	BARRIER();
	CHECK_EQ("add 64", w->add64, rounds * n * (n + 1) / 2);
	CHECK_EQ("inc 64", w->inc64, rounds * n);
	CHECK_EQ("add 32", w->add32, (uint32_t)(rounds * n * 3));
	CHECK_EQ("xor 32", w->xor32, rounds % 2 && n_pes < 32 ? (1u << n_pes) - 1 : 0);
	CHECK_EQ("add double, halves", w->add_double * 2, rounds * n);
	CHECK_EQ("add float", w->add_float, rounds * n);
	BARRIER();
}

/* Tickets of PE 0; @taken is a byte a ticket, on PE 0 too. */
static void tickets(struct words *w, uint8_t *taken, int narrow)
{
	const uint64_t rounds = ROUNDS, all = rounds * (uint64_t)n_pes;
	uint64_t last = 0;

	memset(taken, 0, all);
	BARRIER();
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t t =
			narrow ? mori_shmem_uint32_atomic_fetch_inc_thread(&w->tickets32, 0, 0) :
				 mori_shmem_uint64_atomic_fetch_inc_thread(&w->tickets, 0, 0);

		if (!CHECK(t < all) || !CHECK(!i || t > last))
			break;
		last = t;
		MUST(mori_shmem_uint8_p(&taken[t], (uint8_t)(me + 1), 0, 0));
	}
	BARRIER();
	for (uint64_t i = 0; me == 0 && i < all; i++)
		CHECK(taken[i] != 0);
	BARRIER();
}

/* A counter of PE 0 that is read and written apart, under a lock of the last PE. */
static void locked(struct words *w)
{
	const uint64_t rounds = pes_rounds(TEST_SCALE(300));
	int home = n_pes - 1;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t seen;

		while (mori_shmem_uint64_atomic_compare_swap_thread(&w->lock, 0, (uint64_t)me + 1,
								    home, 0))
			sched_yield();
		seen = mori_shmem_uint64_g(&w->plain, 0, 0);
		MUST(mori_shmem_uint64_p(&w->plain, seen + 1, 0, 0));
		MUST(mori_shmem_quiet_thread());
		CHECK_EQ("I held it", mori_shmem_uint64_atomic_swap_thread(&w->lock, 0, home, 0),
			 me + 1);
	}
	BARRIER();
	if (me == 0)
		CHECK_EQ("counter", w->plain, rounds * (uint64_t)n_pes);
	CHECK_EQ("lock", w->lock, 0);
	BARRIER();
}

static int test_pe(void)
{
	struct words *w = pes_malloc(sizeof(*w));
	uint8_t *taken = pes_malloc((size_t)ROUNDS * (size_t)n_pes);

	hammer(w);
	tickets(w, taken, 0);
	tickets(w, taken, 1);
	locked(w);
	MUST(mori_shmem_free(taken));
	MUST(mori_shmem_free(w));
	return 0;
}
