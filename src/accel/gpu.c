// SPDX-License-Identifier: MIT
/*
 * The driver of a GPU, and what a PE holds of a device: a context, and streams of its own, which
 * wait for no other stream. A context that was used once stays for the life of the process: kernels
 * may keep what lies in it.
 */
#include "accel/gpu.h"

#include "util/clock.h"
#include "util/err.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GPU_LIBRARY "libcuda.so.1"

/* Attributes of a device. */
#define GPU_PROCESSORS 16
#define GPU_MAJOR      75
#define GPU_MINOR      76
#define GPU_HAS_RANGES 102
#define GPU_HAS_FDS    103

#define GPU_STREAM_NON_BLOCKING 1u
#define SUBMIT_WAIT_NS		2000000 /* many times what a launch takes */
#define GPU_HOST_MAPPED		3u	/* for every context, and kernels may use it */

struct gpu_calls gpu;

static struct {
	pthread_mutex_t lock;
	bool tried;
	int status;
	char why[256];
	int n_devices;
	struct gpu_home *homes;
} driver = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock: *to from the library; false if it is not there. */
static bool gpu_driver_symbol(void *library, const char *name, void *to)
{
	void *at = dlsym(library, name);

	memcpy(to, &at, sizeof(at));
	return at != NULL;
}

static int gpu_driver_find(void)
{
	void *library = dlopen(GPU_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const char *missing = NULL;
	int code;

	if (!library)
		return err_set(MORI_SHMEM_ENOTSUP, "there is no NVIDIA GPU here: %s", dlerror());
#define GPU_CALL(name, cuda, hip, params)                                                          \
	if (!gpu_driver_symbol(library, cuda, &gpu.name))                                          \
		missing = cuda;
#define GPU_CALL_MAY(name, cuda, hip, params) gpu_driver_symbol(library, cuda, &gpu.name);
#include "accel/gpu_calls.def"
#undef GPU_CALL
#undef GPU_CALL_MAY
	if (missing)
		return err_set(MORI_SHMEM_ENOTSUP, "the NVIDIA driver is too old: it has no %s",
			       missing);
	code = gpu.init(0);
	if (!code)
		code = gpu.device_count(&driver.n_devices);
	if (code || !driver.n_devices)
		return err_set(MORI_SHMEM_ENOTSUP, "there is no NVIDIA GPU here: the driver %s %d",
			       code ? "says" : "finds", code);
	return 0;
}

static int gpu_load(void)
{
	int err;

	pthread_mutex_lock(&driver.lock);
	if (!driver.tried) {
		driver.status = gpu_driver_find();
		driver.tried = true;
		if (driver.status)
			snprintf(driver.why, sizeof(driver.why), "%s", err_text());
	}
	err = driver.status;
	pthread_mutex_unlock(&driver.lock);
	return err ? err_set(err, "%s", driver.why) : 0;
}

/* Translates a code of the driver into a status. */
static int gpu_status(int code)
{
	switch (code) {
	case 2: /* out of memory */
		return MORI_SHMEM_ENOMEM;
	case 1: /* invalid value */
		return MORI_SHMEM_EINVAL;
	case 200: /* images: invalid, */
	case 209: /* for another device, */
	case 218: /* invalid PTX, */
	case 222: /* PTX of a later version */
		return MORI_SHMEM_EINVAL;
	case 500: /* not found */
		return MORI_SHMEM_ENOENT;
	case 700: /* faults of kernels: an address, */
	case 702: /* a time-out, */
	case 710: /* an assertion, */
	case 714: /* the stack, */
	case 715: /* an instruction, */
	case 716: /* alignment, */
	case 717: /* an address space, */
	case 718: /* a program counter, */
	case 719: /* something else */
		return MORI_SHMEM_EFAULT;
	default:
		return MORI_SHMEM_EIO;
	}
}

int gpu_fail(int code, const char *what)
{
	const char *name = NULL, *text = NULL;
	int err = gpu_status(code);

	if (gpu.error_name(code, &name) || gpu.error_text(code, &text))
		name = text = NULL;
	return err_set(err, "%s: %s (%s)%s", what, name ? name : "unknown error",
		       text ? text : "no text",
		       err == MORI_SHMEM_EFAULT ?
			       "; a kernel of this process has failed, and its context with it" :
			       "");
}

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
	home->fabric = gpu_fabric(home->device);
	gpu_tasks_load(home);
	home->next = driver.homes;
	driver.homes = home;
	return home;
}

/* The home of a context, which is kept alive if it is its device's primary one. */
static int gpu_home_get(gpu_ctx ctx, struct gpu_home **out)
{
	struct gpu_home *home;
	gpu_ctx primary;
	int device, code;

	pthread_mutex_lock(&driver.lock);
	for (home = driver.homes; home && home->ctx != ctx; home = home->next)
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
	pthread_mutex_unlock(&driver.lock);
	*out = home;
	return home ? 0 : err_set(MORI_SHMEM_EIO, "cannot use the thread's current GPU context");
}

static int gpu_home_find(int hint, struct gpu_home **out)
{
	int device = hint < 0 ? 0 : hint % driver.n_devices, code, err;
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

static void gpu_close(struct accel_dev *d)
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
	free(d);
}

static int gpu_open(const struct accel_config *config, struct accel_dev **out, int *number)
{
	struct accel_dev *d;
	void *result = NULL;
	int err = gpu_load(), code = 0;

	if (err)
		return err;
	d = calloc(1, sizeof(*d));
	if (!d)
		return err_set(MORI_SHMEM_ENOMEM, "out of memory for a device");
	err = gpu_home_find(config->hint, &d->home);
	if (!err)
		err = gpu_home_check(d->home);
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

static bool gpu_current(const struct accel_dev *d)
{
	int device;
	gpu_ctx ctx = NULL;

	return !gpu.ctx_current(&ctx) && ctx && !gpu.ctx_device(&device) &&
	       device == d->home->device;
}

static uint64_t gpu_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

#define P2P_ACCESS 2 /* CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED */
#define P2P_AMO	   3 /* CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED */

/*
 * Whether @from reaches memory of @to without being atomic there; assumed where the driver cannot
 * be queried.
 */
static bool gpu_not_atomic(int from, int to)
{
	int access = 1, amo = 0;

	if (gpu.p2p_attribute && (gpu.p2p_attribute(&access, P2P_ACCESS, from, to) ||
				  gpu.p2p_attribute(&amo, P2P_AMO, from, to)))
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
	gpu_atomics(d->home->device, out);
	/* By the size of the device and not by its free memory: all PEs must compute the same. */
	out->heap_default = gpu_least((uint64_t)4 << 30, (total / 16) >> 21 << 21);
	out->heap_grows = gpu_least((uint64_t)16 << 30, (total / 2) >> 21 << 21);
	return 0;
}

/* Name, capability (what mori cc calls its target), processors and memory. */
static void gpu_describe_one(int device, char *text, size_t size)
{
	int major = 0, minor = 0, processors = 0;
	char name[128] = "?";
	size_t memory = 0;

	gpu.device_name(name, sizeof(name), device);
	gpu.device_memory(&memory, device);
	gpu.device_attribute(&major, GPU_MAJOR, device);
	gpu.device_attribute(&minor, GPU_MINOR, device);
	gpu.device_attribute(&processors, GPU_PROCESSORS, device);
	snprintf(text, size, "%s, sm_%d%d, %d multiprocessors, %.1f GiB", name, major, minor,
		 processors, (double)memory / (1 << 30));
}

static int gpu_describe(int number, char *text, size_t size)
{
	int version = 0, device = 0, err = gpu_load();

	if (err)
		return err;
	if (number >= driver.n_devices || (number >= 0 && gpu.device_get(&device, number)))
		return err_set(MORI_SHMEM_ENOENT, "there is no GPU %d", number);
	if (number >= 0) {
		gpu_describe_one(device, text, size);
		return 0;
	}
	gpu.version(&version);
	snprintf(text, size, "%d GPU(s), driver for CUDA %d.%d", driver.n_devices, version / 1000,
		 version % 1000 / 10);
	return 0;
}

const struct accel_ops accel_cuda = {
	.name = "cuda",
	.open = gpu_open,
	.close = gpu_close,
	.current = gpu_current,
	.facts = gpu_facts,
	.describe = gpu_describe,
	.mem_zero = gpu_zero,
	.module = &gpu_module_ops,
	.mem = &gpu_mem,
};
