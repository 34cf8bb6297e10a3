// SPDX-License-Identifier: MIT
/*
 * Descriptors between processes, both ways, many, to oneself, out of order; with
 * strangers at the unix socket: one who sends nothing, one who sends garbage and one
 * whose greeting was made with another secret, with a descriptor; and with a process that
 * has no descriptor left.
 */
#define _GNU_SOURCE

#include "boot/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/un.h>

#include "boot/boot_priv.h"

#define PROCS 3
#define MANY  250
#define CROWD (3 * ACCEPTOR_ACCEPTS)

/* A memory file that says who made it for whom. */
static int make_fd(int from, int to, int i)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	int32_t words[3] = { from, to, i };

	CHECK(fd >= 0 && write(fd, words, sizeof(words)) == sizeof(words));
	return fd;
}

static void check_fd(int fd, int from, int to, int i)
{
	int32_t words[3] = { -1, -1, -1 };

	CHECK(pread(fd, words, sizeof(words), 0) == sizeof(words));
	CHECK(words[0] == from && words[1] == to && words[2] == i, "%d %d %d", words[0], words[1],
	      words[2]);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
}

static void send_one(struct boot *b, int to, uint32_t tag, int n)
{
	int fds[MANY], me = boot_my_proc(b);

	for (int i = 0; i < n; i++)
		fds[i] = make_fd(me, to, (int)tag * 1000 + i);
	CHECK(boot_send_fds(b, to, tag, fds, n) == 0);
	for (int i = 0; i < n; i++)
		close(fds[i]);
}

static void recv_one(struct boot *b, int from, uint32_t tag, int n)
{
	int fds[MANY], me = boot_my_proc(b);

	memset(fds, 0xff, sizeof(fds));
	if (!CHECK(boot_recv_fds(b, from, tag, fds, n, WAIT_S) == 0))
		return;
	for (int i = 0; i < n; i++)
		check_fd(fds[i], from, me, (int)tag * 1000 + i);
}

/* Call a process as somebody who does not know the secret. */
static void call_as_stranger(const char *name, size_t len, int to, int what)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = test_socket(AF_UNIX, SOCK_SEQPACKET);
	char junk[sizeof(struct greeting)];
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { junk, sizeof(junk) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	memcpy(sa.sun_path + 1, name, len);
	memset(junk, 0x5a, sizeof(junk));
	memset(&control, 0, sizeof(control));
	if (what == 2) {
		struct greeting g;

		/* From 1, with tag 1 and one descriptor. */
		greet_make(&g, (const uint8_t *)"another secret!", GREET_FDS, 1, to,
			   UINT64_C(1) << 32 | 2);
		memcpy(junk, &g, sizeof(g));
		msg.msg_control = &control;
		msg.msg_controllen = sizeof(control);
		control.head = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)),
						 .cmsg_level = SOL_SOCKET,
						 .cmsg_type = SCM_RIGHTS };
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
	}
	CHECK(connect(fd, (struct sockaddr *)&sa,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) == 0);
	if (what > 0)
		CHECK(sendmsg(fd, &msg, MSG_NOSIGNAL) > 0 || errno == EPIPE);
	else
		nap(0.05); /* says nothing and stays a while */
	close(fd);
}

static void call_all_as_stranger(struct boot *b)
{
	for (int i = 0; i < PROCS; i++) {
		char name[64] = "mori-";

		for (int k = 0; k < 16; k++)
			snprintf(name + 5 + 2 * k, 3, "%02x", b->procs[i].proc.id[k]);
		for (int what = 0; what < 3; what++)
			call_as_stranger(name, strlen(name), i, what);
	}
}

/* Many who call at once are let in a part at a time, and none is dropped. */
static void run_crowd(void)
{
	struct boot b = { .me.id = "a crowd", .acceptor = ACCEPTOR_CLOSED };
	struct sockaddr_un sa;
	socklen_t len = sizeof(sa);
	int fd[CROWD];

	CHECK(fds_listen(&b) == 0 && b.acceptor.n_listeners == 1);
	CHECK(getsockname(b.acceptor.listeners[0], (struct sockaddr *)&sa, &len) == 0);
	for (int i = 0; i < CROWD; i++) {
		fd[i] = test_socket(AF_UNIX, SOCK_SEQPACKET);
		CHECK(connect(fd[i], (struct sockaddr *)&sa, len) == 0);
	}
	for (int turn = 1; turn * ACCEPTOR_ACCEPTS <= CROWD; turn++) {
		acceptor_turn(&b.acceptor);
		CHECK(b.acceptor.n_strangers == turn * ACCEPTOR_ACCEPTS, "%d",
		      b.acceptor.n_strangers);
	}
	for (int i = 0; i < CROWD; i++)
		close(fd[i]);
	fds_free(&b);
}

static void run_errors(struct boot *b)
{
	int fd = make_fd(0, 0, 0), me = boot_my_proc(b), fds[2];

	CHECK(boot_send_fds(b, PROCS, 1, &fd, 1) == MORI_SHMEM_EINVAL);
	CHECK(boot_send_fds(b, me, 1, &fd, 251) == MORI_SHMEM_EINVAL);
	CHECK(boot_recv_fds(b, (me + 1) % PROCS, 99, fds, 1, 0.05) == MORI_SHMEM_ETIMEDOUT);
	CHECK(boot_send_fds(b, me, 98, &fd, 1) == 0);
	CHECK(boot_recv_fds(b, me, 98, fds, 2, WAIT_S) == MORI_SHMEM_EMISMATCH);
	close(fd);
}

static int fails_with(int err, const char *text)
{
	return err == MORI_SHMEM_EIO && strstr(err_text(), text);
}

/* Process 1 has no descriptor left: who waits for what it would send or receive hears of it. */
static void run_no_room(struct boot *b, int rank)
{
	struct rlimit was, none;
	int fd = make_fd(rank, 0, 0), got;

	CHECK(getrlimit(RLIMIT_NOFILE, &was) == 0);
	none = (struct rlimit){ .rlim_cur = 3, .rlim_max = was.rlim_max };
	if (rank == 1)
		CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0);
	CHECK(boot_barrier(b, rank, WAIT_S) == 0);
	if (rank == 0)
		CHECK(boot_send_fds(b, 1, 5, &fd, 1) == 0);
	if (rank == 1)
		CHECK(fails_with(boot_send_fds(b, 2, 5, &fd, 1), "unix socket"));
	if (rank == 1)
		CHECK(fails_with(boot_recv_fds(b, 0, 5, &got, 1, 600), "ulimit -n"));
	if (rank == 2)
		CHECK(fails_with(boot_recv_fds(b, 1, 5, &got, 1, 600), "unix socket"));
	CHECK(boot_barrier(b, rank, WAIT_S) == 0);
	CHECK(setrlimit(RLIMIT_NOFILE, &was) == 0);
	close(fd);
}

static int run_pe(const unsigned char *uid, int rank)
{
	struct pe p = { .uid = uid, .rank = rank, .nranks = PROCS, .timeout_s = WAIT_S };
	int before;

	if (!CHECK(pe_join(&p) == 0))
		return test_result();
	before = count_fds();
	if (rank == 0)
		call_all_as_stranger(p.b);
	CHECK(boot_barrier(p.b, rank, WAIT_S) == 0); /* so that they came first */
	for (int to = 0; to < PROCS; to++) {
		send_one(p.b, to, 1, 1);
		send_one(p.b, to, 2, 3);
		send_one(p.b, to, 3, 0);
	}
	send_one(p.b, (rank + 1) % PROCS, 4, MANY);
	for (int from = PROCS - 1; from >= 0; from--) {
		recv_one(p.b, from, 2, 3);
		recv_one(p.b, from, 1, 1);
		recv_one(p.b, from, 3, 0);
	}
	recv_one(p.b, (rank + PROCS - 1) % PROCS, 4, MANY);
	run_errors(p.b);
	CHECK(boot_barrier(p.b, rank, WAIT_S) == 0);
	/* A stranger's connection may stay for some seconds; its descriptor may not. */
	CHECK(count_fds() <= before + 3, "%d before, %d after", before, count_fds());
	run_no_room(p.b, rank);
	boot_leave(p.b, rank);
	return test_result();
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	pid_t pids[PROCS];

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		return run_pe(uid, atoi(argv[3]));
	}
	run_crowd();
	CHECK(boot_open_rdv(&c, uid) == 0);
	for (int i = 0; i < PROCS; i++)
		pids[i] = spawn("pe", uid, 1, i);
	for (int i = 0; i < PROCS; i++)
		CHECK(reap(pids[i]) == 0, "process %d", i);
	boot_close_rdv(uid);
	return test_result();
}
