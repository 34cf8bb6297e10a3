# SPDX-License-Identifier: MIT
"""Where the native parts of the package are: _native/{bin,lib,include}, next to the extension
module. In an editable install that is not where the sources are."""

import os

from mori import _shmem

_NATIVE = os.path.join(os.path.dirname(os.path.abspath(_shmem.__file__)), "_native")


def native(*parts: str) -> str:
    """The path of a native part, such as native("lib", "mori", "nvptx64"); it may not exist."""
    return os.path.join(_NATIVE, *parts)


def command() -> str:
    """The path of the mori command."""
    return native("bin", "mori")
