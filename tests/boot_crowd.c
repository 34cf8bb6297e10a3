// SPDX-License-Identifier: MIT
/*
 * A rendezvous that runs out of descriptors because strangers hold connections to
 * it: it lets go of them, one after another, and the job starts.
 */
#include "boot/helper.h"

#include <netinet/in.h>
#include <sys/resource.h>

#define CROWD 100
#define ROOM  30 /* descriptors the rendezvous has for all of them */

static void run_crowd(const unsigned char *uid, int ready)
{
	struct uid u;
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	CHECK(uid_parse(uid, &u) == 0);
	sa.sin_port = htons(u.port);
	for (int i = 0; i < CROWD; i++) {
		int fd = test_socket(AF_INET, SOCK_STREAM);

		CHECK(connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	}
	CHECK(write(ready, "x", 1) == 1);
	for (;;)
		pause();
}

static int run_pe(const unsigned char *uid, int rank)
{
	struct pe p = { .uid = uid, .rank = rank, .nranks = 3, .timeout_s = WAIT_S };

	if (CHECK(pe_join(&p) == 0)) {
		check_table(&p);
		check_collectives(&p, 1);
		CHECK(boot_barrier(p.b, rank, WAIT_S) == 0);
		boot_leave(p.b, rank);
	}
	return test_result();
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t crowd, pids[3];
	struct rlimit before, few;
	int ends[2];
	char byte;

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		if (!strcmp(argv[1], "crowd"))
			run_crowd(uid, atoi(argv[3]));
		return run_pe(uid, atoi(argv[3]));
	}
	CHECK(pipe(ends) == 0);
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
	few = before;
	few.rlim_cur = (rlim_t)count_fds() + ROOM;
	crowd = spawn("crowd", uid, 1, ends[1]);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0); /* for the children */
	for (int i = 0; i < 3; i++)
		pids[i] = spawn("pe", uid, 1, i);
	CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0);
	for (int i = 0; i < 3; i++)
		CHECK(reap(pids[i]) == 0);
	kill(crowd, SIGKILL);
	reap(crowd);
	boot_close_rdv(uid);
	return test_result();
}
