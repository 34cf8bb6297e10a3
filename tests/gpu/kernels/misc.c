// SPDX-License-Identifier: MIT
/* Small kernels for the tests of what may go wrong; each leaves the status it got. */
#include <mori/shmem_device.h>

MORI_KERNEL void who(int *out)
{
	out[0] = mori_shmem_my_pe();
	out[1] = mori_shmem_n_pes();
	out[2] = mori_shmem_barrier_all_thread();
}

/* The same by the context, so that PEs can share a module. */
MORI_KERNEL void who_ctx(uint64_t ctx, int *out)
{
	out[0] = mori_shmem_ctx_my_pe(ctx);
	out[1] = mori_shmem_ctx_n_pes(ctx);
	out[2] = mori_shmem_ctx_barrier_all_block(ctx);
}

MORI_KERNEL void wait_word(uint64_t *word, int *status)
{
	int err = mori_shmem_uint64_wait_until_equals_block(word, 77);

	if (!mori_thread_id())
		*status = err;
}

MORI_KERNEL void wait_for(uint64_t *word, uint64_t ns, int *status)
{
	int err = mori_shmem_uint64_wait_until_equals_for(word, 77, ns);

	*status = err;
}

MORI_KERNEL void meet(int *status)
{
	int err = mori_shmem_barrier_all_block();

	if (!mori_thread_id())
		*status = err;
}

/* To the right and from the left, until something is wrong. */
MORI_KERNEL void ring(uint64_t *box, uint64_t *sig, int *status)
{
	int right = (mori_shmem_my_pe() + 1) % mori_shmem_n_pes(), err = 0;

	for (uint64_t i = 1; !err; i++) {
		err = mori_shmem_putmem_signal_block(box, box + 1, 8, sig, i, MORI_SHMEM_SIGNAL_SET,
						     right, 0);
		if (!err)
			err = mori_shmem_uint64_wait_until_block(sig, MORI_SHMEM_CMP_GE, i);
	}
	if (!mori_thread_id())
		*status = err;
}

MORI_KERNEL void put_to(uint64_t *word, int pe, int *status)
{
	int err = mori_shmem_uint64_p(word, 5, pe, 0);

	*status = err ? err : mori_shmem_quiet_thread_pe(pe);
}

MORI_KERNEL void bad_pointer(uint64_t *word)
{
	*(volatile uint64_t *)(uintptr_t)(8 + 0 * *word) = 1;
}
