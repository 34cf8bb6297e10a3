// SPDX-License-Identifier: MIT
/* TEST: waits=1 wrapper=none timeout=240 */
/*
 * Four network namespaces with cables between them, as four machines: data of all sizes, atomics
 * and signals between all pairs, the cable of one pulled for a while (everything arrives) and for
 * longer than any wait (an error that names the PE; the others continue). Needs root; else skipped.
 */
#include "nodes/cable.h"
#include "net/job.h"

#define NODES	  4
#define BIG	  (3u << 20)
#define PATIENT_S 20

static const size_t sizes[] = { 0, 1, 8, 100, 8192, 8193, 70000, 1u << 20, BIG };

static void exchange(struct job *j, unsigned seed)
{
	uint8_t *src = malloc(BIG), *dst = malloc(BIG);
	size_t mine = 4096 + (size_t)j->rank * BIG;
	uint64_t old;

	for (int to = 1; to < j->n; to++) {
		int pe = (j->rank + to) % j->n;

		for (size_t i = 0; i < TEST_LEN(sizes); i++) {
			size_t len = sizes[i];
			struct net_signal sig = { JOB_HEAP, 8 * (size_t)j->rank, 1,
						  MORI_SHMEM_SIGNAL_ADD };

			job_fill(src, len, seed + (unsigned)(i * 16 + (size_t)j->rank));
			CHECK_EQ("put",
				 net_put(j->net, &(struct net_at){ pe, JOB_HEAP, mine }, src, len,
					 &sig, i % 2 ? NET_NBI : 0),
				 0);
			CHECK_EQ("quiet", net_quiet(j->net, pe), 0);
			CHECK_MEM("put", j->heap[pe] + mine, src, len);
			CHECK_EQ("get", job_get(j, pe, mine, dst, len, 0), 0);
			CHECK_MEM("get", dst, src, len);
			CHECK_EQ("amo",
				 job_amo(j, pe, 256, 8, MORI_SHMEM_AMO_FETCH_INC, 0, 0, &old), 0);
		}
	}
	free(src);
	free(dst);
}

/* Node 1's cable is pulled by the parent: for a second, then for good. */
static void body(struct job *j)
{
	uint8_t *src = malloc(BIG);
	uint64_t *words = (uint64_t *)j->heap[j->rank];
	int err = 0;

	exchange(j, 1);
	job_meet(j);
	CHECK_EQ("atomics", words[32], (j->n - 1) * TEST_LEN(sizes));
	for (int i = 0; i < j->n; i++)
		CHECK_EQ("signals", words[i], i == j->rank ? 0 : TEST_LEN(sizes));
	job_meet(j);
	job_tell(&j->block->word[1], 1); /* pull it, and put it back after a second */
	for (unsigned i = 0; __atomic_load_n(&j->block->word[2], __ATOMIC_ACQUIRE) < 1; i++)
		exchange(j, 2 + i);
	exchange(j, 1000);
	job_meet(j);
	job_tell(&j->block->word[1], 2); /* pull it for good */
	job_await(&j->block->word[2], 2);
	if (j->rank == 0) {
		job_fill(src, BIG, 7);
		for (int i = 0; !err && i < 10; i++) {
			err = job_put(j, 1, 4096, src, BIG, 0);
			err = err ? err : net_quiet(j->net, NET_ALL);
		}
		CHECK(err == MORI_SHMEM_ETIMEDOUT || err == MORI_SHMEM_EPEER);
		CHECK_TEXT(err_text(), "PE 1 ");
		CHECK_EQ("another", job_put(j, 2, 4096, src, BIG, 0), 0);
		CHECK_EQ("another", net_quiet(j->net, 2), 0);
		CHECK_MEM("another", j->heap[2] + 4096, src, BIG);
	}
	free(src);
	job_close(j);
}

static void node(struct job *j, int rank, int ready)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	test_checks = test_failures = 0;
	test_deadline(JOB_LIMIT(235));
	CHECK(!unshare(CLONE_NEWNET));
	CHECK(write(ready, "x", 1) == 1);
	CHECK(!cable_end(rank));
	if (!job_open(j, rank))
		body(j);
	exit(test_result());
}

static void run(const char *provider)
{
	struct job j;
	pid_t pid[NODES];
	int ready[2];
	char byte;

	if (!CHECK(pipe(ready) == 0))
		return;
	job_make(&j, NODES, 4096 + NODES * BIG);
	j.ifname = "eth0";
	j.provider = provider;
	j.timeout_s = PATIENT_S;
	for (int i = 0; i < NODES; i++) {
		pid[i] = fork();
		if (pid[i] == 0)
			node(&j, i, ready[1]);
		CHECK(read(ready[0], &byte, 1) == 1 && !cable_lay(pid[i], i));
	}
	job_await(&j.block->word[1], 1);
	usleep(50000);
	CHECK(!sh("ip link set v1 down"));
	usleep(1000000);
	CHECK(!sh("ip link set v1 up"));
	usleep(300000);
	job_tell(&j.block->word[2], 1);
	job_await(&j.block->word[1], 2);
	CHECK(!sh("ip link set v1 down"));
	job_tell(&j.block->word[2], 2);
	for (int i = 0; i < NODES; i++)
		CHECK_EQ("a node", job_reap(pid[i]), 0);
	job_drop(&j);
	for (int i = 0; i < NODES; i++)
		sh("ip link del v%d 2>/dev/null", i);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	test_deadline(JOB_LIMIT(235));
	if (!cable_hub())
		SKIP("needs root, network namespaces and ip(8)");
	run("socket");
	return test_result();
}
