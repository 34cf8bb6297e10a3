# SPDX-License-Identifier: MIT
"""A program of PEs for test_init.py: joins in the way its argument says, and tries what a job is for.

job.py WAY [FILE]	unique (rank, size and FILE for the id by the environment), mpi, torch, auto
"""

import os
import sys
import time

import mori.shmem as s


def by_file(path):
    rank, n = int(os.environ["JOB_RANK"]), int(os.environ["JOB_SIZE"])
    if rank == 0:
        with open(path + ".new", "wb") as f:
            f.write(s.shmem_get_unique_id())
        os.rename(path + ".new", path)
    while not os.path.exists(path):
        time.sleep(0.01)
    with open(path, "rb") as f:
        return s.shmem_init_attr(s.MORI_SHMEM_INIT_WITH_UNIQUEID, rank, n, f.read())


def by_torch():
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    torch._C._distributed_c10d._register_process_group("default", dist.group.WORLD)
    return s.shmem_torch_process_group_init("default")


def check_job():
    me, n = s.shmem_mype(), s.shmem_npes()
    ptr = s.shmem_malloc(8 * n)
    s.shmem_barrier_all()
    for pe in range(n):
        s.int64_p(ptr + 8 * me, 1000 * me + pe, pe, 0)
    s.shmem_barrier_all()
    for pe in range(n):
        got = s.int64_g(ptr + 8 * pe, me, 0)
        assert got == 1000 * pe + me, (me, pe, got)
    s.shmem_free(ptr)
    return me, n


def main():
    way = sys.argv[1]
    if way == "unique":
        assert by_file(sys.argv[2]) == 0
    elif way == "mpi":
        from mpi4py import MPI

        assert s.shmem_mpi_init() == 0
        assert s.shmem_mype() == MPI.COMM_WORLD.Get_rank()
    elif way == "torch":
        assert by_torch() == 0
    else:
        assert s.shmem_init() == 0
    me, n = check_job()
    s.shmem_finalize()
    if way == "mpi":
        # Again, in halves: other sizes in the same process.
        half = MPI.COMM_WORLD.Split(me % 2, me)
        s.shmem_mpi_init(half)
        assert s.shmem_npes() == half.Get_size() and s.shmem_mype() == half.Get_rank()
        check_job()
        s.shmem_finalize()
    if way == "torch":
        import torch.distributed as dist

        s.shmem_torch_process_group_init("default")
        assert check_job() == (dist.get_rank(), dist.get_world_size())
        s.shmem_finalize()
        # Two jobs side by side, of the even and of the odd ranks, by the names of their groups.
        halves = [dist.new_group(list(range(i, n, 2))) for i in range(2)]
        s.shmem_torch_process_group_init(halves[me % 2].group_name)
        assert check_job() == (me // 2, n // 2)
        s.shmem_finalize()
        dist.destroy_process_group()
    print(f"PE {me} of {n} done", flush=True)


main()
