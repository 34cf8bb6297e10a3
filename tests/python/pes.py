# SPDX-License-Identifier: MIT
"""How the tests start PEs: as threads of this process, or as processes that run a program."""

import os
import subprocess
import sys
import threading
import time

import pytest

import mori.shmem as shmem

HERE = os.path.dirname(os.path.abspath(__file__))
UNIQUEID = shmem.MORI_SHMEM_INIT_WITH_UNIQUEID


def threads(n, body, finalize=True, timeout=180):
    """Run body(rank) as PE rank of n in a thread each; the list of results. The first failure is raised."""
    uid = shmem.shmem_get_unique_id()
    results, errors = [None] * n, []

    def run(rank):
        try:
            shmem.shmem_init_attr(UNIQUEID, rank, n, uid)
            results[rank] = body(rank)
            if finalize:
                shmem.shmem_finalize()
        except BaseException as e:
            errors.append(e)
            if shmem.shmem_is_initialized():
                shmem.shmem_abort(f"{type(e).__name__}: {e}")

    all_threads = [threading.Thread(target=run, args=(rank,), daemon=True) for rank in range(n)]
    for t in all_threads:
        t.start()
    end = time.monotonic() + timeout
    for t in all_threads:
        t.join(max(0.1, end - time.monotonic()))
    assert not any(t.is_alive() for t in all_threads), (
        f"threads still run after {timeout} s; failures: {errors}"
    )
    if errors:
        raise errors[0]
    return results


def start(*command, env=None, **more):
    return subprocess.Popen(
        [str(c) for c in command],
        env={**os.environ, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **more,
    )


def finish(process, timeout=240):
    """Its output; it must end with 0."""
    try:
        out, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        out, _ = process.communicate()
        raise AssertionError(f"still running after {timeout} s:\n{out}") from None
    assert process.returncode == 0, f"exit {process.returncode}:\n{out}"
    return out


def run(*command, env=None, timeout=240, **more):
    return finish(start(*command, env=env, **more), timeout)


def need_compiler():
    """For tests that compile kernels."""
    from mori._paths import native

    if not os.path.exists(native("lib", "mori", os.uname().machine, "libmori_shmem_device.bc")):
        pytest.skip("this build has no device library")


def program(name):
    return os.path.join(HERE, "progs", name)


def mori():
    from mori._paths import command

    # Within nodes its `run` puts the PEs onto them.
    return os.path.join(HERE, "..", "net", "mori") if "NODES" in os.environ else command()


def python():
    return sys.executable
