// SPDX-License-Identifier: MIT
/*
 * Pointers to the memory of peers: right where load and store reach, 0 where
 * they do not, in every mode of the heap. pe_ptr_vmm.c and pe_ptr_isolation.c run
 * it in the other modes.
 */
#ifndef PE_PTR_MODE
/* TEST: env=MORI_SHMEM_HEAP_SIZE=64M env=MORI_SHMEM_MODE=static */
#define PE_PTR_MODE "static"
#endif
#define COVER_LIST(S, V, S0, V0) MORI_OPS_QUERY(S, V, S0, V0)
#include "cover.h"

#define LEN	5000
#define MIB	(1ul << 20)
#define MODE(m) (!strcmp(PE_PTR_MODE, m))

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void good_pointers(unsigned char *p)
{
	CHECK_EQ("own", CALL(ptr, at(p), me), at(p));
	CHECK_EQ("own", CALL(ptr_p2p, at(p), me, me), at(p));
	for (int pe = 0; pe < n_pes; pe++) {
		uint64_t there = CALL(ptr, at(p), pe);

		if (!pes_p2p(pe)) {
			CHECK_EQ("out of reach", there, 0);
			CHECK_EQ("out of reach", CALL(ptr_p2p, at(p), me, pe), 0);
			CHECK_EQ("out of reach", CALL(ptr_p2p, at(p), pe, me), 0);
			continue;
		}
		CHECK(there != 0);
		CHECK(pe == me || there != at(p));
		CHECK_EQ("same answer", CALL(ptr_p2p, at(p), me, pe), there);
		CHECK_EQ("inside", CALL(ptr, at(p) + LEN - 1, pe), there + LEN - 1);
		CHECK_EQ("the way back", CALL(ptr_p2p, there, pe, me), at(p));
		CHECK_EQ("from a third", CALL(ptr_p2p, there, pe, n_pes - 1),
			 CALL(ptr, at(p), n_pes - 1));
	}
}

/* Stores go to the next PE, loads come from the one after. */
static void use(unsigned char *p)
{
	int next = (me + 1) % n_pes, prev = (me + n_pes - 1) % n_pes;
	unsigned char *there = (unsigned char *)(uintptr_t)CALL(ptr, at(p), next);

	poison(p, LEN);
	BARRIER();
	CHECK_EQ("mapped", there != NULL, pes_p2p(next));
	if (there)
		fill(there, me + 3, LEN);
	BARRIER();
	if (pes_p2p(prev))
		CHECK_EQ("stored by the peer", differs(p, prev + 3, LEN), LEN);
	else
		CHECK_EQ("left alone", not_poison(p, LEN), LEN);
	CHECK(!there || differs(there, me + 3, LEN) == LEN);
	BARRIER();
}

static void no_pointers(unsigned char *p)
{
	unsigned char mine[8] = { 0 };
	static const int bad[] = { -1, -2147483647 - 1, 2147483647 };

	CHECK_EQ("NULL", CALL(ptr, 0, me), 0);
	CHECK_EQ("private", CALL(ptr, at(mine), me), 0);
	CHECK_EQ("private", CALL(ptr_p2p, at(mine), me, n_pes - 1), 0);
	CHECK_EQ("the end of memory", CALL(ptr, UINT64_MAX, me), 0);
	CHECK_EQ("far behind", CALL(ptr, at(p) + (1ul << 46), me), 0);
	for (size_t i = 0; i < TEST_LEN(bad); i++) {
		CHECK_EQ("no such PE", CALL(ptr, at(p), bad[i]), 0);
		CHECK_EQ("no such PE", CALL(ptr_p2p, at(p), me, bad[i]), 0);
		CHECK_EQ("no such PE", CALL(ptr_p2p, at(p), bad[i], me), 0);
	}
	CHECK_EQ("no such PE", CALL(ptr, at(p), n_pes), 0);
	CHECK_EQ("a question is no fault", CALL(status), 0);
}

/* Memory that malloc has not handed out, as far as the mode can detect it. */
static void memory_that_is_not(unsigned char *p)
{
	unsigned char *big = pes_malloc(8 * MIB);
	int next = (me + 1) % n_pes;
	char byte = 1;

	CHECK_EQ("first", CALL(ptr, at(big), next) != 0, pes_p2p(next));
	CHECK_EQ("last", CALL(ptr, at(big) + 8 * MIB - 1, next) != 0, pes_p2p(next));
	BARRIER();
	MUST(mori_shmem_free(big));
	if (MODE("static")) {
		CHECK_EQ("freed", CALL(ptr, at(big), next) != 0, pes_p2p(next));
	} else {
		CHECK_EQ("freed", CALL(ptr, at(big) + 4 * MIB, next), 0);
		CHECK_EQ("freed, own", CALL(ptr, at(big) + 4 * MIB, me), 0);
		CHECK_EQ("put there", mori_shmem_putmem_thread(big + 4 * MIB, &byte, 1, next, 0),
			 MORI_SHMEM_EINVAL);
	}
	if (MODE("vmm"))
		CHECK_EQ("not grown to", CALL(ptr, at(p) + 32 * MIB, next), 0);
	if (MODE("isolation")) {
		CHECK_EQ("put across blocks", mori_shmem_putmem_thread(p, p, 8 * MIB, me, 0),
			 MORI_SHMEM_EINVAL);
		CHECK_EQ("behind the block", CALL(ptr, at(p) + 4 * MIB, me), 0);
	}
	BARRIER();
}

static void who(void)
{
	CHECK_EQ("my_pe", CALL(my_pe), me);
	CHECK_EQ("n_pes", CALL(n_pes), n_pes);
	CHECK_EQ("status", CALL(status), 0);
	CHECK(me >= 0 && me < n_pes);
}

static int test_pe(void)
{
	unsigned char *p = pes_malloc(LEN);

	for (use_ctx = 0; use_ctx < 2; use_ctx++) {
		who();
		good_pointers(p);
		use(p);
		no_pointers(p);
		memory_that_is_not(p);
	}
	cover_all();
	MUST(mori_shmem_free(p));
	return 0;
}
