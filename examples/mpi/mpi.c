// SPDX-License-Identifier: MIT
/*
 * In an MPI program: the PEs are the processes of a communicator. Each PE puts its
 * number into everybody's table, and MPI checks the result. The second half of
 * the processes then does the same in a job of its own.
 *
 * usage: mpirun -n N mori-mpi-openmpi (or mori-mpi-mpich, with its own mpirun)
 */
#include <mpi.h>
#include <mori/shmem_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int value_of(int world_rank)
{
	return 1000 + world_rank * world_rank;
}

/* The table of one job, built by puts and by MPI; 0 if both agree. */
static int run_job(MPI_Comm comm, const char *name)
{
	int me, n, mine, bad = 0;
	int *table, *want;

	if (mori_shmem_init_mpi(comm)) {
		fprintf(stderr, "%s: %s\n", name, mori_shmem_last_error());
		return 1;
	}
	me = mori_shmem_my_pe();
	n = mori_shmem_n_pes();
	MPI_Comm_rank(MPI_COMM_WORLD, &mine);
	mine = value_of(mine);
	table = mori_shmem_calloc(n, sizeof(*table));
	want = calloc(n, sizeof(*want));
	if (!table || !want) {
		fprintf(stderr, "%s: %s\n", name, mori_shmem_last_error());
		free(want);
		return 1;
	}

	for (int pe = 0; pe < n; pe++)
		bad += mori_shmem_int_p(&table[me], mine, pe, 0) != 0;
	bad += mori_shmem_barrier_all() != 0;
	MPI_Allgather(&mine, 1, MPI_INT, want, 1, MPI_INT, comm);
	for (int pe = 0; pe < n; pe++)
		bad += mori_shmem_int_g(&table[pe], me, 0) != want[pe];
	if (bad)
		fprintf(stderr, "%s: PE %d: %d wrong\n", name, me, bad);
	else if (!me)
		printf("%s: %d PEs, every table is what MPI says\n", name, n);

	free(want);
	return mori_shmem_free(table) || mori_shmem_finalize() || bad;
}

int main(int argc, char **argv)
{
	int rank, n, failed, all;
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	failed = run_job(MPI_COMM_WORLD, "world");

	MPI_Comm_split(MPI_COMM_WORLD, rank < n / 2, rank, &half);
	failed |= run_job(half, rank < n / 2 ? "first half" : "second half");
	MPI_Comm_free(&half);

	MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	MPI_Finalize();
	return all;
}
