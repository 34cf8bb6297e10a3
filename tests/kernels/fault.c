// SPDX-License-Identifier: MIT
/* Kernels that go wrong; the one at block (1, 0, 0), thread (5, 0, 0) does. */
#include <mori/shmem_device.h>

#if defined(__clang__)
#define AS_IT_IS __attribute__((disable_sanitizer_instrumentation, noinline))
#else
#define AS_IT_IS __attribute__((no_sanitize("undefined", "address", "thread"), noinline))
#endif

static int culprit(void)
{
	return mori_block_id() == 1 && mori_thread_id() == 5;
}

AS_IT_IS MORI_KERNEL void bad_write(uint64_t address)
{
	mori_block_sync();
	if (culprit())
		*(volatile uint32_t *)(uintptr_t)address = 1;
	mori_block_sync();
}

AS_IT_IS MORI_KERNEL void bad_read(uint64_t address, uint32_t *out)
{
	if (culprit())
		*out = *(volatile uint32_t *)(uintptr_t)address;
}

AS_IT_IS MORI_KERNEL void divide(volatile int *zero, int *out)
{
	mori_block_sync();
	if (culprit())
		*out = 7 / *zero;
	mori_block_sync();
}

AS_IT_IS MORI_KERNEL void trap(void)
{
	if (culprit())
		__builtin_trap();
}

static AS_IT_IS int deep(volatile int *zero, int n)
{
	volatile char frame[1024];

	for (int i = 0; i < 1024; i++)
		frame[i] = (char)n;
	return n ? deep(zero, n - 1) + frame[n % 1024] : *zero;
}

/* @n frames of 1 KiB; then a barrier, if the thread gets that far. */
AS_IT_IS MORI_KERNEL void overflow(volatile int *zero, int n, int *out)
{
	mori_block_sync();
	if (culprit())
		*out = deep(zero, n);
	mori_block_sync();
}

/* The same with others who have not ended yet. */
AS_IT_IS MORI_KERNEL void overflow_at_end(volatile int *zero, int n, int *out)
{
	if (culprit())
		*out = deep(zero, n);
}

static AS_IT_IS int far(uint64_t *word)
{
	volatile char frame[100000];

	frame[99000 + *word] = 1;
	(void)mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_EQ, *word + 1);
	return frame[99000 + *word];
}

/* One frame that skips whatever is at the end of the stack, and waits there. */
AS_IT_IS MORI_KERNEL void far_frame(uint64_t *word, int *out)
{
	mori_block_sync();
	if (culprit())
		*out = far(word);
	mori_block_sync();
}

static AS_IT_IS int leap(volatile int *at)
{
	volatile char frame[100000];

	frame[*at] = 1; /* in the memory of somebody else */
	return frame[*at];
}

/* One frame that reaches behind the end of the stack without touching it, and is gone again. */
AS_IT_IS MORI_KERNEL void leap_frame(volatile int *at, int *out)
{
	mori_block_sync();
	if (culprit())
		*out = leap(at);
	mori_block_sync();
}

static AS_IT_IS int leap_more(volatile int *at, size_t n)
{
	volatile char frame[n];

	frame[*at] = 1;
	return frame[*at];
}

/* The same with a size that the compiler does not know. */
AS_IT_IS MORI_KERNEL void leap_array(volatile int *at, uint64_t n, int *out)
{
	mori_block_sync();
	if (culprit())
		*out = leap_more(at, n);
	mori_block_sync();
}

/* Waits for what never comes: most for one word, thread 5 of block 1 for another, block 2 for thread 0. */
MORI_KERNEL void never(uint64_t *word)
{
	if (culprit())
		(void)mori_shmem_uint64_wait_until(word + 1, MORI_SHMEM_CMP_GT, 40);
	else if (mori_block_id() == 2 && mori_thread_id())
		mori_block_sync();
	else
		(void)mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_EQ, 77);
}

/* No thread can ever continue: half of the warp is in one barrier, half in another. */
MORI_KERNEL void deadlock(uint64_t *word, int me)
{
	if (mori_thread_id() % 2)
		mori_block_sync();
	else
		(void)mori_shmem_uint64_atomic_add_warp(word, 1, me, 0);
}

MORI_KERNEL void fine(int *out)
{
	mori_block_sync();
	if (culprit())
		*out = 42;
}
