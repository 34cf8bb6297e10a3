// SPDX-License-Identifier: MIT
/*
 * Failures: one status code, and a text for the calling thread. The function that detects the
 * failure calls err_set(); its callers pass the code on.
 */
#ifndef MORI_UTIL_ERR_H
#define MORI_UTIL_ERR_H

#include <mori/shmem_types.h>

/*
 * Stores the text for mori_shmem_last_error() of this thread and logs it at level info. Returns
 * @status, so that a caller can write `return err_set(...)`.
 */
int err_set(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__
/* The analyzer sees one file at a time and does not know that a failure is not 0. */
#define err_set(status, ...) ((void)(err_set)(status, __VA_ARGS__), (status))
#endif

/* The text of this thread's last err_set(), "" before any. */
const char *err_text(void);

/* The status of this thread's last err_set() since the last err_take(); 0 for none. */
int err_take(void);

/*
 * The last failure, to be restored by a caller that attempts something, fails, and takes another
 * way: a call that succeeds leaves no text of its attempts.
 */
#define ERR_TEXT_BYTES 1024 /* a sentence and a list of ranks; a longer text ends in "..." */
struct err_was {
	int code;
	char text[ERR_TEXT_BYTES];
};
void err_save(struct err_was *was);
void err_restore(const struct err_was *was);

/* Name and meaning of a status, for any int. */
const char *err_name(int status);

#endif
