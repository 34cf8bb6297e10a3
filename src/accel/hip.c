// SPDX-License-Identifier: MIT
/*
 * AMD's GPUs, by HIP 6.4 or later: every call that is not CUDA's under another name. HIP has no
 * contexts to speak of (hipCtxGetCurrent() is never NULL, hipCtxPopCurrent() does not restore the
 * device), so here a context is a device: entering makes it current, leaving brings back the
 * thread's own, and its last error.
 */
#include "accel/gpu.h"
#include "accel/hip_parts.h"
#include "util/err.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIP_INVALID	  1
#define HIP_IS_PINNED	  712
#define HIP_NOT_SUPPORTED 801
#define HIP_COPY_DEFAULT  4 /* the kind of a copy: by its addresses */
#define HIP_UNCACHED	  3u
#define HIP_TYPE_UNCACHED 0x40000000 /* of memory that is mapped */
#define HIP_GRANULE	  ((size_t)2 << 20)
#define HIP_REGISTER_IO	  4u	   /* which HIP does not know */
#define HIP_HAS_FAULTS	  70000000 /* versions as hipRuntimeGetVersion() has them */
#define HIP_SIZES_DIFFER  70000000 /* hip_ranges.c */
#define HIP_FD_BY_VALUE	  70100000
#define HIP_UNCACHED_MAPS 71400000
#define HIP_QUEUES	  4    /* of a process to a device, unless GPU_MAX_HW_QUEUES says more */
#define HIP_ARCH_AT	  1160 /* in hipDeviceProp_t of hipGetDevicePropertiesR0600() */
#define HIP_PROPS_SIZE	  4096 /* more than that has */
#define HIP_INFO_WORDS	  10   /* of hsa_amd_pointer_info_t, of which the oldest has 7 */
#define HIP_ORDINARY	  1    /* HSA_EXT_POINTER_TYPE_HSA */
#define HIP_DEPTH	  8    /* of gpu_enter() in gpu_enter() */

static struct {
#define HIP_CALL(call, name, params) int(*call) params;
#include "accel/hip_calls.def"
#undef HIP_CALL
	/* Of 7.x; before, the runtime below HIP has it. */
	int (*range_handle)(void *out, gpu_ptr at, size_t len, int kind, uint64_t flags);
	int (*hsa_dmabuf)(const void *at, size_t len, int *fd, uint64_t *off);
	int (*hsa_info)(const void *at, void *info, void *alloc, uint32_t *n, void **agents);
	int now; /* hipRuntimeGetVersion() */
	bool cached;
	int queues;
	pthread_mutex_t lock; /* of ready */
	uint64_t ready;	      /* devices of PEs, a bit each */
} hip = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local struct {
	int depth;
	struct {
		int device, error;
	} was[HIP_DEPTH];
} hip_entered;

static gpu_ctx hip_ctx_of(int device)
{
	return (gpu_ctx)(uintptr_t)(device + 1);
}

static int hip_ctx_push(gpu_ctx ctx)
{
	int i = hip_entered.depth, code;

	if (i == HIP_DEPTH)
		return HIP_INVALID;
	hip_entered.was[i].error = hip.peek_error();
	code = hip.get_device(&hip_entered.was[i].device);
	if (!code)
		code = hip.set_device((int)(uintptr_t)ctx - 1);
	if (!code)
		hip_entered.depth++;
	return code;
}

static int hip_ctx_pop(gpu_ctx *was)
{
	int i = --hip_entered.depth, code;

	code = hip.set_device(hip_entered.was[i].device);
	if (!hip_entered.was[i].error)
		hip.take_error(); /* none of ours is left for the user to find */
	*was = NULL;
	return code;
}

/* Device 0 is what a thread has that chose none: then none is current. */
static int hip_ctx_current(gpu_ctx *out)
{
	int device = 0, code = hip.get_device(&device);

	*out = device > 0 ? hip_ctx_of(device) : NULL;
	return code;
}

static int hip_ctx_device(int *out)
{
	return hip.get_device(out);
}

static int hip_primary_retain(gpu_ctx *out, int device)
{
	*out = hip_ctx_of(device);
	return 0;
}

static int hip_primary_release(int device)
{
	(void)device;
	return 0;
}

static int hip_device_attribute(int *out, int what, int device)
{
	switch ((enum gpu_attribute)what) {
	case GPU_PROCESSORS:
		return hip.attribute(out, 63, device);
	case GPU_MAJOR:
		return hip.attribute(out, 23, device);
	case GPU_MINOR:
		return hip.attribute(out, 61, device);
	case GPU_HAS_RANGES:
	case GPU_HAS_FDS: /* those ranges have them */
		return hip.attribute(out, 89, device);
	case GPU_HAS_RDMA:
	case GPU_HAS_FABRIC:
		*out = 0;
		return 0;
	}
	return HIP_INVALID;
}

static int hip_p2p_attribute(int *out, int what, int from, int to)
{
	return hip.p2p(out, what == GPU_P2P_ACCESS ? 1 : 2, from, to);
}

/* Each PE of the process says it, all the same. */
static bool hip_cached(void)
{
	return __atomic_load_n(&hip.cached, __ATOMIC_RELAXED);
}

static int hip_mem_alloc(gpu_ptr *out, size_t len)
{
	return hip_cached() ? hip.malloc(out, len) : hip.malloc_kind(out, len, HIP_UNCACHED);
}

/* HIP would register memory a second time, and forget both at the first hipHostUnregister(). */
static int hip_host_register(void *ptr, size_t len, unsigned flags)
{
	gpu_ptr seen;

	if (!gpu.host_address(&seen, ptr, 0))
		return HIP_IS_PINNED;
	return hip.host_register(ptr, len, flags & ~HIP_REGISTER_IO);
}

static int hip_copy_async(gpu_ptr dst, gpu_ptr src, size_t len, gpu_stream stream)
{
	return hip.copy(dst, src, len, HIP_COPY_DEFAULT, stream);
}

/* HIP says a page, but wants to map parts of 2 MiB. */
static int hip_mem_granule(size_t *out, const struct gpu_mem_props *part, int which)
{
	int code = hip.granule(out, part, which);

	if (!code && *out < HIP_GRANULE)
		*out = HIP_GRANULE;
	return code;
}

static int hip_mem_create(uint64_t *out, size_t len, const struct gpu_mem_props *part,
			  uint64_t flags)
{
	struct gpu_mem_props p = *part;

	if (!hip_cached() && hip.now >= HIP_UNCACHED_MAPS)
		p.kind = HIP_TYPE_UNCACHED;
	return hip.create(out, len, &p, flags);
}

static int hip_mem_import(uint64_t *out, void *handle, int kind)
{
	int fd = (int)(intptr_t)handle;

	return hip.import(out, hip.now >= HIP_FD_BY_VALUE ? handle : &fd, kind);
}

/*
 * Of memory that is mapped there is no handle, and asking for one takes the operating system down.
 * So the runtime below HIP has to say first that the memory is ordinary; HIP's own way to find out,
 * hipMemRetainAllocationHandle(), fails on ordinary memory with a bad pointer of its own.
 */
static int hip_ipc_get(struct gpu_ipc *out, gpu_ptr ptr)
{
	union {
		struct {
			uint32_t size; /* of all of it */
			uint32_t type;
		};
		uint64_t words[HIP_INFO_WORDS];
	} info = { { .size = sizeof(info) } };

	if (!hip.hsa_info || hip.hsa_info((const void *)(uintptr_t)ptr, &info, NULL, NULL, NULL) ||
	    info.type != HIP_ORDINARY)
		return HIP_NOT_SUPPORTED;
	return hip.ipc_get(out, ptr);
}

static int hip_mem_dmabuf(int *fd, uint64_t *off, gpu_ptr at, size_t len)
{
	*off = 0;
	if (hip.range_handle)
		return hip.range_handle(fd, at, len, 1, 0);
	return hip.hsa_dmabuf((const void *)(uintptr_t)at, len, fd, off) ? HIP_NOT_SUPPORTED : 0;
}

static void hip_symbol(void *library, const char *name, void *to)
{
	void *at = library ? dlsym(library, name) : NULL;

	memcpy(to, &at, sizeof(at));
}

static void hip_adapt_memory(struct gpu_calls *calls)
{
	calls->mem_alloc = hip.malloc && hip.malloc_kind ? hip_mem_alloc : NULL;
	calls->host_register = hip.host_register && calls->host_address ? hip_host_register : NULL;
	calls->copy_async = hip.copy ? hip_copy_async : NULL;
	calls->mem_granule = hip.granule ? hip_mem_granule : NULL;
	calls->mem_create = hip.create ? hip_mem_create : NULL;
	calls->mem_import = hip.import ? hip_mem_import : NULL;
	calls->ipc_get = hip.ipc_get ? hip_ipc_get : NULL;
	calls->mem_dmabuf = hip.range_handle || hip.hsa_dmabuf ? hip_mem_dmabuf : NULL;
}

static void hip_adapt(void *library, struct gpu_calls *calls)
{
	void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	const char *queues = getenv("GPU_MAX_HW_QUEUES");
	bool devices;

#define HIP_CALL(call, name, params) hip_symbol(library, name, &hip.call);
#include "accel/hip_calls.def"
#undef HIP_CALL
	hip_symbol(library, "hipMemGetHandleForAddressRange", &hip.range_handle);
	hip_symbol(hsa, "hsa_amd_portable_export_dmabuf", &hip.hsa_dmabuf);
	hip_symbol(hsa, "hsa_amd_pointer_info", &hip.hsa_info);
	hip.queues = queues && atoi(queues) > 0 ? atoi(queues) : HIP_QUEUES;
	devices = hip.get_device && hip.set_device && hip.peek_error && hip.take_error &&
		  hip.version && hip.properties && hip.enable_peer;
	calls->ctx_push = devices ? hip_ctx_push : NULL;
	calls->ctx_pop = devices ? hip_ctx_pop : NULL;
	calls->ctx_current = devices ? hip_ctx_current : NULL;
	calls->ctx_device = devices ? hip_ctx_device : NULL;
	calls->primary_retain = hip_primary_retain;
	calls->primary_release = hip_primary_release;
	calls->device_attribute = hip.attribute ? hip_device_attribute : NULL;
	calls->p2p_attribute = hip.p2p ? hip_p2p_attribute : NULL;
	hip_adapt_memory(calls);
	hip_adapt_modules(library, calls);
	if (hip.version)
		hip.version(&hip.now);
	if (hip.now >= HIP_SIZES_DIFFER && hip.now < HIP_UNCACHED_MAPS)
		hip_adapt_ranges(calls);
}

static void hip_version(char *text, size_t size)
{
	snprintf(text, size, "ROCm %d.%d", hip.now / 10000000, hip.now % 10000000 / 100000);
}

/* The name of the processor, without what it was switched to: gfx942:sramecc+:xnack-. */
static void hip_target(int device, char *text, size_t size)
{
	char *props = device < 0 ? NULL : calloc(1, HIP_PROPS_SIZE);
	const char *arch = "gfx<number>";

	if (props && !hip.properties(props, device)) {
		arch = props + HIP_ARCH_AT;
		props[HIP_ARCH_AT + strcspn(arch, ":")] = '\0';
	}
	snprintf(text, size, "%s", arch);
	free(props);
}

static const void *hip_kernels_of(int device, size_t *len)
{
	char target[32];

	hip_target(device, target, sizeof(target));
	for (const struct hip_kernels *k = hip_kernels; k->target; k++) {
		if (strcmp(k->target, target) != 0)
			continue;
		*len = k->len;
		return k->image;
	}
	return NULL;
}

/* A PE needs a queue for its launches, and one for the user's stream. */
static int hip_crowd(int n)
{
	return n > 1 && 2 * n > hip.queues ?
		       err_set(MORI_SHMEM_EINVAL,
			       "%d PEs of this process share a GPU, and HIP gives the process %d "
			       "queues to it: kernels that wait for each other would wait "
			       "forever; start the process with GPU_MAX_HW_QUEUES=%d, or use "
			       "more processes",
			       n, hip.queues, 4 * n) :
		       0;
}

/* PEs that are threads reach each other's memory: ordinary memory only after this. */
static void hip_ready(int device)
{
	pthread_mutex_lock(&hip.lock);
	for (int other = 0; other < 64 && device < 64; other++) {
		if (other == device || !(hip.ready >> other & 1))
			continue;
		hip.enable_peer(other, 0);
		hip.set_device(other);
		hip.enable_peer(device, 0);
		hip.set_device(device);
	}
	if (!hip.ready && hip.now < HIP_HAS_FAULTS)
		hip_watch_faults();
	if (device < 64)
		hip.ready |= (uint64_t)1 << device;
	pthread_mutex_unlock(&hip.lock);
}

/* Until 7.14 mapped memory ignores that it should be uncached. */
static bool hip_by_handles(void)
{
	return hip.now < HIP_UNCACHED_MAPS;
}

static const char *const hip_library[] = { "libamdhip64.so.7", "libamdhip64.so.6", NULL };

static const struct gpu_vendor hip_vendor = {
	.maker = "AMD",
	.library = hip_library,
	.column = GPU_HIP,
	.processors = "compute units",
	.adapt = hip_adapt,
	.version = hip_version,
	.target = hip_target,
	.kernels = hip_kernels_of,
	.crowd = hip_crowd,
	.ready = hip_ready,
	.launched = hip_launched,
	.by_handles = hip_by_handles,
};

static int hip_open(const struct accel_config *config, struct accel_dev **out, int *number)
{
	__atomic_store_n(&hip.cached, config->cached, __ATOMIC_RELAXED);
	return gpu_open(&hip_vendor, config, out, number);
}

static int hip_describe(int number, char *text, size_t size)
{
	return gpu_describe(&hip_vendor, number, text, size);
}

const struct accel_ops accel_hip = {
	.name = "hip",
	.open = hip_open,
	.close = gpu_close,
	.current = gpu_current,
	.facts = gpu_facts,
	.describe = hip_describe,
	.mem_zero = gpu_zero,
	.module = &gpu_module_ops,
	.mem = &gpu_mem,
};
