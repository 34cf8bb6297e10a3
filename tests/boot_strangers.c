// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * Strangers at the rendezvous while a job forms and runs: silent ones, garbage, a greeting with
 * a wrong secret, half a greeting, a huge length after a good greeting; more than the rendezvous
 * holds at a time. The job starts and works all the same.
 */
#include "boot/helper.h"

#include "boot/wire.h"
#include "stream/greet.h"

#include <netinet/in.h>

#define STRANGERS 400
#define PES	  6

enum { SILENT, GARBAGE, LONG_GARBAGE, WRONG_SECRET, HALF_GREETING, HUGE_FRAME, KINDS };

static void talk(int fd, int kind, const struct uid *u)
{
	struct wire_head head = { WIRE_JOIN, UINT32_MAX };
	struct greeting g;
	char junk[4096];

	memset(junk, 0x41, sizeof(junk));
	greet_make(&g, u->secret, GREET_JOIN, 0, 0, 0);
	switch (kind) {
	case GARBAGE:
		(void)!send(fd, junk, 10, MSG_NOSIGNAL);
		break;
	case LONG_GARBAGE:
		(void)!send(fd, junk, sizeof(junk), MSG_NOSIGNAL);
		break;
	case WRONG_SECRET:
		g.mac[0] ^= 1;
		(void)!send(fd, &g, sizeof(g), MSG_NOSIGNAL);
		break;
	case HALF_GREETING:
		(void)!send(fd, &g, sizeof(g) / 2, MSG_NOSIGNAL);
		break;
	case HUGE_FRAME:
		(void)!send(fd, &g, sizeof(g), MSG_NOSIGNAL);
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

/* What answers @g, and the end of the connection. */
static struct greeting answer_to(const struct uid *u, const struct greeting *g)
{
	struct greeting answer = { 0 };
	int fd = stranger(SILENT, u);
	char more;

	CHECK(send(fd, g, sizeof(*g), MSG_NOSIGNAL) == sizeof(*g));
	CHECK(recv(fd, &answer, sizeof(answer), MSG_WAITALL) == sizeof(answer));
	CHECK(answer.magic == GREET_MAGIC && answer.version == GREET_VERSION);
	shutdown(fd, SHUT_WR);
	while (recv(fd, &more, 1, 0) > 0)
		;
	close(fd);
	return answer;
}

/*
 * A greeting without the secret, one of another version and one that was overheard are answered
 * by a refusal, which proves nothing; so a client can tell a foreign id from a dead host.
 */
static void run_reject(const struct uid *u)
{
	struct greeting g, answer;

	greet_make(&g, u->secret, GREET_JOIN, 0, 0, 0);
	CHECK(greet_check(&g, u->secret, GREET_JOIN));
	answer = answer_to(u, &g);
	CHECK(answer.nonce == g.nonce && greet_check(&answer, u->secret, GREET_ACCEPTED));
	for (int what = 0; what < 3; what++) {
		if (what == 1)
			greet_make(&g, (const uint8_t *)"another secret!", GREET_JOIN, 0, 0, 0);
		if (what == 2)
			g.version++;
		answer = answer_to(u, &g); /* 0: the same once more */
		CHECK(answer.kind == GREET_REFUSED, "%d: %u", what, answer.kind);
		for (int i = 0; i < MAC_BYTES; i++)
			CHECK(answer.mac[i] == 0);
	}
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
