// SPDX-License-Identifier: MIT
/* Failing calls whose status is dropped, for kern_told.c. */
#include <mori/shmem_device.h>

/* Every thread makes one, by its number: each has a name of its own. */
MORI_KERNEL void each(int64_t *x, int32_t pe)
{
	int64_t v = 7;

	switch (mori_thread_id() % 4) {
	case 0:
		mori_shmem_int64_p(x, v, pe, 0);
		break;
	case 1:
		(void)mori_shmem_int64_g(x, pe, 0);
		break;
	case 2:
		(void)mori_shmem_int64_atomic_fetch_add_thread(x, 1, pe, 0);
		break;
	default:
		mori_shmem_putmem_thread(x, &v, sizeof(v), pe, 0);
	}
}

/* By groups: a call of a group is one failure. */
MORI_KERNEL void warps(int64_t *x, int32_t pe)
{
	mori_shmem_putmem_warp(x, x, 8, pe, 0);
	mori_shmem_int64_atomic_inc_warp(x, pe, 0);
}

MORI_KERNEL void blocks(int64_t *x, int32_t pe)
{
	mori_shmem_memobj_t none = { 0, 0, 0 };

	mori_shmem_putmem_block(x, x, 8, pe, 0);
	(void)mori_shmem_int64_atomic_fetch_add_block(x, 1, pe, 0);
	mori_shmem_putmem_obj_block(none, 0, none, 0, 8, 0, 0);
	(void)mori_shmem_uint64_wait_until_some_block((uint64_t *)x, 1, (size_t *)0, (const int *)0,
						      MORI_SHMEM_CMP_EQ, 0);
	(void)mori_shmem_int64_test_block((int64_t *)((char *)x + 1), MORI_SHMEM_CMP_EQ, 0);
	mori_shmem_int64_wait_until_equals_for_block(x, 12345, 1000);
}

/* One failure. */
MORI_KERNEL void once(int64_t *x, int32_t pe)
{
	mori_shmem_int64_p(x, 7, pe, 0);
}

MORI_KERNEL void by_context(uint64_t ctx, int32_t *out)
{
	*out = mori_shmem_ctx_my_pe(ctx);
}
