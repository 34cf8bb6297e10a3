# SPDX-License-Identifier: MIT
"""Shares a unique id through torch.distributed. Imported only when torch is used."""

from __future__ import annotations

import pickle
from typing import Any, Callable

import torch
import torch.distributed as dist

from mori._errors import type_error, value_error


def find_group(name: str) -> Any:
    """The process group that is registered under *name*."""
    from torch.distributed import distributed_c10d as c10d

    if not isinstance(name, str):
        raise type_error(f"group_name is of type {type(name).__name__}, not a string")
    if not dist.is_available() or not dist.is_initialized():
        raise value_error(
            f'there is no process group "{name}": call torch.distributed.init_process_group() first'
        )
    try:
        return c10d._resolve_process_group(name)
    except (RuntimeError, LookupError) as e:
        if name == "default":
            return dist.group.WORLD
        raise value_error(
            f'no process group is registered as "{name}"; '
            "torch._C._distributed_c10d._register_process_group(name, group) does that"
        ) from e


def _device(group: Any) -> Any:
    """The device for tensors of the group's backend: the CPU if possible."""
    types = [d.type if isinstance(d, torch.device) else str(d) for d in group._device_types]
    if "cpu" in types or not types:
        return torch.device("cpu")
    return torch.device(types[0], getattr(torch, types[0]).current_device())


def carriers(group: Any) -> tuple[Callable[[Any], Any], Callable[[Any], list]]:
    """share(data) returns what rank 0 passed; agree(data) what each rank passed, by rank."""
    device = _device(group)

    def broadcast(tensor: Any, root: int) -> Any:
        group.broadcast(tensor, root).wait()
        return tensor

    def send(data: Any, root: int) -> Any:
        mine = group.rank() == root
        raw = pickle.dumps(data) if mine else b""
        size = broadcast(torch.tensor([len(raw)], dtype=torch.int64, device=device), root)
        body = torch.zeros(int(size.item()), dtype=torch.uint8)
        if mine:
            body = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
        return pickle.loads(bytes(broadcast(body.to(device), root).cpu().tolist()))

    def agree(data: Any) -> list:
        # One integer per rank if all succeed; the texts only if one has failed.
        failed = torch.tensor([data is not None], dtype=torch.int64, device=device)
        group.allreduce(failed, dist.ReduceOp.SUM).wait()
        if not int(failed.item()):
            return [None] * group.size()
        return [send(data, root) for root in range(group.size())]

    return lambda data: send(data, 0), agree
