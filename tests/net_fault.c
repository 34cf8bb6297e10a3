// SPDX-License-Identifier: MIT
/* TEST: waits=1 wrapper=none timeout=240 */
/*
 * What goes wrong: a peer killed in the middle of a transfer, stopped for too long or only for a
 * while, reported lost, or not there at all; addresses that do not exist; memory that has gone or
 * grown. Each ends in an error that names the PE, or in completion; other peers are served all the
 * same, and nothing is left open.
 */
#include <dirent.h>

#include "net/job.h"

#define BIG	(24u << 20)
#define ONE	(4u << 20) /* bytes requested at once: nothing is then left unread at the owner */
#define STOP_S	4.0
#define PATIENT 30.0

static int n_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* PE 0: puts to PE 1, or gets, until one fails; then PE 2 must still answer. */
static int until_error(struct job *j, uint8_t *src, bool gets, unsigned flags)
{
	double end = job_seconds() + PATIENT;
	int err = 0;

	while (!err && job_seconds() < end) {
		err = gets ? job_get(j, 1, 0, src, ONE, flags) : job_put(j, 1, 0, src, BIG, flags);
		if (!err)
			err = net_quiet(j->net, 1);
		__atomic_add_fetch(&j->block->word[0], 1, __ATOMIC_RELEASE);
	}
	return err;
}

static void others_go_on(struct job *j)
{
	uint64_t v = 0xabcdef, old;

	CHECK_EQ("put to another", job_put(j, 2, 64, &v, 8, 0), 0);
	CHECK_EQ("quiet of another", net_quiet(j->net, 2), 0);
	CHECK(!memcmp(j->heap[2] + 64, &v, 8));
	CHECK_EQ("amo on another", job_amo(j, 2, 128, 8, MORI_SHMEM_AMO_FETCH_ADD, 1, 0, &old), 0);
	CHECK_EQ("another is not lost", net_quiet(j->net, 2), 0);
}

struct watch {
	struct job *j;
	bool done;
};

/*
 * What a job has and this one has not. libfabric's connectionless provider now and then does
 * not report a process that was killed, on a busy machine; it has some seconds to do so.
 */
static void *liveness(void *arg)
{
	struct watch *w = arg;
	int killed = 0;

	while (!__atomic_load_n(&w->done, __ATOMIC_ACQUIRE)) {
		usleep(10000);
		killed += __atomic_load_n(&w->j->block->word[4], __ATOMIC_ACQUIRE) != 0;
		if (killed != 500)
			continue;
		printf("%s did not tell that PE 1 was killed\n", w->j->provider);
		net_lost(w->j->net, 1);
	}
	return NULL;
}

static void lose(struct job *j, bool gets, unsigned flags)
{
	bool watched = !strcmp(j->provider, "tcp;ofi_rxm");
	struct watch watch = { .j = j };
	uint8_t *src = malloc(BIG);
	uint64_t got = 0;
	pthread_t t;
	int err;

	job_fill(src, BIG, 3);
	if (watched)
		watched = !pthread_create(&t, NULL, liveness, &watch);
	err = until_error(j, src, gets, flags);
	__atomic_store_n(&watch.done, true, __ATOMIC_RELEASE);
	if (watched)
		pthread_join(t, NULL);
	/* A killed process is not waited for. */
	CHECK(err == MORI_SHMEM_EPEER || (err == MORI_SHMEM_ETIMEDOUT && j->timeout_s == STOP_S));
	CHECK_TEXT(err_text(), "PE 1 ");
	memset(src, 0, BIG); /* it is ours again */
	free(src);
	err = job_get(j, 1, 0, &got, 8, 0);
	CHECK(err == MORI_SHMEM_EPEER || err == MORI_SHMEM_ETIMEDOUT);
	CHECK(net_quiet(j->net, 1) == err);
	CHECK_TEXT(err_text(), "PE 1 ");
	others_go_on(j);
	net_quiet(j->net, NET_ALL); /* may report lost puts, once */
	CHECK_EQ("nothing of it is left to tell", net_quiet(j->net, NET_ALL), 0);
	job_tell(&j->block->word[1], 1);
	net_close(j->net);
}

static void lose_blocking(struct job *j)
{
	if (j->rank == 0)
		lose(j, false, 0);
	job_await(&j->block->word[1], 1);
	CHECK(1);
}

static void lose_nbi(struct job *j)
{
	if (j->rank == 0)
		lose(j, false, NET_NBI);
	job_await(&j->block->word[1], 1);
	CHECK(1);
}

/* Its last words are the first part of an answer, and the end of the connection. */
static void lose_get(struct job *j)
{
	if (j->rank == 0)
		lose(j, true, 0);
	job_await(&j->block->word[1], 1);
	CHECK(1);
}

/* Three PEs; @signal goes to PE 1 when PE 0 is well under way. */
static void strike(const char *provider, int signal, void (*body)(struct job *), int and_go)
{
	struct job j;
	pid_t pid[3];

	job_make(&j, 3, BIG);
	j.provider = provider;
	j.timeout_s = signal == SIGSTOP && !and_go ? STOP_S : PATIENT;
	for (int i = 0; i < 3; i++)
		pid[i] = job_fork(&j, i, body);
	job_await(&j.block->word[0], 2);
	usleep(3000);
	kill(pid[1], signal);
	if (signal == SIGKILL)
		job_tell(&j.block->word[4], 1);
	if (and_go) {
		usleep(700000);
		kill(pid[1], SIGCONT);
		CHECK_EQ("PE 1", job_reap(pid[1]), 0);
	}
	CHECK_EQ("PE 0", job_reap(pid[0]), 0);
	CHECK_EQ("PE 2", job_reap(pid[2]), 0);
	if (!and_go) {
		kill(pid[1], SIGKILL);
		job_reap(pid[1]);
	}
	job_drop(&j);
}

/* A peer that stops for a while: all completes, and every byte is right. */
static void survive(struct job *j)
{
	uint8_t *src = malloc(BIG), *got = malloc(BIG);

	if (j->rank == 0) {
		for (int i = 0; i < 40; i++) {
			job_fill(src, BIG / 8, (unsigned)i);
			CHECK_EQ("put", job_put(j, 1, 0, src, BIG / 8, i % 2 ? NET_NBI : 0), 0);
			CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
			CHECK_MEM("put", j->heap[1], src, BIG / 8);
			CHECK_EQ("get", job_get(j, 1, 0, got, BIG / 8, 0), 0);
			CHECK_MEM("get", got, src, BIG / 8);
			__atomic_add_fetch(&j->block->word[0], 1, __ATOMIC_RELEASE);
			usleep(20000);
		}
	}
	free(src);
	free(got);
	job_close(j);
	CHECK(1);
}

static void *report(void *arg)
{
	struct job *j = arg;

	job_await(&j->block->word[0], 1);
	usleep(100000);
	net_lost(j->net, 1);
	return NULL;
}

/* Liveness speaks up while a call waits: it returns, long before its time-out. */
static void told(struct job *j)
{
	pthread_t t;
	double start;
	uint64_t got;
	int err = 0;

	if (j->rank == 1) {
		job_tell(&j->block->word[2], 1);
		raise(SIGSTOP);
		exit(0);
	}
	job_await(&j->block->word[2], 1);
	usleep(500000);
	pthread_create(&t, NULL, report, j);
	job_tell(&j->block->word[0], 1);
	start = job_seconds();
	err = job_get(j, 1, 0, &got, 8, 0);
	CHECK_EQ("get", err, MORI_SHMEM_EPEER);
	CHECK_TEXT(err_text(), "PE 1 ");
	CHECK(job_seconds() - start < PATIENT / 2);
	pthread_join(t, NULL);
	net_close(j->net);
}

static void run_told(const char *provider)
{
	struct job j;
	pid_t pid[2];

	job_make(&j, 2, 4096);
	j.provider = provider;
	j.timeout_s = PATIENT;
	for (int i = 0; i < 2; i++)
		pid[i] = job_fork(&j, i, told);
	CHECK_EQ("PE 0", job_reap(pid[0]), 0);
	kill(pid[1], SIGKILL);
	job_reap(pid[1]);
	job_drop(&j);
}

static void bad_places(struct job *j)
{
	static uint8_t data[100000];
	size_t lens[] = { 1, 8, 8192, 8193, 100000 };
	int pe = !j->rank;

	for (size_t i = 0; i < TEST_LEN(lens); i++) {
		size_t len = lens[i];
		int err = job_put(j, pe, j->len - len + 1, data, len, 0);

		err = err ? err : net_quiet(j->net, pe);
		CHECK_EQ("put over the end", err, MORI_SHMEM_EINVAL);
		CHECK_TEXT(err_text(), "PE ");
		err = job_put(j, pe, UINT64_MAX - 3, data, len, 0);
		err = err ? err : net_quiet(j->net, pe);
		CHECK_EQ("put far away", err, MORI_SHMEM_EINVAL);
		CHECK_EQ("get over the end", job_get(j, pe, j->len - len + 1, data, len, 0),
			 MORI_SHMEM_EINVAL);
		err = net_get(j->net, &(struct net_at){ pe, 99, 0 }, data, len, 0);
		CHECK_EQ("get of no region", err, MORI_SHMEM_EINVAL);
		err = net_put(j->net, &(struct net_at){ pe, 99, 0 }, data, len, NULL, NET_NBI);
		err = err ? err : net_quiet(j->net, NET_ALL);
		CHECK_EQ("put to no region", err, MORI_SHMEM_EINVAL);
		CHECK_EQ("and all is well again", job_put(j, pe, 0, data, len, 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	}
	CHECK_EQ("not ours", net_region_add(j->net, pe, 3, NET_HOST, data, 8), MORI_SHMEM_EINVAL);
	job_close(j);
}

/* Memory of the caller that it cannot use: an error of its own, and the path stays. */
static void bad_local(struct job *j)
{
	size_t lens[] = { 6000, 100000, j->len };
	int pe = !j->rank, err;
	uint8_t *none = job_shared(j->len), *fixed = job_shared(j->len), *hole = job_shared(j->len);

	CHECK(!mprotect(none, j->len, PROT_NONE) && !mprotect(fixed, j->len, PROT_READ) &&
	      !mprotect(hole + j->len / 2, j->len / 4, PROT_NONE));
	for (size_t i = 0; j->rank == 0 && i < TEST_LEN(lens); i++) {
		CHECK_EQ("put", job_put(j, pe, 0, none, lens[i], 0), MORI_SHMEM_EFAULT);
		CHECK_TEXT(err_text(), "cannot read the source");
		CHECK_EQ("nbi", job_put(j, pe, 0, none, lens[i], NET_NBI), MORI_SHMEM_EFAULT);
		CHECK_EQ("get", job_get(j, pe, 0, none, lens[i], 0), MORI_SHMEM_EFAULT);
		CHECK_EQ("get", job_get(j, pe, 0, fixed, lens[i], 0), MORI_SHMEM_EFAULT);
		CHECK_TEXT(err_text(), "cannot write the destination");
		CHECK_EQ("and a good one", job_put(j, pe, 0, fixed, lens[i], 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	}
	if (!strcmp(j->provider, "socket")) { /* others copy it themselves */
		err = job_put(j, pe, 0, hole, j->len, 0);
		CHECK_EQ("a hole", err ? err : net_quiet(j->net, pe), MORI_SHMEM_EFAULT);
		CHECK_TEXT(err_text(), "could not be read");
		CHECK_EQ("a hole", job_get(j, pe, 0, hole, j->len, 0), MORI_SHMEM_EFAULT);
	}
	CHECK_EQ("and a good one", job_put(j, pe, 0, fixed, j->len, 0), 0);
	CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	job_meet(j);
	CHECK_MEM("put", j->heap[pe], fixed, j->len);
	munmap(none, j->len);
	munmap(fixed, j->len);
	munmap(hole, j->len);
	job_close(j);
}

static int put_done(struct job *j, const struct net_at *at, const void *src, size_t len)
{
	int err = net_put(j->net, at, src, len, NULL, 0);

	return err ? err : net_quiet(j->net, at->pe);
}

/* Memory of the owner that it does not have (any more): the path and the owner stay. */
static void bad_far(struct job *j)
{
	size_t lens[] = { 1, 8, 6000, 100000, j->len / 2 };
	uint8_t *none = job_shared(j->len), *src = job_shared(j->len);
	struct net_at at = { !j->rank, 8, 0 };

	CHECK_EQ("add", net_region_add(j->net, j->rank, 8, NET_USER, none, j->len), 0);
	CHECK(!mprotect(none, j->len / 2, PROT_NONE));
	job_meet(j);
	for (size_t i = 0; i < TEST_LEN(lens); i++) {
		if (lens[i] > 6000 && strcmp(j->provider, "socket") != 0)
			continue; /* others copy it themselves */
		CHECK_EQ("put", put_done(j, &at, src, lens[i]), MORI_SHMEM_EFAULT);
		CHECK_EQ("get", net_get(j->net, &at, src, lens[i], 0), MORI_SHMEM_EFAULT);
		CHECK_TEXT(err_text(), "could not be read or written");
	}
	CHECK_EQ("amo", net_amo(j->net, &at, 8, MORI_SHMEM_AMO_ADD, 1, 0, (uint64_t *)src),
		 MORI_SHMEM_EFAULT);
	at.off = j->len / 2;
	CHECK_EQ("and a good one", put_done(j, &at, src, 8192), 0);
	CHECK_EQ("and a good one", net_get(j->net, &at, src, 8192, 0), 0);
	job_meet(j);
	munmap(none, j->len);
	munmap(src, j->len);
	job_close(j);
}

/* A region grows, one goes, and at last its PE. */
static void regions(struct job *j)
{
	size_t half = j->len / 2;
	int pe = !j->rank, err;
	uint8_t *src = malloc(half);
	struct net_at at = { pe, 8, 0 };

	job_fill(src, half, 4);
	CHECK_EQ("add", net_region_add(j->net, j->rank, 8, NET_HOST, j->heap[j->rank], half), 0);
	job_meet(j);
	CHECK_EQ("put", net_put(j->net, &at, src, half, NULL, 0), 0);
	CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	at.off = half;
	err = net_put(j->net, &at, src, half, NULL, 0);
	CHECK_EQ("too early", err ? err : net_quiet(j->net, pe), MORI_SHMEM_EINVAL);
	job_meet(j);
	CHECK_EQ("grow", net_region_add(j->net, j->rank, 8, NET_HOST, j->heap[j->rank], j->len), 0);
	job_meet(j);
	CHECK_EQ("put", net_put(j->net, &at, src, half, NULL, 0), 0);
	CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
	CHECK_MEM("first", j->heap[pe], src, half);
	CHECK_MEM("second", j->heap[pe] + half, src, half);
	job_meet(j);
	net_region_remove(j->net, j->rank, 8);
	job_meet(j);
	err = net_put(j->net, &at, src, 8, NULL, 0);
	CHECK_EQ("gone", err ? err : net_quiet(j->net, pe), MORI_SHMEM_EINVAL);
	CHECK_EQ("gone", net_get(j->net, &at, src, half, 0), MORI_SHMEM_EINVAL);
	job_meet(j);
	net_leave(j->net, j->rank);
	job_meet(j);
	err = net_put(j->net, &at, src, 8, NULL, 0);
	CHECK_EQ("finalized", err ? err : net_quiet(j->net, pe), MORI_SHMEM_EPEER);
	CHECK_EQ("finalized", net_get(j->net, &at, src, half, 0), MORI_SHMEM_EPEER);
	CHECK_TEXT(err_text(), "has finalized");
	free(src);
	job_close(j);
}

/* Nothing is left open; a process may speak to itself. */
static void alone(struct job *j)
{
	uint64_t got;
	int fds;

	net_close(j->net);
	fds = n_fds();
	for (int i = 0; i < 3; i++) {
		job_open(j, 0);
		CHECK_EQ("get", job_get(j, 0, 0, &got, 8, 0), 0);
		net_close(j->net);
	}
	CHECK(n_fds() <= fds + 1); /* libfabric keeps what it opened once */
}

/* One that said where it listens and is gone. */
static void deserted(struct job *j)
{
	uint64_t got;
	int err;

	if (j->rank == 1) {
		net_close(j->net);
		job_tell(&j->block->word[3], 1);
		CHECK(1);
		return;
	}
	job_await(&j->block->word[3], 1);
	err = job_get(j, 1, 0, &got, 8, 0);
	CHECK(err == MORI_SHMEM_EPEER || err == MORI_SHMEM_EREACH || err == MORI_SHMEM_ETIMEDOUT);
	CHECK_TEXT(err_text(), "PE 1 ");
	net_close(j->net);
}

static struct {
	int hold, in; /* atomic: copies of a device do not end; one is at it */
} device;

static int device_copy(void *arg, void *dst, const void *src, size_t len)
{
	(void)arg;
	memcpy(dst, src, len);
	__atomic_store_n(&device.in, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&device.hold, __ATOMIC_ACQUIRE))
		usleep(200);
	return 0;
}

/* The report that a PE was lost does not wait until a device has done its work. */
static void busy(struct job *j)
{
	uint64_t v = 77;

	if (j->rank == 1) {
		__atomic_store_n(&device.hold, 1, __ATOMIC_RELEASE);
		job_tell(&j->block->word[5], 1);
		while (!__atomic_load_n(&device.in, __ATOMIC_ACQUIRE))
			usleep(200);
		test_at("told while a device is busy");
		net_lost(j->net, 2);
		CHECK_EQ("the device still is", device.hold, 1);
		__atomic_store_n(&device.hold, 0, __ATOMIC_RELEASE);
		net_drain(j->net);
		CHECK_EQ("lost", net_quiet(j->net, 2), MORI_SHMEM_EPEER);
		CHECK_TEXT(err_text(), "its process was lost");
		CHECK(job_put(j, 2, 0, &v, 8, 0) == MORI_SHMEM_EPEER);
		CHECK_EQ("not lost", net_quiet(j->net, 0), 0);
	} else if (j->rank == 0) {
		job_await(&j->block->word[5], 1);
		CHECK_EQ("put", job_put(j, 1, 64, &v, 8, 0), 0);
		CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
		CHECK_MEM("put", j->heap[1] + 64, &v, 8);
	} else {
		CHECK(1);
	}
	job_close(j);
}

static void run(const char *provider, int n, void (*body)(struct job *))
{
	struct job j;

	job_make(&j, n, 1u << 20);
	j.provider = provider;
	if (body == deserted)
		j.timeout_s = STOP_S;
	if (body == busy) {
		j.copy = device_copy;
		j.memory = NET_DEV;
	}
	job_run(&j, body);
	job_drop(&j);
}

int main(void)
{
	test_deadline(JOB_LIMIT(235));
	for (size_t i = 0; i < TEST_LEN(job_providers); i++) {
		const char *p = job_providers[i];

		if (i && !job_has(p))
			continue;
		test_at("places");
		run(p, 2, bad_places);
		run(p, 2, bad_local);
		run(p, 2, bad_far);
		run(p, 2, regions);
		run(p, 1, alone);
		run(p, 2, deserted);
		run(p, 3, busy);
		test_at("killed");
		strike(p, SIGKILL, lose_blocking, 0);
		strike(p, SIGKILL, lose_nbi, 0);
		strike(p, SIGKILL, lose_get, 0);
		test_at("stopped");
		strike(p, SIGSTOP, lose_blocking, 0);
		strike(p, SIGSTOP, lose_nbi, 0);
		test_at("stopped for a while");
		strike(p, SIGSTOP, survive, 1);
		test_at("told");
		run_told(p);
	}
	return test_result();
}
