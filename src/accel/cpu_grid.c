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
#define VISIT_TURNS    32u     /* a lane, before the other blocks have their turn */
#define IDLE_YIELD_NS  150000u /* longer than a nap of a peer, or both would only nap */
#define LOOKS_NS       (FIBER_ASAN || FIBER_TSAN ? 2000000u : 200000u) /* a turn that does no more */
#define LOST_NS	       2000000000u /* a loop over looks goes on, once a PE is lost */
#define SPIN_MIN       100u	   /* about what a block needs to answer */
#define STACKS_TO_KEEP 2048u	   /* between launches */

static __thread struct run *running;

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

static void lane_lead(struct lane *l, int scope, bool leads)
{
	l->place.leads &= ~(1u << scope);
	l->place.leads |= (uint32_t)leads << scope;
	l->left[scope] = 0;
}

/*
 * The last has come, and goes on at once; NULL if it did so by ending. Those who wait
 * follow, the first to come first. Whoever goes on first leads.
 */
static void meeting_end(struct run *r, struct meeting *m, struct lane *last)
{
	int scope = last ? last->scope : m->waiting->scope;

	if (m->enters && last)
		lane_lead(last, scope, true);
	while (m->waiting) {
		struct lane *l = m->waiting;

		m->waiting = l->next;
		l->any = m->any;
		if (m->enters)
			lane_lead(l, scope, !last && !m->waiting);
		queue_first(l->block, l);
	}
	if (m->enters)
		m->left = 0;
	m->came = 0;
	m->enters = m->any = false;
	r->progress++;
}

static struct meeting *meeting_of(const struct lane *l, int scope)
{
	return scope == SCOPE_BLOCK ? &l->block->all : &l->block->warp[l->place.rank / CPU_WARP];
}

static void lane_wait(struct run *r, struct lane *l, struct lane **list)
{
	l->next = *list;
	*list = l;
	l->state = LANE_MEETS;
	lane_pause(r, l, true);
}

static struct lane *meet(int scope, bool enters, bool any)
{
	struct run *r = running;
	struct lane *l = r->current;
	struct meeting *m = meeting_of(l, scope);

	l->polls = NULL;
	l->scope = scope;
	m->enters |= enters;
	m->any |= any;
	if (++m->came + m->ended == m->lanes) {
		l->any = m->any;
		meeting_end(r, m, l);
	} else {
		lane_wait(r, l, &m->waiting);
	}
	return l;
}

static void lane_sync(int scope)
{
	meet(scope, false, false);
}

static int lane_enter(int scope, int x)
{
	return meet(scope, true, x != 0)->any;
}

/* The one that leads may be ahead of the others by some steps, and keeps its values so long. */
static uint64_t lane_share(int scope, uint64_t value)
{
	struct run *r = running;
	struct lane *l = r->current;
	struct meeting *m = meeting_of(l, scope);
	uint32_t step = l->left[scope]++;

	l->polls = NULL;
	if (step % STEPS == 0 && step)
		meet(scope, false, false);
	if (!(l->place.leads >> scope & 1)) {
		l->scope = scope;
		if (step >= m->left)
			lane_wait(r, l, &m->behind);
		return m->value[step % STEPS];
	}
	m->value[step % STEPS] = value;
	m->left++;
	while (m->behind) {
		struct lane *other = m->behind;

		m->behind = other->next;
		queue_first(other->block, other);
		r->progress++;
	}
	return value;
}

static void lane_leave(int scope)
{
	lane_share(scope, 0);
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

/* A loop on the clock gives way as one that looks at words. */
static uint64_t lane_now_ns(void)
{
	if (++running->grid.looks >= CPU_LOOKS) {
		running->grid.looks = 0;
		lane_yield(NULL, 0, 0, 0);
	}
	return cpu_now_ns();
}

/* Lanes have little stack, and the scheduler has the host's. */
static void lane_call(void (*fn)(void *arg), void *arg)
{
	struct run *r = running;

	r->call = fn;
	r->call_arg = arg;
	lane_pause(r, r->current, true);
}

static const struct cpu_ops lane_ops = {
	.sync = lane_sync,
	.enter = lane_enter,
	.leave = lane_leave,
	.share = lane_share,
	.yield = lane_yield,
	.now_ns = lane_now_ns,
	.call = lane_call,
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
			meeting_end(r, meetings[i], NULL);
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
	r->grid.stack = stack_bound(l->stack);
	do {
		if (r->call) {
			r->call(r->call_arg);
			r->call = NULL;
			r->progress++;
		}
		r->fault.armed = true;
		fiber_switch(&r->host, &l->fiber);
		r->fault.armed = false;
	} while (r->call && !r->fault.sig && !r->overflowed);
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
	p->shared = l->block->dynamic;
}

static struct block *block_alloc(struct run *r)
{
	size_t warps = r->warps * sizeof(struct meeting), lanes = r->lanes * sizeof(struct lane);
	struct block *b = r->spare;
	void *dynamic = NULL;

	if (b) {
		r->spare = b->next;
		return b;
	}
	b = malloc(sizeof(*b) + warps + lanes + r->launch->shared_len);
	if (!b)
		return NULL;
	if (r->launch->dynamic_len && posix_memalign(&dynamic, 64, r->launch->dynamic_len)) {
		free(b);
		return NULL;
	}
	b->warp = (struct meeting *)(b + 1);
	b->lane = (struct lane *)(b->warp + r->warps);
	b->shared = (char *)(b->lane + r->lanes);
	b->dynamic = dynamic;
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
	b->all = (struct meeting){ .lanes = r->lanes };
	for (uint32_t i = 0; i < r->warps; i++) {
		uint32_t left = r->lanes - i * CPU_WARP;

		b->warp[i] = (struct meeting){ .lanes = left < CPU_WARP ? left : CPU_WARP };
	}
	memset(b->lane, 0, r->lanes * sizeof(*b->lane));
	memset(b->shared, 0, r->launch->shared_len);
	if (b->dynamic)
		memset(b->dynamic, 0, r->launch->dynamic_len);
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

/* The block at **place has its turn; one that has ended leaves the list. */
static int block_pass(struct run *r, struct block ***place)
{
	struct block *b = **place;
	int err = block_visit(r, b);

	if (err || b->live) {
		*place = &b->next;
		return err;
	}
	**place = b->next;
	r->n_blocks--;
	block_end(r, b);
	return 0;
}

/* Visits all blocks, then lets new ones begin, at the end of the list. */
static int run_round(struct run *r)
{
	struct block **p = &r->first;
	size_t more = r->n_blocks ? r->n_blocks : 1;
	int err = 0;

	while (*p && !err)
		err = block_pass(r, &p);
	for (; !err && more && r->next_block < r->last_block; more--) {
		*p = block_new(r, r->next_block++);
		if (!*p)
			return err_set(MORI_SHMEM_ENOMEM, "no memory for a block of %u threads",
				       r->lanes);
		r->n_blocks++;
		err = block_pass(r, &p);
	}
	return err;
}

/* A deadline has passed, a PE is lost, or nobody can ever go on. */
static int run_stuck(struct run *r, int err, const char *why)
{
	char text[400];

	cpu_dump(r, why, text, sizeof(text));
	return err_set(err, "%s", text);
}

/* Whether the threads of this round have worked between their looks at words. */
static bool run_computes(struct run *r, uint64_t turns)
{
	struct timespec t;
	uint64_t cpu, before = r->cpu_ns;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	r->cpu_ns = cpu;
	return !before || (cpu - before) / turns > LOOKS_NS;
}

/*
 * Whether only waiting has lasted too long. The deadline is for waits that have none, and for
 * loops over looks at words that do nothing else. Waits see a lost PE themselves; looks do not.
 */
static int run_overdue(struct run *r, uint64_t turns)
{
	uint64_t now = cpu_now_ns(), limit = r->launch->idle_ns, idle;
	/* Acquire: pairs with the release of whoever lost it. */
	bool lost = __atomic_load_n(&r->launch->state->lost, __ATOMIC_ACQUIRE) && r->tests;
	char why[120];

	if (!r->idle_since || r->ends || (r->tests && run_computes(r, turns)))
		r->idle_since = now;
	if (lost && (!limit || limit > LOST_NS))
		limit = LOST_NS;
	idle = now - r->idle_since;
	if (!limit || idle < limit)
		return 0;
	snprintf(why, sizeof(why), "all threads have only %s for %.1f s%s",
		 r->tests ? "looked at words" : "waited", (double)idle / 1e9,
		 lost ? ", and a PE is lost" : " (MORI_SHMEM_TIMEOUT)");
	return run_stuck(r, lost ? MORI_SHMEM_EPEER : MORI_SHMEM_ETIMEDOUT, why);
}

/* Yields for a while, then sleeps for longer and longer. */
static void run_give_way(struct run *r)
{
	uint64_t now = cpu_now_ns(), since;
	long us;

	if (!r->idle_rounds++)
		r->yields_since = now;
	since = now - r->yields_since;
	us = since < 20 * IDLE_YIELD_NS ? 20 : 200;
	if (r->tests || since < IDLE_YIELD_NS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = us * 1000 }, NULL);
}

/*
 * A round in vain: spin a little if there are cores enough, then yield, then sleep. A
 * kernel that looks at words may have work of its own in between: it is not put to sleep.
 */
static int run_idle(struct run *r, uint64_t turns)
{
	int err = turns ? run_overdue(r, turns) :
			  run_stuck(r, MORI_SHMEM_ETIMEDOUT,
				    "every thread waits for others of its block or warp, which "
				    "will never come");

	if (err)
		return err;
	r->idle_polls += turns;
	if (r->idle_polls < r->spin)
		return 0;
	if (!r->idle_rounds && r->spin > SPIN_MIN) /* in vain: perhaps others need this core */
		r->spin = r->spin / 4 > SPIN_MIN ? r->spin / 4 : SPIN_MIN;
	if (r->launch->idle)
		r->launch->idle((struct dev_state *)r->launch->state);
	run_give_way(r);
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
		if (r->idle_polls && !r->idle_rounds && r->spin < r->launch->state->spin)
			r->spin *= 2;
		r->idle_since = r->cpu_ns = 0;
		r->idle_polls = 0;
		r->idle_rounds = 0;
	}
	return err;
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
		free(b->dynamic);
		free(b);
	}
	while (r->spare) {
		struct block *b = r->spare;

		r->spare = b->next;
		free(b->dynamic);
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
		.spin = __atomic_load_n(&launch->state->spin_now, __ATOMIC_RELAXED),
		.last_block = (uint64_t)g[0] * g[1] * g[2],
	};
	int err;

	for (int i = 0; i < 3; i++)
		fault->block[i] = fault->thread[i] = -1;
	fault->addr = 0;
	r.warps = (r.lanes + CPU_WARP - 1) / CPU_WARP;
	fiber_here(&r.host);
	r.fault.watch = (struct cpu_watch){ .state = launch->state,
					    .turns = &r.turns,
					    .limit_ns = launch->idle_ns };
	err = cpu_fault_watch(&r.fault, &r.host);
	if (err)
		return err;
	running = &r;
	*launch->link = &r.grid;
	err = run_all(&r);
	__atomic_store_n((uint32_t *)&launch->state->spin_now, r.spin, __ATOMIC_RELAXED);
	*launch->link = &cpu_grid_alone;
	running = NULL;
	cpu_fault_unwatch(&r.fault);
	if (err == MORI_SHMEM_EFAULT)
		err = cpu_faulted(&r, fault);
	run_free(&r);
	return err;
}

bool cpu_grid_running(void)
{
	return running != NULL;
}
