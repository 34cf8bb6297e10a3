// SPDX-License-Identifier: MIT
/*
 * What has failed in kernels of a PE, and in host calls that return a value: the records of
 * abi/state.h, and their reports. A failure counts as seen if the host asked for it or a call
 * returned it; other failures are reported once.
 */
#ifndef MORI_CORE_FAULTS_H
#define MORI_CORE_FAULTS_H

#include "core/fail.h"
#include "core/pe.h"

/* Sets where the launcher is notified of reports; the last PE to open decides. */
void faults_open(struct pe *pe);
/* The block of a PE that is gone, which kernels may know: @state, or @news of one on a device. */
void faults_keep(int rank, const struct dev_state *state, const struct dev_news *news);
/* Another PE has the block of @news now. */
void faults_forget(const struct dev_news *news);
/* In the child of a fork: the parent reports what is kept. */
void faults_after_fork(void);

/* One failure of the host, or of a launch (@at). @seen: a call returns it. */
void faults_add(struct pe *pe, enum dev_op op, int err, const struct fail_subject *about,
		const struct accel_fault *at, bool seen) __attribute__((cold));
/* mori_shmem_take_error() has returned this thread's last failure: its caller knows. */
void faults_error_taken(void);

/* mori_shmem_check() and mori_shmem_status(). */
int faults_take(struct pe *pe, mori_shmem_fault_t *out);
int faults_status(struct pe *pe);

/* Whether there may be something to report; costs next to nothing. */
static inline bool faults_pending(const struct pe *pe)
{
	/* Relaxed: what is not seen now is at the next call. */
	return __builtin_expect(__atomic_load_n(&pe->faults.news->failed, __ATOMIC_RELAXED) ||
					(pe->mirror.polled && pe->state_known),
				0);
}

/*
 * Reports failures that nobody has seen. With MORI_SHMEM_STRICT, returns the status of the first,
 * with its text; else 0.
 */
int faults_report(struct pe *pe) __attribute__((cold));

static inline int faults_report_new(struct pe *pe)
{
	return faults_pending(pe) ? faults_report(pe) : 0;
}

/* For what faults_report() has returned, if no caller gets it after all. */
void faults_dropped(const char *text) __attribute__((cold));
/* faults_report_new() where nobody can return it; the thread's text stays. */
void faults_print(struct pe *pe);

/* Reports calls of kernels that have outlived their PE. */
void faults_report_late(void);

/* The calling thread's handler, in place of standard error; NULL: none. */
void faults_set_handler(void (*hear)(void *arg, const char *text), void *arg);

#endif
