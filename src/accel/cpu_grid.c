// SPDX-License-Identifier: MIT
/*
 * The scheduler. A round visits every started block; a visit runs the lanes of a block until all of
 * them only poll, and then the next block is visited. After each round as many blocks start as are
 * waiting, at least one. A round in which all lanes only polled yields the core to other PEs.
 *
 * Lanes switch to the scheduler and never to each other, so that one fiber, the host's, does all of
 * this.
 */
#include "accel/cpu_grid.h"

#include "accel/cpu_lane.h"
#include "util/clock.h"
#include "util/err.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIT_TURNS 32u /* per lane, before the other blocks are visited */
#define LOOKS_NS                                                                                   \
	(FIBER_ASAN || FIBER_TSAN ? 2000000u : 200000u) /* a turn that only polls takes less */
#define LOST_NS	       2000000000u /* how long a polling loop continues once a PE is lost */
#define EAGER_TURNS    20u	   /* without effect, before the backoff begins: 0.6 us */
#define STACKS_TO_KEEP 2048u	   /* between launches */

static __thread struct cpu_run *running;

static void cpu_block_queue_last(struct cpu_block *b, struct cpu_lane *l)
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

static void cpu_block_queue_first(struct cpu_block *b, struct cpu_lane *l)
{
	l->state = LANE_READY;
	l->next = b->head;
	if (!b->head)
		b->tail = l;
	b->head = l;
	b->ready++;
}

static struct cpu_lane *cpu_block_queue_take(struct cpu_block *b)
{
	struct cpu_lane *l = b->head;

	b->head = l->next;
	b->ready--;
	return l;
}

/* On the lane's own stack, where it continues at its next turn. */
static void cpu_lane_pause(struct cpu_run *r, struct cpu_lane *l, bool check)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (check && (here < (uintptr_t)l->stack->lo || here > (uintptr_t)l->stack->hi ||
		      !stack_intact(l->stack)))
		r->overflowed = l;
	fiber_switch(&l->fiber, &r->host);
}

static void cpu_lane_lead(struct cpu_lane *l, int scope, bool leads)
{
	l->place.leads &= ~(1u << scope);
	l->place.leads |= (uint32_t)leads << scope;
	l->left[scope] = 0;
}

/*
 * @last has arrived and continues at once; NULL if it arrived by ending. The waiting lanes follow
 * in the order of their arrival. The first lane to continue leads.
 */
static void cpu_barrier_end(struct cpu_run *r, struct cpu_barrier *m, struct cpu_lane *last)
{
	int scope = last ? last->scope : m->waiting->scope;

	if (m->enters && last)
		cpu_lane_lead(last, scope, true);
	while (m->waiting) {
		struct cpu_lane *l = m->waiting;

		m->waiting = l->next;
		l->any = m->any;
		if (m->enters)
			cpu_lane_lead(l, scope, !last && !m->waiting);
		cpu_block_queue_first(l->block, l);
	}
	if (m->enters)
		m->left = 0;
	m->came = 0;
	m->enters = m->any = false;
	r->progress++;
}

static struct cpu_barrier *cpu_barrier_of(const struct cpu_lane *l, int scope)
{
	return scope == DEV_block ? &l->block->all : &l->block->warp[l->place.rank / CPU_WARP];
}

static void cpu_lane_suspend(struct cpu_run *r, struct cpu_lane *l, struct cpu_lane **list)
{
	l->next = *list;
	*list = l;
	l->state = LANE_BARRIER;
	cpu_lane_pause(r, l, true);
}

static struct cpu_lane *cpu_barrier_wait(int scope, bool enters, bool any)
{
	struct cpu_run *r = running;
	struct cpu_lane *l = r->current;
	struct cpu_barrier *m = cpu_barrier_of(l, scope);

	l->polls.addr = NULL;
	l->scope = scope;
	m->enters |= enters;
	m->any |= any;
	if (++m->came + m->ended == m->lanes) {
		l->any = m->any;
		cpu_barrier_end(r, m, l);
	} else {
		cpu_lane_suspend(r, l, &m->waiting);
	}
	return l;
}

static void cpu_lane_sync(int scope)
{
	cpu_barrier_wait(scope, false, false);
}

static int cpu_lane_enter(int scope, int x)
{
	return cpu_barrier_wait(scope, true, x != 0)->any;
}

/*
 * The leading lane may be some steps ahead of the others and keeps its values until they have read
 * them.
 */
static uint64_t cpu_lane_share(int scope, uint64_t value)
{
	struct cpu_run *r = running;
	struct cpu_lane *l = r->current;
	struct cpu_barrier *m = cpu_barrier_of(l, scope);
	uint32_t step = l->left[scope]++;

	l->polls.addr = NULL;
	if (step % STEPS == 0 && step)
		cpu_barrier_wait(scope, false, false);
	if (!(l->place.leads >> scope & 1)) {
		l->scope = scope;
		if (step >= m->left)
			cpu_lane_suspend(r, l, &m->behind);
		return m->value[step % STEPS];
	}
	m->value[step % STEPS] = value;
	m->left++;
	while (m->behind) {
		struct cpu_lane *other = m->behind;

		m->behind = other->next;
		cpu_block_queue_first(other->block, other);
		r->progress++;
	}
	return value;
}

static void cpu_lane_leave(int scope)
{
	cpu_lane_share(scope, 0);
}

static void cpu_lane_yield(const void *addr, int cmp, uint64_t value, int how)
{
	struct cpu_run *r = running;
	struct cpu_lane *l = r->current;
	bool again = !addr || (l->polls.addr == addr && !(how & CPU_POLL_FIRST));

	l->polls = (struct wait_word){ addr, how / CPU_POLL_KIND - 1, cmp, value };
	r->progress += !again;
	r->tests += !addr;
	r->ends += (how & CPU_POLL_ENDS) != 0;
	cpu_block_queue_last(l->block, l);
	cpu_lane_pause(r, l, !again);
}

/* A loop that reads the clock yields like one that polls words. */
static uint64_t cpu_lane_now_ns(void)
{
	if (++running->grid.polls >= CPU_POLLS) {
		running->grid.polls = 0;
		cpu_lane_yield(NULL, 0, 0, 0);
	}
	return (uint64_t)clock_now();
}

/* Lanes have little stack, and the scheduler has the host's. */
static void cpu_lane_call(void (*fn)(void *arg), void *arg)
{
	struct cpu_run *r = running;

	r->call = fn;
	r->call_arg = arg;
	cpu_lane_pause(r, r->current, true);
}

static const struct cpu_ops cpu_lane_ops = {
	.sync = cpu_lane_sync,
	.enter = cpu_lane_enter,
	.leave = cpu_lane_leave,
	.share = cpu_lane_share,
	.yield = cpu_lane_yield,
	.now_ns = cpu_lane_now_ns,
	.call = cpu_lane_call,
};

/* Never returns; uninstrumented, so that TSan sees no call that does not end. */
static TSAN_BARE void cpu_lane_main(void)
{
	struct cpu_run *r = running;

	fiber_arrived(&r->host);
	r->launch->kernel->entry(r->launch->args);
	r->current->state = LANE_DONE;
	fiber_leave(&r->current->fiber, &r->host);
}

static void cpu_lane_end(struct cpu_run *r, struct cpu_lane *l)
{
	struct cpu_block *b = l->block;
	struct cpu_barrier *barriers[] = { cpu_barrier_of(l, DEV_warp), &b->all };

	if (!stack_intact(l->stack)) {
		r->overflowed = l;
		return;
	}
	stacks_give(r->stacks, l->stack);
	l->stack = NULL;
	b->live--;
	r->progress++;
	for (int i = 0; i < 2; i++) {
		barriers[i]->ended++;
		if (barriers[i]->came &&
		    barriers[i]->came + barriers[i]->ended == barriers[i]->lanes)
			cpu_barrier_end(r, barriers[i], NULL);
	}
}

static int cpu_lane_begin(struct cpu_run *r, struct cpu_lane *l)
{
	l->stack = stacks_take(r->stacks);
	if (!l->stack)
		return MORI_SHMEM_ENOMEM;
	fiber_make(&l->fiber, l->stack->lo, l->stack->hi, cpu_lane_main);
	l->fiber.tsan = l->stack->tsan;
	r->progress++;
	return 0;
}

/* One turn: until it ends, polls, or waits for others. */
static int cpu_lane_turn(struct cpu_run *r, struct cpu_lane *l)
{
	if (!l->stack && cpu_lane_begin(r, l))
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
		cpu_lane_end(r, l);
	return r->fault.sig || r->overflowed ? MORI_SHMEM_EFAULT : 0;
}

static void cpu_block_place(const struct cpu_run *r, uint64_t number, struct cpu_lane *l,
			    uint32_t rank)
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

static struct cpu_block *cpu_block_alloc(struct cpu_run *r)
{
	size_t warps = r->warps * sizeof(struct cpu_barrier),
	       lanes = r->lanes * sizeof(struct cpu_lane);
	struct cpu_block *b = r->spare;
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
	b->warp = (struct cpu_barrier *)(b + 1);
	b->lane = (struct cpu_lane *)(b->warp + r->warps);
	b->shared = (char *)(b->lane + r->lanes);
	b->dynamic = dynamic;
	return b;
}

static struct cpu_block *cpu_block_new(struct cpu_run *r, uint64_t number)
{
	struct cpu_block *b = cpu_block_alloc(r);

	if (!b)
		return NULL;
	b->next = NULL;
	b->live = r->lanes;
	b->ready = 0;
	b->head = NULL;
	b->all = (struct cpu_barrier){ .lanes = r->lanes };
	for (uint32_t i = 0; i < r->warps; i++) {
		uint32_t left = r->lanes - i * CPU_WARP;

		b->warp[i] = (struct cpu_barrier){ .lanes = left < CPU_WARP ? left : CPU_WARP };
	}
	memset(b->lane, 0, r->lanes * sizeof(*b->lane));
	memset(b->shared, 0, r->launch->shared_len);
	if (b->dynamic)
		memset(b->dynamic, 0, r->launch->dynamic_len);
	for (uint32_t i = 0; i < r->lanes; i++) {
		b->lane[i].block = b;
		cpu_block_place(r, number, &b->lane[i], i);
		cpu_block_queue_last(b, &b->lane[i]);
	}
	return b;
}

/* The module's shared memory becomes that of @b. */
static void cpu_block_enter(struct cpu_run *r, struct cpu_block *b)
{
	const struct cpu_launch *l = r->launch;

	if (r->inside == b || !l->shared_len)
		return;
	if (r->inside)
		memcpy(r->inside->shared, l->shared, l->shared_len);
	memcpy(l->shared, b->shared, l->shared_len);
	r->inside = b;
}

/*
 * Runs lanes until each one that is ready has polled without effect, or the visit's turns are used
 * up.
 */
static int cpu_block_visit(struct cpu_run *r, struct cpu_block *b)
{
	uint32_t turns = r->lanes * VISIT_TURNS, vain = 0;
	int err = 0;

	if (b->head)
		cpu_block_enter(r, b);
	while (!err && b->head && vain < b->ready && turns--) {
		uint64_t before = r->progress;

		err = cpu_lane_turn(r, cpu_block_queue_take(b));
		vain = r->progress == before ? vain + 1 : 0;
	}
	return err;
}

/* Visits the block at **place and removes it from the list if it has ended. */
static int cpu_block_pass(struct cpu_run *r, struct cpu_block ***place)
{
	struct cpu_block *b = **place;
	int err = cpu_block_visit(r, b);

	if (err || b->live) {
		*place = &b->next;
		return err;
	}
	**place = b->next;
	r->n_blocks--;
	if (r->inside == b)
		r->inside = NULL;
	b->next = r->spare;
	r->spare = b;
	return 0;
}

/* Visits all blocks, then lets new ones begin, at the end of the list. */
static int cpu_run_round(struct cpu_run *r)
{
	struct cpu_block **p = &r->first;
	size_t more = r->n_blocks ? r->n_blocks : 1;
	int err = 0;

	while (*p && !err)
		err = cpu_block_pass(r, &p);
	for (; !err && more && r->next_block < r->last_block; more--) {
		*p = cpu_block_new(r, r->next_block++);
		if (!*p)
			return err_set(MORI_SHMEM_ENOMEM, "no memory for a block of %u threads",
				       r->lanes);
		r->n_blocks++;
		err = cpu_block_pass(r, &p);
	}
	return err;
}

/* A deadline has passed, a PE is lost, or no lane can ever continue. */
static int cpu_run_stuck(struct cpu_run *r, int err, const char *why)
{
	char text[400];

	cpu_dump(r, why, text, sizeof(text));
	return err_set(err, "%s", text);
}

/* Whether the threads of this round have computed between their polls. */
static bool cpu_run_computes(struct cpu_run *r, uint64_t turns)
{
	struct timespec t;
	uint64_t cpu, before = r->cpu_ns;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	cpu = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	r->cpu_ns = cpu;
	return !before || (cpu - before) / turns > LOOKS_NS;
}

/*
 * Whether the grid has only waited for too long, or is to end for another reason. The deadline is for waits without one and for
 * loops that only poll words. Waits detect a lost PE themselves; polling loops do not.
 */
static int cpu_run_overdue(struct cpu_run *r, uint64_t turns)
{
	uint64_t now = (uint64_t)clock_now(), limit = r->launch->idle_ns, idle;
	/* Acquire: pairs with the release of the thread that marks the loss. */
	bool lost = __atomic_load_n(&r->launch->state->lost, __ATOMIC_ACQUIRE) && r->tests;
	char why[120];

	if (!r->idle_since || r->ends || (r->tests && cpu_run_computes(r, turns)))
		r->idle_since = now;
	if (lost && (!limit || limit > LOST_NS))
		limit = LOST_NS;
	idle = now - r->idle_since;
	if (!limit || idle < limit)
		return cpu_dump_tell(r, now);
	snprintf(why, sizeof(why), "all threads have only %s for %.1f s%s",
		 r->tests ? "looked at words" : "waited", (double)idle / 1e9,
		 lost ? ", and a PE is lost" : " (MORI_SHMEM_TIMEOUT)");
	return cpu_run_stuck(r, lost ? MORI_SHMEM_EPEER : MORI_SHMEM_ETIMEDOUT, why);
}

/*
 * A round without effect. A kernel that polls words may have work of its own in between: it is
 * not put to sleep.
 */
static int cpu_run_idle(struct cpu_run *r, uint64_t turns)
{
	int err = turns ? cpu_run_overdue(r, turns) :
			  cpu_run_stuck(r, MORI_SHMEM_ETIMEDOUT,
					"every thread waits for others of its block or warp, which "
					"will never come");
	int64_t ns;

	if (err)
		return err;
	r->idle_turns += turns;
	if (r->idle_turns < EAGER_TURNS)
		return 0;
	r->wait.polls = 0; /* a round takes as long as the clock */
	ns = backoff_pause(&r->wait);
	if (r->wait.yields && r->launch->idle)
		r->launch->idle((struct dev_state *)r->launch->state);
	if (ns && r->tests)
		sched_yield();
	else if (ns)
		clock_sleep(ns);
	return 0;
}

static int cpu_run_all(struct cpu_run *r)
{
	int err = 0;

	while (!err && (r->first || r->next_block < r->last_block)) {
		uint64_t progress = r->progress, turns = r->turns;

		r->tests = r->ends = 0;
		err = cpu_run_round(r);
		if (err)
			break;
		if (r->progress == progress) {
			err = cpu_run_idle(r, r->turns - turns);
			continue;
		}
		cpu_dump_end(r);
		r->idle_since = r->cpu_ns = 0;
		r->idle_turns = 0;
		backoff_reset(&r->wait);
	}
	return err;
}

/* Frees also what is left of a launch that ended before its lanes. */
static void cpu_run_free(struct cpu_run *r)
{
	while (r->first) {
		struct cpu_block *b = r->first;

		r->first = b->next;
		for (uint32_t i = 0; i < r->lanes; i++) {
			if (b->lane[i].stack)
				stack_forget(b->lane[i].stack);
		}
		free(b->dynamic);
		free(b);
	}
	while (r->spare) {
		struct cpu_block *b = r->spare;

		r->spare = b->next;
		free(b->dynamic);
		free(b);
	}
	stacks_reset(r->stacks, STACKS_TO_KEEP);
}

int cpu_grid_run(struct stacks *stacks, const struct cpu_launch *launch, struct accel_fault *fault)
{
	const unsigned *g = launch->grid, *b = launch->block;
	struct cpu_run r = {
		.launch = launch,
		.stacks = stacks,
		.grid.ops = &cpu_lane_ops,
		.lanes = b[0] * b[1] * b[2],
		.wait = backoff_start(BACKOFF_GRID, launch->learned),
		.last_block = (uint64_t)g[0] * g[1] * g[2],
	};
	int err;

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
	err = cpu_run_all(&r);
	cpu_dump_end(&r);
	*launch->link = &cpu_grid_alone;
	running = NULL;
	cpu_fault_unwatch(&r.fault);
	if (err == MORI_SHMEM_EFAULT)
		err = cpu_faulted(&r, fault);
	cpu_run_free(&r);
	return err;
}

bool cpu_grid_running(void)
{
	return running != NULL;
}
