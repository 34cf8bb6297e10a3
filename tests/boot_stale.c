// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * Ids that lead nowhere: one whose listener is gone, one of another rendezvous that
 * now has the port, a port that another service uses, and bytes that are not an id.
 */
#include "boot/helper.h"

#include <arpa/inet.h>
#include <netinet/in.h>

static int try_join(const unsigned char *uid, double timeout_s)
{
	struct boot_config c = test_config(timeout_s);
	struct boot *b = NULL;
	int err = boot_join(&c, uid, 0, 1, NULL, 0, &b);

	if (!err)
		boot_leave(b, 0);
	return err;
}

static void run_stale(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	double start;
	int err;

	CHECK(boot_open_rdv(&c, uid) == 0);
	boot_close_rdv(uid);
	start = seconds();
	err = try_join(uid, WAIT_S);
	CHECK(err == MORI_SHMEM_EREACH, "%d", err);
	CHECK(strstr(err_text(), "stale"));
	CHECK(seconds() - start < WAIT_S / 2);
	/* Used and finalized: stale as well. */
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(try_join(uid, WAIT_S) == 0);
	err = try_join(uid, WAIT_S);
	CHECK(err == MORI_SHMEM_EREACH && strstr(err_text(), "stale"), "%d", err);
	/* From another node it takes a few tries, but not forever. */
	{
		struct uid u;

		CHECK(uid_parse(uid, &u) == 0);
		u.node ^= 1;
		uid_pack(&u, (struct ip_addr[]){ { .family = 4, .bytes = { 127, 0, 0, 1 } } }, 1,
			 uid);
		start = seconds();
		err = try_join(uid, WAIT_S);
		CHECK(err == MORI_SHMEM_EREACH && strstr(err_text(), "stale"), "%d", err);
		CHECK(seconds() - start < WAIT_S / 2);
	}
}

/* The right port, but the secret of another job, which differs in one bit. */
static void run_foreign(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char here[BOOT_UID_BYTES], uid[BOOT_UID_BYTES];
	struct uid u;

	CHECK(boot_open_rdv(&c, here) == 0);
	for (int bit = 0; bit < 8 * MAC_BYTES; bit += 37) {
		double start = seconds();
		int err;

		CHECK(uid_parse(here, &u) == 0);
		u.secret[bit / 8] ^= (uint8_t)(1 << bit % 8);
		uid_pack(&u, u.addrs, u.n_addrs, uid);
		err = try_join(uid, WAIT_S);
		CHECK(err == MORI_SHMEM_EREACH, "%d", err);
		CHECK(strstr(err_text(), "foreign"));
		CHECK(seconds() - start < WAIT_S / 2);
	}
	CHECK(try_join(here, WAIT_S) == 0); /* the rendezvous took no harm */
}

struct sitter {
	int fd;
	const char *says; /* NULL: nothing; "": closes at once */
};

static void *sitter_main(void *arg)
{
	struct sitter *s = arg;

	for (;;) {
		int fd = accept(s->fd, NULL, NULL);

		if (fd < 0)
			return NULL;
		if (s->says && s->says[0])
			(void)!send(fd, s->says, strlen(s->says), MSG_NOSIGNAL);
		if (s->says && !s->says[0])
			close(fd);
	}
}

/* A service of somebody else has the port. */
static void run_sitter(const char *says, double timeout_s)
{
	struct sockaddr_in sa = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(sa);
	struct sitter s = { test_socket(AF_INET, SOCK_STREAM), says };
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES];
	struct uid u;
	pthread_t t;
	int err;

	CHECK(bind(s.fd, (struct sockaddr *)&sa, len) == 0 && listen(s.fd, 16) == 0);
	CHECK(getsockname(s.fd, (struct sockaddr *)&sa, &len) == 0);
	CHECK(pthread_create(&t, NULL, sitter_main, &s) == 0);
	CHECK(boot_open_rdv(&c, uid) == 0);
	CHECK(uid_parse(uid, &u) == 0);
	boot_close_rdv(uid);
	u.port = ntohs(sa.sin_port);
	uid_pack(&u, NULL, 0, uid);
	err = try_join(uid, timeout_s);
	CHECK(err == MORI_SHMEM_EREACH, "%d", err);
	shutdown(s.fd, SHUT_RDWR);
	pthread_join(t, NULL);
	close(s.fd);
}

static void run_garbage(void)
{
	struct boot_config c = test_config(WAIT_S);
	unsigned char uid[BOOT_UID_BYTES] = { 0 };

	CHECK(try_join(uid, WAIT_S) == MORI_SHMEM_EINVAL && strstr(err_text(), "all zero"));
	memset(uid, 0x5a, sizeof(uid));
	CHECK(try_join(uid, WAIT_S) == MORI_SHMEM_EINVAL);
	CHECK(boot_open_rdv(&c, uid) == 0);
	for (int i = 0; i < BOOT_UID_BYTES; i++) {
		uid[i] ^= 0x10;
		CHECK(try_join(uid, WAIT_S) == MORI_SHMEM_EINVAL, "byte %d", i);
		uid[i] ^= 0x10;
	}
	CHECK(try_join(uid, WAIT_S) == 0);
}

int main(void)
{
	test_deadline(120);
	run_stale();
	run_foreign();
	run_sitter("", WAIT_S);
	run_sitter("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain; "
		   "charset=utf-8\r\n\r\n400 Bad Request and some more bytes to fill a whole reply",
		   WAIT_S);
	run_sitter(NULL, 1.0);
	run_garbage();
	return test_result();
}
