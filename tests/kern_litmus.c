// SPDX-License-Identifier: MIT
/*
 * The memory model from kernels (docs/memory-model.md), by tests in which a wrong order
 * would show: message passing in every way that a flag can follow data, and every way to
 * see it; put, quiet, put; store buffering; independent reads of independent writes; fence
 * order; barriers. Thousands of rounds a launch, each with values of its own.
 */
/* TEST: pes=2,4 timeout=180 net=procs,threads,nodes */
#include "kern.h"

#include "kernels/litmus.h"

#include <inttypes.h>

#define ROUNDS kern_rounds((uint64_t)pes_rounds(TEST_SCALE(3000)))

struct shared {
	mori_shmem_module_t *module;
	struct litmus *s;	    /* symmetric */
	uint64_t *own;		    /* two messages of this PE's memory */
	struct litmus_found *found; /* a lane of a grid of two blocks each */
};

static const char *const sends[] = {
	[LITMUS_FENCE_P] = "put, fence, p",
	[LITMUS_BLOCK_FENCE_P] = "put_block, fence, p",
	[LITMUS_SIGNAL_THREAD] = "put_signal_thread",
	[LITMUS_SIGNAL_WARP] = "put_signal_warp",
	[LITMUS_SIGNAL_BLOCK] = "put_signal_block",
	[LITMUS_NBI_SIGNAL_BLOCK] = "put_nbi_signal_block",
	[LITMUS_QUIET_SIGNAL] = "put, quiet_block, signal_op_block",
	[LITMUS_SIGNAL_AFTER] = "put, signal_op",
	[LITMUS_QUIET_ATOMIC] = "put, quiet, atomic add",
	[LITMUS_NBI_ATOMIC_INC] = "put_nbi_block, quiet, atomic inc",
};

static const char *const meets[] = {
	[LITMUS_MEET_P] = "p, barrier_all_block",
	[LITMUS_MEET_NBI] = "put_nbi_block, barrier_all_block",
	[LITMUS_MEET_LEADS] = "p, barrier_all_thread of one",
};

/* Every PE is here, and all is as at first. */
static void fresh(struct shared *s, const char *name)
{
	test_at(name);
	memset(s->s, 0, sizeof(*s->s));
	memset(s->found, 0, 2 * LITMUS_LANES * sizeof(*s->found));
	poison(s->own, 2 * LITMUS_WORDS * 8);
	BARRIER();
}

/* What the lanes found; on every PE before the next test begins. */
static void report(struct shared *s, const char *name, unsigned threads)
{
	uint64_t wrong = 0;

	for (unsigned i = 0; i < 2 * LITMUS_LANES; i++) {
		const struct litmus_found *f = &s->found[i];

		if (!wrong && f->wrong)
			fprintf(stderr,
				"%s: PE %d, block %u, thread %u: round %" PRIu64 ", word %" PRIu64
				": saw 0x%" PRIx64 ", not 0x%" PRIx64 "; status %" PRId64 "\n",
				name, me, i / threads, i % threads, f->round, f->at, f->saw,
				f->want, f->status);
		wrong += f->wrong;
	}
	CHECK_EQ(name, wrong, 0);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
}

static void messages(struct shared *s, unsigned threads, uint64_t rounds)
{
	uint64_t test = LITMUS_SENDS;

	for (int how = 0; how < LITMUS_SENDS; how++) {
		fresh(s, sends[how]);
		CHECK_OK(RUN_KERNEL(s->module, "pass", 2, threads, &s->s, &s->own, &s->found,
				    &rounds, &how));
		for (uint64_t i = 0; i < LITMUS_SLOTS; i++) { /* no signal too many */
			uint64_t uses = (rounds + LITMUS_SLOTS - i) / LITMUS_SLOTS - !i;

			CHECK_EQ(sends[how], s->s->flag[i],
				 uses * litmus_signals(how, threads, kern_warp()));
		}
		report(s, sends[how], threads);
	}
	fresh(s, "put, quiet, put");
	CHECK_OK(RUN_KERNEL(s->module, "chain", 2, threads, &s->s, &s->own, &s->found, &rounds,
			    &test));
	report(s, "put, quiet, put", threads);
}

static void lanes(struct shared *s, unsigned threads, uint64_t rounds)
{
	for (int whole = 0; whole < 2; whole++) {
		fresh(s, "store buffering");
		CHECK_OK(RUN_KERNEL(s->module, "buffer", 1, threads, &s->s, &s->found, &rounds,
				    &whole));
		report(s, "store buffering", threads);
	}
	fresh(s, "independent reads");
	CHECK_OK(RUN_KERNEL(s->module, "apart", 2, threads, &s->s, &s->found, &rounds));
	report(s, "independent reads", threads);
	fresh(s, "fence order");
	CHECK_OK(RUN_KERNEL(s->module, "order", 2, threads, &s->s, &s->found, &rounds));
	report(s, "fence order", threads);
}

static void locks(struct shared *s, uint64_t rounds)
{
	uint64_t all = 2 * rounds * (uint64_t)n_pes;

	fresh(s, "lock");
	CHECK_OK(RUN_KERNEL(s->module, "locked", 2, 1, &s->s, &s->found, &rounds));
	BARRIER();
	if (!me)
		CHECK_EQ("lock: all have added", s->s->answered, all);
	for (int i = 0; i < 2 && !me; i++)
		CHECK_EQ("lock: each round counts", s->s->data[i][0], all);
	report(s, "lock", 1);
}

static void race(struct shared *s, uint64_t rounds)
{
	uint64_t *log = pes_malloc((rounds + 1) * 8), *x = s->s->x, enough = rounds / 50;

	log[0] = 0;
	fresh(s, "store buffering, free");
	CHECK_OK(RUN_KERNEL(s->module, "race", 1, 1, &x, &log, &s->found, &rounds, &enough));
	report(s, "store buffering, free", 1);
	MUST(mori_shmem_free(log));
}

static void barriers(struct shared *s, uint64_t *table, unsigned threads, uint64_t rounds)
{
	for (int how = 0; how < LITMUS_MEETS; how++) {
		fresh(s, meets[how]);
		CHECK_OK(RUN_KERNEL(s->module, "rows", 1, threads, &table, &s->own, &s->found,
				    &rounds, &how));
		report(s, meets[how], threads);
	}
}

static int test_pe(void)
{
	struct shared s = { .module = kern_load("litmus") };
	unsigned more, most; /* lanes: more than a warp, and two of them */
	uint64_t *table;

	if (!s.module)
		SKIP(KERN_NONE);
	more = kern_warp() + 8;
	most = KERN_SMALL ? more : 2 * kern_warp();
	s.s = pes_malloc(sizeof(*s.s));
	s.own = pes_private(2 * LITMUS_WORDS * 8);
	s.found = pes_private(2 * LITMUS_LANES * sizeof(*s.found));
	table = pes_malloc(2 * (size_t)n_pes * LITMUS_LANES * 8);
	messages(&s, 1, ROUNDS);
	messages(&s, more, ROUNDS / 3);
	messages(&s, most, ROUNDS / 10);
	lanes(&s, 1, ROUNDS);
	lanes(&s, more, ROUNDS / 10);
	locks(&s, ROUNDS);
	race(&s, kern_rounds(ROUNDS * 1000));
	barriers(&s, table, 1, ROUNDS / 3);
	barriers(&s, table, most, ROUNDS / 10);
	MUST(mori_shmem_free(table));
	MUST(mori_shmem_free(s.s));
	free(s.found);
	free(s.own);
	MUST(mori_shmem_module_unload(s.module));
	return 0;
}
