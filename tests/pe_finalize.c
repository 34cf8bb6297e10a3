// SPDX-License-Identifier: MIT
/* TEST: pes=2,4 */
/*
 * Finalize beside calls of other threads of the PE: it ends their waits, lets what they have begun
 * complete, and refuses what comes later. A second finalize is refused, and so is one from a
 * callback, inside a call.
 */
#define PES_NO_INIT
#include "pes.h"

#define TIMES	TEST_SCALE(8)
#define HELPERS 4
#define SLOT	64 /* bytes of the heap for each helper */

struct helper {
	pthread_t thread;
	mori_shmem_t *pe;
	char *box; /* of every PE */
	uint64_t ctx;
	int kind, rank, next;
	long *busy; /* helpers that have begun */
	int err;    /* that ended it */
	char text[256];
};

/* A call of the kind. */
static int one_call(const struct helper *h)
{
	char *slot = h->box + h->kind * SLOT;
	uint64_t word = 7;
	int err;

	switch (h->kind) {
	case 0:
		err = mori_shmem_putmem_thread(slot, &word, 3, h->next, 0);
		return err ? err : mori_shmem_quiet_thread();
	case 1:
		return mori_shmem_ctx_getmem_thread(h->ctx, &word, slot, sizeof(word), h->next, 0);
	case 2:
		return mori_shmem_uint64_atomic_inc_thread((uint64_t *)slot, h->next, 0);
	default:
		return mori_shmem_uint64_wait_until_equals((uint64_t *)slot, 99);
	}
}

static void *help(void *arg)
{
	struct helper *h = arg;

	test_rank = h->rank;
	h->err = mori_shmem_bind(h->pe);
	if (h->kind == HELPERS - 1)
		__atomic_add_fetch(h->busy, 1, __ATOMIC_RELAXED);
	if (!h->err)
		h->err = one_call(h);
	if (h->kind != HELPERS - 1)
		__atomic_add_fetch(h->busy, 1, __ATOMIC_RELAXED);
	while (!h->err)
		h->err = one_call(h);
	snprintf(h->text, sizeof(h->text), "%s", mori_shmem_last_error());
	return NULL;
}

/* Inside a wait: other calls work, finalize does not. */
static int from_callback(void *arg)
{
	int *calls = arg;

	if (!(*calls)++) {
		CHECK_EQ("n_pes in a callback", mori_shmem_n_pes(), n_pes);
		CHECK_EQ("finalize in a callback", mori_shmem_finalize(), MORI_SHMEM_ESTATE);
		CHECK_TEXT(mori_shmem_last_error(), "callback");
	}
	return 0;
}

static void callback(uint64_t *word)
{
	int calls = 0, err;

	mori_shmem_on_wait(from_callback, &calls);
	while (!calls) {
		err = mori_shmem_uint64_wait_until_equals_for(word, 99, 100000000);
		CHECK_EQ("a wait with a callback", err, MORI_SHMEM_ETIMEDOUT);
	}
	mori_shmem_on_wait(NULL, NULL);
	mori_shmem_take_error();
}

static void *second(void *arg)
{
	struct helper *h = arg;

	if (mori_shmem_bind(h->pe))
		return (void *)(intptr_t)MORI_SHMEM_ESTATE;
	return (void *)(intptr_t)mori_shmem_finalize();
}

static void round_of(int round)
{
	struct helper h[HELPERS];
	long busy = 0;
	pthread_t other;
	void *their;
	int mine;

	MUST(mori_shmem_init());
	pes_meet();
	h[0].box = pes_malloc(HELPERS * SLOT);
	memset(h[0].box, 0, HELPERS * SLOT);
	BARRIER();
	if (!round)
		callback((uint64_t *)(h[0].box + (HELPERS - 1) * SLOT));
	for (int i = 0; i < HELPERS; i++) {
		h[i] = (struct helper){ .pe = mori_shmem_current(),
					.box = h[0].box,
					.ctx = ctx,
					.kind = i,
					.rank = me,
					.next = (me + 1) % n_pes,
					.busy = &busy };
		MUST(pthread_create(&h[i].thread, NULL, help, &h[i]));
	}
	while (__atomic_load_n(&busy, __ATOMIC_RELAXED) < HELPERS)
		sched_yield();
	MUST(pthread_create(&other, NULL, second, &h[0]));
	mine = mori_shmem_finalize();
	pthread_join(other, &their);
	CHECK_EQ("one finalize", mine ? mine : (int)(intptr_t)their, MORI_SHMEM_ESTATE);
	CHECK_EQ("the other", mine ? (int)(intptr_t)their : mine, 0);
	for (int i = 0; i < HELPERS; i++) {
		pthread_join(h[i].thread, NULL);
		CHECK_EQ(h[i].text, h[i].err, MORI_SHMEM_ESTATE);
	}
	CHECK_TEXT(h[HELPERS - 1].text, "finalized");
}

static int test_pe(void)
{
	for (int round = 0; round < pes_rounds(TIMES); round++)
		round_of(round);
	return 0;
}
