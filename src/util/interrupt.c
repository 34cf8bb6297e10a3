// SPDX-License-Identifier: MIT
/* See interrupt.h. All state is per thread. */
#include "util/interrupt.h"

#include "util/clock.h"

#include <stdint.h>

#define EVERY_NS 50000000

static __thread struct {
	int (*stop)(void *arg);
	void *arg;
	int64_t next_ns; /* of the next call, at the earliest */
	bool asked;
} interrupt;

void interrupt_set(int (*stop)(void *arg), void *arg)
{
	interrupt.stop = stop;
	interrupt.arg = arg;
	interrupt.next_ns = 0;
	interrupt.asked = false;
}

bool interrupt_wanted(void)
{
	return interrupt.stop != NULL;
}

bool interrupt_asked(void)
{
	int64_t now;

	if (!interrupt.stop || interrupt.asked)
		return interrupt.asked;
	now = clock_now();
	if (now < interrupt.next_ns)
		return false;
	interrupt.next_ns = now + EVERY_NS;
	interrupt.asked = interrupt.stop(interrupt.arg) != 0;
	return interrupt.asked;
}

bool interrupt_was_asked(void)
{
	return interrupt.asked;
}
