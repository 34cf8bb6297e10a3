// SPDX-License-Identifier: MIT
/*
 * PEs as threads of one process, without any launcher: one thread makes a unique
 * id, every thread joins with its rank. Then a sum over all by atomics, and a
 * thread that is no PE itself but acts for one.
 *
 * usage: mori-threads [PEs]
 */
#include <mori/shmem.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct seat {
	pthread_t thread;
	mori_shmem_uniqueid_t uid;
	int rank, nranks;
	int failed;
};

/* A worker of a PE: bind() says for which PE of the process its calls act. */
struct worker {
	mori_shmem_t *pe;
	int64_t *sum;
	int owner; /* the PE whose sum it adds to */
	int failed;
};

static void *work(void *arg)
{
	struct worker *w = arg;

	w->failed = mori_shmem_bind(w->pe) ||
		    mori_shmem_int64_atomic_add_thread(w->sum, 1000, w->owner, 0) ||
		    mori_shmem_quiet_thread() || mori_shmem_bind(NULL);
	return NULL;
}

static int run_worker(int64_t *sum, int owner)
{
	struct worker w = { mori_shmem_current(), sum, owner, 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, &w))
		return 1;
	pthread_join(thread, NULL);
	return w.failed;
}

static int run_pe(const struct seat *s)
{
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();
	int64_t *sum = mori_shmem_calloc(1, sizeof(*sum)), want = 1000 + (int64_t)n * (n + 1) / 2;
	int64_t got;
	int failed = !sum || me != s->rank || n != s->nranks;

	if (failed)
		return 1;
	for (int pe = 0; pe < n; pe++) /* each PE adds its number to the sum of each */
		failed |= mori_shmem_int64_atomic_add_thread(sum, me + 1, pe, 0) != 0;
	failed |= run_worker(sum, (me + 1) % n);
	failed |= mori_shmem_barrier_all() != 0;
	got = mori_shmem_int64_g(sum, me, 0);
	if (got != want)
		fprintf(stderr, "PE %d: the sum is %lld, not %lld\n", me, (long long)got,
			(long long)want);
	failed |= got != want;
	return failed | (mori_shmem_free(sum) != 0);
}

static void *sit(void *arg)
{
	struct seat *s = arg;
	mori_shmem_init_attr_t attr;

	s->failed = 1;
	if (mori_shmem_set_attr_uniqueid_args(s->rank, s->nranks, &s->uid, &attr) ||
	    mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr)) {
		fprintf(stderr, "PE %d: %s\n", s->rank, mori_shmem_last_error());
		return NULL;
	}
	s->failed = run_pe(s);
	if (s->failed)
		fprintf(stderr, "PE %d: %s\n", s->rank, mori_shmem_last_error());
	s->failed |= mori_shmem_finalize() != 0;
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4, failed = 0;
	mori_shmem_uniqueid_t uid;
	struct seat *seats;

	if (n < 1) {
		fprintf(stderr, "usage: %s [PEs]\n", argv[0]);
		return 2;
	}
	if (mori_shmem_get_unique_id(&uid)) {
		fprintf(stderr, "%s\n", mori_shmem_last_error());
		return 1;
	}
	seats = calloc(n, sizeof(*seats));
	for (int i = 0; seats && i < n; i++) {
		seats[i] = (struct seat){ .uid = uid, .rank = i, .nranks = n };
		if (pthread_create(&seats[i].thread, NULL, sit, &seats[i]))
			return 1;
	}
	for (int i = 0; seats && i < n; i++) {
		pthread_join(seats[i].thread, NULL);
		failed |= seats[i].failed;
	}
	failed |= !seats;
	free(seats);
	if (!failed)
		printf("%d PEs in one process: every sum is right\n", n);
	return failed;
}
