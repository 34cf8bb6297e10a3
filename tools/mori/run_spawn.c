// SPDX-License-Identifier: MIT
/*
 * Starting the processes of a job: one vfork() and execve() each, all prepared
 * before the first. Each gets a process group of its own and dies with the
 * launcher.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mori/cmd.h"
#include "mori/run.h"

#define OWN_VARS  5   /* MORI_RANK, MORI_LOCAL_RANK, MORI_THREADS, MORI_UNIQUE_ID, MORI_NOTES */
#define VAR_BYTES 288 /* the longest is the id: 256 digits */

/* Which step failed in a process that could not start; what it sends through a pipe. */
struct start {
	int err;
	char step[16];
};

/* Everything the processes have in common. */
struct spawn {
	struct job *j;
	char path[PATH_MAX];
	char **env;		       /* the last OWN_VARS before the NULL are free */
	char own[OWN_VARS][VAR_BYTES]; /* what goes there */
	char **shell;		       /* argv to run a script without "#!" */
	int null, input;	       /* /dev/null; what process 0 reads; -1: the launcher's */
	int failure[2];		       /* the pipe for struct start, one for each process in turn */
	cpu_set_t *cores, *mine;       /* --bind core: all there are, those of one process */
	size_t set_size;
	int n_cores;
};

static int is_own(const char *entry)
{
	static const char *const names[] = { "MORI_RANK=",	"MORI_LOCAL_RANK=",
					     "MORI_THREADS=",	"MORI_WORLD_SIZE=",
					     "MORI_UNIQUE_ID=", "MORI_NOTES=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strncmp(entry, names[i], strlen(names[i])))
			return 1;
	}
	return 0;
}

char **run_env_new(int np)
{
	size_t n = 0, k = 0;
	char **env;

	while (environ[n])
		n++;
	env = calloc(n + 1 + OWN_VARS + 1, sizeof(*env));
	if (!env)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (is_own(environ[i]))
			continue;
		env[k] = strdup(environ[i]);
		if (!env[k++])
			goto free_env;
	}
	if (asprintf(&env[k], "MORI_WORLD_SIZE=%d", np) < 0) {
		env[k] = NULL;
		goto free_env;
	}
	return env;

free_env:
	run_env_free(env);
	return NULL;
}

void run_env_free(char **env)
{
	for (char **e = env; e && *e; e++)
		free(*e);
	free(env);
}

/* Look for a name without "/" along PATH. 0 or an exit code. */
static int find_in_path(const char *name, char *path, size_t size)
{
	const char *dirs = getenv("PATH");
	int denied = 0;

	for (dirs = dirs ? dirs : "/bin:/usr/bin"; *dirs;) {
		size_t len = strcspn(dirs, ":");
		struct stat st;

		if (snprintf(path, size, "%.*s%s%s", (int)len, dirs, len ? "/" : "", name) <
			    (int)size &&
		    !stat(path, &st) && S_ISREG(st.st_mode)) {
			if (!access(path, X_OK))
				return 0;
			denied = 1;
		}
		dirs += len + (dirs[len] == ':');
	}
	if (denied)
		cmd_error("run", "%s is in the PATH but may not be executed", name);
	else
		cmd_error("run", "%s: no such program in the PATH (./%s for one in this folder)",
			  name, name);
	return denied ? RUN_NOT_EXECUTABLE : RUN_NOT_FOUND;
}

static int find_program(struct spawn *s)
{
	const char *name = s->j->o->argv[0];
	char found[PATH_MAX];
	int err;

	if (strchr(name, '/')) {
		snprintf(s->path, sizeof(s->path), "%s", name);
		return 0;
	}
	err = find_in_path(name, found, sizeof(found));
	/* Absolute: --wdir must not change what a relative entry of the PATH means. */
	if (!err && !realpath(found, s->path))
		err = RUN_NOT_FOUND;
	return err;
}

/* The way a shell runs a file that is not a program by itself. */
static int make_shell_argv(struct spawn *s)
{
	char **argv = s->j->o->argv;
	size_t n = 0;

	while (argv[n])
		n++;
	s->shell = calloc(n + 2, sizeof(*s->shell));
	if (!s->shell)
		return -1;
	s->shell[0] = (char *)"/bin/sh";
	s->shell[1] = s->path;
	memcpy(s->shell + 2, argv + 1, n * sizeof(*argv));
	return 0;
}

static int make_sets(struct spawn *s)
{
	for (int cpus = 1024; cpus <= 1 << 20; cpus *= 2) {
		s->set_size = CPU_ALLOC_SIZE(cpus);
		s->cores = CPU_ALLOC(cpus);
		s->mine = CPU_ALLOC(cpus);
		if (!s->cores || !s->mine)
			return -1;
		if (!sched_getaffinity(0, s->set_size, s->cores)) {
			s->n_cores = CPU_COUNT_S(s->set_size, s->cores);
			return 0;
		}
		CPU_FREE(s->cores);
		CPU_FREE(s->mine);
		s->cores = s->mine = NULL;
	}
	return -1;
}

/* One core per PE, round robin over those the launcher may use. */
static void choose_cores(struct spawn *s, const struct proc *p)
{
	CPU_ZERO_S(s->set_size, s->mine);
	for (int k = 0; k < p->n && k < s->n_cores; k++) {
		int nth = (p->first + k) % s->n_cores;

		for (int cpu = 0;; cpu++) {
			if (CPU_ISSET_S(cpu, s->set_size, s->cores) && !nth--) {
				CPU_SET_S(cpu, s->set_size, s->mine);
				break;
			}
		}
	}
}

static __attribute__((noreturn)) void child_fails(const struct spawn *s, const char *step)
{
	struct start start = { .err = errno };

	strcpy(start.step, step);
	_exit(write(s->failure[1], &start, sizeof(start)) == sizeof(start) ? 127 : 126);
}

/*
 * In the child, which shares the parent's memory until it has become the program:
 * system calls only, nothing of the parent's is changed.
 */
static __attribute__((noreturn)) void child_run(struct spawn *s, const struct proc *p,
						const int fds[3], pid_t parent)
{
	const struct run_opts *o = s->j->o;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* the launcher died before prctl() took effect */
	if (s->mine && p->n && sched_setaffinity(0, s->set_size, s->mine))
		child_fails(s, "affinity");
	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0 && dup2(fds[i], i) < 0)
			child_fails(s, "dup2");
	}
	if (o->wdir && chdir(o->wdir))
		child_fails(s, "chdir");
	setrlimit(RLIMIT_NOFILE, &s->j->old_files);
	if (!s->j->ignores_pipe)
		signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &s->j->old_mask, NULL);
	execve(s->path, o->argv, s->env);
	if (errno == ENOEXEC)
		execve("/bin/sh", s->shell, s->env);
	child_fails(s, "exec");
}

static int report_start(const struct spawn *s, const struct start *t)
{
	if (!strcmp(t->step, "chdir")) {
		cmd_error("run", "cannot change to %s: %s", s->j->o->wdir, strerror(t->err));
		return 1;
	}
	if (strcmp(t->step, "exec")) {
		cmd_error("run", "cannot start %s: %s: %s", s->path, t->step, strerror(t->err));
		return 1;
	}
	if (t->err == ENOENT && !access(s->path, F_OK) && !s->j->o->wdir)
		cmd_error("run", "cannot start %s: the interpreter it names does not exist",
			  s->path);
	else
		cmd_error("run", "cannot start %s: %s", s->path, strerror(t->err));
	return t->err == ENOENT || t->err == ENOTDIR ? RUN_NOT_FOUND : RUN_NOT_EXECUTABLE;
}

static void set_own_vars(struct spawn *s, const struct proc *p)
{
	snprintf(s->own[0], VAR_BYTES, "MORI_RANK=%d", p->first);
	snprintf(s->own[1], VAR_BYTES, "MORI_LOCAL_RANK=%d", p->first);
	snprintf(s->own[2], VAR_BYTES, "MORI_THREADS=%d", p->n);
}

static void say_start(const struct proc *p)
{
	char who[64];

	cmd_error("run", "%s is process %d", run_who(p, who, sizeof(who)), (int)p->pid);
}

/* Fork and wait until the process has become the program; 0 or an exit code. */
static int fork_proc(struct spawn *s, struct proc *p, const int fds[3])
{
	struct start start = { 0 };
	pid_t pid, parent = getpid();
	ssize_t n;

	pid = vfork();
	if (!pid)
		child_run(s, p, fds, parent);
	if (pid < 0) {
		cmd_error("run", "cannot start process %d of %d: %s", (int)(p - s->j->procs) + 1,
			  s->j->n_procs, strerror(errno));
		return 1;
	}
	close(s->failure[1]);
	s->failure[1] = -1;
	/* The end of the pipe means that exec closed it, which has happened when vfork() returns. */
	do
		n = read(s->failure[0], &start, sizeof(start));
	while (n < 0 && errno == EINTR);
	if (n == sizeof(start)) {
		waitpid(pid, NULL, 0);
		return report_start(s, &start);
	}
	p->pid = pid;
	s->j->n_alive++;
	run_keeper_add(s->j, pid);
	if (s->j->o->verbose)
		say_start(p);
	return 0;
}

static int spawn_proc(struct spawn *s, struct proc *p)
{
	int fds[3] = { p->first ? s->null : s->input, -1, -1 };
	int out[2] = { -1, -1 };
	int err = 1;

	s->failure[0] = s->failure[1] = -1;
	if (run_output_open(s->j, p, out))
		goto close_ends;
	if (pipe2(s->failure, O_CLOEXEC)) {
		cmd_error("run", "cannot make a pipe: %s (see ulimit -n)", strerror(errno));
		goto close_ends;
	}
	fds[1] = out[0];
	fds[2] = out[1];
	set_own_vars(s, p);
	if (s->cores)
		choose_cores(s, p);
	err = fork_proc(s, p, fds);
close_ends:
	for (int i = 0; i < 2; i++) {
		if (out[i] >= 0 && out[i] != p->file[i])
			close(out[i]);
		if (s->failure[i] >= 0)
			close(s->failure[i]);
	}
	return err;
}

static int spawn_prepare(struct spawn *s, char **env, const char *uid)
{
	size_t n = 0;
	int err = find_program(s);

	if (err)
		return err;
	for (s->env = env; env[n]; n++)
		;
	for (int i = 0; i < OWN_VARS; i++)
		env[n + (size_t)i] = s->own[i];
	snprintf(s->own[3], VAR_BYTES, "MORI_UNIQUE_ID=%s", uid);
	snprintf(s->own[4], VAR_BYTES, "MORI_NOTES=%s", s->j->notes_name);
	s->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (s->null < 0 || make_shell_argv(s) || (s->j->o->bind_core && make_sets(s))) {
		cmd_error("run", "cannot prepare the job: %s", strerror(errno));
		return 1;
	}
	return 0;
}

int run_spawn(struct job *j, char **env, const char *uid)
{
	struct spawn s = { .j = j, .null = -1, .input = -1 };
	size_t n = 0;
	int err = spawn_prepare(&s, env, uid);

	if (!err) {
		s.input = run_stdin_open(j);
		for (int i = 0; i < j->n_procs && !err; i++)
			err = spawn_proc(&s, &j->procs[i]);
	}
	if (s.input > 2)
		close(s.input);
	if (s.null >= 0)
		close(s.null);
	if (s.cores) {
		CPU_FREE(s.cores);
		CPU_FREE(s.mine);
	}
	free(s.shell);
	while (s.env && s.env[n]) /* strings that the caller must not free */
		n++;
	for (int i = 0; n && i < OWN_VARS; i++)
		s.env[n - 1 - (size_t)i] = NULL;
	return err;
}
