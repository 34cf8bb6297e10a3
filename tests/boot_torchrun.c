// SPDX-License-Identifier: MIT
// TEST: serial=1
/*
 * torchrun's variables: four processes form a job twice, while other services use the
 * first ports of the list: one silent, one talking, one of another job of ours.
 */
#include "boot/helper.h"

#include <netinet/in.h>

#define PROCS 4

/* Find out which port rank 0 takes, by being rank 0 and looking at the sockets. */
static int listening_ports(int *ports, int max)
{
	static const char *const files[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	int n = 0;

	for (int i = 0; i < 2; i++) {
		FILE *f = fopen(files[i], "r");
		char line[512];

		while (f && fgets(line, sizeof(line), f)) {
			unsigned port, state;

			if (sscanf(line, "%*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &port,
				   &state) == 2 &&
			    state == 10 && port >= 20000 && port <= 32000 && n < max)
				ports[n++] = (int)port;
		}
		if (f)
			fclose(f);
	}
	return n;
}

static int new_port(const int *before, int n_before)
{
	int now[256], n = listening_ports(now, 256);

	for (int i = 0; i < n; i++) {
		int old = 0;

		for (int k = 0; k < n_before; k++)
			old |= before[k] == now[i];
		if (!old)
			return now[i];
	}
	return 0;
}

/* Another service on @port: its listening socket. */
static int occupy(int port)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port) };
	int fd = test_socket(AF_INET6, SOCK_STREAM), one = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (CHECK(bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0, "port %d", port))
		CHECK(listen(fd, 16) == 0);
	return fd;
}

/* The ports rank 0 takes one after another, each kept by the one before it. */
static int take_ports(int *kept, int n)
{
	struct boot_config c = test_config(WAIT_S);

	for (int i = 0; i < n; i++) {
		int before[256], n_before = listening_ports(before, 256), port;
		struct boot_job job;

		setenv("TORCHELASTIC_RUN_ID", "another job", 1);
		if (!CHECK(boot_find(&c, &job) == 0))
			return -1;
		port = new_port(before, n_before);
		CHECK(port > 0 && port != 29777);
		if (i == n - 1)
			return 0; /* left open: a rendezvous of another job */
		boot_close_rdv(job.uid);
		kept[i] = occupy(port);
	}
	return 0;
}

static void *talker(void *arg)
{
	for (;;) {
		int fd = accept(*(int *)arg, NULL, NULL);
		char text[400];

		if (fd < 0)
			return NULL;
		memset(text, 'x', sizeof(text));
		(void)!send(fd, text, sizeof(text), MSG_NOSIGNAL);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	static const unsigned char none[BOOT_UID_BYTES];
	pid_t pids[PROCS];
	pthread_t t;
	int kept[2];

	test_deadline(150);
	if (argc > 1) {
		setenv("RANK", argv[3], 1);
		return pe_turns(BOOT_TORCHRUN, PROCS, 2);
	}
	setenv("MASTER_ADDR", "localhost", 1);
	setenv("MASTER_PORT", "29777", 1);
	setenv("WORLD_SIZE", "4", 1);
	setenv("RANK", "0", 1);
	if (take_ports(kept, 3))
		return test_result();
	pthread_create(&t, NULL, talker, &kept[1]);
	setenv("TORCHELASTIC_RUN_ID", "this job", 1);
	for (int i = PROCS - 1; i >= 0; i--)
		pids[i] = spawn("pe", none, 1, i);
	for (int i = 0; i < PROCS; i++)
		CHECK(reap(pids[i]) == 0, "rank %d", i);
	shutdown(kept[1], SHUT_RDWR);
	pthread_join(t, NULL);
	(void)argv;
	return test_result();
}
