// SPDX-License-Identifier: MIT
/*
 * A value that one lane of a block gets reaches all its lanes, and no lane of another block: more
 * blocks than a GPU has places for values draw tickets at the same time. All bits of a
 * ticket differ from those of the next.
 */
/* TEST: pes=2 modes=procs,threads timeout=120 */
#include "kern.h"

#define BY 0x9e3779b97f4a7c15u

/* The number of a ticket: @ticket / BY modulo 2^64. */
static uint64_t number(uint64_t ticket)
{
	uint64_t inverse = BY; /* right in 3 bits; each step doubles them */

	for (int i = 0; i < 5; i++)
		inverse *= 2 - BY * inverse;
	return ticket * inverse;
}

static void draw(mori_shmem_module_t *m, uint64_t blocks, uint64_t lanes, uint64_t rounds)
{
	uint64_t n = blocks * rounds, *counter = heap_malloc(8), *out = heap_malloc(n * lanes * 8);
	uint64_t *got = pes_private(n * lanes * 8), other = 0, wrong = 0;
	char *drawn = calloc(1, n);

	BARRIER();
	CHECK_OK(RUN_KERNEL(m, "tickets", (unsigned)blocks, (unsigned)lanes, &counter,
			    &(uint64_t){ BY }, &(int){ (me + 1) % n_pes }, &rounds, &out));
	heap_get(got, out, n * lanes * 8);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t ticket = number(got[i * lanes]);

		for (uint64_t lane = 1; lane < lanes; lane++)
			other += got[i * lanes + lane] != got[i * lanes];
		wrong += ticket >= n || drawn[ticket];
		if (ticket < n)
			drawn[ticket] = 1;
	}
	CHECK_EQ("lanes that were given something else", other, 0);
	CHECK_EQ("tickets that are none, or were drawn twice", wrong, 0);
	BARRIER();
	CHECK_EQ("drawn here", heap_word(counter), n * BY);
	CHECK_EQ("no fault", mori_shmem_check(NULL), 0);
	free(drawn);
	free(got);
	MUST(mori_shmem_free(out));
	MUST(mori_shmem_free(counter));
}

static int test_pe(void)
{
	mori_shmem_module_t *m = kern_load("tickets");
	const char *device = mori_shmem_device_name();
	int gpu = strcmp(device, "cpu") != 0, real = gpu && strcmp(device, "amd-emu") != 0;

	if (!m)
		SKIP(KERN_NONE);
	draw(m, gpu ? 500 : 4, 32, 3);
	draw(m, real ? 8000 : gpu ? 700 : 6, gpu ? 64 : 40, gpu && !real ? 2 : 5);
	draw(m, real ? 300 : gpu ? 20 : 2, gpu ? 500 : 70, 3);
	MUST(mori_shmem_module_unload(m));
	return 0;
}
