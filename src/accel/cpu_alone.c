// SPDX-License-Identifier: MIT
/* What a kernel's function finds when a host thread calls it by itself: a grid of one thread. */
#include "accel/cpu_lane.h"

#include <sched.h>

static void alone_sync(int scope)
{
	(void)scope;
}

static int alone_enter(int scope, int x)
{
	(void)scope;
	return x;
}

static uint64_t alone_share(int scope, uint64_t value)
{
	(void)scope;
	return value;
}

static void alone_yield(const void *addr, int cmp, uint64_t value, int how)
{
	(void)addr;
	(void)cmp;
	(void)value;
	(void)how;
	sched_yield();
}

static void alone_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

static const struct cpu_ops alone_ops = {
	.sync = alone_sync,
	.enter = alone_enter,
	.leave = alone_sync,
	.share = alone_share,
	.yield = alone_yield,
	.now_ns = cpu_now_ns,
	.call = alone_call,
};

static const struct cpu_fiber alone_place = {
	.block_size = { 1, 1, 1 },
	.grid_size = { 1, 1, 1 },
	.lanes = 1,
	.leads = UINT32_MAX,
};

struct cpu_grid cpu_grid_alone = { .current = &alone_place, .ops = &alone_ops };
