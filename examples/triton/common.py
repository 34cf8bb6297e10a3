# SPDX-License-Identifier: MIT
"""What the programs here share: joining the job, tensors, and checking what came.

Import it before triton: on a PE of the CPU it has Triton interpret the kernels.
"""

import os
import sys

import torch

ON_GPU = torch.cuda.is_available() and os.environ.get("MORI_SHMEM_DEVICE", "auto") != "cpu"
if not ON_GPU:
    os.environ.setdefault("TRITON_INTERPRET", "1")

import mori.shmem as ms  # noqa: E402
from mori.ir.triton import get_extern_libs, install_hook  # noqa: E402


class Job:
    """This PE: ``me`` of ``n``, and where its tensors live."""

    def __init__(self):
        if ON_GPU:
            local = int(os.environ.get("LOCAL_RANK", os.environ.get("MORI_LOCAL_RANK", "0")))
            torch.cuda.set_device(local % torch.cuda.device_count())
        if not ms.shmem_is_initialized():
            ms.shmem_init()  # mori run, torchrun, mpirun: it finds out by itself
        install_hook()
        self.me, self.n = ms.shmem_mype(), ms.shmem_npes()
        self.device = "cuda" if ON_GPU else "cpu"
        self.libs = get_extern_libs()
        self.wrong = 0
        self._tensors = []

    def symmetric(self, shape, dtype, fill):
        """A tensor on the symmetric heap; every PE makes the same ones, in the same order."""
        tensor = ms.mori_shmem_create_tensor(shape, dtype)
        tensor.fill_(fill)
        self._tensors.append(tensor)
        return tensor

    def room(self):
        """How many programs of this PE are on the device at once for sure: one a multiprocessor of its share."""
        if not ON_GPU:
            return 1 << 16
        units = torch.cuda.get_device_properties(torch.cuda.current_device()).multi_processor_count
        if "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" in os.environ:  # these are its own
            return units
        here = int(os.environ.get("LOCAL_WORLD_SIZE", self.n))
        return max(1, units // -(-here // torch.cuda.device_count()))

    def barrier(self):
        """A barrier after which all earlier kernels and copies are complete."""
        if ON_GPU:
            torch.cuda.synchronize()
        ms.shmem_barrier_all()

    def check(self, what, got, want):
        """Compares every element and says how many are wrong."""
        if ON_GPU:
            torch.cuda.synchronize()
        bad = int((got.cpu() != torch.as_tensor(want).cpu()).sum())
        self.wrong += bad
        sys.stdout.write(f"PE {self.me} of {self.n}: {what}, {got.numel()} elements, {bad} wrong\n")
        sys.stdout.flush()

    def leave(self):
        self.barrier()
        for tensor in reversed(self._tensors):
            ms.mori_shmem_free_tensor(tensor)
        ms.shmem_finalize()
        return 1 if self.wrong else 0


def main(program):
    """Runs a program as a PE; for the end of a script."""
    job = Job()
    program(job)
    sys.exit(job.leave())
