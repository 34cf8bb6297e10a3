// SPDX-License-Identifier: MIT
/* The driver's calls that bench/gpu.h promises. */
#include "gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NON_BLOCKING = 1, UNITS = 16 }; /* CU_STREAM_NON_BLOCKING; CU_DEVICE_ATTRIBUTE_... */

/* X(member, name in the driver, parameters) */
#define CALLS(X)                                                                                   \
	X(init, "cuInit", (unsigned flags))                                                        \
	X(count, "cuDeviceGetCount", (int *out))                                                   \
	X(attribute, "cuDeviceGetAttribute", (int *out, int what, int device))                     \
	X(retain, "cuDevicePrimaryCtxRetain", (void **out, int device))                            \
	X(current, "cuCtxSetCurrent", (void *context))                                             \
	X(open, "cuStreamCreate", (void **out, unsigned flags))                                    \
	X(wait, "cuStreamSynchronize", (void *stream))                                             \
	X(close, "cuStreamDestroy_v2", (void *stream))                                             \
	X(copy, "cuMemcpyDtoDAsync_v2", (uint64_t to, uint64_t from, size_t len, void *stream))

static struct {
#define X(member, name, params) int(*member) params;
	CALLS(X)
#undef X
	void *context;
	int device, bad;
} driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static int failed(const char *what, int code)
{
	if (code)
		fprintf(stderr, "mori-bench: %s returns %d\n", what, code);
	return code ? -1 : 0;
}

/* The GPU that the library uses: the PE's index on its node, modulo the number of GPUs. */
static void open_driver(void)
{
	void *lib = dlopen("libcuda.so.1", RTLD_NOW), *at;
	const char *place = getenv("MORI_LOCAL_RANK");
	int n = 0;

#define X(member, name, params)                                                                    \
	at = lib ? dlsym(lib, name) : NULL;                                                        \
	driver.bad |= !at;                                                                         \
	memcpy(&driver.member, &at, sizeof(at));
	CALLS(X)
#undef X
	if (driver.bad) {
		fprintf(stderr, "mori-bench: no driver of an NVIDIA GPU (libcuda.so.1)\n");
		return;
	}
	driver.bad =
		failed("cuInit", driver.init(0)) || failed("cuDeviceGetCount", driver.count(&n));
	driver.device = n && place ? atoi(place) % n : 0;
	if (!driver.bad)
		driver.bad = failed("cuDevicePrimaryCtxRetain",
				    driver.retain(&driver.context, driver.device));
}

int gpu_begin(void)
{
	pthread_once(&once, open_driver);
	return driver.bad ? -1 : failed("cuCtxSetCurrent", driver.current(driver.context));
}

unsigned gpu_units(void)
{
	int n = 0;

	return driver.bad || !driver.attribute ||
			       failed("cuDeviceGetAttribute",
				      driver.attribute(&n, UNITS, driver.device)) ?
		       0 :
		       (unsigned)n;
}

void *gpu_stream_open(void)
{
	void *stream = NULL;

	return failed("cuStreamCreate", driver.open(&stream, NON_BLOCKING)) ? NULL : stream;
}

int gpu_stream_wait(void *stream)
{
	return failed("cuStreamSynchronize", driver.wait(stream));
}

int gpu_stream_close(void *stream)
{
	return failed("cuStreamDestroy", driver.close(stream));
}

int gpu_copy(void *to, const void *from, size_t len, void *stream)
{
	return failed("cuMemcpyDtoDAsync",
		      driver.copy((uintptr_t)to, (uintptr_t)from, len, stream));
}
