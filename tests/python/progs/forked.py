# SPDX-License-Identifier: MIT
"""PEs as children of one process, so that what takes long to import is imported once."""

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback


def say(text):
    """A line in one piece: others write, too."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _join(rank, n, folder):
    """Rank 0 leaves the id in a file."""
    import mori.shmem as ms

    path = os.path.join(folder, "id")
    if rank == 0:
        uid = ms.shmem_get_unique_id()
        with open(path + ".new", "wb") as file:
            file.write(uid)
        os.rename(path + ".new", path)
    while not os.path.exists(path):
        time.sleep(0.005)
    with open(path, "rb") as file:
        ms.shmem_init_attr(ms.MORI_SHMEM_INIT_WITH_UNIQUEID, rank, n, file.read())


def _enter_node(rank, n):
    """Within nodes (bench/nodes): PEs in blocks on each, as its --pe does."""
    nodes = int(os.environ.get("NODES", 0))
    if not nodes:
        return
    holder = os.environ[f"NODES_HOLDER_{rank // -(-n // nodes)}"]
    os.environ.pop("MORI_SOCKET_IFNAME", None)
    libc = ctypes.CDLL(None, use_errno=True)
    for kind in ("net", "uts", "ipc"):
        with open(f"/proc/{holder}/ns/{kind}") as space:
            if libc.setns(space.fileno(), 0):
                raise OSError(ctypes.get_errno(), f"cannot enter the node of PE {rank}")


def _child(rank, n, folder, body):
    code = 1
    _enter_node(rank, n)
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not to be left behind
    try:
        _join(rank, n, folder)
        code = body(rank, n) or 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def run(n, body, timeout=250):
    """body(rank, n) in n children that are PEs; what they give back is their exit code. 0 if all ended with 0."""
    folder = tempfile.mkdtemp()
    children = {}
    sys.stdout.flush()
    for rank in range(n):
        pid = os.fork()
        if pid == 0:
            _child(rank, n, folder, body)
        children[pid] = rank
    end, bad = time.monotonic() + timeout, 0
    while children:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid in children:
            rank = children.pop(pid)
            if status:
                say(f"PE {rank} ended with {os.waitstatus_to_exitcode(status)}")
            bad |= status != 0
        elif time.monotonic() > end:
            say(f"after {timeout} s these PEs still run: {sorted(children.values())}")
            for pid in children:
                os.kill(pid, signal.SIGKILL)
            end, bad = float("inf"), 1
        else:
            time.sleep(0.01)
    shutil.rmtree(folder)
    return 1 if bad else 0
