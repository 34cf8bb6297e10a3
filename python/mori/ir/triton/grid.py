# SPDX-License-Identifier: MIT
"""Runs the grid of an interpreted kernel so that its programs may wait for each other and for other PEs.

Triton's interpreter runs the programs of a grid one after another, in one builder for the whole
process. Here each program is a coroutine: it runs until it waits and then gives way. The builder's indices
of the program go with it. One launch is under way in a process at a time.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
import threading
import time
from typing import Any, Callable

try:
    import greenlet
except ImportError:
    raise ImportError("Triton kernels without a GPU need greenlet: pip install greenlet") from None
from triton.runtime import interpreter as _triton

from mori import ShmemError
from mori._ops import constants
from mori.ir.triton import repairs

_ETIMEDOUT = constants["MORI_SHMEM_ETIMEDOUT"]
_NAP_FIRST, _NAP_MOST, _NAP_ALONE = 50e-6, 2e-3, 20e-3  # seconds

_lock = threading.Lock()
_launch: Launch | None = None  # the one that is under way


def seconds(variable: str, default: float) -> float | None:
    """A time-out of the library; None for no limit. Init has refused what is not a number."""
    try:
        value = float(os.environ.get(variable, "") or default)
    except ValueError:
        value = default
    return value or None


def named(error: ShmemError, where: str) -> ShmemError:
    """The same error, naming the program that encountered it instead of the host's call."""
    return ShmemError(error.status, f"{where}: {re.sub(r'^mori_shmem_[a-z0-9_]+: ', '', error.text)}")


class Wait:
    """The reason why a program does not run.

    ``ready()`` says whether it may, ``doze(s)`` waits that long at most for that, or raises ShmemError when
    it will never be. ``left`` is how many seconds it may take; None for as long as it takes.
    """

    def __init__(
        self,
        what: str,
        ready: Callable[[], bool],
        doze: Callable[[float], None],
        left: float | None = None,
    ):
        self.what, self.ready, self.doze = what, ready, doze
        self.end = None if left is None else time.monotonic() + left
        self.held = False

    def over(self) -> bool:
        """Whether the program may continue; ``held`` then says if it got what it waited for."""
        self.held = self.ready()
        return self.held or (self.end is not None and time.monotonic() >= self.end)


class Program:
    """One program of the grid; ``wait`` is set while it waits."""

    def __init__(self, index: tuple[int, int, int], run: Callable[[], None]):
        self.index = index
        self.wait: Wait | None = None
        self.coroutine = greenlet.greenlet(run)

    def __str__(self) -> str:
        return f"program ({', '.join(map(str, self.index))})"


class Launch:
    """A grid that is being run, by the thread that launched it."""

    def __init__(self, fn: Any, num_warps: int, libraries: Any):
        self.fn = fn
        self.libraries = libraries  # extern_libs, as they were passed
        self.name = getattr(fn, "__name__", "kernel")
        self.num_warps = num_warps
        self.thread = threading.get_ident()
        self.driver = greenlet.getcurrent()
        self.current: Program | None = None
        self.paused: list[Program] = []
        self.left: int | None = None  # programs that have not begun

    def begin(self, arguments: dict[str, Any]) -> None:
        """Called by Triton for each program in turn: runs it up to where it waits; the last one goes on
        until all have ended."""
        builder = _triton.interpreter_builder
        if self.left is None:
            x, y, z = builder.grid_dim
            self.left = x * y * z
        self.left -= 1
        program = Program(builder.grid_idx, functools.partial(self.fn, **arguments))
        self._resume(program)
        if not self.left:
            self._finish()

    def alone(self) -> bool:
        """Whether the running program is the last one: it may block."""
        return not self.paused and not self.left

    def wait(self, wait: Wait) -> bool:
        """Lets others run until ``wait`` is over; returns whether it got what it waited for."""
        if wait.over():
            return wait.held
        self.current.wait = wait
        self.driver.switch()
        return wait.held

    def give_way(self) -> None:
        """Lets the others run once, if there are any."""
        if self.current is not None and not self.alone():
            self.current.wait = _TURN
            self.driver.switch()

    def close(self) -> None:
        """Ends what is left after an error."""
        for program in self.paused:
            if not program.coroutine.dead:
                program.coroutine.throw(greenlet.GreenletExit)
        self.paused = []

    def where(self, program: Program | None = None) -> str:
        return f"{program or self.current} of kernel {self.name}"

    def _resume(self, program: Program, error: BaseException | None = None) -> None:
        program.wait, self.current = None, program
        _triton.interpreter_builder.grid_idx = program.index
        try:
            if error is None:
                program.coroutine.switch()
            else:
                program.coroutine.throw(error)
        finally:
            self.current = None
        if not program.coroutine.dead:
            self.paused.append(program)

    def _round(self) -> bool:
        """Runs every program that may; whether one was waiting and no longer is."""
        moved = False
        for program in list(self.paused):
            if program.wait.over():
                moved |= program.wait is not _TURN
                self.paused.remove(program)
                self._resume(program)
        return moved

    def _finish(self) -> None:
        nap, turn, since = _NAP_FIRST, 0, time.monotonic()
        limit = seconds("MORI_SHMEM_TIMEOUT", 300)
        while self.paused:
            if self._round():
                nap, since = _NAP_FIRST, time.monotonic()
                continue
            if not self.paused:
                return
            waits = [p.wait for p in self.paused]
            endless = all(w.end is None and w is not _TURN for w in waits)
            if endless and limit and time.monotonic() - since > limit:
                raise ShmemError(_ETIMEDOUT, self._stuck(limit))
            turn = (turn + 1) % len(self.paused)
            most = _NAP_ALONE if len(self.paused) == 1 else _NAP_MOST
            self._doze(self.paused[turn], nap)
            nap = min(nap * 2, most)

    def _doze(self, program: Program, nap: float) -> None:
        try:
            program.wait.doze(nap)
        except ShmemError as error:
            self.paused.remove(program)
            self._resume(program, named(error, f"{self.where(program)}: {program.wait.what}"))

    def _stuck(self, limit: float) -> str:
        who = [f"{p} in {p.wait.what}" for p in self.paused[:8]]
        if len(self.paused) > 8:
            who.append(f"{len(self.paused) - 8} more")
        text = f"kernel {self.name}: all programs have only waited for {limit:g} s (MORI_SHMEM_TIMEOUT)"
        return f"{text}: {'; '.join(who)}"


_TURN = Wait("its turn", lambda: True, lambda nap: time.sleep(0))


class _Entry:
    """Stands for the kernel's function in Triton's loop over the grid."""

    def __init__(self, launch: Launch):
        self._launch = launch
        self.__name__ = launch.name
        self.__globals__ = launch.fn.__globals__
        self.__annotations__ = getattr(launch.fn, "__annotations__", {})
        self.__signature__ = inspect.signature(launch.fn)

    def __call__(self, **arguments: Any) -> None:
        self._launch.begin(arguments)


def current() -> Launch | None:
    """The launch that the calling program belongs to."""
    launch = _launch
    return launch if launch is not None and launch.thread == threading.get_ident() else None


def _polite(builder: Any) -> Callable[[], None]:
    """Programs that poll memory by Triton's own atomics and volatile loads give way, too. Returns what
    undoes it."""
    changed = []

    def after(name: str, when: Callable[[tuple], bool]) -> None:
        method = getattr(builder, name, None)
        if method is None:
            return

        def polite(*args: Any, **kwargs: Any) -> Any:
            result = method(*args, **kwargs)
            launch = current()
            if launch is not None and when(args):
                launch.give_way()
            return result

        setattr(builder, name, polite)
        changed.append(name)

    for name in ("create_atomic_cas", "create_atomic_rmw"):
        after(name, lambda args: True)
    after("create_masked_load", lambda args: bool(args and args[-1] is True))
    return lambda: [delattr(builder, name) for name in changed]


def _root(error: BaseException) -> BaseException:
    """The error of ours that Triton wrapped, once for each function that was on the way."""
    seen = error
    while seen is not None and not isinstance(seen, ShmemError):
        seen = seen.__cause__
    return error if seen is None else seen


def _run(original: Callable[..., Any], executor: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    global _launch
    if not _lock.acquire(blocking=False):
        raise RuntimeError(
            "another thread of this process is running a Triton kernel: the interpreter runs one at a time. "
            "Run one PE a process under TRITON_INTERPRET=1."
        )
    fn = executor.fn
    launch = Launch(fn, int(kwargs.get("num_warps") or 4), kwargs.get("extern_libs"))
    undo = _polite(_triton.interpreter_builder)
    executor.fn, _launch = _Entry(launch), launch
    try:
        return original(executor, *args, **kwargs)
    except Exception as error:
        root = _root(error)
        if root is error:
            raise
        raise root from None
    finally:
        launch.close()
        executor.fn, _launch = fn, None
        undo()
        _lock.release()


def install() -> None:
    """Has Triton's interpreter run its grids here. Again does no harm."""
    original = _triton.GridExecutor.__call__
    if getattr(original, "mori", False):
        return

    @functools.wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _run(original, self, args, kwargs)

    call.mori = True
    repairs.install()
    _triton.GridExecutor.__call__ = call
