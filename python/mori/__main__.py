# SPDX-License-Identifier: MIT
"""``python -m mori ...`` and the script ``mori``: both become the mori command."""

import os
import sys

from mori._paths import command


def main() -> None:
    path = command()
    try:
        os.execv(path, [path] + sys.argv[1:])
    except OSError as e:
        sys.exit(
            f"mori: cannot run {path}: {e.strerror}; the package is incomplete, install it again"
        )


if __name__ == "__main__":
    main()
