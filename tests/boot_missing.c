// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * PEs that do not come: to the job, and to a collective. The others get ETIMEDOUT,
 * in time, and the text names the missing; the job may be tried again.
 */
#include "boot/helper.h"

static int threads_before;

static void *pe_join_only(void *arg)
{
	struct pe *p = arg;

	p->timeout_s = *(double *)p->arg;
	if (pe_join(p) == 0)
		boot_leave(p->b, p->rank);
	return NULL;
}

/* Ranks 0, 2 and 3 of 8 come; 1 and 4 to 7 do not. */
static void run_missing(const unsigned char *uid)
{
	struct pe pes[3] = { 0 };
	double limit = 2, start = seconds();

	for (int i = 0; i < 3; i++)
		pes[i].arg = &limit;
	pes_start(pes, 1, 0, 8, uid, pe_join_only);
	pes_start(pes + 1, 2, 2, 8, uid, pe_join_only);
	pes_join(pes, 3);
	CHECK(seconds() - start >= 1.9);
	for (int i = 0; i < 3; i++) {
		CHECK(pes[i].status == MORI_SHMEM_ETIMEDOUT, "%d", pes[i].status);
		CHECK(!strcmp(pes[i].text, "ranks 1, 4-7 of 8 did not come within 2 s"), "%s",
		      pes[i].text);
	}
}

/* Late processes get the error once; then the same ranks can form a job. */
static void run_late(const unsigned char *uid)
{
	struct pe late[5] = { 0 }, all[8] = { 0 };
	double limit = WAIT_S;

	for (int i = 0; i < 5; i++)
		late[i].arg = &limit;
	for (int i = 0; i < 8; i++)
		all[i].arg = &limit;
	pes_start(late, 1, 1, 8, uid, pe_join_only);
	pes_start(late + 1, 4, 4, 8, uid, pe_join_only);
	pes_join(late, 5);
	for (int i = 0; i < 5; i++)
		CHECK(late[i].status == MORI_SHMEM_ETIMEDOUT &&
			      strstr(late[i].text, "ranks 1, 4-7"),
		      "%d %s", late[i].status, late[i].text);
	pes_start(all, 8, 0, 8, uid, pe_join_only);
	pes_join(all, 8);
	for (int i = 0; i < 8; i++)
		CHECK(all[i].status == 0, "%d %s", all[i].status, all[i].text);
}

static pthread_barrier_t turn;

/* PE 2 of 4 skips the first barrier; then all continue together. */
static void *pe_collective(void *arg)
{
	struct pe *p = arg;
	uint64_t mine = (uint64_t)p->rank, all[4];
	int err;

	if (!CHECK(pe_join(p) == 0))
		return NULL;
	pthread_barrier_wait(&turn);
	if (p->rank != 2) {
		err = boot_barrier(p->b, p->rank, 3);
		CHECK(err == MORI_SHMEM_ETIMEDOUT, "%d", err);
		CHECK(!strcmp(err_text(), "PE 2 of 4 did not come to a barrier within 3 s"));
	}
	pthread_barrier_wait(&turn);
	if (p->rank == 2) {
		err = boot_barrier(p->b, p->rank, WAIT_S);
		CHECK(err == MORI_SHMEM_ETIMEDOUT && strstr(err_text(), "PE 2 of 4"), "%d", err);
	}
	CHECK(boot_allgather(p->b, p->rank, &mine, sizeof(mine), all, WAIT_S) == 0);
	CHECK(all[0] == 0 && all[1] == 1 && all[2] == 2 && all[3] == 3);
	/* Different collectives, in one process: every PE gets the error of both. */
	err = p->rank == 3 ? boot_barrier(p->b, p->rank, WAIT_S) :
			     boot_allgather(p->b, p->rank, &mine, sizeof(mine), all, WAIT_S);
	CHECK(err == MORI_SHMEM_EMISMATCH, "%d", err);
	CHECK(strstr(err_text(), "PE 3") && strstr(err_text(), "a barrier"));
	boot_leave(p->b, p->rank);
	return NULL;
}

int main(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe pes[4] = { 0 };

	test_deadline(120);
	threads_before = count_threads();
	CHECK(boot_open_rdv(&c, uid) == 0);
	run_missing(uid);
	run_late(uid);
	pthread_barrier_init(&turn, NULL, 4);
	CHECK(boot_open_rdv(&c, uid) == 0);
	pes_start(pes, 4, 0, 4, uid, pe_collective);
	pes_join(pes, 4);
	CHECK(threads_are(threads_before));
	return test_result();
}
