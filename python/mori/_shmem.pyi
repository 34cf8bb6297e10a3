# SPDX-License-Identifier: MIT
from typing import Any, Callable, Self

__version__: str
constants: dict[str, int]
ops: dict[str, Op]

class Op:
    __name__: str
    family: str
    returns: str
    args: tuple[tuple[str, str], ...]
    __call__: Callable[..., Any]
    silent: Callable[..., Any]

class Memory:
    ptr: int
    nbytes: int
    def __new__(cls, address: int, nbytes: int, /) -> Self: ...
    def _dlpack(
        self,
        shape: tuple[int, ...],
        code: int,
        bits: int,
        device_type: int,
        device_id: int,
        versioned: bool,
        /,
    ) -> object: ...

def get_unique_id() -> bytes: ...
def init_attr(flags: int, rank: int, nranks: int, unique_id: bytes, /) -> None: ...
def abort(why: str, /) -> None: ...
def heap_info() -> dict[str, int]: ...
def query_memobj(ptr: Any, /) -> tuple[int, int, int]: ...
def check() -> dict[str, Any] | None: ...
def leave_fault(code: int, op: str, pe: int, addr: int, program: tuple[int, int, int], /) -> None: ...
def device_state() -> int: ...
def info() -> list[tuple[str, str, str, str | None]]: ...
def module_load(image: bytes, /) -> int: ...
def module_kernels(module: int, /) -> list[str]: ...
def kernel_params(module: int, name: str, /) -> list[tuple[int, int]]: ...
def kernel_launch(
    module: int,
    name: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared: int,
    args: tuple[bytes, ...],
    stream: int,
    /,
) -> None: ...
