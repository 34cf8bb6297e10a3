# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0
"""Every way into a job: unique id, processes and threads, torchrun, mpirun, mori run; and again."""

import multiprocessing
import os
import shutil
import sys

import pytest

import mori
import mori.shmem as s
import pes


def exchange(rank):
    """Each PE writes to each other; every value says from whom to whom."""
    me, n = s.shmem_mype(), s.shmem_npes()
    assert me == rank
    ptr = s.shmem_malloc(8 * n)
    s.shmem_barrier_all()
    for pe in range(n):
        s.int64_p(ptr + 8 * me, 1000 * me + pe, pe, 0)
    s.shmem_barrier_all()
    got = [s.int64_g(ptr + 8 * pe, me, 0) for pe in range(n)]
    s.shmem_free(ptr)
    return got


@pytest.mark.parametrize("n", [1, 2, 4, 8, 32])
def test_threads(n):
    assert pes.threads(n, exchange) == [[1000 * pe + me for pe in range(n)] for me in range(n)]
    assert not s.shmem_is_initialized()


def test_again_with_other_sizes():
    for n in (3, 1, 5, 2):
        assert len(pes.threads(n, exchange)) == n
    s.shmem_init()
    assert (s.shmem_mype(), s.shmem_npes()) == (0, 1)
    s.shmem_finalize()


def test_two_worlds_in_one_thread():
    def one(name):
        s.shmem_init_attr(pes.UNIQUEID, 0, 1, s.shmem_get_unique_id())
        ptr = s.shmem_malloc(64)
        s.int32_p(ptr, name, 0, 0)
        pe = s.shmem_current()
        s.shmem_bind(None)
        return pe, ptr

    first, second = one(11), one(22)
    for (pe, ptr), want in ((second, 22), (first, 11)):
        s.shmem_bind(pe)
        assert s.int32_g(ptr, 0, 0) == want
        s.shmem_finalize()


def test_helper_thread_binds():
    def body(rank):
        import threading

        pe, seen = s.shmem_current(), []
        assert s.shmem_find(rank) == pe

        def helper():
            with pytest.raises(mori.ShmemError, match="not bound"):
                s.shmem_mype()
            s.shmem_bind(pe)
            seen.append(s.shmem_mype())

        # A thread without a PE would take the only one there is: both are there meanwhile.
        s.shmem_barrier_all()
        t = threading.Thread(target=helper)
        t.start()
        t.join()
        s.shmem_barrier_all()
        return seen

    assert pes.threads(2, body) == [[0], [1]]


def _child(rank, n, path):
    import mori.shmem as shmem

    with open(path, "rb") as f:
        shmem.shmem_init_attr(shmem.MORI_SHMEM_INIT_WITH_UNIQUEID, rank, n, f.read())
    got = exchange(rank)
    shmem.shmem_finalize()
    sys.exit(got != [1000 * pe + rank for pe in range(n)])


@pytest.mark.parametrize("n", [2, 4])
def test_multiprocessing(n, tmp_path):
    """The id through a file; the parent is PE 0."""
    path = str(tmp_path / "id")
    with open(path, "wb") as f:
        uid = s.shmem_get_unique_id()
        f.write(uid)
    assert len(uid) == s.MORI_SHMEM_UNIQUE_ID_BYTES == 128
    context = multiprocessing.get_context("spawn")
    children = [context.Process(target=_child, args=(rank, n, path)) for rank in range(1, n)]
    for c in children:
        c.start()
    s.shmem_init_attr(pes.UNIQUEID, 0, n, uid)
    assert exchange(0) == [1000 * pe for pe in range(n)]
    s.shmem_finalize()
    for c in children:
        c.join(60)
        assert c.exitcode == 0


def test_processes_with_a_file(tmp_path):
    jobs = [
        pes.start(
            pes.python(),
            pes.program("job.py"),
            "unique",
            tmp_path / "id",
            env={"JOB_RANK": str(i), "JOB_SIZE": "3"},
        )
        for i in range(3)
    ]
    for i, job in enumerate(jobs):
        assert f"PE {i} of 3 done" in pes.finish(job)


def test_mori_run():
    out = pes.run(pes.mori(), "run", "-n", "4", pes.python(), pes.program("job.py"), "auto")
    assert sorted(out.split("\n"))[-4:] == [f"PE {i} of 4 done" for i in range(4)]


def test_mori_run_with_threads():
    """Two processes of two PEs each: the k-th init of a process is its k-th PE."""
    code = (
        "import os, threading, mori.shmem as s\n"
        "def pe():\n"
        "    s.shmem_init()\n"
        "    me, n = s.shmem_mype(), s.shmem_npes()\n"
        "    box = s.shmem_calloc(1, 8)\n"
        "    s.int64_p(box, 100 + me, (me + 1) % n, 0)\n"
        "    s.shmem_barrier_all()\n"
        "    got = s.int64_g(box, me, 0)\n"
        "    s.shmem_finalize()\n"
        "    print(f'PE {me} of {n} got {got}\\n', end='', flush=True)\n"
        "ts = [threading.Thread(target=pe) for _ in range(int(os.environ['MORI_THREADS']))]\n"
        "for t in ts: t.start()\n"
        "for t in ts: t.join()\n"
    )
    out = pes.run(pes.mori(), "run", "-n", "4", "--threads", "2", pes.python(), "-c", code)
    assert sorted(out.split("\n"))[-4:] == [f"PE {i} of 4 got {100 + (i + 3) % 4}" for i in range(4)]


@pytest.mark.parametrize("n", [2, 4])
@pytest.mark.parametrize("way", ["torch", "auto"])
def test_torchrun(n, way):
    pytest.importorskip("torch")
    out = pes.run(
        pes.python(),
        "-m",
        "torch.distributed.run",
        "--standalone",
        f"--nproc-per-node={n}",
        pes.program("job.py"),
        way,
    )
    for i in range(n):
        assert f"PE {i} of {n} done" in out


def mpirun():
    """The mpirun of the MPI that mpi4py finds here."""
    pytest.importorskip("mpi4py")
    out = pes.run(pes.python(), "-c", "from mpi4py import MPI; print(MPI.Get_library_version())")
    for word, name in (("Open MPI", "mpirun.openmpi"), ("MPICH", "mpirun.mpich")):
        if word in out and shutil.which(name):
            more = (
                ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
                if word == "Open MPI"
                else []
            )
            return [name, *more]
    pytest.skip(f"no mpirun for {out.splitlines()[0]}")


@pytest.mark.parametrize("way", ["mpi", "auto"])
def test_mpirun(way):
    out = pes.run(*mpirun(), "-n", "4", pes.python(), pes.program("job.py"), way)
    for i in range(4):
        assert f"PE {i} of 4 done" in out


def test_torch_group_of_one(tmp_path):
    """A group that was not registered as "default" is found all the same; other names are not."""
    torch = pytest.importorskip("torch")
    dist = torch.distributed
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        s.shmem_torch_process_group_init("default")
        assert s.shmem_npes() == 1
        s.shmem_finalize()
        with pytest.raises(ValueError, match="registered"):
            s.shmem_torch_process_group_init("nobody")
    finally:
        dist.destroy_process_group()
    with pytest.raises(ValueError, match="init_process_group"):
        s.shmem_torch_process_group_init("default")


def test_mpi_failure_reaches_all():
    """One rank fails before it joins: every rank raises, none is left waiting."""
    code = (
        "import os, mori, mori.shmem as s\n"
        "from mpi4py import MPI\n"
        "rank = MPI.COMM_WORLD.Get_rank()\n"
        "if rank == 1: os.environ['MORI_SHMEM_HEAP_SIZE'] = 'much'\n"
        "os.environ['MORI_BOOTSTRAP_TIMEOUT'] = '3'\n"
        "try: s.shmem_mpi_init()\n"
        "except mori.ShmemError as e: print('rank', rank, e.name, flush=True)\n"
    )
    out = pes.run(*mpirun(), "-n", "2", pes.python(), "-c", code)
    assert "rank 1 MORI_SHMEM_EINVAL" in out
    assert "rank 0 MORI_SHMEM_" in out


def test_finalize_beside_daemon_threads():
    """They put and complete all the time; finalize refuses them and frees nothing under them."""
    for way in ("0", "1"):
        out = pes.run(
            *(pes.mori(), "run", "-n", "2", pes.python(), pes.program("finalize_busy.py")),
            env={"MORI_DISABLE_P2P": way},
        )
        assert out.count("refused 4 times") == 2, out


def test_fork_is_no_pe():
    s.shmem_init()
    pid = os.fork()
    if pid == 0:
        try:
            s.shmem_mype()
        except mori.ShmemError as e:
            os._exit(0 if e.name == "MORI_SHMEM_ESTATE" else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert s.shmem_mype() == 0
    s.shmem_finalize()
