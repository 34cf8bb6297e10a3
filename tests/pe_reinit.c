// SPDX-License-Identifier: MIT
/*
 * Init and finalize many times in one process: each time a whole job with its own data, nothing
 * left of the one before; in between, and before the first, every call reports that there is no PE.
 */
#define PES_NO_INIT
#include "pes.h"

#include <dirent.h>

#define TIMES 20

/* Only where no other thread of the process is a PE: calls would mean that one. */
static void no_pe(void)
{
	uint64_t word = 5, c = 7;
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };

	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
	CHECK_EQ("my_pe", mori_shmem_my_pe(), MORI_SHMEM_ESTATE);
	CHECK_EQ("n_pes", mori_shmem_n_pes(), MORI_SHMEM_ESTATE);
	CHECK_TEXT(mori_shmem_last_error(), "mori_shmem_init");
	CHECK_EQ("barrier", mori_shmem_barrier_all(), MORI_SHMEM_ESTATE);
	CHECK_EQ("put", mori_shmem_putmem_thread(&word, &word, 8, 0, 0), MORI_SHMEM_ESTATE);
	CHECK_EQ("g", mori_shmem_uint64_g(&word, 0, 0), 0);
	CHECK_EQ("ptr", mori_shmem_ptr((uintptr_t)&word, 0), 0);
	CHECK_EQ("quiet", mori_shmem_quiet_thread(), MORI_SHMEM_ESTATE);
	CHECK_EQ("wait", mori_shmem_uint64_wait_until_equals(&word, 5), MORI_SHMEM_ESTATE);
	CHECK_EQ("finalize", mori_shmem_finalize(), MORI_SHMEM_ESTATE);
	CHECK_EQ("free", mori_shmem_free(&word), MORI_SHMEM_ESTATE);
	CHECK_EQ("heap_info", mori_shmem_heap_info(&info), MORI_SHMEM_ESTATE);
	CHECK_EQ("register", mori_shmem_buffer_register(&word, 8), MORI_SHMEM_ESTATE);
	CHECK_EQ("check", mori_shmem_check(NULL), MORI_SHMEM_ESTATE);
	CHECK_EQ("device_state", mori_shmem_device_state(&c), MORI_SHMEM_ESTATE);
	CHECK_EQ("old context", mori_shmem_ctx_my_pe(ctx), MORI_SHMEM_ESTATE);
	CHECK(!mori_shmem_malloc(8));
	CHECK(!mori_shmem_current());
	CHECK(!mori_shmem_find(0));
	CHECK_EQ("untouched", word, 5);
	CHECK_EQ("untouched", c, 7);
}

static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* One job: the PEs in it, and a ring of puts of this round's data. */
static void job(int round)
{
	unsigned char *p, data[256];
	int next, prev;

	MUST(mori_shmem_init());
	pes_meet();
	CHECK_OK(mori_shmem_init()); /* identical: nothing happens */
	CHECK_EQ("initialized", mori_shmem_is_initialized(), 1);
	CHECK(me >= 0 && me < n_pes);
	next = (me + 1) % n_pes;
	prev = (me + n_pes - 1) % n_pes;
	p = pes_malloc(1000 + 64 * (size_t)round);
	fill(data, round * 100 + me, sizeof(data));
	BARRIER();
	CHECK_OK(mori_shmem_putmem_thread(p, data, sizeof(data), next, 0));
	BARRIER();
	CHECK_EQ("ring", differs(p, round * 100 + prev, sizeof(data)), sizeof(data));
	BARRIER();
	if (round % 2) /* finalize frees what was not freed */
		MUST(mori_shmem_free(p));
	CHECK_OK(mori_shmem_finalize());
}

static int test_pe(void)
{
	int alone = pes_here() == 1, files = 0;

	for (int round = 0; round < TIMES; round++) {
		if (alone)
			no_pe();
		job(round);
		if (alone && round == 1)
			files = open_files();
	}
	if (alone) {
		no_pe();
		CHECK(open_files() <= files);
	}
	return 0;
}
