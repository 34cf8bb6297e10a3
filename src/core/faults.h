// SPDX-License-Identifier: MIT
/*
 * What has failed in kernels of a PE, and in calls of its host that give a value: the records
 * of abi/state.h, and who is told of them. A failure has been looked at if the host asked for
 * it, or if a call has returned it; what nobody looked at is told once.
 */
#ifndef MORI_CORE_FAULTS_H
#define MORI_CORE_FAULTS_H

#include "core/fail.h"
#include "core/pe.h"

/* Where the launcher hears of what was told; the last PE to open says. */
void faults_open(struct pe *pe);
/* The block of a PE that is gone, which kernels may know: @state, or @news of a far one. */
void faults_keep(int rank, const struct dev_state *state, const struct dev_news *news);
/* Another PE has the block of @news now. */
void faults_forget(const struct dev_news *news);
/* In the child of a fork: what is kept is the parent's to tell. */
void faults_after_fork(void);

/* One failure of the host, or of a launch (@at). @seen: a call returns it. */
void faults_add(struct pe *pe, enum dev_op op, int err, const struct fail_about *about,
		const struct accel_fault *at, bool seen) __attribute__((cold));
/* mori_shmem_take_error() has given the last of this thread's own: its caller knows. */
void faults_taken(void);

/* mori_shmem_check() and mori_shmem_status(). */
int faults_take(struct pe *pe, mori_shmem_fault_t *out);
int faults_status(struct pe *pe);

/* Whether there may be something to tell; costs next to nothing. */
static inline bool faults_new(const struct pe *pe)
{
	/* Relaxed: what is not seen now is at the next call. */
	return __builtin_expect(__atomic_load_n(&pe->faults.news->failed, __ATOMIC_RELAXED) ||
					(pe->mirror.unheard && pe->state_known),
				0);
}

/*
 * Tells what nobody looked at. The status of the first where MORI_SHMEM_STRICT asks for it,
 * with its text; else 0.
 */
int faults_tell(struct pe *pe) __attribute__((cold));

static inline int faults_look(struct pe *pe)
{
	return faults_new(pe) ? faults_tell(pe) : 0;
}

/* Of what faults_tell() has returned: no caller will have it after all. */
void faults_dropped(const char *text) __attribute__((cold));
/* faults_look() where nobody can return it; the thread's text stays. */
void faults_say(struct pe *pe);

/* The calls of kernels that have outlived their PE. */
void faults_tell_late(void);

/* The calling thread's hearer, in place of standard error; NULL: none. */
void faults_hearer(void (*hear)(void *arg, const char *text), void *arg);

#endif
