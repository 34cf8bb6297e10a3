// SPDX-License-Identifier: MIT
/*
 * Output of the PEs where the launcher passes it on: tagged, stamped, or of several
 * processes that write to one place. Lines leave whole, however long, so those of
 * different PEs never mix: the launcher is the only one to write. It never blocks in a
 * write without listening to signals.
 *
 * Without a tag no byte is added or changed, and what no line break follows, such as a
 * prompt, leaves after a pause. Standard output to a terminal is not passed on: the PEs
 * see the terminal, to which they write by lines themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "mori/cmd.h"
#include "mori/run.h"
#include "util/clock.h"

#define READ_BYTES (64 * 1024)
/* A line longer than this leaves in pieces, or a PE that writes no line break would fill memory. */
#define LINE_BYTES_MOST (64u << 20)
/*
 * Text without a line break: a prompt, if its process can be answered. Any other is most likely
 * a line that its process is still writing, slowly, on a busy machine.
 */
#define PROMPT_MS 100
#define PAUSE_MS  5000

static int has_head(const struct job *j)
{
	return j->o->tag || j->o->timestamp;
}

/* Whether output (@i 0) or error (1) of the processes goes through the launcher. */
static int captures(const struct job *j, int i)
{
	if (has_head(j))
		return 1;
	return !j->o->output_dir && j->n_procs > 1 && (i || !isatty(1));
}

/* Whether output and error of the launcher are one file, where their order matters. */
static int is_one_file(void)
{
	struct stat out, err;

	return !fstat(1, &out) && !fstat(2, &err) && out.st_dev == err.st_dev &&
	       out.st_ino == err.st_ino;
}

static int open_file(const struct job *j, const struct proc *p, const char *suffix)
{
	char ranks[32], path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%s/pe-%s.%s", j->o->output_dir,
		     run_ranks(p, ranks, sizeof(ranks)), suffix) >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		cmd_error("run", "cannot open %s: %s", path, strerror(errno));
	return fd;
}

/* -1: the process gets the launcher's own, where that will do. */
static int open_pipe(const struct job *j, struct stream *s, int to)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC)) {
		if (!has_head(j))
			return -1;
		cmd_error("run", "cannot make a pipe: %s (see ulimit -n)", strerror(errno));
		return -1;
	}
	fcntl(fds[0], F_SETFL, O_NONBLOCK); /* the PE's end stays as it expects it */
	s->fd = fds[0];
	s->to = to;
	return fds[1];
}

/* @fds: what becomes output and error of the process; -1: the launcher's own. */
int run_output_open(struct job *j, struct proc *p, int fds[2])
{
	static const char *const suffixes[] = { "out", "err" };

	for (int i = 0; i < 2; i++) {
		if (j->o->output_dir) {
			p->file[i] = open_file(j, p, suffixes[i]);
			if (p->file[i] < 0)
				return -1;
			fds[i] = p->file[i];
		}
		if (!captures(j, i))
			continue;
		if (i && fds[0] >= 0 && !has_head(j) && is_one_file()) {
			fds[1] = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
			continue;
		}
		fds[i] = open_pipe(j, &p->s[i], p->file[i] >= 0 ? p->file[i] : 1 + i);
		if (fds[i] < 0 && has_head(j))
			return -1;
	}
	return 0;
}

static void stream_close(struct stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->buf);
	s->buf = NULL;
	s->len = s->cap = 0;
}

void run_output_close(struct proc *p)
{
	for (int i = 0; i < 2; i++) {
		stream_close(&p->s[i]);
		if (p->file[i] >= 0)
			close(p->file[i]);
		p->file[i] = -1;
	}
}

/* 0; -1 if nobody takes it any more. */
static int write_out(struct job *j, int fd, const char *buf, size_t len)
{
	while (len && !j->abandoned) {
		struct pollfd p[2] = { { fd, POLLOUT, 0 }, { j->signal_fd, POLLIN, 0 } };
		ssize_t n;

		if (poll(p, 2, run_wait_ms(j)) < 0 && errno != EINTR)
			return -1;
		if (p[1].revents || !p[0].revents)
			run_serve(j);
		if (!p[0].revents)
			continue;
		/* So much fits into a pipe that is ready, without waiting. */
		n = write(fd, buf, len < PIPE_BUF ? len : PIPE_BUF);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (n > 0) {
			buf += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static size_t make_head(const struct job *j, const struct proc *p, char *buf, size_t size)
{
	char ranks[32], day[32];
	struct timespec now;
	struct tm tm;
	int n = 0;

	if (j->o->tag)
		n = snprintf(buf, size, "[%s] ", run_ranks(p, ranks, sizeof(ranks)));
	if (j->o->timestamp) {
		clock_gettime(CLOCK_REALTIME, &now);
		localtime_r(&now.tv_sec, &tm);
		strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm);
		n += snprintf(buf + n, size - (size_t)n, "%s.%06ld ", day, now.tv_nsec / 1000);
	}
	return (size_t)n;
}

/* Pass on @len bytes that end a line or are the last there are. */
static int emit(struct job *j, const struct proc *p, struct stream *s, size_t len)
{
	char head[96];
	size_t head_len = make_head(j, p, head, sizeof(head));
	size_t lines = 1, n = 0;
	char *out;
	int err;

	for (size_t i = 0; i < len; i++)
		lines += s->buf[i] == '\n';
	out = malloc(len + lines * head_len + 1);
	if (!out)
		return -1;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(s->buf + at, '\n', len - at);
		size_t part = end ? (size_t)(end - s->buf) + 1 - at : len - at;

		memcpy(out + n, head, head_len);
		memcpy(out + n + head_len, s->buf + at, part);
		n += head_len + part;
		at += part;
		if (!end && head_len)
			out[n++] = '\n';
	}
	err = write_out(j, s->to, out, n);
	free(out);
	s->len -= len;
	memmove(s->buf, s->buf + len, s->len);
	return err;
}

/* Whole lines leave; @all: the rest too. */
static int emit_lines(struct job *j, const struct proc *p, struct stream *s, size_t seen, int all)
{
	const char *end = memrchr(s->buf + seen, '\n', s->len - seen);
	size_t len = end ? (size_t)(end - s->buf) + 1 : 0;

	if (all || s->len > LINE_BYTES_MOST)
		len = s->len;
	return len ? emit(j, p, s, len) : 0;
}

/* More than 0: bytes came; 0: none now; -1: the stream is closed. */
static int read_some(struct job *j, struct proc *p, struct stream *s)
{
	size_t seen = s->len;
	ssize_t n;

	if (s->cap - s->len < READ_BYTES) {
		size_t cap = 2 * s->cap + READ_BYTES;
		char *buf = realloc(s->buf, cap);

		if (!buf) {
			cmd_error("run", "no memory for output of PE %d", p->first);
			stream_close(s);
			return -1;
		}
		s->buf = buf;
		s->cap = cap;
	}
	n = read(s->fd, s->buf + s->len, READ_BYTES);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0) {
		s->len += (size_t)n;
		s->since = clock_now();
	}
	/* A reader that is gone: the PE meets its SIGPIPE at the closed pipe. */
	if (emit_lines(j, p, s, seen, n <= 0) || n <= 0) {
		stream_close(s);
		return -1;
	}
	return 1;
}

void run_output_read(struct job *j, struct proc *p, struct stream *s)
{
	if (s->fd >= 0)
		read_some(j, p, s);
}

/* Whether somebody can answer the process: it has standard input, which is no file or device. */
static int is_answered(const struct job *j, const struct proc *p)
{
	struct stat in;

	return p == j->procs && !fstat(STDIN_FILENO, &in) &&
	       (S_ISFIFO(in.st_mode) || S_ISSOCK(in.st_mode) || isatty(STDIN_FILENO));
}

int run_output_pause(struct job *j, struct proc *p, int ms)
{
	for (int i = 0; i < 2 && !has_head(j); i++) {
		struct stream *s = &p->s[i];
		int pause = is_answered(j, p) ? PROMPT_MS : PAUSE_MS;
		int64_t due = s->since + (int64_t)pause * 1000000;
		int left;

		if (s->fd < 0 || !s->len)
			continue;
		left = clock_now() < due ? clock_left_ms(due) : 0;
		if (!left && emit_lines(j, p, s, 0, 1))
			stream_close(s);
		else if (left && (ms < 0 || left < ms))
			ms = left;
	}
	return ms;
}

void run_output_drain(struct job *j, struct proc *p)
{
	for (int i = 0; i < 2; i++) {
		/* A pipe holds less than so many reads; a stranger may keep filling it. */
		for (int n = 0; n < 64 && p->s[i].fd >= 0; n++) {
			if (read_some(j, p, &p->s[i]) <= 0)
				break;
		}
	}
}

void run_output_finish(struct job *j, struct proc *p)
{
	run_output_drain(j, p);
	for (int i = 0; i < 2; i++) {
		if (p->s[i].fd >= 0 && p->s[i].len)
			emit_lines(j, p, &p->s[i], 0, 1);
	}
	run_output_close(p);
}
