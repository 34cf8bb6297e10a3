// SPDX-License-Identifier: MIT
/*
 * Operations in the order of a stream, and the host's atomics: small kernels of the library, which
 * the build makes from src/dev/tasks.c.
 */
#include "abi/state.h"
#include "accel/gpu.h"
#include "util/err.h"

#include <stdio.h>
#include <string.h>

/* The legacy default stream goes by NULL and by 1. */
#define GPU_STREAM_LEGACY ((void *)1)

#define TASK_THREADS 512 /* per block, at most: the kernels have registers for that */
#define TASK_BLOCKS  32u /* of a copy: most of the memory's bandwidth, without all of the GPU */

#define TASK_NAME(name) "mori_task_" #name,
static const char *const task_names[DEV_TASK_COUNT] = { DEV_TASKS(TASK_NAME) };

void gpu_tasks_load(struct gpu_home *home)
{
	size_t len = 0;
	const void *image = gpu_vendor()->kernels(home->device, &len);
	char said[8], target[32];
	int code = 0;

	if (!image) {
		gpu_vendor()->target(home->device, target, sizeof(target));
		snprintf(home->no_task, sizeof(home->no_task),
			 "this build lacks the kernels that it needs for that on %s: clang 19 was "
			 "missing when it was made, or other tools that they need",
			 target);
		return;
	}
	code = gpu.module_load(&home->tasks, image, len, said, sizeof(said));
	for (int i = 0; i < DEV_TASK_COUNT && !code; i++) {
		code = gpu.module_function(&home->task[i], home->tasks, task_names[i]);
		if (!code && gpu.function_load)
			code = gpu.function_load(home->task[i]);
		if (!code)
			gpu_room(home->task[i]);
	}
	if (!code)
		return;
	memset(home->task, 0, sizeof(home->task));
	gpu_fail(code, "cannot load the library's own kernels");
	snprintf(home->no_task, sizeof(home->no_task), "%s", err_text());
}

/* With the context current. */
static int gpu_task_launch(const struct accel_dev *d, enum dev_task_id id,
			   const struct dev_task *task, int lanes, gpu_stream stream)
{
	void *args[] = { (void *)task };
	unsigned threads = lanes > TASK_THREADS ? TASK_THREADS : lanes < 1 ? 1 : (unsigned)lanes;
	unsigned blocks = (unsigned)lanes / TASK_THREADS;
	int code;

	if (id != DEV_TASK_copy || !blocks)
		blocks = 1;
	if (blocks > TASK_BLOCKS)
		blocks = TASK_BLOCKS;

	if (!d->home->task[id])
		return err_set(MORI_SHMEM_ENOTSUP, "%s", d->home->no_task);
	code = gpu_submit(d->home->task[id], (const unsigned[]){ blocks, 1, 1 },
			  (const unsigned[]){ threads, 1, 1 }, 0, stream, args);
	return code ? gpu_fail(code, "cannot launch one of the library's own kernels") : 0;
}

int gpu_amo(struct accel_dev *d, void *ptr, bool wide, int op, uint64_t value, uint64_t compare,
	    uint64_t *old)
{
	struct dev_task task = {
		.dest = (uint64_t)(uintptr_t)ptr,
		.value = value,
		.compare = compare,
		.result = (uint64_t)(uintptr_t)d->result,
		.op = op,
		.kind = wide ? DEV_KIND_uint64 : DEV_KIND_uint32,
	};
	int code, err = gpu_enter(d);

	if (err)
		return err;
	lock_take(&d->lock);
	err = gpu_task_launch(d, DEV_TASK_amo, &task, 1, d->lane[GPU_HOST]);
	if (!err) {
		code = gpu.stream_sync(d->lane[GPU_HOST]);
		err = code ? gpu_fail(code, "an atomic on memory of the GPU failed") : 0;
	}
	if (!err)
		*old = __atomic_load_n(d->result, __ATOMIC_RELAXED);
	lock_give(&d->lock);
	gpu_leave();
	return err;
}

int gpu_stream_check(struct accel_dev *d, void *stream, bool alone)
{
	(void)d;
	if (alone || (stream && stream != GPU_STREAM_LEGACY))
		return 0;
	return err_set(MORI_SHMEM_EINVAL,
		       "several PEs of this process share a GPU: on the default stream they would "
		       "wait for each other forever; give each PE a stream of its own");
}

int gpu_stream_copy(struct accel_dev *d, void *dst, const void *src, uint64_t len, void *stream)
{
	int code = 0, err = gpu_enter(d);

	if (err)
		return err;
	if (len)
		code = gpu.copy_async((gpu_ptr)(uintptr_t)dst, (gpu_ptr)(uintptr_t)src, len,
				      stream);
	return gpu_leave_with(code, "cannot copy on the stream");
}

int gpu_stream_task(struct accel_dev *d, enum dev_task_id id, const struct dev_task *task,
		    int lanes, void *stream)
{
	int err = gpu_enter(d);

	if (err)
		return err;
	err = gpu_task_launch(d, id, task, lanes, stream);
	gpu_leave();
	return err;
}
