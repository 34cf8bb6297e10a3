// SPDX-License-Identifier: MIT
#include <mori/shmem.h>
#include <stdio.h>

int main(void)
{
	if (mori_shmem_init()) {
		fprintf(stderr, "%s\n", mori_shmem_last_error());
		return 1;
	}
	int me = mori_shmem_my_pe(), n = mori_shmem_n_pes();
	long *box = mori_shmem_calloc(1, sizeof(*box)); /* one box on every PE */

	if (!box || mori_shmem_long_p(box, 100 + me, (me + 1) % n, 0) || mori_shmem_barrier_all()) {
		fprintf(stderr, "%s\n", mori_shmem_last_error());
		return 1;
	}
	printf("PE %d of %d: my neighbour gave me %ld\n", me, n, mori_shmem_long_g(box, me, 0));
	return mori_shmem_free(box) || mori_shmem_finalize();
}
