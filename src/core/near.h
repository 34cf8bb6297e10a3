// SPDX-License-Identifier: MIT
/* Which PEs hold kernels without queues, and which need queues; near.c says how. */
#ifndef MORI_CORE_NEAR_H
#define MORI_CORE_NEAR_H

#include <stdbool.h>

struct pe;

/* What to do about it, for texts. */
#define NEAR_ADVICE                                                                                \
	"compile %s without `mori cc --near`, in Python with get_extern_libs(near=False)"

/*
 * @module acts for @pe from now on, and for no other; @near: it has no code for queues.
 * ENOTSUP with a text if it must have.
 */
int near_bind(struct pe *pe, const void *module, bool near, const char *call);
void near_unbind(const void *module);
/* The PE ends: so does what was bound to it. */
void near_close(const struct pe *pe);

/*
 * The PE is about to have a window of which a queue alone reaches the part of @rank: ENOTSUP,
 * without a text, if it holds kernels without queues. Else none is bound to it until near_joined().
 */
int near_apart(struct pe *pe, int rank);
void near_joined(struct pe *pe);

/* In the child of a fork: the parent's modules are not the child's. */
void near_after_fork(void);

#endif
