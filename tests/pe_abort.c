// SPDX-License-Identifier: MIT
/*
 * The end of a job by one PE: mori_shmem_abort(), and mori_shmem_on_wait() in each kind of
 * wait. Every PE learns which PE did it and why, finalize waits for no PE, and a new job can be
 * joined. And what outlives a job on purpose: memory that is held.
 */
/* TEST: pes=2,4 timeout=120 */
#define PES_NO_INIT
#include "pes.h"

static _Thread_local uint64_t *word;
static _Thread_local int asked;

static void join(void)
{
	MUST(mori_shmem_init());
	me = mori_shmem_my_pe();
	n_pes = mori_shmem_n_pes();
	word = mori_shmem_calloc(2, sizeof(*word));
	asked = 0;
	BARRIER();
}

/* All have left the last barrier: between nodes the report of the abort may overtake it. */
static void all_out(int who)
{
	(void)mori_shmem_uint64_atomic_fetch_add_thread(&word[1], 1, who, 0);
	if (me == who)
		AWAIT(&word[1], (uint64_t)n_pes);
}

/* The status and text of the job's end, whatever was being called. */
static void check_over(const char *what, int status, int who, const char *why)
{
	char text[128];

	snprintf(text, sizeof(text), "PE %d has ended the job: %s", who, why);
	CHECK_EQ(what, status, MORI_SHMEM_EPEER);
	CHECK_TEXT(mori_shmem_last_error(), text);
}

static void leave(int who, const char *why)
{
	check_over("a later barrier", mori_shmem_barrier_all(), who, why);
	check_over("a later wait", mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_NE, 0), who,
		   why);
	check_over("finalize", mori_shmem_finalize(), who, why);
}

static int third_time(void *arg)
{
	CHECK_EQ("argument", arg == word, 1);
	return ++asked == 3;
}

static int never(void *arg)
{
	(void)arg;
	asked++;
	return 0;
}

static void by_abort(void)
{
	int who = n_pes - 1;

	all_out(who);
	if (me == who) {
		CHECK_OK(mori_shmem_abort("because of a test"));
		CHECK_OK(mori_shmem_abort("once more"));
	} else if (me == 0) {
		check_over("barrier", mori_shmem_barrier_all(), who, "because of a test");
	} else {
		check_over("wait", mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_NE, 0), who,
			   "because of a test");
	}
	leave(who, "because of a test");
}

/* PE 0 is interrupted in its wait; the others are in theirs. */
static void by_interrupt(int in_barrier)
{
	all_out(0);
	if (me == 0)
		mori_shmem_on_wait(third_time, word);
	check_over("interrupted",
		   in_barrier == (me == 0) ?
			   mori_shmem_barrier_all() :
			   mori_shmem_uint64_wait_until(word, MORI_SHMEM_CMP_NE, 0),
		   0, "interrupted");
	if (me == 0)
		CHECK_EQ("asked", asked, 3);
	mori_shmem_on_wait(NULL, NULL);
	leave(0, "interrupted");
}

/* A function that returns 0 is called, and everything continues. */
static void by_nobody(void)
{
	mori_shmem_on_wait(never, NULL);
	if (me == 0)
		usleep(150000);
	BARRIER();
	all_out(0);
	if (me == 0)
		MUST(mori_shmem_abort(NULL));
	check_over("barrier", mori_shmem_barrier_all(), 0, "mori_shmem_abort() was called");
	mori_shmem_on_wait(NULL, NULL);
	leave(0, "mori_shmem_abort() was called");
}

/* Memory of this PE and, where it is mapped, of the next stays as it was left. */
static void held(void)
{
	size_t len = 10000;
	unsigned char *mine = mori_shmem_malloc(len), *next;
	mori_shmem_hold_t *hold[2] = { NULL, NULL };

	fill(mine, me, len);
	BARRIER();
	next = (void *)(uintptr_t)mori_shmem_ptr((uint64_t)(uintptr_t)mine, (me + 1) % n_pes);
	CHECK_EQ("NULL", mori_shmem_heap_hold(mine, len, NULL), MORI_SHMEM_EINVAL);
	CHECK_EQ("a stack", mori_shmem_heap_hold(&len, 8, &hold[0]), MORI_SHMEM_EINVAL);
	CHECK_EQ("too long", mori_shmem_heap_hold(mine, SIZE_MAX, &hold[0]), MORI_SHMEM_EINVAL);
	CHECK(!hold[0]);
	CHECK_OK(mori_shmem_heap_hold(mine, len, &hold[0]));
	CHECK_EQ("mapped", next != NULL, pes_p2p((me + 1) % n_pes));
	if (next)
		CHECK_OK(mori_shmem_heap_hold(next, len, &hold[1]));
	MUST(mori_shmem_finalize());
	CHECK_EQ("mine", differs(mine, me, len), len);
	mori_shmem_heap_release(hold[0]);
	if (next)
		CHECK_EQ("the next PE's", differs(next, (me + 1) % n_pes, len), len);
	mori_shmem_heap_release(hold[1]);
	mori_shmem_heap_release(NULL);
}

static void errors(void)
{
	mori_shmem_take_error();
	CHECK_EQ("nothing failed", mori_shmem_take_error(), 0);
	CHECK(!mori_shmem_malloc(SIZE_MAX));
	CHECK_EQ("of malloc", mori_shmem_take_error(), MORI_SHMEM_ENOMEM);
	CHECK_EQ("once", mori_shmem_take_error(), 0);
	CHECK_EQ("no value", mori_shmem_uint64_g(word, n_pes, 0), 0);
	CHECK_EQ("of a value", mori_shmem_take_error(), MORI_SHMEM_EINVAL);
	mori_shmem_check(NULL);
	CHECK_EQ("device", strcmp(mori_shmem_device_name(), "cpu"), 0);
}

static int test_pe(void)
{
	CHECK_EQ("before init", mori_shmem_abort("x"), MORI_SHMEM_ESTATE);
	CHECK(!mori_shmem_device_name());
	join();
	errors();
	by_abort();
	for (int in_barrier = 0; in_barrier < 2; in_barrier++) {
		join();
		by_interrupt(in_barrier);
	}
	join();
	by_nobody();
	join();
	held();
	return 0;
}
