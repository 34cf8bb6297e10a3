# SPDX-License-Identifier: MIT
"""The programs of examples/triton on PEs of the CPU, for triton_jobs.py."""

import os
import sys

os.environ.update(TRITON_INTERPRET="1", OMP_NUM_THREADS="1", MORI_SHMEM_DEVICE="cpu")
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "../../../examples/triton"))

import allreduce
import common
import get
import hello
import put_ring
import put_signal


def body(rounds):
    """With so many rounds of the all-reduces."""
    job = common.Job()
    for program in (hello, put_ring, get, put_signal):
        program.run(job)
    allreduce.run(job, rounds=rounds)
    return job.leave()
