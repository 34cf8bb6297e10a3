// SPDX-License-Identifier: MIT
/*
 * The sticky status: a call that returns a value leaves its fault there, the
 * first one stays until it is read, reading clears it, and each PE has its own.
 */
#include "pes.h"

static void check_fault(int code, int pe, const char *op, const void *addr)
{
	mori_shmem_fault_t f;

	memset(&f, POISON, sizeof(f));
	f.struct_size = sizeof(f);
	CHECK_EQ("status", mori_shmem_status(), code);
	CHECK_EQ("ctx_status", mori_shmem_ctx_status(ctx), code);
	CHECK_EQ("check", mori_shmem_check(&f), code);
	CHECK_EQ("code", f.code, code);
	CHECK_EQ("pe", f.pe, pe);
	CHECK_TEXT(f.op, op);
	CHECK_EQ("addr", f.addr, (uintptr_t)addr);
	for (int i = 0; i < 3; i++) {
		CHECK_EQ("block", f.block[i], -1);
		CHECK_EQ("thread", f.thread[i], -1);
	}
	CHECK_EQ("cleared", mori_shmem_status(), 0);
	CHECK_EQ("cleared", mori_shmem_check(&f), 0);
	CHECK_EQ("no code", f.code, 0);
}

/* Each kind of call that returns a value, with a PE that does not exist. */
static void wrong_pe(uint64_t *word, int pe)
{
	CHECK_EQ("g", mori_shmem_uint64_g(word, pe, 0), 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "uint64_g", word);
	CHECK_EQ("g", mori_shmem_ctx_uint64_g(ctx, word, pe, 0), 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "uint64_g", word);
	CHECK_EQ("fetch", mori_shmem_uint64_atomic_fetch_thread(word, pe, 0), 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "uint64_atomic_fetch", word);
	CHECK_EQ("fetch_add", mori_shmem_int64_atomic_fetch_add_thread((int64_t *)word, 1, pe, 0),
		 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "int64_atomic_fetch_add", word);
	CHECK_EQ("swap", mori_shmem_atomic_uint64_fetch_thread(word, 1, 0, 18, pe, 0), 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "atomic_uint64_fetch", word);
	CHECK(mori_shmem_double_atomic_fetch_add_thread((double *)word, 1, pe, 0) == 0);
	check_fault(MORI_SHMEM_EINVAL, pe, "double_atomic_fetch_add", word);
}

static void wrong_address(uint64_t *word)
{
	uint64_t mine = 3;

	CHECK_EQ("g", mori_shmem_uint64_g(&mine, me, 0), 0);
	check_fault(MORI_SHMEM_EINVAL, me, "uint64_g", &mine);
	CHECK_EQ("float", mori_shmem_float_g(NULL, me, 0) == 0, 1);
	check_fault(MORI_SHMEM_EINVAL, me, "float_g", NULL);
	CHECK_EQ("odd",
		 mori_shmem_uint64_atomic_fetch_inc_thread((uint64_t *)((char *)word + 1), me, 0),
		 0);
	check_fault(MORI_SHMEM_EINVAL, me, "uint64_atomic_fetch_inc", (char *)word + 1);
	CHECK_EQ("untouched", mine, 3);
}

static void first_one_stays(uint64_t *word)
{
	(void)mori_shmem_uint64_g(word, n_pes + 7, 0);
	(void)mori_shmem_uint32_g(NULL, me, 0);
	(void)mori_shmem_uint64_wait_until_greater_than_for(word, 1ull << 60, 0);
	CHECK_EQ("a good call does not clear it", mori_shmem_uint64_g(word, me, 0), *word);
	check_fault(MORI_SHMEM_EINVAL, n_pes + 7, "uint64_g", word);
}

/* A status that was returned is not also kept. */
static void returned(uint64_t *word)
{
	CHECK_EQ("put", mori_shmem_uint64_p(word, 1, -1, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("add", mori_shmem_uint64_atomic_add_thread(word, 1, n_pes, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("quiet", mori_shmem_quiet_thread_pe(-1), MORI_SHMEM_EINVAL);
	CHECK_EQ("wait", mori_shmem_uint64_wait_until_for(word, 9, 0, 0), MORI_SHMEM_EINVAL);
	CHECK_EQ("none kept", mori_shmem_status(), 0);
	CHECK_EQ("none kept", mori_shmem_check(NULL), 0);
}

/* A failure of a kernel whose calls the host executed. */
static void left(uint64_t *word)
{
	mori_shmem_fault_t got = { .struct_size = sizeof(got) };
	mori_shmem_fault_t f = {
		.struct_size = sizeof(f), .code = MORI_SHMEM_EPEER, .pe = 3, .addr = 4096
	};

	strcpy(f.op, "ctx_putmem_block");
	f.block[1] = 7;
	f.thread[0] = 5;
	CHECK_OK(mori_shmem_leave_fault(&f));
	(void)mori_shmem_uint64_g(word, -1, 0); /* the first one stays */
	CHECK_EQ("status", mori_shmem_status(), MORI_SHMEM_EPEER);
	CHECK_EQ("check", mori_shmem_check(&got), MORI_SHMEM_EPEER);
	CHECK_EQ("pe", got.pe, 3);
	CHECK_EQ("addr", got.addr, 4096);
	CHECK_EQ("op", strcmp(got.op, "putmem_block"), 0);
	CHECK_EQ("block", got.block[0] + 100 * got.block[1] + 10000 * got.block[2], 700);
	CHECK_EQ("thread", got.thread[0] + 100 * got.thread[1] + 10000 * got.thread[2], 5);
	CHECK_EQ("cleared", mori_shmem_check(NULL), 0);
	f.code = 0;
	CHECK_EQ("no failure", mori_shmem_leave_fault(&f), MORI_SHMEM_EINVAL);
	CHECK_EQ("nothing", mori_shmem_leave_fault(NULL), MORI_SHMEM_EINVAL);
	CHECK_EQ("none kept", mori_shmem_check(NULL), 0);
}

/* An invalid context is refused, also right after a valid one. */
static void contexts(uint64_t *word)
{
	const uint64_t bad[] = { 0, 1, ctx + 8, ctx - 64, (uintptr_t)word, UINT64_MAX };

	for (size_t i = 0; i < TEST_LEN(bad); i++) {
		CHECK_EQ("good", mori_shmem_ctx_my_pe(ctx), me);
		CHECK_EQ("bad", mori_shmem_ctx_my_pe(bad[i]), MORI_SHMEM_ESTATE);
		CHECK_TEXT(mori_shmem_last_error(), "ontext");
		CHECK_EQ("bad", mori_shmem_ctx_uint64_p(bad[i], word, 1, me, 0), MORI_SHMEM_ESTATE);
		CHECK_EQ("bad", mori_shmem_ctx_uint64_g(bad[i], word, me, 0), 0);
	}
	CHECK_EQ("nobody's fault", mori_shmem_check(NULL), 0);
}

static int test_pe(void)
{
	uint64_t *word = pes_malloc(8);

	*word = (uint64_t)me + 100;
	BARRIER();
	wrong_pe(word, -1);
	wrong_pe(word, n_pes);
	wrong_pe(word, 2147483647);
	wrong_address(word);
	first_one_stays(word);
	returned(word);
	left(word);
	contexts(word);
	BARRIER();
	/* One PE's fault does not appear at another. */
	if (me == 0)
		(void)mori_shmem_uint64_g(word, -5, 0);
	if (me == 0)
		CHECK_EQ("looked at", mori_shmem_status(), MORI_SHMEM_EINVAL);
	BARRIER();
	if (me == 0)
		check_fault(MORI_SHMEM_EINVAL, -5, "uint64_g", word);
	else
		CHECK_EQ("mine is clean", mori_shmem_check(NULL), 0);
	CHECK_EQ("untouched", *word, me + 100);
	MUST(mori_shmem_free(word));
	return 0;
}
