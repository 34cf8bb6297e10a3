// SPDX-License-Identifier: MIT
/* The driver of GPUs: one vendor's library, opened at run time, its errors, and its devices. */
#include "accel/gpu.h"
#include "util/err.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct gpu_calls gpu;

/* What the table of calls says of one. */
struct gpu_symbol {
	const char *call;
	const char *name[2]; /* by column; "": not by name, see adapt() */
	size_t at;	     /* in struct gpu_calls */
	bool may;
};

/* clang-format off */
#define GPU_CALL(call, cuda, hip, params)     { #call, { cuda, hip }, offsetof(struct gpu_calls, call), false },
#define GPU_CALL_MAY(call, cuda, hip, params) { #call, { cuda, hip }, offsetof(struct gpu_calls, call), true },
/* clang-format on */
static const struct gpu_symbol gpu_symbols[] = {
#include "accel/gpu_calls.def"
};
#undef GPU_CALL
#undef GPU_CALL_MAY

static struct {
	pthread_mutex_t lock;
	const struct gpu_vendor *vendor; /* that is used */
	int n_devices;
	struct {
		bool tried;
		int status;
		char why[256];
	} of[2]; /* by column */
} driver = { .lock = PTHREAD_MUTEX_INITIALIZER };

const struct gpu_vendor *gpu_vendor(void)
{
	return driver.vendor;
}

int gpu_devices(void)
{
	return driver.n_devices;
}

/* Gives the name of a call that must be there and is not; NULL: all are there. */
static const char *gpu_bind(const struct gpu_vendor *vendor, void *library)
{
	const size_t n = sizeof(gpu_symbols) / sizeof(gpu_symbols[0]);
	void *at;

	for (size_t i = 0; i < n; i++) {
		const char *name = gpu_symbols[i].name[vendor->column];

		at = *name ? dlsym(library, name) : NULL;
		memcpy((char *)&gpu + gpu_symbols[i].at, &at, sizeof(at));
	}
	if (vendor->adapt)
		vendor->adapt(library, &gpu);
	for (size_t i = 0; i < n; i++) {
		memcpy(&at, (char *)&gpu + gpu_symbols[i].at, sizeof(at));
		if (!at && !gpu_symbols[i].may)
			return *gpu_symbols[i].name[vendor->column] ?
				       gpu_symbols[i].name[vendor->column] :
				       gpu_symbols[i].call;
	}
	return NULL;
}

/* Under the lock. */
static int gpu_driver_find(const struct gpu_vendor *vendor)
{
	void *library = NULL;
	const char *missing;
	int code;

	for (int i = 0; vendor->library[i] && !library; i++)
		library = dlopen(vendor->library[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return err_set(MORI_SHMEM_ENOTSUP, "there is no %s GPU here: %s", vendor->maker,
			       dlerror());
	missing = gpu_bind(vendor, library);
	if (missing)
		return err_set(MORI_SHMEM_ENOTSUP, "the %s driver is too old: it has no %s",
			       vendor->maker, missing);
	code = gpu.init(0);
	if (!code)
		code = gpu.device_count(&driver.n_devices);
	if (code || !driver.n_devices)
		return err_set(MORI_SHMEM_ENOTSUP, "there is no %s GPU here: the driver %s %d",
			       vendor->maker, code ? "says" : "finds", code);
	driver.vendor = vendor;
	return 0;
}

int gpu_load(const struct gpu_vendor *vendor)
{
	int err, i = vendor->column;

	pthread_mutex_lock(&driver.lock);
	if (driver.vendor && driver.vendor != vendor) {
		err = err_set(MORI_SHMEM_ENOTSUP, "this process uses GPUs of %s already",
			      driver.vendor->maker);
		pthread_mutex_unlock(&driver.lock);
		return err;
	}
	if (!driver.of[i].tried) {
		driver.of[i].status = gpu_driver_find(vendor);
		driver.of[i].tried = true;
		if (driver.of[i].status)
			snprintf(driver.of[i].why, sizeof(driver.of[i].why), "%s", err_text());
	}
	err = driver.of[i].status;
	pthread_mutex_unlock(&driver.lock);
	return err ? err_set(err, "%s", driver.of[i].why) : 0;
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

/* Name, what mori cc calls its target, processors and memory. */
static void gpu_describe_one(int device, char *text, size_t size)
{
	char name[128] = "?", target[32] = "?";
	int processors = 0;
	size_t memory = 0;

	gpu.device_name(name, sizeof(name), device);
	gpu.device_memory(&memory, device);
	gpu.device_attribute(&processors, GPU_PROCESSORS, device);
	driver.vendor->target(device, target, sizeof(target));
	snprintf(text, size, "%s, %s, %d %s, %.1f GiB", name, target, processors,
		 driver.vendor->processors, (double)memory / (1 << 30));
}

int gpu_describe(const struct gpu_vendor *vendor, int number, char *text, size_t size)
{
	int device = 0, n, err = gpu_load(vendor);

	if (err)
		return err;
	if (number >= driver.n_devices || (number >= 0 && gpu.device_get(&device, number)))
		return err_set(MORI_SHMEM_ENOENT, "there is no GPU %d", number);
	if (number >= 0) {
		gpu_describe_one(device, text, size);
		return 0;
	}
	n = snprintf(text, size, "%d GPU(s), driver for ", driver.n_devices);
	if (n > 0 && (size_t)n < size)
		vendor->version(text + n, size - (size_t)n);
	return 0;
}
