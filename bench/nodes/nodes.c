// SPDX-License-Identifier: MIT
/*
 * Nodes of a cluster on one machine: each is a holder process with a network, a host
 * name, System V memory and a /dev/shm of its own, and a cable to a hub. The hub is a
 * bridge; with a delay or a loss it is relay.h. The command runs beside the hub and
 * puts processes onto nodes with --on and --pe. All of it lives in one PID namespace,
 * whose end is the end of everything, also after a SIGKILL. Needs root.
 *
 *	nodes [-n NODES] [--delay MS] [--loss PERCENT] COMMAND...
 *	nodes --on NODE COMMAND...	within it: a command on a node
 *	nodes --pe COMMAND...		within it: on the node of this PE of `mori run`
 *	nodes --ssh nodeK COMMAND...	within it: what a launcher starts on another host
 *
 * With NODES_PIN in the environment each node has a core of its own, as far as there are.
 * The exit code is the command's; 77 where such nodes cannot be made; 1 where the
 * command has left a process or shared memory behind.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "cable.h"
#include "relay.h"

#define NODES_MAX 64
#define HUB_HOST  199 /* its address is one more, behind all nodes */
#define LEFT_S	  5   /* for what was left to end */

struct nodes {
	int n;
	pid_t holder[NODES_MAX], relay;
	double delay_ms, loss;
};

static int fails(const char *what)
{
	fprintf(stderr, "nodes: %s: %s\n", what, strerror(errno));
	return 1;
}

static int set_number(const char *name, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	return setenv(name, text, 1);
}

/* A core of the machine for each node, in turn, so that two nodes do not share one. */
static void pin(long node)
{
	cpu_set_t all, one;
	int nth;

	if (sched_getaffinity(0, sizeof(all), &all) || !CPU_COUNT(&all))
		return;
	nth = (int)(node % CPU_COUNT(&all));
	CPU_ZERO(&one);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all) && !nth--) {
			CPU_SET(cpu, &one);
			sched_setaffinity(0, sizeof(one), &one);
			return;
		}
	}
}

/* Process NODES_HOLDER_<k> has all that makes node @k. */
static int enter(long node, char **argv)
{
	char name[32], here[PATH_MAX];
	const char *holder, *ifname = getenv("MORI_SOCKET_IFNAME");
	int fd;

	snprintf(name, sizeof(name), "NODES_HOLDER_%ld", node);
	holder = getenv(name);
	if (!holder) {
		fprintf(stderr, "nodes: there is no node %ld\n", node);
		return 1;
	}
	if (!getcwd(here, sizeof(here)))
		return fails("getcwd");
	fd = (int)syscall(SYS_pidfd_open, atoi(holder), 0);
	if (fd < 0 || setns(fd, CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) ||
	    chdir(here))
		return fails("cannot enter the node");
	close(fd);
	if (getenv("NODES_PIN"))
		pin(node);
	if (ifname && !strcmp(ifname, "hub"))
		unsetenv("MORI_SOCKET_IFNAME");
	execvp(argv[0], argv);
	fails(argv[0]);
	return 127;
}

static long get_number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

/* PEs in blocks, the same number on each node, which the tests find in PES_NODE. */
static int enter_pe(char **argv)
{
	long rank = get_number("MORI_RANK", -1), size = get_number("MORI_WORLD_SIZE", -1);
	long nodes = get_number("NODES", -1), each = get_number("MORI_THREADS", 1), here;

	if (rank < 0 || size < 1 || nodes < 1 || each < 1) {
		fprintf(stderr, "nodes: --pe is for processes of `mori run` within nodes\n");
		return 1;
	}
	here = (size + nodes - 1) / nodes;
	here = (here + each - 1) / each * each;
	set_number("PES_NODE", here);
	return enter(rank / here, argv);
}

/* As a remote shell does: the host's name, and words that make a line for a shell there. */
static int enter_host(char **argv)
{
	char line[65536] = "", *shell[] = { "sh", "-c", line, NULL };
	const char *digits = argv[0] + strcspn(argv[0], "0123456789");
	size_t at = 0;

	for (char **word = argv + 1; *word && at < sizeof(line); word++)
		at += (size_t)snprintf(line + at, sizeof(line) - at, "%s ", *word);
	if (!*digits || at >= sizeof(line)) {
		fprintf(stderr, "nodes: no host \"%s\", or a command too long for it\n", argv[0]);
		return 1;
	}
	return enter(atol(digits), shell);
}

/* One node: reports that it is ready, then only exists. */
static void hold(int node, int cabled, int ready)
{
	char name[32];
	int len = snprintf(name, sizeof(name), "node%d", node), bad;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bad = unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNS) ||
	      sethostname(name, (size_t)len) ||
	      mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, NULL);
	if (bad)
		fails(name);
	if (write(ready, bad ? "n" : "y", 1) != 1 || bad)
		_exit(1);
	/* The cable comes now. */
	if (cabled && cable_end(node))
		_exit(1);
	if (write(ready, "y", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static int tell(int fd)
{
	char byte = 0;

	return read(fd, &byte, 1) == 1 && byte == 'y' ? 0 : -1;
}

/* The hub's own end, for launchers. */
static int hub_address(void)
{
	return sh("ip addr add 10.99.0.%d/24 dev hub && ip link set hub up", HUB_HOST + 1);
}

static int make(struct nodes *s)
{
	int ready[2], cabled = !s->delay_ms && !s->loss;

	for (int i = 0; i < s->n; i++) {
		if (pipe(ready))
			return -1;
		s->holder[i] = fork();
		if (!s->holder[i])
			hold(i, cabled, ready[1]);
		close(ready[1]);
		if (s->holder[i] < 0 || tell(ready[0]) || (cabled && cable_lay(s->holder[i], i)) ||
		    tell(ready[0]))
			return -1;
		close(ready[0]);
	}
	if (!cabled) {
		sh("ip link del hub");
		s->relay = relay_start(s->holder, s->n, s->delay_ms, s->loss);
		if (s->relay < 0)
			return -1;
	}
	return hub_address();
}

static int environment(const struct nodes *s)
{
	char name[32], self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return -1;
	self[len] = '\0';
	for (int i = 0; i < s->n; i++) {
		snprintf(name, sizeof(name), "NODES_HOLDER_%d", i);
		set_number(name, s->holder[i]);
	}
	/* A launcher's rendezvous must be reached from the nodes. */
	return set_number("NODES", s->n) || setenv("NODES_PROGRAM", self, 1) ||
	       setenv("MORI_SOCKET_IFNAME", "hub", 1);
}

static int is_ours(const struct nodes *s, pid_t pid)
{
	int ours = pid == getpid() || pid == s->relay;

	for (int i = 0; i < s->n; i++)
		ours |= pid == s->holder[i];
	return ours;
}

/* How many processes there are but ours; they are shown where @show. */
static int others(const struct nodes *s, int show)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d)) != NULL) {
		pid_t pid = (pid_t)atol(e->d_name);
		char path[64], state = 'Z', name[64] = "?";
		FILE *f;

		if (pid <= 0 || is_ours(s, pid))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		f = fopen(path, "re");
		if (f && fscanf(f, "%*d (%63[^)]) %c", name, &state) != 2)
			state = 'Z';
		if (f)
			fclose(f);
		if (state == 'Z')
			continue;
		n++;
		if (show)
			fprintf(stderr, "nodes: process %d (%s) was left behind\n", (int)pid, name);
	}
	if (d)
		closedir(d);
	return n;
}

/* Files in the /dev/shm of the nodes. */
static int shared_left(const struct nodes *s)
{
	int n = 0;

	for (int i = 0; i < s->n; i++) {
		char path[64];
		struct dirent *e;
		DIR *d;

		snprintf(path, sizeof(path), "/proc/%d/%s/dev/shm", (int)s->holder[i], "root");
		d = opendir(path);
		while (d && (e = readdir(d)) != NULL) {
			/* Launchers of other libraries and interpreters have theirs. */
			if (!strstr(e->d_name, "mori"))
				continue;
			fprintf(stderr, "nodes: /dev/shm/%s was left on node %d\n", e->d_name, i);
			n++;
		}
		if (d)
			closedir(d);
	}
	return n;
}

static int skips(void)
{
	printf("skipped: needs root, network namespaces and ip(8)\n");
	return 77;
}

/* In the child: init of a PID namespace. Its end ends all. */
static int supervise(struct nodes *s, char **argv)
{
	int status = 0, code;
	pid_t pid, one;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) ||
	    !cable_hub() || make(s) || environment(s))
		return skips();
	pid = fork();
	if (pid < 0)
		return fails("fork");
	if (!pid) {
		execvp(argv[0], argv);
		fails(argv[0]);
		_exit(127);
	}
	do
		one = waitpid(-1, &status, 0);
	while (one != pid && (one > 0 || errno == EINTR));
	code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	for (int i = 0; i < LEFT_S * 20 && others(s, 0); i++) {
		waitpid(-1, NULL, WNOHANG);
		usleep(50000);
	}
	return others(s, 1) || shared_left(s) ? 1 : code;
}

static int start(struct nodes *s, char **argv)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID | CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return skips();
	pid = fork();
	if (pid < 0)
		return fails("fork");
	if (!pid) {
		status = supervise(s, argv);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int usage(void)
{
	fprintf(stderr, "usage: nodes [-n NODES] [--delay MS] [--loss PERCENT] COMMAND...\n"
			"       nodes --on NODE COMMAND...\n"
			"       nodes --pe COMMAND...\n"
			"       nodes --ssh nodeK COMMAND...\n");
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option longs[] = { { "delay", 1, NULL, 'd' }, { "loss", 1, NULL, 'l' },
					       { "on", 1, NULL, 'o' },	  { "pe", 0, NULL, 'p' },
					       { "ssh", 0, NULL, 's' },	  { NULL, 0, NULL, 0 } };
	struct nodes s = { .n = 2 };
	long on = -1;
	int c, pe = 0, ssh = 0;

	while ((c = getopt_long(argc, argv, "+n:", longs, NULL)) != -1) {
		if (c == 'n')
			s.n = atoi(optarg);
		else if (c == 'd')
			s.delay_ms = atof(optarg);
		else if (c == 'l')
			s.loss = atof(optarg);
		else if (c == 'o')
			on = atol(optarg);
		else if (c == 'p')
			pe = 1;
		else if (c == 's')
			ssh = 1;
		else
			return usage();
	}
	if (optind >= argc || s.n < 1 || s.n > NODES_MAX)
		return usage();
	if (pe)
		return enter_pe(argv + optind);
	if (ssh)
		return enter_host(argv + optind);
	return on >= 0 ? enter(on, argv + optind) : start(&s, argv + optind);
}
