// SPDX-License-Identifier: MIT
/*
 * Wrong PEs, addresses, ranges and lengths are refused by every kind of call,
 * nothing is written, and the text names the call and what was wrong with it.
 */
/* TEST: env=MORI_SHMEM_HEAP_SIZE=4M */
#include "pes.h"

#include <stdarg.h>

#define WORD 8

/* One of each kind; all move or change 8 bytes at @sym of PE @pe, and use @own. */
typedef int (*op_fn)(void *sym, void *own, int pe);

#define OP(id, call)                                                                               \
	static int id(void *sym, void *own, int pe)                                                \
	{                                                                                          \
		(void)own;                                                                         \
		return mori_shmem_##call;                                                          \
	}
OP(putmem, putmem_thread(sym, own, WORD, pe, 0))
OP(putmem_nbi, putmem_nbi_thread(sym, own, WORD, pe, 0))
OP(put_uint16, put_uint16_thread(sym, own, WORD / 2, pe, 0))
OP(put_double_nbi, put_double_nbi_thread(sym, own, 1, pe, 0))
OP(getmem, getmem_thread(own, sym, WORD, pe, 0))
OP(getmem_nbi, getmem_nbi_thread(own, sym, WORD, pe, 0))
OP(get_int32, get_int32_thread(own, sym, WORD / 4, pe, 0))
OP(uint64_p, uint64_p(sym, 1, pe, 0))
OP(put_imm, put_size_imm_nbi_thread(sym, own, WORD, pe, 0))
OP(put_signal, putmem_signal_thread(sym, own, WORD, sym, 1, 9, pe, 0))
OP(signal_op, signal_op_thread(sym, 1, 10, pe, 0))
OP(amo_add, uint64_atomic_add_thread(sym, 1, pe, 0))
OP(amo_code, atomic_int64_nonfetch_thread(sym, 1, 3, pe, 0))
OP(amo_double, double_atomic_add_thread(sym, 1.0, pe, 0))

static const struct op {
	const char *name; /* as the text must have it */
	op_fn call;
} ops[] = { { "putmem_thread", putmem },
	    { "putmem_nbi_thread", putmem_nbi },
	    { "put_uint16_thread", put_uint16 },
	    { "put_double_nbi_thread", put_double_nbi },
	    { "getmem_thread", getmem },
	    { "getmem_nbi_thread", getmem_nbi },
	    { "get_int32_thread", get_int32 },
	    { "uint64_p", uint64_p },
	    { "put_size_imm_nbi_thread", put_imm },
	    { "putmem_signal_thread", put_signal },
	    { "signal_op_thread", signal_op },
	    { "uint64_atomic_add_thread", amo_add },
	    { "atomic_int64_nonfetch_thread", amo_code },
	    { "double_atomic_add_thread", amo_double } };

static void refuse(const struct op *op, void *sym, void *own, int pe, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* EINVAL, and a text with the call's name and what @format says. */
static void refuse(const struct op *op, void *sym, void *own, int pe, const char *format, ...)
{
	char part[64];
	va_list args;

	va_start(args, format);
	vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	CHECK_EQ(op->name, op->call(sym, own, pe), MORI_SHMEM_EINVAL);
	CHECK_TEXT(mori_shmem_last_error(), op->name);
	CHECK_TEXT(mori_shmem_last_error(), part);
}

static void pes_that_are_not(const struct op *op, void *sym, void *own)
{
	const int bad[] = { -1, n_pes, n_pes + 1000, -2147483647 - 1, 2147483647 };

	for (size_t i = 0; i < TEST_LEN(bad); i++)
		refuse(op, sym, own, bad[i], "PE %d", bad[i]);
}

/* @heap: all of it, @size bytes. */
static void addresses(const struct op *op, unsigned char *heap, size_t size, void *own)
{
	uint64_t mine[2] = { 5, 5 };
	unsigned char *end = heap + size;

	refuse(op, mine, own, me, "%llx", (unsigned long long)(uintptr_t)mine);
	refuse(op, NULL, own, me, "NULL");
	refuse(op, end, own, me, "%llx", (unsigned long long)(uintptr_t)end);
	refuse(op, heap - WORD, own, me, "%llx", (unsigned long long)(uintptr_t)(heap - WORD));
	refuse(op, end - 4, own, me, "%llx", (unsigned long long)(uintptr_t)(end - 4));
	refuse(op, heap - 4, own, me, "%llx", (unsigned long long)(uintptr_t)(heap - 4));
	refuse(op, (void *)(UINTPTR_MAX - 3), own, me, "fffffffffffffffc");
	CHECK_EQ("untouched", mine[0] + mine[1], 10);
}

/* The caller's own memory, of the calls that have some. */
static void no_memory(const struct op *op, unsigned char *heap)
{
	if (strstr(op->name, "put") || strstr(op->name, "get"))
		refuse(op, heap + 64, NULL, n_pes - 1, "NULL");
}

/* Lengths that leave the heap, or that are more than 64 bits can say. */
static void lengths(unsigned char *heap, size_t size, void *own)
{
	uint64_t *words = (uint64_t *)heap, *o = own;
	const size_t wraps = ((size_t)1 << 61) + 1; /* times 8 is 8 again */

#define REFUSED(call) CHECK_EQ(#call, mori_shmem_##call, MORI_SHMEM_EINVAL)
	REFUSED(putmem_thread(heap, own, size + 1, me, 0));
	REFUSED(putmem_thread(heap, own, SIZE_MAX, me, 0));
	REFUSED(putmem_thread(heap + 8, own, SIZE_MAX - 7, me, 0));
	REFUSED(getmem_thread(own, heap + 8, size - 7, me, 0));
	REFUSED(getmem_nbi_thread(own, heap, SIZE_MAX, me, 0));
	REFUSED(put_uint64_thread(words, o, wraps, me, 0));
	CHECK_TEXT(mori_shmem_last_error(), "put_uint64_thread");
	REFUSED(put_uint64_nbi_thread(words, o, wraps, me, 0));
	REFUSED(get_uint64_thread(o, words, wraps, me, 0));
	REFUSED(get_uint64_nbi_thread(o, words, wraps, me, 0));
	REFUSED(put_uint64_thread(words, o, SIZE_MAX, me, 0));
	REFUSED(put_uint64_signal_thread(words, o, wraps, heap + 64, 1, 9, me, 0));
	REFUSED(put_uint64_thread(words, o, size / 8 + 1, me, 0));
#undef REFUSED
}

/* A copy of nothing is valid at any address, but not for a PE that does not exist. */
static void zero_bytes(unsigned char *heap, void *own)
{
	CHECK_OK(mori_shmem_putmem_thread(heap, own, 0, me, 0));
	CHECK_OK(mori_shmem_putmem_thread(NULL, NULL, 0, me, 0));
	CHECK_OK(mori_shmem_getmem_thread(NULL, NULL, 0, n_pes - 1, 0));
	CHECK_OK(mori_shmem_put_int8_nbi_thread(NULL, NULL, 0, me, 0));
	CHECK_EQ("no PE", mori_shmem_putmem_thread(heap, own, 0, n_pes, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("no PE", mori_shmem_getmem_thread(own, heap, 0, -1, 0), MORI_SHMEM_EINVAL);
}

static int test_pe(void)
{
	mori_shmem_heap_info_t info = { .struct_size = sizeof(info) };
	unsigned char *heap, *own = pes_private(64);

	MUST(mori_shmem_heap_info(&info));
	heap = pes_malloc(info.size);
	BARRIER();
	for (size_t i = 0; i < TEST_LEN(ops); i++) {
		test_at(ops[i].name);
		pes_that_are_not(&ops[i], heap + 64, own);
		addresses(&ops[i], heap, info.size, own);
		no_memory(&ops[i], heap);
	}
	lengths(heap, info.size, own);
	zero_bytes(heap, own);
	BARRIER();
	CHECK_EQ("no heap was touched", not_poison(heap, info.size), info.size);
	CHECK_EQ("no buffer was touched", not_poison(own, 64), 64);
	CHECK_EQ("no fault was kept", mori_shmem_check(NULL), 0);
	BARRIER();
	/* The last word is still memory. */
	for (size_t i = 0; i < TEST_LEN(ops); i++)
		CHECK_EQ(ops[i].name, ops[i].call(heap + info.size - WORD, own, n_pes - 1), 0);
	BARRIER();
	MUST(mori_shmem_free(heap));
	free(own);
	return 0;
}
