// SPDX-License-Identifier: MIT
/*
 * The log. The level is one word per process, the rank one per thread; a line is built on the stack
 * and written by one write(2), without lock or allocation.
 */
#include "util/log.h"

#include "util/fsize.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Below PIPE_BUF, so that a write to a pipe stays in one piece. */
#define LOG_LINE_BYTES 2048

static int log_level_now = LOG_WARN;
static __thread int log_rank = -1;

void log_set_level(enum log_level level)
{
	/* Relaxed: one line more or less around a change does no harm. */
	__atomic_store_n(&log_level_now, (int)level, __ATOMIC_RELAXED);
}

int log_on(enum log_level level)
{
	return (int)level >= __atomic_load_n(&log_level_now, __ATOMIC_RELAXED);
}

void log_set_rank(int rank)
{
	log_rank = rank;
}

static int log_head(char *line, size_t size, enum log_level level)
{
	static const char *const names[] = { "trace", "debug", "info", "warning", "error" };

	if (log_rank < 0)
		return snprintf(line, size, "mori[%d:-] %s: ", (int)getpid(), names[level]);
	return snprintf(line, size, "mori[%d:%d] %s: ", (int)getpid(), log_rank, names[level]);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	char line[LOG_LINE_BYTES];
	struct fsize limit;
	int saved = errno;
	size_t len, room;
	va_list args;
	int n;

	len = (size_t)log_head(line, sizeof(line), level);
	room = sizeof(line) - len;
	va_start(args, fmt);
	n = vsnprintf(line + len, room, fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= room) {
		memcpy(line + sizeof(line) - 4, "...", 3);
		n = (int)room - 1;
	}
	len += (size_t)n;
	line[len++] = '\n'; /* over the terminating NUL */
	fsize_begin(&limit);
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	fsize_end(&limit);
	errno = saved;
}
