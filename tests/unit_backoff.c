// SPDX-License-Identifier: MIT
/* How a backoff spins, yields and sleeps, and what waits learn, by a clock of this test. */
#include "test.h"
#include "util/backoff.h"
#include "util/clock.h"

#define POLL_NS	  100
#define YIELD_NS  400
#define SPIN_NS	  50000 /* the most of BACKOFF_WORD and BACKOFF_BARRIER */
#define LEARN_MAX 8	/* spins without effect until no later one is shorter */

static int64_t now = 1;

/* What a wait did. */
struct did {
	int spins, yields, sleeps;
};

/* A wait for what arrives after @ns. */
static struct did wait_for(enum backoff_kind kind, struct backoff_learned *learned, int64_t ns)
{
	struct backoff b = backoff_start(kind, learned);
	struct did did = { 0 };
	int64_t end = now + ns;

	while (now < end) {
		switch (backoff_next(&b, now)) {
		case BACKOFF_SPIN:
			did.spins++;
			now += POLL_NS;
			break;
		case BACKOFF_YIELD:
			did.yields++;
			now += YIELD_NS;
			break;
		default:
			did.sleeps++;
			now += backoff_sleep_ns(&b, now);
		}
	}
	return did;
}

static void check_phases(void)
{
	struct did did = wait_for(BACKOFF_WORD, NULL, SPIN_NS - POLL_NS);
	struct backoff b = backoff_start(BACKOFF_WORD, NULL);

	CHECK_EQ("spins", did.spins, SPIN_NS / POLL_NS - 1);
	CHECK_EQ("a short wait keeps its core", did.yields + did.sleeps, 0);
	did = wait_for(BACKOFF_WORD, NULL, SPIN_NS + 10 * YIELD_NS);
	CHECK_EQ("all spins", did.spins, SPIN_NS / POLL_NS);
	CHECK_EQ("then yields", did.yields, 10);
	CHECK_EQ("no sleep", did.sleeps, 0);
	did = wait_for(BACKOFF_WORD, NULL, 100000000);
	CHECK_EQ("all yields", did.yields, 200);
	CHECK(did.sleeps > 100000000 / 200000);
	CHECK(did.sleeps < 100000000 / 20000);
	/* Sleeps grow with the wait, within limits. */
	backoff_next(&b, 1);
	CHECK_EQ("first sleep", backoff_sleep_ns(&b, 100000), 20000);
	CHECK_EQ("later", backoff_sleep_ns(&b, 3200001), 100000);
	CHECK_EQ("last", backoff_sleep_ns(&b, 10 * CLOCK_NS_PER_S), 200000);
}

static void check_reset(void)
{
	struct backoff b = backoff_start(BACKOFF_WORD, NULL);

	CHECK_EQ("begins", backoff_next(&b, 1), BACKOFF_SPIN);
	CHECK_EQ("yields", backoff_next(&b, 1 + SPIN_NS), BACKOFF_YIELD);
	backoff_reset(&b);
	CHECK_EQ("spins again", backoff_next(&b, 2 + SPIN_NS), BACKOFF_SPIN);
	CHECK_EQ("and yields", backoff_next(&b, 2 + 2 * SPIN_NS), BACKOFF_YIELD);
}

static void check_crowded(void)
{
	struct backoff_learned crowded = { .crowded = true };

	for (int i = 0; i < 1000; i++)
		CHECK_EQ("a spin in a crowd", wait_for(BACKOFF_BARRIER, &crowded, 1000).spins, 0);
}

/* Spinning does not pay: the waits spend little on it, in spite of those that probe. */
static void check_vain(struct backoff_learned *l)
{
	int64_t spins = 0;

	for (int i = 0; i < LEARN_MAX; i++)
		wait_for(BACKOFF_BARRIER, l, 1000000);
	for (int i = 0; i < 640; i++)
		spins += wait_for(BACKOFF_BARRIER, l, 1000000).spins;
	CHECK(spins * POLL_NS / 640 < SPIN_NS / 16);
}

/* Spinning would pay, but only for longer than it is done now: the waits find out. */
static void check_returns(void)
{
	struct backoff_learned l = { 0 };
	int waits = 1;

	check_vain(&l);
	while (wait_for(BACKOFF_BARRIER, &l, SPIN_NS / 2).yields && waits < 1000)
		waits++;
	CHECK(waits <= (int)BACKOFF_PROBE);
	for (int i = 0; i < 1000; i++)
		CHECK_EQ("a yield that need not be",
			 wait_for(BACKOFF_BARRIER, &l, SPIN_NS / 2).yields, 0);
}

/*
 * Two threads that answer each other: one that spun in time, one that yielded late. If both
 * have learned to yield, each answer is late because of the other; both must leave that.
 */
static void check_two(void)
{
	struct backoff_learned l[2] = { 0 };
	bool late[2] = { true, true };

	check_vain(&l[0]);
	check_vain(&l[1]);
	for (int i = 0; i < 4 * (int)BACKOFF_PROBE; i++) {
		struct did did = wait_for(BACKOFF_BARRIER, &l[i % 2], late[!(i % 2)] ? 3100 : 200);

		late[i % 2] = did.yields > 0;
	}
	for (int i = 0; i < 1000; i++)
		CHECK_EQ("still yields",
			 wait_for(BACKOFF_BARRIER, &l[i % 2], late[!(i % 2)] ? 3100 : 200).yields,
			 0);
}

static void check_clock(void)
{
	int64_t start = clock_now();

	CHECK_EQ("never", clock_after(start, UINT64_MAX), INT64_MAX);
	CHECK_EQ("later", clock_after(start, 5), start + 5);
	CHECK_EQ("over", clock_left_ms(start), 0);
	CHECK_EQ("no later than an hour", clock_left_ms(clock_deadline(1e300)), 3600000);
	CHECK(clock_left_ms(clock_deadline(1.0)) > 500);
	CHECK(clock_deadline(-1.0) < start + CLOCK_NS_PER_S);
	CHECK(clock_sooner(start, 1.0) == start);
	CHECK(clock_sooner(INT64_MAX, 0.0) < INT64_MAX);
	CHECK_EQ("seconds", clock_timespec(1500000000).tv_sec, 1);
	CHECK_EQ("nanoseconds", clock_timespec(1500000000).tv_nsec, 500000000);
	clock_sleep(1000000);
	CHECK(clock_now() - start >= 1000000);
}

int main(void)
{
	check_phases();
	check_reset();
	check_crowded();
	check_vain(&(struct backoff_learned){ 0 });
	check_returns();
	check_two();
	check_clock();
	return test_result();
}
