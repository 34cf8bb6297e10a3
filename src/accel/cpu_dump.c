// SPDX-License-Identifier: MIT
/*
 * Reports of grids that fail: what the lanes of a stuck grid wait for, one line for all lanes that
 * wait for the same thing, with the first of them; and which lane caused a fault.
 */
#include "accel/cpu_lane.h"

#include "util/err.h"
#include "util/log.h"

#include <stdio.h>

#define TELL_NS	   200000000u /* between two calls of the launch's waits(), and before the first */
#define DUMP_LINES 32	      /* lines; the remaining lanes are only counted */

struct cpu_dump_wait {
	enum cpu_lane_state state;
	int scope;
	struct wait_word word;
	const struct cpu_lane *first;
	uint64_t n;
};

static struct cpu_dump_wait cpu_dump_wait_of(const struct cpu_lane *l)
{
	struct cpu_dump_wait w = { .state = l->state, .first = l, .n = 1 };

	if (l->state == LANE_BARRIER)
		w.scope = l->scope;
	else
		w.word = l->polls;
	return w;
}

static bool cpu_dump_wait_same(const struct cpu_dump_wait *a, const struct cpu_dump_wait *b)
{
	return a->state == b->state && a->scope == b->scope && a->word.addr == b->word.addr &&
	       a->word.cmp == b->word.cmp && a->word.value == b->word.value;
}

static void cpu_dump_wait_text(const struct cpu_run *r, const struct cpu_dump_wait *w, char *text,
			       size_t size)
{
	const struct cpu_fiber *p = &w->first->place;
	uint64_t seen = w->word.addr && w->word.kind >= 0 ? wait_text_seen(&w->word) : 0;
	char what[200];

	if (w->state == LANE_BARRIER)
		snprintf(what, sizeof(what), "the rest of the %s",
			 w->scope == 2 ? "block" : "warp");
	else if (!w->word.addr)
		snprintf(what, sizeof(what), "their turn");
	else
		wait_text(r->launch->state, &w->word, w->word.kind >= 0 ? &seen : NULL, what,
			  sizeof(what));
	snprintf(text, size, "%llu wait for %s; first block (%u, %u, %u), thread (%u, %u, %u)",
		 (unsigned long long)w->n, what, p->block[0], p->block[1], p->block[2],
		 p->thread[0], p->thread[1], p->thread[2]);
}

/* Fills in @waits and returns their number; *left counts the lanes without room there. */
static int cpu_dump_gather(const struct cpu_run *r, struct cpu_dump_wait *waits, uint64_t *live,
			   uint64_t *left)
{
	int n = 0;

	*live = *left = 0;
	for (const struct cpu_block *b = r->first; b; b = b->next) {
		for (uint32_t i = 0; i < r->lanes; i++) {
			struct cpu_dump_wait w = cpu_dump_wait_of(&b->lane[i]);
			int at = 0;

			if (w.state == LANE_DONE)
				continue;
			++*live;
			while (at < n && !cpu_dump_wait_same(&waits[at], &w))
				at++;
			if (at < n)
				waits[at].n++;
			else if (n < DUMP_LINES)
				waits[n++] = w;
			else
				++*left;
		}
	}
	return n;
}

void cpu_dump(const struct cpu_run *r, const char *why, char *text, size_t size)
{
	struct cpu_dump_wait waits[DUMP_LINES];
	uint64_t live, left;
	int n = cpu_dump_gather(r, waits, &live, &left);
	const char *kernel = r->launch->kernel->name;
	char line[320] = "";

	for (int i = 0; i < n; i++) {
		cpu_dump_wait_text(r, &waits[i], line, sizeof(line));
		log_error("kernel %s: %s", kernel, line);
	}
	if (left)
		log_error("kernel %s: %llu more wait for other words", kernel,
			  (unsigned long long)left);
	if (n)
		cpu_dump_wait_text(r, &waits[0], line, sizeof(line));
	snprintf(text, size, "kernel %s on PE %d: %s; of %llu threads %s%s", kernel,
		 r->launch->state->my_pe, why, (unsigned long long)live, line,
		 n > 1 ? ", and others (see the log)" : "");
}

static void cpu_dump_brief(const struct cpu_run *r, char *text, size_t size)
{
	struct cpu_dump_wait waits[DUMP_LINES];
	uint64_t live, left;
	int n = cpu_dump_gather(r, waits, &live, &left);
	char line[320] = "";

	if (n)
		cpu_dump_wait_text(r, &waits[0], line, sizeof(line));
	snprintf(text, size, "of %llu threads %s%s", (unsigned long long)live, line,
		 n > 1 ? ", and others for something else" : "");
}

int cpu_dump_tell(struct cpu_run *r, uint64_t now)
{
	const struct cpu_launch *l = r->launch;
	char text[400];

	if (!l->waits || now - r->idle_since < TELL_NS || now - r->told < TELL_NS)
		return 0;
	r->told = now;
	cpu_dump_brief(r, text, sizeof(text));
	return l->waits(l->waits_arg, text, now - r->idle_since, r->tests || r->ends);
}

void cpu_dump_end(struct cpu_run *r)
{
	if (r->told)
		r->launch->waits(r->launch->waits_arg, NULL, 0, true);
	r->told = 0;
}

/* The lane whose stack has overflowed: the current one, or one that another has overrun. */
static struct cpu_lane *cpu_dump_overflowed(const struct cpu_run *r)
{
	struct cpu_lane *l = r->current;
	const void *addr = (const void *)(uintptr_t)r->fault.addr;
	bool memory = r->fault.sig == SIGSEGV || r->fault.sig == SIGBUS;

	if (r->overflowed)
		return r->overflowed;
	if (!stack_intact(l->stack) || r->fault.sp < (uintptr_t)l->stack->lo ||
	    r->fault.sp > (uintptr_t)l->stack->hi)
		return l;
	if (memory && !r->fault.no_addr && stacks_hold(r->stacks, addr))
		return l;
	for (struct cpu_block *b = r->first; b; b = b->next) {
		for (uint32_t i = 0; i < r->lanes; i++) {
			if (b->lane[i].stack && !stack_intact(b->lane[i].stack))
				return &b->lane[i];
		}
	}
	return NULL;
}

int cpu_faulted(const struct cpu_run *r, struct accel_fault *out)
{
	bool spun = r->fault.watch.spun_ns;
	struct cpu_lane *over = spun ? NULL : cpu_dump_overflowed(r), *l = over ? over : r->current;
	const uint32_t *b = l->place.block, *t = l->place.thread;
	char text[200];

	cpu_fault_text(&r->fault, r->grid.no_state, text, sizeof(text));
	if (over)
		snprintf(text, sizeof(text),
			 "stack overflow: a thread has %zu bytes; MORI_SHMEM_KERNEL_STACK gives "
			 "more",
			 r->stacks->size);
	out->addr = spun ? 0 : r->fault.sig ? r->fault.addr : (uint64_t)(uintptr_t)l->stack->lo;
	for (int i = 0; i < 3; i++) {
		out->block[i] = (int)b[i];
		out->thread[i] = (int)t[i];
	}
	return err_set(r->fault.err,
		       "kernel %s on PE %d, block (%u, %u, %u), thread (%u, %u, %u): %s",
		       r->launch->kernel->name, r->launch->state->my_pe, b[0], b[1], b[2], t[0],
		       t[1], t[2], text);
}
