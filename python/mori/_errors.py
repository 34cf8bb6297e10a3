# SPDX-License-Identifier: MIT
"""The exceptions of the package. The extension module raises them by name."""


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


def value_error(text: str) -> ShmemValueError:
    return ShmemValueError(-1, text)


def type_error(text: str) -> ShmemTypeError:
    return ShmemTypeError(-1, text)
