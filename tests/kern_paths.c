// SPDX-License-Identifier: MIT
/*
 * Every family goes by the path that leads to the PE, from kernels and from the
 * host: by load and store here, where a copy engine is asked for too
 * (kern_paths_copy.c), and refused without a trace where only a queue would do
 * (kern_paths_queue.c).
 */
#ifndef KERN_PATHS_QUEUE
/* TEST: pes=2 */
#define KERN_PATHS_QUEUE 0
#endif
#include "kern.h"

#include "kernels/paths.h"

#include <stdbool.h>

#define BLOCKS	3u
#define THREADS 40u
#define ALL	(BLOCKS * THREADS)
#define WORDS	(ALL * PATHS_WORDS + 2)

static _Thread_local uint64_t *at, *src, *got;

/* Whether load and store lead from this PE to @pe. */
static bool near(int pe)
{
	return !KERN_PATHS_QUEUE || pe == me;
}

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
			CHECK_EQ("status", out[i], near(pe) ? 0 : MORI_SHMEM_ENOTSUP);
		CHECK_EQ("quiet of all", out[PATHS_QUIET_ALL], 0);
		CHECK_EQ("ptr", out[PATHS_PTR], near(pe));
		CHECK_EQ("ptr_p2p", out[PATHS_PTR_P2P], near(pe));
	}
}

/* What PE @from has left here, if it could. */
static void arrived(int from)
{
	bool came = near(from);
	uint64_t none = 0;

	poison(&none, 8);
	for (unsigned t = 0; t < ALL; t++) {
		const uint64_t *w = at + (size_t)t * PATHS_WORDS;

		for (unsigned i = 0; i < 7; i++) {
			bool one = i > 2 || t % THREADS == 0; /* the block forms write once */

			CHECK_EQ("word", w[i], came && one ? word(from, i) : none);
		}
		CHECK_EQ("nobody's word", w[7], none);
	}
	CHECK_EQ("signals", at[ALL * PATHS_WORDS], came ? ALL + 2 * BLOCKS : 0);
	CHECK_EQ("atomics", at[ALL * PATHS_WORDS + 1], came ? ALL + BLOCKS : 0);
}

/* From kernels: PE me speaks to the next, or to itself. */
static void from_kernels(mori_shmem_module_t *m, int by)
{
	int32_t pe = (me + by) % n_pes, *out = pes_private(ALL * PATHS_CALLS * sizeof(*out));
	int from = (me + n_pes - by) % n_pes;
	mori_shmem_fault_t fault;

	poison_all();
	CHECK_OK(RUN_KERNEL(m, "paths", BLOCKS, THREADS, &out, &at, &src, &got, &pe));
	BARRIER();
	statuses(out, pe);
	arrived(from);
	for (unsigned t = 0; t < ALL; t++)
		CHECK_EQ("got", near(pe) ? got[1 + t] == word(me, 3) : not_poison(got, 8) == 8, 1);
	CHECK_EQ("sticky", mori_shmem_check(&fault), near(pe) ? 0 : MORI_SHMEM_ENOTSUP);
	CHECK_EQ("about", fault.pe, near(pe) ? -1 : pe);
	CHECK(!strcmp(fault.op, near(pe) ? "" : "putmem_block"));
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
		CHECK_EQ("value", out[0] == 0, !near(pe) || which == 3);
		CHECK_EQ("status", (int)out[1], near(pe) ? 0 : MORI_SHMEM_ENOTSUP);
		CHECK_EQ("sticky", mori_shmem_check(NULL), near(pe) ? 0 : MORI_SHMEM_ENOTSUP);
		BARRIER();
	}
}

/* Gives @status, and if it is a refusal says why. */
static void refused(const char *what, int status)
{
	CHECK_EQ(what, status, KERN_PATHS_QUEUE ? MORI_SHMEM_ENOTSUP : 0);
	if (KERN_PATHS_QUEUE)
		CHECK(strstr(mori_shmem_last_error(), "MORI_DISABLE_P2P") != NULL);
}

static void from_host(void)
{
	int pe = (me + 1) % n_pes;
	uint64_t v = 5, *sig = at + ALL * PATHS_WORDS;

	poison_all();
	refused("put", mori_shmem_putmem_thread(at, src, 8, pe, 0));
	refused("put of nothing", mori_shmem_putmem_thread(at, src, 0, pe, 0));
	refused("get", mori_shmem_getmem_thread(&v, at, 8, pe, 0));
	refused("p", mori_shmem_uint64_p(at, 1, pe, 0));
	refused("signal", mori_shmem_signal_op_thread(sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0));
	refused("put with signal",
		mori_shmem_putmem_signal_thread(at, src, 8, sig, 1, MORI_SHMEM_SIGNAL_ADD, pe, 0));
	refused("atomic", mori_shmem_uint64_atomic_add_thread(sig + 1, 1, pe, 0));
	refused("quiet", mori_shmem_quiet_thread_pe(pe));
	refused("fence", mori_shmem_fence_thread_pe(pe));
	CHECK_OK(mori_shmem_quiet_thread());
	CHECK_EQ("ptr", mori_shmem_ptr((uint64_t)(uintptr_t)at, pe) != 0, !KERN_PATHS_QUEUE);
	(void)mori_shmem_uint64_g(at, pe, 0);
	CHECK_EQ("sticky", mori_shmem_check(NULL), KERN_PATHS_QUEUE ? MORI_SHMEM_ENOTSUP : 0);
	BARRIER();
	CHECK_EQ("signals", *sig, KERN_PATHS_QUEUE ? 0 : 2);
	CHECK_EQ("atomics", sig[1], !KERN_PATHS_QUEUE);
	CHECK_EQ("data", not_poison(at, 8) == 8, KERN_PATHS_QUEUE);
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
