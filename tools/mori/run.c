// SPDX-License-Identifier: MIT
/*
 * `mori run`: the command line, and a job from the rendezvous to its end. The
 * rendezvous lives in the launcher and listens on the loopback interface only.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mori/cmd.h"
#include "mori/run.h"

enum {
	OPT_TAG = 256,
	OPT_DIR,
	OPT_STAMP,
	OPT_TIMEOUT,
	OPT_KEEP,
	OPT_GRACE,
	OPT_WDIR,
	OPT_BIND,
	OPT_HEAP,
	OPT_MODE,
	OPT_DEVICE,
	OPT_LOG
};

static const struct cmd_option options[] = {
	{ "np", 'n', "N", NULL, "PEs in the job" },
	{ "threads", 't', "T", NULL, "PEs per process, as threads; default 1" },
	{ "env", 'x', "NAME=VALUE", NULL,
	  "set a variable for the PEs; NAME alone passes on one that is set here" },
	{ "wdir", OPT_WDIR, "DIR", CMD_DIR, "start the PEs in DIR" },
	{ "bind", OPT_BIND, "HOW", "none core",
	  "none, or core: each PE on a core of its own, round robin" },
	{ "tag-output", OPT_TAG, NULL, NULL, "put [rank] in front of each line" },
	{ "timestamp", OPT_STAMP, NULL, NULL, "put the time in front of each line" },
	{ "output-dir", OPT_DIR, "DIR", CMD_DIR,
	  "write output to DIR/pe-RANK.out and DIR/pe-RANK.err" },
	{ "timeout", OPT_TIMEOUT, "SECONDS", NULL,
	  "say who waits for what and end the job after this time; exit code 124" },
	{ "keep-going", OPT_KEEP, NULL, NULL, "let the other PEs run on when one fails" },
	{ "grace", OPT_GRACE, "SECONDS", NULL,
	  "time from SIGTERM, or a signal to mori run, to SIGKILL; default 2" },
	{ "heap-size", OPT_HEAP, "SIZE", NULL, "MORI_SHMEM_HEAP_SIZE, for example 512M" },
	{ "mode", OPT_MODE, "MODE", "static vmm isolation",
	  "MORI_SHMEM_MODE: static, vmm, isolation" },
	{ "device", OPT_DEVICE, "DEVICE", "auto cpu cuda hip amd-emu",
	  "MORI_SHMEM_DEVICE: auto, cpu, cuda, hip, amd-emu" },
	{ "log-level", OPT_LOG, "LEVEL", "trace debug info warn error",
	  "MORI_SHMEM_LOG_LEVEL: trace, debug, info, warn, error" },
	{ "verbose", 'v', NULL, NULL, "report when processes start and end" },
	{ "help", 'h', NULL, NULL, "this text" },
	{ 0 },
};

static int parse_count(const char *name, const char *text, int *out)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(text, &end, 10);
	if (!*text || *end || errno || v < 1 || v > INT_MAX) {
		cmd_error("run", "%s %s: a whole number of 1 or more is needed", name, text);
		return CMD_USAGE;
	}
	*out = (int)v;
	return 0;
}

static int parse_seconds(const char *name, const char *text, double *out)
{
	char *end;
	double v = strtod(text, &end);

	if (!*text || *end || !(v >= 0 && v <= 1e9)) {
		cmd_error("run", "%s %s: seconds are needed, as in 30 or 0.5", name, text);
		return CMD_USAGE;
	}
	*out = v;
	return 0;
}

/* Into the launcher's own environment, from which that of the PEs is made. */
static int parse_env(const char *text)
{
	size_t len = strcspn(text, "=");
	char *name = strndup(text, len);
	int err = 0;

	if (!name || !len) {
		cmd_error("run", "-x %s: NAME=VALUE or NAME is needed", text);
		err = CMD_USAGE;
	} else if (text[len]) {
		err = setenv(name, text + len + 1, 1) ? 1 : 0;
	} else if (!getenv(name)) {
		cmd_error("run", "-x %s: there is no such variable here; -x %s=VALUE sets it", text,
			  text);
		err = CMD_USAGE;
	}
	free(name);
	return err;
}

static int parse_bind(const char *text, int *out)
{
	if (strcmp(text, "none") && strcmp(text, "core")) {
		cmd_error("run", "--bind %s: none or core is needed", text);
		return CMD_USAGE;
	}
	*out = !strcmp(text, "core");
	return 0;
}

/* 0, an exit code, or -1 for the help. */
static int parse_option(int c, struct run_opts *o)
{
	switch (c) {
	case 'n':
		return parse_count("-n", optarg, &o->np);
	case 't':
		return parse_count("--threads", optarg, &o->threads);
	case 'x':
		return parse_env(optarg);
	case 'v':
		o->verbose = 1;
		return 0;
	case OPT_TAG:
		o->tag = 1;
		return 0;
	case OPT_STAMP:
		o->timestamp = 1;
		return 0;
	case OPT_KEEP:
		o->keep_going = 1;
		return 0;
	case OPT_DIR:
		o->output_dir = optarg;
		return 0;
	case OPT_WDIR:
		o->wdir = optarg;
		return 0;
	case OPT_TIMEOUT:
		return parse_seconds("--timeout", optarg, &o->timeout_s);
	case OPT_GRACE:
		return parse_seconds("--grace", optarg, &o->grace_s);
	case OPT_BIND:
		return parse_bind(optarg, &o->bind_core);
	case OPT_HEAP:
		return setenv("MORI_SHMEM_HEAP_SIZE", optarg, 1);
	case OPT_MODE:
		return setenv("MORI_SHMEM_MODE", optarg, 1);
	case OPT_DEVICE:
		return setenv("MORI_SHMEM_DEVICE", optarg, 1);
	case OPT_LOG:
		return setenv("MORI_SHMEM_LOG_LEVEL", optarg, 1);
	default:
		return -1;
	}
}

static int parse_args(int argc, char **argv, struct run_opts *o)
{
	struct cmd_getopt g;
	int c, err;

	cmd_getopt(options, "+:", &g);
	opterr = 0;
	while ((c = getopt_long(argc, argv, g.shorts, g.longs, NULL)) != -1) {
		if (c == '?' || c == ':')
			return cmd_bad_option("run", c, argv, g.longs);
		err = parse_option(c, o);
		if (err)
			return err;
	}
	o->argv = argv + optind;
	if (!o->np) {
		cmd_error("run", "-n N is needed: how many PEs (mori run --help)");
		return CMD_USAGE;
	}
	if (!o->argv[0] || !*o->argv[0]) {
		cmd_error("run", "a program is needed (mori run --help)");
		return CMD_USAGE;
	}
	if (o->threads > o->np)
		o->threads = o->np;
	return 0;
}

/* Like mkdir -p. */
static int make_dir(const char *dir)
{
	char *path = strdup(dir);
	int err = path ? 0 : ENOMEM;

	for (char *p = path; path && !err && *p; p++) {
		if (p == path || *p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			err = errno;
		*p = '/';
	}
	if (!err && mkdir(dir, 0777) && errno != EEXIST)
		err = errno;
	free(path);
	if (err)
		cmd_error("run", "cannot make %s: %s", dir, strerror(err));
	return err ? 1 : 0;
}

/* Open the standard descriptors, so that no other file takes their numbers. */
static void fill_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

/*
 * Signals are read from a descriptor and are blocked before any thread is made.
 * A signal that is ignored (nohup) stays ignored.
 */
static int open_signals(struct job *j)
{
	static const int list[] = { SIGCHLD, SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
				    SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT };
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (list[i] == SIGCHLD)
			signal(SIGCHLD, SIG_DFL);
		if (!sigaction(list[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(&set, list[i]);
	}
	sigprocmask(SIG_BLOCK, &set, &j->old_mask);
	sigdelset(&j->old_mask, SIGCHLD);
	sigaction(SIGPIPE, NULL, &old);
	j->ignores_pipe = old.sa_handler == SIG_IGN;
	signal(SIGPIPE, SIG_IGN);
	j->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return j->signal_fd < 0 ? -1 : 0;
}

static void raise_file_limit(struct job *j)
{
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &j->old_files);
	r = j->old_files;
	r.rlim_cur = r.rlim_max;
	setrlimit(RLIMIT_NOFILE, &r);
}

static int make_procs(struct job *j)
{
	const struct run_opts *o = j->o;

	j->n_procs = o->np / o->threads + (o->np % o->threads != 0);
	if (run_check_limits(j->n_procs))
		return -1;
	j->procs = calloc((size_t)j->n_procs, sizeof(*j->procs));
	if (!j->procs)
		return -1;
	for (int i = 0; i < j->n_procs; i++) {
		struct proc *p = &j->procs[i];

		p->first = i * o->threads;
		p->n = o->np - p->first < o->threads ? o->np - p->first : o->threads;
		p->s[0].fd = p->s[1].fd = p->file[0] = p->file[1] = -1;
	}
	return 0;
}

/* Open the rendezvous; its id, and that in hexadecimal digits. */
static int open_rendezvous(struct job *j, char hex[2 * MORI_SHMEM_UNIQUE_ID_BYTES + 1])
{
	mori_shmem_uniqueid_t uid;
	int err;

	/* Loopback by default: a job of one machine needs no connections from outside. */
	setenv("MORI_SOCKET_IFNAME", "lo", 0);
	err = mori_shmem_get_unique_id(&uid);
	if (err) {
		cmd_error("run", "%s", mori_shmem_last_error());
		return err == MORI_SHMEM_EINVAL ? CMD_USAGE : 1; /* a variable has a bad value */
	}
	for (int i = 0; i < MORI_SHMEM_UNIQUE_ID_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", uid.bytes[i]);
	memcpy(j->uid, uid.bytes, sizeof(j->uid));
	return 0;
}

/* What must exist before the first process is started, in this order. */
static int job_open(struct job *j)
{
	fill_standard_fds();
	if (run_note_children(j) || open_signals(j) || run_keeper_start(j) || run_notes_open(j)) {
		cmd_error("run", "cannot prepare the job: %s", strerror(errno));
		return 1;
	}
	raise_file_limit(j);
	if (j->o->output_dir && make_dir(j->o->output_dir))
		return 1;
	return make_procs(j) ? 1 : 0;
}

static int job_start(struct job *j)
{
	char hex[2 * MORI_SHMEM_UNIQUE_ID_BYTES + 1] = "";
	char **env;
	int err;

	/* Kernels of PEs in one process wait for each other: each needs a queue to the GPU. */
	if (j->o->threads > 1 && !getenv("CUDA_MPS_PIPE_DIRECTORY"))
		setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
	if (j->o->threads > 1)
		setenv("GPU_MAX_HW_QUEUES", j->o->threads > 8 ? "64" : "32", 0);
	/* Made first, so that the PEs see the launcher's environment unchanged. */
	env = run_env_new(j->o->np);
	if (!env)
		return 1;
	err = open_rendezvous(j, hex);
	if (!err)
		err = run_spawn(j, env, hex);
	run_env_free(env);
	return err;
}

static void job_close(struct job *j)
{
	run_stdin_close(j);
	run_notes_close(j);
	run_keeper_stop(j);
	if (j->signal_fd >= 0)
		close(j->signal_fd);
	for (int i = 0; j->procs && i < j->n_procs; i++)
		run_output_close(&j->procs[i]);
	free(j->procs);
	free(j->born_before);
}

static int cmd_run(int argc, char **argv)
{
	struct run_opts o = { .threads = 1, .grace_s = 2 };
	struct job j = { .o = &o, .signal_fd = -1, .keeper = -1, .notes = -1, .typed.fd = -1 };
	int code = parse_args(argc, argv, &o);

	if (code < 0)
		return cmd_help(&mori_run);
	if (code)
		return code;
	code = job_open(&j);
	if (!code) {
		code = job_start(&j);
		if (code) {
			/* Not all could start: end those that did. */
			j.failed = 1;
			j.code = code;
			run_signal_all(&j, SIGKILL);
		}
		code = run_notes_end(&j, run_job(&j));
	}
	job_close(&j);
	return code;
}

const struct command mori_run = {
	.name = "run",
	.help = "start a program as a job of PEs on this machine",
	.run = cmd_run,
	.usage = "-n N [options] [--] program [arguments]\n"
		 "\n"
		 "Starts N PEs of a program on this machine, waits for them, and gives the exit "
		 "code\n"
		 "of the first that failed.\n",
	.options = options,
	.more = "Standard input goes to rank 0. Signals go to all PEs; a second Ctrl-C kills "
		"them.\n"
		"SIGUSR1 prints who waits for what.\n"
		"Exit codes: 2 wrong use, 124 time-out, 125 no process failed, but there were "
		"failures\n"
		"that nobody has looked at, 126 not executable, 127 not found, 128 + signal.\n",
	.operand = CMD_PROGRAM,
};
