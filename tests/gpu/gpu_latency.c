// SPDX-License-Identifier: MIT
/*
 * How long the operations of kernels take. Nothing is asserted about time: it prints, and
 * checks that the words are what they must be afterwards.
 */
#include "gpu.h"

#define ROUNDS 2000u

static _Thread_local mori_shmem_module_t *module;
static _Thread_local uint64_t *ns;

static double took(const char *name, int status, double each)
{
	uint64_t t = 0;

	MUST(status);
	heap_get(&t, ns, sizeof(t));
	BARRIER();
	if (!me && name)
		printf("%-28s %2d PEs %8.3f us\n", name, n_pes, (double)t / each / 1000);
	return (double)t;
}

/* One PE to its right neighbour, or all at once. */
static void copies(size_t bytes, unsigned blocks, int all)
{
	char *dest = mori_shmem_malloc(bytes), *src = mori_shmem_malloc(bytes);
	uint64_t n, len = bytes;

	MUST(dest && src ? 0 : MORI_SHMEM_ENOMEM);
	for (int plain = 0; plain < 2; plain++) {
		uint64_t start;

		n = 2;
		if (all || !me)
			MUST(RUN_KERNEL(module, plain ? "plain_copy" : "bandwidth", blocks, 512,
					&dest, &src, &len, &n));
		n = 20;
		BARRIER();
		start = mori_clock_ns();
		if (all || !me)
			MUST(RUN_KERNEL(module, plain ? "plain_copy" : "bandwidth", blocks, 512,
					&dest, &src, &len, &n));
		start = mori_clock_ns() - start;
		BARRIER();
		if (!me)
			printf("%-6s %3u blocks %4zu MiB %2d PEs, %s: %8.1f GB/s each\n",
			       plain ? "plain" : "put", blocks, bytes >> 20, n_pes,
			       all ? "all" : "one", (double)bytes * 20 / (double)start);
	}
	MUST(mori_shmem_free(src));
	MUST(mori_shmem_free(dest));
}

static int test_pe(void)
{
	static const uint64_t sizes[] = { 0, 8, 1024, 65536 };
	uint64_t *w = heap_malloc(64), *sig = heap_malloc(8), from = 0, n = ROUNDS;
	char *box = heap_malloc(65536), *src = heap_malloc(65536);
	char name[64];

	module = gpu_load(test_argc > 1 ? test_argv[1] : "latency");
	ns = heap_malloc(8);
	if (!module) {
		puts("skipped: there is no latency.ptx");
		return 77;
	}
	for (size_t i = 0; i < 4; i++) {
		unsigned threads = sizes[i] > 1024 ? 512 : 32;

		for (int turn = 0; turn < 2; turn++, from += n) {
			BARRIER();
			snprintf(name, sizeof(name), "put+signal %llu B half",
				 (unsigned long long)sizes[i]);
			took(turn ? name : NULL,
			     RUN_KERNEL(module, "put_signal", 1, threads, &box, &src, &sizes[i],
					&sig, &from, &n, &ns),
			     2.0 * ROUNDS);
		}
	}
	took("signal ping-pong half", RUN_KERNEL(module, "signal_only", 1, 1, &sig, &from, &n, &ns),
	     2.0 * ROUNDS);
	from += n;
	CHECK_EQ("signals", me > 1 || heap_word(sig) == from, 1);
	took("signal, one way", RUN_KERNEL(module, "signal_rate", 1, 1, &sig, &n, &ns), ROUNDS);
	took("fetch_add", RUN_KERNEL(module, "fetch_add", 1, 1, &w, &n, &ns), ROUNDS);
	CHECK_EQ("added", heap_word(w), ROUNDS);
	BARRIER();
	took("add", RUN_KERNEL(module, "add", 1, 1, &w, &n, &ns), ROUNDS);
	CHECK_EQ("added twice", heap_word(w), 2 * ROUNDS);
	BARRIER();
	took("g", RUN_KERNEL(module, "get_value", 1, 1, &w, &n, &ns), ROUNDS);
	took("p", RUN_KERNEL(module, "put_value", 1, 1, &w, &n, &ns), ROUNDS);
	took("p + quiet", RUN_KERNEL(module, "put_quiet", 1, 1, &w, &n, &ns), ROUNDS);
	took("barrier_all_block 32", RUN_KERNEL(module, "barrier", 1, 32, &n, &ns), ROUNDS);
	took("barrier_all_block 256", RUN_KERNEL(module, "barrier", 1, 256, &n, &ns), ROUNDS);
	took("sync_all_block 32", RUN_KERNEL(module, "sync", 1, 32, &n, &ns), ROUNDS);
	copies((size_t)64 << 20, 1, 0);
	copies((size_t)256 << 20, 132 / (unsigned)n_pes / 2 * 2, 0);
	copies((size_t)256 << 20, 132 / (unsigned)n_pes / 2 * 2, 1);
	return 0;
}
