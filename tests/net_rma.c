// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=300 */
/*
 * put and get of all sizes and alignments, blocking and not, with and without a
 * signal, between 2 and 4 processes: every byte and the guards around it, and in the
 * target's memory when quiet returns, although the target does nothing for it.
 */
#include "net/job.h"

#define GUARD  64
#define MOST   (6u << 20)
#define POISON 0xd5

static const size_t sizes[] = { 0,     1,     2,      3,      4,       5,	7,	 8,
				9,     15,    16,     17,     31,      33,	47,	 48,
				49,    63,    64,     100,    127,     128,	129,	 255,
				1000,  4096,  8191,   8192,   8193,    16384,	65455,	 65456,
				65457, 65536, 100001, 262144, 1048576, 4194304, 4194305, MOST };

static uint8_t *src, *dst;

/* The heap of PE @pe: an area of guard, data, guard for each PE that writes to it. */
static size_t area(const struct job *j)
{
	return (size_t)j->rank * (MOST + 4 * GUARD);
}

static void check_heap(struct job *j, int pe, size_t at, size_t len)
{
	const uint8_t *h = j->heap[pe];

	CHECK_MEM("put", h + at, src + at % 16, len);
	for (size_t i = 1; i <= 16; i++)
		CHECK(h[at - i] == POISON && h[at + len + i - 1] == POISON);
}

static void try_put(struct job *j, int pe, size_t len, size_t shift, unsigned flags, int signal)
{
	size_t at = area(j) + GUARD + shift;
	uint64_t *word = (uint64_t *)(j->heap[pe] + area(j));
	struct net_signal sig = { JOB_HEAP, area(j), 3, MORI_SHMEM_SIGNAL_ADD };
	uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED);
	struct net_at to = { pe, JOB_HEAP, at };

	memset(j->heap[pe] + at - 16, POISON, len + 32);
	job_fill(src, len + 16, (unsigned)(len * 31 + shift + (unsigned)j->rank));
	CHECK_EQ("put", net_put(j->net, &to, src + at % 16, len, signal ? &sig : NULL, flags), 0);
	if (signal) { /* a PE that sees the signal sees the data */
		double end = job_seconds() + JOB_WAIT_S;

		while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != before + 3 && job_seconds() < end)
			net_progress(j->net);
		CHECK_EQ("signal", *word - before, 3);
		check_heap(j, pe, at, len);
	}
	CHECK_EQ("quiet", net_quiet(j->net, shift % 2 ? pe : NET_ALL), 0);
	check_heap(j, pe, at, len);
}

static void try_get(struct job *j, int pe, size_t len, size_t shift, unsigned flags)
{
	size_t at = area(j) + GUARD + shift;

	job_fill(j->heap[pe] + at, len, (unsigned)(len + 7 * shift + 1000 + (unsigned)j->rank));
	memset(dst, POISON, len + 2 * GUARD);
	CHECK_EQ("get", job_get(j, pe, at, dst + GUARD + shift, len, flags), 0);
	if (flags & NET_NBI)
		CHECK_EQ("quiet", net_quiet(j->net, NET_ALL), 0);
	CHECK_MEM("get", dst + GUARD + shift, j->heap[pe] + at, len);
	for (size_t i = 1; i <= 16; i++)
		CHECK(dst[GUARD + shift - i] == POISON &&
		      dst[GUARD + shift + len + i - 1] == POISON);
}

static void body(struct job *j)
{
	src = malloc(MOST + 64);
	dst = malloc(MOST + 3 * GUARD);
	for (int to = 0; to < j->n; to++) { /* also itself */
		int pe = (j->rank + to) % j->n;

		for (size_t s = 0; s < TEST_LEN(sizes); s++) {
			for (size_t shift = 0; shift < 16; shift += sizes[s] > 100000 ? 5 : 1) {
				unsigned nbi = (s + shift) % 2 ? NET_NBI : 0;

				try_put(j, pe, sizes[s], shift, nbi, (s + shift / 2) % 2);
				try_get(j, pe, sizes[s], shift, nbi);
			}
		}
	}
	free(src);
	free(dst);
	job_close(j);
}

/* Many at once, more than any queue holds. */
static void many(struct job *j)
{
	int pe = (j->rank + 1) % j->n, n = TEST_SCALE(3000);
	uint32_t *mine = malloc((size_t)n * 4), *back = malloc((size_t)n * 4);
	size_t big = 100000;
	uint8_t *bytes = malloc(big * 100), *got = malloc(big * 100);

	for (int i = 0; i < n; i++) {
		mine[i] = (uint32_t)(i * 7 + j->rank);
		CHECK_EQ("put", job_put(j, pe, (size_t)i * 4, &mine[i], 4, NET_NBI), 0);
	}
	job_fill(bytes, big * 100, (unsigned)j->rank);
	for (size_t i = 0; i < 100; i++)
		CHECK_EQ("put", job_put(j, pe, 65536 + i * big, bytes + i * big, big, NET_NBI), 0);
	CHECK_EQ("quiet", net_quiet(j->net, NET_ALL), 0);
	CHECK_MEM("small puts", j->heap[pe], mine, (size_t)n * 4);
	CHECK_MEM("large puts", j->heap[pe] + 65536, bytes, big * 100);
	for (int i = 0; i < n; i++)
		CHECK_EQ("get", job_get(j, pe, (size_t)i * 4, &back[i], 4, NET_NBI), 0);
	for (size_t i = 0; i < 100; i++)
		CHECK_EQ("get", job_get(j, pe, 65536 + i * big, got + i * big, big, NET_NBI), 0);
	CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	CHECK_MEM("small gets", back, mine, (size_t)n * 4);
	CHECK_MEM("large gets", got, bytes, big * 100);
	memset(got, POISON, big * 100);
	CHECK_EQ("get", job_get(j, pe, 65536, got, big * 100, 0), 0); /* several requests */
	CHECK_MEM("one get of all", got, bytes, big * 100);
	job_close(j);
	free(mine);
	free(back);
	free(bytes);
	free(got);
}

static int copy(void *arg, void *to, const void *from, size_t len)
{
	(void)arg;
	memcpy(to, from, len);
	return 0;
}

static void run(const char *provider, int n, int memory)
{
	struct job j;

	job_make(&j, n, (size_t)n * (MOST + 4 * GUARD) + (12u << 20));
	j.provider = provider;
	j.memory = memory;
	j.copy = copy;
	test_at("sizes");
	job_run(&j, body);
	test_at("many");
	job_run(&j, many);
	job_drop(&j);
}

int main(void)
{
	test_deadline(JOB_LIMIT(295));
	for (size_t i = 0; i < TEST_LEN(job_providers); i++) {
		if (i && !job_has(job_providers[i]))
			continue;
		run(job_providers[i], 2, NET_HOST);
		if (TEST_ASAN || TEST_TSAN)
			continue;
		run(job_providers[i], 2, NET_DEV); /* memory that only a copy reaches, as a GPU's */
		if (i == 0)
			run(job_providers[i], 4, NET_HOST);
	}
	return test_result();
}
