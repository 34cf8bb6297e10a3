// SPDX-License-Identifier: MIT
/*
 * A wish to end a wait. The user of a thread may leave a function that is asked now
 * and then while a call of that thread waits; who waits, and knows what to undo, asks.
 */
#ifndef MORI_UTIL_INTERRUPT_H
#define MORI_UTIL_INTERRUPT_H

#include <stdbool.h>

/* For this thread; NULL for none. */
void interrupt_set(int (*stop)(void *arg), void *arg);
/* Whether there is one: then a sleep must not be long. */
bool interrupt_wanted(void);
/* Whether the wait is to end. Cheap: the user's function is called some 20 times a second. */
bool interrupt_asked(void);
/* Whether it was to end at any time since interrupt_set(). */
bool interrupt_was_asked(void);

#endif
