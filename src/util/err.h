// SPDX-License-Identifier: MIT
/*
 * Failures: one status code, and a text for the thread that called. The first
 * function to know calls err_set(); everybody above passes the code on.
 */
#ifndef MORI_UTIL_ERR_H
#define MORI_UTIL_ERR_H

#include <mori/shmem_types.h>

/*
 * Remember the text for mori_shmem_last_error() of this thread and log it at
 * level info. Returns @status, so that a caller can say `return err_set(...)`.
 */
int err_set(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__
/* The analyzer sees one file at a time: it must be told that a failure is not 0. */
#define err_set(status, ...) ((void)(err_set)(status, __VA_ARGS__), (status))
#endif

/* This thread's text: what the last err_set() said, "" before any. */
const char *err_text(void);

/* The status of this thread's last err_set() since the last err_take(); 0 for none. */
int err_take(void);

/*
 * What has failed so far, to be put back by whoever tries something, is refused, and goes
 * another way: a call that succeeds leaves no word of what it tried.
 */
#define ERR_TEXT_BYTES 1024 /* a sentence and a list of ranks; what is longer ends in "..." */
struct err_was {
	int code;
	char text[ERR_TEXT_BYTES];
};
void err_save(struct err_was *was);
void err_restore(const struct err_was *was);

/* Name and meaning of a status, for any int. */
const char *err_name(int status);

#endif
