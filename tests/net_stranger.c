// SPDX-License-Identifier: MIT
/* TEST: waits=1 wrapper=none timeout=240 */
/*
 * A process that connects without the job's secret: it sends nothing, garbage, half a greeting, a
 * greeting or an answer that it overheard, or speaks the protocol with a secret of its own. It
 * reads nothing and writes nothing, and the job continues.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "net/job.h"

#define SILENT 300 /* more than are held */
#define HELLO  48  /* bytes of a greeting */

/* Where PE @pe listens: the blob is 0, a length and a socket address. */
static int knock(const struct job *j, int pe)
{
	const struct sockaddr *sa = (const void *)(j->block->address[pe] + 8);
	int fd = socket(sa->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t len;

	memcpy(&len, j->block->address[pe] + 4, 4);
	if (!CHECK(fd >= 0 && !connect(fd, sa, len))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Send @len bytes; nothing of the heap comes back. */
static void say(const struct job *j, const void *text, size_t len)
{
	struct timeval limit = { .tv_sec = 8 };
	char back[256];
	int fd = knock(j, 0);
	ssize_t n;

	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (len)
		(void)!send(fd, text, len, MSG_NOSIGNAL);
	while ((n = recv(fd, back, sizeof(back), 0)) > 0)
		CHECK(!memmem(back, (size_t)n, "SECRET", 6));
	close(fd);
}

static void speak_with_another_secret(struct job *j)
{
	int32_t proc_of[2] = { 0, 1 };
	struct net_config config = { .n_pes = 2,
				     .n_procs = 2,
				     .my_proc = 1,
				     .proc_of = proc_of,
				     .secret = (const unsigned char *)"fedcba9876543210",
				     .provider = j->provider,
				     .ifname = "lo",
				     .timeout_s = 3 };
	char got[4096] = "";
	struct net *net;

	if (!CHECK_EQ("open", net_open(&config, &net), 0))
		return;
	net_peers(net, (const unsigned char(*)[NET_ADDRESS_BYTES])j->block->address);
	CHECK(net_get(net, &(struct net_at){ 0, JOB_HEAP, 0 }, got, 4096, 0) != 0);
	CHECK(!memmem(got, sizeof(got), "SECRET", 6));
	CHECK(net_put(net, &(struct net_at){ 0, JOB_HEAP, 0 }, got, 4096, NULL, 0) != 0 ||
	      net_quiet(net, 0) != 0);
	CHECK(net_amo(net, &(struct net_at){ 0, JOB_HEAP, 64 }, 8, MORI_SHMEM_AMO_SET, 1, 0,
		      NULL) != 0 ||
	      net_quiet(net, 0) != 0);
	net_close(net);
}

static void stranger(struct job *j)
{
	static uint8_t noise[70000];
	int silent[SILENT];

	job_await(&j->block->word[0], 2);
	job_fill(noise, sizeof(noise), 1);
	say(j, noise, 3);
	say(j, noise, 48);
	say(j, noise, sizeof(noise));
	memcpy(noise, "ten-irom", sizeof("ten-irom") - 1); /* as the greeting begins */
	say(j, noise, 48);
	for (int i = 0; i < SILENT; i++)
		silent[i] = knock(j, 0);
	speak_with_another_secret(j);
	job_tell(&j->block->word[1], 1); /* the job must work beside the silent ones */
	job_await(&j->block->word[2], 1);
	for (int i = 0; i < SILENT; i++)
		close(silent[i]);
}

static void member(struct job *j)
{
	uint8_t got[4096];

	memset(j->heap[j->rank], 0x11, j->len);
	memcpy(j->heap[j->rank] + 100, "SECRET", 6);
	__atomic_add_fetch(&j->block->word[0], 1, __ATOMIC_RELEASE);
	job_await(&j->block->word[1], 1);
	for (size_t i = 0; i < j->len; i++) {
		if (i < 100 || i >= 106)
			CHECK(j->heap[j->rank][i] == 0x11);
	}
	CHECK_EQ("get", job_get(j, !j->rank, 0, got, sizeof(got), 0), 0);
	CHECK_MEM("get", got, j->heap[!j->rank], sizeof(got));
	job_meet(j);
	job_tell(&j->block->word[2], 1);
	job_close(j);
}

/* What crossed the wire between PE 1 and PE 0; PE 0's own address is the block's last. */
#define REAL (JOB_MAX - 1)
static uint8_t hello[HELLO], answer[HELLO];

/* Forwards @len bytes of one to the other. */
static void pass(int from, int to, uint8_t *bytes, size_t len)
{
	CHECK_EQ("overheard", recv(from, bytes, len, MSG_WAITALL), (ssize_t)len);
	CHECK_EQ("passed on", send(to, bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* Forwards between the two until PE 1 has reached step @step. */
static void relay(struct job *j, int asks, int serves, uint32_t step)
{
	struct pollfd fds[2] = { { .fd = asks, .events = POLLIN },
				 { .fd = serves, .events = POLLIN } };
	char bytes[8192];

	while (__atomic_load_n(&j->block->word[0], __ATOMIC_ACQUIRE) < step) {
		int from = poll(fds, 2, 1) <= 0 ? -1 : fds[0].revents ? 0 : 1;
		ssize_t n = from < 0 ? 0 : recv(fds[from].fd, bytes, sizeof(bytes), 0);

		if (n > 0)
			CHECK_EQ("relayed", send(fds[!from].fd, bytes, (size_t)n, MSG_NOSIGNAL), n);
	}
}

/* Once more what PE 1 has said, and a request behind it: PE 0 must hang up without a word. */
static void say_again(struct job *j, const char *when)
{
	struct timeval limit = { .tv_sec = 20 };
	uint8_t text[HELLO + 88] = { 0 }, back[256];
	int fd = knock(j, REAL);
	ssize_t n;

	memcpy(text, hello, HELLO);
	text[HELLO] = 2; /* a get */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	(void)!send(fd, text, sizeof(text), MSG_NOSIGNAL);
	n = recv(fd, back, sizeof(back), 0);
	if (!CHECK(n == 0 || (n < 0 && errno == ECONNRESET)))
		printf("said again %s: %zd bytes came back\n", when, n);
	close(fd);
}

/* The same process once more, with the same secret: it must not accept repeated greetings. */
static void join_again(struct job *j)
{
	int32_t proc_of[2] = { 0, 1 };
	struct net_config config = { .n_pes = 2,
				     .n_procs = 2,
				     .my_proc = 1,
				     .proc_of = proc_of,
				     .secret = (const unsigned char *)j->secret,
				     .provider = j->provider,
				     .ifname = "lo",
				     .timeout_s = 60 };
	uint8_t got[64];

	CHECK_EQ("open", net_open(&config, &j->net), 0);
	net_peers(j->net, (const unsigned char(*)[NET_ADDRESS_BYTES])j->block->address);
	CHECK_EQ("get", job_get(j, 0, 0, got, sizeof(got), 0), MORI_SHMEM_EREACH);
	CHECK_TEXT(err_text(), "not of this job");
}

/* PE 1 finds PE 0 where the tap listens; word 0 is its step, 1 and 2 are the tap's. */
static void tapped(struct job *j)
{
	uint8_t got[64];

	memset(j->heap[j->rank], 0x21 + j->rank, j->len);
	job_meet(j);
	for (uint32_t step = 1; j->rank == 1 && step <= 2; step++) {
		CHECK_EQ("get", job_get(j, 0, 0, got, sizeof(got), 0), 0);
		CHECK_EQ("get", got[63], 0x21);
		job_tell(&j->block->word[0], step);
		job_await(&j->block->word[1], step);
	}
	if (j->rank == 1) {
		net_close(j->net);
		job_tell(&j->block->word[0], 3);
		join_again(j);
	}
	job_await(&j->block->word[2], 1);
	net_close(j->net);
}

/* A tap on the wire: it repeats everything it receives, in the name of either side. */
static void tap(struct job *j, int listener)
{
	int asks = accept(listener, NULL, NULL), serves = knock(j, REAL);
	char end;

	pass(asks, serves, hello, HELLO);
	pass(serves, asks, answer, HELLO);
	relay(j, asks, serves, 1);
	say_again(j, "while it is connected");
	job_tell(&j->block->word[1], 1);
	relay(j, asks, serves, 2);
	job_tell(&j->block->word[1], 2);
	job_await(&j->block->word[0], 3);
	close(asks);
	close(serves);
	for (int i = 0; i < 3; i++) {
		usleep(50000);
		say_again(j, "after it has gone");
	}
	asks = accept(listener, NULL, NULL);
	CHECK_EQ("greeted", recv(asks, hello, HELLO, MSG_WAITALL), HELLO);
	CHECK_EQ("an old answer", send(asks, answer, HELLO, MSG_NOSIGNAL), HELLO);
	CHECK(recv(asks, &end, 1, 0) <= 0);
	close(asks);
	job_tell(&j->block->word[2], 1);
}

static void run_tap(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint32_t len = sizeof(at);
	struct job j;
	pid_t pid[2];

	CHECK(!bind(listener, (struct sockaddr *)&at, len) && !listen(listener, 8) &&
	      !getsockname(listener, (struct sockaddr *)&at, &len));
	job_make(&j, 3, 4096); /* the tap joins their barrier, and moves in before they check */
	j.provider = "socket";
	for (int i = 0; i < 2; i++)
		pid[i] = job_fork(&j, i, tapped);
	while (__atomic_load_n(&j.block->came, __ATOMIC_ACQUIRE) < 2)
		usleep(200);
	memcpy(j.block->address[REAL], j.block->address[0], NET_ADDRESS_BYTES);
	memcpy(j.block->address[0] + 4, &len, 4);
	memcpy(j.block->address[0] + 8, &at, sizeof(at));
	job_meet(&j);
	job_meet(&j);
	tap(&j, listener);
	for (int i = 0; i < 2; i++)
		CHECK_EQ("a PE", job_reap(pid[i]), 0);
	close(listener);
	job_drop(&j);
}

static void run(const char *provider)
{
	struct job j;
	pid_t pid[2];

	job_make(&j, 2, 4096);
	j.provider = provider;
	for (int i = 0; i < 2; i++)
		pid[i] = job_fork(&j, i, member);
	if (!strcmp(provider, "socket")) {
		stranger(&j);
	} else {
		job_await(&j.block->word[0], 2);
		speak_with_another_secret(&j);
		job_tell(&j.block->word[1], 1);
	}
	for (int i = 0; i < 2; i++)
		CHECK_EQ("a PE", job_reap(pid[i]), 0);
	job_drop(&j);
}

int main(void)
{
	test_deadline(JOB_LIMIT(235));
	run_tap();
	for (size_t i = 0; i < TEST_LEN(job_providers); i++) {
		/* Each in a process of its own: libfabric does not like to be forked. */
		pid_t pid;

		if (i && !job_has(job_providers[i]))
			continue;
		pid = fork();
		if (pid == 0) {
			run(job_providers[i]);
			exit(test_result());
		}
		CHECK_EQ(job_providers[i], job_reap(pid), 0);
	}
	return test_result();
}
