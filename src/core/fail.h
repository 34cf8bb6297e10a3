// SPDX-License-Identifier: MIT
/* The texts of failed operations. */
#ifndef MORI_CORE_FAIL_H
#define MORI_CORE_FAIL_H

#include "abi/opcodes.h"
#include "abi/state.h"

#include <mori/shmem.h>

struct pe;

/* The subject of a failure; @pe < 0: no PE in particular. */
struct fail_subject {
	int pe;
	uint64_t addr, len;
};

/* What a wait of the host returns to learn its name; the caller resumes and makes it again. */
#define FAIL_AGAIN (-1000) /* negative, as every failure */
/* @name, without prefix, is that of this thread's wait, which begins again; NULL: it is over. */
void fail_resume(const char *name) __attribute__((cold));
/* The same for a call whose waits have not begun: none of them returns FAIL_AGAIN. */
void fail_resume_first(const char *name);

/* Sets the text for a failed operation @name (without prefix); returns @err. @st may be NULL. */
int fail_status(const struct dev_state *st, const char *name, int err) __attribute__((cold));
/* The same for an operation that returns a value: the PE keeps the failure; see faults.h. */
void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
	__attribute__((cold));
/*
 * The failure of this thread's operation has its text by err_set(), which names the PE if @pe < 0.
 */
void fail_has_text(int pe);
/* The same, and that text is complete. Returns @err. */
int fail_has_full_text(int err);
/* Why an operation failed, as a host's call reports it, but without its name. */
void fail_text(const struct dev_state *st, const char *name, int err, const struct fail_subject *a,
	       char *text, size_t size) __attribute__((cold));
/* The name of enum dev_op, without prefix; "": none. */
const char *fail_op(uint32_t op);
/* A failure of a kernel whose calls the host executed: the PE keeps it. */
void fail_record(struct pe *pe, const mori_shmem_fault_t *f);

#endif
