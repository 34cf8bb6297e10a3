// SPDX-License-Identifier: MIT
/*
 * Nothing of a job is left behind. Processes that left their group are reparented to the
 * launcher as its children (it is a subreaper) and are killed at the end. If the
 * launcher itself is killed, the keeper sees the end of a pipe and kills every
 * group that was reported to it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mori/run.h"

#define LEFTOVER_TRIES 2000 /* of one millisecond each: after that the kernel does not let one go */
#define FDS_MAX	       (1 << 16) /* a limit may be thousands of millions: minutes of closing */

/* A message to the keeper: a pid to remember, or its negative to forget. */
static __attribute__((noreturn)) void keeper_main(int fd)
{
	size_t n = 0, cap = 0;
	pid_t *pids = NULL, pid;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "mori-keeper");
	while (read(fd, &pid, sizeof(pid)) == sizeof(pid)) {
		if (pid < 0) {
			for (size_t i = 0; i < n; i++) {
				if (pids[i] == -pid)
					pids[i--] = pids[--n];
			}
			continue;
		}
		if (n == cap) {
			pid_t *more = realloc(pids, (2 * cap + 64) * sizeof(*pids));

			if (!more)
				continue;
			pids = more;
			cap = 2 * cap + 64;
		}
		pids[n++] = pid;
	}
	for (size_t i = 0; i < n; i++)
		kill(-pids[i], SIGKILL);
	_exit(0);
}

/*
 * Closes everything from @first on, one by one: many kernels lack close_range(), and many
 * sandboxes refuse it. Without /proc, or without a descriptor for it, it goes up to the limit.
 */
static void close_from(int first)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	struct rlimit r;

	while (d && (e = readdir(d))) {
		int fd = atoi(e->d_name); /* 0 for "." and ".." */

		if (fd >= first && fd != dirfd(d))
			close(fd);
	}
	if (d)
		closedir(d);
	else if (!getrlimit(RLIMIT_NOFILE, &r))
		for (int fd = first; (rlim_t)fd < r.rlim_cur && fd < FDS_MAX; fd++)
			close(fd);
}

/* All signals are blocked here and stay so in the keeper. */
int run_keeper_start(struct job *j)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -1;
	j->keeper_pid = fork();
	if (!j->keeper_pid) {
		/* The keeper must not hold a pipe or terminal of another process open. */
		dup2(fds[0], 0);
		close_from(1);
		keeper_main(0);
	}
	close(fds[0]);
	if (j->keeper_pid < 0) {
		close(fds[1]);
		return -1;
	}
	j->keeper = fds[1];
	return 0;
}

static void keeper_tell(struct job *j, pid_t pid)
{
	/* The loss of a killed keeper matters only if the launcher is killed as well. */
	while (j->keeper >= 0 && write(j->keeper, &pid, sizeof(pid)) < 0 && errno == EINTR)
		;
}

void run_keeper_add(struct job *j, pid_t pid)
{
	keeper_tell(j, pid);
}

void run_keeper_drop(struct job *j, pid_t pid)
{
	keeper_tell(j, -pid);
}

void run_keeper_stop(struct job *j)
{
	if (j->keeper < 0)
		return;
	close(j->keeper);
	j->keeper = -1;
	while (waitpid(j->keeper_pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Append the children of one thread of the launcher. */
static pid_t *read_children(const char *tid, pid_t *list, size_t *n)
{
	char path[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &pid) == 1) {
		pid_t *more = realloc(list, (*n + 2) * sizeof(*list));

		if (!more)
			break;
		list = more;
		list[(*n)++] = pid;
		list[*n] = 0;
	}
	if (f)
		fclose(f);
	return list;
}

/* Children of the launcher, 0 at the end; NULL for none. */
static pid_t *list_children(void)
{
	DIR *d = opendir("/proc/self/task");
	pid_t *list = NULL;
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] != '.')
			list = read_children(e->d_name, list, &n);
	}
	if (d)
		closedir(d);
	return list;
}

int run_note_children(struct job *j)
{
	j->born_before = list_children();
	return prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static int is_noted(const struct job *j, pid_t pid)
{
	for (const pid_t *p = j->born_before; p && *p; p++) {
		if (*p == pid)
			return 1;
	}
	return pid == j->keeper_pid;
}

/* Kill and reap what came back; its own children come back in turn. */
void run_kill_leftovers(struct job *j)
{
	const struct timespec tick = { 0, 1000 * 1000 };

	for (int tries = 0; tries < LEFTOVER_TRIES; tries++) {
		pid_t *list = list_children();
		int found = 0, left = 0;

		for (const pid_t *p = list; p && *p; p++) {
			if (is_noted(j, *p))
				continue;
			kill(*p, SIGKILL);
			found++;
			left += waitpid(*p, NULL, WNOHANG) == 0;
		}
		free(list);
		if (!found)
			return;
		if (left)
			nanosleep(&tick, NULL);
	}
}
