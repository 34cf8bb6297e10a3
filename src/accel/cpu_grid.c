// SPDX-License-Identifier: MIT
/*
 * The scheduler. A round visits every block that has begun; a visit lets the lanes
 * of a block run until all of them only poll, and then the next block has its
 * turn. After each round as many blocks begin as are waiting, at least one. A
 * round in which nobody did anything but poll yields the core to other PEs.
 *
 * Lanes switch to the scheduler and never to each other, so that all of this is
 * the work of one fiber, the host's.
 */
#include "accel/cpu_grid.h"

#include "accel/cpu_lane.h"
#include "util/err.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCOPE_WARP     1 /* of enum dev_scope, which src/dev has */
#define SCOPE_BLOCK    2
#define VISIT_TURNS    32u /* a lane, before the other blocks have their turn */
#define IDLE_YIELDS    200u
#define STACKS_TO_KEEP 2048u /* between launches */

static __thread struct run *running;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void queue_last(struct block *b, struct lane *l)
{
	l->state = LANE_READY;
	l->next = NULL;
	if (b->head)
		b->tail->next = l;
	else
		b->head = l;
	b->tail = l;
	b->ready++;
}

static void queue_first(struct block *b, struct lane *l)
{
	l->state = LANE_READY;
	l->next = b->head;
	if (!b->head)
		b->tail = l;
	b->head = l;
	b->ready++;
}

static struct lane *queue_take(struct block *b)
{
	struct lane *l = b->head;

	b->head = l->next;
	b->ready--;
	return l;
}

/* On the lane's own stack, which goes on when it is its turn again. */
static void lane_pause(struct run *r, struct lane *l, bool check)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (check && (here < (uintptr_t)l->stack->lo || here > (uintptr_t)l->stack->hi ||
		      !stack_intact(l->stack)))
		r->overflowed = l;
	fiber_switch(&l->fiber, &r->host);
}

/* The last has come: those who wait go on, the first to come first. */
static void meeting_end(struct run *r, struct meeting *m)
{
	while (m->waiting) {
		struct lane *l = m->waiting;

		m->waiting = l->next;
		l->shared = m->value;
		l->any = m->any;
		queue_first(l->block, l);
	}
	m->came = 0;
	m->lead = UINT32_MAX;
	m->value = 0;
	m->any = false;
	r->progress++;
}

static struct meeting *meeting_of(const struct lane *l, int scope)
{
	return scope == SCOPE_BLOCK ? &l->block->all : &l->block->warp[l->place.rank / CPU_WARP];
}

static struct lane *meet(int scope, uint64_t value, bool any)
{
	struct run *r = running;
	struct lane *l = r->current;
	struct meeting *m = meeting_of(l, scope);

	l->polls = NULL;
	if (l->place.rank < m->lead) {
		m->lead = l->place.rank;
		m->value = value;
	}
	m->any |= any;
	if (++m->came + m->ended == m->lanes) {
		l->shared = m->value;
		l->any = m->any;
		meeting_end(r, m);
		return l;
	}
	l->next = m->waiting;
	m->waiting = l;
	l->state = LANE_MEETS;
	l->scope = scope;
	lane_pause(r, l, true);
	return l;
}

static void lane_sync(int scope)
{
	meet(scope, 0, false);
}

static uint64_t lane_share(int scope, uint64_t value)
{
	return meet(scope, value, false)->shared;
}

static int lane_any(int scope, int x)
{
	return meet(scope, 0, x != 0)->any;
}

static void lane_yield(const void *addr, int cmp, uint64_t value, int how)
{
	struct run *r = running;
	struct lane *l = r->current;
	bool again = !addr || (l->polls == addr && !(how & CPU_POLL_FIRST));

	l->polls = addr;
	l->polls_cmp = cmp;
	l->polls_value = value;
	r->progress += !again;
	r->tests += !addr;
	r->ends += (how & CPU_POLL_ENDS) != 0;
	queue_last(l->block, l);
	lane_pause(r, l, !again);
}

static const struct cpu_ops lane_ops = {
	.sync = lane_sync,
	.share = lane_share,
	.any = lane_any,
	.yield = lane_yield,
	.now_ns = now_ns,
};

/* Never returns; uninstrumented, so that TSan sees no call that does not end. */
static FIBER_BARE void lane_main(void)
{
	struct run *r = running;

	fiber_arrived(&r->host);
	r->launch->kernel->entry(r->launch->args);
	r->current->state = LANE_DONE;
	fiber_leave(&r->current->fiber, &r->host);
}

static void lane_end(struct run *r, struct lane *l)
{
	struct block *b = l->block;
	struct meeting *meetings[] = { meeting_of(l, SCOPE_WARP), &b->all };

	if (!stack_intact(l->stack)) {
		r->overflowed = l;
		return;
	}
	stacks_give(r->stacks, l->stack);
	l->stack = NULL;
	b->live--;
	r->progress++;
	for (int i = 0; i < 2; i++) {
		meetings[i]->ended++;
		if (meetings[i]->came &&
		    meetings[i]->came + meetings[i]->ended == meetings[i]->lanes)
			meeting_end(r, meetings[i]);
	}
}

static int lane_begin(struct run *r, struct lane *l)
{
	l->stack = stacks_take(r->stacks);
	if (!l->stack)
		return MORI_SHMEM_ENOMEM;
	fiber_make(&l->fiber, l->stack->lo, l->stack->hi, lane_main);
	l->fiber.tsan = l->stack->tsan;
	r->progress++;
	return 0;
}

/* One turn: until it ends, polls, or waits for others. */
static int lane_turn(struct run *r, struct lane *l)
{
	if (!l->stack && lane_begin(r, l))
		return MORI_SHMEM_ENOMEM;
	r->turns++;
	r->current = l;
	r->grid.current = &l->place;
	r->fault.armed = true;
	fiber_switch(&r->host, &l->fiber);
	r->fault.armed = false;
	if (!r->fault.sig && !r->overflowed && l->state == LANE_DONE)
		lane_end(r, l);
	return r->fault.sig || r->overflowed ? MORI_SHMEM_EFAULT : 0;
}

static void block_place(const struct run *r, uint64_t number, struct lane *l, uint32_t rank)
{
	const unsigned *grid = r->launch->grid, *block = r->launch->block;
	struct cpu_fiber *p = &l->place;

	for (int i = 0; i < 3; i++) {
		p->block_size[i] = block[i];
		p->grid_size[i] = grid[i];
	}
	p->block[0] = (uint32_t)(number % grid[0]);
	p->block[1] = (uint32_t)(number / grid[0] % grid[1]);
	p->block[2] = (uint32_t)(number / grid[0] / grid[1]);
	p->thread[0] = rank % block[0];
	p->thread[1] = rank / block[0] % block[1];
	p->thread[2] = rank / block[0] / block[1];
	p->rank = rank;
	p->lanes = r->lanes;
}

static struct block *block_alloc(struct run *r)
{
	size_t warps = r->warps * sizeof(struct meeting), lanes = r->lanes * sizeof(struct lane);
	struct block *b = r->spare;

	if (b) {
		r->spare = b->next;
		return b;
	}
	b = malloc(sizeof(*b) + warps + lanes + r->launch->shared_len);
	if (!b)
		return NULL;
	b->warp = (struct meeting *)(b + 1);
	b->lane = (struct lane *)(b->warp + r->warps);
	b->shared = (char *)(b->lane + r->lanes);
	return b;
}

static struct block *block_new(struct run *r, uint64_t number)
{
	struct block *b = block_alloc(r);

	if (!b)
		return NULL;
	b->next = NULL;
	b->live = r->lanes;
	b->ready = 0;
	b->head = NULL;
	b->all = (struct meeting){ .lanes = r->lanes, .lead = UINT32_MAX };
	for (uint32_t i = 0; i < r->warps; i++) {
		uint32_t left = r->lanes - i * CPU_WARP;

		b->warp[i] = (struct meeting){ .lanes = left < CPU_WARP ? left : CPU_WARP,
					       .lead = UINT32_MAX };
	}
	memset(b->lane, 0, r->lanes * sizeof(*b->lane));
	memset(b->shared, 0, r->launch->shared_len);
	for (uint32_t i = 0; i < r->lanes; i++) {
		b->lane[i].block = b;
		block_place(r, number, &b->lane[i], i);
		queue_last(b, &b->lane[i]);
	}
	return b;
}

static void block_end(struct run *r, struct block *b)
{
	if (r->inside == b)
		r->inside = NULL;
	b->next = r->spare;
	r->spare = b;
}

/* The module's shared memory becomes that of @b. */
static void block_enter(struct run *r, struct block *b)
{
	const struct cpu_launch *l = r->launch;

	if (r->inside == b || !l->shared_len)
		return;
	if (r->inside)
		memcpy(r->inside->shared, l->shared, l->shared_len);
	memcpy(l->shared, b->shared, l->shared_len);
	r->inside = b;
}

/* Until every lane that could run has polled in vain, or their turns are used up. */
static int block_visit(struct run *r, struct block *b)
{
	uint32_t turns = r->lanes * VISIT_TURNS, vain = 0;
	int err = 0;

	if (b->head)
		block_enter(r, b);
	while (!err && b->head && vain < b->ready && turns--) {
		uint64_t before = r->progress;

		err = lane_turn(r, queue_take(b));
		vain = r->progress == before ? vain + 1 : 0;
	}
	return err;
}

/* Visits all blocks, then lets new ones begin, at the end of the list. */
static int run_round(struct run *r)
{
	struct block **p = &r->first;
	size_t more = r->n_blocks ? r->n_blocks : 1;
	int err = 0;

	while (*p && !err) {
		struct block *b = *p;

		err = block_visit(r, b);
		if (err || b->live) {
			p = &b->next;
			continue;
		}
		*p = b->next;
		r->n_blocks--;
		block_end(r, b);
	}
	for (; !err && more && r->next_block < r->last_block; more--) {
		struct block *b = block_new(r, r->next_block++);

		if (!b)
			return err_set(MORI_SHMEM_ENOMEM, "no memory for a block of %u threads",
				       r->lanes);
		*p = b;
		r->n_blocks++;
		err = block_visit(r, b);
		if (err || b->live) {
			p = &b->next;
			continue;
		}
		*p = NULL;
		r->n_blocks--;
		block_end(r, b);
	}
	return err;
}

/* A deadline has passed, or nobody can ever go on. */
static int run_stuck(struct run *r, const char *why)
{
	char text[400];

	cpu_dump(r, why, text, sizeof(text));
	return err_set(MORI_SHMEM_ETIMEDOUT, "%s", text);
}

/*
 * A round in vain: spin a little if there are cores enough, then yield, then sleep.
 * The deadline is for waits that have none. A kernel that tests may have work of its
 * own between the tests: it is neither ended nor put to sleep.
 */
static int run_idle(struct run *r, uint64_t turns)
{
	uint64_t now = now_ns();
	char why[96];

	if (!turns)
		return run_stuck(r, "every thread waits for others of its block or warp, which "
				    "will never come");
	if (!r->idle_since || r->ends || r->tests)
		r->idle_since = now;
	if (r->launch->idle_ns && now - r->idle_since >= r->launch->idle_ns) {
		snprintf(why, sizeof(why),
			 "all threads have only waited for %.1f s (MORI_SHMEM_TIMEOUT)",
			 (double)(now - r->idle_since) / 1e9);
		return run_stuck(r, why);
	}
	r->idle_polls += turns;
	if (r->idle_polls < r->launch->state->spin)
		return 0;
	if (r->tests || r->idle_rounds++ < IDLE_YIELDS) {
		sched_yield();
	} else {
		long us = r->idle_rounds - IDLE_YIELDS < 50 ? 20 : 200;

		nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
	}
	return 0;
}

static int run_all(struct run *r)
{
	int err = 0;

	while (!err && (r->first || r->next_block < r->last_block)) {
		uint64_t progress = r->progress, turns = r->turns;

		r->tests = r->ends = 0;
		err = run_round(r);
		if (err)
			break;
		if (r->progress == progress) {
			err = run_idle(r, r->turns - turns);
			continue;
		}
		r->idle_since = 0;
		r->idle_polls = 0;
		r->idle_rounds = 0;
	}
	return err;
}

/* Whose stack is broken: the current one's, or one that another has run over. */
static struct lane *run_overflowed(const struct run *r)
{
	struct lane *l = r->current;
	const void *addr = (const void *)(uintptr_t)r->fault.addr;
	bool memory = r->fault.sig == SIGSEGV || r->fault.sig == SIGBUS;

	if (r->overflowed)
		return r->overflowed;
	if (!stack_intact(l->stack) || r->fault.sp < (uintptr_t)l->stack->lo ||
	    r->fault.sp > (uintptr_t)l->stack->hi)
		return l;
	if (memory && !r->fault.no_addr && stacks_near(r->stacks, addr))
		return l;
	for (struct block *b = r->first; b; b = b->next) {
		for (uint32_t i = 0; i < r->lanes; i++) {
			if (b->lane[i].stack && !stack_intact(b->lane[i].stack))
				return &b->lane[i];
		}
	}
	return NULL;
}

static int run_faulted(struct run *r, struct accel_fault *out)
{
	struct lane *over = run_overflowed(r), *l = over ? over : r->current;
	const uint32_t *b = l->place.block, *t = l->place.thread;
	char text[200];

	cpu_fault_text(&r->fault, text, sizeof(text));
	if (over)
		snprintf(text, sizeof(text),
			 "stack overflow: a thread has %zu bytes; MORI_SHMEM_KERNEL_STACK gives "
			 "more",
			 r->stacks->size);
	out->addr = r->fault.sig ? r->fault.addr : (uint64_t)(uintptr_t)l->stack->lo;
	for (int i = 0; i < 3; i++) {
		out->block[i] = (int)b[i];
		out->thread[i] = (int)t[i];
	}
	return err_set(MORI_SHMEM_EFAULT,
		       "kernel %s on PE %d, block (%u, %u, %u), thread (%u, %u, %u): %s",
		       r->launch->kernel->name, r->launch->state->my_pe, b[0], b[1], b[2], t[0],
		       t[1], t[2], text);
}

/* Also what a launch left that ended before its lanes did. */
static void run_free(struct run *r)
{
	while (r->first) {
		struct block *b = r->first;

		r->first = b->next;
		for (uint32_t i = 0; i < r->lanes; i++) {
			if (b->lane[i].stack)
				stack_forget(b->lane[i].stack);
		}
		free(b);
	}
	while (r->spare) {
		struct block *b = r->spare;

		r->spare = b->next;
		free(b);
	}
	stacks_reset(r->stacks, STACKS_TO_KEEP);
}

int cpu_grid_run(struct stacks *stacks, const struct cpu_launch *launch, struct accel_fault *fault)
{
	const unsigned *g = launch->grid, *b = launch->block;
	struct run r = {
		.launch = launch,
		.stacks = stacks,
		.grid.ops = &lane_ops,
		.lanes = b[0] * b[1] * b[2],
		.last_block = (uint64_t)g[0] * g[1] * g[2],
	};
	int err;

	for (int i = 0; i < 3; i++)
		fault->block[i] = fault->thread[i] = -1;
	fault->addr = 0;
	r.warps = (r.lanes + CPU_WARP - 1) / CPU_WARP;
	fiber_here(&r.host);
	err = cpu_fault_watch(&r.fault, &r.host);
	if (err)
		return err;
	running = &r;
	*launch->link = &r.grid;
	err = run_all(&r);
	*launch->link = &cpu_grid_alone;
	running = NULL;
	cpu_fault_unwatch(&r.fault);
	if (err == MORI_SHMEM_EFAULT)
		err = run_faulted(&r, fault);
	run_free(&r);
	return err;
}

bool cpu_grid_running(void)
{
	return running != NULL;
}

static void alone_sync(int scope)
{
	(void)scope;
}

static uint64_t alone_share(int scope, uint64_t value)
{
	(void)scope;
	return value;
}

static int alone_any(int scope, int x)
{
	(void)scope;
	return x;
}

static void alone_yield(const void *addr, int cmp, uint64_t value, int how)
{
	(void)addr;
	(void)cmp;
	(void)value;
	(void)how;
	sched_yield();
}

static const struct cpu_ops alone_ops = {
	.sync = alone_sync,
	.share = alone_share,
	.any = alone_any,
	.yield = alone_yield,
	.now_ns = now_ns,
};

static const struct cpu_fiber alone_place = {
	.block_size = { 1, 1, 1 },
	.grid_size = { 1, 1, 1 },
	.lanes = 1,
};

struct cpu_grid cpu_grid_alone = { .current = &alone_place, .ops = &alone_ops };
