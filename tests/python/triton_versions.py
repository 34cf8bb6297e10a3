# SPDX-License-Identifier: MIT
"""The versions of Triton that the tests run: the installed one, and an older one from a folder of its own, named by
MORI_TEST_TRITON_36 or .cache/triton-3.6."""

import importlib.util
import os
import re
import subprocess
import sys
import threading

import pes
import pytest

ROOT = os.path.dirname(os.path.dirname(pes.HERE))
OLDER = os.environ.get("MORI_TEST_TRITON_36") or os.path.join(ROOT, ".cache", "triton-3.6")


def both():
    """Parameters: the folder of another Triton, or None."""
    older = pytest.param(OLDER, id="triton-3.6", marks=_unless(os.path.isdir(OLDER), f"no Triton 3.6 in {OLDER}"))
    return [pytest.param(None, id="triton"), older]


def named():
    """Folders of Tritons for what only compiles, None for the installed one: as MORI_TEST_TRITON lists them, or both."""
    listed = os.environ.get("MORI_TEST_TRITON")
    return [path or None for path in listed.split(os.pathsep)] if listed is not None else [None, OLDER]


def title(folder):
    """The name of one of these in a test's id."""
    return os.path.basename(folder) if folder else "triton"


def _unless(there, reason):
    return pytest.mark.skipif(not there, reason=reason)


def need():
    """Skips a whole file where Triton or what goes with it is missing."""
    for name in ("triton", "torch", "greenlet", "numpy"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed (tools/venv.sh)", allow_module_level=True)


def environment(older):
    path = [p for p in (older, os.environ.get("PYTHONPATH")) if p]
    lld = next((p for p in ("/usr/bin/ld.lld-22", "/usr/bin/ld.lld-19") if os.path.exists(p)), "")
    return {"PYTHONPATH": os.pathsep.join(path), "OMP_NUM_THREADS": "1", "TRITON_HIP_LLD_PATH": lld}


def program(name, *args, older=None, timeout=280):
    """The output of a program of progs/ under that Triton; it must end with 0."""
    return pes.run(sys.executable, pes.program(name), *args, env=environment(older), timeout=timeout)


def compiled(name, folder, *args, older=None, timeout=280):
    """{file name: text} of what a program of progs/ that compiles leaves in its folder."""
    pes.need_compiler()
    if older and not os.path.isdir(older):
        pytest.skip(f"no Triton in {older}")
    program(name, folder, *args, older=older, timeout=timeout)
    return {p.name: p.read_text() for p in folder.iterdir() if p.is_file()}


class Jobs:
    """progs/triton_jobs.py under one Triton: one process for all its jobs."""

    def __init__(self, older):
        env = environment(older)
        self._process = pes.start(sys.executable, pes.program("triton_jobs.py"), env=env, stdin=subprocess.PIPE)

    def run(self, *words, timeout=280):
        """The output of a job, which must end with 0."""
        timer = threading.Timer(timeout, os.killpg, (self._process.pid, 9))
        timer.start()
        try:
            print(*words, file=self._process.stdin, flush=True)
            out = ""
            for line in self._process.stdout:
                out += line
                if ended := re.search(r"job ended with (\d+)$", out):
                    assert ended[1] == "0", out
                    return out
        finally:
            timer.cancel()
        raise AssertionError(f"{words} came to no end:\n{out}")

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()
