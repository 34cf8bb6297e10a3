// SPDX-License-Identifier: MIT
/* Each kernel repeats one thing and leaves how long that took, in ns for all of it. */
#include <mori/shmem_device.h>

static void leave(uint64_t *ns, uint64_t start)
{
	if (!mori_thread_id())
		*ns = mori_clock_ns() - start;
}

/* PEs 0 and 1 in turn; the others do nothing. */
MORI_KERNEL void put_signal(char *box, const char *src, uint64_t bytes, uint64_t *sig,
			    uint64_t from, uint64_t n, uint64_t *ns)
{
	int me = mori_shmem_my_pe();
	uint64_t start = mori_clock_ns();

	for (uint64_t i = from + 1; me < 2 && i <= from + n; i++) {
		if (me)
			mori_shmem_uint64_wait_until_block(sig, MORI_SHMEM_CMP_GE, i);
		mori_shmem_putmem_signal_block(box, src, bytes, sig, i, MORI_SHMEM_SIGNAL_SET, !me,
					       0);
		if (!me)
			mori_shmem_uint64_wait_until_block(sig, MORI_SHMEM_CMP_GE, i);
	}
	leave(ns, start);
}

MORI_KERNEL void signal_only(uint64_t *sig, uint64_t from, uint64_t n, uint64_t *ns)
{
	int me = mori_shmem_my_pe();
	uint64_t start = mori_clock_ns();

	for (uint64_t i = from + 1; me < 2 && i <= from + n; i++) {
		if (me)
			mori_shmem_uint64_wait_until(sig, MORI_SHMEM_CMP_GE, i);
		mori_shmem_signal_op_thread(sig, i, MORI_SHMEM_SIGNAL_SET, !me, 0);
		if (!me)
			mori_shmem_uint64_wait_until(sig, MORI_SHMEM_CMP_GE, i);
	}
	leave(ns, start);
}

/* Signals without an answer: only what issuing one costs. */
MORI_KERNEL void signal_rate(uint64_t *sig, uint64_t n, uint64_t *ns)
{
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; mori_shmem_my_pe() == 0 && i < n; i++)
		mori_shmem_signal_op_thread(sig, i, MORI_SHMEM_SIGNAL_SET, 1, 0);
	leave(ns, start);
}

MORI_KERNEL void fetch_add(uint64_t *word, uint64_t n, uint64_t *ns)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t start = mori_clock_ns(), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += mori_shmem_uint64_atomic_fetch_add_thread(word, 1 + (sum & 0), peer, 0);
	leave(ns, start);
	word[1] = sum;
}

MORI_KERNEL void add(uint64_t *word, uint64_t n, uint64_t *ns)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; i < n; i++)
		mori_shmem_uint64_atomic_add_thread(word, 1, peer, 0);
	mori_shmem_quiet_thread();
	leave(ns, start);
}

MORI_KERNEL void get_value(uint64_t *word, uint64_t n, uint64_t *ns)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t start = mori_clock_ns(), sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += mori_shmem_uint64_g(word + (sum & 0), peer, 0);
	leave(ns, start);
	word[1] = sum;
}

MORI_KERNEL void put_value(uint64_t *word, uint64_t n, uint64_t *ns)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; i < n; i++)
		mori_shmem_uint64_p(word, i, peer, 0);
	leave(ns, start);
}

MORI_KERNEL void put_quiet(uint64_t *word, uint64_t n, uint64_t *ns)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; i < n; i++) {
		mori_shmem_uint64_p(word, i, peer, 0);
		mori_shmem_quiet_thread();
	}
	leave(ns, start);
}

MORI_KERNEL void barrier(uint64_t n, uint64_t *ns)
{
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; i < n; i++)
		mori_shmem_barrier_all_block();
	leave(ns, start);
}

MORI_KERNEL void sync(uint64_t n, uint64_t *ns)
{
	uint64_t start = mori_clock_ns();

	for (uint64_t i = 0; i < n; i++)
		mori_shmem_sync_all_block();
	leave(ns, start);
}

/* Every block copies its share to the right neighbour. */
MORI_KERNEL void bandwidth(char *dest, const char *src, uint64_t bytes, uint64_t n)
{
	int peer = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes();
	uint64_t share = bytes / mori_grid_size(), from = share * mori_block_id();

	for (uint64_t i = 0; i < n; i++)
		mori_shmem_putmem_block(dest + from, src + from, share, peer, 0);
}

/* The same without the library. */
MORI_KERNEL void plain_copy(char *dest, const char *src, uint64_t bytes, uint64_t n)
{
	typedef uint32_t vec __attribute__((vector_size(16)));
	uint64_t at = mori_shmem_ptr((uint64_t)(uintptr_t)dest,
				     (mori_shmem_my_pe() + 1) % mori_shmem_n_pes());
	uint64_t share = bytes / 16 / mori_grid_size(), from = share * mori_block_id();
	vec *to = (vec *)(uintptr_t)at + from;
	const vec *in = (const vec *)src + from;

	for (uint64_t k = 0; k < n; k++)
		for (uint64_t i = mori_thread_id(); i < share; i += mori_block_size())
			to[i] = in[i];
}
