# SPDX-License-Identifier: MIT
# TEST: timeout=300 quick=0 serial=1
"""examples/ray: actors as PEs, one of which is killed."""

import os
import re
import shutil
import tempfile

import pes
import pytest

RING = os.path.join(pes.HERE, "..", "..", "examples", "ray", "ring.py")


@pytest.fixture
def env():
    pytest.importorskip("ray")
    # A short name: sockets are deep in it.
    home = tempfile.mkdtemp(prefix="r")
    yield {"HOME": home, "RAY_TMPDIR": home, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONUNBUFFERED": "1"}
    shutil.rmtree(home, ignore_errors=True)


def test_ring(env):
    job = pes.start(pes.python(), RING, "3", env=env)
    out, _ = job.communicate(timeout=240)
    if "in main\n    ray.init(" in out:
        pytest.skip(f"Ray did not start: {out.splitlines()[-1]}")
    lines = [line for line in out.splitlines() if line.startswith(("PE ", "all ", "not all "))]
    lost = r"PE \d: .*PE 2 \(process \d+ on host .*\) was lost"
    assert job.returncode == 0, out
    assert lines[:3] == [f"PE {i} of 3: my neighbour gave me {100 + (i + 2) % 3}" for i in range(3)], out
    assert len(lines) == 8 and all(re.fullmatch(lost, line) for line in lines[3:5]), out
    assert lines[5:] == [f"PE {i} of 2: my neighbour gave me {101 - i}" for i in range(2)] + ["all have left"], out
