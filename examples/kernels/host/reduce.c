// SPDX-License-Identifier: MIT
/* The host side of the three all-reduces: 64 x 7168 numbers of 16 bits, several rounds. */
#include "host.h"

#include <stdio.h>
#include <stdlib.h>

#include "bf16.h"

#define NUMBERS (64 * 7168)
#define BYTES	((size_t)NUMBERS * 2)
#define ROUNDS	3

/* The value of PE @pe at index i: distinct by PE, index and round, of either sign. */
static uint16_t number_of(int pe, size_t i, uint64_t round)
{
	return bf16_round((float)((int)((i * 31 + (size_t)pe * 101 + round * 17) % 509) - 250) / 8);
}

struct reduce {
	struct host *h;
	uint16_t *in, *out, *words; /* the last is in host memory */
	void **args;
	uint64_t *round; /* the argument that counts launches */
	unsigned blocks;
};

/* Added up in the order of the PEs, as the kernels do. */
static int check(struct reduce *r, uint64_t round)
{
	int wrong = 0, err = from_heap(r->h, r->words, r->out, BYTES);

	for (size_t i = 0; !err && i < NUMBERS; i++) {
		float sum = 0;

		for (int pe = 0; pe < r->h->n_pes; pe++)
			sum += bf16_float(number_of(pe, i, round));
		wrong += r->words[i] != bf16_round(sum);
	}
	return err ? err : wrong;
}

static int run_round(struct reduce *r, uint64_t round)
{
	int err;

	for (size_t i = 0; i < NUMBERS; i++)
		r->words[i] = number_of(r->h->me, i, round);
	err = to_heap(r->h, r->in, r->words, BYTES);
	*r->round = round;
	if (!err)
		err = launch(r->h, r->blocks, r->h->threads, r->args);
	return err ? err : check(r, round);
}

static int run(struct host *h, struct reduce *r, const char *how)
{
	int err = 0;

	r->h = h;
	r->words = malloc(BYTES);
	if (!r->words || !r->in || !r->out)
		err = MORI_SHMEM_ENOMEM;
	for (uint64_t round = 1; !err && round <= ROUNDS; round++)
		err = run_round(r, round);
	free(r->words);
	if (err < 0)
		return err;
	printf("PE %d: all-reduce of %d numbers over %d PEs %s, %d rounds, %d wrong\n", h->me,
	       NUMBERS, h->n_pes, how, ROUNDS, err);
	if (!err)
		err = mori_shmem_free(r->out) || mori_shmem_free(r->in);
	return err;
}

int run_allreduce_read(struct host *h)
{
	struct reduce r = { .in = mori_shmem_malloc(BYTES),
			    .out = mori_shmem_malloc(BYTES),
			    .blocks = 8 };
	uint64_t *ready = mori_shmem_calloc(r.blocks * (size_t)h->n_pes, sizeof(*ready));
	uint64_t n = NUMBERS / 8, round;
	void *args[] = { &r.out, &r.in, &n, &ready, &round };
	int err;

	r.args = args;
	r.round = &round;
	err = ready ? run(h, &r, "by reading") : MORI_SHMEM_ENOMEM;
	return err ? err : mori_shmem_free(ready);
}

/* Eight chunks per peer if load and store reach every PE, one over a queue. */
static uint32_t chunks_for(struct host *h, const void *symmetric)
{
	for (int pe = 0; pe < h->n_pes; pe++) {
		if (!mori_shmem_ptr_p2p((uint64_t)(uintptr_t)symmetric, h->me, pe))
			return 1;
	}
	return 8;
}

int run_allreduce_put(struct host *h)
{
	struct reduce r = { .in = mori_shmem_malloc(BYTES), .out = mori_shmem_malloc(BYTES) };
	uint16_t *inbox = mori_shmem_malloc(2 * BYTES * (size_t)h->n_pes);
	uint32_t chunks = chunks_for(h, inbox);
	uint64_t *came = mori_shmem_calloc((size_t)h->n_pes * chunks, sizeof(*came));
	uint64_t n = NUMBERS / 8, round;
	void *args[] = { &r.out, &r.in, &n, &inbox, &came, &chunks, &round };
	int err;

	r.args = args;
	r.round = &round;
	r.blocks = (unsigned)h->n_pes * chunks;
	err = inbox && came ? run(h, &r, "by put and signal") : MORI_SHMEM_ENOMEM;
	return err ? err : mori_shmem_free(came) || mori_shmem_free(inbox);
}

int run_allreduce_two_shot(struct host *h)
{
	struct reduce r = { .in = mori_shmem_malloc(BYTES),
			    .out = mori_shmem_malloc(BYTES),
			    .blocks = 8 };
	uint64_t *flags = mori_shmem_calloc(2 * r.blocks * (size_t)h->n_pes, sizeof(*flags));
	uint64_t n = NUMBERS / 8, round;
	void *args[] = { &r.out, &r.in, &n, &flags, &round };
	int err;

	r.args = args;
	r.round = &round;
	err = flags ? run(h, &r, "in two shots") : MORI_SHMEM_ENOMEM;
	return err ? err : mori_shmem_free(flags);
}
