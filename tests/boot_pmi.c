// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * PMI, versions 1 and 2: processes find their job through a launcher that is in this program, and
 * fail in order where that launcher does not do what it should.
 */
#include "boot/helper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#define PROCS  3
#define KEYS   16
#define VALUES 128 /* longer ones are refused */

/* What the launcher does. */
enum kind {
	SPEAKS_BOTH,
	SPEAKS_ONE,	/* version 1 */
	SPEAKS_TWO,	/* version 2 */
	SPEAKS_NONE,	/* refuses both */
	SPEAKS_NOISE,	/* its answer is none */
	SPEAKS_LENGTHS, /* that are not true */
	IS_SILENT,
	IS_GONE,
	HAS_NO_FENCE,
	HAS_NO_KEYS,
};

struct client {
	int fd, version, in_fence, ended;
};

static struct launcher {
	enum kind kind;
	int n;
	struct client clients[PROCS];
	struct {
		char key[64], value[VALUES + 1];
	} keys[KEYS];
	int n_keys;
} launcher;

static void answer(const struct client *c, const char *text)
{
	char message[512];

	if (c->version == 2)
		snprintf(message, sizeof(message), "%-6zu%s",
			 launcher.kind == SPEAKS_LENGTHS ? 9999 : strlen(text), text);
	else
		snprintf(message, sizeof(message), "%s\n", text);
	CHECK(send(c->fd, message, strlen(message), MSG_NOSIGNAL) > 0);
}

/* The value of @name in @message, as far as the next separator. */
static const char *field(const char *message, const char *name)
{
	static char value[512];
	const char *at = strstr(message, name);

	snprintf(value, sizeof(value), "%s", at ? at + strlen(name) : "");
	value[strcspn(value, " ;\n")] = '\0';
	return value;
}

static void answer_init(struct client *c, const char *message)
{
	int version = atoi(field(message, "pmi_version="));
	int ok = launcher.kind != SPEAKS_NONE && !(launcher.kind == SPEAKS_ONE && version == 2) &&
		 !(launcher.kind == SPEAKS_TWO && version == 1);
	char text[128];

	snprintf(text, sizeof(text), "cmd=response_to_init pmi_version=%d pmi_subversion=%d rc=%d",
		 version, version == 1, ok ? 0 : -1);
	answer(c, launcher.kind == SPEAKS_NOISE ? "what is that" : text);
	if (ok)
		c->version = version;
}

static void answer_put(const struct client *c, const char *message)
{
	char text[64];
	int ok;

	snprintf(launcher.keys[launcher.n_keys].key, 64, "%s", field(message, "key="));
	ok = strlen(field(message, "value=")) <= VALUES && launcher.n_keys < KEYS - 1;
	CHECK(ok, "%s", message);
	snprintf(launcher.keys[launcher.n_keys].value, VALUES + 1, "%s", field(message, "value="));
	launcher.n_keys += ok;
	snprintf(text, sizeof(text),
		 c->version == 1 ? "cmd=put_result rc=%d" : "cmd=kvs-put-response;rc=%d;",
		 ok ? 0 : -1);
	answer(c, text);
}

static void answer_get(const struct client *c, const char *message)
{
	const char *name = field(message, "key="), *value = "";
	char text[256];

	for (int i = 0; i < launcher.n_keys; i++) {
		if (!strcmp(launcher.keys[i].key, name))
			value = launcher.keys[i].value;
	}
	if (launcher.kind == HAS_NO_KEYS)
		value = "";
	snprintf(text, sizeof(text),
		 c->version == 1 ? "cmd=get_result rc=%d msg=some_text value=%s" :
				   "cmd=kvs-get-response;rc=%d;found=TRUE;value=%s;",
		 c->version == 1 && !value[0] ? -1 : 0, value);
	answer(c, text);
}

static void answer_fence(struct client *c)
{
	int n = 0;

	c->in_fence = 1;
	for (int i = 0; i < launcher.n; i++)
		n += launcher.clients[i].in_fence;
	if (n < launcher.n || launcher.kind == HAS_NO_FENCE)
		return;
	for (int i = 0; i < launcher.n; i++) {
		launcher.clients[i].in_fence = 0;
		answer(&launcher.clients[i], launcher.clients[i].version == 1 ?
						     "cmd=barrier_out" :
						     "cmd=kvs-fence-response;rc=0;");
	}
}

/* 0 at the end of the connection. */
static int take(const struct client *c, char *message, size_t size)
{
	char length[7] = "";
	size_t n = 0;

	if (c->version == 2) {
		if (recv(c->fd, length, 6, MSG_WAITALL) != 6)
			return 0;
		n = (size_t)atoi(length);
		CHECK(n > 0 && n < size && recv(c->fd, message, n, MSG_WAITALL) == (ssize_t)n);
	} else {
		while (n < size - 1 && recv(c->fd, message + n, 1, 0) == 1 && message[n] != '\n')
			n++;
	}
	message[n] = '\0';
	return n > 0;
}

static void answer_one(struct client *c)
{
	char message[1024];

	if (launcher.kind == IS_GONE || !take(c, message, sizeof(message))) {
		close(c->fd);
		c->fd = -1;
		return;
	}
	if (launcher.kind == IS_SILENT)
		return;
	if (!strncmp(message, "cmd=init ", 9))
		answer_init(c, message);
	else if (!strncmp(message, "cmd=fullinit;", 13))
		answer(c, "cmd=fullinit-response;pmi-version=2;rank=0;size=3;appnum=-1;rc=0;");
	else if (!strcmp(message, "cmd=get_my_kvsname"))
		answer(c, "cmd=my_kvsname kvsname=kvs_1_0");
	else if (strstr(message, "cmd=put ") == message ||
		 strstr(message, "cmd=kvs-put") == message)
		answer_put(c, message);
	else if (strstr(message, "cmd=get ") == message ||
		 strstr(message, "cmd=kvs-get") == message)
		answer_get(c, message);
	else if (!strcmp(message, "cmd=barrier_in") || !strcmp(message, "cmd=kvs-fence;"))
		answer_fence(c);
	else if (CHECK(!strncmp(message, "cmd=finalize", 12), "%s", message)) {
		c->ended = 1;
		answer(c, c->version == 1 ? "cmd=finalize_ack" : "cmd=finalize-response;rc=0;");
	}
}

/* Start @n processes in this role and serve them until they have ended. */
static void launch(enum kind kind, int n, const char *role, int orderly)
{
	static const unsigned char none[BOOT_UID_BYTES];
	struct pollfd polls[PROCS];
	pid_t pids[PROCS];
	int open = n;

	launcher = (struct launcher){ .kind = kind, .n = n };
	for (int i = 0; i < n; i++) {
		int pair[2];
		char text[16];

		CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
		fcntl(pair[0], F_SETFD, FD_CLOEXEC);
		snprintf(text, sizeof(text), "%d", pair[1]);
		setenv("PMI_FD", text, 1);
		snprintf(text, sizeof(text), "%d", i);
		setenv("PMI_RANK", text, 1);
		snprintf(text, sizeof(text), "%d", n);
		setenv("PMI_SIZE", text, 1);
		launcher.clients[i] = (struct client){ .fd = pair[0], .version = 1 };
		pids[i] = spawn(role, none, 2, i, (int)kind);
		close(pair[1]);
	}
	while (open > 0) {
		open = 0;
		for (int i = 0; i < n; i++) {
			polls[i] =
				(struct pollfd){ .fd = launcher.clients[i].fd, .events = POLLIN };
			open += launcher.clients[i].fd >= 0;
		}
		poll(polls, (nfds_t)n, 100);
		for (int i = 0; i < n; i++) {
			if (launcher.clients[i].fd >= 0 && polls[i].revents)
				answer_one(&launcher.clients[i]);
		}
	}
	for (int i = 0; i < n; i++) {
		CHECK(reap(pids[i]) == 0, "launcher %d, rank %d", kind, i);
		CHECK(launcher.clients[i].ended == (orderly || (kind == HAS_NO_KEYS && i == 0)),
		      "launcher %d, rank %d", kind, i);
	}
}

/* Processes for which it does not work: what each kind of launcher leads to. */
static int run_failure(int rank, enum kind kind)
{
	static const struct {
		int status;
		const char *text;
	} wants[] = {
		[SPEAKS_NONE] = { MORI_SHMEM_ENOTSUP, "init was refused" },
		[SPEAKS_NOISE] = { MORI_SHMEM_ENOTSUP, "the answer to init is 'what is that'" },
		[SPEAKS_LENGTHS] = { MORI_SHMEM_ENOTSUP, "PMI: fullinit: " },
		[IS_SILENT] = { MORI_SHMEM_ENOTSUP, "no answer to init in time" },
		[IS_GONE] = { MORI_SHMEM_ENOTSUP, "PMI: init: " },
		[HAS_NO_FENCE] = { MORI_SHMEM_ETIMEDOUT, "not every process of the job came" },
		[HAS_NO_KEYS] = { MORI_SHMEM_EIO, "PMI: " },
	};
	/* Where waiting has to end. HAS_NO_FENCE must have answered all else by then. */
	struct boot_config c = test_config(kind == IS_SILENT	? 1 :
					   kind == HAS_NO_FENCE ? 5 :
								  WAIT_S);
	struct boot_job job;
	int err = boot_find(&c, &job);

	if (kind == HAS_NO_KEYS && rank == 0) {
		CHECK(err == 0);
		boot_close_rdv(job.uid);
		return test_result();
	}
	CHECK(err == wants[kind].status, "%d", err);
	CHECK(strstr(err_text(), wants[kind].text), "%s", wants[kind].text);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_ENOTSUP && strstr(err_text(), "PMI_SIZE=2 says") &&
	      strstr(err_text(), "an earlier init over PMI has failed"));
	return test_result();
}

/* Rank 0 has no interface to listen on: the others do not wait for it, and the next time works. */
static int run_no_rdv(int rank)
{
	struct boot_config c = test_config(WAIT_S);
	struct boot_job job;
	int err;

	c.ifname = "no-such-interface";
	err = boot_find(&c, &job);
	if (rank == 0)
		CHECK(err == MORI_SHMEM_EINVAL && strstr(err_text(), "no-such-interface"));
	else
		CHECK(err == MORI_SHMEM_EREACH && strstr(err_text(), "rank 0 could not"));
	return pe_turns(BOOT_PMI, PROCS, 1);
}

/* PMI_FD in a process that has not inherited the socket. */
static void run_without(void)
{
	struct boot_config c = test_config(2);
	struct boot_job job;
	int fds[] = { open("/dev/null", O_RDWR), test_socket(AF_UNIX, SOCK_STREAM) };
	char text[16];

	setenv("PMI_SIZE", "2", 1);
	setenv("PMI_RANK", "0", 1);
	for (int i = 0; i < 2; i++) {
		snprintf(text, sizeof(text), "%d", fds[i]);
		setenv("PMI_FD", text, 1);
		CHECK(boot_find(&c, &job) == MORI_SHMEM_ENOTSUP &&
		      strstr(err_text(), "not the launcher's"));
		close(fds[i]);
	}
	setenv("PMI_FD", "x", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_ENOTSUP && strstr(err_text(), "PMI_FD"));
	setenv("PMI_RANK", "2", 1);
	CHECK(boot_find(&c, &job) == MORI_SHMEM_EINVAL && strstr(err_text(), "PMI_RANK"));
}

int main(int argc, char **argv)
{
	test_deadline(150);
	if (argc > 4 && !strcmp(argv[1], "pe"))
		return pe_turns(BOOT_PMI, PROCS, 2);
	if (argc > 4 && !strcmp(argv[1], "no-rdv"))
		return run_no_rdv(atoi(argv[3]));
	if (argc > 4)
		return run_failure(atoi(argv[3]), (enum kind)atoi(argv[4]));
	run_without();
	launch(SPEAKS_BOTH, PROCS, "pe", 1);
	launch(SPEAKS_TWO, PROCS, "pe", 1);
	launch(SPEAKS_BOTH, PROCS, "no-rdv", 1);
	launch(SPEAKS_NONE, 2, "failure", 0);
	launch(SPEAKS_NOISE, 2, "failure", 0);
	launch(IS_SILENT, 2, "failure", 0);
	launch(IS_GONE, 2, "failure", 0);
	launch(HAS_NO_FENCE, 2, "failure", 0);
	launch(HAS_NO_KEYS, 2, "failure", 0);
	setenv("PMI_JOBID", "5.0", 1);
	launch(SPEAKS_BOTH, PROCS, "pe", 1);
	launch(SPEAKS_ONE, PROCS, "pe", 1);
	launch(HAS_NO_KEYS, 2, "failure", 0);
	launch(SPEAKS_LENGTHS, 2, "failure", 0);
	return test_result();
}
