// SPDX-License-Identifier: MIT
/*
 * Modules: what is not a module is refused with the reason, each load has variables of its own,
 * launches leave nothing behind, and a handle that outlives its PE is an error.
 */
/* TEST: pes=2 modes=procs,threads net=procs,threads */
#define PES_NO_INIT
#include "kern.h"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/wait.h>

static const unsigned one[3] = { 1, 1, 1 };

static _Thread_local void *image;
static _Thread_local size_t image_size;

static void refuse(const void *bytes, size_t size, int status, const char *why)
{
	mori_shmem_module_t *m = NULL;

	CHECK_EQ(why, mori_shmem_module_load(bytes, size, &m), status);
	CHECK_TEXT(mori_shmem_last_error(), why);
	CHECK(!m);
}

static void refuse_file(const char *name, int status, const char *why)
{
	size_t size;
	void *bytes = kern_image(name, &size);

	refuse(bytes, size, status, why);
	free(bytes);
}

static void bad_images(void)
{
	unsigned char *copy = malloc(image_size + 1);
	mori_shmem_module_t *m;

	refuse(NULL, 10, MORI_SHMEM_EINVAL, "image is NULL");
	refuse("", 0, MORI_SHMEM_EINVAL, "not an ELF file");
	refuse("// PTX or something else, long enough to be a header of sixty-four bytes", 72,
	       MORI_SHMEM_EINVAL, "not an ELF file");
	refuse(image, 63, MORI_SHMEM_EINVAL, "not an ELF file");
	refuse(image, 64, MORI_SHMEM_EINVAL, "cut off");
	refuse(image, 5000, MORI_SHMEM_EINVAL, "cut off");
	memcpy(copy + 1, image, image_size); /* at an odd address */
	copy[1 + 18] = 0xe0;		     /* EM_AMDGPU */
	refuse(copy + 1, image_size, MORI_SHMEM_EINVAL, "another machine");
	memcpy(copy + 1, image, image_size);
	copy[1 + 16] = 1; /* ET_REL */
	refuse(copy + 1, image_size, MORI_SHMEM_EINVAL, "not a shared object");
	memcpy(copy + 1, image, image_size);
	CHECK_OK(mori_shmem_module_load(copy + 1, image_size, &m));
	CHECK_OK(mori_shmem_module_unload(m));
	free(copy);
	CHECK_EQ("no place", mori_shmem_module_load(image, image_size, NULL), MORI_SHMEM_EINVAL);
	refuse_file("wrong_abi", MORI_SHMEM_EABI, "ABI 4711");
	refuse_file("wrong_abi", MORI_SHMEM_EABI, "this library has ABI 9");
	refuse_file("no_library", MORI_SHMEM_ENOENT, "does not use the library");
}

static void bad_launch(mori_shmem_module_t *m, const char *name, const unsigned grid[3],
		       const unsigned block[3], void **args, void *stream, int status,
		       const char *why)
{
	CHECK_EQ(why, mori_shmem_kernel_launch(m, name, grid, block, 0, args, stream), status);
	CHECK_TEXT(mori_shmem_last_error(), why);
}

static void bad_launches(mori_shmem_module_t *m)
{
	uint64_t seen = 0, *out = &seen;
	void *args[] = { &out }, *hole[] = { NULL };
	const unsigned none[3] = { 1, 0, 1 }, many[3] = { 32, 33, 1 }, high[3] = { 1, 65536, 1 };
	const unsigned wraps[3] = { 65536, 65536, 1 }, max[3] = { UINT32_MAX, 1, 1 };

	bad_launch(NULL, "counter", one, one, args, NULL, MORI_SHMEM_EINVAL, "module is NULL");
	bad_launch(m, NULL, one, one, args, NULL, MORI_SHMEM_EINVAL, "name is NULL");
	bad_launch(m, "counter", NULL, one, args, NULL, MORI_SHMEM_EINVAL, "grid is NULL");
	bad_launch(m, "counter", one, NULL, args, NULL, MORI_SHMEM_EINVAL, "block is NULL");
	bad_launch(m, "counter", one, one, NULL, NULL, MORI_SHMEM_EINVAL, "args is NULL");
	bad_launch(m, "counter", one, one, hole, NULL, MORI_SHMEM_EINVAL, "is NULL");
	bad_launch(m, "counter", one, one, args, &seen, MORI_SHMEM_EINVAL, "no streams");
	bad_launch(m, "counter", none, one, args, NULL, MORI_SHMEM_EINVAL, "a size is 0");
	bad_launch(m, "counter", one, none, args, NULL, MORI_SHMEM_EINVAL, "a size is 0");
	bad_launch(m, "counter", one, many, args, NULL, MORI_SHMEM_EINVAL, "at most 1024 threads");
	bad_launch(m, "counter", one, wraps, args, NULL, MORI_SHMEM_EINVAL, "at most 1024 threads");
	bad_launch(m, "counter", high, one, args, NULL, MORI_SHMEM_EINVAL, "a grid has at most");
	bad_launch(m, "counter", max, one, args, NULL, MORI_SHMEM_EINVAL, "a grid has at most");
	bad_launch(m, "nobody", one, one, args, NULL, MORI_SHMEM_ENOENT,
		   "no kernel nobody; it has ids, ");
	bad_launch(m, "nobody", one, one, args, NULL, MORI_SHMEM_ENOENT, "counter");
	bad_launch((mori_shmem_module_t *)&seen, "counter", one, one, args, NULL, MORI_SHMEM_EINVAL,
		   "not a module");
	CHECK_EQ("nothing ran", seen, 0);
	CHECK_EQ("and nothing is sticky", mori_shmem_check(NULL), 0);
}

static uint64_t count(mori_shmem_module_t *m)
{
	uint64_t seen = 0, *out = &seen;

	CHECK_OK(RUN_KERNEL(m, "counter", 1, 1, &out));
	return seen;
}

/* Loads of one image do not share their variables, whichever PE made them. */
static void apart(void)
{
	mori_shmem_module_t *m[3];

	for (int i = 0; i < 3; i++)
		MUST(mori_shmem_module_load(image, image_size, &m[i]));
	for (uint64_t round = 1; round < 4; round++) {
		for (int i = 0; i < 3; i++)
			CHECK_EQ("count", count(m[i]), round);
	}
	CHECK_OK(mori_shmem_module_unload(m[1]));
	CHECK_EQ("unloaded", mori_shmem_module_unload(m[1]), MORI_SHMEM_EINVAL);
	CHECK_EQ("count", count(m[0]), 4);
	CHECK_OK(mori_shmem_module_init(m[0]));
	CHECK_EQ("count", count(m[0]), 5);
	MUST(mori_shmem_module_load(image, image_size, &m[1]));
	CHECK_EQ("a new one", count(m[1]), 1);
	for (int i = 0; i < 3; i++)
		CHECK_OK(mori_shmem_module_unload(m[i]));
	CHECK_OK(mori_shmem_module_unload(NULL));
}

/* A shared object that the program has opened itself. */
static void borrowed(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 32);
	void *handle;

	path[n > 0 ? n : 0] = '\0';
	snprintf(strrchr(path, '/'), 32, "/kernels/no_library.so");
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK_EQ("no library", mori_shmem_module_init(handle), MORI_SHMEM_ENOENT);
	dlclose(handle);
	snprintf(strrchr(path, '/'), 32, "/wrong_abi.so");
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK_EQ("other ABI", mori_shmem_module_init(handle), MORI_SHMEM_EABI);
	dlclose(handle);
	snprintf(strrchr(path, '/'), 32, "/grid.so");
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK_OK(mori_shmem_module_init(handle));
	dlclose(handle);
	CHECK_EQ("nothing", mori_shmem_module_init(NULL), MORI_SHMEM_EINVAL);
}

static long open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	long n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static long mapped_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long n = 0;

	if (!f || fscanf(f, "%ld", &n) != 1)
		exit(1);
	fclose(f);
	return n;
}

/* The child of a fork has no PE: a module it inherited is of no use there, but does no harm. */
static void after_fork(mori_shmem_module_t *m)
{
	uint64_t seen = 0, *out = &seen;
	pid_t child = fork();
	int status = 0;

	if (!child) {
		int bad = RUN_KERNEL(m, "counter", 1, 1, &out) != MORI_SHMEM_ESTATE ||
			  mori_shmem_module_unload(m) || seen;

		_exit(bad);
	}
	waitpid(child, &status, 0);
	CHECK_EQ("the child", status, 0);
}

/* What one round of loads and launches leaves, a hundred leave too. */
static void leaks(void)
{
	uint64_t rounds = 1, bad = 0, *faults = &bad, in[256] = { 0 }, outs[8], *from = in,
		 *to = outs;
	long files = 0, pages = 0;

	for (int i = 0; i < 10 + TEST_SCALE(100); i++) {
		mori_shmem_module_t *m;

		if (i == 10) {
			files = open_files();
			pages = mapped_pages();
		}
		MUST(mori_shmem_module_load(image, image_size, &m));
		MUST(RUN_KERNEL(m, "reduce", 8, 32, &from, &to, &rounds, &faults));
		MUST(RUN_KERNEL(m, "reduce", 8, 32, &from, &to, &rounds, &faults));
		MUST(mori_shmem_module_unload(m));
	}
	CHECK_EQ("files", open_files(), files);
	if (!KERN_SMALL)
		CHECK(mapped_pages() <= pages + 64);
	CHECK_EQ("bad", bad, 0);
}

static int test_pe(void)
{
	mori_shmem_module_t *kept, *left;
	uint64_t seen = 0, *out = &seen;

	MUST(mori_shmem_init());
	pes_meet();
	image = kern_image("grid", &image_size);
	if (!image) {
		MUST(mori_shmem_finalize());
		SKIP(KERN_NONE);
	}
	MUST(mori_shmem_module_load(image, image_size, &kept));
	MUST(mori_shmem_module_load(image, image_size, &left));
	bad_images();
	bad_launches(kept);
	apart();
	BARRIER();
	if (pes_here() == 1) { /* what the program opens itself is one for all its PEs */
		borrowed();
		after_fork(kept);
		leaks();
	}
	CHECK_EQ("count", count(kept), 1);
	MUST(mori_shmem_finalize());
	CHECK_EQ("after finalize", RUN_KERNEL(kept, "counter", 1, 1, &out), MORI_SHMEM_ESTATE);
	CHECK_TEXT(mori_shmem_last_error(), "has finalized");
	CHECK_EQ("init after finalize", mori_shmem_module_init(kept), MORI_SHMEM_ESTATE);
	if (pes_here() == 1) /* otherwise it may act for the remaining one */
		CHECK_EQ("load after finalize", mori_shmem_module_load(image, image_size, &left),
			 MORI_SHMEM_ESTATE);
	CHECK_OK(mori_shmem_module_unload(kept));
	CHECK_EQ("twice", mori_shmem_module_unload(kept), MORI_SHMEM_EINVAL);
	CHECK_EQ("nothing ran", seen, 0);
	free(image);
	return 0;
}
