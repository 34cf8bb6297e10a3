// SPDX-License-Identifier: MIT
/*
 * The bench program of kernels: images, launches, the grids of a case, and data that is
 * made and checked on the device.
 */
#include "gpu.h"
#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>

const struct bench_case bench_cases[] = {
#define KERNEL(id, group, ...) { #id, kernel_##group },
#include "kernel_cases.def"
#undef KERNEL
	{ NULL, NULL },
};

enum grids { GRIDS_GRID, GRIDS_BLOCK, GRIDS_LANES, GRIDS_NONE };
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
	return api_get(to, heap, len, b->me);
}

int kernel_write(struct bench *b, void *heap, const void *from, size_t len)
{
	return api_put(heap, from, len, b->me);
}

int kernel_run(struct bench *b, api_module module, const char *name, const char *scope, void **args)
{
	char full[64];

	snprintf(full, sizeof(full), "%s%s%s", name, scope ? "_" : "", scope ? scope : "");
	return api_launch(module, full, b->kernel->blocks, b->kernel->threads, args, NULL);
}

int kernel_start(struct bench *b, api_module module, const char *name, void **args)
{
	return api_launch(module, name, b->kernel->blocks, b->kernel->threads, args,
			  b->kernel->stream);
}

int kernel_wait(struct bench *b)
{
	return b->kernel->stream ? gpu_stream_wait(b->kernel->stream) : 0;
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

/* Enough threads for a GPU; on the CPU each of them costs time. */
int kernel_data(struct bench *b, api_module module, const char *name, void **args)
{
	return kernel_on_cpu(b) ? api_launch(module, name, 8, 32, args, NULL) :
				  api_launch(module, name, 64, 512, args, NULL);
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
			data[(*size)++] = 0; /* PTX is text that ends so; other images ignore it */
	}
	if (f)
		fclose(f);
	return data;
}

/* A peer's kernels are part of its program. */
static int load(struct bench *b, const char *name, api_module *out)
{
	char file[4096];
	size_t size = 0;
	void *image;
	int err;

	if (API_IS_PEER)
		return api_module_load(NULL, 0, out);
	snprintf(file, sizeof(file), "%s/%s.image", b->opt->kernels ? b->opt->kernels : ".", name);
	image = read_image(file, &size);
	if (!image) {
		fprintf(stderr, "mori-bench-kernels: cannot read %s\n", file);
		return -1;
	}
	err = api_module_load(image, size, out);
	free(image);
	return err;
}

/* Images, and the symmetric words; when it returns every PE has loaded its own. */
static int open_kernels(struct bench *b, const char *data, const char *own)
{
	struct kernels *k = b->kernel;
	int err = load(b, data, &k->data);

	if (!err)
		err = load(b, own, &k->own);
	if (!err && !kernel_on_cpu(b))
		err = (k->stream = gpu_stream_open()) ? 0 : -1;
	k->words = err ? NULL : api_calloc(1, sizeof(*k->words));
	k->out = k->words ? api_calloc(KERNEL_OUT, sizeof(*k->out)) : NULL;
	k->word = k->words ? &k->words->word : NULL;
	k->pe = b->me ? 0 : b->n_pes > 1;
	return k->out ? 0 : -1;
}

static int close_kernels(struct bench *b)
{
	struct kernels *k = b->kernel;
	int err = api_free(k->out) || api_free(k->words);

	if (k->stream)
		err |= gpu_stream_close(k->stream);
	return api_module_unload(k->own) || api_module_unload(k->data) || err ? -1 : 0;
}

int bench_begin(const struct bench_options *opt)
{
	return opt->device && !strcmp(opt->device, "cuda") ? gpu_begin() : 0;
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

/*
 * "8x128"; on a GPU also "Sx128", the blocks that fill the PE's share, or "Gx128", those that fill
 * all of it.
 */
static int parse_grid(const struct bench *b, const char *at, unsigned *blocks, unsigned *threads)
{
	unsigned units = *at == 'S' || *at == 'G' ? gpu_units() : 0;

	*blocks = units;
	if (*at == 'S' && b->opt->threads > 1)
		*blocks = units / (unsigned)b->opt->threads;
	if (sscanf(at, units ? "%*cx%u" : "%ux%u", units ? threads : blocks, threads) ==
		    (units ? 1 : 2) &&
	    *blocks && *threads && *threads <= KERNEL_OUT)
		return 0;
	fprintf(stderr, "mori-bench-kernels: no grid: \"%s\"\n", at);
	return -1;
}

/* Every requested grid; of one block, no number of threads twice. */
static int scope_rows(struct bench *b, enum grids grids, kernel_row row)
{
	int one_block = grids != GRIDS_GRID, thread = !strcmp(b->scope, "thread");
	int err = one_block && thread ? row_of(b, 1, 1, row) : 0;
	unsigned last = thread;

	if (grids == GRIDS_NONE) {
		err = row_of(b, 1, 1, row);
		snprintf(b->grid, sizeof(b->grid), "-");
		return err;
	}
	if (grids == GRIDS_BLOCK && thread)
		return err;
	for (const char *at = b->opt->grids; at && !err; at = strchr(at, ',')) {
		unsigned blocks = 0, threads = 0;

		at += *at == ',';
		if (parse_grid(b, at, &blocks, &threads))
			return -1;
		if (one_block && threads == last)
			continue;
		last = threads;
		err = row_of(b, one_block ? 1 : blocks, threads, row);
	}
	return err;
}

int kernel_rows(struct bench *b, const char *data, const char *own, kernel_row row)
{
	size_t which = 0;
	char scope[16];
	int err = 0;

	while (strcmp(bench_cases[which].name, b->opt->name))
		which++;
	b->batch_ns = 1e6; /* a launch costs some microseconds */
	b->scope = scope;
	if (!b->kernel) { /* the first size */
		b->kernel = calloc(1, sizeof(*b->kernel));
		err = b->kernel ? open_kernels(b, data, own) : -1;
	}
	for (const char *at = shapes[which].scopes; *at && !err; at += *at == ',') {
		size_t len = strcspn(at, ",");

		snprintf(scope, sizeof(scope), "%.*s", (int)len, at);
		at += len;
		err = scope_rows(b, shapes[which].grids, row);
	}
	if (!err && b->last)
		err = close_kernels(b);
	if (b->last)
		free(b->kernel);
	b->scope = "-";
	return err;
}
