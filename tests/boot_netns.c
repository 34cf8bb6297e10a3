// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * Two network namespaces joined by a cable, as two machines would be: IPv6 only,
 * then IPv4 only. The PEs form a job, know that they are on different nodes although the
 * boot id is the same, and notice when the cable is cut. Needs root; else skipped.
 */
#define _GNU_SOURCE

#include "boot/helper.h"
#include "nodes/cable.h"

#include <sched.h>

#define CUT_S 60.0 /* keep-alives need some 20 s to be sure */

static void plug(const char *dev, int v6, int host)
{
	CHECK(sh("ip link set lo up && ip link set %s up", dev) == 0);
	if (v6)
		CHECK(sh("ip addr add fd42::%d/64 dev %s nodad", host, dev) == 0);
	else
		CHECK(sh("ip addr add 10.99.0.%d/24 dev %s", host, dev) == 0);
}

static void run_pe(const unsigned char *uid, int rank, int cut)
{
	struct pe p = { .uid = uid, .rank = rank, .nranks = 2, .timeout_s = WAIT_S };
	int fd = 0, err;

	if (!CHECK(pe_join(&p) == 0))
		return;
	CHECK(boot_n_nodes(p.b) == 2 && boot_n_procs(p.b) == 2);
	CHECK(boot_peer(p.b, 0)->node == 0 && boot_peer(p.b, 1)->node == 1);
	check_collectives(&p, 3);
	CHECK(boot_send_fds(p.b, !rank, 1, &fd, 1) == MORI_SHMEM_EREACH);
	CHECK(boot_barrier(p.b, rank, WAIT_S) == 0);
	nap(0.5); /* the barrier's answer is on its way to the other */
	if (cut && rank == 0)
		CHECK(sh("ip link set va down") == 0);
	if (cut) {
		double start = seconds();

		err = rank == 1 ? boot_barrier(p.b, rank, CUT_S) : MORI_SHMEM_EPEER;
		CHECK(err == MORI_SHMEM_EPEER, "%d after %.1f s", err, seconds() - start);
		if (rank == 1)
			CHECK(strstr(err_text(), "PE 0 (process") && boot_lost(p.b, 0));
	}
	boot_leave(p.b, rank);
}

/* PE 0, which hosts the rendezvous. Lays the cable to the namespace of @other. */
static int run_a(int v6, int cut, pid_t other, int to_b)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct uid u;

	CHECK(unshare(CLONE_NEWNET) == 0);
	CHECK(sh("ip link add va type veth peer name vb netns %d", (int)other) == 0);
	plug("va", v6, 1);
	nap(0.3); /* the other end comes up */
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0 && u.n_addrs == 1 && u.addrs[0].family == (v6 ? 6 : 4));
	CHECK(write(to_b, uid, sizeof(uid)) == sizeof(uid));
	run_pe(uid, 0, cut);
	return test_result();
}

static int run_b(int v6, int cut, int ready, int from_a)
{
	unsigned char uid[BOOT_UID_BYTES];

	CHECK(unshare(CLONE_NEWNET) == 0);
	CHECK(write(ready, "x", 1) == 1);
	for (int i = 0; i < 500 && sh("ip link show vb >/dev/null 2>&1") != 0; i++)
		nap(0.02);
	plug("vb", v6, 2);
	if (CHECK(read(from_a, uid, sizeof(uid)) == sizeof(uid)))
		run_pe(uid, 1, cut);
	return test_result();
}

static void run(int v6, int cut)
{
	int uid_pipe[2] = { -1, -1 }, ready[2] = { -1, -1 };
	pid_t a, b;
	char byte;

	if (!CHECK(pipe(uid_pipe) == 0 && pipe(ready) == 0))
		return;
	b = fork();
	if (b == 0)
		exit(run_b(v6, cut, ready[1], uid_pipe[0]));
	CHECK(read(ready[0], &byte, 1) == 1);
	a = fork();
	if (a == 0)
		exit(run_a(v6, cut, b, uid_pipe[1]));
	CHECK(reap(b) == 0, "PE 1, IPv%d", v6 ? 6 : 4);
	CHECK(reap(a) == 0, "PE 0, IPv%d", v6 ? 6 : 4);
	close(uid_pipe[0]);
	close(uid_pipe[1]);
	close(ready[0]);
	close(ready[1]);
}

static int can_unshare(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(unshare(CLONE_NEWNET) ||
		      sh("ip link add va type veth peer name vb 2>/dev/null"));
	return reap(pid) == 0;
}

int main(void)
{
	test_deadline(170);
	if (!can_unshare()) {
		printf("skipped: needs root, network namespaces and ip(8)\n");
		return 77;
	}
	run(1, 0);
	run(0, 1);
	return test_result();
}
