// SPDX-License-Identifier: MIT
/* What a module reports about its kernels: their names, and each parameter's kind and size. */
/* TEST: pes=2 modes=procs,threads net=procs,threads */
#include "kern.h"

static const struct {
	uint32_t kind, size;
} want[] = {
	{ MORI_SHMEM_PARAM_POINTER, 8 }, { MORI_SHMEM_PARAM_INT, 1 }, { MORI_SHMEM_PARAM_INT, 2 },
	{ MORI_SHMEM_PARAM_INT, 4 },	 { MORI_SHMEM_PARAM_INT, 8 }, { MORI_SHMEM_PARAM_FLOAT, 4 },
	{ MORI_SHMEM_PARAM_FLOAT, 8 },
};

static void names(mori_shmem_module_t *m)
{
	int none = 0, all = 0;
	const char *name = "kept";

	for (size_t i = 0; i < 2; i++) {
		CHECK_OK(mori_shmem_module_kernel(m, i, &name));
		none += !strcmp(name, "none");
		all += !strcmp(name, "all");
	}
	CHECK_EQ("each once", none * 10 + all, 11);
	name = "kept";
	CHECK_EQ("no third", mori_shmem_module_kernel(m, 2, &name), MORI_SHMEM_ENOENT);
	CHECK_EQ("far off", mori_shmem_module_kernel(m, SIZE_MAX, &name), MORI_SHMEM_ENOENT);
	CHECK_EQ("left alone", strcmp(name, "kept"), 0);
	CHECK_EQ("NULL", mori_shmem_module_kernel(m, 0, NULL), MORI_SHMEM_EINVAL);
	CHECK_EQ("no module", mori_shmem_module_kernel(NULL, 0, &name), MORI_SHMEM_EINVAL);
}

static void params(mori_shmem_module_t *m)
{
	mori_shmem_param_t got[TEST_LEN(want) + 1];

	CHECK_EQ("none", mori_shmem_kernel_params(m, "none", NULL, 0), 0);
	CHECK_EQ("how many", mori_shmem_kernel_params(m, "all", NULL, 0), (int)TEST_LEN(want));
	memset(got, POISON, sizeof(got));
	got[0].struct_size = sizeof(*got);
	CHECK_EQ("three", mori_shmem_kernel_params(m, "all", got, 3), (int)TEST_LEN(want));
	CHECK_EQ("not the fourth", not_poison(got + 3, sizeof(got) - 3 * sizeof(*got)),
		 sizeof(got) - 3 * sizeof(*got));
	CHECK_EQ("all", mori_shmem_kernel_params(m, "all", got, TEST_LEN(got)),
		 (int)TEST_LEN(want));
	for (size_t i = 0; i < TEST_LEN(want); i++) {
		CHECK_EQ("struct_size", got[i].struct_size, sizeof(*got));
		CHECK_EQ("kind", got[i].kind, want[i].kind);
		CHECK_EQ("size", got[i].size, want[i].size);
	}
	CHECK_EQ("not behind", not_poison(got + TEST_LEN(want), sizeof(*got)), sizeof(*got));
	CHECK_EQ("no such kernel", mori_shmem_kernel_params(m, "nobody", got, 1),
		 MORI_SHMEM_ENOENT);
	CHECK_TEXT(mori_shmem_last_error(), "no kernel nobody");
	CHECK_EQ("no room", mori_shmem_kernel_params(m, "all", NULL, 1), MORI_SHMEM_EINVAL);
	CHECK_EQ("no name", mori_shmem_kernel_params(m, NULL, got, 1), MORI_SHMEM_EINVAL);
	CHECK_EQ("no module", mori_shmem_kernel_params(NULL, "all", got, 1), MORI_SHMEM_EINVAL);
}

/* Elements of programs that were compiled with another version: smaller, or with fields to come. */
static void other_sizes(mori_shmem_module_t *m)
{
	const size_t sizes[] = { 0, 8, 17, 4104, SIZE_MAX };
	struct {
		mori_shmem_param_t now;
		uint64_t later;
	} large[3];
	mori_shmem_param_t got;

	memset(large, POISON, sizeof(large));
	large[0].now.struct_size = sizeof(large[0]);
	CHECK_EQ("large", mori_shmem_kernel_params(m, "all", &large[0].now, 2),
		 (int)TEST_LEN(want));
	for (size_t i = 0; i < 2; i++) {
		CHECK_EQ("struct_size", large[i].now.struct_size, sizeof(large[0]));
		CHECK_EQ("kind", large[i].now.kind, want[i].kind);
		CHECK_EQ("size", large[i].now.size, want[i].size);
		CHECK_EQ("not known here", large[i].later, 0);
	}
	CHECK_EQ("not the third", not_poison(&large[2], sizeof(large[2])), sizeof(large[2]));
	for (size_t i = 0; i < TEST_LEN(sizes); i++) {
		memset(&got, POISON, sizeof(got));
		got.struct_size = sizes[i];
		CHECK_EQ("no size of a struct", mori_shmem_kernel_params(m, "all", &got, 1),
			 MORI_SHMEM_EINVAL);
		CHECK_TEXT(mori_shmem_last_error(), "kernel_params: params->struct_size is");
		CHECK_EQ("left alone", not_poison(&got.kind, sizeof(got.kind)), sizeof(got.kind));
	}
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("params");
	const char *name;

	if (!m)
		SKIP(KERN_NONE);
	names(m);
	params(m);
	other_sizes(m);
	MUST(mori_shmem_module_unload(m));
	CHECK_EQ("unloaded", mori_shmem_module_kernel(m, 0, &name), MORI_SHMEM_EINVAL);
	CHECK_EQ("unloaded", mori_shmem_kernel_params(m, "all", NULL, 0), MORI_SHMEM_EINVAL);
	return 0;
}
