// SPDX-License-Identifier: MIT
/*
 * The bench program of kernels: images, launches, the grids of a case, and data that is
 * made and checked on the device.
 */
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_BLOCKS = 8, DATA_THREADS = 32, MAX_THREADS = 1024 };

const struct bench_case bench_cases[] = {
#define KERNEL(id, group, ...) { #id, kernel_##group },
#include "kernel_cases.def"
#undef KERNEL
	{ NULL, NULL },
};

enum grids { GRIDS_GRID, GRIDS_BLOCK, GRIDS_LANES };
/* In the order of bench_cases. */
static const struct {
	enum grids grids;
	const char *scopes;
} shapes[] = {
#define KERNEL(id, group, unit, sizes, grids, scopes, ...) { GRIDS_##grids, scopes },
#include "kernel_cases.def"
#undef KERNEL
};

int kernel_read(struct bench *b, void *to, const void *heap, size_t len)
{
	return mori_shmem_getmem_thread(to, heap, len, b->me, 0);
}

int kernel_write(struct bench *b, void *heap, const void *from, size_t len)
{
	return mori_shmem_putmem_thread(heap, from, len, b->me, 0);
}

static int launch(struct bench *b, mori_shmem_module_t *module, const char *name, unsigned blocks,
		  unsigned threads, void **args)
{
	uint64_t seen;
	int err = mori_shmem_kernel_launch(module, name, (unsigned[]){ blocks, 1, 1 },
					   (unsigned[]){ threads, 1, 1 }, 0, args, NULL);

	/* In the order of the device, so the launch has ended. */
	return err ? err : kernel_read(b, &seen, &b->kernel->words->ns, sizeof(seen));
}

int kernel_run(struct bench *b, mori_shmem_module_t *module, const char *name, const char *scope,
	       void **args)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s%s", name, scope ? "_" : "", scope ? scope : "");
	return launch(b, module, full, b->kernel->blocks, b->kernel->threads, args);
}

int kernel_timed(struct bench *b, const char *name, const char *scope, size_t iters, int clock)
{
	struct kernels *k = b->kernel;
	uint64_t len = b->len, n = iters, ns = 0, *at = &k->words->ns;
	void *args[] = { &b->dst, &b->src, &len, &k->word, &k->pe, &n, &k->base, &at };
	int err = kernel_run(b, k->own, name, scope, args);

	if (!err && clock)
		err = kernel_read(b, &ns, at, sizeof(ns));
	if (clock)
		b->clock_ns = (double)(ns ? ns : 1);
	return err;
}

int kernel_data(struct bench *b, mori_shmem_module_t *module, const char *name, void **args)
{
	return launch(b, module, name, DATA_BLOCKS, DATA_THREADS, args);
}

int kernel_fill(struct bench *b, void *buf, size_t len, int pe)
{
	uint64_t n = len, room = len + KERNEL_GUARD, seed = pe < 0 ? 0 : b->seed;
	void *args[] = { &buf, &n, &room, &seed, &pe };

	return kernel_data(b, b->kernel->data, "data_fill", args);
}

int kernel_wrong(struct bench *b, uint64_t *wrong)
{
	uint64_t more = 0, none = 0;
	int err = kernel_read(b, &more, &b->kernel->words->wrong, sizeof(more));

	*wrong += more;
	return err ? err : kernel_write(b, &b->kernel->words->wrong, &none, sizeof(none));
}

int kernel_check(struct bench *b, void *buf, size_t len, int pe, uint64_t *wrong)
{
	uint64_t n = len, room = len + KERNEL_GUARD, *count = &b->kernel->words->wrong;
	void *args[] = { &buf, &n, &room, &b->seed, &pe, &count };
	int err = kernel_spoil(b, buf, len ? len : KERNEL_GUARD);

	if (!err)
		err = kernel_data(b, b->kernel->data, "data_check", args);
	return err ? err : kernel_wrong(b, wrong);
}

int kernel_spoil(struct bench *b, void *buf, size_t len)
{
	char *at = (char *)buf + len / 2, byte = 0;
	int err = 0;

	if (!b->opt->spoil)
		return 0;
	err = kernel_read(b, &byte, at, 1);
	byte ^= 0x10;
	return err ? err : kernel_write(b, at, &byte, 1);
}

static void *read_image(const char *file, size_t *size)
{
	FILE *f = fopen(file, "re");
	char *data = NULL;
	long len;

	if (f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET)) {
		data = malloc((size_t)len + 1);
		*size = data ? fread(data, 1, (size_t)len, f) : 0;
		if (data)
			data[(*size)++] = 0; /* PTX is text that ends so; others do not mind */
	}
	if (f)
		fclose(f);
	return data;
}

static int load(struct bench *b, const char *name, mori_shmem_module_t **out)
{
	char file[4096];
	size_t size = 0;
	void *image;
	int err;

	snprintf(file, sizeof(file), "%s/%s.image", b->opt->kernels ? b->opt->kernels : ".", name);
	image = read_image(file, &size);
	if (!image) {
		fprintf(stderr, "mori-bench-kernels: cannot read %s\n", file);
		return -1;
	}
	err = mori_shmem_module_load(image, size, out);
	free(image);
	return err;
}

/* Images, and the symmetric words; every PE has loaded its own when it returns. */
static int open_kernels(struct bench *b, const char *data, const char *own)
{
	struct kernels *k = b->kernel;
	int err = load(b, data, &k->data);

	if (!err)
		err = load(b, own, &k->own);
	k->words = err ? NULL : mori_shmem_calloc(1, sizeof(*k->words));
	k->out = k->words ? mori_shmem_calloc(MAX_THREADS, sizeof(*k->out)) : NULL;
	k->word = k->words ? &k->words->word : NULL;
	k->pe = b->me ? 0 : b->n_pes > 1;
	return k->out ? 0 : -1;
}

static int close_kernels(struct bench *b)
{
	struct kernels *k = b->kernel;
	int err = mori_shmem_free(k->out) || mori_shmem_free(k->words);

	return mori_shmem_module_unload(k->own) || mori_shmem_module_unload(k->data) || err ? -1 :
											      0;
}

void kernel_grid(struct bench *b, unsigned blocks, unsigned threads)
{
	b->kernel->blocks = blocks;
	b->kernel->threads = threads;
	snprintf(b->grid, sizeof(b->grid), "%ux%u", blocks, threads);
}

static int row_of(struct bench *b, unsigned blocks, unsigned threads, kernel_row row)
{
	kernel_grid(b, blocks, threads);
	b->op.n = b->limit.n = b->plain.n = 0;
	return row(b);
}

/* Every grid that was asked for; of one block, no number of threads twice. */
static int scope_rows(struct bench *b, enum grids grids, kernel_row row)
{
	int one_block = grids != GRIDS_GRID, thread = !strcmp(b->scope, "thread");
	int err = one_block && thread ? row_of(b, 1, 1, row) : 0;
	unsigned last = thread;

	if (grids == GRIDS_BLOCK && thread)
		return err;
	for (const char *at = b->opt->grids; at && !err; at = strchr(at, ',')) {
		unsigned blocks = 0, threads = 0;

		at += *at == ',';
		if (sscanf(at, "%ux%u", &blocks, &threads) != 2 || !blocks || !threads ||
		    threads > MAX_THREADS) {
			fprintf(stderr, "mori-bench-kernels: no grid: \"%s\"\n", at);
			return -1;
		}
		if (one_block && threads == last)
			continue;
		last = threads;
		err = row_of(b, one_block ? 1 : blocks, threads, row);
	}
	return err;
}

int kernel_rows(struct bench *b, const char *data, const char *own, kernel_row row)
{
	struct kernels k = { .pe = 0 };
	size_t which = 0;
	char scope[16];
	int err;

	while (strcmp(bench_cases[which].name, b->opt->name))
		which++;
	b->kernel = &k;
	b->batch_ns = 1e6; /* a launch costs some microseconds */
	b->scope = scope;
	err = open_kernels(b, data, own);
	for (const char *at = shapes[which].scopes; *at && !err; at += *at == ',') {
		size_t len = strcspn(at, ",");

		snprintf(scope, sizeof(scope), "%.*s", (int)len, at);
		at += len;
		err = scope_rows(b, shapes[which].grids, row);
	}
	if (!err)
		err = close_kernels(b);
	b->scope = "-";
	return err;
}
