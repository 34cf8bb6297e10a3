// SPDX-License-Identifier: MIT
/*
 * A grid on the CPU is real: every thread runs once and knows its position, a block synchronises
 * and has memory of its own, warp and block calls act once, and threads that have returned do not
 * block the others.
 */
/* TEST: pes=2 modes=procs,threads net=procs,threads,nodes */
#include "kern.h"

static void check_ids(mori_shmem_module_t *m, const unsigned grid[3], const unsigned block[3])
{
	unsigned threads = block[0] * block[1] * block[2],
		 n = grid[0] * grid[1] * grid[2] * threads;
	uint64_t *out = calloc(n, 128);
	void *args[] = { &out };
	unsigned warp = threads < 32 ? threads : 32, wrong = 0;

	CHECK_OK(mori_shmem_kernel_launch(m, "ids", grid, block, 0, args, NULL));
	for (unsigned i = 0; i < n; i++) {
		unsigned b = i / threads, t = i % threads;
		uint64_t want[13] = { 1,
				      t % block[0],
				      t / block[0] % block[1],
				      t / block[0] / block[1],
				      b % grid[0],
				      b / grid[0] % grid[1],
				      b / grid[0] / grid[1],
				      block[0] | (uint64_t)block[1] << 20 |
					      (uint64_t)block[2] << 40,
				      grid[0] | (uint64_t)grid[1] << 20 | (uint64_t)grid[2] << 40,
				      t % 32,
				      warp,
				      (uint64_t)me,
				      (uint64_t)n_pes };

		wrong += memcmp(out + (size_t)i * 16, want, sizeof(want)) != 0;
	}
	CHECK_EQ("threads with wrong ids", wrong, 0);
	free(out);
}

static void ids(mori_shmem_module_t *m)
{
	static const unsigned sizes[][2][3] = {
		{ { 1, 1, 1 }, { 1, 1, 1 } },  { { 3, 1, 1 }, { 33, 1, 1 } },
		{ { 4, 3, 1 }, { 5, 7, 1 } },  { { 2, 3, 4 }, { 3, 4, 5 } },
		{ { 1, 1, 5 }, { 1, 1, 32 } }, { { 1, 2, 1 }, { 16, 8, 1 } },
	};

	for (size_t i = 0; i < TEST_LEN(sizes); i++)
		check_ids(m, sizes[i][0], sizes[i][1]);
	if (!KERN_SMALL)
		check_ids(m, (const unsigned[]){ 2, 1, 1 }, (const unsigned[]){ 4, 16, 16 });
}

static void reduce(mori_shmem_module_t *m, unsigned blocks, unsigned threads)
{
	uint64_t rounds = 7, bad = 0, *faults = &bad;
	uint64_t *in = calloc((size_t)blocks * threads, 8), *out = calloc(blocks, 8);

	for (size_t i = 0; i < (size_t)blocks * threads; i++)
		in[i] = i * 2654435761u + (uint64_t)me;
	CHECK_OK(RUN_KERNEL(m, "reduce", blocks, threads, &in, &out, &rounds, &faults));
	CHECK_EQ("memory of another block", bad, 0);
	for (unsigned b = 0; b < blocks; b++) {
		uint64_t sum = threads * (rounds * (rounds - 1) / 2);

		for (unsigned t = 0; t < threads; t++)
			sum += rounds * in[(size_t)b * threads + t];
		CHECK_EQ("sum of a block", out[b], sum);
	}
	free(in);
	free(out);
}

/* Every warp and block acts once, also a last warp that is short. */
static void together(mori_shmem_module_t *m, uint64_t *word, unsigned blocks, unsigned threads)
{
	unsigned warps = (threads + 31) / 32, n = blocks * threads, wrong = 0;
	uint64_t *out = calloc(n, 8), sum = 0;

	*word = 0;
	CHECK_OK(RUN_KERNEL(m, "warps", blocks, threads, &word, &out, &me));
	CHECK_EQ("each warp adds twice", *word, 2ull * warps * blocks);
	for (unsigned i = 0; i < n; i++) {
		unsigned first = i / threads * threads + i % threads / 32 * 32;

		wrong += out[i] != out[first];
		if (i == first)
			sum += (out[i] & 0xffffffff) + (out[i] >> 32);
	}
	CHECK_EQ("lanes that differ", wrong, 0);
	CHECK_EQ("no number twice", sum, (2ull * warps * blocks - 1) * warps * blocks);
	*word = 5;
	CHECK_OK(RUN_KERNEL(m, "blocks", blocks, threads, &word, &out, &me));
	CHECK_EQ("each block adds once", *word, 5 + blocks);
	for (unsigned i = 0; i < n; i++)
		wrong += out[i] != out[i / threads * threads] || out[i] - 5 >= blocks;
	CHECK_EQ("threads that differ", wrong, 0);
	free(out);
}

static void early(mori_shmem_module_t *m, uint64_t *word)
{
	uint64_t first = 37, threads = 70, *out = calloc(3 * 70, 8);

	*word = 0;
	CHECK_OK(RUN_KERNEL(m, "early", 3, (unsigned)threads, &first, &out, &word, &me));
	CHECK_EQ("one of a block, two warps", *word, 3 + 3 * 2 * 65536);
	for (uint64_t i = 0; i < 3 * threads; i++) {
		uint64_t t = i % threads;

		CHECK_EQ("what the neighbour wrote", out[i],
			 t < first ? 5 * ((t + 1) % first + 1) + 10 : 0);
	}
	memset(out, 0, 3 * 70 * 8);
	CHECK_OK(RUN_KERNEL(m, "leave_between", 3, (unsigned)threads, &out));
	for (uint64_t i = 0; i < 3 * threads; i++)
		CHECK_EQ("those who stayed", out[i], i % 2 ? 0 : 12);
	free(out);
}

static void rest(mori_shmem_module_t *m, uint64_t *flags)
{
	uint64_t seen[6] = { 0 }, *out = seen, *order = calloc(64, 8), d = 1ull << 63;
	uint8_t a = 200;
	int16_t b = -300;
	int32_t c = -70000;
	float e = 2.25f;
	double f = 1.125;
	unsigned blocks = KERN_SMALL ? 16 : 64;

	CHECK_OK(RUN_KERNEL(m, "arguments", 1, 1, &a, &b, &c, &d, &e, &f, &out));
	CHECK_EQ("uint8", seen[0], a);
	CHECK_EQ("int16", seen[1], b);
	CHECK_EQ("int32", seen[2], c);
	CHECK_EQ("uint64", seen[3], d);
	CHECK_EQ("float", seen[4], 9);
	CHECK_EQ("double", seen[5], 9);
	CHECK_OK(kern_run(m, "nothing", 1000, 64, NULL));
	e = 1;
	f = 3;
	CHECK_OK(RUN_KERNEL(m, "rounding", 1, 64, &(double){ 1 }, &f, &order));
	for (int i = 0; i < 64; i++)
		CHECK_EQ("modes of a thread", order[i], order[0] + (uint64_t)(i % 2));
	CHECK((double)e / f == 1.0 / 3);
	memset(flags, 0xff, 65 * 8);
	CHECK_OK(RUN_KERNEL(m, "backwards", blocks, 3, &flags, &order));
	for (unsigned i = 0; i < blocks; i++)
		CHECK_EQ("blocks that wait for later ones", order[i], blocks - i);
	flags[0] = order[0] = 0;
	CHECK_OK(RUN_KERNEL(m, "ask", blocks, 3, &flags, &order));
	CHECK_EQ("tests let others run", order[0], blocks);
	free(order);
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("grid");
	uint64_t *word;

	if (!m)
		SKIP(KERN_NONE);
	word = pes_malloc(65 * 8);
	ids(m);
	reduce(m, 1, 1);
	reduce(m, 4, 33);
	reduce(m, 9, 48);
	reduce(m, 2, KERN_SMALL ? 100 : 1024);
	together(m, word, 1, 1);
	together(m, word, 3, 40);
	together(m, word, 2, 64);
	together(m, word, 5, 7);
	early(m, word);
	rest(m, word);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	CHECK_OK(mori_shmem_module_unload(m));
	MUST(mori_shmem_free(word));
	return 0;
}
