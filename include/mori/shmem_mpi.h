// SPDX-License-Identifier: MIT
/*
 * Start a MORI Shmem job inside an MPI program. Header-only: it is compiled with
 * the program's own <mpi.h>, and the library itself does not use MPI. C11 and C++.
 */
#ifndef MORI_SHMEM_MPI_H
#define MORI_SHMEM_MPI_H

#include <mpi.h>
#include <string.h>

#include <mori/shmem.h>

/* Gives every process of @comm the worst status of all. */
static inline int mori_shmem_mpi__agree(MPI_Comm comm, int status)
{
	int worst = status;

	if (MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
		return MORI_SHMEM_EIO;
	return worst;
}

/* Process 0 opens a rendezvous and sends its status and id to all others. */
static inline int mori_shmem_mpi__share(MPI_Comm comm, int rank, mori_shmem_uniqueid_t *uid)
{
	unsigned char bytes[sizeof(int) + sizeof(*uid)];
	int status = 0;

	if (rank == 0)
		status = mori_shmem_get_unique_id(uid);
	memcpy(bytes, &status, sizeof(status));
	memcpy(bytes + sizeof(status), uid, sizeof(*uid));
	if (MPI_Bcast(bytes, (int)sizeof(bytes), MPI_BYTE, 0, comm) != MPI_SUCCESS)
		return MORI_SHMEM_EIO;
	memcpy(&status, bytes, sizeof(status));
	memcpy(uid, bytes + sizeof(status), sizeof(*uid));
	return status;
}

/**
 * mori_shmem_init_mpi - join a job whose PEs are the processes of a communicator
 * @comm: an intracommunicator; this process becomes the PE of its rank there
 *
 * Collective over @comm, which carries 128 bytes and a few integers. The library does
 * not keep @comm, so it may be freed immediately. MPI must be initialized. Bind and finalize
 * as with mori_shmem_init().
 *
 * Return: the same on every process of @comm: 0; MORI_SHMEM_ESTATE if MPI is not
 * initialized; MORI_SHMEM_EIO if MPI failed; or what mori_shmem_get_unique_id() or
 * mori_shmem_init_attr() returned where it failed (mori_shmem_last_error() there says why).
 */
static inline int mori_shmem_init_mpi(MPI_Comm comm)
{
	mori_shmem_uniqueid_t uid;
	mori_shmem_init_attr_t attr;
	int started = 0, rank = 0, nranks = 0, status, agreed;

	if (MPI_Initialized(&started) != MPI_SUCCESS || !started)
		return MORI_SHMEM_ESTATE;
	if (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS ||
	    MPI_Comm_size(comm, &nranks) != MPI_SUCCESS)
		return MORI_SHMEM_EIO;
	memset(&uid, 0, sizeof(uid));
	status = mori_shmem_mpi__share(comm, rank, &uid);
	if (status == MORI_SHMEM_SUCCESS)
		status = mori_shmem_set_attr_uniqueid_args(rank, nranks, &uid, &attr);
	agreed = mori_shmem_mpi__agree(comm, status);
	if (agreed != MORI_SHMEM_SUCCESS)
		return agreed;
	status = mori_shmem_init_attr(MORI_SHMEM_INIT_WITH_UNIQUEID, &attr);
	agreed = mori_shmem_mpi__agree(comm, status);
	if (agreed != MORI_SHMEM_SUCCESS && status == MORI_SHMEM_SUCCESS)
		(void)mori_shmem_finalize();
	return agreed;
}

#endif
