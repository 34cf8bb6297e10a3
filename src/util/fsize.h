// SPDX-License-Identifier: MIT
/*
 * A file that becomes larger than the process may make one (ulimit -f) raises SIGXFSZ, which ends
 * the process by default. Between begin and end the call only fails with EFBIG.
 */
#ifndef MORI_UTIL_FSIZE_H
#define MORI_UTIL_FSIZE_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

struct fsize {
	sigset_t was, pending;
};

static inline void fsize_begin(struct fsize *f)
{
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGXFSZ);
	sigpending(&f->pending);
	pthread_sigmask(SIG_BLOCK, &mine, &f->was);
}

/* Keeps errno. */
static inline void fsize_end(const struct fsize *f)
{
	const struct timespec now = { 0, 0 };
	int saved = errno;
	sigset_t mine;

	sigemptyset(&mine);
	sigaddset(&mine, SIGXFSZ);
	if (!sigismember(&f->pending, SIGXFSZ)) /* else it is the program's own */
		sigtimedwait(&mine, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &f->was, NULL);
	errno = saved;
}

#endif
