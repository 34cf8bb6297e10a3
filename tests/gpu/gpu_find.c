// SPDX-License-Identifier: MIT
/*
 * PEs as threads, each on a GPU of its own: a thread of some framework that is bound to none
 * acts for the PE of its current device, and without a device gets an error that says what to do.
 */
#define PES_NO_INIT
#include "gpu.h"

static int seats;

struct worker {
	void *ctx;
	int with, without; /* which PE it was */
	char text[256];
};

static void *work(void *arg)
{
	struct worker *w = arg;
	void *now = NULL;

	GPU(cuCtxSetCurrent, w->ctx);
	w->with = mori_shmem_my_pe();
	GPU(cuCtxGetCurrent, &now);
	CHECK(now == w->ctx);
	if (gpu_is_hip()) /* every thread has a device */
		return NULL;
	GPU(cuCtxSetCurrent, NULL);
	w->without = mori_shmem_my_pe();
	snprintf(w->text, sizeof(w->text), "%s", mori_shmem_last_error());
	GPU(cuCtxGetCurrent, &now);
	CHECK(!now);
	return NULL;
}

static int test_pe(void)
{
	struct worker w = { 0 };
	int devices = 0, device;
	pthread_t thread;

	GPU(cuInit, 0u);
	GPU(cuDeviceGetCount, &devices);
	if (devices < pes_here())
		SKIP("there are fewer GPUs than PEs");
	device = __atomic_fetch_add(&seats, 1, __ATOMIC_RELAXED);
	if (!gpu_is_hip()) { /* where device 0 does not count as chosen */
		GPU(cuDevicePrimaryCtxRetain, &w.ctx, device);
		GPU(cuCtxSetCurrent, w.ctx);
	}
	MUST(mori_shmem_init());
	pes_meet();
	if (gpu_is_hip()) {
		device = me;
		GPU(cuDevicePrimaryCtxRetain, &w.ctx, device);
	}
	CHECK_EQ("its device", mori_shmem_device_of(me), device);
	BARRIER(); /* until then it might be the only PE of the process */
	MUST(pthread_create(&thread, NULL, work, &w) ? MORI_SHMEM_ENOMEM : 0);
	pthread_join(thread, NULL);
	BARRIER();
	CHECK_EQ("by the device", w.with, me);
	if (!gpu_is_hip()) {
		CHECK(w.without < 0);
		CHECK_TEXT(w.text, "mori_shmem_bind");
	}
	MUST(mori_shmem_finalize());
	return 0;
}
