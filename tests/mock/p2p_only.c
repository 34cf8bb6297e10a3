// SPDX-License-Identifier: MIT
/*
 * Modules for a GPU with queues and without, in PTX as `mori cc` makes it (MOCK_WHOLE and
 * MOCK_P2P_ONLY name the files), on PEs that need queues and on others; the driver's own modules,
 * too. With MOCK_CUDA_IPC=no memory of the driver cannot be mapped by other processes.
 */
#include "abi/state.h"
#include "gpu.h"

#define LEN (1 << 20)

static char *text_of(const char *variable)
{
	const char *name = getenv(variable);
	FILE *f = name ? fopen(name, "r") : NULL;
	char *text = calloc(1, LEN);
	size_t n = f ? fread(text, 1, LEN - 1, f) : 0;

	MUST(n && n < LEN - 1 ? 0 : MORI_SHMEM_ENOENT);
	fclose(f);
	return text;
}

static int load(const char *text, mori_shmem_module_t **out)
{
	*out = NULL;
	return mori_shmem_module_load(text, strlen(text), out);
}

static struct dev_link *link_of(void *native)
{
	uint64_t at;
	size_t len;

	GPU(cuModuleGetGlobal_v2, &at, &len, native, "globalGpuStates");
	CHECK_EQ("bytes", len, sizeof(struct dev_link));
	return (struct dev_link *)(uintptr_t)at;
}

static void check_refused(int err)
{
	CHECK_EQ("refused", err, MORI_SHMEM_ENOTSUP);
	CHECK_TEXT(mori_shmem_last_error(), "compiled without queues");
	CHECK_TEXT(mori_shmem_last_error(), "get_extern_libs(p2p=False)");
}

/* Both ways to bind a module. */
static void bind(const char *text, int p2p_only, int fits)
{
	mori_shmem_module_t *module;
	struct dev_link *link;
	void *native;
	int err = load(text, &module);

	GPU(cuModuleLoadData, &native, text);
	link = link_of(native);
	CHECK_EQ("says so", link->flags, p2p_only ? DEV_LINK_P2P_ONLY : 0);
	if (fits) {
		CHECK_EQ("load", err, 0);
		MUST(mori_shmem_module_unload(module));
		CHECK_OK(mori_shmem_module_init(native));
		CHECK_EQ("bound", (uintptr_t)link->state, ctx);
		CHECK_EQ("still says so", link->flags, p2p_only ? DEV_LINK_P2P_ONLY : 0);
	} else {
		check_refused(err);
		CHECK(!module);
		check_refused(mori_shmem_module_init(native));
		CHECK_EQ("not bound", (uintptr_t)link->state, 0);
	}
	GPU(cuModuleUnload, native);
}

static int test_pe(void)
{
	char *p2p_only = text_of("MOCK_P2P_ONLY"), *whole = text_of("MOCK_WHOLE");
	int apart = getenv("MOCK_CUDA_IPC") && pes_here() < n_pes, fits = 1;
	mori_shmem_module_t *module;
	uint64_t w;

	gpu_begin();
	GPU(cuMemAlloc_v2, &w, (size_t)LEN);
	for (int pe = 0; pe < n_pes; pe++)
		fits &= pes_p2p(pe);
	bind(whole, 0, 1);
	if (fits) {
		MUST(load(p2p_only, &module));
		BARRIER();
		if (apart) {
			check_refused(mori_shmem_symmetric_register((void *)(uintptr_t)w, LEN));
			MUST(mori_shmem_module_unload(module));
			BARRIER();
			CHECK_OK(mori_shmem_symmetric_register((void *)(uintptr_t)w, LEN));
			bind(p2p_only, 1, 0);
			CHECK_OK(mori_shmem_symmetric_deregister((void *)(uintptr_t)w, LEN));
			CHECK_OK(load(p2p_only, &module));
		}
		MUST(mori_shmem_module_unload(module));
	}
	bind(p2p_only, 1, fits); /* the last: one of the driver's own counts until the PE ends */
	BARRIER();
	GPU(cuMemFree_v2, w);
	free(p2p_only);
	free(whole);
	return 0;
}
