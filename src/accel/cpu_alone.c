// SPDX-License-Identifier: MIT
/* The grid of one thread that a kernel's function sees when a host thread calls it directly. */
#include "accel/cpu_lane.h"
#include "util/clock.h"

#include <sched.h>

static void cpu_alone_sync(int scope)
{
	(void)scope;
}

static int cpu_alone_enter(int scope, int x)
{
	(void)scope;
	return x;
}

static uint64_t cpu_alone_share(int scope, uint64_t value)
{
	(void)scope;
	return value;
}

static void cpu_alone_yield(const void *addr, int cmp, uint64_t value, int how)
{
	(void)addr;
	(void)cmp;
	(void)value;
	(void)how;
	sched_yield();
}

static uint64_t cpu_alone_now_ns(void)
{
	return (uint64_t)clock_now();
}

static void cpu_alone_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

static const struct cpu_ops cpu_alone_ops = {
	.sync = cpu_alone_sync,
	.enter = cpu_alone_enter,
	.leave = cpu_alone_sync,
	.share = cpu_alone_share,
	.yield = cpu_alone_yield,
	.now_ns = cpu_alone_now_ns,
	.call = cpu_alone_call,
};

static const struct cpu_fiber cpu_alone_place = {
	.block_size = { 1, 1, 1 },
	.grid_size = { 1, 1, 1 },
	.lanes = 1,
	.leads = UINT32_MAX,
};

struct cpu_grid cpu_grid_alone = { .current = &cpu_alone_place, .ops = &cpu_alone_ops };
