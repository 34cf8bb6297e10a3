// SPDX-License-Identifier: MIT
/* The smallest kernel: who am I, and how many are we? */
#include <mori/shmem_device.h>

MORI_KERNEL void hello(int *out)
{
	out[0] = mori_shmem_my_pe();
	out[1] = mori_shmem_n_pes();
}
