// SPDX-License-Identifier: MIT
/*
 * A rank claimed twice, numbers of PEs that differ, blobs that differ: everybody
 * in the round gets EMISMATCH at once, naming both; those who come later too.
 */
#include "boot/helper.h"

static int threads_before;

/* Joins, prints nothing, exits 0 if it got EMISMATCH with both names. */
static int run_pe(const unsigned char *uid, int rank, int nranks, int blob_len)
{
	struct boot_config c = test_config(WAIT_S);
	char blob[64] = "blob";
	struct boot *b;
	double start = seconds();
	int err = boot_join(&c, uid, rank, nranks, blob, (size_t)blob_len, &b);

	CHECK(err == MORI_SHMEM_EMISMATCH, "%d", err);
	CHECK(seconds() - start < WAIT_S / 2);
	printf("%s\n", err_text());
	return test_result();
}

/* Two processes that contradict each other, then one that agrees with the first. */
static void run_three(const int first[3], const int second[3], const int third[3])
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t a, b, d;

	CHECK(boot_open_rdv(&c, uid) == 0);
	a = spawn("pe", uid, 3, first[0], first[1], first[2]);
	b = spawn("pe", uid, 3, second[0], second[1], second[2]);
	CHECK(reap(a) == 0);
	CHECK(reap(b) == 0);
	d = spawn("pe", uid, 3, third[0], third[1], third[2]);
	CHECK(reap(d) == 0);
	boot_close_rdv(uid);
}

static void *pe_twice(void *arg)
{
	struct pe *p = arg;

	if (pe_join(p) == 0)
		boot_leave(p->b, p->rank);
	return NULL;
}

/* The same rank from two threads of one process; afterwards the job can start. */
static void run_threads(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe pes[4] = { 0 };
	char pid[32];

	snprintf(pid, sizeof(pid), "process %d on host", (int)getpid());
	CHECK(boot_open_rdv(&c, uid) == 0);
	pes_start(pes, 1, 0, 2, uid, pe_twice);
	pes_start(pes + 1, 1, 0, 2, uid, pe_twice);
	pes_join(pes, 2);
	for (int i = 0; i < 2; i++) {
		CHECK(pes[i].status == MORI_SHMEM_EMISMATCH, "%d", pes[i].status);
		CHECK(strstr(pes[i].text, "two PEs have rank 0 of 2") && strstr(pes[i].text, pid),
		      "%s", pes[i].text);
	}
	/* Rank 1 has not been notified yet. */
	pes_start(pes, 1, 1, 2, uid, pe_twice);
	pes_join(pes, 1);
	CHECK(pes[0].status == MORI_SHMEM_EMISMATCH, "%d", pes[0].status);
	pes_start(pes, 2, 0, 2, uid, pe_twice);
	pes_join(pes, 2);
	CHECK(pes[0].status == 0 && pes[1].status == 0, "%s %s", pes[0].text, pes[1].text);
	CHECK(threads_are(threads_before));
}

int main(int argc, char **argv)
{
	unsigned char uid[BOOT_UID_BYTES];

	test_deadline(120);
	threads_before = count_threads();
	if (argc > 1) {
		test_uid(argc, argv, uid);
		return run_pe(uid, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	}
	/* rank, nranks, blob_len */
	run_three((int[]){ 1, 4, 8 }, (int[]){ 1, 4, 8 }, (int[]){ 3, 4, 8 });
	run_three((int[]){ 0, 4, 8 }, (int[]){ 1, 5, 8 }, (int[]){ 2, 4, 8 });
	run_three((int[]){ 0, 4, 8 }, (int[]){ 1, 4, 9 }, (int[]){ 2, 4, 8 });
	run_threads();
	return test_result();
}
