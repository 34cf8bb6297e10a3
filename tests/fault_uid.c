// SPDX-License-Identifier: MIT
/* TEST: waits=1 */
/*
 * Unique ids that lead nowhere: of a process that has ended, of a job that has, of
 * somebody else's port, never an id, damaged on the way. Each is an error that says
 * so, in time, and a good job can follow.
 */
#include "fault.h"
#include "left.h"
#include "ports.h"

static void maker(void)
{
	mori_shmem_uniqueid_t uid;
	char hex[2 * sizeof(uid.bytes) + 1];

	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	fault_hex(&uid, hex);
	fault_say("%s", hex);
	fault_hear();
}

const struct fault_role fault_roles[] = { { "maker", maker }, { NULL, NULL } };

/* An id whose maker waits, and where it listens. */
static void make(struct fault_pe *pe, mori_shmem_uniqueid_t *uid, struct ports *ports)
{
	fault_start(pe, "maker", 0, 1, NULL);
	MUST(fault_want(pe, FAULT_LATE, ""));
	fault_unhex(pe->line, uid);
	ports_of(pe->pid, ports);
	MUST(ports->n > 0);
}

/* A job with an id of its own. */
static void good(void)
{
	int short_time = getenv("MORI_BOOTSTRAP_TIMEOUT") != NULL;
	mori_shmem_uniqueid_t uid;

	setenv("MORI_BOOTSTRAP_TIMEOUT", "60", 1);
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	fault_good_job(0, 1, &uid);
	if (short_time)
		setenv("MORI_BOOTSTRAP_TIMEOUT", "1", 1);
	else
		unsetenv("MORI_BOOTSTRAP_TIMEOUT");
}

static void refused(const char *where, const mori_shmem_uniqueid_t *uid, int status,
		    const char *part)
{
	double since = fault_now();
	struct left before;

	test_at(where);
	left_start(&before);
	CHECK_FAILS(fault_init(0, 2, uid), status, part);
	CHECK_FAILS(fault_init(0, 1, uid), status, part);
	CHECK_NOTHING_LEFT(&before);
	printf("%s: %s (%.1f s)\n", where, mori_shmem_last_error(), fault_now() - since);
	good();
	CHECK_NOTHING_LEFT(&before);
}

static void no_ids(void)
{
	mori_shmem_uniqueid_t uid, bad;

	memset(&bad, 0, sizeof(bad));
	refused("all zero", &bad, MORI_SHMEM_EINVAL, "zero");
	memset(&bad, 0xff, sizeof(bad));
	refused("all ones", &bad, MORI_SHMEM_EINVAL, "not a unique id");
	for (size_t i = 0; i < sizeof(bad.bytes); i++)
		bad.bytes[i] = (unsigned char)(i * 73 + 11);
	refused("noise", &bad, MORI_SHMEM_EINVAL, "not a unique id");
	MUST(CHECK_OK(mori_shmem_get_unique_id(&uid)));
	test_at("one bit");
	for (size_t i = 0; i < 8 * sizeof(uid.bytes); i++) {
		bad = uid;
		bad.bytes[i / 8] ^= (unsigned char)(1u << i % 8);
		CHECK_FAILS(fault_init(0, 1, &bad), MORI_SHMEM_EINVAL, "unique id");
	}
	fault_good_job(0, 1, &uid);
	refused("its job has finalized", &uid, MORI_SHMEM_EREACH, "stale");
}

/* A service that took over the port: @answer is what it sends to everybody; NULL: nothing. */
static pid_t squat(const struct ports *ports, const char *answer)
{
	struct sockaddr_in6 sa = { .sin6_family = AF_INET6, .sin6_addr = in6addr_any };
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, off = 0;
	pid_t pid;

	sa.sin6_port = htons((uint16_t)ports->at[0].port);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)); /* for both families */
	if (fd < 0 || bind(fd, (struct sockaddr *)&sa, sizeof(sa)) || listen(fd, 64)) {
		printf("not tried: cannot take the port: %s\n", strerror(errno));
		close(fd);
		return 0;
	}
	pid = fork();
	MUST(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			int c = accept(fd, NULL, NULL);
			char hello[512];

			if (!answer)
				continue; /* and keeps it open */
			if (recv(c, hello, sizeof(hello), 0) > 0)
				send(c, answer, strlen(answer), MSG_NOSIGNAL);
			close(c);
		}
	}
	close(fd);
	return pid;
}

static void squatted(const char *where, const char *answer, const char *part)
{
	mori_shmem_uniqueid_t uid;
	struct fault_pe pe;
	struct ports ports;
	pid_t pid;

	make(&pe, &uid, &ports);
	fault_kill(&pe);
	pid = squat(&ports, answer);
	if (!pid)
		return;
	refused(where, &uid, MORI_SHMEM_EREACH, part);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void wrong_arguments(void)
{
	mori_shmem_uniqueid_t uid = { { 0 } };
	mori_shmem_init_attr_t attr;

	test_at("arguments");
	CHECK_FAILS(mori_shmem_get_unique_id(NULL), MORI_SHMEM_EINVAL, "get_unique_id");
	CHECK_FAILS(mori_shmem_set_attr_uniqueid_args(0, 1, NULL, &attr), MORI_SHMEM_EINVAL, "uid");
	CHECK_FAILS(mori_shmem_set_attr_uniqueid_args(0, 1, &uid, NULL), MORI_SHMEM_EINVAL, "attr");
	CHECK_FAILS(mori_shmem_set_attr_uniqueid_args(-1, 2, &uid, &attr), MORI_SHMEM_EINVAL, "-1");
	CHECK_FAILS(mori_shmem_set_attr_uniqueid_args(2, 2, &uid, &attr), MORI_SHMEM_EINVAL,
		    "rank 2 of 2");
	CHECK_FAILS(mori_shmem_set_attr_uniqueid_args(0, 0, &uid, &attr), MORI_SHMEM_EINVAL, "0");
	CHECK_OK(mori_shmem_set_attr_uniqueid_args(1, 2, &uid, &attr));
	CHECK_FAILS(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, NULL), MORI_SHMEM_EINVAL,
		    "NULL");
	CHECK_FAILS(mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_MPI_COMM, &attr), MORI_SHMEM_ENOTSUP,
		    "shmem_mpi.h");
	CHECK_FAILS(mori_shmem_init_attr(64, &attr), MORI_SHMEM_EINVAL, "0x40");
	attr.rank = 2;
	CHECK_FAILS(mori_shmem_init_attr(1, &attr), MORI_SHMEM_EINVAL, "rank 2 of 2");
	attr.rank = 0;
	attr.size = 0;
	CHECK_FAILS(mori_shmem_init_attr(1, &attr), MORI_SHMEM_EINVAL, "size");
	CHECK_EQ("is_initialized", mori_shmem_is_initialized(), 0);
}

static void fault_test(void)
{
	mori_shmem_uniqueid_t uid;
	struct fault_pe pe;
	struct ports ports;

	wrong_arguments();
	no_ids();
	make(&pe, &uid, &ports);
	fault_tell(&pe, "end");
	fault_end(&pe);
	refused("its process has ended", &uid, MORI_SHMEM_EREACH, "stale");
	squatted("somebody else closes", "", "foreign");
	squatted("somebody else says hello",
		 "220 ready when you are, this is no rendezvous at all "
		 "but something that talks a lot more than it should, "
		 "so that there are bytes enough for an answer\r\n",
		 "foreign");
	setenv("MORI_BOOTSTRAP_TIMEOUT", "1", 1);
	squatted("somebody else says nothing", NULL, "no answer");
	make(&pe, &uid, &ports);
	kill(pe.pid, SIGSTOP);
	MUST(waitpid(pe.pid, NULL, WUNTRACED) == pe.pid); /* with all its threads */
	refused("its process is stopped", &uid, MORI_SHMEM_EREACH, "no answer");
	fault_kill(&pe);
	unsetenv("MORI_BOOTSTRAP_TIMEOUT");
}
