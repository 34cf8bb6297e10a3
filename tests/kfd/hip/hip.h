// SPDX-License-Identifier: MIT
/* HIP by dlopen: the calls that the programs here make, with HIP's values. No headers of ROCm. */
#ifndef TESTS_KFD_HIP_H
#define TESTS_KFD_HIP_H

#include "test.h"

#include <dlfcn.h>
#include <stddef.h>

enum { H2H, H2D, D2H, D2D, ANY_COPY };		       /* hipMemcpyKind */
enum { HIP_NOT_READY = 600, HIP_NO_PEER = 705 };       /* hipError_t */
enum { STREAM_NON_BLOCKING = 1, EVENT_NO_TIMING = 2 }; /* flags */
enum { HOST_MAPPED = 3 };			       /* portable, mapped */
enum { MALLOC_FINE = 1, MALLOC_SIGNAL = 2, MALLOC_UNCACHED = 3 };
enum { WAIT_GTE = 0, WAIT_EQ = 1 };  /* hipStreamWaitValue* */
#define HIP_IMPORT_BY_VALUE 70100000 /* hipMemImportFromShareableHandle() from this version on */

typedef struct hip_stream *hip_stream;
typedef struct hip_event *hip_event;
typedef struct hip_module *hip_module;
typedef struct hip_function *hip_function;
typedef struct hip_part *hip_part;

struct hip_ipc {
	char bytes[64];
};

struct hip_place {
	int type, id; /* type 1: a device */
};
struct hip_part_how {
	int type, handle; /* 1: pinned; 1: a descriptor */
	struct hip_place place;
	void *win32;
	unsigned char flags[8];
};
struct hip_access {
	struct hip_place place;
	int flags; /* 3: read and write */
};

#define HIP_CALL(name, params) static int(*name) params;
#include "calls.def"
#undef HIP_CALL
static int hip_version;
static int hip_devices;

/* What must not fail, for the rest would say nothing. */
#define MUST(call)                                                                                 \
	do {                                                                                       \
		int must_code = (call);                                                            \
		if (must_code) {                                                                   \
			fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, must_code); \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/* Of the library that the environment names: HIP_LIBRARY. */
static inline void hip_open(void)
{
	const char *name = getenv("HIP_LIBRARY");
	void *library = dlopen(name ? name : "libamdhip64.so.7", RTLD_NOW);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
#define HIP_CALL(name, params)                                                                     \
	*(void **)&(name) = dlsym(library, #name);                                                 \
	CHECK(name);
#include "calls.def"
#undef HIP_CALL
	MUST(hipInit(0));
	MUST(hipRuntimeGetVersion(&hip_version));
	MUST(hipGetDeviceCount(&hip_devices));
}

/* The code object of kernels.c, whose file the first argument names. */
static inline hip_module hip_load(const char *path)
{
	static char image[1 << 17];
	FILE *f = fopen(path, "rb");
	hip_module m = NULL;
	size_t n = f ? fread(image, 1, sizeof(image), f) : 0;

	if (f)
		fclose(f);
	CHECK(n > 0 && n < sizeof(image));
	MUST(hipModuleLoadData(&m, image));
	return m;
}

/* @args ends with NULL. */
static inline void hip_launch(hip_module m, const char *kernel, unsigned grid, unsigned block,
			      hip_stream s, void **args)
{
	hip_function f = NULL;

	MUST(hipModuleGetFunction(&f, m, kernel));
	MUST(hipModuleLaunchKernel(f, grid, 1, 1, block, 1, 1, 0, s, args, NULL));
}
#define LAUNCH(m, kernel, grid, block, s, ...)                                                     \
	hip_launch(m, kernel, grid, block, s, (void *[]){ __VA_ARGS__, NULL })

/* Bytes that differ by place and by @seed. */
static inline void hip_pattern(void *at, size_t n, unsigned seed)
{
	unsigned char *p = at;

	for (size_t k = 0; k < n; k++)
		p[k] = (unsigned char)((k * 2654435761u + seed * 40503u) >> 11);
}

/* Words as the kernels fill() and give() write them. */
static inline void hip_check_words(const char *what, const uint64_t *at, size_t n, uint64_t seed,
				   uint64_t step)
{
	size_t bad = 0;

	for (size_t k = 0; k < n; k++)
		bad += at[k] != seed + k * step;
	CHECK_EQ(what, bad, 0);
}

#endif
