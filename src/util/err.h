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

/* Name and meaning of a status, for any int. */
const char *err_name(int status);

#endif
