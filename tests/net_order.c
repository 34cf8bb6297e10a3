// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=240 */
/*
 * What comes when: data before its signal, a fence between puts of any two sizes, a quiet that
 * means delivered, and all of it while the target computes and does not call the library, or
 * several threads of a process communicate at once.
 */
#include "net/job.h"

#define BIG (300u << 10)

static const size_t sizes[] = { 8, 64, 4000, 8192, 8193, 20000, 65536, BIG };

/* PE 0 writes rounds of data with a signal; PE 1 sees a signal and checks the data. */
static void litmus(struct job *j)
{
	int n = TEST_SCALE(300);
	uint8_t *data = malloc(BIG);

	for (int i = 1; i <= n; i++) {
		size_t len = sizes[(size_t)i % TEST_LEN(sizes)];
		struct net_signal sig = { JOB_HEAP, 0, (uint64_t)i, MORI_SHMEM_SIGNAL_SET };

		if (j->rank == 0) {
			memset(data, i, len);
			CHECK_EQ("put",
				 net_put(j->net, &(struct net_at){ 1, JOB_HEAP, 4096 }, data, len,
					 &sig, i % 3 ? 0 : NET_NBI),
				 0);
			if (i % 3 == 0)
				CHECK_EQ("quiet", net_quiet(j->net, NET_ALL), 0);
			job_await(&j->block->word[0], (uint32_t)i);
		} else {
			uint64_t *word = (uint64_t *)j->heap[1];

			while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != (uint64_t)i) {
				if (i % 2) /* or only its thread makes the engine progress */
					net_progress(j->net);
				else
					sched_yield();
			}
			for (size_t k = 0; k < len; k++) {
				if (j->heap[1][4096 + k] != (uint8_t)i) {
					CHECK_EQ("data behind its signal", j->heap[1][4096 + k],
						 (uint8_t)i);
					break;
				}
			}
			job_tell(&j->block->word[0], (uint32_t)i);
		}
	}
	CHECK(n > 0);
	free(data);
	job_close(j);
}

/* Two puts with a fence between them: the second is never there before the first. */
static void fences(struct job *j)
{
	int n = TEST_SCALE(400);
	uint8_t *data = malloc(BIG);

	for (int i = 1; i <= n; i++) {
		size_t a = sizes[(size_t)i % TEST_LEN(sizes)];
		size_t b = sizes[(size_t)(i / 8) % TEST_LEN(sizes)];

		if (j->rank == 0) {
			memset(data, i, BIG);
			CHECK_EQ("put", job_put(j, 1, 4096, data, a, NET_NBI), 0);
			CHECK_EQ("fence", net_fence(j->net, i % 2 ? 1 : NET_ALL), 0);
			CHECK_EQ("put", job_put(j, 1, 4096 + BIG, data, b, NET_NBI), 0);
			CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
			job_await(&j->block->word[1], (uint32_t)i);
		} else {
			volatile uint8_t *first = j->heap[1] + 4096,
					 *second = j->heap[1] + 4096 + BIG;

			while (*second != (uint8_t)i)
				sched_yield();
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			CHECK_EQ("what came before the fence", first[a - 1], (uint8_t)i);
			job_tell(&j->block->word[1], (uint32_t)i);
		}
	}
	free(data);
	job_close(j);
}

/* The target computes; everything completes, and quickly enough not to have waited for it. */
static void busy(struct job *j)
{
	uint64_t value = 0x1122334455667788, got = 0, old = 0;
	uint8_t *big = malloc(BIG);

	if (j->rank == 0) {
		job_await(&j->block->word[2], 1);
		job_fill(big, BIG, 9);
		CHECK_EQ("put", job_put(j, 1, 64, &value, 8, 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, NET_ALL), 0);
		CHECK(!memcmp(j->heap[1] + 64, &value, 8));
		CHECK_EQ("get", job_get(j, 1, 64, &got, 8, 0), 0);
		CHECK_EQ("got", got, value);
		CHECK_EQ("amo", job_amo(j, 1, 128, 8, MORI_SHMEM_AMO_FETCH_ADD, 5, 0, &old), 0);
		CHECK_EQ("put", job_put(j, 1, 4096, big, BIG, 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
		CHECK_MEM("big", j->heap[1] + 4096, big, BIG);
		job_tell(&j->block->word[2], 2); /* only now does it stop */
	} else {
		job_tell(&j->block->word[2], 1);
		for (volatile unsigned x = 0;
		     __atomic_load_n(&j->block->word[2], __ATOMIC_ACQUIRE) < 2;)
			x++;
		CHECK(1);
	}
	free(big);
	job_close(j);
}

/*
 * The target drives the engine until an answer is on its way, in part, and never again: its
 * thread must send the rest. If that waited for the thread's next look, the rounds would not end
 * in the time of the test.
 */
static void rested(struct job *j)
{
	int n = TEST_SCALE(300);
	size_t len = 4 * BIG;
	uint8_t *got = malloc(len);

	job_fill(j->heap[j->rank] + 4096, len, (unsigned)j->rank);
	job_meet(j);
	for (int i = 1; i <= n; i++) {
		if (j->rank == 0) {
			memset(got, 0, len);
			job_await(&j->block->word[3], (uint32_t)i);
			CHECK_EQ("get", job_get(j, 1, 4096, got, len, 0), 0);
			CHECK_MEM("got", got, j->heap[1] + 4096, len);
			job_tell(&j->block->word[4], (uint32_t)i);
		} else {
			net_poll_begin(j->net);
			job_tell(&j->block->word[3], (uint32_t)i);
			while (!net_progress(j->net) && /* RMA may not need it */
			       __atomic_load_n(&j->block->word[4], __ATOMIC_ACQUIRE) < (uint32_t)i)
				sched_yield();
			net_poll_end(j->net);
			job_await(&j->block->word[4], (uint32_t)i);
		}
	}
	free(got);
	job_close(j);
}

#define THREADS 4
static struct job *all;

/* Each thread has its own part of the peer's heap and checks it after its own quiet. */
static void *speak(void *arg)
{
	int id = (int)(intptr_t)arg, pe = !all->rank, n = TEST_SCALE(60);
	size_t at = 4096 + (size_t)id * BIG;
	uint8_t *src = malloc(BIG), *dst = malloc(BIG);
	uint64_t old;

	test_rank = all->rank;
	for (int i = 0; i < n; i++) {
		size_t len = sizes[(size_t)(i + id) % TEST_LEN(sizes)];

		job_fill(src, len, (unsigned)(i * THREADS + id));
		CHECK_EQ("put", job_put(all, pe, at, src, len, i % 2 ? NET_NBI : 0), 0);
		CHECK_EQ("quiet", net_quiet(all->net, i % 3 ? pe : NET_ALL), 0);
		CHECK_MEM("put", all->heap[pe] + at, src, len);
		memset(dst, 0, len);
		CHECK_EQ("get", job_get(all, pe, at, dst, len, 0), 0);
		CHECK_MEM("get", dst, src, len);
		CHECK_EQ("amo", job_amo(all, pe, 0, 8, MORI_SHMEM_AMO_FETCH_INC, 0, 0, &old), 0);
	}
	free(src);
	free(dst);
	return NULL;
}

static void threads(struct job *j)
{
	pthread_t t[THREADS];

	all = j;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, speak, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	job_meet(j);
	CHECK_EQ("count", *(uint64_t *)j->heap[j->rank], THREADS * TEST_SCALE(60));
	job_close(j);
}

int main(void)
{
	static void (*const bodies[])(struct job *) = { litmus, fences, busy, rested, threads };
	static const char *const names[] = { "litmus", "fences", "busy", "rested", "threads" };
	struct job j;

	test_deadline(JOB_LIMIT(235));
	for (size_t i = 0; i < TEST_LEN(job_providers); i++) {
		if (i && !job_has(job_providers[i]))
			continue;
		for (size_t b = 0; b < TEST_LEN(bodies); b++) {
			job_make(&j, 2, 8192 + 4 * BIG);
			j.provider = job_providers[i];
			test_at(names[b]);
			job_run(&j, bodies[b]);
			job_drop(&j);
		}
	}
	return test_result();
}
