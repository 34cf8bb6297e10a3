// SPDX-License-Identifier: MIT
/*
 * Hundreds of windows, registered in no order: kernels find each, and none in the gaps between them
 * or where one was. Windows that overlap are found, too.
 */
/* TEST: pes=2 modes=procs,threads net=procs */
#include "kern.h"

#define WINDOWS 300
#define EACH	8u  /* words of a window */
#define STEP	12u /* from one to the next: a gap behind each */
#define LANES	16u

static __thread struct {
	mori_shmem_module_t *module;
	uint64_t *area, *out;
} at;

static size_t windows(void)
{
	return KERN_SMALL ? 40 : WINDOWS;
}

/* Not in the order of addresses: 7 divides neither number. */
static uint64_t *window(size_t i)
{
	return at.area + i * 7 % windows() * STEP;
}

static uint64_t sum(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < LANES; i++)
		n += at.out[i];
	return n;
}

/* Word @word of every @each-th window takes what the other PE writes. */
static void words(const char *name, uint64_t word, uint64_t each)
{
	uint64_t step = STEP * each, n = (windows() + each - 1) / each;
	uint64_t *first = at.area + word, tag = 1000 * (word + 1) + (uint64_t)me, bad = 0;
	int32_t pe = 1 - me;

	BARRIER();
	CHECK_OK(RUN_KERNEL(at.module, "windows_words", 1, LANES, &at.out, &first, &step, &n, &tag,
			    &pe));
	CHECK_EQ(name, sum(), 0);
	BARRIER();
	tag = 1000 * (word + 1) + (uint64_t)pe;
	for (uint64_t i = 0; i < n; i++)
		bad += first[i * step] != tag + i;
	CHECK_EQ(name, bad, 0);
}

/* There is none at @word of every @each-th window. */
static void none(const char *name, uint64_t word, uint64_t each)
{
	uint64_t step = STEP * each, n = (windows() + each - 1) / each;
	uint64_t *first = at.area + word;
	int32_t pe = 1 - me;

	CHECK_OK(RUN_KERNEL(at.module, "windows_none", 1, LANES, &at.out, &first, &step, &n, &pe));
	CHECK_EQ(name, sum(), n);
	CHECK_EQ(name, mori_shmem_check(NULL), MORI_SHMEM_EINVAL);
}

static int test_pe(void)
{
	at.module = kern_load("windows");
	if (!at.module)
		SKIP(KERN_NONE);
	at.area = pes_private(WINDOWS * STEP * sizeof(*at.area));
	at.out = pes_private(LANES * sizeof(*at.out));
	for (size_t i = 0; i < windows(); i++)
		MUST(mori_shmem_symmetric_register(window(i), EACH * sizeof(*at.area)));
	words("the first word of each", 0, 1);
	words("the last word of each", EACH - 1, 1);
	none("the gap behind each", EACH, 1);
	for (size_t i = 0; i < windows(); i += 3)
		MUST(mori_shmem_symmetric_deregister(at.area + i * STEP, EACH * sizeof(*at.area)));
	none("windows that are gone", 1, 3);
	words("every second window of the rest", STEP + 2, 6);
	MUST(mori_shmem_symmetric_register(at.area + STEP + 4, EACH * sizeof(*at.area)));
	words("beside windows that overlap", STEP + 3, 6);
	words("where windows overlap", STEP + 5, 6);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	BARRIER();
	MUST(mori_shmem_symmetric_deregister(at.area + STEP + 4, EACH * sizeof(*at.area)));
	for (size_t i = 0; i < windows(); i++) {
		if (i % 3)
			MUST(mori_shmem_symmetric_deregister(at.area + i * STEP,
							     EACH * sizeof(*at.area)));
	}
	MUST(mori_shmem_module_unload(at.module));
	free(at.area);
	free(at.out);
	return 0;
}
