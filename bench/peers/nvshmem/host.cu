// SPDX-License-Identifier: MIT
/*
 * What bench/peers/nvshmem/api_nvshmem.h promises. PEs find each other by the variables of
 * `mori run`; PE 0 leaves NVSHMEM's unique id in a file that is named after the job.
 */
#include "api_nvshmem.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <nvshmem.h>
#include <nvshmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static cudaStream_t own; /* for what the host waits for */
static char why[256];

static int failed(const char *what, int code)
{
	if (code)
		snprintf(why, sizeof(why), "%s gives %d (%s)", what, code,
			 cudaGetErrorString(cudaGetLastError()));
	return code ? -1 : 0;
}

static int number(const char *name)
{
	const char *text = getenv(name);

	return text ? atoi(text) : -1;
}

static void meeting_file(char *file, size_t room)
{
	const char *job = getenv("MORI_UNIQUE_ID"), *dir = getenv("TMPDIR");
	size_t len = job ? strlen(job) : 0;

	snprintf(file, room, "%s/mori-nvshmem-%.40s", dir && *dir ? dir : "/tmp",
		 len > 40 ? job + len - 40 : len ? job : "alone");
}

/* PE 0 writes it elsewhere and moves it there, so that it is whole when it is seen. */
static int id_write(const char *file, const nvshmemx_uniqueid_t *id)
{
	char part[512];
	FILE *f;
	int bad;

	snprintf(part, sizeof(part), "%s.part", file);
	f = fopen(part, "wb");
	bad = !f || fwrite(id, sizeof(*id), 1, f) != 1;
	if (f)
		bad |= fclose(f);
	return failed("writing the unique id", bad || rename(part, file));
}

static int id_read(const char *file, nvshmemx_uniqueid_t *id)
{
	for (int i = 0; i < 30000; i++, usleep(1000)) {
		FILE *f = fopen(file, "rb");
		int got = f && fread(id, sizeof(*id), 1, f) == 1;

		if (f)
			fclose(f);
		if (got)
			return 0;
	}
	return failed("waiting for PE 0's unique id", 1);
}

extern "C" int api_init(void)
{
	int rank = number("MORI_RANK"), n = number("MORI_WORLD_SIZE"), err;
	nvshmemx_init_attr_t attr = NVSHMEMX_INIT_ATTR_INITIALIZER;
	nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
	char file[256];

	if (rank < 0 || n < 1)
		return failed("no MORI_RANK and MORI_WORLD_SIZE: `mori run`", 1);
	setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
	setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
	meeting_file(file, sizeof(file));
	err = rank ? id_read(file, &id) :
		     failed("nvshmemx_get_uniqueid", nvshmemx_get_uniqueid(&id));
	if (!err && !rank)
		err = id_write(file, &id);
	if (!err)
		err = failed("nvshmemx_set_attr_uniqueid_args",
			     nvshmemx_set_attr_uniqueid_args(rank, n, &id, &attr));
	if (!err)
		err = failed("nvshmemx_init_attr",
			     nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attr));
	if (!rank)
		unlink(file);
	return err;
}

/* Made when it is first needed: init is measured. */
static cudaStream_t stream_of(void)
{
	if (!own)
		cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
	return own;
}

extern "C" int api_finalize(void)
{
	nvshmem_finalize();
	return 0;
}

extern "C" const char *api_error(void)
{
	return why;
}

extern "C" int api_my_pe(void)
{
	return nvshmem_my_pe();
}

extern "C" int api_n_pes(void)
{
	return nvshmem_n_pes();
}

extern "C" void *api_malloc(size_t size)
{
	return nvshmem_malloc(size);
}

extern "C" void *api_calloc(size_t n, size_t size)
{
	return nvshmem_calloc(n, size);
}

extern "C" int api_free(void *ptr)
{
	nvshmem_free(ptr);
	return 0;
}

extern "C" void *api_ptr(void *ptr, int pe)
{
	return nvshmem_ptr(ptr, pe);
}

static int copy(void *to, const void *from, size_t len)
{
	int err = cudaMemcpyAsync(to, from, len, cudaMemcpyDefault, stream_of());

	return failed("cudaMemcpyAsync", err ? err : (int)cudaStreamSynchronize(own));
}

extern "C" int api_put(void *dest, const void *src, size_t len, int pe)
{
	return copy(nvshmem_ptr(dest, pe), src, len);
}

extern "C" int api_get(void *dest, const void *src, size_t len, int pe)
{
	return copy(dest, nvshmem_ptr((void *)src, pe), len);
}

extern "C" int api_p(uint64_t *dest, uint64_t value, int pe)
{
	return api_put(dest, &value, sizeof(value), pe);
}

extern "C" uint64_t api_g(const uint64_t *src, int pe)
{
	uint64_t value = 0;

	api_get(&value, src, sizeof(value), pe);
	return value;
}

__global__ void add_one(uint64_t *dest, uint64_t value, int pe)
{
	nvshmem_uint64_atomic_add(dest, value, pe);
	nvshmem_quiet();
}

extern "C" int api_add(uint64_t *dest, uint64_t value, int pe)
{
	add_one<<<1, 1, 0, stream_of()>>>(dest, value, pe);
	return failed("an atomic", cudaStreamSynchronize(own));
}

extern "C" int api_barrier(void)
{
	nvshmem_barrier_all();
	return 0;
}

/* A kernel's name is that of the function which stands for it on the host. */
extern "C" int api_launch(api_module module, const char *name, unsigned blocks, unsigned threads,
			  void **args, void *stream)
{
	void *kernel = dlsym(RTLD_DEFAULT, name);
	cudaStream_t on = stream ? (cudaStream_t)stream : stream_of();
	int err;

	(void)module;
	if (!kernel)
		return failed(name, 1);
	err = cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), args, 0, on);
	return failed(name, err || stream ? err : (int)cudaStreamSynchronize(on));
}

extern "C" int api_barrier_on_stream(void *stream)
{
	nvshmemx_barrier_all_on_stream((cudaStream_t)stream);
	return 0;
}
