// SPDX-License-Identifier: MIT
/*
 * Status codes and the text of each thread's last failure. No other thread reads or writes the
 * text, so there is no lock. It is allocated at the first failure and freed with the thread,
 * because space for thread-local variables is scarce in a library that may be loaded late.
 */
#include "util/err.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

static __thread char *err_last;
static __thread int err_code; /* since err_take() */
static pthread_once_t err_once = PTHREAD_ONCE_INIT;
static pthread_key_t err_key;
static int err_key_made;

static void err_drop(void *text)
{
	err_last = NULL; /* a destructor that runs later may still fail and set a text */
	free(text);
}

static void err_make_key(void)
{
	err_key_made = !pthread_key_create(&err_key, err_drop);
}

/* This thread's buffer; NULL if there is no memory. */
static char *err_room(void)
{
	pthread_once(&err_once, err_make_key);
	if (err_last || !err_key_made)
		return err_last;
	err_last = malloc(ERR_TEXT_BYTES);
	if (err_last && pthread_setspecific(err_key, err_last)) {
		free(err_last);
		err_last = NULL;
	}
	return err_last;
}

int(err_set)(int status, const char *fmt, ...)
{
	char text[ERR_TEXT_BYTES]; /* not err_last: an argument may be err_text() */
	int saved = errno;
	va_list args;
	char *room;
	int len;

	va_start(args, fmt);
	len = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (len < 0)
		snprintf(text, sizeof(text), "%s", err_name(status));
	else if ((size_t)len >= sizeof(text))
		memcpy(text + sizeof(text) - 4, "...", 4);
	room = err_room();
	if (room)
		memcpy(room, text, strlen(text) + 1);
	err_code = status;
	log_info("%s", text);
	errno = saved;
	return status;
}

int err_take(void)
{
	int status = err_code;

	err_code = 0;
	return status;
}

const char *err_text(void)
{
	return err_last ? err_last : "";
}

void err_save(struct err_was *was)
{
	was->code = err_code;
	memcpy(was->text, err_text(), strlen(err_text()) + 1);
}

void err_restore(const struct err_was *was)
{
	err_code = was->code;
	if (err_last)
		memcpy(err_last, was->text, strlen(was->text) + 1);
}

const char *err_name(int status)
{
	switch (status) {
	case MORI_SHMEM_SUCCESS:
		return "success";
	case MORI_SHMEM_EINVAL:
		return "MORI_SHMEM_EINVAL: an argument or a variable is wrong";
	case MORI_SHMEM_ENOMEM:
		return "MORI_SHMEM_ENOMEM: out of symmetric or ordinary memory";
	case MORI_SHMEM_ENOENT:
		return "MORI_SHMEM_ENOENT: there is no such thing";
	case MORI_SHMEM_EPEER:
		return "MORI_SHMEM_EPEER: a PE was lost";
	case MORI_SHMEM_ETIMEDOUT:
		return "MORI_SHMEM_ETIMEDOUT: a deadline passed";
	case MORI_SHMEM_EMISMATCH:
		return "MORI_SHMEM_EMISMATCH: the PEs of a collective call disagree";
	case MORI_SHMEM_EFAULT:
		return "MORI_SHMEM_EFAULT: memory could not be read or written";
	case MORI_SHMEM_ENOTSUP:
		return "MORI_SHMEM_ENOTSUP: not possible on this device or path";
	case MORI_SHMEM_EABI:
		return "MORI_SHMEM_EABI: made for another version of the library";
	case MORI_SHMEM_ESTATE:
		return "MORI_SHMEM_ESTATE: not at this time (before init, after finalize, twice)";
	case MORI_SHMEM_EREACH:
		return "MORI_SHMEM_EREACH: no way to reach that PE or memory";
	case MORI_SHMEM_EIO:
		return "MORI_SHMEM_EIO: the operating system, a socket or a driver failed";
	default:
		return "not a status of MORI Shmem";
	}
}
