// SPDX-License-Identifier: MIT
/*
 * Runs example kernels, one after another, on every PE and checks what they did:
 *
 *	mori run -n N [--threads T] mori-kernels <name> <image>... [threads of a block]
 *
 * An image is what `mori cc` made of <name>.c, or of the LLVM IR or MLIR of the same
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

/* What the command line requests. */
struct work {
	const char *name;
	int (*run)(struct host *h);
	void *image;
	size_t size;
};

static struct work *works;
static int n_works;
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

static int run_work(const struct work *w)
{
	struct host h = { .kernel = w->name,
			  .threads = block_threads,
			  .me = mori_shmem_my_pe(),
			  .n_pes = mori_shmem_n_pes() };
	int err = mori_shmem_module_load(w->image, w->size, &h.module);

	if (!err)
		err = mori_shmem_barrier_all(); /* loaded on every PE before anything runs */
	if (!err)
		err = w->run(&h);
	if (err > 0)
		fprintf(stderr, "PE %d: %s: %d wrong\n", h.me, w->name, err);
	return err ? err : mori_shmem_module_unload(h.module);
}

static int run(void)
{
	int err = mori_shmem_init();

	for (int i = 0; !err && i < n_works; i++)
		err = run_work(&works[i]);
	if (!err)
		err = mori_shmem_finalize();
	if (err < 0)
		fprintf(stderr, "mori-kernels: %s: %s\n", mori_shmem_strerror(err),
			mori_shmem_last_error());
	return err;
}

static void *run_thread(void *arg)
{
	return run() ? arg : NULL;
}

/* As many PEs as `mori run --threads` gives this process. */
static int run_all(void)
{
	const char *text = getenv("MORI_THREADS");
	int n = text ? atoi(text) : 1, bad = 0;
	pthread_t *threads = calloc((size_t)n, sizeof(*threads));
	void *result;

	for (int i = 0; threads && i < n; i++)
		bad |= pthread_create(&threads[i], NULL, run_thread, threads);
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

static int usage(void)
{
	fputs("usage: mori-kernels <name> <image>... [threads of a block]\nnames:", stderr);
	for (size_t i = 0; i < N_EXAMPLES; i++)
		fprintf(stderr, " %s", examples[i].name);
	fputc('\n', stderr);
	return 2;
}

/* 0, or the exit code. */
static int read_work(struct work *w, const char *name, const char *file)
{
	w->name = name;
	for (size_t i = 0; i < N_EXAMPLES; i++) {
		if (!strcmp(name, examples[i].name))
			w->run = examples[i].run;
	}
	if (!w->run) {
		fprintf(stderr, "mori-kernels: there is no example %s\n", name);
		return usage();
	}
	w->image = read_file(file, &w->size);
	if (!w->image)
		perror(file);
	return !w->image;
}

int main(int argc, char **argv)
{
	int bad = 0;

	if (argc % 2 == 0)
		block_threads = (unsigned)strtoul(argv[argc - 1], NULL, 10);
	if (argc < 3 || !block_threads)
		return usage();
	works = calloc((size_t)argc / 2, sizeof(*works));
	for (; works && !bad && 2 * n_works + 2 < argc; n_works++)
		bad = read_work(&works[n_works], argv[1 + 2 * n_works], argv[2 + 2 * n_works]);
	if (!bad)
		bad = !works || run_all();
	for (int i = 0; works && i < n_works; i++)
		free(works[i].image);
	free(works);
	return bad;
}
