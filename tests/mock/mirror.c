// SPDX-License-Identifier: MIT
/*
 * A device that fails while a window or the heap is made known to it: every call that can fail is
 * made to, on one PE after the other. Then the call fails on all PEs, and what kernels see is
 * what they saw before.
 */
#include "abi/state.h"
#include "gpu.h"

#define LEN (1 << 20)
#define N   8 /* windows: a new place in the list takes fewer calls than that */

/* What a kernel of this PE sees: the mock's memory is the host's. */
static const struct dev_state *seen(void)
{
	return (const struct dev_state *)(uintptr_t)ctx;
}

/* The live windows, and how many of them are at @at. */
static int windows(const void *at)
{
	int n = 0;

	for (const struct dev_window *w = seen()->windows; w; w = w->next)
		n += w->len && (!at || w->base == (uint64_t)(uintptr_t)at);
	return n;
}

/* Whether kernels search the index: then it has the live windows in the order of addresses. */
static int indexed(void)
{
	const struct dev_window_index *x = &seen()->index;
	const struct dev_window_entry *e = (const void *)(uintptr_t)x->at;

	if (!e || x->turn & 1)
		return 0;
	CHECK_EQ("windows of the index", x->n, windows(NULL));
	for (uint32_t i = 0; i < x->n; i++) {
		const struct dev_window *w = seen()->windows;

		while (w && (uintptr_t)w != e[i].window)
			w = w->next;
		CHECK(w && e[i].base == w->base && e[i].len == w->len);
		CHECK(!i || e[i - 1].base < e[i].base);
	}
	return 1;
}

static size_t blocks(void)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };

	MUST(mori_shmem_heap_info(&info));
	return info.blocks;
}

/* All PEs have the same: 1 if it failed. */
static int agreed(const char *what, int32_t *all, int err)
{
	int32_t mine[64];
	int failed = 0;

	for (int pe = 0; pe < n_pes; pe++)
		MUST(mori_shmem_int32_p(&all[me], err != 0, pe, 0));
	BARRIER();
	heap_get(mine, all, sizeof(*all) * (size_t)n_pes);
	for (int pe = 0; pe < n_pes; pe++)
		failed += mine[pe];
	CHECK_EQ(what, failed % n_pes, 0);
	BARRIER();
	return failed != 0;
}

struct step {
	const char *what;
	int (*run)(void **at);
	/* Nothing has changed; and the call was made. */
	void (*undone)(void *at), (*done)(void *at);
};

static int add(void **at)
{
	return mori_shmem_symmetric_register(*at, LEN);
}

static int drop(void **at)
{
	return mori_shmem_symmetric_deregister(*at, LEN);
}

static void is_window(void *at)
{
	mori_shmem_memobj_t obj;

	CHECK_EQ("a window", mori_shmem_query_memobj(at, &obj), 0);
	CHECK_EQ("for kernels", windows(at), 1);
	indexed();
}

static void is_none(void *at)
{
	mori_shmem_memobj_t obj;

	CHECK_EQ("no window", mori_shmem_query_memobj(at, &obj), MORI_SHMEM_ENOENT);
	CHECK_EQ("for kernels", windows(at), 0);
	indexed();
}

static _Thread_local size_t before; /* blocks */
static _Thread_local uint64_t len;  /* of the heap, for kernels */

static uint32_t owner_of(const void *at)
{
	uint64_t off = (uint64_t)(uintptr_t)at - seen()->heap_base;

	return seen()->granules ? seen()->granules[off >> seen()->granule].owner : 1;
}

static int take(void **at)
{
	*at = mori_shmem_malloc(8 * LEN);
	return *at ? 0 : MORI_SHMEM_ENOMEM;
}

static int give(void **at)
{
	return mori_shmem_free(*at);
}

static void is_free(void *at)
{
	CHECK_EQ("blocks", blocks(), before);
	CHECK_EQ("length for kernels", seen()->heap_len, len);
	if (at && seen()->granules)
		CHECK_EQ("nobody's for kernels", owner_of(at), 0);
}

static void is_block(void *at)
{
	CHECK_EQ("blocks", blocks(), before + 1);
	CHECK(at && owner_of(at));
	CHECK(seen()->heap_len >= (uint64_t)(uintptr_t)at + 8 * LEN - seen()->heap_base);
	heap_set(at, "symmetric", 10);
}

/*
 * The @first call of the driver fails, then the next one, until there is none to fail; how often
 * one did.
 */
static int step(const struct step *s, int32_t *all, int first, void **at)
{
	for (int k = first; k < 200; k++) {
		int armed = me == k % n_pes, err, left;

		GPU(mockFail, armed ? k : 0);
		err = s->run(at);
		left = gpu_call("mockFail")(0);
		if (armed)
			CHECK_EQ(s->what, err != 0, left == 0);
		if (!agreed(s->what, all, err)) {
			s->done(*at);
			BARRIER();
			return k - first;
		}
		s->undone(*at);
		BARRIER();
	}
	CHECK_EQ(s->what, 200, 0);
	return 0;
}

static int test_pe(void)
{
	static const struct step reg = { "register", add, is_none, is_window };
	static const struct step dereg = { "deregister", drop, is_window, is_none };
	static const struct step mem = { "malloc", take, is_free, is_block };
	static const struct step unmem = { "free", give, is_block, is_free };
	const char *mode = getenv("MORI_SHMEM_MODE");
	int32_t *all = heap_malloc(sizeof(*all) * 64);
	uint64_t w[N];
	void *at;

	gpu_begin();
	for (int i = 0; i < N; i++)
		GPU(cuMemAlloc_v2, &w[i], (size_t)LEN);
	for (int round = 0; round < 2; round++) { /* in new places of the list, and in old ones */
		for (int i = 0, failed = 0; i < N; i++) {
			at = (void *)(uintptr_t)w[i];
			failed += step(&reg, all, round ? 1 : i + 1, &at) > 0;
			CHECK(i < N - 1 || failed > 3);
		}
		CHECK_EQ("windows", windows(NULL), N);
		CHECK(indexed());
		for (int i = 0; i < N; i++) {
			at = (void *)(uintptr_t)w[i];
			CHECK(step(&dereg, all, 1, &at) > 0);
		}
		CHECK_EQ("windows", windows(NULL), 0);
		CHECK(indexed());
	}
	before = blocks();
	len = seen()->heap_len;
	for (int round = 0; round < 2; round++) {
		at = NULL;
		CHECK_EQ("malloc can fail", step(&mem, all, 1, &at) > 0,
			 mode && strcmp(mode, "static"));
		CHECK_EQ("free can fail", step(&unmem, all, 1, &at) > 0,
			 mode && strcmp(mode, "static"));
	}
	for (int i = 0; i < N; i++)
		GPU(cuMemFree_v2, w[i]);
	MUST(mori_shmem_free(all));
	return 0;
}
