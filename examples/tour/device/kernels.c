// SPDX-License-Identifier: MIT
/*
 * The kernels of the tour: the same source for PEs on the CPU and on a GPU. The blocks of
 * all PEs talk to each other while they run; no host takes part. Block b of a PE works with
 * block b of the others, on its own piece of the data and with a bell of its own.
 */
#include <mori/shmem_device.h>

/* The first of the @n values that belong to part @i of @parts. */
static uint64_t cut(uint64_t n, uint64_t parts, uint64_t i)
{
	return n * i / parts;
}

/*
 * Messages go round a ring until every PE has the message of every other. @all has room for
 * the @n words of each PE; the caller's own are there. A block passes its piece of a
 * message on as soon as the bell says that it has come. @bells has rung @before times.
 */
MORI_KERNEL void tour_ring(uint64_t *all, uint64_t n, uint64_t *bells, uint64_t before)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes(), right = (me + 1) % n_pes;
	uint64_t first = cut(n, mori_grid_size(), mori_block_id());
	uint64_t len = cut(n, mori_grid_size(), mori_block_id() + 1) - first;
	uint64_t *bell = &bells[mori_block_id()];

	for (int hop = 0; hop < n_pes - 1; hop++) {
		int whose = (me - hop + n_pes) % n_pes;
		uint64_t *piece = all + (uint64_t)whose * n + first;

		mori_shmem_put_uint64_signal_block(piece, piece, len, bell, 1,
						   MORI_SHMEM_SIGNAL_ADD, right, 0);
		mori_shmem_uint64_wait_until_block(bell, MORI_SHMEM_CMP_GE,
						   before + (uint64_t)hop + 1);
	}
}

/*
 * An all-reduce: @out of every PE becomes the sum of the @n values @in of all PEs. A PE adds
 * up one slice, to which its blocks get everybody's values by way of @got, and puts the sums
 * to all others. The bell of a block rings once for each other PE whose sums have come.
 */
MORI_KERNEL void tour_reduce(float *out, const float *in, float *got, uint64_t n, uint64_t *bells,
			     uint64_t before)
{
	int me = mori_shmem_my_pe(), n_pes = mori_shmem_n_pes();
	uint64_t parts = (uint64_t)n_pes * mori_grid_size();
	uint64_t part = (uint64_t)me * mori_grid_size() + mori_block_id();
	uint64_t first = cut(n, parts, part), end = cut(n, parts, part + 1);
	uint64_t *bell = &bells[mori_block_id()];

	for (int pe = 0; pe < n_pes; pe++) {
		mori_shmem_get_float_block(got + first, in + first, end - first, pe, 0);
		for (uint64_t i = first + mori_thread_id(); i < end; i += mori_block_size())
			out[i] = pe ? out[i] + got[i] : got[i];
		mori_block_sync();
	}
	for (int by = 1; by < n_pes; by++)
		mori_shmem_put_float_signal_block(out + first, out + first, end - first, bell, 1,
						  MORI_SHMEM_SIGNAL_ADD, (me + by) % n_pes, 0);
	mori_shmem_uint64_wait_until_block(bell, MORI_SHMEM_CMP_GE, before + (uint64_t)n_pes - 1);
}
