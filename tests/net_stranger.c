// SPDX-License-Identifier: MIT
/* TEST: wrapper=none timeout=120 */
/*
 * A process that connects without the job's secret: it sends nothing, garbage, half a
 * greeting, or speaks the protocol with a secret of its own. It reads nothing and
 * writes nothing, and the job goes on.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "net/job.h"

#define SILENT 300 /* more than are held */

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
	test_deadline(115);
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
