// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * Strangers at the rendezvous while a job forms and runs: silent ones, garbage, a
 * wrong secret, a hello cut in two, a huge length after a right hello; more than the
 * rendezvous keeps at a time. The job starts and works all the same.
 */
#include "boot/helper.h"

#include <netinet/in.h>

#define STRANGERS 400
#define PES	  6

enum { SILENT, GARBAGE, LONG_GARBAGE, WRONG_SECRET, HALF_HELLO, HUGE_FRAME, KINDS };

static void talk(int fd, int kind, const struct uid *u)
{
	struct wire_hello hello = { .magic = WIRE_MAGIC,
				    .version = WIRE_VERSION,
				    .what = WIRE_WHAT_JOIN };
	struct wire_head head = { WIRE_JOIN, UINT32_MAX };
	char junk[4096];

	memset(junk, 0x41, sizeof(junk));
	memcpy(hello.secret, u->client_secret, WIRE_SECRET);
	switch (kind) {
	case GARBAGE:
		(void)!send(fd, junk, 10, MSG_NOSIGNAL);
		break;
	case LONG_GARBAGE:
		(void)!send(fd, junk, sizeof(junk), MSG_NOSIGNAL);
		break;
	case WRONG_SECRET:
		hello.secret[0] ^= 1;
		(void)!send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
		break;
	case HALF_HELLO:
		(void)!send(fd, &hello, sizeof(hello) / 2, MSG_NOSIGNAL);
		break;
	case HUGE_FRAME:
		(void)!send(fd, &hello, sizeof(hello), MSG_NOSIGNAL);
		(void)!send(fd, &head, sizeof(head), MSG_NOSIGNAL);
		break;
	default:
		break;
	}
}

static int stranger(int kind, const struct uid *u)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_port = htons(u->port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = test_socket(AF_INET, SOCK_STREAM);

	CHECK(connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	talk(fd, kind, u);
	return fd;
}

static void *pe_main(void *arg)
{
	struct pe *p = arg;

	if (!CHECK(pe_join(p) == 0, "rank %d", p->rank))
		return NULL;
	check_table(p);
	for (int turn = 0; turn < 5; turn++)
		check_collectives(p, turn);
	CHECK(boot_barrier(p->b, p->rank, WAIT_S) == 0);
	boot_leave(p->b, p->rank);
	return NULL;
}

/* A wrong secret is answered, so that a client can tell a foreign id from a dead host. */
static void run_reject(const struct uid *u)
{
	struct wire_reply reply = { 0 };
	int fd = stranger(WRONG_SECRET, u);

	CHECK(recv(fd, &reply, sizeof(reply), MSG_WAITALL) == sizeof(reply));
	CHECK(reply.magic == WIRE_MAGIC && reply.answer == WIRE_FOREIGN);
	for (int i = 0; i < WIRE_SECRET; i++)
		CHECK(reply.secret[i] == 0);
	close(fd);
}

/* One that says nothing is dropped after some seconds. */
static void run_silent(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct uid u;
	double start = seconds();
	char byte;
	int fd;

	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0);
	fd = stranger(SILENT, &u);
	CHECK(recv(fd, &byte, 1, 0) <= 0);
	CHECK(seconds() - start > 2 && seconds() - start < 30);
	close(fd);
	boot_close_rdv(uid);
}

int main(int argc, char **argv)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct pe pes[PES] = { 0 };
	static int fds[STRANGERS];
	struct uid u;
	pid_t pid;

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		pes_start(pes, 2, PES - 2, PES, uid, pe_main);
		pes_join(pes, 2);
		return test_result();
	}
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0);
	run_reject(&u);
	for (int i = 0; i < STRANGERS / 2; i++)
		fds[i] = stranger(i % KINDS, &u);
	pes_start(pes, 2, 0, PES, uid, pe_main);
	for (int i = STRANGERS / 2; i < STRANGERS; i++)
		fds[i] = stranger(i % 4 ? SILENT : i % KINDS, &u);
	pid = spawn("pe", uid, 0);
	pes_start(pes + 2, 2, 2, PES, uid, pe_main);
	pes_join(pes, 4);
	CHECK(reap(pid) == 0);
	for (int i = 0; i < STRANGERS; i++)
		close(fds[i]);
	run_silent();
	return test_result();
}
