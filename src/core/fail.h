// SPDX-License-Identifier: MIT
/*
 * What went wrong in an operation, in words, and the sticky status of a PE.
 */
#ifndef MORI_CORE_FAIL_H
#define MORI_CORE_FAIL_H

#include "abi/ops.h"
#include "abi/state.h"

#include <mori/shmem.h>

/* The text for a failed operation @name (without prefix); gives @err. @st may be NULL. */
int fail_status(const struct dev_state *st, const char *name, int err) __attribute__((cold));
/* The same for an operation that returns a value: the status becomes sticky. */
void fail_value(struct dev_state *st, const char *name, enum dev_op op, int err)
	__attribute__((cold));
/* After a kernel in which the first fault came: if it is a barrier's, who was missing. */
void fail_late(const struct dev_state *st, const char *kernel) __attribute__((cold));
/* The failure of this thread's operation has its text by err_set(); @pe < 0: which PE, it says. */
void fail_told(int pe);
/* Read and clear the sticky status. */
int fail_take(struct dev_state *st, mori_shmem_fault_t *out);
/* The code of that fault, the host's or a kernel's; it stays. */
int fail_code(const struct dev_state *st);

#endif
