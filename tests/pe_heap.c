// SPDX-License-Identifier: MIT
/*
 * The symmetric heap: the same places on every PE, real alignment, what malloc
 * refuses and why, exhaustion, and consistent records. pe_heap_vmm.c and
 * pe_heap_isolation.c run it in the other modes.
 */
#ifndef PE_HEAP_MODE
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=static_heap */
#define PE_HEAP_MODE "static"
#endif
#include "pes.h"

#define MIB (1ul << 20)

static mori_shmem_heap_info_t info(void)
{
	mori_shmem_heap_info_t i;

	memset(&i, POISON, sizeof(i));
	i.struct_size = sizeof(i);
	MUST(mori_shmem_heap_info(&i));
	CHECK_EQ("free and used are all", i.free + i.used, i.size);
	CHECK(i.largest_free <= i.free && i.peak >= i.used);
	return i;
}

/* Every PE writes to @p on the next one by put, which turns it into an offset. */
static void check_symmetric(unsigned char *p, size_t n)
{
	int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;
	unsigned char *data = pes_private(n);

	fill(data, me + 5, n);
	BARRIER();
	CHECK_OK(mori_shmem_putmem_thread(p, data, n, next, 0));
	BARRIER();
	CHECK_EQ("the same place", differs(p, prev + 5, n), n);
	BARRIER();
	free(data);
}

static void alignments(void)
{
	for (size_t align = 1; align <= 4 * MIB; align *= 2) {
		unsigned char *a = mori_shmem_malloc_align(align, 100);
		unsigned char *b = mori_shmem_malloc_align(align, align + 1);

		if (!CHECK(a && b))
			fprintf(stderr, "align %zu: %s\n", align, mori_shmem_last_error());
		CHECK_EQ("address", (uintptr_t)a % align, 0);
		CHECK_EQ("address", (uintptr_t)b % align, 0);
		for (int pe = 0; pe < n_pes; pe++)
			CHECK_EQ("peer", mori_shmem_ptr((uintptr_t)b, pe) % align, 0);
		check_symmetric(b, align + 1);
		CHECK_OK(mori_shmem_free(a));
		CHECK_OK(mori_shmem_free(b));
	}
	CHECK(!mori_shmem_malloc_align(3, 100));
	CHECK_TEXT(mori_shmem_last_error(), "power of two");
	CHECK(!mori_shmem_malloc_align(0, 100));
	CHECK(!mori_shmem_malloc_align(1ul << 62, 100));
}

/* Bytes that are in the pages of a block, but not in the block. */
static void ends(void)
{
	static const size_t sizes[] = { 1, 64, 100, 65535, 65536, 65537, 200000 };
	int next = (me + 1) % n_pes;
	char data[8] = { 0 };

	for (size_t i = 0; i < TEST_LEN(sizes); i++) {
		size_t n = sizes[i], some = n < 8 ? n : 8;
		unsigned char *p = pes_malloc(n);

		CHECK_OK(mori_shmem_putmem_thread(p + n - some, data, some, next, 0));
		CHECK_OK(mori_shmem_getmem_thread(data, p + n - some, some, next, 0));
		CHECK_EQ("a byte behind", mori_shmem_putmem_thread(p + n, data, 1, next, 0),
			 MORI_SHMEM_EINVAL);
		CHECK_TEXT(mori_shmem_last_error(), "a range may not leave its block");
		CHECK_EQ("over the end", mori_shmem_putmem_thread(p + n - 1, data, 2, next, 0),
			 MORI_SHMEM_EINVAL);
		CHECK_EQ("pointer behind", mori_shmem_ptr((uintptr_t)p + n, me), 0);
		BARRIER();
		MUST(mori_shmem_free(p));
	}
}

static void flags(void)
{
	unsigned char *p = pes_malloc(10000), *zero, *z;

	CHECK_EQ("malloc aligns to 256", (uintptr_t)p % 256, 0);
	CHECK_OK(mori_shmem_free(p)); /* leaves poison behind */
	zero = mori_shmem_ext_malloc_with_flags(10000, MORI_SHMEM_MALLOC_ZERO);
	CHECK(zero && !zero[0] && !memcmp(zero, zero + 1, 9999));
	check_symmetric(zero, 10000);
	CHECK_OK(mori_shmem_free(zero));
	z = mori_shmem_calloc(100, 100);
	CHECK(z && !z[0] && !memcmp(z, z + 1, 9999));
	CHECK_OK(mori_shmem_free(z));
	p = mori_shmem_ext_malloc_with_flags(100, MORI_SHMEM_MALLOC_UNCACHED);
	CHECK(p != NULL);
	CHECK_OK(mori_shmem_free(p));
	CHECK(!mori_shmem_ext_malloc_with_flags(100, 4));
	CHECK_TEXT(mori_shmem_last_error(), "flags");
	CHECK(!mori_shmem_calloc(SIZE_MAX / 2, 3));
	CHECK(!mori_shmem_calloc(1ul << 32, 1ul << 32));
	CHECK_EQ("no block is left", info().blocks, 0);
}

static void nothing(void)
{
	mori_shmem_heap_info_t before = info();

	CHECK(!mori_shmem_malloc(0));
	CHECK(!mori_shmem_calloc(0, 8));
	CHECK(!mori_shmem_calloc(8, 0));
	CHECK(!mori_shmem_malloc_align(64, 0));
	CHECK(!mori_shmem_ext_malloc_with_flags(0, MORI_SHMEM_MALLOC_ZERO));
	CHECK_OK(mori_shmem_free(NULL));
	CHECK_EQ("nothing taken", info().used, before.used);
	CHECK_EQ("NULL", mori_shmem_heap_info(NULL), MORI_SHMEM_EINVAL);
}

static void wrong_frees(void)
{
	unsigned char *p = pes_malloc(1000), *q = pes_malloc(1000), *mine = pes_private(16);
	mori_shmem_heap_info_t before = info();

	CHECK_EQ("inside", mori_shmem_free(p + 1), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "into the block");
	CHECK_EQ("inside", mori_shmem_free(p + 256), MORI_SHMEM_EINVAL);
	CHECK_EQ("foreign", mori_shmem_free(mine), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), "not in the symmetric heap");
	CHECK_EQ("nothing freed", info().used, before.used);
	CHECK_OK(mori_shmem_free(p));
	CHECK_EQ("twice", mori_shmem_free(p), MORI_SHMEM_EINVAL);
	CHECK_EQ("one freed", info().blocks, before.blocks - 1);
	CHECK_EQ("the other is whole", not_poison(q, 1000), 1000);
	CHECK_OK(mori_shmem_free(q));
	free(mine);
}

/* Megabytes until there are none left; then all of it in one. */
static void exhaust(void)
{
	mori_shmem_heap_info_t start = info(), end;
	size_t n = 0, max = start.size / MIB + 1;
	unsigned char **blocks = calloc(max, sizeof(*blocks)), *big;

	CHECK(!mori_shmem_malloc(start.size + 1));
	CHECK_TEXT(mori_shmem_last_error(), "MORI_SHMEM_HEAP_SIZE");
	CHECK(!mori_shmem_malloc(SIZE_MAX));
	for (; n < max && (blocks[n] = mori_shmem_malloc(MIB)) != NULL; n++)
		fill(blocks[n], (int)n * 16 + me, 4096);
	CHECK_EQ("as many as fit", n, start.size / MIB);
	end = info();
	CHECK_EQ("all used", end.used, start.size);
	CHECK_EQ("none free", end.largest_free, 0);
	CHECK_EQ("peak", end.peak, start.size);
	CHECK_EQ("blocks", end.blocks, n);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ("own memory each", differs(blocks[i], (int)i * 16 + me, 4096), 4096);
	for (size_t i = 0; i < n; i += 2)
		CHECK_OK(mori_shmem_free(blocks[i]));
	CHECK_EQ("holes", info().largest_free, MIB);
	CHECK(!mori_shmem_malloc(MIB + 1));
	for (size_t i = 1; i < n; i += 2)
		CHECK_OK(mori_shmem_free(blocks[i]));
	big = mori_shmem_malloc(start.size);
	CHECK(big != NULL);
	big[0] = big[start.size - 1] = 1;
	BARRIER();
	CHECK_OK(mori_shmem_free(big));
	free(blocks);
}

struct held {
	unsigned char *p;
	size_t len;
	int seed;
};

/* The same random calls everywhere; what a block holds must survive the others. */
static void churn(void)
{
	struct held held[40] = { { 0 } };
	uint64_t state = 12345;

	for (int i = 0; i < TEST_SCALE(3000); i++) {
		struct held *h;

		state = state * 6364136223846793005u + 1442695040888963407u;
		h = &held[(state >> 33) % TEST_LEN(held)];
		if (h->p) {
			CHECK_EQ("kept", differs(h->p, h->seed, h->len), h->len);
			CHECK_OK(mori_shmem_free(h->p));
			h->p = NULL;
			continue;
		}
		h->len = 1 + (state >> 40) % 20000;
		h->seed = i * 16 + me;
		h->p = mori_shmem_malloc_align(1ul << (state >> 20) % 14, h->len);
		if (CHECK(h->p != NULL))
			fill(h->p, h->seed, h->len);
	}
	for (size_t i = 0; i < TEST_LEN(held); i++) {
		if (held[i].p)
			CHECK_EQ("kept", differs(held[i].p, held[i].seed, held[i].len),
				 held[i].len);
		CHECK_OK(mori_shmem_free(held[i].p));
	}
	BARRIER();
	check_symmetric(held[0].p = pes_malloc(1000), 1000);
	CHECK_OK(mori_shmem_free(held[0].p));
}

static int test_pe(void)
{
	mori_shmem_heap_info_t start = info(), end;

	CHECK_EQ("size", start.size, 64 * MIB);
	CHECK_EQ("largest", start.largest_free, start.size);
	CHECK_EQ("unused", start.used + start.blocks + start.peak, 0);
	test_at("alignments, mode " PE_HEAP_MODE);
	alignments();
	if (!strcmp(PE_HEAP_MODE, "isolation"))
		ends();
	flags();
	nothing();
	wrong_frees();
	test_at("exhaust, mode " PE_HEAP_MODE);
	exhaust();
	test_at("churn, mode " PE_HEAP_MODE);
	churn();
	end = info();
	CHECK_EQ("all given back", end.used + end.blocks, 0);
	CHECK_EQ("in one piece", end.largest_free, end.size);
	return 0;
}
