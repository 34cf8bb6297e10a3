// SPDX-License-Identifier: MIT
/*
 * A put and a get of 4 GiB + 17 bytes: no length is cut to 32 bits. The source is
 * untouched private memory but for a mark a step, so that only PE 1's heap
 * costs memory. Needs two PEs and MORI_SHMEM_HEAP_SIZE=5G.
 */
/* TEST: pes=2 modes=procs,threads net=procs env=MORI_SHMEM_HEAP_SIZE=5G lock=memory timeout=300 */
#include "pes.h"

#include <sys/mman.h>

#define HUGE_LEN ((4ull << 30) + 17)
#define STEP	 ((64ull << 20) + 4099) /* between marks: never the same place in a page */
#define NEED_KIB (12ll << 20)

static long long mem_available_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	long long kib = -1;
	char line[128];

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %lld kB", &kib);
	if (f)
		fclose(f);
	return kib;
}

static unsigned char *reserve(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return p;
}

static unsigned char mark(size_t at)
{
	return (unsigned char)(1 + at / STEP % 251);
}

static void check_marks(const char *what, const unsigned char *at)
{
	for (size_t i = 0; i < HUGE_LEN; i += STEP) {
		CHECK_EQ(what, at[i], mark(i));
		CHECK_EQ(what, at[i + 1], 0);
	}
	for (size_t i = 0; i < 17; i++)
		CHECK_EQ(what, at[HUGE_LEN - 17 + i], 0xe0 + i);
}

/* PE 0 puts into PE 1's heap, then gets it back into memory of its own. */
static void there_and_back(unsigned char *dest)
{
	unsigned char *src = reserve(HUGE_LEN);

	for (size_t i = 0; i < HUGE_LEN; i += STEP)
		src[i] = mark(i);
	for (size_t i = 0; i < 17; i++)
		src[HUGE_LEN - 17 + i] = (unsigned char)(0xe0 + i);
	test_at("put");
	CHECK_OK(mori_shmem_putmem_thread(dest, src, HUGE_LEN, 1, 0));
	CHECK_OK(mori_shmem_quiet_thread());
	munmap(src, HUGE_LEN);
	BARRIER();
	BARRIER(); /* PE 1 has checked and moved its last mark */
	src = reserve(HUGE_LEN + GUARD);
	test_at("get");
	CHECK_OK(mori_shmem_getmem_thread(src, dest, HUGE_LEN, 1, 0));
	check_marks("get", src);
	CHECK_EQ("beyond the get", src[HUGE_LEN], 0);
	munmap(src, HUGE_LEN + GUARD);
}

static int test_pe(void)
{
	unsigned char *dest;

	if (TEST_ASAN || TEST_TSAN)
		SKIP("4 GiB copies take too long under a sanitizer");
	if (mem_available_kib() < NEED_KIB)
		SKIP("less than 12 GiB of memory available");
	if (n_pes < 2)
		SKIP("needs two PEs");
	dest = mori_shmem_malloc(HUGE_LEN + GUARD);
	if (!CHECK(dest != NULL))
		fprintf(stderr, "malloc: %s\n", mori_shmem_last_error());
	else if (me == 0)
		there_and_back(dest);
	if (me == 1 && dest) {
		poison(dest + HUGE_LEN, GUARD);
		BARRIER();
		check_marks("put", dest);
		CHECK_EQ("beyond the put", not_poison(dest + HUGE_LEN, GUARD), GUARD);
		BARRIER();
	} else if (me > 1 && dest) {
		BARRIER();
		BARRIER();
	}
	CHECK_OK(mori_shmem_free(dest));
	return 0;
}
