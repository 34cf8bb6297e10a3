// SPDX-License-Identifier: MIT
/*
 * A pipeline round a ring: PE 0 cuts a message into pieces, every PE hands each
 * piece on as soon as it has arrived, and PE 0 gets all back. Put with signal is the only
 * synchronisation: signal i of a PE counts the arrivals of its piece i.
 *
 * usage: mori run -n N mori-ring [bytes] [pieces] [rounds]
 */
#include <mori/shmem.h>
#include <stdio.h>
#include <stdlib.h>

struct ring {
	int me, next;
	size_t piece, pieces; /* bytes in one, and how many */
	unsigned char *buf;   /* symmetric, piece * pieces bytes */
	unsigned char *own;   /* as many bytes of host memory: the heap may be a GPU's */
	uint64_t *came;	      /* symmetric, one per piece */
};

static unsigned char byte_of(size_t i, uint64_t round)
{
	return (unsigned char)(i * 131 + round * 17 + i / 256);
}

static int send_piece(const struct ring *r, size_t i)
{
	unsigned char *at = r->buf + i * r->piece;

	return mori_shmem_putmem_signal_thread(at, at, r->piece, &r->came[i], 1,
					       MORI_SHMEM_SIGNAL_ADD, r->next, 0);
}

static int await_piece(const struct ring *r, size_t i, uint64_t round)
{
	return mori_shmem_uint64_wait_until_equals(&r->came[i], round);
}

/* PE 0 starts every piece before it waits for the first; the others pass pieces on in order. */
static int go_round(const struct ring *r, uint64_t round)
{
	int err = 0;

	for (size_t i = 0; !err && !r->me && i < r->pieces; i++)
		err = send_piece(r, i);
	for (size_t i = 0; !err && i < r->pieces; i++) {
		err = await_piece(r, i, round);
		if (!err && r->me)
			err = send_piece(r, i);
	}
	return err;
}

static int start_message(const struct ring *r, uint64_t round)
{
	size_t bytes = r->piece * r->pieces;

	for (size_t i = 0; i < bytes; i++)
		r->own[i] = byte_of(i, round);
	return mori_shmem_putmem_thread(r->buf, r->own, bytes, r->me, 0);
}

static int count_wrong(const struct ring *r, uint64_t round, size_t *wrong)
{
	size_t bytes = r->piece * r->pieces;
	int err = mori_shmem_getmem_thread(r->own, r->buf, bytes, r->me, 0);

	for (size_t i = 0; !err && i < bytes; i++)
		*wrong += r->own[i] != byte_of(i, round);
	return err;
}

static int run(struct ring *r, uint64_t rounds)
{
	size_t bytes = r->piece * r->pieces, wrong = 0;
	uint64_t t0 = mori_clock_ns();
	int err = 0;

	for (uint64_t round = 1; !err && round <= rounds; round++) {
		err = r->me ? 0 : start_message(r, round);
		if (!err)
			err = go_round(r, round);
		if (!err)
			err = count_wrong(r, round, &wrong);
		if (!err) /* no PE starts to overwrite what another still checks */
			err = mori_shmem_barrier_all();
	}
	if (err)
		return err;
	printf("PE %d: %zu bytes in %zu pieces, %llu rounds, %.1f us a round, %zu wrong\n", r->me,
	       bytes, r->pieces, (unsigned long long)rounds, (mori_clock_ns() - t0) / 1e3 / rounds,
	       wrong);
	return wrong ? MORI_SHMEM_EFAULT : 0;
}

static size_t argument(int argc, char **argv, int i, size_t otherwise)
{
	size_t value = i < argc ? strtoull(argv[i], NULL, 0) : otherwise;

	return value ? value : 1;
}

int main(int argc, char **argv)
{
	size_t bytes = argument(argc, argv, 1, 1 << 20);
	struct ring r = { .pieces = argument(argc, argv, 2, 16) };
	int err = mori_shmem_init();

	r.piece = (bytes + r.pieces - 1) / r.pieces;
	if (!err) {
		r.me = mori_shmem_my_pe();
		r.next = (r.me + 1) % mori_shmem_n_pes();
		r.buf = mori_shmem_malloc(r.piece * r.pieces);
		r.came = mori_shmem_calloc(r.pieces, sizeof(*r.came));
		r.own = malloc(r.piece * r.pieces);
		err = r.buf && r.came && r.own ? run(&r, argument(argc, argv, 3, 10)) :
						 MORI_SHMEM_ENOMEM;
	}
	free(r.own);
	if (err) {
		fprintf(stderr, "mori-ring: %s: %s\n", mori_shmem_strerror(err),
			mori_shmem_last_error());
		return 1;
	}
	return mori_shmem_free(r.came) || mori_shmem_free(r.buf) || mori_shmem_finalize();
}
