// SPDX-License-Identifier: MIT
/*
 * A kernel that goes wrong ends its launch with a status that names kernel, PE, block and thread;
 * the process, the other PEs and later launches continue, these once the host has checked.
 */
/* TEST: pes=2 modes=procs,threads */
#include "kern.h"

#include <signal.h>
#include <sys/mman.h>

#define BLOCKS	3
#define THREADS 40

static _Thread_local int out_word, *out;

/* The text, the sticky status, and that it holds up launches until it is read. */
static void check_fault(mori_shmem_module_t *m, const char *kernel, int status, const char *why,
			uint64_t addr)
{
	static const int block[3] = { 1, 0, 0 }, thread[3] = { 5, 0, 0 };
	mori_shmem_fault_t f = { .struct_size = sizeof(f) };
	char text[64];

	CHECK_EQ(kernel, status, MORI_SHMEM_EFAULT);
	snprintf(text, sizeof(text), "kernel %s on PE %d, block (1, 0, 0), thread (5, 0, 0)",
		 kernel, me);
	CHECK_TEXT(mori_shmem_last_error(), text);
	CHECK_TEXT(mori_shmem_last_error(), why);
	CHECK_EQ("status", mori_shmem_status(), MORI_SHMEM_EFAULT);
	CHECK_EQ("the next launch", RUN_KERNEL(m, "fine", BLOCKS, THREADS, &out),
		 MORI_SHMEM_EFAULT);
	CHECK_TEXT(mori_shmem_last_error(), "kernel fine was not started");
	CHECK_TEXT(mori_shmem_last_error(), kernel);
	CHECK_EQ("check", mori_shmem_check(&f), MORI_SHMEM_EFAULT);
	CHECK_EQ("pe", f.pe, me);
	CHECK_TEXT(f.op, kernel);
	if (addr)
		CHECK_EQ("address", f.addr, addr);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ("block", f.block[i], block[i]);
		CHECK_EQ("thread", f.thread[i], thread[i]);
	}
	CHECK_EQ("cleared", mori_shmem_check(NULL), 0);
	CHECK_OK(RUN_KERNEL(m, "fine", BLOCKS, THREADS, &out));
}

static void memory(mori_shmem_module_t *m)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *hole = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t at = 16;
	uint32_t word = 0, *to = &word;

	check_fault(m, "bad_write", RUN_KERNEL(m, "bad_write", BLOCKS, THREADS, &at),
		    "address 0x10 ", at);
	check_fault(m, "bad_read", RUN_KERNEL(m, "bad_read", BLOCKS, THREADS, &at, &to),
		    "address 0x10 ", at);
	at = (uintptr_t)hole + 8;
	check_fault(m, "bad_write", RUN_KERNEL(m, "bad_write", BLOCKS, THREADS, &at), "SIGSEGV",
		    at);
	CHECK_OK(RUN_KERNEL(m, "bad_read", BLOCKS, THREADS, &at, &to));
#if defined(__x86_64__)
	at = 0x1234567812345678;
	check_fault(m, "bad_write", RUN_KERNEL(m, "bad_write", BLOCKS, THREADS, &at),
		    "not an address", 0);
#endif
	munmap(hole, page);
}

static void machine(mori_shmem_module_t *m)
{
	int zero = 0, *at = &zero;

	(void)at;
#if defined(__x86_64__)
	check_fault(m, "divide", RUN_KERNEL(m, "divide", BLOCKS, THREADS, &at, &out),
		    "division by zero", 0);
#endif
	check_fault(m, "trap", kern_run(m, "trap", BLOCKS, THREADS, NULL), "illegal instruction",
		    0);
}

/* A few frames too many, far too many, endless, and one that is too large. */
static void overflows(mori_shmem_module_t *m, uint64_t *word)
{
	int zero = 0, *at = &zero, room = KERN_SMALL ? 64 : 16;
	static const int much[] = { 1, 2, 20, 1000000 };

	for (size_t i = 0; i < TEST_LEN(much); i++) {
		int n = room + much[i];

		check_fault(m, "overflow",
			    RUN_KERNEL(m, "overflow", BLOCKS, THREADS, &at, &n, &out),
			    "stack overflow", 0);
		check_fault(m, "overflow_at_end",
			    RUN_KERNEL(m, "overflow_at_end", BLOCKS, THREADS, &at, &n, &out),
			    "stack overflow", 0);
	}
	zero = room / 2;
	CHECK_OK(RUN_KERNEL(m, "overflow", BLOCKS, THREADS, &at, &zero, &out));
	check_fault(m, "far_frame", RUN_KERNEL(m, "far_frame", BLOCKS, THREADS, &word, &out),
		    "stack overflow", 0);
}

/* Frames that leave the end untouched: modules of mori cc look before they take them. */
static void leaps(mori_shmem_module_t *m)
{
	static const uint64_t sizes[] = { 16384, 17000, 40000, 10000000, UINT64_MAX / 2 };
	int zero = 0, *at = &zero;
	uint64_t n = 2000;

	CHECK_OK(RUN_KERNEL(m, "leap_array", BLOCKS, THREADS, &at, &n, &out));
	CHECK_EQ("a small one", *out, 1);
	for (size_t i = 0; i < TEST_LEN(sizes); i++) {
		n = sizes[i] * (KERN_SMALL ? 4 : 1);
		check_fault(m, "leap_array",
			    RUN_KERNEL(m, "leap_array", BLOCKS, THREADS, &at, &n, &out),
			    "stack overflow", 0);
	}
	check_fault(m, "leap_frame", RUN_KERNEL(m, "leap_frame", BLOCKS, THREADS, &at, &out),
		    "stack overflow", 0);
}

static volatile int own_signals;

static void own_handler(int sig)
{
	(void)sig;
	own_signals++;
}

/* A handler of the program is restored after a launch, and gets faults that are not a kernel's. */
static void handlers(mori_shmem_module_t *m)
{
	struct sigaction mine = { .sa_handler = own_handler }, old, now;
	uint64_t at = 16;

	sigaction(SIGFPE, &mine, &old);
	check_fault(m, "bad_write", RUN_KERNEL(m, "bad_write", BLOCKS, THREADS, &at), "0x10", at);
	sigaction(SIGFPE, NULL, &now);
	CHECK(now.sa_handler == own_handler);
	raise(SIGFPE);
	CHECK_EQ("own signals", own_signals, 1);
	sigaction(SIGFPE, &old, NULL);
}

static int test_pe(void)
{
	struct sigaction before, after;
	mori_shmem_module_t *m = kern_load("fault");
	uint64_t *word;
	int rounds = TEST_SCALE(20);

	if (!m)
		SKIP(KERN_NONE);
	sigaction(SIGSEGV, NULL, &before);
	out = &out_word;
	word = pes_malloc(8);
	*word = 0;
	memory(m);
	machine(m);
	overflows(m, word);
	if (test_argc > 1 && !strcmp(test_argv[1], "leaps"))
		leaps(m);
	BARRIER();
	/* Several PEs at once, and good launches beside bad ones. */
	for (int i = 0; i < rounds; i++) {
		uint64_t at = 64;

		if ((i + me) % 3)
			CHECK_OK(RUN_KERNEL(m, "fine", BLOCKS, THREADS, &out));
		else
			check_fault(m, "bad_write",
				    RUN_KERNEL(m, "bad_write", BLOCKS, THREADS, &at), "0x40", at);
	}
	if (pes_here() == 1) {
		sigaction(SIGSEGV, NULL, &after);
		CHECK(before.sa_handler == after.sa_handler);
		handlers(m);
	}
	CHECK_EQ("the heap is as it was", *word, 0);
	BARRIER();
	MUST(mori_shmem_free(word));
	MUST(mori_shmem_module_unload(m));
	return 0;
}
