// SPDX-License-Identifier: MIT
/*
 * Streams of the mock, and the library's own kernels, which are the sources of src/dev in a
 * grid of one thread. The library's own streams act at once. What is given to a stream of
 * the test (cuStreamCreate) waits until somebody waits for the stream: then it is done by
 * that thread, in order. So an operation out of order is detected.
 */
#define MORI_CPU_KERNEL 1

#include <mori/shmem_device.h>
#undef MORI_KERNEL
#define MORI_KERNEL
#define tgt_copy tgt_put /* which GPUs alone have */

#include "dev/tasks.c"

#include "mock.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct work {
	struct work *next;
	const char *kernel; /* NULL: a copy of task.bytes */
	struct dev_task task;
};

struct stream {
	bool waits;
	struct work *first, **last;
};

static void grid_sync(int scope)
{
	(void)scope;
}

static int grid_enter(int scope, int x)
{
	(void)scope;
	return x;
}

static uint64_t grid_share(int scope, uint64_t v)
{
	(void)scope;
	return v;
}

static void grid_yield(const void *addr, int cmp, uint64_t value, int how)
{
	(void)addr, (void)cmp, (void)value, (void)how;
	sched_yield();
}

static uint64_t grid_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void grid_call(void (*fn)(void *arg), void *arg)
{
	fn(arg);
}

static const struct cpu_ops grid_ops = { .sync = grid_sync,
					 .enter = grid_enter,
					 .leave = grid_sync,
					 .share = grid_share,
					 .yield = grid_yield,
					 .now_ns = grid_now,
					 .call = grid_call };
static const struct cpu_fiber grid_thread = {
	.block_size = { 1, 1, 1 }, .grid_size = { 1, 1, 1 }, .lanes = 1, .leads = 7
};
static struct cpu_grid grid = { .current = &grid_thread, .ops = &grid_ops };

static void work_do(const struct work *w)
{
	uint64_t word;

	mori_cpu_grid = &grid;
#define WORK_TASK(name)                                                                            \
	if (w->kernel && !strcmp(w->kernel, "mori_task_" #name))                                   \
		mori_task_##name(w->task);
	DEV_TASKS(WORK_TASK)
#undef WORK_TASK
	if (w->kernel)
		return;
	if (w->task.bytes == 8 && !(w->task.dest & 7)) {
		memcpy(&word, (void *)(uintptr_t)w->task.src, 8);
		__atomic_store_n((uint64_t *)(uintptr_t)w->task.dest, word, __ATOMIC_SEQ_CST);
	} else {
		memmove((void *)(uintptr_t)w->task.dest, (void *)(uintptr_t)w->task.src,
			w->task.bytes);
	}
}

static int work_give(struct stream *s, const struct work *what)
{
	struct work *w;

	if (!s || no_context())
		return INVALID;
	if (!s->waits) {
		work_do(what);
		return OK;
	}
	w = malloc(sizeof(*w));
	if (!w)
		return NO_MEMORY;
	*w = *what;
	w->next = NULL;
	*s->last = w;
	s->last = &w->next;
	return OK;
}

static int stream_new(void **out, bool waits)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NO_MEMORY;
	s->waits = waits;
	s->last = &s->first;
	*out = s;
	__atomic_add_fetch(&mock.streams, 1, __ATOMIC_RELAXED);
	return no_context() ? INVALID : OK;
}

EXPORT int cuStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
	(void)priority;
	return flags == 1 ? stream_new(out, false) : INVALID;
}

EXPORT int cuStreamCreate(void **out, unsigned flags)
{
	(void)flags;
	return stream_new(out, true);
}

EXPORT int cuStreamSynchronize(void *stream)
{
	struct stream *s = stream;

	if (!s)
		return INVALID;
	while (s->first) {
		struct work *w = s->first;

		s->first = w->next;
		if (!s->first)
			s->last = &s->first;
		work_do(w);
		free(w);
	}
	return OK;
}

EXPORT int cuStreamQuery(void *stream)
{
	return cuStreamSynchronize(stream);
}

EXPORT int cuStreamDestroy_v2(void *stream)
{
	int code = cuStreamSynchronize(stream);

	free(stream);
	__atomic_sub_fetch(&mock.streams, 1, __ATOMIC_RELAXED);
	return code;
}

EXPORT int cuMemcpyAsync(uint64_t dst, uint64_t src, size_t len, void *stream)
{
	if (mock_fails())
		return INVALID;
	return work_give(stream,
			 &(struct work){ .task = { .dest = dst, .src = src, .bytes = len } });
}

static __thread bool full;

EXPORT int mockFull(int is_full)
{
	full = is_full;
	return OK;
}

EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
			  unsigned bz, unsigned shared, void *stream, void **args, void **extra)
{
	struct work w = { .kernel = f };

	(void)shared;
	(void)extra;
	if (!gx || !gy || !gz || !bx || !by || !bz)
		return INVALID;
	if (full)
		return NO_SUPPORT;
	memcpy(&w.task, args[0], sizeof(w.task));
	if (!strcmp(f, "mori_task_amo") && !mock_atomics() && mock_foreign(w.task.dest))
		return NO_SUPPORT; /* a GPU would do it all the same, and not be atomic */
	return work_give(stream, &w);
}
