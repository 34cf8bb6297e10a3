// SPDX-License-Identifier: MIT
/*
 * Every family goes by the path that leads to the PE, from kernels and from the host: by load and
 * store, also where a copy engine is requested (kern_paths_copy.c), and by queues.
 */
/* TEST: pes=2,4 net=procs,threads,nodes formats=mlx5,bnxt,ionic */
#include "kern.h"

#include "kernels/paths.h"

#include <stdbool.h>

#define BLOCKS	3u
#define THREADS 40u
#define ALL	(BLOCKS * THREADS)
#define WORDS	(ALL * PATHS_WORDS + 2)

static _Thread_local uint64_t *at, *src, *got;

static uint64_t word(int from, unsigned i)
{
	return (uint64_t)(from + 1) * 1000 + i;
}

static void poison_all(void)
{
	poison(at, WORDS * 8);
	at[ALL * PATHS_WORDS] = at[ALL * PATHS_WORDS + 1] = 0;
	for (unsigned i = 0; i < PATHS_WORDS; i++)
		src[i] = word(me, i);
	poison(got, (ALL + 1) * 8);
	BARRIER();
}

static void statuses(const int32_t *out, int pe)
{
	for (unsigned t = 0; t < ALL; t++, out += PATHS_CALLS) {
		for (int i = 0; i < PATHS_STATUSES; i++)
			CHECK_EQ("status", out[i], 0);
		CHECK_EQ("quiet of all", out[PATHS_QUIET_ALL], 0);
		CHECK_EQ("ptr", out[PATHS_PTR], pes_p2p(pe));
		CHECK_EQ("ptr_p2p", out[PATHS_PTR_P2P], pes_p2p(pe));
	}
}

/* What PE @from has left here. */
static void arrived(int from)
{
	uint64_t none = 0;

	poison(&none, 8);
	for (unsigned t = 0; t < ALL; t++) {
		const uint64_t *w = at + (size_t)t * PATHS_WORDS;

		for (unsigned i = 0; i < 7; i++) {
			bool one = i > 2 || t % THREADS == 0; /* the block forms write once */

			CHECK_EQ("word", w[i], one ? word(from, i) : none);
		}
		CHECK_EQ("nobody's word", w[7], none);
	}
	CHECK_EQ("signals", at[ALL * PATHS_WORDS], ALL + 2 * BLOCKS);
	CHECK_EQ("atomics", at[ALL * PATHS_WORDS + 1], ALL + BLOCKS);
}

/* From kernels: PE me speaks to the next, or to itself. */
static void from_kernels(mori_shmem_module_t *m, int by)
{
	int32_t pe = (me + by) % n_pes, *out = pes_private(ALL * PATHS_CALLS * sizeof(*out));
	int from = (me + n_pes - by) % n_pes;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };

	poison_all();
	CHECK_OK(RUN_KERNEL(m, "paths", BLOCKS, THREADS, &out, &at, &src, &got, &pe));
	BARRIER();
	statuses(out, pe);
	arrived(from);
	for (unsigned t = 0; t < ALL; t++)
		CHECK_EQ("got", got[1 + t], word(me, 3));
	CHECK_EQ("sticky", mori_shmem_check(&fault), 0);
	CHECK_EQ("about", fault.pe, -1);
	CHECK(!strcmp(fault.op, ""));
	free(out);
	BARRIER();
}

static void values(mori_shmem_module_t *m)
{
	int32_t pe = (me + 1) % n_pes;
	uint64_t out[2], *to = out;

	for (int32_t which = 0; which < 4; which++) {
		poison(at, 8);
		if (which == 3)
			memset(at, 0, 8);
		BARRIER();
		CHECK_OK(RUN_KERNEL(m, "paths_value", 1, 1, &to, &at, &pe, &which));
		CHECK_EQ("value", out[0] == 0, which == 3);
		CHECK_EQ("status", (int)out[1], 0);
		CHECK_EQ("sticky", mori_shmem_check(NULL), 0);
		BARRIER();
	}
}

static void from_host(void)
{
	int pe = (me + 1) % n_pes;
	uint64_t v = 5, *sig = at + ALL * PATHS_WORDS;

	poison_all();
	CHECK_OK(mori_shmem_putmem_thread(at, src, 8, pe, 0));
	CHECK_OK(mori_shmem_putmem_thread(at, src, 0, pe, 0));
	CHECK_OK(mori_shmem_getmem_thread(&v, at, 8, pe, 0));
	CHECK_EQ("got", v, word(me, 0));
	CHECK_OK(mori_shmem_uint64_p(at, 1, pe, 0));
	CHECK_OK(mori_shmem_signal_op_thread(sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0));
	CHECK_OK(mori_shmem_putmem_signal_thread(at, src, 8, sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0));
	CHECK_OK(mori_shmem_uint64_atomic_add_thread(sig + 1, 1, pe, 0));
	CHECK_OK(mori_shmem_quiet_thread_pe(pe));
	CHECK_OK(mori_shmem_fence_thread_pe(pe));
	CHECK_OK(mori_shmem_quiet_thread());
	CHECK_EQ("ptr", mori_shmem_ptr((uint64_t)(uintptr_t)at, pe) != 0, pes_p2p(pe));
	CHECK_EQ("value", mori_shmem_uint64_g(at, pe, 0), word(me, 0));
	CHECK_EQ("sticky", mori_shmem_check(NULL), 0);
	BARRIER();
	CHECK_EQ("signals", *sig, 2);
	CHECK_EQ("atomics", sig[1], 1);
	CHECK_EQ("data", at[0], word((me + n_pes - 1) % n_pes, 0));
	CHECK_OK(mori_shmem_putmem_thread(at, src, 8, me, 0));
	CHECK_EQ("own memory", at[0], word(me, 0));
	CHECK_EQ("no such PE", mori_shmem_putmem_thread(at, src, 8, n_pes, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("no such memory", mori_shmem_putmem_thread(src, src, 8, pe, 0), MORI_SHMEM_EINVAL);
	BARRIER();
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("paths");
	int32_t met[THREADS], *to = met;

	if (!m)
		SKIP(KERN_NONE);
	at = pes_malloc(WORDS * 8);
	src = pes_private(PATHS_WORDS * 8);
	got = pes_private((ALL + 1) * 8);
	from_kernels(m, 1);
	from_kernels(m, 0);
	values(m);
	from_host();
	for (int i = 0; i < 20; i++) {
		poison(met, sizeof(met));
		CHECK_OK(RUN_KERNEL(m, "paths_meet", 1, THREADS, &to));
		for (unsigned t = 0; t < THREADS; t++)
			CHECK_EQ("barrier of kernels", met[t], 0);
		BARRIER();
	}
	MUST(mori_shmem_free(at));
	free(src);
	free(got);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
