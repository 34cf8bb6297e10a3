// SPDX-License-Identifier: MIT
/*
 * What somebody who reads every byte learns: a relay between the processes and the rendezvous
 * records a whole job, a listener takes the place of a process that descriptors are sent to, and
 * a process fetches the id as torchrun's do. None of the bytes is a secret, nor is an overheard
 * greeting of use.
 */
#define _GNU_SOURCE

#include "boot/helper.h"

#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <sys/un.h>

#include "boot/boot_priv.h"
#include "boot/rdv.h"
#include "stream/listen.h"

#define PES   3
#define BYTES (1 << 20)

static struct relay {
	pthread_t thread;
	int listener;
	uint16_t port, to;
	uint8_t *heard;
	size_t n;
} relay;

static int dial(uint16_t port)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_port = htons(port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = test_socket(AF_INET, SOCK_STREAM);

	CHECK(connect(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	return fd;
}

/* Each of @fd has its other end behind it; ends with the listener. */
static void *relay_main(void *arg)
{
	struct pollfd fd[1 + 2 * PES] = { { .fd = relay.listener, .events = POLLIN } };
	nfds_t n = 1;

	for (;;) {
		CHECK(poll(fd, n, -1) > 0);
		if (fd[0].revents) {
			int in = accept(relay.listener, NULL, NULL);

			if (in < 0 || n + 2 > sizeof(fd) / sizeof(*fd))
				break;
			fd[n++] = (struct pollfd){ .fd = in, .events = POLLIN };
			fd[n++] = (struct pollfd){ .fd = dial(relay.to), .events = POLLIN };
		}
		for (nfds_t i = 1; i < n; i++) {
			int other = fd[i % 2 ? i + 1 : i - 1].fd;
			ssize_t got;

			if (!fd[i].revents)
				continue;
			got = recv(fd[i].fd, relay.heard + relay.n, BYTES - relay.n, 0);
			if (got > 0) {
				CHECK(send(other, relay.heard + relay.n, (size_t)got,
					   MSG_NOSIGNAL) == got);
				relay.n += (size_t)got;
			} else {
				shutdown(other, SHUT_WR);
				fd[i].events = 0;
				fd[i].fd = ~fd[i].fd;
			}
		}
	}
	for (nfds_t i = 1; i < n; i++)
		close(fd[i].fd < 0 ? ~fd[i].fd : fd[i].fd);
	return arg;
}

static void relay_start(uint16_t to)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sa);

	relay.to = to;
	relay.heard = malloc(BYTES);
	relay.listener = test_socket(AF_INET, SOCK_STREAM);
	CHECK(bind(relay.listener, (struct sockaddr *)&sa, len) == 0 &&
	      listen(relay.listener, 8) == 0);
	CHECK(getsockname(relay.listener, (struct sockaddr *)&sa, &len) == 0);
	relay.port = ntohs(sa.sin_port);
	CHECK(pthread_create(&relay.thread, NULL, relay_main, NULL) == 0);
}

static void no_secret(const char *where, const void *bytes, size_t n, const void *secret)
{
	CHECK(n > 0 && !memmem(bytes, n, secret, MAC_BYTES), "%s", where);
	/* Not even a part of it. */
	CHECK(!memmem(bytes, n, secret, 6), "%s: a part", where);
}

/* A process of the job sends descriptors to us instead of to process 0. */
static void run_packet(struct boot *b)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = test_socket(AF_UNIX, SOCK_SEQPACKET), in, sent = 0;
	struct wire_proc was = b->procs[0].proc;
	char bytes[256];
	ssize_t n;

	memset(b->procs[0].proc.id, 0x77, sizeof(b->procs[0].proc.id));
	snprintf(sa.sun_path + 1, sizeof(sa.sun_path) - 1, "mori-%032d", 0);
	memset(sa.sun_path + 6, '7', 32);
	CHECK(bind(fd, (struct sockaddr *)&sa,
		   (socklen_t)offsetof(struct sockaddr_un, sun_path) + 38) == 0);
	CHECK(listen(fd, 1) == 0);
	CHECK(boot_send_fds(b, 0, 9, &sent, 1) == 0);
	in = accept(fd, NULL, NULL);
	n = recv(in, bytes, sizeof(bytes), 0);
	CHECK(n > 0);
	no_secret("packet", bytes, n > 0 ? (size_t)n : 0, boot_secret(b));
	no_secret("packet", bytes, n > 0 ? (size_t)n : 0, b->key);
	b->procs[0].proc = was;
	close(in);
	close(fd);
}

static int run_pe(const unsigned char *uid, int rank, int out)
{
	struct pe p = { .uid = uid, .rank = rank, .nranks = PES, .timeout_s = WAIT_S };

	if (!CHECK(pe_join(&p) == 0))
		return test_result();
	check_collectives(&p, 1);
	if (rank == 1) {
		run_packet(p.b);
		CHECK(write(out, boot_secret(p.b), MAC_BYTES) == MAC_BYTES);
	}
	CHECK(boot_barrier(p.b, rank, WAIT_S) == 0);
	boot_leave(p.b, rank);
	return test_result();
}

static void run_relay(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES], through[BOOT_UID_BYTES], secret[MAC_BYTES] = { 0 };
	struct greeting overheard, answer;
	pid_t pids[PES];
	struct uid u;
	int ends[2], fd;

	CHECK(boot_open_rdv(&c, uid) == 0 && uid_parse(uid, &u) == 0 && pipe(ends) == 0);
	relay_start(u.port);
	u.port = relay.port;
	uid_pack(&u, NULL, 0, through);
	for (int i = 0; i < PES; i++)
		pids[i] = spawn("pe", through, 2, i, ends[1]);
	for (int i = 0; i < PES; i++)
		CHECK(reap(pids[i]) == 0, "PE %d", i);
	CHECK(read(ends[0], secret, sizeof(secret)) == sizeof(secret));
	shutdown(relay.listener, SHUT_RDWR);
	pthread_join(relay.thread, NULL);
	close(relay.listener);
	no_secret("job", relay.heard, relay.n, u.secret);
	no_secret("job", relay.heard, relay.n, secret);
	/* The first bytes of all are a greeting, which does not let us in. */
	memcpy(&overheard, relay.heard, sizeof(overheard));
	CHECK(greet_check(&overheard, u.secret, GREET_JOIN));
	fd = dial(relay.to);
	CHECK(send(fd, &overheard, sizeof(overheard), 0) == sizeof(overheard));
	CHECK(recv(fd, &answer, sizeof(answer), MSG_WAITALL) == sizeof(answer));
	CHECK(answer.kind == GREET_REFUSED);
	close(fd);
	free(relay.heard);
	boot_close_rdv(uid);
}

/* The id that a published rendezvous hands out. */
static void run_fetch(void)
{
	static const uint8_t key[MAC_BYTES] = "what ranks know";
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES], got[sizeof(struct greeting) + BOOT_UID_BYTES];
	struct listener_set extra;
	struct greeting g;
	struct uid u;
	uint16_t port;
	int fd;

	CHECK(listen_open(NULL, 0, &extra) == 0);
	port = extra.port;
	CHECK(rdv_open(&c, 0, &extra, key, uid) == 0 && uid_parse(uid, &u) == 0);
	fd = dial(port);
	greet_make(&g, key, GREET_FETCH_ID, 0, 0, 0);
	CHECK(send(fd, &g, sizeof(g), 0) == sizeof(g));
	CHECK(recv(fd, got, sizeof(got), MSG_WAITALL) == sizeof(got));
	no_secret("id", got, sizeof(got), u.secret);
	greet_mask(key, g.nonce, got + sizeof(g), BOOT_UID_BYTES);
	CHECK(!memcmp(got + sizeof(g), uid, BOOT_UID_BYTES));
	close(fd);
	boot_close_rdv(uid);
}

int main(int argc, char **argv)
{
	unsigned char uid[BOOT_UID_BYTES];

	test_deadline(120);
	if (argc > 1) {
		test_uid(argc, argv, uid);
		return run_pe(uid, atoi(argv[3]), atoi(argv[4]));
	}
	run_relay();
	run_fetch();
	return test_result();
}
