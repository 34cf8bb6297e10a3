// SPDX-License-Identifier: MIT
/*
 * The steps with kernels. `mori cc` has made two images of device/kernels.c, which lie beside
 * this program: one for PEs on the CPU, one for NVIDIA GPUs. The host's side is the same for
 * both: load, launch, and look at what has come into the heap.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tour.h"

/* Why the build has made no images, in words; empty if it has. */
#ifndef TOUR_NO_KERNELS
#define TOUR_NO_KERNELS ""
#endif

#define REPEAT	11    /* the middle one of so many launches is shown */
#define WORDS	4096  /* of a message; 32 KiB */
#define NUMBERS 16384 /* of an all-reduce; 64 KiB */

/* What a device wants: how its image is called, and a grid of its size. */
static const struct kind {
	const char *device, *ending;
	unsigned blocks, threads;
} kinds[] = {
	{ "cpu", "so", 3, 8 },
	{ "cuda", "ptx", 8, 128 },
};

static const struct kind *kind_of(const char *device)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(device, kinds[i].device))
			return &kinds[i];
	}
	return NULL;
}

/* A whole file, or NULL. */
static void *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	void *data = NULL;
	long len = 0;

	if (f && !fseek(f, 0, SEEK_END) && (len = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET))
		data = malloc((size_t)len);
	if (data && fread(data, 1, (size_t)len, f) != (size_t)len) {
		free(data);
		data = NULL;
	}
	if (f)
		fclose(f);
	*size = (size_t)len;
	return data;
}

/* The image for this PE; NULL and the reason why there is none. */
static void *find_image(const struct tour *t, size_t *size, char *why, size_t room)
{
	const struct kind *kind = kind_of(t->device);
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(".ptx"));
	void *image;

	if (!kind || n < 0) {
		snprintf(why, room, "the tour has no kernels for the device %s", t->device);
		return NULL;
	}
	sprintf(path + n, ".%s", kind->ending);
	image = read_file(path, size);
	if (image)
		return image;
	if (*TOUR_NO_KERNELS)
		snprintf(why, room, "%s.\n  Install that and build again", TOUR_NO_KERNELS);
	else
		snprintf(why, room, "%.200s is not there; `make` builds it", path);
	return NULL;
}

/* Whether every PE says yes. */
static int all_agree(const struct tour *t, int yes)
{
	uint64_t *count = must_have(mori_shmem_calloc(1, sizeof(*count)), "calloc"), sum;

	if (yes)
		must(mori_shmem_uint64_atomic_add_thread(count, 1, 0, 0), "atomic_add");
	must(mori_shmem_barrier_all(), "barrier_all");
	sum = mori_shmem_uint64_g(count, 0, 0);
	must(mori_shmem_check(NULL), "uint64_g");
	must(mori_shmem_free(count), "free");
	return sum == (uint64_t)t->n;
}

int kernels_open(struct tour *t)
{
	char why[512] = "another PE has no kernels";
	size_t size = 0;
	void *image = find_image(t, &size, why, sizeof(why));

	t->kernels_left_out = !all_agree(t, image != NULL);
	if (t->kernels_left_out)
		show_left_out(t, why);
	else
		must(mori_shmem_module_load(image, size, &t->module), "module_load");
	free(image);
	must(mori_shmem_barrier_all(), "barrier_all"); /* loaded everywhere before anything runs */
	return !t->kernels_left_out;
}

void kernels_close(struct tour *t)
{
	must(mori_shmem_module_unload(t->module), "module_unload");
	t->module = NULL;
}

/* Launch on every PE at the same time; how long it took here. */
static double launch(const struct tour *t, const char *kernel, void **args)
{
	const struct kind *kind = kind_of(t->device);
	const unsigned grid[3] = { kind->blocks, 1, 1 }, block[3] = { kind->threads, 1, 1 };
	uint64_t t0;

	must(mori_shmem_barrier_all(), "barrier_all"); /* what it reads is there on every PE */
	t0 = mori_clock_ns();
	must(mori_shmem_kernel_launch(t->module, kernel, grid, block, 0, args, NULL), kernel);
	return mori_clock_ns() - t0;
}

/* The same for both steps: what was launched, where, and its time. */
static void tell(const struct tour *t, struct result *r, double *ns)
{
	const struct kind *kind = kind_of(t->device);

	r->ns = median(ns, REPEAT);
	snprintf(r->grid, sizeof(r->grid), "a launch of %u blocks x %u threads on %s", kind->blocks,
		 kind->threads, t->device);
	r->unit = r->grid;
}

static uint64_t word_of(int pe, uint64_t i, int round)
{
	return ((uint64_t)(pe + 1) << 40) + ((uint64_t)round << 32) + i * 2654435761u % 1000003;
}

void step_kernel_ring(struct tour *t, struct result *r)
{
	uint64_t n = WORDS, size = WORDS * sizeof(uint64_t), before = 0;
	uint64_t *all = must_have(mori_shmem_calloc(t->n, size), "calloc");
	uint64_t *bells =
		must_have(mori_shmem_calloc(kind_of(t->device)->blocks, sizeof(*bells)), "calloc");
	uint64_t *words = must_have(malloc(size * t->n), "malloc");
	void *args[] = { &all, &n, &bells, &before };
	double ns[REPEAT];

	for (int round = 0; round < REPEAT; round++) {
		for (uint64_t i = 0; i < n; i++)
			words[i] = word_of(t->me, i, round);
		to_heap(t, all + n * t->me, words, size);
		ns[round] = launch(t, "tour_ring", args);
		before += t->n - 1;
		from_heap(t, words, all, size * t->n);
		for (uint64_t i = 0; i < n * t->n; i++)
			r->bad += words[i] != word_of((int)(i / n), i % n, round);
	}
	r->title = "kernel: ring";
	r->how = "mori_shmem_put_uint64_signal_block, mori_shmem_uint64_wait_until_block";
	snprintf(r->what, sizeof(r->what),
		 "Kernels pass messages of 32 KiB round a ring, until every PE has all %d.", t->n);
	tell(t, r, ns);

	free(words);
	must(mori_shmem_free(bells), "free");
	must(mori_shmem_free(all), "free");
}

/* Whole numbers, so that the sum does not depend on the order of adding. */
static float number_of(int pe, uint64_t i, int round)
{
	return (float)((i * 31 + (uint64_t)pe * 101 + (uint64_t)round * 17) % 509) - 250;
}

static uint64_t wrong_sums(const struct tour *t, const float *sums, int round)
{
	uint64_t bad = 0;

	for (uint64_t i = 0; i < NUMBERS; i++) {
		float want = 0;

		for (int pe = 0; pe < t->n; pe++)
			want += number_of(pe, i, round);
		bad += sums[i] != want;
	}
	return bad;
}

void step_kernel_reduce(struct tour *t, struct result *r)
{
	uint64_t n = NUMBERS, size = NUMBERS * sizeof(float), before = 0;
	float *out = must_have(mori_shmem_calloc(1, size), "calloc");
	float *in = must_have(mori_shmem_calloc(1, size), "calloc");
	float *got = must_have(mori_shmem_calloc(1, size), "calloc");
	uint64_t *bells =
		must_have(mori_shmem_calloc(kind_of(t->device)->blocks, sizeof(*bells)), "calloc");
	float *numbers = must_have(malloc(size), "malloc");
	void *args[] = { &out, &in, &got, &n, &bells, &before };
	double ns[REPEAT];

	for (int round = 0; round < REPEAT; round++) {
		for (uint64_t i = 0; i < n; i++)
			numbers[i] = number_of(t->me, i, round);
		to_heap(t, in, numbers, size);
		ns[round] = launch(t, "tour_reduce", args);
		before += t->n - 1;
		from_heap(t, numbers, out, size);
		r->bad += wrong_sums(t, numbers, round);
	}
	r->title = "kernel: all-reduce";
	r->how = "mori_shmem_get_float_block, mori_shmem_put_float_signal_block, "
		 "..._wait_until_block";
	snprintf(r->what, sizeof(r->what),
		 "Kernels add up %d floats of each PE; the sum is compared on every PE.", NUMBERS);
	tell(t, r, ns);

	free(numbers);
	must(mori_shmem_free(bells), "free");
	must(mori_shmem_free(got), "free");
	must(mori_shmem_free(in), "free");
	must(mori_shmem_free(out), "free");
}
