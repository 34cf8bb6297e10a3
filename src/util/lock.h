// SPDX-License-Identifier: MIT
/*
 * A lock of one word for paths where a mutex would be measurable: one exchange to take it and one
 * to release it if there is no contention; else waiters sleep. All zero is free.
 */
#ifndef MORI_UTIL_LOCK_H
#define MORI_UTIL_LOCK_H

#include <stdint.h>

struct lock {
	uint32_t word; /* 0: free; 1: taken; 2: taken, and a waiter may be asleep */
};

void lock_wait(struct lock *l);
void lock_wake(struct lock *l);

static inline void lock_take(struct lock *l)
{
	uint32_t free_word = 0;

	/* Acquire: pairs with the release in lock_give(). */
	if (__builtin_expect(!__atomic_compare_exchange_n(&l->word, &free_word, 1, 0,
							  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED),
			     0))
		lock_wait(l);
}

static inline void lock_give(struct lock *l)
{
	if (__builtin_expect(__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2, 0))
		lock_wake(l);
}

#endif
