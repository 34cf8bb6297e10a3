// SPDX-License-Identifier: MIT
/*
 * What went wrong in an operation, in words.
 */
#ifndef MORI_CORE_FAIL_H
#define MORI_CORE_FAIL_H

#include "abi/ops.h"
#include "abi/state.h"

#include <mori/shmem.h>

struct pe;

/* What a failure is about; @pe < 0: no PE in particular. */
struct fail_about {
	int pe;
	uint64_t addr, len;
};

/* The text for a failed operation @name (without prefix); gives @err. @st may be NULL. */
int fail_status(const struct dev_state *st, const char *name, int err) __attribute__((cold));
/* The same for an operation that returns a value: the PE keeps the failure; see faults.h. */
void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
	__attribute__((cold));
/* The failure of this thread's operation has its text by err_set(); @pe < 0: which PE, it says. */
void fail_told(int pe);
/* And that text is all there is to say. Gives @err. */
int fail_whole(int err);
/* Why an operation failed, in the words of a host's call, but without its name. */
void fail_words(const struct dev_state *st, const char *name, int err, const struct fail_about *a,
		char *text, size_t size) __attribute__((cold));
/* The name of enum dev_op, without prefix; "": none. */
const char *fail_op(uint32_t op);
/* A failure of a kernel that calls of the host carried out: the PE keeps it. */
void fail_leave(struct pe *pe, const mori_shmem_fault_t *f);

#endif
