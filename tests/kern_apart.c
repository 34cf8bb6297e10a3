// SPDX-License-Identifier: MIT
/*
 * PEs that load and store reach, but not atomically: as GPUs over PCIe are. Here the state of each
 * PE learns it. Atomics and signals of kernels and of the host then go by the queue, puts by load
 * and store, and what orders them holds.
 */
/* TEST: pes=2 modes=procs timeout=120 */
#include "kern.h"

#include "abi/workq.h"
#include "abi/state.h"
#include "kernels/paths.h"

#define BLOCKS	2u
#define THREADS 40u
#define ALL	(BLOCKS * THREADS)
#define WORDS	(ALL * PATHS_WORDS + 2)

/* Entries that were posted to the other PE so far. */
static uint64_t posted(const struct dev_state *st)
{
	uint64_t n = 0;

	for (int i = 0; i < st->num_qp; i++)
		n += __atomic_load_n(&st->queues[(1 - me) * st->num_qp + i].taken,
				     __ATOMIC_RELAXED);
	return n;
}

static void by_kernel(mori_shmem_module_t *m, const struct dev_state *st)
{
	int32_t *out = pes_private(ALL * PATHS_CALLS * 4), pe = 1 - me;
	uint64_t *at = pes_malloc(WORDS * 8), *src = pes_private(PATHS_WORDS * 8);
	uint64_t *got = pes_private((ALL + 1) * 8), before;

	memset(at, 0, WORDS * 8);
	for (unsigned i = 0; i < PATHS_WORDS; i++)
		src[i] = (uint64_t)me * 1000 + 7 + i;
	BARRIER();
	before = posted(st);
	CHECK_OK(RUN_KERNEL(m, "paths", BLOCKS, THREADS, &out, &at, &src, &got, &pe));
	/* A block: put with signal, signal, atomic; a thread: put with signal, atomic. */
	if (pes_p2p(pe)) /* else puts are entries, too */
		CHECK_EQ("entries", posted(st) - before, BLOCKS * 3 + ALL * 2);
	for (unsigned t = 0; t < ALL; t++) {
		for (int i = 0; i < PATHS_STATUSES; i++)
			CHECK_EQ("status", out[t * PATHS_CALLS + i], 0);
	}
	BARRIER();
	CHECK_EQ("signals", at[ALL * PATHS_WORDS], BLOCKS * 2 + ALL);
	CHECK_EQ("sum", at[ALL * PATHS_WORDS + 1], BLOCKS + ALL);
	for (unsigned t = 0; t < ALL; t++)
		CHECK_EQ("data", at[t * PATHS_WORDS + 6], (uint64_t)(1 - me) * 1000 + 13);
	BARRIER();
	MUST(mori_shmem_free(at));
	free(out);
	free(src);
	free(got);
}

/* Puts by load and store, then a signal by the queue; a signal by the queue, then p. */
static void by_host(void)
{
	uint64_t *data = pes_malloc(8), *flag = pes_malloc(8), *sum = pes_malloc(8);

	*data = *flag = *sum = 0;
	BARRIER();
	for (uint64_t i = 1; i <= 200; i++) {
		CHECK_OK(mori_shmem_uint64_p(data, i, 1 - me, 0));
		CHECK_OK(mori_shmem_signal_op_thread(flag, i, MORI_SHMEM_SIGNAL_SET, 1 - me, 0));
		AWAIT(flag, i);
		CHECK_EQ("data behind the signal", *data, i);
		CHECK_EQ("sum", mori_shmem_uint64_atomic_fetch_add_thread(sum, 1, 0, 0) < 400, 1);
		BARRIER();
	}
	if (!me)
		CHECK_EQ("sum", *sum, 400);
	BARRIER();
	MUST(mori_shmem_free(sum));
	MUST(mori_shmem_free(flag));
	MUST(mori_shmem_free(data));
}

static int test_pe(void)
{
	struct dev_state *st = (struct dev_state *)(uintptr_t)ctx;
	mori_shmem_module_t *m = kern_load("paths");
	void *window = pes_private(4096);

	if (!m)
		SKIP(KERN_NONE);
	MUST(mori_shmem_symmetric_register(window,
					   4096)); /* it cannot be mapped: there are queues */
	BARRIER();
	CHECK_EQ("queues", st->queues != NULL && st->any_queue, 1);
	st->amo_queue = 1;
	if (st->uniform) /* as the library has it with such a state */
		st->uniform = DEV_UNIFORM;
	BARRIER();
	by_kernel(m, st);
	by_host();
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_symmetric_deregister(window, 4096));
	free(window);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
