// SPDX-License-Identifier: MIT
/*
 * Two worlds at once: each PE of the job joins a second one, made by unique id, with the ranks
 * turned round. Their heaps are separate, and binding decides for which of them a thread acts, even
 * a thread that is not a PE.
 */
#include "pes.h"

#define LEN 512

struct world {
	mori_shmem_t *pe;
	int rank;
	unsigned char *area; /* symmetric: LEN bytes */
};

/* PE 0 makes the id; the others read it from its heap. */
static mori_shmem_uniqueid_t share_id(void)
{
	mori_shmem_uniqueid_t *shared = pes_malloc(sizeof(*shared)), uid;

	if (me == 0)
		MUST(mori_shmem_get_unique_id(shared));
	BARRIER();
	MUST(mori_shmem_getmem_thread(&uid, shared, sizeof(uid), 0, 0));
	BARRIER();
	MUST(mori_shmem_free(shared));
	return uid;
}

static void join(const mori_shmem_uniqueid_t *uid, struct world *w, mori_shmem_t *first)
{
	mori_shmem_init_attr_t attr;
	int rank = n_pes - 1 - me;

	CHECK_EQ("rank", mori_shmem_set_attr_uniqueid_args(n_pes, n_pes, uid, &attr),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("rank", mori_shmem_set_attr_uniqueid_args(-1, n_pes, uid, &attr),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("NULL", mori_shmem_set_attr_uniqueid_args(0, 1, NULL, &attr), MORI_SHMEM_EINVAL);
	MUST(mori_shmem_set_attr_uniqueid_args(rank, n_pes, uid, &attr));
	CHECK_EQ("bound already", mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr),
		 MORI_SHMEM_ESTATE);
	CHECK(mori_shmem_current() == first);
	MUST(mori_shmem_bind(NULL));
	CHECK_EQ("flags", mori_shmem_init_attr(99, &attr), MORI_SHMEM_EINVAL);
	CHECK_EQ("NULL", mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, NULL),
		 MORI_SHMEM_EINVAL);
	MUST(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr));
	CHECK_OK(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr)); /* identical */
	w->pe = mori_shmem_current();
	w->rank = rank;
	CHECK(w->pe && w->pe != first);
	CHECK_EQ("my_pe", mori_shmem_my_pe(), rank);
	CHECK_EQ("n_pes", mori_shmem_n_pes(), n_pes);
}

/* A ring of puts in the world the thread is bound to. */
static void ring(const struct world *w, int seed)
{
	unsigned char data[LEN];

	fill(data, seed + w->rank, LEN);
	BARRIER();
	CHECK_OK(mori_shmem_putmem_thread(w->area, data, LEN, (w->rank + 1) % n_pes, 0));
	BARRIER();
}

static void check_ring(const struct world *w, int seed)
{
	CHECK_EQ("ring", differs(w->area, seed + (w->rank + n_pes - 1) % n_pes, LEN), LEN);
}

static void finding(const struct world *w)
{
	int found = 0;

	MUST(mori_shmem_bind(w->pe));
	CHECK(mori_shmem_find(w->rank) == w->pe);
	for (int pe = 0; pe < n_pes; pe++) {
		found += mori_shmem_find(pe) != NULL;
		CHECK_EQ("device", mori_shmem_device_of(pe), 0);
	}
	CHECK_EQ("PEs of this process", found, pes_here());
	CHECK(!mori_shmem_find(n_pes));
	CHECK(!mori_shmem_find(-1));
	CHECK(mori_shmem_device_of(n_pes) < 0);
	CHECK(mori_shmem_device_of(-1) < 0);
	CHECK_EQ("no PE", mori_shmem_bind((mori_shmem_t *)&found), MORI_SHMEM_EINVAL);
	CHECK(mori_shmem_current() == w->pe);
}

struct helper {
	const struct world *a, *b;
	uint64_t ctx_a;
};

/* A thread that is not a PE acts for one, then for the other, and by context for both. */
static void *helper(void *arg)
{
	const struct helper *h = arg;
	unsigned char byte = 0;

	test_rank = h->a->rank;
	CHECK_EQ("several, none meant", mori_shmem_my_pe(), MORI_SHMEM_ESTATE);
	CHECK_TEXT(mori_shmem_last_error(), "mori_shmem_bind");
	CHECK_EQ("which put", mori_shmem_putmem_thread(h->a->area, &byte, 1, 0, 0),
		 MORI_SHMEM_ESTATE);
	CHECK_EQ("by context", mori_shmem_ctx_my_pe(h->ctx_a), h->a->rank);
	MUST(mori_shmem_bind(h->b->pe));
	CHECK_EQ("second", mori_shmem_my_pe(), h->b->rank);
	CHECK_EQ("of the second", mori_shmem_uint8_g(h->b->area, h->b->rank, 0), h->b->area[0]);
	CHECK_EQ("not of the second", mori_shmem_getmem_thread(&byte, h->a->area, 1, h->b->rank, 0),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("by context", mori_shmem_ctx_my_pe(h->ctx_a), h->a->rank);
	MUST(mori_shmem_bind(h->a->pe));
	CHECK_EQ("first", mori_shmem_my_pe(), h->a->rank);
	CHECK_OK(mori_shmem_getmem_thread(&byte, h->a->area, 1, h->a->rank, 0));
	CHECK_EQ("of the first", byte, h->a->area[0]);
	return NULL;
}

static void run_helper(const struct world *a, const struct world *b)
{
	struct helper h = { a, b, ctx };
	pthread_t thread;

	if (pthread_create(&thread, NULL, helper, &h))
		exit(1);
	pthread_join(thread, NULL);
}

static int test_pe(void)
{
	struct world a = { mori_shmem_current(), me, pes_malloc(LEN) }, b = { 0 };
	mori_shmem_uniqueid_t uid = share_id();

	join(&uid, &b, a.pe);
	b.area = pes_malloc(LEN);
	poison(a.area, LEN);
	ring(&b, 500);
	check_ring(&b, 500);
	CHECK_EQ("the first world's is whole", not_poison(a.area, LEN), LEN);
	CHECK_EQ("not its heap", mori_shmem_ptr((uintptr_t)a.area, b.rank), 0);
	MUST(mori_shmem_bind(a.pe));
	CHECK_EQ("back", mori_shmem_my_pe(), me);
	ring(&a, 700);
	check_ring(&a, 700);
	check_ring(&b, 500);
	finding(&a);
	finding(&b);
	BARRIER();
	run_helper(&a, &b);
	MUST(mori_shmem_bind(b.pe));
	BARRIER();
	CHECK_OK(mori_shmem_finalize());
	/* Unbound now; the first world continues. */
	CHECK_EQ("gone", mori_shmem_bind(b.pe), MORI_SHMEM_EINVAL);
	MUST(mori_shmem_bind(a.pe));
	ring(&a, 900);
	check_ring(&a, 900);
	MUST(mori_shmem_free(a.area));
	return 0;
}
