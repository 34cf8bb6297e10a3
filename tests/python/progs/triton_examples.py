# SPDX-License-Identifier: MIT
"""The programs of examples/triton on PEs of the CPU: triton_examples.py N [rounds of the all-reduces]."""

import os
import sys

os.environ.update(TRITON_INTERPRET="1", OMP_NUM_THREADS="1", MORI_SHMEM_DEVICE="cpu")
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../examples/triton"))

import allreduce
import common
import forked
import get
import hello
import put_ring
import put_signal


def body(rank, n):
    job = common.Job()
    for program in (hello, put_ring, get, put_signal):
        program.run(job)
    allreduce.run(job, rounds=int(sys.argv[2]))
    return job.leave()


sys.exit(forked.run(int(sys.argv[1]), body))
