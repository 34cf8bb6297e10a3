// SPDX-License-Identifier: MIT
/*
 * A kernel that goes where its GPU has no memory ends the process on ROCm 6, without an error for
 * the launch. The runtime below HIP tells of it before: here the kernels that may have done it are
 * named.
 */
#include "accel/hip_parts.h"

#include "util/log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define HIP_LAUNCHES	 4 /* that are remembered */
#define HIP_MEMORY_FAULT 0 /* kinds of events */
#define HIP_HSA_ERROR	 0x1000

/* hsa_amd_event_t, as far as it is of use. */
struct hip_event {
	int kind;
	uint64_t gpu, addr;
};

static struct {
	pthread_mutex_t lock;
	unsigned n;
	struct {
		char kernel[64];
		int pe;
	} last[HIP_LAUNCHES];
} hip_launches = { .lock = PTHREAD_MUTEX_INITIALIZER };

void hip_launched(const char *kernel, int pe)
{
	unsigned i;

	pthread_mutex_lock(&hip_launches.lock);
	i = hip_launches.n++ % HIP_LAUNCHES;
	snprintf(hip_launches.last[i].kernel, sizeof(hip_launches.last[i].kernel), "%s", kernel);
	hip_launches.last[i].pe = pe;
	pthread_mutex_unlock(&hip_launches.lock);
}

/* In a thread of the runtime, which goes on with ending the process. */
static int hip_fault(const struct hip_event *event, void *arg)
{
	char text[400] = "";
	size_t used = 0;

	(void)arg;
	if (event->kind != HIP_MEMORY_FAULT)
		return HIP_HSA_ERROR;
	pthread_mutex_lock(&hip_launches.lock);
	for (unsigned i = 0; i < HIP_LAUNCHES && i < hip_launches.n; i++) {
		unsigned k = (hip_launches.n - 1 - i) % HIP_LAUNCHES;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s of PE %d",
					 i ? ", " : "", hip_launches.last[k].kernel,
					 hip_launches.last[k].pe);
	}
	pthread_mutex_unlock(&hip_launches.lock);
	log_error("a kernel has used address %#llx, where its GPU has no memory, and ROCm ends the "
		  "process; launched last, the latest first: %s",
		  (unsigned long long)event->addr, used ? text : "none by this library");
	return HIP_HSA_ERROR;
}

void hip_watch_faults(void)
{
	void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	void *at = hsa ? dlsym(hsa, "hsa_amd_register_system_event_handler") : NULL;
	int (*watch)(int (*handler)(const struct hip_event *event, void *arg), void *arg);

	memcpy(&watch, &at, sizeof(watch));
	if (watch)
		watch(hip_fault, NULL);
}
