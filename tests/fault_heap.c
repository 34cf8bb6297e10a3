// SPDX-License-Identifier: MIT
/*
 * A heap that is full, and frees that are wrong: the same status on every PE, a
 * text that names the pointer, nothing lost, and all of the heap can be had again.
 */
/* TEST: net=procs */
#include "same.h"

#define HEAP  ((size_t)1 << 20)
#define PIECE ((size_t)64 << 10)

static mori_shmem_heap_info_t info(void)
{
	mori_shmem_heap_info_t i = { .struct_size = sizeof(i) };

	MUST(CHECK_OK(mori_shmem_heap_info(&i)));
	return i;
}

static void no_room(void *got, const char *size)
{
	CHECK(got == NULL);
	CHECK_TEXT(mori_shmem_last_error(), "no room");
	CHECK_TEXT(mori_shmem_last_error(), size);
	CHECK_TEXT(mori_shmem_last_error(), "MORI_SHMEM_HEAP_SIZE");
	same_text();
}

static void exhausted(void)
{
	void *pieces[HEAP / PIECE + 1];
	size_t n = 0;
	void *p;

	no_room(mori_shmem_malloc(HEAP + 1), "1048577");
	no_room(mori_shmem_malloc(SIZE_MAX), "18446744073709551615");
	no_room(mori_shmem_malloc_align(4096, SIZE_MAX - 4096), "18446744073709547519");
	no_room(mori_shmem_calloc(SIZE_MAX / 2, 3), "bytes");
	while (n <= HEAP / PIECE && (pieces[n] = mori_shmem_malloc(PIECE)))
		memset(pieces[n++], 0x40 + me, PIECE);
	CHECK_EQ("pieces", n, HEAP / PIECE);
	no_room(mori_shmem_malloc(1), "1 bytes");
	CHECK_EQ("free", info().free, 0);
	CHECK_EQ("largest", info().largest_free, 0);
	CHECK_OK(mori_shmem_free(pieces[3]));
	CHECK_OK(mori_shmem_free(pieces[7]));
	no_room(mori_shmem_malloc(PIECE + 1), "65537 bytes");
	p = mori_shmem_malloc(PIECE);
	CHECK(p == pieces[3] || p == pieces[7]);
	CHECK_OK(mori_shmem_free(p));
	for (size_t i = 0; i < n; i++) {
		if (i == 3 || i == 7)
			continue;
		CHECK_EQ("its last byte", ((unsigned char *)pieces[i])[PIECE - 1], 0x40 + me);
		CHECK_OK(mori_shmem_free(pieces[i]));
	}
	p = mori_shmem_malloc(HEAP);
	CHECK(p != NULL);
	CHECK_EQ("used", info().used, HEAP);
	CHECK_OK(mori_shmem_free(p));
	CHECK_EQ("used", info().used, 0);
}

/* EINVAL everywhere; the pointer, which differs between PEs, is in the text. */
static void not_freed(void *p, const char *part)
{
	char pointer[32];

	snprintf(pointer, sizeof(pointer), "%p", p);
	CHECK_FAILS(mori_shmem_free(p), MORI_SHMEM_EINVAL, part);
	CHECK_TEXT(mori_shmem_last_error(), pointer);
}

static void wrong_frees(void)
{
	static char global[64];
	char local[64], *own = malloc(64);
	char *a = mori_shmem_malloc(1000), *b = mori_shmem_malloc(1000);
	char *gone = mori_shmem_malloc(PIECE);
	int other = (me + 1) % n_pes;
	char *there = (char *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)a, other);
	size_t blocks;

	MUST(a && b && gone && own);
	memset(a, 0x11, 1000);
	memset(b, 0x22, 1000);
	CHECK_OK(mori_shmem_free(gone));
	blocks = info().blocks;
	not_freed(gone, info().size == HEAP ? "free" : "?");
	not_freed(gone, "free");
	not_freed(gone + 64, "free");
	not_freed(local, "not in the symmetric heap");
	not_freed(global, "not in the symmetric heap");
	not_freed(own, "not in the symmetric heap");
	not_freed((void *)8, "not in the symmetric heap");
	not_freed((void *)(UINTPTR_MAX - 7), "not in the symmetric heap");
	not_freed(a + 8, "8 bytes into the block");
	not_freed(a + 999, "999 bytes into the block");
	not_freed(b + 256, "256 bytes into the block");
	if (there)
		not_freed(there, "not in the symmetric heap");
	CHECK_EQ("p2p", there != NULL, test_p2p(me, other));
	CHECK_FAILS(mori_shmem_free(me == 1 ? b : a), MORI_SHMEM_EMISMATCH, "PE 1");
	same_text();
	CHECK_FAILS(mori_shmem_free(me == 3 ? local : a), MORI_SHMEM_EMISMATCH, "PE 3");
	same_text();
	CHECK_EQ("blocks", info().blocks, blocks);
	CHECK_OK(mori_shmem_free(NULL));
	for (int i = 0; i < 1000; i++) {
		CHECK_EQ("a", a[i], 0x11);
		CHECK_EQ("b", b[i], 0x22);
	}
	CHECK_OK(mori_shmem_free(a));
	not_freed(a, "free");
	CHECK_OK(mori_shmem_free(b));
	not_freed(b, "free");
	free(own);
	CHECK_EQ("used", info().used, 0);
}

static void same_pe(void)
{
	CHECK_EQ("size", info().size, HEAP);
	for (int i = 0; i < 3; i++) {
		exhausted();
		wrong_frees();
	}
	CHECK_OK(mori_shmem_finalize());
}

static void fault_test(void)
{
	static const char *const modes[] = { "static", "vmm", "isolation" };

	setenv("MORI_SHMEM_HEAP_SIZE", "1M", 1);
	setenv("MORI_SHMEM_VMM_CHUNK_SIZE", "128K", 1);
	for (size_t i = 0; i < TEST_LEN(modes); i++) {
		test_at(modes[i]);
		setenv("MORI_SHMEM_MODE", modes[i], 1);
		same_job(4);
		same_job(2);
		same_job(1);
	}
}
