// SPDX-License-Identifier: MIT
/*
 * PEs that do not make the same collective call, or not with the same arguments:
 * every PE gets the same error, which says who called what; nothing changes; and
 * the next call that they make alike works.
 */
/* TEST: net=nodes */
#include "same.h"

static size_t used(void)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };

	CHECK_OK(mori_shmem_heap_info(&info));
	return info.used;
}

/* It is really there, on all PEs, and theirs alone. */
static void works(void)
{
	int64_t *p = mori_shmem_malloc_align(512, (size_t)n_pes * sizeof(*p));

	MUST(p != NULL);
	CHECK_EQ("aligned", (uintptr_t)p % 512, 0);
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_OK(mori_shmem_int64_p(&p[me], 50 + 10 * me + pe, pe, 0));
	CHECK_OK(mori_shmem_barrier_all());
	for (int pe = 0; pe < n_pes; pe++)
		CHECK_EQ("word", p[pe], 50 + 10 * pe + me);
	CHECK_OK(mori_shmem_free(p));
}

static void refused(void *got, const char *part, const char *other)
{
	CHECK(got == NULL);
	CHECK_TEXT(mori_shmem_last_error(), part);
	CHECK_TEXT(mori_shmem_last_error(), other);
	same_text();
	works();
}

static void differ(int status, const char *part, const char *other)
{
	CHECK_EQ("status", status, MORI_SHMEM_EMISMATCH);
	CHECK_TEXT(mori_shmem_last_error(), part);
	CHECK_TEXT(mori_shmem_last_error(), other);
	same_text();
	works();
}

static void arguments_differ(void)
{
	refused(mori_shmem_malloc(me == 2 ? 128 : 64), "PE 2: mori_shmem_malloc(size 128",
		"PE 0-1: mori_shmem_malloc(size 64");
	refused(mori_shmem_malloc((size_t)me + 1), "PE 0: mori_shmem_malloc(size 1",
		"PE 3: mori_shmem_malloc(size 4");
	refused(mori_shmem_malloc(me ? 64 : 0), "PE 0: mori_shmem_malloc(size 0", "PE 1-3");
	refused(mori_shmem_malloc(me == 3 ? SIZE_MAX : 64), "PE 3", "size 18446744073709551615");
	refused(mori_shmem_malloc_align(me == 1 ? 512 : 256, 64), "alignment 512", "alignment 256");
	refused(mori_shmem_malloc_align(me == 1 ? 3 : 256, 64), "alignment 3", "PE 1");
	refused(mori_shmem_ext_malloc_with_flags(64, me ? 0 : MORI_SHMEM_MALLOC_ZERO), "flags 2",
		"flags 0");
	refused(mori_shmem_calloc(me == 1 ? 9 : 8, 8), "size 72", "size 64");
	refused(me ? mori_shmem_malloc(64) : mori_shmem_calloc(1, 64), "flags 2", "PE 0");
}

static void calls_differ(void *a, void *b)
{
	differ(me == 1 ? mori_shmem_sync_all() : mori_shmem_barrier_all(),
	       "PE 1: mori_shmem_sync_all", "PE 0: mori_shmem_barrier_all");
	differ(me == 2 ? mori_shmem_free(a) : mori_shmem_barrier_all(), "PE 2: mori_shmem_free",
	       "PE 0-1: mori_shmem_barrier_all");
	if (me == 3)
		refused(mori_shmem_malloc(64), "PE 3: mori_shmem_malloc", "barrier_all");
	else
		differ(mori_shmem_barrier_all(), "PE 3: mori_shmem_malloc", "barrier_all");
	if (me == 0)
		refused(mori_shmem_malloc(64), "PE 0: mori_shmem_malloc",
			"PE 1-3: mori_shmem_free");
	else
		differ(mori_shmem_free(a), "PE 0: mori_shmem_malloc", "PE 1-3: mori_shmem_free");
	differ(mori_shmem_free(me == 1 ? b : a), "PE 1: mori_shmem_free(block at offset",
	       "PE 2-3: mori_shmem_free(block at offset");
	differ(mori_shmem_free(me == 1 ? NULL : a), "PE 1: mori_shmem_free(NULL)", "PE 0");
	differ(mori_shmem_symmetric_register(a, me == 2 ? 32 : 64), "PE 2", "size 32");
	differ(me == 2 ? mori_shmem_symmetric_register(a, 64) : mori_shmem_barrier_all(),
	       "PE 2: mori_shmem_symmetric_register", "barrier_all");
	differ(me == 2 ? mori_shmem_symmetric_deregister(a, 64) : mori_shmem_sync_all_thread(),
	       "PE 2: mori_shmem_symmetric_deregister", "sync_all");
	differ(me == 2 ? mori_shmem_barrier_on_stream(NULL) : mori_shmem_sync_all(), "PE 2",
	       "sync_all");
}

/* All are wrong alike: the same error for all, too. */
static void all_wrong(void *a)
{
	char mine[64];

	refused(mori_shmem_malloc_align(3, 64), "alignment 3", "power of two");
	refused(mori_shmem_malloc_align(0, 64), "alignment 0", "power of two");
	refused(mori_shmem_malloc_align((size_t)1 << 62, 64), "4611686018427387904", "align");
	refused(mori_shmem_ext_malloc_with_flags(64, 0x80), "flags 0x80", "unknown");
	refused(mori_shmem_calloc(SIZE_MAX, 16), "no room", "MORI_SHMEM_HEAP_SIZE");
	CHECK_EQ("register", mori_shmem_symmetric_register(a, 0), MORI_SHMEM_EINVAL);
	same_text();
	CHECK(mori_shmem_symmetric_register(NULL, 64) < 0);
	same_text();
	CHECK_EQ("deregister", mori_shmem_symmetric_deregister(mine, 64), MORI_SHMEM_ENOENT);
	works();
	CHECK_OK(mori_shmem_symmetric_register(a, 64));
	differ(mori_shmem_symmetric_deregister(a, me == 1 ? 65 : 64), "PE 1", "no window, size 65");
	CHECK_OK(mori_shmem_symmetric_register((char *)a + 64, 64));
	differ(mori_shmem_symmetric_deregister((char *)a + (me == 1 ? 64 : 0), 64), "window 1",
	       "window 2");
	CHECK_OK(mori_shmem_symmetric_deregister((char *)a + 64, 64));
	CHECK_OK(mori_shmem_symmetric_deregister(a, 64));
	CHECK_EQ("deregister", mori_shmem_symmetric_deregister(a, 64), MORI_SHMEM_ENOENT);
}

/*
 * PE 1 believes that it is over. It is gone then: the next barrier of the others reports this at
 * once.
 */
static void one_leaves(void)
{
	double since = fault_now();

	if (me == 1) {
		CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_EMISMATCH, "PE 1");
		same_text();
		return;
	}
	CHECK_FAILS(mori_shmem_barrier_all(), MORI_SHMEM_EMISMATCH, "PE 1: mori_shmem_finalize");
	same_text();
	CHECK_FAILS(mori_shmem_barrier_all(), MORI_SHMEM_EPEER, "PE 1");
	CHECK_NULL(mori_shmem_malloc(64), "PE 1");
	CHECK_FAILS(mori_shmem_finalize(), MORI_SHMEM_EPEER, "PE 1");
	CHECK(fault_now() - since < FAULT_LATE);
}

static void same_pe(void)
{
	void *a = mori_shmem_malloc(64), *b = mori_shmem_malloc(64);
	size_t had = used();

	MUST(a && b && a != b);
	works();
	arguments_differ();
	calls_differ(a, b);
	all_wrong(a);
	CHECK_EQ("used", used(), had);
	CHECK_OK(mori_shmem_free(a));
	CHECK_OK(mori_shmem_free(b));
	CHECK_EQ("used", used(), 0);
	CHECK_OK(mori_shmem_barrier_all());
	one_leaves();
}

static void fault_test(void)
{
	test_at("four processes");
	same_job(4);
	test_at("two processes of two threads");
	same_job(2);
	test_at("four threads");
	same_job(1);
}
