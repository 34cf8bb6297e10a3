# SPDX-License-Identifier: MIT
"""The exceptions and the warning of the package, which the extension module raises by name."""

import difflib
import re
import sys
import warnings
from typing import Any, Iterable


class ShmemError(RuntimeError):
    """A call of the library has failed.

    ``status`` is the negative MORI_SHMEM_E* code, ``text`` says what happened, to whom, and what
    to do; ``name`` is the code's name, such as "MORI_SHMEM_EPEER".
    """

    def __init__(self, status: int, text: str = ""):
        super().__init__(status, text)
        self.status = status
        self.text = text

    @property
    def name(self) -> str:
        from mori import _shmem

        for name, value in _shmem.constants.items():
            if value == self.status and name.startswith("MORI_SHMEM_E"):
                return name
        return str(self.status)

    def __str__(self) -> str:
        return f"{self.text} ({self.name})"


class ShmemValueError(ShmemError, ValueError):
    """An argument has an invalid value; detected before the library was called."""


class ShmemTypeError(ShmemError, TypeError):
    """An argument has the wrong type; detected before the library was called."""


def warn_unseen(text: str) -> None:
    """Warn of failures in kernels, at the line of the program that called the package.

    Each is news, also if the last had the same text: without a registry Python's default, which shows a text
    once a line, shows it every time. What a program's filters say holds.
    """
    frame = sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "mori":
        frame = frame.f_back
    warnings.warn_explicit(
        text, RuntimeWarning, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__")
    )


def value_error(text: str) -> ShmemValueError:
    return ShmemValueError(-1, text)


def type_error(text: str) -> ShmemTypeError:
    return ShmemTypeError(-1, text)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """"; did you mean x?" with the one of *names* that is nearest to *name*; "" if none is near."""
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.55)
    return f"; did you mean {near[0]}?" if near else ""


def wrong_arguments(call: str, names: tuple[str, ...], given: int, named: Any) -> ShmemTypeError:
    """What is wrong with the arguments of *call*: *given* by position, the mapping *named* by name."""
    named = named or {}
    open_names = [name for name in names[given:] if name not in named]
    for name in named:
        if name not in names:
            missing = f"; {', '.join(open_names)} is missing" if open_names else ""
            return type_error(
                f"{call}: there is no argument {name}{did_you_mean(name, names) or missing}"
            )
        if name in names[:given]:
            return type_error(f"{call}: the argument {name} is given twice")
    if given + len(named) == len(names):
        return type_error(f"{call}: the argument {open_names[0]} is missing")
    return type_error(
        f"{call} takes {len(names)} argument(s) ({', '.join(names)}), {given + len(named)} were given"
    )


_C_NAME = re.compile(r"\bmori_shmem_(\w+)\b(?! in a kernel)")
# Where the names of Python and of C differ by more than the prefix.
_IN_PYTHON = {"mori_shmem_init_mpi() of <mori/shmem_mpi.h>": "mori.shmem.shmem_mpi_init()"}


def library_error(status: int, text: bytes) -> ShmemError:
    """The exception for a failure of the library, whose text names its calls as in Python."""
    from mori import shmem

    words = text.decode(errors="replace")
    for c, python in _IN_PYTHON.items():
        words = words.replace(c, python)
    words = _C_NAME.sub(
        lambda m: f"mori.shmem.{m[1]}" if m[1] in shmem._names else m[0], words
    )
    return ShmemError(status, words)
