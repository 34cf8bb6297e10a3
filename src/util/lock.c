// SPDX-License-Identifier: MIT
/*
 * The slow paths of a lock: sleeping on its word, and waking one sleeper.
 */
#include "util/lock.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

void lock_wait(struct lock *l)
{
	/* A thread that takes the lock this way cannot know whether others sleep: 2. */
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &l->word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void lock_wake(struct lock *l)
{
	syscall(SYS_futex, &l->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
