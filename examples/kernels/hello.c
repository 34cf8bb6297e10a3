// SPDX-License-Identifier: MIT
/* The smallest kernel: a PE's own number and the number of PEs. */
#include <mori/shmem_device.h>

MORI_KERNEL void hello(int *out)
{
	out[0] = mori_shmem_my_pe();
	out[1] = mori_shmem_n_pes();
}
