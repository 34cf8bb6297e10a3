// SPDX-License-Identifier: MIT
/*
 * Modules of a GPU: PTX, cubins or code objects, and modules of the driver's own; their kernels and parameters by
 * name; and what is refused: another ABI, a module without the library, no module at all.
 */
#include "gpu.h"

static void run(mori_shmem_module_t *module)
{
	int *out = heap_malloc(12), got[3] = { -1, -1, -1 };

	BARRIER();
	CHECK_OK(RUN_KERNEL(module, "who", 1, 1, &out));
	heap_get(got, out, sizeof(got));
	CHECK_EQ("me", got[0], me);
	CHECK_EQ("PEs", got[1], n_pes);
	CHECK_EQ("barrier", got[2], 0);
	MUST(mori_shmem_free(out));
}

/* Every kernel of misc.c has a name, and its parameters their sizes. */
static void tells(mori_shmem_module_t *module)
{
	mori_shmem_param_t params[4] = { { .struct_size = sizeof(params[0]) } };
	const char *name = NULL;
	int who = 0, n = 0;

	while (n < 100 && !mori_shmem_module_kernel(module, (size_t)n, &name)) {
		who += !strcmp(name, "who");
		n++;
	}
	CHECK_EQ("kernels", n, 8);
	CHECK_EQ("who is one", who, 1);
	CHECK_EQ("no more", mori_shmem_module_kernel(module, 8, &name), MORI_SHMEM_ENOENT);
	CHECK_EQ("parameters", mori_shmem_kernel_params(module, "put_to", params, 4), 3);
	CHECK_EQ("a pointer", params[0].size, 8);
	CHECK_EQ("an int", params[1].size, 4);
	CHECK_EQ("their number alone", mori_shmem_kernel_params(module, "meet", NULL, 0), 1);
	CHECK_EQ("none of that name", mori_shmem_kernel_params(module, "nothing", NULL, 0),
		 MORI_SHMEM_ENOENT);
	CHECK(strstr(mori_shmem_last_error(), "bad_pointer"));
}

/* The same PTX with another number in globalGpuStates, or another name for it. */
static void refused_ptx(const char *ptx)
{
	char *other = strdup(ptx), *at = strstr(other, "globalGpuStates[3] = {");
	mori_shmem_module_t *module = NULL;
	void *native = NULL;

	MUST(at ? 0 : MORI_SHMEM_ENOENT);
	at = strchr(at, '{') + 1;
	*at = *at == '1' ? '2' : '1'; /* the high half of the word is the ABI */
	CHECK_EQ("another ABI", mori_shmem_module_load(other, strlen(other), &module),
		 MORI_SHMEM_EABI);
	CHECK(strstr(mori_shmem_last_error(), "was made for ABI"));
	GPU(cuModuleLoadData, &native, other);
	CHECK_EQ("another ABI", mori_shmem_module_init(native), MORI_SHMEM_EABI);
	CHECK(strstr(mori_shmem_last_error(), "the module with kernel "));
	CHECK(!strstr(mori_shmem_last_error(), "kernel ? "));
	GPU(cuModuleUnload, native);
	for (at = other; (at = strstr(at, "globalGpuStates"));)
		at[0] = 'h';
	CHECK_EQ("no library", mori_shmem_module_load(other, strlen(other), &module),
		 MORI_SHMEM_ENOENT);
	free(other);
}

/* A code object with another name in place of globalGpuStates. */
static void refused_code_object(const char *image, size_t size)
{
	static const char name[] = "globalGpuStates";
	mori_shmem_module_t *module = NULL;
	char *other = malloc(size), *at;

	memcpy(other, image, size);
	for (at = other; (at = memmem(at, size - (size_t)(at - other), name, sizeof(name)));)
		at[0] = 'h';
	CHECK_EQ("no library", mori_shmem_module_load(other, size, &module), MORI_SHMEM_ENOENT);
	CHECK_TEXT(mori_shmem_last_error(), "it has no globalGpuStates");
	free(other);
}

static void refused(const char *image, size_t size)
{
	mori_shmem_module_t *module = NULL;

	if (gpu_is_hip())
		refused_code_object(image, size);
	else
		refused_ptx(image);
	CHECK_EQ("a half", mori_shmem_module_load(image, size / 2, &module), MORI_SHMEM_EINVAL);
	CHECK_EQ("nothing", mori_shmem_module_load("\177ELF", 4, &module), MORI_SHMEM_EINVAL);
}

/* A module of the driver's own; and one instance of it for all PEs, by the context. */
static void native(const char *image)
{
	void *module, *f, *args[2], *stream = gpu_stream();
	int *out = heap_malloc(12), got[3] = { -1, -1, -1 };

	GPU(cuModuleLoadData, &module, image);
	GPU(cuModuleGetFunction, &f, module, "who_ctx");
	CHECK_OK(mori_shmem_module_init(module));
	args[0] = &ctx;
	args[1] = &out;
	BARRIER();
	GPU(cuLaunchKernel, f, 1, 1, 1, 32, 1, 1, 0, stream, args, NULL);
	GPU(cuStreamSynchronize, stream);
	heap_get(got, out, sizeof(got));
	CHECK_EQ("me", got[0], me);
	CHECK_EQ("barrier", got[2], 0);
	BARRIER();
	GPU(cuModuleUnload, module);
	GPU(cuStreamDestroy_v2, stream);
	MUST(mori_shmem_free(out));
}

/* Kernels that wait for each other, all launched by modules of PE 0: each on its caller's stream. */
static void of_one_pe(const char *image, size_t size)
{
	mori_shmem_t *self = mori_shmem_current(), *first = mori_shmem_find(0);
	mori_shmem_module_t *module = NULL;
	int *out = heap_malloc(12), got[3] = { -1, -1, -1 };

	if (first)
		MUST(mori_shmem_bind(first));
	MUST(mori_shmem_module_load(image, size, &module));
	MUST(mori_shmem_bind(self));
	for (int i = 0; i < 3; i++) {
		BARRIER();
		CHECK_OK(RUN_KERNEL(module, "who_ctx", 1, 32, &ctx, &out));
		heap_get(got, out, sizeof(got));
		CHECK_EQ("me", got[0], me);
		CHECK_EQ("barrier", got[2], 0);
	}
	CHECK_OK(mori_shmem_module_unload(module));
	MUST(mori_shmem_free(out));
}

static int test_pe(void)
{
	mori_shmem_module_t *module = NULL;
	size_t size = 0;
	char *image;

	gpu_begin();
	for (int i = 0; i < 2; i++) {
		image = i ? kern_file("misc.cubin", &size) : gpu_image("misc", &size);
		if (!image && !i)
			SKIP("there is no module misc");
		if (!image) {
			printf("there is no misc.cubin\n");
			continue;
		}
		MUST(mori_shmem_module_load(image, size, &module));
		run(module);
		tells(module);
		CHECK_OK(mori_shmem_module_unload(module));
		free(image);
	}
	image = gpu_image("misc", &size);
	refused(image, size);
	native(image);
	of_one_pe(image, size);
	free(image);
	return 0;
}
