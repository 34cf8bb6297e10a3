# SPDX-License-Identifier: MIT
"""Tensors on the symmetric heap.

Memory of a tensor comes back by mori_shmem_free_tensor() alone, which is collective; a tensor that is garbage-collected
frees nothing, and its block is in use until finalize. Every view holds the heap: what is left of one after a
free, or after finalize, can still be read and written without harm to the process.
"""

from __future__ import annotations

import math
import operator
import sys
import weakref
from typing import Any, Callable, Iterable, Self, Sequence

from mori import _shmem
from mori._errors import ShmemError, type_error, value_error
from mori.shmem._api import check_pe
from mori.shmem._span import span

__all__ = [
    "MoriShmemBuffer",
    "mori_shmem_create_tensor",
    "mori_shmem_create_tensor_list_intra_node",
    "mori_shmem_free_tensor",
    "symm_mori_shmem_tensor",
]

_op = _shmem.ops
_ESTATE = _shmem.constants["MORI_SHMEM_ESTATE"]
_ENOENT = _shmem.constants["MORI_SHMEM_ENOENT"]
_ENOTSUP = _shmem.constants["MORI_SHMEM_ENOTSUP"]

# name: (type code of DLPack, bits, type of the array interface)
_DTYPES = {
    "bool": (6, 8, "|b1"),
    "int8": (0, 8, "|i1"),
    "int16": (0, 16, "<i2"),
    "int32": (0, 32, "<i4"),
    "int64": (0, 64, "<i8"),
    "uint8": (1, 8, "|u1"),
    "uint16": (1, 16, "<u2"),
    "uint32": (1, 32, "<u4"),
    "uint64": (1, 64, "<u8"),
    "float16": (2, 16, "<f2"),
    "float32": (2, 32, "<f4"),
    "float64": (2, 64, "<f8"),
    "bfloat16": (4, 16, "<V2"),
    "complex64": (5, 64, "<c8"),
    "complex128": (5, 128, "<c16"),
    "float8_e4m3fn": (10, 8, "|V1"),
    "float8_e4m3fnuz": (11, 8, "|V1"),
    "float8_e5m2": (12, 8, "|V1"),
    "float8_e5m2fnuz": (13, 8, "|V1"),
    "float8_e8m0fnu": (14, 8, "|V1"),
}

# Device types of DLPack.
_DEVICES = {"cpu": 1, "amd-emu": 1, "cuda": 2, "hip": 10}


def _dtype_name(dtype: Any) -> str:
    """The name of a dtype of torch, numpy or ml_dtypes, or of a string."""
    for name in (dtype, getattr(dtype, "name", None), getattr(dtype, "__name__", None), str(dtype)):
        if isinstance(name, str) and name.removeprefix("torch.") in _DTYPES:
            return name.removeprefix("torch.")
    raise type_error(f"dtype {dtype!r} is none of {', '.join(_DTYPES)}")


def _check_range(ptr: int, nbytes: int) -> None:
    """Memory of this PE must be in use; where it is a peer's only the place can be checked."""
    try:
        addr, size, _ = _shmem.query_memobj(ptr)
    except ShmemError as e:
        if e.status != _ENOENT:
            raise
        if ptr and _own_heap(ptr):
            raise value_error(
                f"{ptr:#x} is in no block of the symmetric heap: it was freed, or never allocated"
            ) from None
        return
    if ptr + nbytes > addr + size:
        raise value_error(
            f"{ptr:#x} + {nbytes} bytes leaves its block, which has {addr + size - ptr} bytes from there"
        )


def _own_heap(ptr: int) -> bool:
    try:
        return _op["ptr"].silent(ptr, _op["my_pe"].silent()) != 0
    except ShmemError:
        _op["tell"]()  # or what kernels have left would go with it
        _shmem.check()
        return False


class MoriShmemBuffer(_shmem.Memory):
    """Symmetric memory as an array of one dimension.

    *ptr* is an address of this PE's heap in use, or a peer's of shmem_ptr_p2p(). It has DLPack
    and ``__array_interface__`` or ``__cuda_array_interface__``, whichever is right for the device, so
    numpy.asarray(), torch.from_dlpack(), jax.numpy.from_dlpack() and cupy.asarray() make views of it.
    """

    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    device: tuple[int, int]  # type and number, as DLPack counts them

    def __new__(cls, ptr: int, nbytes: int, dtype: Any = "uint8") -> Self:
        name = _dtype_name(dtype)
        itemsize = _DTYPES[name][1] // 8
        if not isinstance(ptr, int) or not isinstance(nbytes, int):
            raise type_error("MoriShmemBuffer: ptr and nbytes are integers")
        if nbytes < 0 or nbytes % itemsize:
            raise value_error(
                f"nbytes {nbytes} is no number of {name} elements of {itemsize} bytes"
            )
        _check_range(ptr, nbytes)
        device = _op["device_name"]()
        self = super().__new__(cls, ptr, nbytes)
        self.dtype = name
        self.itemsize = itemsize
        self.shape = (nbytes // itemsize,)
        self.device = (_DEVICES[device], _op["device_of"](_op["my_pe"]()))
        return self

    def data_ptr(self) -> int:
        """The address, as of a tensor."""
        return self.ptr

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"MoriShmemBuffer(ptr={self.ptr:#x}, nbytes={self.nbytes}, dtype={self.dtype})"

    def _interface(self, **more: Any) -> dict[str, Any]:
        typestr = _DTYPES[self.dtype][2]
        return {
            "shape": self.shape,
            "typestr": typestr,
            "data": (self.ptr, False),
            "strides": None,
            **more,
        }

    @property
    def __array_interface__(self) -> dict[str, Any]:
        if self.device[0] != _DEVICES["cpu"]:
            raise AttributeError("__array_interface__: the memory is a device's")
        return self._interface(version=3)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device[0] == _DEVICES["cpu"]:
            raise AttributeError("__cuda_array_interface__: the memory is the CPU's")
        return self._interface(version=3, stream=None)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.device):
            raise BufferError(
                "MoriShmemBuffer: only a view of this memory, where it is, can be had"
            )
        code, bits, _ = _DTYPES[self.dtype]
        versioned = max_version is not None and max_version[0] >= 1
        return self._dlpack(self.shape, code, bits, self.device[0], self.device[1], versioned)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device


# The tensors that were made of a block, by its address in this process and by their id().
_made: dict[int, dict[int, weakref.ref]] = {}


def _note(block: int, tensor: Any) -> None:
    key = id(tensor)

    def drop(_: Any) -> None:
        left = _made.get(block, {})
        left.pop(key, None)
        if not left:
            _made.pop(block, None)

    _made.setdefault(block, {})[key] = weakref.ref(tensor, drop)


def _noted(block: int) -> list[Any]:
    tensors = [ref() for ref in list(_made.get(block, {}).values())]
    return [t for t in tensors if t is not None]


def _torch() -> Any:
    try:
        import torch
    except ImportError as e:
        raise type_error(
            f"tensors need torch, which cannot be imported ({e}); or use MoriShmemBuffer"
        ) from e
    return torch


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        sizes = tuple(operator.index(n) for n in (shape if isinstance(shape, Iterable) else [shape]))
    except TypeError:
        raise type_error(f"shape {shape!r} is not an int or a sequence of ints") from None
    if any(n < 0 for n in sizes):
        raise value_error(f"shape {sizes}: no size can be negative")
    return sizes


def _view(torch: Any, ptr: int, shape: tuple[int, ...], dtype: Any, owner: int) -> Any:
    """A tensor over *ptr* that is the only user of its storage, noted for the block at *owner*."""
    like = torch.empty(shape, dtype=dtype, device="meta")
    memory = MoriShmemBuffer(ptr, like.numel() * like.element_size(), "uint8")
    flat = torch.from_dlpack(memory)
    tensor = torch.empty(0, dtype=dtype, device=flat.device)
    tensor.set_(flat.untyped_storage(), 0, shape, like.stride())
    tensor._mori_shmem = memory
    _note(owner, tensor)
    return tensor


def _check_dtype(torch: Any, dtype: Any) -> int:
    if not isinstance(dtype, torch.dtype):
        raise type_error(f"dtype {dtype!r} is not a torch.dtype, such as torch.float32")
    if str(dtype).startswith(("torch.q", "torch.bits")):
        raise type_error(
            f"dtype {dtype}: tensors on the heap are of plain types, not of quantized ones"
        )
    try:
        return torch.empty(0, dtype=dtype).element_size()
    except (RuntimeError, NotImplementedError, TypeError) as e:
        raise type_error(f"dtype {dtype}: torch cannot make a tensor of it ({e})") from e


def _torch_tensor(shape: Any, dtype: Any, allocate: Callable[[int], int]) -> Any:
    torch = _torch()
    sizes = _shape(shape)
    ptr = allocate(math.prod(sizes) * _check_dtype(torch, dtype))
    if ptr:
        return _view(torch, ptr, sizes, dtype, ptr)
    tensor = torch.empty(sizes, dtype=dtype)
    tensor._mori_shmem = None
    return tensor


def _array(ptr: int, sizes: tuple[int, ...], dtype: Any) -> Any:
    import numpy

    memory = MoriShmemBuffer(ptr, math.prod(sizes) * dtype.itemsize)
    return numpy.asarray(memory).view(dtype).reshape(sizes)


def _numpy_array(what: str, shape: Any, dtype: Any, allocate: Callable[[int], int]) -> Any:
    try:
        import numpy
    except ImportError as e:
        raise type_error(
            f"{what}: dtype {dtype!r} is not one of torch, and numpy cannot be imported ({e})"
        ) from e
    sizes = _shape(shape)
    try:
        kind = numpy.dtype(dtype)
    except TypeError:
        kind = None
    if dtype is None or kind is None or kind.hasobject or not kind.itemsize:
        raise type_error(
            f"{what}: dtype {dtype!r} is none of torch or numpy, such as torch.float32 or 'float32'"
        )
    if _DEVICES[_op["device_name"]()] != _DEVICES["cpu"]:
        raise type_error(
            f"{what}: the heap is a device's, where numpy has no arrays: pass a dtype of torch"
        )
    ptr = allocate(math.prod(sizes) * kind.itemsize)
    return _array(ptr, sizes, kind) if ptr else numpy.empty(sizes, kind)


def create(what: str, shape: Any, dtype: Any, allocate: Callable[[int], int]) -> Any:
    """Of torch or numpy, whichever has the dtype, in memory that *allocate* gives for a number of bytes."""
    torch = sys.modules.get("torch")
    if torch and isinstance(dtype, torch.dtype):
        return _torch_tensor(shape, dtype, allocate)
    return _numpy_array(what, shape, dtype, allocate)


def mori_shmem_create_tensor(shape: int | Sequence[int], dtype: Any) -> Any:
    """A torch tensor on the symmetric heap, not initialised; collective.

    It is a CPU tensor on CPU PEs and a CUDA tensor on CUDA PEs. Give it back with mori_shmem_free_tensor().
    """
    return _torch_tensor(shape, dtype, _op["malloc"])


def _check_tensor(what: str, tensor: Any) -> Any:
    torch = _torch()
    if not isinstance(tensor, torch.Tensor):
        raise type_error(f"{what}: {type(tensor).__name__} is not a torch.Tensor")
    if getattr(tensor, "_mori_shmem", None) == "freed":
        raise value_error(f"{what}: the tensor was freed already")
    if not tensor.is_contiguous():
        raise value_error(
            f"{what}: the tensor is not contiguous (shape {tuple(tensor.shape)}, strides {tensor.stride()}); "
            "pass the tensor that mori_shmem_create_tensor() gave, or a contiguous part of it"
        )
    return torch


def _block_of(what: str, address: int) -> int:
    """The address of the block in which *address* lies."""
    try:
        return _shmem.query_memobj(address)[0]
    except ShmemError as e:
        if e.status != _ENOENT:
            raise
        raise value_error(
            f"{what}: the tensor at {address:#x} is not on this PE's symmetric heap, or was freed; "
            "make it with mori_shmem_create_tensor()"
        ) from None


def _address_on(what: str, address: int, pe: int) -> int:
    """Where this PE sees PE *pe*'s copy of *address*."""
    ptr = _op["ptr"](address, pe)
    if not ptr:
        raise ShmemError(_ENOTSUP, f"{what}: PE {pe} cannot be reached by load and store")
    return ptr


def peer(t: Any, pe: int) -> Any:
    """As symm_mori_shmem_tensor(), for tensors, numpy arrays and buffers."""
    torch = sys.modules.get("torch")
    if torch and isinstance(t, torch.Tensor):
        return symm_mori_shmem_tensor(t, pe)
    of = span("peer", "t", t)
    if not of.size or pe == _op["my_pe"]():
        return t
    if not of.contiguous:
        raise value_error("peer: t is not contiguous")
    _block_of("peer", of.memory)
    ptr = _address_on("peer", of.memory, pe)
    if isinstance(t, MoriShmemBuffer):
        return MoriShmemBuffer(ptr, t.nbytes, t.dtype)
    return _array(ptr, of.shape, t.dtype)


def symm_mori_shmem_tensor(t: Any, peer: int) -> Any:
    """The tensor of PE *peer* that corresponds to *t*, as a view of that PE's memory; not collective."""
    torch = _check_tensor("symm_mori_shmem_tensor", t)
    if not t.numel():
        return t
    block = _block_of("symm_mori_shmem_tensor", t.data_ptr())
    check_pe("symm_mori_shmem_tensor", peer)
    if peer == _op["my_pe"]():
        return t
    ptr = _address_on("symm_mori_shmem_tensor", t.data_ptr(), peer)
    return _view(torch, ptr, tuple(t.shape), t.dtype, block)


def mori_shmem_create_tensor_list_intra_node(
    shape: int | Sequence[int], dtype: Any, num_ranks: int
) -> list[Any]:
    """The same tensor on PEs 0 to *num_ranks* - 1, by rank, which must be on this node; collective."""
    npes = _op["n_pes"]()
    if not isinstance(num_ranks, int) or not 0 < num_ranks <= npes:
        raise value_error(f"num_ranks {num_ranks!r} is not in 1 to {npes}, the number of PEs")
    tensor = mori_shmem_create_tensor(shape, dtype)
    return [symm_mori_shmem_tensor(tensor, peer) for peer in range(num_ranks)]


def _others(torch: Any, tensors: list[Any]) -> int:
    """How many users of the memory of *tensors* there are besides these; 0 where torch does not say."""
    storages: dict[int, int] = {}
    others = 0
    count = getattr(torch._C, "_storage_Use_Count", None)
    for t in tensors:
        cdata = t.untyped_storage()._cdata
        storages[cdata] = storages.get(cdata, 0) + 1
        if hasattr(t, "_use_count"):
            others += max(0, t._use_count() - 1 - sum(v._base is t for v in tensors))
    for t in tensors:
        storage = t.untyped_storage()
        expected = storages.pop(storage._cdata, None)
        if expected and count:
            others += max(0, count(storage._cdata) - 1 - expected)
    return others


def _forget(torch: Any, tensors: list[Any]) -> None:
    """Leave the tensors empty, so that nobody writes to what belongs to the heap again."""
    for t in tensors:
        t._mori_shmem = "freed"
        try:
            with torch.no_grad():
                t.set_()
        except RuntimeError:
            pass  # a view that torch does not let go: its memory stays readable


def mori_shmem_free_tensor(t: Any) -> None:
    """Give the memory of a tensor of mori_shmem_create_tensor() back; collective.

    The tensor, and the peers' that were made of it, are empty afterwards. While anything else uses the memory (a slice, a
    numpy array, a DLPack consumer) it raises, before the barrier: delete that and call again.
    """
    torch = _check_tensor("mori_shmem_free_tensor", t)
    if not t.numel():
        _op["free"](None)
        t._mori_shmem = "freed"
        return
    block = _block_of("mori_shmem_free_tensor", t.data_ptr())
    if t.data_ptr() != block:
        raise value_error(
            "mori_shmem_free_tensor: this is a part of a tensor; pass the one that mori_shmem_create_tensor() gave"
        )
    tensors = {id(x): x for x in _noted(block)}
    base = t._base
    for more in (t, base):
        if more is not None:
            tensors[id(more)] = more
    users = list(tensors.values())
    del tensors, base
    others = _others(torch, users)
    if others:
        raise ShmemError(
            _ESTATE,
            "mori_shmem_free_tensor: views or arrays of it still use the memory; delete them first. "
            "Nothing was freed",
        )
    _op["free"](block)
    _made.pop(block, None)
    _forget(torch, users)


def free(t: Any) -> None:
    """As mori_shmem_free_tensor(), for tensors, numpy arrays, buffers and addresses."""
    torch = sys.modules.get("torch")
    if torch and isinstance(t, torch.Tensor):
        mori_shmem_free_tensor(t)
        return
    if t is None or isinstance(t, int):
        _op["free"](t)
        return
    of = span("free", "t", t)
    block = _block_of("free", of.memory) if of.size else None
    if block and block != of.memory:
        raise value_error("free: this is a part of an array; pass the one that empty() or zeros() gave")
    _op["free"](block)
    if hasattr(t, "flags"):
        t.flags.writeable = False
