// SPDX-License-Identifier: MIT
/* TEST: waits=1 wrapper=none */
/*
 * Many processes connect to one PE at once. Hundreds of processes of the job, of which all but one
 * are sockets of this test, find it stopped, and it must answer each of them when it continues;
 * strangers that connect and close cost it little memory. A process that hangs up before the answer
 * is tried again.
 */
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "net/engine.h"
#include "net/job.h"

#define CROWD	  600 /* more than twice as many as are held before they greet */
#define FLOOD	  1000
#define FLOOD_KIB 2500 /* a page or two for each that is held, not for each that came */
#define HANGS_UP  3

static int32_t proc_of[CROWD];

/* What process @proc would greet with. */
static struct net engine_like(int proc)
{
	struct net e = { .config = { .n_procs = CROWD, .my_proc = proc } };

	memcpy(e.secret, "0123456789abcdef", sizeof(e.secret));
	return e;
}

static struct net *open_net(int proc)
{
	struct net_config config = { .n_pes = CROWD,
				     .n_procs = CROWD,
				     .my_proc = proc,
				     .proc_of = proc_of,
				     .secret = (const unsigned char *)"0123456789abcdef",
				     .provider = "socket",
				     .ifname = "lo",
				     .timeout_s = JOB_WAIT_S };
	struct net *net = NULL;

	CHECK_EQ("open", net_open(&config, &net), 0);
	return net;
}

/* Process 0, which listens and does nothing else, until it is killed. */
static pid_t start_listener(struct job *j)
{
	pid_t pid = fork();

	if (pid == 0) {
		struct net *net = open_net(0);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		net_address(net, j->block->address[0]);
		job_tell(&j->block->word[0], 1);
		for (;;)
			pause();
	}
	job_await(&j->block->word[0], 1);
	return pid;
}

static int knock(const struct job *j)
{
	const struct net_addr *at = (const struct net_addr *)j->block->address[0];
	struct timeval limit = { .tv_sec = JOB_WAIT_S };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	CHECK(fd >= 0 && !connect(fd, (const struct sockaddr *)at->bytes, at->len));
	return fd;
}

static void stop(pid_t pid)
{
	int status;

	kill(pid, SIGSTOP);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
}

static void run_crowd(void)
{
	static int fd[CROWD];
	int answers = 0;
	struct job j;
	pid_t pid;

	job_make(&j, 1, 4096);
	pid = start_listener(&j);
	stop(pid);
	for (int i = 1; i < CROWD; i++) {
		struct net e = engine_like(i);
		struct greeting hello;

		net_greet_make(&e, &hello, 0, 0, GREET_NET);
		fd[i] = knock(&j);
		CHECK_EQ("greeted", send(fd[i], &hello, sizeof(hello), 0), (ssize_t)sizeof(hello));
	}
	kill(pid, SIGCONT);
	for (int i = 1; i < CROWD; i++) {
		struct net e = engine_like(i);
		struct greeting answer;
		ssize_t n = recv(fd[i], &answer, sizeof(answer), MSG_WAITALL);

		answers += n > 0 && net_greet_check(&e, &answer, (size_t)n, GREET_ACCEPTED);
		close(fd[i]);
	}
	CHECK_EQ("answers", answers, CROWD - 1);
	kill(pid, SIGKILL);
	job_reap(pid);
	job_drop(&j);
}

/* The most memory that process @pid has had, KiB. */
static long most_memory(pid_t pid)
{
	char path[64], line[256];
	long kib = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "VmHWM: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

/* Connections that come and go are not kept, however many; processes of the job are answered. */
static void run_flood(void)
{
	struct net e = engine_like(1);
	struct greeting hello, answer = { 0 };
	long before, more;
	struct job j;
	pid_t pid;
	int fd;

	job_make(&j, 1, 4096);
	pid = start_listener(&j);
	before = most_memory(pid);
	stop(pid);
	for (int i = 0; i < FLOOD; i++)
		close(knock(&j));
	fd = knock(&j);
	net_greet_make(&e, &hello, 0, 0, GREET_NET);
	CHECK_EQ("greeted", send(fd, &hello, sizeof(hello), 0), (ssize_t)sizeof(hello));
	kill(pid, SIGCONT);
	CHECK_EQ("answered", recv(fd, &answer, sizeof(answer), MSG_WAITALL),
		 (ssize_t)sizeof(answer));
	CHECK(net_greet_check(&e, &answer, sizeof(answer), GREET_ACCEPTED));
	more = most_memory(pid) - before;
	if (!CHECK(TEST_ASAN || TEST_TSAN || more < FLOOD_KIB)) /* they keep what was freed */
		printf("%ld KiB more\n", more);
	close(fd);
	kill(pid, SIGKILL);
	job_reap(pid);
	job_drop(&j);
}

/* Process 1 sends requests to process 0, which is this test. */
static void asks(struct job *j)
{
	unsigned char(*address)[NET_ADDRESS_BYTES] = calloc(CROWD, sizeof(*address));
	struct net *net = open_net(1);
	uint64_t v = 1;

	memcpy(address[0], j->block->address[0], sizeof(*address));
	net_peers(net, (const unsigned char(*)[NET_ADDRESS_BYTES])address);
	CHECK_EQ("put", net_put(net, &(struct net_at){ 0, JOB_HEAP, 0 }, &v, 8, NULL, 0), 0);
	job_tell(&j->block->word[1], 1);
	net_close(net);
	free(address);
}

static void run_again(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), fd = -1;
	struct net e = engine_like(0);
	struct timeval limit = { .tv_sec = 20 };
	struct greeting hello = { 0 }, answer;
	socklen_t len = sizeof(at);
	struct net_addr *place;
	struct job j;
	pid_t pid;

	job_make(&j, 1, 4096);
	CHECK(!bind(listener, (struct sockaddr *)&at, len) && !listen(listener, 8) &&
	      !getsockname(listener, (struct sockaddr *)&at, &len));
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	place = (struct net_addr *)j.block->address[0];
	place->len = len;
	memcpy(place->bytes, &at, len);
	pid = fork();
	if (pid == 0) {
		test_checks = test_failures = 0;
		asks(&j);
		exit(test_result());
	}
	test_at("greeted again");
	for (int i = 0; i <= HANGS_UP; i++) {
		fd = accept(listener, NULL, NULL);
		if (!CHECK(fd >= 0))
			break;
		CHECK_EQ("greeted", recv(fd, &hello, i == 1 ? 0 : sizeof(hello), MSG_WAITALL),
			 i == 1 ? 0 : (ssize_t)sizeof(hello));
		if (i < HANGS_UP)
			close(fd); /* with what it said unread, once */
	}
	CHECK(net_greet_check(&e, &hello, sizeof(hello), GREET_NET));
	net_greet_make(&e, &answer, 1, hello.nonce, GREET_ACCEPTED);
	CHECK_EQ("answered", send(fd, &answer, sizeof(answer), 0), (ssize_t)sizeof(answer));
	CHECK_EQ("who asked", job_reap(pid), 0);
	CHECK_EQ("it went on", j.block->word[1], 1);
	close(fd);
	close(listener);
	job_drop(&j);
}

int main(void)
{
	struct rlimit files = { CROWD + 100, CROWD + 100 };

	test_deadline(JOB_LIMIT(110));
	setrlimit(RLIMIT_NOFILE, &files);
	for (int i = 0; i < CROWD; i++)
		proc_of[i] = i;
	test_at("a crowd");
	run_crowd();
	test_at("a flood");
	run_flood();
	run_again();
	return test_result();
}
