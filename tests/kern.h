// SPDX-License-Identifier: MIT
/*
 * A program of PEs that runs kernels. The modules are beside it, in the folder
 * kernels; where they could not be made, the test skips.
 */
#ifndef MORI_TESTS_KERN_H
#define MORI_TESTS_KERN_H

#include "pes.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>

#define KERN_NONE "clang-19 is not installed: there are no kernels to load"

/*
 * A sanitizer keeps a lot for each thread of a grid: at most 512 of them in a process. Where kernels
 * are interpreted, the runner says what there is time for.
 */
#define KERN_SMALL (TEST_ASAN + TEST_TSAN || getenv("KERN_SMALL"))

/* Between the heap of a PE, which may be memory of a GPU, and memory of the host. */
static inline void heap_set(void *heap, const void *from, size_t n)
{
	MUST(mori_shmem_putmem_thread(heap, from, n, me, 0));
}

static inline void heap_get(void *to, const void *heap, size_t n)
{
	MUST(mori_shmem_getmem_thread(to, heap, n, me, 0));
}

static inline uint64_t heap_word(const uint64_t *heap)
{
	uint64_t v;

	heap_get(&v, heap, sizeof(v));
	return v;
}

/* Zero. */
static inline void *heap_malloc(size_t n)
{
	void *p = mori_shmem_calloc(1, n);

	MUST(p ? 0 : MORI_SHMEM_ENOMEM);
	return p;
}

/*
 * A whole file of the folder of modules, which is beside the program unless KERN_FOLDER names one;
 * NULL if there is none. The caller frees it.
 */
static inline void *kern_file(const char *file, size_t *size)
{
	const char *folder = getenv("KERN_FOLDER");
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *dir, *image = NULL;
	long len = 0;
	FILE *f;

	*size = 0;
	path[n > 0 ? n : 0] = '\0';
	dir = strrchr(path, '/');
	if (folder)
		snprintf(path, sizeof(path), "%s/%s", folder, file);
	else if (dir)
		snprintf(dir, sizeof(path) - (size_t)(dir - path), "/kernels/%s", file);
	f = fopen(path, "r");
	if (f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET))
		image = malloc((size_t)len);
	if (image && fread(image, 1, (size_t)len, f) != (size_t)len)
		exit(1);
	if (f)
		fclose(f);
	*size = (size_t)len;
	return image;
}

/* The suffix of modules for the device of the PEs: the CPU, or a GPU (see gpu/near/near.c). */
static inline const char *kern_suffix(void)
{
	const char *device = getenv("MORI_SHMEM_DEVICE");

	if (device && (!strcmp(device, "amd-emu") || !strcmp(device, "hip")))
		return "hsaco";
	return device && !strcmp(device, "cuda") ? "cubin" : "so";
}

/* The image of a module for that device. */
static inline void *kern_image(const char *name, size_t *size)
{
	char file[256];

	snprintf(file, sizeof(file), "%s.%s", name, kern_suffix());
	return kern_file(file, size);
}

/* A module of this PE; NULL if there are none here. */
static inline mori_shmem_module_t *kern_load(const char *name)
{
	mori_shmem_module_t *module = NULL;
	size_t size;
	void *image = kern_image(name, &size);

	if (image)
		MUST(mori_shmem_module_load(image, size, &module));
	free(image);
	return module;
}

/* A grid in one dimension; the arguments are pointers, up to NULL. */
static inline int kern_run(mori_shmem_module_t *module, const char *name, unsigned blocks,
			   unsigned threads, ...)
{
	const unsigned grid[3] = { blocks, 1, 1 }, block[3] = { threads, 1, 1 };
	void *args[16];
	int n = 0;
	va_list ap;

	va_start(ap, threads);
	while (n < 16 && (args[n] = va_arg(ap, void *)))
		n++;
	va_end(ap);
	return mori_shmem_kernel_launch(module, name, grid, block, 0, args, NULL);
}
#define RUN_KERNEL(module, name, blocks, ...) kern_run(module, name, blocks, __VA_ARGS__, NULL)

/* Iterations of a kernel: fewer where it is interpreted. */
static inline uint64_t kern_rounds(uint64_t n)
{
	return strcmp(mori_shmem_device_name(), "amd-emu") ? n : (n + 29) / 30;
}

/* Lanes of a warp on the device; the first call of a thread launches a kernel to find out. */
static inline unsigned kern_warp(void)
{
	static _Thread_local uint32_t lanes;

	if (!lanes) {
		mori_shmem_module_t *module = kern_load("warp");
		uint32_t *out = pes_private(sizeof(*out));

		MUST(module ? 0 : MORI_SHMEM_ENOENT);
		MUST(RUN_KERNEL(module, "warp", 1, 64, &out)); /* a block of one warp at least */
		MUST(mori_shmem_module_unload(module));
		lanes = *out;
		free(out);
	}
	return lanes;
}

/*
 * A way in for children of fork(): the first of them makes it, so that their parent has
 * no thread of the library yet. A sanitizer cannot fork a process of several threads.
 */
struct kern_way {
	mori_shmem_uniqueid_t uid;
	int ready;
};

static inline struct kern_way *kern_ways(size_t n)
{
	void *ways = mmap(NULL, n * sizeof(struct kern_way), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	MUST(ways == MAP_FAILED ? MORI_SHMEM_ENOMEM : 0);
	return ways;
}

static inline const mori_shmem_uniqueid_t *kern_way(struct kern_way *way, int rank)
{
	if (!rank) {
		MUST(mori_shmem_get_unique_id(&way->uid));
		__atomic_store_n(&way->ready, 1, __ATOMIC_RELEASE);
	}
	while (!__atomic_load_n(&way->ready, __ATOMIC_ACQUIRE))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return &way->uid;
}

#endif
