// SPDX-License-Identifier: MIT
/*
 * Runs one of the example kernels on every PE and checks what it did:
 *
 *	mori run -n N [--threads T] mori-kernels <name> <image> [threads of a block]
 *
 * The image is what `mori cc` made of <name>.c, or of the LLVM IR or MLIR of the same
 * name. With --threads a process has several PEs, each in a thread of its own.
 */
#include "host.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(struct host *h);
} examples[] = {
	{ "hello", run_hello },
	{ "put_ring", run_put_ring },
	{ "get", run_get },
	{ "put_signal", run_put_signal },
	{ "value", run_value },
	{ "atomics", run_atomics },
	{ "allreduce_read", run_allreduce_read },
	{ "allreduce_put", run_allreduce_put },
	{ "allreduce_two_shot", run_allreduce_two_shot },
};

#define N_EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static int (*run_example)(struct host *h);
static const char *name;
static void *image;
static size_t image_size;
static unsigned block_threads = 64;

int launch(struct host *h, unsigned blocks, unsigned threads, void **args)
{
	int err = mori_shmem_kernel_launch(h->module, h->kernel, (unsigned[]){ blocks, 1, 1 },
					   (unsigned[]){ threads, 1, 1 }, 0, args, NULL);

	return err ? err : mori_shmem_barrier_all();
}

int to_heap(struct host *h, void *heap, const void *from, size_t bytes)
{
	return mori_shmem_putmem_thread(heap, from, bytes, h->me, 0);
}

int from_heap(struct host *h, void *to, const void *heap, size_t bytes)
{
	return mori_shmem_getmem_thread(to, heap, bytes, h->me, 0);
}

static int run(void)
{
	struct host h = { .kernel = name, .threads = block_threads };
	int err = mori_shmem_init();

	if (!err)
		err = mori_shmem_module_load(image, image_size, &h.module);
	if (!err) {
		h.me = mori_shmem_my_pe();
		h.n_pes = mori_shmem_n_pes();
		err = mori_shmem_barrier_all(); /* loaded everywhere before anything runs */
	}
	if (!err)
		err = run_example(&h);
	if (err < 0)
		fprintf(stderr, "mori-kernels: %s: %s\n", mori_shmem_strerror(err),
			mori_shmem_last_error());
	else if (err)
		fprintf(stderr, "PE %d: %s: %d wrong\n", h.me, name, err);
	else
		err = mori_shmem_module_unload(h.module) || mori_shmem_finalize();
	return err;
}

static void *run_thread(void *arg)
{
	(void)arg;
	return run() ? image : NULL;
}

/* As many PEs as `mori run --threads` gives this process. */
static int run_all(void)
{
	const char *text = getenv("MORI_THREADS");
	int n = text ? atoi(text) : 1, bad = 0;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	void *result;

	for (int i = 0; threads && i < n; i++)
		bad |= pthread_create(&threads[i], NULL, run_thread, NULL);
	for (int i = 0; threads && i < n; i++)
		bad |= pthread_join(threads[i], &result) || result;
	free(threads);
	return bad || !threads;
}

static void *read_file(const char *file, size_t *size)
{
	FILE *f = fopen(file, "r");
	void *data = NULL;
	long len;

	if (f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc((size_t)len);
		*size = data ? fread(data, 1, (size_t)len, f) : 0;
	}
	if (f)
		fclose(f);
	return data;
}

int main(int argc, char **argv)
{
	int bad;

	for (size_t i = 0; (argc == 3 || argc == 4) && i < N_EXAMPLES; i++) {
		if (!strcmp(argv[1], examples[i].name))
			run_example = examples[i].run;
	}
	if (!run_example) {
		fputs("usage: mori-kernels <name> <image> [threads of a block]\nnames:", stderr);
		for (size_t i = 0; i < N_EXAMPLES; i++)
			fprintf(stderr, " %s", examples[i].name);
		fputc('\n', stderr);
		return 2;
	}
	name = argv[1];
	if (argc == 4)
		block_threads = (unsigned)strtoul(argv[3], NULL, 10);
	image = read_file(argv[2], &image_size);
	if (!image) {
		perror(argv[2]);
		return 1;
	}
	bad = run_all();
	free(image);
	return bad;
}
