// SPDX-License-Identifier: MIT
/*
 * A child of a fork holds nothing of its parent's: the parent's death is seen at
 * once even while the child lives, and the child can join a world of its own.
 */
#include "boot/helper.h"

/* Joins, forks a child that lives on, then waits to be killed. */
static int run_parent(const unsigned char *uid, int fd)
{
	struct pe p = { .uid = uid, .rank = 1, .nranks = 2, .timeout_s = WAIT_S };
	pid_t child;

	if (!CHECK(pe_join(&p) == 0))
		return test_result();
	child = fork();
	if (child == 0) {
		struct boot *b = NULL;
		int err = boot_barrier(p.b, 1, 1);

		boot_leave(p.b, 1); /* not this process's to leave: does nothing */
		err = err == MORI_SHMEM_ESTATE && boot_alone(NULL, 0, &b) == 0 ? 0 : 1;
		if (write(fd, &err, sizeof(err)) != sizeof(err))
			_exit(1);
		sleep(60);
		_exit(0);
	}
	if (write(fd, &child, sizeof(child)) != sizeof(child))
		return 1;
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe p = { .uid = uid, .rank = 0, .nranks = 2, .timeout_s = WAIT_S };
	int ends[2], words[2], err;
	pid_t parent, child;
	double start;

	test_deadline(60);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		return run_parent(uid, atoi(argv[3]));
	}
	CHECK(pipe(ends) == 0);
	CHECK(boot_open_rdv(&c, uid) == 0);
	parent = spawn("parent", uid, 1, ends[1]);
	CHECK(pe_join(&p) == 0);
	CHECK(read(ends[0], &words[0], sizeof(int)) == sizeof(int));
	CHECK(read(ends[0], &words[1], sizeof(int)) == sizeof(int));
	/* One is the child's pid, the other its 0: in either order. */
	child = words[0] ? words[0] : words[1];
	CHECK((words[0] == 0) != (words[1] == 0), "%d %d", words[0], words[1]);
	start = seconds();
	kill(parent, SIGKILL);
	reap(parent);
	err = boot_barrier(p.b, 0, WAIT_S);
	CHECK(err == MORI_SHMEM_EPEER && strstr(err_text(), "PE 1 (process"), "%d", err);
	CHECK(seconds() - start < 30);
	if (child > 1)
		kill(child, SIGKILL);
	boot_leave(p.b, 0);
	return test_result();
}
