# SPDX-License-Identifier: MIT
"""The exceptions and the warning of the package, which the extension module raises by name."""

import sys
import warnings


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
    """An argument has a value that will not do; found before the library was called."""


class ShmemTypeError(ShmemError, TypeError):
    """An argument is of the wrong type; found before the library was called."""


def warn_unseen(text: str) -> None:
    """Of failures in kernels, with the line of the program that called the package.

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
