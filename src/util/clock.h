// SPDX-License-Identifier: MIT
/*
 * The one clock: nanoseconds of CLOCK_MONOTONIC, signed, so that differences are signed too.
 * Deadlines are points in time on this clock.
 */
#ifndef MORI_UTIL_CLOCK_H
#define MORI_UTIL_CLOCK_H

#include "util/tsan.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_S INT64_C(1000000000)

/* Not instrumented: the handler of a signal calls it, on any stack. */
static inline TSAN_BARE int64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CLOCK_NS_PER_S + t.tv_nsec;
}

/* The time @ns after @now; INT64_MAX if that is too far away to represent. */
static inline int64_t clock_after(int64_t now, uint64_t ns)
{
	return ns > (uint64_t)(INT64_MAX - now) ? INT64_MAX : now + (int64_t)ns;
}

/* The time @timeout_s from now, which is at most thirty years, also for a NaN. */
static inline int64_t clock_deadline(double timeout_s)
{
	double most = 1e9;

	if (timeout_s < 0)
		timeout_s = 0;
	if (!(timeout_s < most))
		timeout_s = most;
	return clock_now() + (int64_t)(timeout_s * (double)CLOCK_NS_PER_S);
}

/* @deadline, or @timeout_s from now if that is sooner. */
static inline int64_t clock_sooner(int64_t deadline, double timeout_s)
{
	int64_t other = clock_deadline(timeout_s);

	return other < deadline ? other : deadline;
}

/* For poll(): milliseconds left, rounded up and at most one hour; 0 after the deadline. */
static inline int clock_left_ms(int64_t deadline)
{
	int64_t left = deadline - clock_now();

	if (left <= 0)
		return 0;
	left = (left + 999999) / 1000000;
	return left > 3600000 ? 3600000 : (int)left;
}

/* Something that says when it lasts, and again each time it has lasted twice as long. */
struct clock_lasting {
	int64_t since, report_at;
};

/* It begins now, and lasts after @report_s; 0: it never does. */
static inline struct clock_lasting clock_lasting(double report_s)
{
	int64_t now = clock_now();

	return (struct clock_lasting){ now, report_s > 0 ?
						    clock_after(now, (uint64_t)(report_s * 1e9)) :
						    INT64_MAX };
}

/* Whether it is to say so now. */
static inline bool clock_lasts(struct clock_lasting *l, int64_t now)
{
	if (now < l->report_at)
		return false;
	l->report_at = now + (now - l->since);
	return true;
}

static inline struct timespec clock_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = ns / CLOCK_NS_PER_S, .tv_nsec = ns % CLOCK_NS_PER_S };
}

static inline void clock_sleep(int64_t ns)
{
	struct timespec t = clock_timespec(ns);

	nanosleep(&t, NULL);
}

#endif
