// SPDX-License-Identifier: MIT
/*
 * What a PE holds of a GPU: a context, and streams of its own, which wait for no other stream. A context that was used once stays for the life of the process: kernels
 * may keep what lies in it.
 */
#include "accel/gpu.h"

#include "util/clock.h"
#include "util/err.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPU_STREAM_NON_BLOCKING 1u
#define SUBMIT_WAIT_NS		2000000 /* many times what a launch takes */
#define GPU_HOST_MAPPED		3u	/* for every context, and kernels may use it */

static struct {
	pthread_mutex_t lock;
	struct gpu_home *first;
} homes = { .lock = PTHREAD_MUTEX_INITIALIZER };

int gpu_enter(const struct accel_dev *d)
{
	int code = gpu.ctx_push(d->home->ctx);

	return code ? gpu_fail(code, "cannot make the PE's context current") : 0;
}

void gpu_leave(void)
{
	gpu_ctx was;

	gpu.ctx_pop(&was);
}

int gpu_leave_with(int code, const char *what)
{
	gpu_leave();
	return code ? gpu_fail(code, what) : 0;
}

int gpu_submit(gpu_function f, const unsigned grid[3], const unsigned block[3], unsigned shared,
	       gpu_stream stream, void **args)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	struct timespec end = clock_timespec(clock_now() + SUBMIT_WAIT_NS);
	bool held;
	int code;

	held = !pthread_mutex_clocklock(&one, CLOCK_MONOTONIC, &end);
	code = gpu.launch(f, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared,
			  stream, args, NULL);
	if (held)
		pthread_mutex_unlock(&one);
	return code;
}

/* Under the lock, with the context current. */
static struct gpu_home *gpu_home_new(gpu_ctx ctx)
{
	struct gpu_home *home = calloc(1, sizeof(*home));
	int least;

	if (!home || gpu.ctx_device(&home->device)) {
		free(home);
		return NULL;
	}
	home->ctx = ctx;
	if (gpu.stream_priorities(&least, &home->priority))
		home->priority = 0;
	if (gpu.stream_create(&home->news, GPU_STREAM_NON_BLOCKING, home->priority)) {
		free(home);
		return NULL;
	}
	if (gpu_vendor()->ready)
		gpu_vendor()->ready(home->device);
	home->fabric = gpu_fabric(home->device);
	gpu_tasks_load(home);
	home->next = homes.first;
	homes.first = home;
	return home;
}

/* The home of a context, which is kept alive if it is its device's primary one. */
static int gpu_home_get(gpu_ctx ctx, struct gpu_home **out)
{
	struct gpu_home *home;
	gpu_ctx primary;
	int device, code;

	pthread_mutex_lock(&homes.lock);
	for (home = homes.first; home && home->ctx != ctx; home = home->next)
		;
	if (!home) {
		code = gpu.ctx_push(ctx);
		if (!code) {
			home = gpu_home_new(ctx);
			if (!gpu.ctx_device(&device) && !gpu.primary_retain(&primary, device) &&
			    primary != ctx)
				gpu.primary_release(device);
			gpu_leave();
		}
	}
	pthread_mutex_unlock(&homes.lock);
	*out = home;
	return home ? 0 : err_set(MORI_SHMEM_EIO, "cannot use the thread's current GPU context");
}

static int gpu_home_find(int hint, struct gpu_home **out)
{
	int device = hint < 0 ? 0 : hint % gpu_devices(), code, err;
	gpu_ctx ctx = NULL;

	code = gpu.ctx_current(&ctx);
	if (!code && ctx)
		return gpu_home_get(ctx, out);
	code = gpu.device_get(&device, device);
	if (!code)
		code = gpu.primary_retain(&ctx, device);
	if (code)
		return gpu_fail(code, "cannot use the GPU");
	err = gpu_home_get(ctx, out);
	gpu.primary_release(device); /* gpu_home_get() holds it */
	return err;
}

static int gpu_home_check(const struct gpu_home *home)
{
	int ranges = 0, fds = 0;

	if (gpu.device_attribute(&ranges, GPU_HAS_RANGES, home->device) ||
	    gpu.device_attribute(&fds, GPU_HAS_FDS, home->device) || !ranges || !fds)
		return err_set(MORI_SHMEM_ENOTSUP,
			       "GPU %d cannot share memory by file descriptors: the library needs "
			       "a GPU and a driver that can",
			       home->device);
	return 0;
}

int gpu_lane(struct accel_dev *d, enum gpu_lane lane, gpu_stream *out)
{
	int code = 0;

	lock_take(&d->lock);
	if (!d->lane[lane])
		code = gpu.stream_create(&d->lane[lane], GPU_STREAM_NON_BLOCKING, 0);
	*out = d->lane[lane];
	lock_give(&d->lock);
	return code ? gpu_fail(code, "cannot make a stream") : 0;
}

/* One PE more, or one less, in this process on that device; more only if that can work. */
static int gpu_home_count(struct gpu_home *home, int change)
{
	int err = 0;

	pthread_mutex_lock(&homes.lock);
	if (change > 0 && gpu_vendor()->crowd)
		err = gpu_vendor()->crowd(home->n_pes + change);
	if (!err)
		home->n_pes += change;
	pthread_mutex_unlock(&homes.lock);
	return err;
}

void gpu_close(struct accel_dev *d)
{
	if (d->home && !gpu_enter(d)) {
		for (int i = 0; i < GPU_LANES; i++) {
			if (d->lane[i])
				gpu.stream_destroy(d->lane[i]);
		}
		if (d->result)
			gpu.host_free(d->result);
		gpu_leave();
	}
	if (d->home && d->counted)
		gpu_home_count(d->home, -1);
	free(d);
}

int gpu_open(const struct gpu_vendor *vendor, const struct accel_config *config,
	     struct accel_dev **out, int *number)
{
	struct accel_dev *d;
	void *result = NULL;
	int err = gpu_load(vendor), code = 0;

	if (err)
		return err;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a device");
	err = gpu_home_find(config->hint, &d->home);
	if (err || !d->home)
		goto close;
	err = gpu_home_check(d->home);
	if (!err && !config->helper) {
		err = gpu_home_count(d->home, 1);
		d->counted = !err;
	}
	if (!err)
		err = gpu_enter(d);
	if (err)
		goto close;
	code = gpu.stream_create(&d->lane[GPU_HOST], GPU_STREAM_NON_BLOCKING, d->home->priority);
	if (!code)
		code = gpu.host_alloc(&result, sizeof(*d->result), GPU_HOST_MAPPED);
	d->result = result;
	gpu_leave();
	if (code)
		err = gpu_fail(code, "cannot open the GPU");
	if (!err) {
		*out = d;
		*number = d->home->device;
		return 0;
	}
close:
	gpu_close(d);
	return err;
}

bool gpu_current(const struct accel_dev *d)
{
	int device;

	return !gpu.ctx_device(&device) && device == d->home->device;
}

static uint64_t gpu_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Whether @from reaches memory of @to without being atomic there; assumed where the driver cannot
 * be queried.
 */
static bool gpu_not_atomic(int from, int to)
{
	int access = 1, amo = 0;

	if (gpu.p2p_attribute && (gpu.p2p_attribute(&access, GPU_P2P_ACCESS, from, to) ||
				  gpu.p2p_attribute(&amo, GPU_P2P_AMO, from, to)))
		amo = 0;
	return access && !amo;
}

static void gpu_atomics(int device, struct accel_facts *out)
{
	int n = 0, other;

	out->amo = !gpu.device_count(&n);
	out->seen = (uint32_t)n;
	for (int i = 0; i < n && out->amo; i++) {
		if (!gpu.device_get(&other, i) && other != device)
			out->amo = !gpu_not_atomic(device, other) && !gpu_not_atomic(other, device);
	}
}

int gpu_facts(struct accel_dev *d, struct accel_facts *out)
{
	size_t free_now = 0, total = 0;
	int code, err = gpu_enter(d);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	code = gpu.mem_info(&free_now, &total);
	if (!code)
		code = gpu.device_uuid(out->id, d->home->device);
	gpu_leave();
	if (code)
		return gpu_fail(code, "cannot query the GPU's memory");
	out->total = total;
	out->free = free_now;
	out->granule = gpu_granule(d);
	out->fabric = d->home->fabric;
	out->by_handles = gpu_vendor()->by_handles && gpu_vendor()->by_handles();
	gpu_atomics(d->home->device, out);
	/* By the size of the device and not by its free memory: all PEs must compute the same. */
	out->heap_default = gpu_least((uint64_t)4 << 30, (total / 16) >> 21 << 21);
	out->heap_grows = gpu_least((uint64_t)16 << 30, (total / 2) >> 21 << 21);
	return 0;
}
