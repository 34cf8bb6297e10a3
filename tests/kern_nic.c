// SPDX-License-Identifier: MIT
/*
 * What must be registered with a real NIC, and what need not be: the data and the symmetric
 * memory of kernels in the heap, in windows that come and go, in registered and in other
 * buffers. With FAKE_BAD (fake/serve.c) the peer stops answering in the middle: every
 * thread gets a status, the host the number of the PE.
 */
/* TEST: pes=2 modes=threads timeout=120 net=threads,procs formats=mlx5,bnxt,ionic */
#define PES_NO_INIT
#include "kern.h"

#include "kernels/queue.h"

#define MOST	20000u
#define ROOM	(2 * MOST + 64)
#define THREADS 32u

static void sizes(mori_shmem_module_t *m, char *at, char *own, unsigned threads)
{
	uint64_t *out = pes_private(threads * 8), least = 0, most = MOST;

	poison(out, threads * 8);
	poison(own, 2 * MOST + 1);
	CHECK_OK(RUN_KERNEL(m, "sizes", 1, threads, &out, &at, &own, &least, &most));
	for (unsigned t = 0; t < threads; t++)
		CHECK_EQ("wrong bytes", out[t], 0);
	CHECK_EQ("sticky", mori_shmem_check(NULL), 0);
	BARRIER();
	free(out);
}

/* All kinds of local memory, to @at. */
static void locals(mori_shmem_module_t *m, char *at)
{
	char *heap = pes_malloc(ROOM), *buffer = pes_private(ROOM), *own = pes_private(ROOM);

	sizes(m, at, heap, 1);
	sizes(m, at, heap, THREADS);
	for (int i = 0; i < 3; i++) { /* a place in a list is used again */
		MUST(mori_shmem_buffer_register(buffer, ROOM));
		sizes(m, at, buffer, THREADS);
		MUST(mori_shmem_buffer_deregister(buffer, ROOM));
	}
	sizes(m, at, buffer, 1); /* as if it had never been registered */
	sizes(m, at, own, 1);
	sizes(m, at, own, THREADS);
	BARRIER();
	MUST(mori_shmem_free(heap));
	free(buffer);
	free(own);
}

/* Atomics and values in a window. */
static void words(mori_shmem_module_t *m, uint64_t *at)
{
	uint64_t *own = pes_private(2ul * THREADS * QUEUE_WORDS * 8),
		 *out = pes_private(THREADS * 8);
	uint64_t *tickets = pes_private(THREADS * 4 * 8), rounds = 32;
	int32_t pe = (me + 1) % n_pes, qps = 2;

	poison(at, (1 + THREADS * QUEUE_WORDS) * 8ul);
	at[0] = 0;
	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "crowd", 1, THREADS, &out, &at, &own, &tickets, &rounds, &pe, &qps));
	BARRIER();
	for (unsigned t = 0; t < THREADS; t++)
		CHECK_EQ("a thread's own view", out[t], 0);
	CHECK_EQ("count", at[0], THREADS * (THREADS + 1ul) / 2 * 4);
	BARRIER();
	free(own);
	free(out);
	free(tickets);
}

static void windows(mori_shmem_module_t *m)
{
	char *first = pes_private(ROOM + 4), *second = pes_private(ROOM);

	for (int i = 0; i < 2; i++) {
		MUST(mori_shmem_symmetric_register(first + 4, ROOM));
		MUST(mori_shmem_symmetric_register(second, ROOM));
		locals(m, first + 4);
		words(m, (uint64_t *)second);
		MUST(mori_shmem_symmetric_deregister(first + 4, ROOM));
		MUST(mori_shmem_symmetric_deregister(second, ROOM));
	}
	BARRIER();
	free(first);
	free(second);
}

static void silent(mori_shmem_module_t *m)
{
	char *at = pes_malloc(4096), *own = pes_malloc(4096);
	int32_t *out = pes_private(THREADS * 4), pe = (me + 1) % n_pes, scope = 0;
	mori_shmem_fault_t fault = { .struct_size = sizeof(fault) };
	uint64_t len = 1000;

	CHECK_OK(RUN_KERNEL(m, "until", 1, THREADS, &out, &at, &own, &len, &pe, &scope));
	for (unsigned t = 0; t < THREADS; t++)
		CHECK_EQ("status", out[t], MORI_SHMEM_EPEER);
	CHECK_EQ("sticky", mori_shmem_check(&fault), MORI_SHMEM_EPEER);
	CHECK_EQ("of the PE", fault.pe, pe);
	CHECK_EQ("the host is told, too", mori_shmem_barrier_all(), MORI_SHMEM_EPEER);
	CHECK_TEXT(mori_shmem_last_error(), pe ? "PE 1" : "PE 0");
}

static int test_pe(void)
{
	const char *bad = getenv("FAKE_BAD");
	mori_shmem_module_t *m;
	char *at;

	MUST(mori_shmem_init());
	CHECK_EQ(mori_shmem_last_error(), *mori_shmem_last_error(), 0);
	pes_meet();
	m = kern_load("queue");
	if (!m)
		SKIP(KERN_NONE);
	if (bad) {
		silent(m);
	} else {
		at = pes_malloc(ROOM);
		locals(m, at);
		windows(m);
		MUST(mori_shmem_free(at));
	}
	MUST(mori_shmem_module_unload(m));
	CHECK_EQ("finalize", mori_shmem_finalize(), bad ? MORI_SHMEM_EPEER : 0);
	return 0;
}
