// SPDX-License-Identifier: MIT
/* A world of one PE: no descriptor, no thread, and every call as in a larger one. */
#include "boot/helper.h"

int main(void)
{
	struct blob mine = blob_of(0), *theirs;
	int fds = count_fds(), threads = count_threads();
	struct boot *b = NULL;
	uint64_t in = 42, out = 0;

	test_deadline(30);
	CHECK(boot_alone(&mine, sizeof(mine), &b) == 0);
	CHECK(count_fds() == fds && threads_are(threads));
	CHECK(boot_n_pes(b) == 1 && boot_n_procs(b) == 1 && boot_n_nodes(b) == 1);
	CHECK(boot_my_proc(b) == 0 && boot_peer(b, 1) == NULL);
	theirs = (struct blob *)boot_peer(b, 0)->blob;
	CHECK(!memcmp(theirs, &mine, sizeof(mine)) && theirs != &mine);
	CHECK(boot_peer(b, 0)->pid == (int)getpid());
	CHECK(boot_barrier(b, 0, 1) == 0);
	CHECK(boot_allgather(b, 0, &in, sizeof(in), &out, 1) == 0 && out == 42);
	CHECK(boot_agree(b, 0, 0, NULL, 1) == 0);
	CHECK(boot_agree(b, 0, MORI_SHMEM_ENOMEM, "no room", 1) == MORI_SHMEM_ENOMEM);
	CHECK(!strcmp(err_text(), "PE 0: no room"));
	CHECK(boot_barrier(b, 1, 1) == MORI_SHMEM_EINVAL);
	CHECK(boot_lost(b, 0) == 0);
	boot_leave(b, 0);
	CHECK(count_fds() == fds && threads_are(threads));
	return test_result();
}
