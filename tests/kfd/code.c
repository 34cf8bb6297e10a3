// SPDX-License-Identifier: MIT
/* Kernels, run by the interpreter; what it has decoded is the GPUs' cache of instructions. */
#include "kfd.h"

#include "emu/run.h"

#include <stdlib.h>

struct code_part {
	struct code_part *next;
	uint64_t base;
	unsigned users;
	bool stale; /* the last user frees it */
	struct emu_code *code;
};

static struct code_part *parts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void code_drop(struct code_part *c)
{
	emu_code_close(c->code);
	free(c);
}

void kfd_code_flush(void)
{
	struct code_part *c, *next;

	pthread_mutex_lock(&lock);
	for (c = parts; c; c = next) {
		next = c->next;
		c->stale = true;
		if (!c->users)
			code_drop(c);
	}
	parts = NULL;
	pthread_mutex_unlock(&lock);
}

static struct code_part *code_new(uint64_t base, uint64_t size)
{
	struct code_part *c = calloc(1, sizeof(*c));
	char why[300];

	if (!c)
		kfd_die("out of memory");
	c->base = base;
	c->code = emu_code_at((void *)(uintptr_t)base, size, kfd_setup()->gfx, why, sizeof(why));
	if (!c->code)
		kfd_die("%s", why);
	c->next = parts;
	parts = c;
	return c;
}

/* The memory that the kernel is in, with what is decoded of it; NULL: the GPU has none there. */
static struct code_part *code_get(struct kfd_queue *q, uint64_t object)
{
	uint64_t base, size, delta;
	struct code_part *c;

	if (!kfd_find_range(q->gpu, object, &base, &size, &delta)) {
		q->view.missed = object;
		return NULL;
	}
	if (delta)
		kfd_die("code at %#lx, where the processor has other memory", object);
	pthread_mutex_lock(&lock);
	for (c = parts; c && c->base != base; c = c->next)
		;
	if (!c)
		c = code_new(base, size);
	c->users++;
	pthread_mutex_unlock(&lock);
	return c;
}

static void code_put(struct code_part *c)
{
	pthread_mutex_lock(&lock);
	if (!--c->users && c->stale)
		code_drop(c);
	pthread_mutex_unlock(&lock);
}

struct code_wait {
	struct kfd_queue *queue;
	unsigned pauses;
};

static bool code_idle(void *arg, bool waiting)
{
	struct code_wait *w = arg;

	if (waiting)
		kfd_pause(&w->pauses);
	else
		w->pauses = 0;
	return !__atomic_load_n(&w->queue->stop, __ATOMIC_ACQUIRE);
}

static void *code_find(void *arg, uint64_t addr, size_t len)
{
	return kfd_find(arg, addr, len);
}

bool kfd_code_run(struct kfd_queue *q, const struct emu_packet *p)
{
	struct code_wait wait = { .queue = q };
	struct emu_launch l = {
		.idle = code_idle, .idle_arg = &wait, .find = code_find, .find_arg = &q->view
	};
	struct code_part *c = code_get(q, p->object);
	char why[300];
	enum emu_end end;

	if (!c) {
		kfd_queue_fault(q);
		return false;
	}
	q->view.missed = 0;
	end = emu_run_packet(c->code, p, &l, why, sizeof(why));
	code_put(c);
	if (end == EMU_ENDED || end == EMU_STUCK)
		return end == EMU_ENDED;
	if (end == EMU_REFUSED || !q->view.missed)
		kfd_die("GPU %u: %s", q->gpu, why);
	kfd_say("GPU %u: %s", q->gpu, why);
	kfd_queue_fault(q);
	return false;
}
