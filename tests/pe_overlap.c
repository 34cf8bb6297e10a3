// SPDX-License-Identifier: MIT
/*
 * A put or get to the caller itself with overlapping source and destination behaves like memmove.
 */
#include "pes.h"

#define SIZE 9000

typedef int (*copy_fn)(void *dest, const void *src, size_t bytes, int pe, int qp);

static const copy_fn copies[] = { mori_shmem_putmem_thread, mori_shmem_putmem_nbi_thread,
				  mori_shmem_getmem_thread, mori_shmem_getmem_nbi_thread };

static void move(copy_fn copy, unsigned char *area, size_t to, size_t from, size_t n)
{
	unsigned char want[SIZE];

	fill(area, me + 1, SIZE);
	fill(want, me + 1, SIZE);
	memmove(want + to, want + from, n);
	CHECK_OK(copy(area + to, area + from, n, me, 0));
	CHECK_OK(mori_shmem_quiet_thread());
	CHECK_MEM("moved", area, want, SIZE);
}

static int test_pe(void)
{
	static const size_t lens[] = { 1, 2, 7, 8, 15, 16, 33, 64, 100, 4096, 8000 };
	static const size_t steps[] = { 0, 1, 3, 7, 8, 16, 31, 64, 500 };
	unsigned char *area = pes_malloc(SIZE);

	for (size_t c = 0; c < TEST_LEN(copies); c++) {
		for (size_t l = 0; l < TEST_LEN(lens); l++) {
			for (size_t s = 0; s < TEST_LEN(steps); s++) {
				move(copies[c], area, 100, 100 + steps[s], lens[l]);
				move(copies[c], area, 100 + steps[s], 100, lens[l]);
			}
		}
	}
	MUST(mori_shmem_free(area));
	return 0;
}
