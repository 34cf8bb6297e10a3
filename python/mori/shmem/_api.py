# SPDX-License-Identifier: MIT
"""Joining and leaving a job, memory, registration, synchronisation, status."""

from __future__ import annotations

import sys
import warnings
from typing import Any, NamedTuple

from mori import _shmem
from mori._errors import ShmemError, type_error, value_error

__all__ = [
    "Fault",
    "HeapInfo",
    "MemObj",
    "job",
    "shmem_abort",
    "shmem_barrier_all",
    "shmem_barrier_on_stream",
    "shmem_bind",
    "shmem_buffer_deregister",
    "shmem_buffer_register",
    "shmem_calloc",
    "shmem_check",
    "shmem_current",
    "shmem_device_of",
    "shmem_device_state",
    "shmem_ext_malloc_with_flags",
    "shmem_finalize",
    "shmem_find",
    "shmem_free",
    "shmem_get_unique_id",
    "shmem_heap_info",
    "shmem_info",
    "shmem_init",
    "shmem_init_attr",
    "shmem_is_initialized",
    "shmem_malloc",
    "shmem_malloc_align",
    "shmem_module_init",
    "shmem_mpi_init",
    "shmem_mype",
    "shmem_npes",
    "shmem_num_qp_per_pe",
    "shmem_ptr",
    "shmem_ptr_p2p",
    "shmem_query_memobj",
    "shmem_symmetric_deregister",
    "shmem_symmetric_register",
    "shmem_sync_all",
    "shmem_torch_process_group_init",
]

_op = _shmem.ops
_UNIQUE_ID_BYTES = _shmem.constants["MORI_SHMEM_UNIQUE_ID_BYTES"]
_WITH_MPI_COMM = _shmem.constants["MORI_SHMEM_INIT_WITH_MPI_COMM"]
_WITH_UNIQUEID = _shmem.constants["MORI_SHMEM_INIT_WITH_UNIQUEID"]


class HeapInfo(NamedTuple):
    """The symmetric heap of this PE, in bytes."""

    size: int
    used: int
    free: int
    largest_free: int
    peak: int
    blocks: int
    p2p: int  # PEs whose heap is reached by load and store

    @property
    def near(self) -> int:
        """The former name of *p2p*; deprecated."""
        warnings.warn("HeapInfo.near is now HeapInfo.p2p", DeprecationWarning, stacklevel=2)
        return self.p2p


class MemObj(NamedTuple):
    """Memory the library knows, for the object forms; kind 1 heap, 2 window, 3 local buffer."""

    addr: int
    size: int
    kind: int


class Fault(NamedTuple):
    """The first failure of a PE that nobody has checked; -1 in block and thread: from the host."""

    code: int
    text: str
    pe: int
    op: str
    addr: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]


def shmem_get_unique_id() -> bytes:
    """Open a rendezvous in this process; the 128 bytes are for shmem_init_attr() on all PEs."""
    return _shmem.get_unique_id()


def shmem_init_attr(flags: int, rank: int, nranks: int, unique_id: bytes) -> int:
    """Join a job as PE *rank* of *nranks* and bind this thread to it. Collective; returns 0.

    *flags* is MORI_SHMEM_INIT_WITH_UNIQUEID, *unique_id* what one PE got of shmem_get_unique_id().
    Several threads of a process may each be a PE.
    """
    if flags == _WITH_MPI_COMM:
        raise value_error("shmem_init_attr: with an MPI communicator call shmem_mpi_init(comm)")
    try:
        unique_id = bytes(memoryview(unique_id))
    except TypeError:
        raise type_error(
            f"shmem_init_attr: unique_id is of type {type(unique_id).__name__}; "
            f"it must be the {_UNIQUE_ID_BYTES} bytes of shmem_get_unique_id()"
        ) from None
    _shmem.init_attr(flags, rank, nranks, unique_id)
    return _joined(0)


def shmem_init() -> int:
    """Join the job this process was started in: mori run, mpirun or srun, torchrun; else alone."""
    return _joined(_op["init"]())


def _joined(status: int) -> int:
    """Kernels of Triton's that this thread compiled before belong to the PE it is now."""
    runtime = sys.modules.get("mori.ir.triton.runtime")
    if runtime is not None:
        runtime.refill()
    return status


def shmem_finalize() -> int:
    """Leave the job; collective. Frees all the PE has; init may follow.

    Tensors that still live keep their memory, as ordinary memory of this process.
    """
    return _op["finalize"]()


def shmem_is_initialized() -> bool:
    """Whether a call from this thread would find a PE."""
    return bool(_op["is_initialized"]())


def _join(rank: int, nranks: int, share: Any, agree: Any) -> int:
    """Rank 0 opens a rendezvous and shares its id; all raise where one has failed.

    share(data) gives every process the (error, id) of rank 0; agree(error) gives the list of all.
    """
    error, unique_id = None, b""
    if rank == 0:
        try:
            unique_id = shmem_get_unique_id()
        except RuntimeError as e:
            error = e
    first, unique_id = share((_flat(error), unique_id))
    if first:
        raise error or _shmem_error(first, "on rank 0: ")
    try:
        shmem_init_attr(_WITH_UNIQUEID, rank, nranks, unique_id)
    except RuntimeError as e:
        error = e
    errors = agree(_flat(error))
    bad = [i for i, e in enumerate(errors) if e]
    if not bad:
        return 0
    if error:
        raise error
    shmem_finalize()
    raise _shmem_error(errors[bad[0]], f"on rank {bad[0]}: ")


def _flat(error: Any) -> Any:
    return (error.status, error.text) if error else None


def _shmem_error(flat: Any, where: str) -> Exception:
    return ShmemError(flat[0], where + flat[1])


def shmem_mpi_init(comm: Any = None) -> int:
    """Join a job of the processes of an mpi4py communicator (default COMM_WORLD).

    Collective over *comm*, which carries the unique id and is not kept. It returns 0 on every
    process, or raises on every process.
    """
    if comm is None:
        try:
            from mpi4py import MPI
        except ImportError as e:
            raise type_error(
                f"shmem_mpi_init: mpi4py cannot be imported ({e}); install it, or share the bytes of "
                "shmem_get_unique_id() yourself and call shmem_init_attr()"
            ) from e
        comm = MPI.COMM_WORLD
    for name in ("Get_rank", "Get_size", "bcast", "allgather"):
        if not hasattr(comm, name):
            raise type_error(
                f"shmem_mpi_init: comm is of type {type(comm).__name__}, not an mpi4py communicator"
            )
    return _join(
        comm.Get_rank(), comm.Get_size(), lambda data: comm.bcast(data, root=0), comm.allgather
    )


def shmem_torch_process_group_init(group_name: str) -> int:
    """Join a job of the ranks of a torch.distributed process group, by its registered name.

    "default" also finds the default group where none was registered under that name. Collective
    over the group, which carries the unique id and is not kept.
    """
    from mori.shmem import _torch

    group = _torch.find_group(group_name)
    return _join(group.rank(), group.size(), *_torch.carriers(group))


class job:
    """``with job() as me:`` joins a job and leaves it: me.pe of me.n is this PE.

    Without arguments as shmem_init(); with *group* as shmem_torch_process_group_init(), with *comm* as
    shmem_mpi_init(), with *rank*, *nranks* and *unique_id* as shmem_init_attr().

    An exception that leaves the block ends the job on all PEs, with its first line as the reason, and then goes on.
    """

    def __init__(
        self,
        *,
        group: str | None = None,
        comm: Any = None,
        rank: int | None = None,
        nranks: int | None = None,
        unique_id: bytes | None = None,
    ):
        attr = (rank, nranks, unique_id)
        if (group is not None) + (comm is not None) + any(a is not None for a in attr) > 1:
            raise value_error("job: group, comm, and rank with nranks and unique_id exclude each other")
        if any(a is not None for a in attr) and None in attr:
            raise value_error("job: rank, nranks and unique_id go together")
        self._group, self._comm, self._attr = group, comm, attr
        self.pe = self.n = -1

    def __enter__(self) -> job:
        if self._group is not None:
            shmem_torch_process_group_init(self._group)
        elif self._comm is not None:
            shmem_mpi_init(self._comm)
        elif self._attr[0] is not None:
            shmem_init_attr(_WITH_UNIQUEID, *self._attr)
        else:
            shmem_init()
        self.pe, self.n = shmem_mype(), shmem_npes()
        return self

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        if value is None or (isinstance(value, SystemExit) and not value.code):
            shmem_finalize()
            return
        if not shmem_is_initialized():
            return
        why = f"{kind.__name__}: {value}".splitlines()[0].removesuffix(": ")[:200]
        for leave in (lambda: _shmem.abort(why), shmem_finalize):
            try:
                leave()
            except ShmemError:
                pass  # the job has ended already; what the block raised says more


def shmem_mype() -> int:
    """The rank of this PE."""
    return _op["my_pe"]()


def shmem_npes() -> int:
    """How many PEs the job has."""
    return _op["n_pes"]()


def shmem_num_qp_per_pe() -> int:
    """Queues to each PE, among which *qp* chooses; 1 where there are none."""
    return _op["num_qp_per_pe"]()


def shmem_current() -> int:
    """A handle of the PE this thread acts for."""
    return _op["current"]()


def shmem_bind(pe: int | None) -> int:
    """Let this thread act for the PE of that handle; None unbinds it."""
    return _op["bind"](pe)


def shmem_find(rank: int) -> int:
    """The handle of the PE of that rank, which must be in this process."""
    return _op["find"](rank)


def shmem_device_of(rank: int) -> int:
    """The number of the device that PE *rank* sits on; 0 on the CPU."""
    return _op["device_of"](rank)


def shmem_malloc(size: int) -> int:
    """Symmetric memory, as an address; collective, *size* the same on every PE. 0 bytes give 0."""
    return _op["malloc"](size)


def shmem_malloc_align(alignment: int, size: int) -> int:
    """As shmem_malloc(), at a multiple of *alignment*, a power of two."""
    return _op["malloc_align"](alignment, size)


def shmem_calloc(n: int, size: int) -> int:
    """As shmem_malloc() of *n* * *size* bytes, zero on every PE when it returns."""
    return _op["calloc"](n, size)


def shmem_ext_malloc_with_flags(size: int, flags: int) -> int:
    """As shmem_malloc(); *flags* of MORI_SHMEM_MALLOC_*."""
    return _op["ext_malloc_with_flags"](size, flags)


def shmem_free(ptr: int) -> int:
    """Give a block of shmem_malloc() back; collective. Returns 0."""
    return _op["free"](ptr)


def shmem_heap_info() -> HeapInfo:
    """What the heap of this PE holds and has left."""
    _op["tell"]()
    return HeapInfo(**_shmem.heap_info())


def shmem_buffer_register(ptr: int, size: int) -> int:
    """Make existing memory a local source or destination on every path. Returns 0."""
    return _op["buffer_register"](ptr, size)


def shmem_buffer_deregister(ptr: int, size: int) -> int:
    """Undo shmem_buffer_register() of the same range. Returns 0."""
    return _op["buffer_deregister"](ptr, size)


def shmem_symmetric_register(ptr: int, size: int) -> int:
    """Make existing memory a window that peers can address; collective. Returns 0."""
    return _op["symmetric_register"](ptr, size)


def shmem_symmetric_deregister(ptr: int, size: int) -> int:
    """Undo shmem_symmetric_register(); collective. Returns 0."""
    return _op["symmetric_deregister"](ptr, size)


def shmem_query_memobj(ptr: int) -> MemObj:
    """The memory object of an address, for the object forms of put, get and signals."""
    _op["tell"]()
    return MemObj(*_shmem.query_memobj(ptr))


def check_pe(what: str, pe: int) -> None:
    """Where the library would not tell a PE that does not exist from one it cannot reach."""
    n = _op["n_pes"]()
    if isinstance(pe, int) and not 0 <= pe < n:
        raise value_error(f"{what}: there is no PE {pe}, only 0 to {n - 1}")


def shmem_ptr_p2p(dest_ptr: int, my_pe: int, dest_pe: int) -> int:
    """Where PE *my_pe* sees PE *dest_pe*'s copy of a symmetric address; 0 if not by load and store."""
    for pe in (my_pe, dest_pe):
        check_pe("shmem_ptr_p2p", pe)
    return _op["ptr_p2p"](dest_ptr, my_pe, dest_pe)


def shmem_ptr(addr: int, pe: int) -> int:
    """Where this PE sees PE *pe*'s copy of a symmetric address; 0 if not by load and store."""
    check_pe("shmem_ptr", pe)
    return _op["ptr"](addr, pe)


def shmem_barrier_all() -> int:
    """Complete what this PE's host issued, then synchronise with all PEs. Returns 0."""
    return _op["barrier_all"]()


def shmem_sync_all() -> int:
    """Synchronise with all PEs; completes nothing. Returns 0."""
    return _op["sync_all"]()


def _stream(stream: Any) -> int:
    """The native handle: None, an int, or what torch and others give as cuda_stream."""
    if stream is None:
        return 0
    for name in ("cuda_stream", "ptr"):
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if isinstance(stream, int):
        return stream
    raise type_error(
        f"stream is of type {type(stream).__name__}; pass None, an int, or an object with cuda_stream"
    )


def shmem_barrier_on_stream(stream: Any = None) -> int:
    """shmem_barrier_all() in the order of a stream: None, an int, or an object with cuda_stream."""
    return _op["barrier_on_stream"](_stream(stream))


def shmem_module_init(hip_module: int) -> int:
    """Let the kernels of a module act for this thread's PE. Returns 0.

    *hip_module* is a module that was loaded by the device's own means: hipModule_t, CUmodule, or
    on the CPU a handle of dlopen().
    """
    return _op["module_init"](hip_module)


def shmem_check() -> Fault | None:
    """The first failure that could not be reported since the last check, or None; clears it."""
    fault = _shmem.check()
    return Fault(**fault) if fault else None


def shmem_device_state() -> int:
    """The address of this PE's state, the ctx argument of the ``ctx_`` forms."""
    _op["tell"]()
    return _shmem.device_state()


def shmem_info() -> list[tuple[str, str, str, str | None]]:
    """What the library is and found on this machine: (section, key, value, note) rows."""
    _op["tell"]()
    return _shmem.info()


def shmem_abort(why: str = "") -> int:
    """End the job: every call of every PE that waits, now or later, fails and says why."""
    _shmem.abort(why or f"{sys.argv[0] or 'a program'} called shmem_abort()")
    return 0
