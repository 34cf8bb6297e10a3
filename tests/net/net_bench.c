// SPDX-License-Identifier: MIT
/*
 * How fast the engine is between two network namespaces, beside a plain socket on the
 * same cable at the same time: round by round, so that a busy machine slows both.
 * Prints medians; data is verified. Not a test. Needs root.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "net/cable.h"
#include "net/job.h"

#define ROUNDS 21
#define PORT   4711
#define BIG    (16u << 20)

static int plain[2] = { -1, -1 }; /* latency: kernel's buffers; bandwidth: 128 KiB */

static int cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), cmp);
	return v[n / 2];
}

static void tune(int fd, int small)
{
	int one = 1, size = 128 << 10;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (!small)
		return;
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

static void plain_open(struct job *j)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	for (int i = 0; i < 2; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1;

		tune(fd, i);
		at.sin_port = htons((uint16_t)(PORT + i));
		inet_pton(AF_INET, "10.99.0.2", &at.sin_addr);
		if (j->rank == 1) {
			setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
			CHECK(!bind(fd, (struct sockaddr *)&at, sizeof(at)) && !listen(fd, 1));
			job_meet(j);
			plain[i] = accept(fd, NULL, NULL);
			close(fd);
		} else {
			job_meet(j);
			CHECK(!connect(fd, (struct sockaddr *)&at, sizeof(at)));
			plain[i] = fd;
		}
		tune(plain[i], i);
	}
}

static void all(int fd, void *buf, size_t len, int out, int spin)
{
	for (size_t done = 0; done < len;) {
		ssize_t n =
			out ? send(fd, (char *)buf + done, len - done, spin ? MSG_DONTWAIT : 0) :
			      recv(fd, (char *)buf + done, len - done, spin ? MSG_DONTWAIT : 0);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			exit(1);
	}
}

/* PE 0 measures; PE 1 echoes. */
static double plain_pingpong(struct job *j, int n)
{
	char word[8] = "1234567";
	double start = job_seconds();

	for (int i = 0; i < n; i++) {
		all(plain[0], word, 8, j->rank == 0, 1);
		all(plain[0], word, 8, j->rank != 0, 1);
	}
	return (job_seconds() - start) / n * 1e6;
}

static double plain_stream(struct job *j, uint8_t *buf, size_t len, int n)
{
	double start = job_seconds();
	char ack;

	for (int i = 0; i < n; i++)
		all(plain[1], buf, len, j->rank == 0, 0);
	all(plain[1], &ack, 1, j->rank != 0, 0);
	return (double)len * n / (job_seconds() - start) / 1e6;
}

static uint8_t *local;

enum what { PUT8, GET8, AMO, SIGNAL, N_LATENCY };
static const char *const names[] = { "put+quiet 8 B", "get 8 B", "fetch-add",
				     "put-signal ping-pong, half" };

static void wait_signal(struct job *j, uint64_t value)
{
	uint64_t *word = (uint64_t *)j->heap[j->rank];

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		net_progress(j->net);
}

static uint64_t sent;

static double latency(struct job *j, enum what what, int n)
{
	struct net_signal sig = { JOB_HEAP, 0, 1, MORI_SHMEM_SIGNAL_ADD };
	double start = job_seconds();
	uint64_t old;

	for (int i = 0; i < n; i++) {
		if (what == PUT8 && !job_put(j, 1, 64, local, 8, 0))
			net_quiet(j->net, 1);
		else if (what == GET8)
			job_get(j, 1, 64, local, 8, 0);
		else if (what == AMO)
			job_amo(j, 1, 128, 8, MORI_SHMEM_AMO_FETCH_ADD, 1, 0, &old);
		else if (what == SIGNAL) {
			sent++;
			if (j->rank)
				wait_signal(j, sent);
			net_put(j->net, &(struct net_at){ !j->rank, JOB_HEAP, 64 }, local, 8, &sig,
				0);
			if (!j->rank)
				wait_signal(j, sent);
		}
	}
	return (job_seconds() - start) / n * 1e6 / (what == SIGNAL ? 2 : 1);
}

static double bandwidth(struct job *j, size_t len, int n, int put)
{
	double start = job_seconds();

	for (int i = 0; i < n; i++) {
		if (put)
			job_put(j, 1, 4096, local, len, NET_NBI);
		else
			job_get(j, 1, 4096, local, len, NET_NBI);
	}
	CHECK_EQ("quiet", net_quiet(j->net, 1), 0);
	return (double)len * n / (job_seconds() - start) / 1e6;
}

/* PE 1 drives its engine as a PE in a wait does, or computes. */
static void serve(struct job *j, uint32_t upto, int polls)
{
	while (__atomic_load_n(&j->block->word[0], __ATOMIC_ACQUIRE) < upto) {
		if (polls == 1)
			net_progress(j->net);
		else if (polls == 2)
			usleep(1000);
	}
}

static void run_latency(struct job *j, int polls)
{
	double ours[ROUNDS], sock[ROUNDS];

	for (int what = 0; what < N_LATENCY; what++) {
		int n = 100;

		if (what == SIGNAL && polls != 1)
			continue;
		for (int r = 0; r < ROUNDS; r++) {
			job_meet(j);
			sock[r] = plain_pingpong(j, n);
			job_meet(j);
			uint32_t upto = j->block->word[0] + 1;
			job_meet(j);
			if (j->rank == 0 || what == SIGNAL)
				ours[r] = latency(j, (enum what)what, n);
			if (j->rank == 0)
				job_tell(&j->block->word[0], upto);
			else
				serve(j, upto, polls);
		}
		if (j->rank == 0) {
			double a = median(ours, ROUNDS), b = median(sock, ROUNDS);

			printf("%-28s target %-8s %8.2f us   least %6.2f   socket round trip %6.2f "
			       "(least %.2f)\n",
			       names[what],
			       polls == 1 ? "waits" :
			       polls	  ? "sleeps" :
					    "computes",
			       a, ours[0], b, sock[0]);
		}
	}
}

static void run_bandwidth(struct job *j, size_t len, int put)
{
	double ours[ROUNDS], sock[ROUNDS];
	int n = (int)((128u << 20) / len);

	n = n > 64 ? 64 : n;
	for (int r = 0; r < ROUNDS; r++) {
		job_meet(j);
		sock[r] = plain_stream(j, local, len, n);
		job_meet(j);
		uint32_t upto = j->block->word[0] + 1;
		job_meet(j);
		if (j->rank == 0) {
			ours[r] = bandwidth(j, len, n, put);
			job_tell(&j->block->word[0], upto);
		} else {
			serve(j, upto, 2);
		}
	}
	if (j->rank == 0) {
		double a = median(ours, ROUNDS), b = median(sock, ROUNDS);

		CHECK_MEM("data", local, j->heap[1] + 4096, len);
		printf("%s nbi %8zu B   %8.0f MB/s   best %6.0f   socket %8.0f (best %.0f)   ratio "
		       "%.2f\n",
		       put ? "put" : "get", len, a, ours[ROUNDS - 1], b, sock[ROUNDS - 1], a / b);
	}
}

static void bench(struct job *j)
{
	local = malloc(BIG);
	job_fill(local, BIG, 5);
	plain_open(j);
	run_latency(j, 1);
	run_latency(j, 2);
	run_latency(j, 0);
	for (size_t len = 64 << 10; len <= BIG; len *= 4) {
		run_bandwidth(j, len, 1);
		run_bandwidth(j, len, 0);
	}
	free(local);
	job_close(j);
}

int main(void)
{
	struct job j;
	pid_t pid[2];
	int go[2];
	char byte;

	if (!cable_hub())
		SKIP("needs root, network namespaces and ip(8)");
	job_make(&j, 2, BIG + 8192);
	j.ifname = "eth0";
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 0; i < 2; i++) {
		if (pipe(go))
			return 1;
		pid[i] = fork();
		if (pid[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			CHECK(!unshare(CLONE_NEWNET));
			CHECK(write(go[1], "x", 1) == 1);
			CHECK(!cable_end(i));
			if (!job_open(&j, i))
				bench(&j);
			exit(test_result());
		}
		CHECK(read(go[0], &byte, 1) == 1 && !cable_lay(pid[i], i));
	}
	for (int i = 0; i < 2; i++)
		CHECK_EQ("process", job_reap(pid[i]), 0);
	return test_result();
}
