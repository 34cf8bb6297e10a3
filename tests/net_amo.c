// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=240 */
/*
 * Every atomic on words of 4 and 8 bytes against what it should do, at the edges of
 * the types; then many at once from several processes and threads on the same words,
 * together with the owner's own: none is lost.
 */
#include "net/job.h"

static const uint64_t values[] = { 0,
				   1,
				   2,
				   0x7fffffff,
				   0x80000000,
				   0xffffffff,
				   UINT64_C(0x7fffffffffffffff),
				   UINT64_C(0x8000000000000000),
				   UINT64_MAX,
				   UINT64_C(0x123456789abcdef0) };

static const int ops[] = { MORI_SHMEM_AMO_INC,	     MORI_SHMEM_AMO_SET,
			   MORI_SHMEM_AMO_ADD,	     MORI_SHMEM_AMO_AND,
			   MORI_SHMEM_AMO_OR,	     MORI_SHMEM_AMO_XOR,
			   MORI_SHMEM_SIGNAL_SET,    MORI_SHMEM_SIGNAL_ADD,
			   MORI_SHMEM_AMO_FETCH,     MORI_SHMEM_AMO_FETCH_INC,
			   MORI_SHMEM_AMO_FETCH_ADD, MORI_SHMEM_AMO_FETCH_AND,
			   MORI_SHMEM_AMO_FETCH_OR,  MORI_SHMEM_AMO_FETCH_XOR,
			   MORI_SHMEM_AMO_SWAP,	     MORI_SHMEM_AMO_COMPARE_SWAP };

static uint64_t want(int op, uint64_t was, uint64_t v, uint64_t compare)
{
	switch (op) {
	case MORI_SHMEM_AMO_INC:
	case MORI_SHMEM_AMO_FETCH_INC:
		return was + 1;
	case MORI_SHMEM_AMO_ADD:
	case MORI_SHMEM_SIGNAL_ADD:
	case MORI_SHMEM_AMO_FETCH_ADD:
		return was + v;
	case MORI_SHMEM_AMO_AND:
	case MORI_SHMEM_AMO_FETCH_AND:
		return was & v;
	case MORI_SHMEM_AMO_OR:
	case MORI_SHMEM_AMO_FETCH_OR:
		return was | v;
	case MORI_SHMEM_AMO_XOR:
	case MORI_SHMEM_AMO_FETCH_XOR:
		return was ^ v;
	case MORI_SHMEM_AMO_FETCH:
		return was;
	case MORI_SHMEM_AMO_COMPARE_SWAP:
		return was == compare ? v : was;
	default:
		return v;
	}
}

static void try_one(struct job *j, int pe, int width, int op, uint64_t was, uint64_t v,
		    uint64_t compare)
{
	uint64_t mask = width == 8 ? UINT64_MAX : UINT32_MAX, old = 77, got;
	size_t off = 64 + (size_t)j->rank * 64;
	uint8_t *word = j->heap[pe] + off;
	int fetch = op >= MORI_SHMEM_AMO_FETCH;

	memset(word - 8, 0xd5, 24);
	memcpy(word, &was, (size_t)width);
	CHECK_EQ("amo", job_amo(j, pe, off, width, op, v, compare, fetch ? &old : NULL), 0);
	if (!fetch)
		CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	else
		CHECK_EQ("old", old, was & mask);
	got = 0;
	memcpy(&got, word, (size_t)width);
	CHECK_EQ("new", got, want(op, was & mask, v & mask, compare & mask) & mask);
	for (int i = 0; i < 8; i++)
		CHECK(word[-1 - i] == 0xd5 && word[width + i] == 0xd5);
}

static void reals(struct job *j, int pe)
{
	size_t off = 64 + (size_t)j->rank * 64;
	float f = 1.5f, df = 0.25f;
	double d = 1e300, dd = 1e299;
	uint64_t bits = 0, old;

	memcpy(j->heap[pe] + off, &f, 4);
	memcpy(&bits, &df, 4);
	CHECK_EQ("float", job_amo(j, pe, off, 4, AMO_ADD_REAL, bits, 0, &old), 0);
	memcpy(&f, j->heap[pe] + off, 4);
	CHECK(f == 1.75f && (uint32_t)old == 0x3fc00000);
	memcpy(j->heap[pe] + off, &d, 8);
	memcpy(&bits, &dd, 8);
	CHECK_EQ("double", job_amo(j, pe, off, 8, AMO_ADD_REAL, bits, 0, NULL), 0);
	CHECK_EQ("quiet", net_quiet(j->net, NET_ALL), 0);
	memcpy(&d, j->heap[pe] + off, 8);
	CHECK(d == 1e300 + 1e299);
}

static void each(struct job *j)
{
	size_t n = TEST_LEN(values);
	int pe = (j->rank + 1) % j->n;
	uint64_t old;

	for (size_t o = 0; o < TEST_LEN(ops); o++) {
		for (size_t i = 0; i < n * n; i++) {
			uint64_t was = values[i / n], v = values[i % n];

			try_one(j, pe, 4, ops[o], was, v, i % 2 ? was : v);
			try_one(j, pe, 8, ops[o], was, v, i % 2 ? was : v);
		}
	}
	reals(j, pe);
	/* What is not an atomic. */
	CHECK_EQ("op", job_amo(j, pe, 64, 8, 99, 0, 0, &old), MORI_SHMEM_EINVAL);
	CHECK_EQ("width", job_amo(j, pe, 64, 2, MORI_SHMEM_AMO_SET, 0, 0, NULL), MORI_SHMEM_EINVAL);
	CHECK_EQ("aligned", job_amo(j, pe, 65, 8, MORI_SHMEM_AMO_FETCH, 0, 0, &old),
		 MORI_SHMEM_EINVAL);
	CHECK_EQ("end", job_amo(j, pe, j->len - 4, 8, MORI_SHMEM_AMO_FETCH, 0, 0, &old),
		 MORI_SHMEM_EINVAL);
	CHECK_TEXT(err_text(), "PE ");
	CHECK_EQ("posted", job_amo(j, pe, j->len, 8, MORI_SHMEM_AMO_ADD, 1, 0, NULL), 0);
	CHECK_EQ("told", net_quiet(j->net, pe), MORI_SHMEM_EINVAL);
	CHECK_EQ("once", net_quiet(j->net, pe), 0);
	job_close(j);
}

#define THREADS 3
static struct job *all;
static int rounds;

static void *hammer(void *arg)
{
	int id = (int)(intptr_t)arg;
	uint64_t old;

	for (int i = 0; i < rounds; i++) {
		for (int pe = 0; pe < all->n; pe++) {
			uint64_t *words = (uint64_t *)all->heap[pe];

			if (pe == all->rank) { /* the owner's own */
				__atomic_add_fetch(&words[0], 1, __ATOMIC_RELAXED);
				__atomic_xor_fetch(&words[2], (uint64_t)1 << id, __ATOMIC_RELAXED);
			} else {
				job_amo(all, pe, 0, 8, MORI_SHMEM_AMO_ADD, 1, 0, NULL);
				CHECK(!job_amo(all, pe, 16, 8, MORI_SHMEM_AMO_FETCH_XOR,
					       (uint64_t)1 << id, 0, &old));
			}
			/* By compare and swap, as a user would add. */
			do {
				job_amo(all, pe, 8, 4, MORI_SHMEM_AMO_FETCH, 0, 0, &old);
				uint64_t was = old;

				job_amo(all, pe, 8, 4, MORI_SHMEM_AMO_COMPARE_SWAP, was + 1, was,
					&old);
				if (old == was)
					break;
			} while (1);
		}
	}
	CHECK_EQ("quiet", net_quiet(all->net, NET_ALL), 0);
	return NULL;
}

static void contend(struct job *j)
{
	pthread_t t[THREADS];
	uint64_t *words = (uint64_t *)j->heap[j->rank];

	all = j;
	rounds = TEST_SCALE(100);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, hammer, (void *)(intptr_t)(j->rank * THREADS + i));
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	job_meet(j);
	CHECK_EQ("sum", words[0], rounds * THREADS * j->n);
	CHECK_EQ("swaps", (uint32_t)words[1], rounds * THREADS * j->n);
	CHECK_EQ("bits", words[2], rounds % 2 ? ((uint64_t)1 << THREADS * j->n) - 1 : 0);
	job_close(j);
}

int main(void)
{
	struct job j;

	test_deadline(JOB_LIMIT(235));
	for (size_t i = 0; i < TEST_LEN(job_providers); i++) {
		if (i && !job_has(job_providers[i]))
			continue;
		job_make(&j, 2, 4096);
		j.provider = job_providers[i];
		test_at("each");
		job_run(&j, each);
		job_drop(&j);
		job_make(&j, 4, 4096);
		j.provider = job_providers[i];
		test_at("contend");
		job_run(&j, contend);
		job_drop(&j);
	}
	return test_result();
}
