// SPDX-License-Identifier: MIT
/*
 * The life of a job: signals, ends of processes, deadlines and output in one
 * loop. The first failure is the cause and decides the exit code; the PEs that
 * end after it are its consequence. They get a moment to notice the failure by themselves,
 * then SIGTERM, then SIGKILL.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/launcher.h"
#include "mori/cmd.h"
#include "mori/run.h"
#include "util/clock.h"

#define NOTICE_S 1.0 /* from the first failure to SIGTERM for the others */
#define ANSWER_S 1.0 /* within which a process says for what its PEs wait, or is stopped */
#define AGAIN_S                                                                                    \
	0.2 /* a signal repeated within this time counts once: timeout(1) sends each twice */

const char *run_ranks(const struct proc *p, char *buf, size_t size)
{
	if (p->n == 1)
		snprintf(buf, size, "%d", p->first);
	else
		snprintf(buf, size, "%d-%d", p->first, p->first + p->n - 1);
	return buf;
}

const char *run_who(const struct proc *p, char *buf, size_t size)
{
	char ranks[32];

	snprintf(buf, size, "%s %s", p->n == 1 ? "PE" : "PEs", run_ranks(p, ranks, sizeof(ranks)));
	return buf;
}

void run_signal_all(const struct job *j, int sig)
{
	for (int i = 0; i < j->n_procs; i++) {
		if (j->procs[i].pid > 0)
			kill(-j->procs[i].pid, sig);
	}
}

/* Who waits for what, on standard error. */
static void say_waits(const struct job *j, int always)
{
	char *text = mori_private_launcher()->ask(j->uid, ANSWER_S), *rest = text;
	const char *line;

	if (text && !*text && always)
		cmd_error("run", "no PE has called mori_shmem_init()");
	while (text && (line = strsep(&rest, "\n")) && *line)
		cmd_error("run", "%s", line);
	free(text);
}

static void earlier(int64_t *when, int64_t t)
{
	if (!*when || t < *when)
		*when = t;
}

int run_wait_ms(const struct job *j)
{
	int64_t next = 0;

	if (j->ends_at)
		earlier(&next, j->ends_at);
	if (j->term_at)
		earlier(&next, j->term_at);
	if (j->kill_at)
		earlier(&next, j->kill_at);
	if (!next)
		return -1;
	return clock_left_ms(next);
}

/* Do what is due. */
static void pass_deadlines(struct job *j)
{
	int64_t now = clock_now();

	if (j->ends_at && now >= j->ends_at) {
		j->ends_at = 0;
		cmd_error("run", "the job did not end within %g s", j->o->timeout_s);
		say_waits(j, 0);
		if (!j->failed)
			j->code = RUN_TIMED_OUT;
		j->failed = 1;
		j->term_at = now;
	}
	if (j->term_at && now >= j->term_at) {
		j->term_at = 0;
		run_signal_all(j, SIGTERM);
		run_signal_all(j, SIGCONT); /* a stopped process could not act on the signal */
		earlier(&j->kill_at, clock_deadline(j->o->grace_s));
	}
	if (j->kill_at && now >= j->kill_at) {
		j->kill_at = 0;
		run_signal_all(j, SIGKILL);
	}
}

static void on_end_signal(struct job *j, int sig)
{
	if (sig == j->interrupted) {
		if (clock_now() < j->again_at)
			return;
		j->abandoned = 1;
		run_signal_all(j, SIGKILL);
		return;
	}
	j->interrupted = sig;
	j->again_at = clock_deadline(AGAIN_S);
	run_signal_all(j, sig);
	run_signal_all(j, SIGCONT);
	earlier(&j->kill_at, clock_deadline(j->o->grace_s));
}

static void on_signal(struct job *j, int sig)
{
	switch (sig) {
	case SIGCHLD:
		j->child_event = 1;
		break;
	case SIGINT:
	case SIGTERM:
	case SIGHUP:
	case SIGQUIT:
		on_end_signal(j, sig);
		break;
	case SIGUSR1:
		say_waits(j, 1);
		break;
	case SIGTSTP:
		run_signal_all(j, SIGTSTP);
		raise(SIGSTOP); /* until SIGCONT, which is passed on next */
		break;
	default:
		run_signal_all(j, sig);
	}
}

void run_serve(struct job *j)
{
	struct signalfd_siginfo info;

	while (read(j->signal_fd, &info, sizeof(info)) == sizeof(info))
		on_signal(j, (int)info.ssi_signo);
	pass_deadlines(j);
}

static const char *how_ended(int status, char *buf, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(buf, size, "was killed by signal %d (%s)%s", WTERMSIG(status),
			 strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", core dumped" : "");
	else
		snprintf(buf, size, "exited with code %d", WEXITSTATUS(status));
	return buf;
}

static void say_end(const struct proc *p, pid_t pid, int status)
{
	char who[64], how[128];

	cmd_error("run", "%s (process %d) %s", run_who(p, who, sizeof(who)), (int)pid,
		  how_ended(status, how, sizeof(how)));
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * The process that has failed first. It may be the consequence of one that ended before with code
 * 0, although other PEs needed it.
 */
static void say_cause(const struct job *j, const struct proc *p, pid_t pid, int status)
{
	char who[64], how[128], before[512];
	int first = mori_private_launcher()->blamed(j->uid, before, sizeof(before));

	if (first < 0 || first == p->first)
		say_end(p, pid, status);
	else
		cmd_error("run", "%s; then %s (process %d) %s", before,
			  run_who(p, who, sizeof(who)), (int)pid,
			  how_ended(status, how, sizeof(how)));
}

/* The first process that ends with a failure: end the others, too. */
static void on_cause(struct job *j, const struct proc *p, pid_t pid, int status)
{
	j->failed = 1;
	j->code = exit_code(status);
	if (j->interrupted && WIFSIGNALED(status))
		cmd_error("run", "ended by signal %d (%s)", j->interrupted,
			  strsignal(j->interrupted));
	else
		say_cause(j, p, pid, status);
	if (!j->o->keep_going)
		earlier(&j->term_at, clock_deadline(NOTICE_S));
}

struct ended {
	struct proc *p;
	pid_t pid;
	int status;
};

static void on_ends(struct job *j, const struct ended *ended, int n)
{
	const struct ended *cause = NULL;
	char how[128];

	for (int i = 0; i < n; i++) {
		run_output_drain(j, ended[i].p);
		mori_private_launcher()->ended(
			j->uid, ended[i].p->first, ended[i].p->n, ended[i].pid,
			how_ended(ended[i].status, how, sizeof(how)), !ended[i].status);
		/* Of several seen at once, a killed one is probably not a consequence of another. */
		if (ended[i].status &&
		    (!cause || (WIFSIGNALED(ended[i].status) && !WIFSIGNALED(cause->status))))
			cause = &ended[i];
	}
	if (cause && !j->failed)
		on_cause(j, cause->p, cause->pid, cause->status);
	else
		cause = NULL;
	for (int i = 0; i < n; i++) {
		int failed = ended[i].status && &ended[i] != cause;

		if (j->o->verbose || (failed && j->o->keep_going && !j->interrupted))
			say_end(ended[i].p, ended[i].pid, ended[i].status);
	}
}

static struct proc *find_proc(const struct job *j, pid_t pid)
{
	for (int i = 0; i < j->n_procs; i++) {
		if (j->procs[i].pid == pid)
			return &j->procs[i];
	}
	return NULL;
}

/* Reap what has ended: processes of the job, and others reparented to the launcher. */
static void reap(struct job *j)
{
	struct ended *ended = calloc((size_t)j->n_alive + 1, sizeof(*ended));
	siginfo_t info;
	int n = 0;

	j->child_event = 0;
	for (;;) {
		struct proc *p;
		int status = 0;

		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
			break;
		p = info.si_pid == j->keeper_pid ? NULL : find_proc(j, info.si_pid);
		/* While its leader is a zombie the group's number cannot belong to others. */
		if (p) {
			kill(-p->pid, SIGKILL);
			run_keeper_drop(j, p->pid);
		}
		waitpid(info.si_pid, &status, 0);
		if (!p)
			continue;
		p->pid = 0;
		j->n_alive--;
		if (ended)
			ended[n++] = (struct ended){ p, info.si_pid, status };
		else if (!j->failed && status)
			on_cause(j, p, info.si_pid, status);
	}
	if (ended)
		on_ends(j, ended, n);
	free(ended);
}

static int fill_poll(const struct job *j, struct pollfd *fds)
{
	int n = 0;

	fds[n++] = (struct pollfd){ j->signal_fd, POLLIN, 0 };
	fds[n] = (struct pollfd){ -1, 0, 0 };
	run_stdin_wants(j, &fds[n]);
	n++;
	for (int i = 0; i < j->n_procs; i++) {
		for (int k = 0; k < 2; k++)
			fds[n++] = (struct pollfd){ j->procs[i].s[k].fd, POLLIN, 0 };
	}
	return n;
}

int run_job(struct job *j)
{
	struct pollfd *fds = calloc(2 + 2 * (size_t)j->n_procs, sizeof(*fds));

	if (!fds)
		return 1;
	if (j->o->timeout_s > 0)
		j->ends_at = clock_deadline(j->o->timeout_s);
	while (j->n_alive) {
		int n = fill_poll(j, fds), ms = run_wait_ms(j);

		for (int i = 0; i < j->n_procs; i++)
			ms = run_output_pause(j, &j->procs[i], ms);
		poll(fds, (nfds_t)n, run_stdin_wait_ms(j, &fds[1], ms));
		run_serve(j);
		if (fds[1].revents)
			run_stdin_move(j);
		for (int i = 2; i < n; i++) {
			struct proc *p = &j->procs[(i - 2) / 2];

			if (fds[i].revents)
				run_output_read(j, p, &p->s[i % 2]);
		}
		if (j->child_event)
			reap(j);
	}
	run_kill_leftovers(j);
	for (int i = 0; i < j->n_procs; i++)
		run_output_finish(j, &j->procs[i]);
	free(fds);
	return j->code;
}
