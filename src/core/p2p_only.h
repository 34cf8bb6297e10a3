// SPDX-License-Identifier: MIT
/* Which PEs hold kernels without queues, and which need queues; see p2p_only.c. */
#ifndef MORI_CORE_P2P_ONLY_H
#define MORI_CORE_P2P_ONLY_H

#include <stdbool.h>

struct pe;

/* The remedy, for error texts. */
#define P2P_ONLY_ADVICE                                                                            \
	"compile %s without `mori cc --p2p`, in Python with get_extern_libs(p2p=False)"

/*
 * @module acts for @pe from now on, and for no other; @p2p_only: it has no code for queues. ENOTSUP
 * with a text if it needs that.
 */
int p2p_only_bind(struct pe *pe, const void *module, bool p2p_only, const char *call);
void p2p_only_unbind(const void *module);
/* The PE ends, and with it its bindings. */
void p2p_only_close(const struct pe *pe);

/*
 * The PE is about to get a window of which only a queue reaches the part of @rank. ENOTSUP, without
 * a text, if it holds kernels without queues; else none can be bound to it until p2p_only_allow().
 */
int p2p_only_forbid(struct pe *pe, int rank);
void p2p_only_allow(struct pe *pe);

/* In the child of a fork: the parent's modules are not the child's. */
void p2p_only_after_fork(void);

#endif
