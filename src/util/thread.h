// SPDX-License-Identifier: MIT
/* The threads that the library runs for itself. */
#ifndef MORI_UTIL_THREAD_H
#define MORI_UTIL_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* MORI_IGNORE_CPU_AFFINITY, for threads created from now on: they may run on any core. */
void thread_ignore_affinity(bool ignore);

/* For threads that keep little on it: the default of 8 MiB counts against locked memory. */
#define THREAD_STACK_SMALL ((size_t)512 << 10)

/*
 * Start a thread that receives no signals. @stack: its bytes, 0 for the system's default.
 * Returns 0 or an errno.
 */
int thread_create(pthread_t *out, size_t stack, void *(*start)(void *), void *arg);

#endif
