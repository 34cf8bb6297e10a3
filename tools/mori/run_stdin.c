// SPDX-License-Identifier: MIT
/*
 * Standard input belongs to process 0, which simply inherits a file or pipe. It could not
 * read a terminal from its own process group, so the launcher reads
 * it, while it is in the foreground itself, and passes it on.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "mori/run.h"

#define FOREGROUND_MS 500 /* nothing says when the shell puts a job into the foreground */

int run_stdin_open(struct job *j)
{
	int fds[2];

	j->typed.fd = -1;
	if (!isatty(STDIN_FILENO) || pipe2(fds, O_CLOEXEC))
		return -1;
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	j->typed.fd = fds[1];
	return fds[0];
}

void run_stdin_wants(const struct job *j, struct pollfd *p)
{
	if (j->typed.fd < 0)
		return;
	p->events = j->typed.len ? POLLOUT : POLLIN;
	if (j->typed.len)
		p->fd = j->typed.fd;
	else if (tcgetpgrp(STDIN_FILENO) == getpgrp()) /* else a read would stop the launcher */
		p->fd = STDIN_FILENO;
}

int run_stdin_wait_ms(const struct job *j, const struct pollfd *p, int ms)
{
	if (j->typed.fd < 0 || p->fd >= 0 || (ms >= 0 && ms < FOREGROUND_MS))
		return ms;
	return FOREGROUND_MS;
}

void run_stdin_move(struct job *j)
{
	struct typed *t = &j->typed;
	ssize_t n;

	if (!t->len) {
		n = read(STDIN_FILENO, t->buf, sizeof(t->buf));
		if (n > 0)
			t->len = (size_t)n;
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			run_stdin_close(j);
		return;
	}
	n = write(t->fd, t->buf, t->len);
	if (n > 0) {
		t->len -= (size_t)n;
		memmove(t->buf, t->buf + n, t->len);
	} else if (n < 0 && errno != EINTR && errno != EAGAIN) {
		run_stdin_close(j); /* process 0 reads no more */
	}
}

void run_stdin_close(struct job *j)
{
	if (j->typed.fd >= 0)
		close(j->typed.fd);
	j->typed.fd = -1;
	j->typed.len = 0;
}
