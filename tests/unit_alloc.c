// SPDX-License-Identifier: MIT
/*
 * The heap's allocation records: directed cases, then a long random run against a model that keeps
 * the owner of each unit. Where alignment plays no part the model predicts the offset, else only
 * whether there is one.
 */
#include "core/alloc.h"
#include "test.h"

#include <mori/shmem_types.h>

#define GIB (1ull << 30)

static uint64_t take(struct alloc *a, uint64_t len, uint64_t align)
{
	struct alloc_block b = { 7, 7 };

	CHECK_EQ("take", alloc_take(a, len, align, &b), 0);
	CHECK_EQ("aligned", b.off & (align - 1), 0);
	CHECK("long enough" && b.len >= len);
	return b.off;
}

static void check_info(struct alloc *a, uint64_t size, uint64_t used, uint64_t largest,
		       uint64_t peak, uint64_t blocks)
{
	struct alloc_info i;

	alloc_get_info(a, &i);
	CHECK_EQ("size", i.size, size);
	CHECK_EQ("used", i.used, used);
	CHECK_EQ("largest_free", i.largest_free, largest);
	CHECK_EQ("peak", i.peak, peak);
	CHECK_EQ("blocks", i.blocks, blocks);
}

static void test_open(void)
{
	struct alloc_block b = { 7, 7 };
	struct alloc *a = NULL;

	CHECK_EQ("unit 0", alloc_open(1024, 0, &a), MORI_SHMEM_EINVAL);
	CHECK_EQ("unit 3", alloc_open(1024, 3, &a), MORI_SHMEM_EINVAL);
	CHECK_EQ("size and unit", alloc_open(1000, 256, &a), MORI_SHMEM_EINVAL);
	CHECK(!a);
	CHECK_EQ("empty", alloc_open(0, 256, &a), 0);
	CHECK_EQ("take of nothing", alloc_take(a, 1, 1, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("find in nothing", alloc_find(a, 0, &b), 0);
	CHECK_EQ("give of nothing", alloc_give(a, 0), MORI_SHMEM_ENOENT);
	CHECK_EQ("top of nothing", alloc_top(a), 0);
	CHECK_EQ("outputs untouched", b.off + b.len, 14);
	check_info(a, 0, 0, 0, 0, 0);
	CHECK_EQ("grow", alloc_resize(a, 512), 0);
	check_info(a, 512, 0, 512, 0, 0);
	alloc_close(a);
	alloc_close(NULL);
}

static void test_take_give(void)
{
	struct alloc_block b = { 7, 7 };
	struct alloc *a;

	CHECK_EQ("open", alloc_open(4096, 256, &a), 0);
	CHECK_EQ("0 bytes", alloc_take(a, 0, 1, &b), MORI_SHMEM_EINVAL);
	CHECK_EQ("align 0", alloc_take(a, 1, 0, &b), MORI_SHMEM_EINVAL);
	CHECK_EQ("align 3", alloc_take(a, 1, 3, &b), MORI_SHMEM_EINVAL);
	CHECK_EQ("too long", alloc_take(a, 4097, 1, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("far too long", alloc_take(a, UINT64_MAX, 1, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("first", take(a, 1, 1), 0);
	CHECK_EQ("second", take(a, 257, 1), 256);
	CHECK_EQ("third", take(a, 256, 1), 768);
	check_info(a, 4096, 1024, 3072, 1024, 3);
	CHECK_EQ("find first byte", alloc_find(a, 256, &b), 1);
	CHECK_EQ("its offset", b.off, 256);
	CHECK_EQ("its length", b.len, 512);
	CHECK_EQ("find last byte", alloc_find(a, 767, &b), 1);
	CHECK_EQ("its offset", b.off, 256);
	CHECK_EQ("find next", alloc_find(a, 768, &b), 1);
	CHECK_EQ("its offset", b.off, 768);
	CHECK_EQ("find free", alloc_find(a, 1024, &b), 0);
	CHECK_EQ("find beyond", alloc_find(a, 1ull << 63, &b), 0);
	CHECK_EQ("give inside", alloc_give(a, 512), MORI_SHMEM_ENOENT);
	CHECK_EQ("give inside", alloc_give(a, 257), MORI_SHMEM_ENOENT);
	CHECK_EQ("give free", alloc_give(a, 1024), MORI_SHMEM_ENOENT);
	CHECK_EQ("give beyond", alloc_give(a, 4096), MORI_SHMEM_ENOENT);
	check_info(a, 4096, 1024, 3072, 1024, 3);
	CHECK_EQ("give", alloc_give(a, 256), 0);
	CHECK_EQ("give twice", alloc_give(a, 256), MORI_SHMEM_ENOENT);
	CHECK_EQ("find given", alloc_find(a, 300, &b), 0);
	check_info(a, 4096, 512, 3072, 1024, 2);
	/* The short hole is taken first, from its start. */
	CHECK_EQ("best fit", take(a, 256, 1), 256);
	CHECK_EQ("best fit", take(a, 256, 1), 512);
	CHECK_EQ("then the rest", take(a, 300, 1), 1024);
	alloc_close(a);
}

static void test_coalesce(void)
{
	static const int order[][3] = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 },
					{ 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } };
	struct alloc *a;

	for (size_t i = 0; i < TEST_LEN(order); i++) {
		CHECK_EQ("open", alloc_open(5 * 64, 64, &a), 0);
		for (uint64_t k = 0; k < 5; k++)
			CHECK_EQ("take", take(a, 64, 64), k * 64);
		check_info(a, 320, 320, 0, 320, 5);
		for (int k = 0; k < 3; k++)
			CHECK_EQ("give", alloc_give(a, order[i][k] * 64ull), 0);
		check_info(a, 320, 128, 192, 320, 2);
		CHECK_EQ("one hole", take(a, 192, 64), 64);
		CHECK_EQ("give", alloc_give(a, 64), 0);
		CHECK_EQ("give", alloc_give(a, 0), 0);
		CHECK_EQ("give", alloc_give(a, 256), 0);
		check_info(a, 320, 0, 320, 320, 0);
		alloc_close(a);
	}
}

static void test_align(void)
{
	struct alloc_block b;
	struct alloc *a;

	CHECK_EQ("open", alloc_open(8 * GIB, 256, &a), 0);
	CHECK_EQ("one", take(a, 1, 1), 0);
	for (uint64_t align = 1; align <= GIB; align *= 2) {
		uint64_t off = take(a, 1000, align), low = align < 256 ? 256 : align;

		CHECK_EQ("lowest aligned", off, low);
		CHECK_EQ("give", alloc_give(a, off), 0);
	}
	CHECK_EQ("4 GiB behind the byte", take(a, 4 * GIB, GIB), GIB);
	CHECK_EQ("below it", take(a, 256, 512 << 20), 512 << 20);
	CHECK_EQ("above it", take(a, GIB, GIB), 5 * GIB);
	CHECK_EQ("no room", alloc_take(a, 2 * GIB, 2 * GIB, &b), 0);
	CHECK_EQ("at", b.off, 6 * GIB);
	CHECK_EQ("no room", alloc_take(a, 1, 2 * GIB, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("huge alignment", alloc_take(a, 1, 1ull << 63, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("give", alloc_give(a, 0), 0);
	CHECK_EQ("offset 0 is aligned to all", take(a, 1, 1ull << 63), 0);
	alloc_close(a);
}

/* Many holes that are long enough but lie wrong must not hide one that fits. */
static void test_misaligned_holes(void)
{
	const uint64_t unit = 64, n = 200, align = 4 * unit;
	struct alloc_block b;
	struct alloc *a;

	CHECK_EQ("open", alloc_open(n * align + align, unit, &a), 0);
	for (uint64_t i = 0; i < n; i++) { /* in use: the first unit of each group of four */
		CHECK_EQ("group", take(a, unit, align), i * align);
		CHECK_EQ("rest of it", take(a, 3 * unit, unit), i * align + unit);
	}
	for (uint64_t i = 0; i < n; i++)
		CHECK_EQ("give", alloc_give(a, i * align + unit), 0);
	CHECK_EQ("the last group", take(a, 3 * unit, align), n * align);
	CHECK_EQ("none left", alloc_take(a, unit, align, &b), MORI_SHMEM_ENOMEM);
	CHECK_EQ("give", alloc_give(a, 150 * align), 0);
	CHECK_EQ("seven units, one start", take(a, 4 * unit, align), 150 * align);
	alloc_close(a);
}

static void test_resize(void)
{
	struct alloc *a;

	CHECK_EQ("open", alloc_open(1024, 256, &a), 0);
	CHECK_EQ("not a unit", alloc_resize(a, 1000), MORI_SHMEM_EINVAL);
	CHECK_EQ("top", alloc_top(a), 0);
	CHECK_EQ("take", take(a, 512, 1), 0);
	CHECK_EQ("top", alloc_top(a), 512);
	CHECK_EQ("below a block", alloc_resize(a, 256), MORI_SHMEM_EINVAL);
	CHECK_EQ("to the block", alloc_resize(a, 512), 0);
	check_info(a, 512, 512, 0, 512, 1);
	CHECK_EQ("top", alloc_top(a), 512);
	CHECK_EQ("same", alloc_resize(a, 512), 0);
	CHECK_EQ("grow behind a block", alloc_resize(a, 1024), 0);
	check_info(a, 1024, 512, 512, 512, 1);
	CHECK_EQ("grow the free end", alloc_resize(a, 4096), 0);
	check_info(a, 4096, 512, 3584, 512, 1);
	CHECK_EQ("take", take(a, 3584, 1), 512);
	CHECK_EQ("without the last", alloc_top_without(a, 512), 512);
	CHECK_EQ("without the first", alloc_top_without(a, 0), 4096);
	CHECK_EQ("give", alloc_give(a, 0), 0);
	CHECK_EQ("without the last and before it nothing", alloc_top_without(a, 512), 0);
	CHECK_EQ("top", alloc_top(a), 4096);
	CHECK_EQ("below a block", alloc_resize(a, 3840), MORI_SHMEM_EINVAL);
	CHECK_EQ("give", alloc_give(a, 512), 0);
	CHECK_EQ("to nothing", alloc_resize(a, 0), 0);
	check_info(a, 0, 0, 0, 4096, 0);
	CHECK_EQ("and back", alloc_resize(a, 256), 0);
	CHECK_EQ("take", take(a, 1, 1), 0);
	alloc_close(a);
}

/* The model: the owner of each unit (0: none), and the length of a block at its start. */
#define MODEL_MAX 512
static int owner[MODEL_MAX];
static uint64_t model_size;

static uint64_t rng_state = 1;

static uint64_t rng(uint64_t below)
{
	rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
	return (rng_state >> 33) % below;
}

/* Best fit over the runs of free units; -1 if none. All in units. */
static int64_t model_fit(uint64_t len, uint64_t align)
{
	uint64_t best_run = UINT64_MAX;
	int64_t best = -1;

	for (uint64_t i = 0, run; i < model_size; i += run + 1) {
		uint64_t at = (i + align - 1) & ~(align - 1);

		for (run = 0; i + run < model_size && !owner[i + run]; run++)
			;
		if (run && at + len <= i + run && run < best_run) {
			best_run = run;
			best = (int64_t)at;
		}
	}
	return best;
}

static void model_check(struct alloc *a, uint64_t unit, uint64_t peak)
{
	uint64_t used = 0, blocks = 0, largest = 0, run = 0, top = 0;

	for (uint64_t i = 0; i < model_size; i++) {
		struct alloc_block b;
		int found = alloc_find(a, i * unit + unit - 1, &b);

		CHECK_EQ("find", found, owner[i] != 0);
		if (found)
			CHECK_EQ("same block", owner[b.off / unit], owner[i]);
		run = owner[i] ? 0 : run + 1;
		largest = run > largest ? run : largest;
		used += owner[i] != 0;
		blocks += owner[i] && (!i || owner[i - 1] != owner[i]);
		top = owner[i] ? i + 1 : top;
	}
	check_info(a, model_size * unit, used * unit, largest * unit, peak * unit, blocks);
	CHECK_EQ("top", alloc_top(a), top * unit);
}

static void model_take(uint64_t at, uint64_t len, int who)
{
	for (uint64_t i = at; i < at + len && CHECK(i < model_size); i++) {
		CHECK_EQ("was free", owner[i], 0);
		owner[i] = who;
	}
}

static void model_give(struct alloc *a, uint64_t unit)
{
	uint64_t at = rng(MODEL_MAX);
	int who = at < model_size ? owner[at] : 0;
	int start = who && (!at || owner[at - 1] != who);

	CHECK_EQ("give", alloc_give(a, at * unit), start ? 0 : MORI_SHMEM_ENOENT);
	for (uint64_t i = at; start && i < model_size && owner[i] == who; i++)
		owner[i] = 0;
}

static void model_resize(struct alloc *a, uint64_t unit)
{
	uint64_t size = rng(MODEL_MAX + 1);
	int good = size >= alloc_top(a) / unit;

	CHECK_EQ("resize", alloc_resize(a, size * unit), good ? 0 : MORI_SHMEM_EINVAL);
	for (uint64_t i = model_size; good && i < size; i++)
		owner[i] = 0;
	model_size = good ? size : model_size;
}

/* @limit: longest block, in units; small ones make many holes. */
static void test_random(uint64_t unit, uint64_t limit, int steps)
{
	uint64_t used = 0, peak = 0;
	struct alloc *a;
	int ids = 0;

	model_size = MODEL_MAX;
	memset(owner, 0, sizeof(owner));
	CHECK_EQ("open", alloc_open(MODEL_MAX * unit, unit, &a), 0);
	for (int s = 0; s < steps; s++) {
		uint64_t len = 1 + rng(limit), align = 1ull << rng(6);
		struct alloc_block b = { 0, 0 };
		int64_t want = -1;

		if (rng(100) < 55) {
			want = model_fit(len, align);
			CHECK_EQ("take", alloc_take(a, len * unit - rng(unit), align * unit, &b),
				 want < 0 ? MORI_SHMEM_ENOMEM : 0);
		} else if (rng(20)) {
			model_give(a, unit);
		} else {
			model_resize(a, unit);
		}
		if (want >= 0) {
			CHECK_EQ("length", b.len, len * unit);
			CHECK_EQ("aligned", b.off % (align * unit), 0);
			if (align == 1)
				CHECK_EQ("offset", b.off, (uint64_t)want * unit);
			model_take(b.off / unit, len, ++ids);
		}
		used = 0;
		for (uint64_t i = 0; i < model_size; i++)
			used += owner[i] != 0;
		peak = used > peak ? used : peak;
		if (s % 16 == 0)
			model_check(a, unit, peak);
	}
	alloc_close(a);
}

/* A hundred thousand blocks: a list would take minutes. */
static void test_many(void)
{
	const uint64_t n = TEST_SCALE(200000);
	struct alloc *a;

	CHECK_EQ("open", alloc_open(n * 256, 256, &a), 0);
	for (uint64_t i = 0; i < n; i++)
		CHECK_EQ("take", take(a, 256, 256), i * 256);
	for (uint64_t i = 0; i < n; i += 2)
		CHECK_EQ("give", alloc_give(a, i * 256), 0);
	check_info(a, n * 256, n / 2 * 256, 256, n * 256, n / 2);
	for (uint64_t i = 0; i < n; i += 2)
		CHECK_EQ("take", take(a, 1, 512), i * 256);
	for (uint64_t i = 0; i < n; i++)
		CHECK_EQ("give", alloc_give(a, (i * 7919 + 13) % n * 256), 0);
	check_info(a, n * 256, 0, n * 256, n * 256, 0);
	alloc_close(a);
}

int main(void)
{
	test_deadline(120);
	test_open();
	test_take_give();
	test_coalesce();
	test_align();
	test_misaligned_holes();
	test_resize();
	test_random(256, 4, TEST_SCALE(100000));
	test_random(64, 40, TEST_SCALE(100000));
	test_random(1, 9, TEST_SCALE(50000));
	test_many();
	return test_result();
}
