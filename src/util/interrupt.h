// SPDX-License-Identifier: MIT
/*
 * Requests to end a wait. The user may set a function per thread; calls of that thread that wait
 * poll it now and then, end their wait when it returns nonzero, and undo what they have begun.
 */
#ifndef MORI_UTIL_INTERRUPT_H
#define MORI_UTIL_INTERRUPT_H

#include <stdbool.h>

/* For this thread; NULL for none. */
void interrupt_set(int (*stop)(void *arg), void *arg);
/* Whether a function is set: then a sleep must be short. */
bool interrupt_wanted(void);
/* Whether the wait is to end. Cheap: it calls the user's function some 20 times per second. */
bool interrupt_asked(void);
/* Whether a wait was to end at any time since interrupt_set(). */
bool interrupt_was_asked(void);

#endif
