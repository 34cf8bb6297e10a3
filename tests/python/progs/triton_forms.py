# SPDX-License-Identifier: MIT
"""Kernels with ``tl.dot`` beside every block form of the device library, made from the table: one kernel a form, with
all its types in it. The product must be the same as without the calls, and the kernel's own shared memory must
lie where Triton put it.

The arguments make each call succeed on a PE whose word ``words[0]`` holds 5, so the kernels can also be run.
"""

import importlib.util
import os
import re

from mori.ir import MORI_DEVICE_FUNCTIONS

SIGNATURE = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "box": "*i64", "words": "*i64", "pe": "i32"}
CONSTANTS = {"N": 64}
DIVISIBLE = ("a", "b", "c", "box", "words")

_TYPE = re.compile(
    r"(?<![a-z0-9])(uint8|int8|schar|uint16|int16|uint32|int32|uint64|int64|float|double|char|short|int|long|longlong"
    r"|uchar|ushort|uint|ulong|ulonglong)(?![a-z0-9])"
)

# By the names of parameters; box has 64 words, words the one that waits look at and room for what they find.
_ARGUMENTS = {
    "dest": "box",
    "src": "box + 16",
    "sig": "box + 32",
    "bytes": "64",
    "nelems": "1",
    "value": "5",
    "compare": "0",
    "op": "9",
    "pe": "pe",
    "qp": "0",
    "addr": "words",
    "addrs": "words",
    "n": "1",
    "skip": "0",
    "cmp": "0",
    "ns": "1000000000",
    "indices": "words + 8",
    "team": "0",
    "dtype": "0",
    "root": "0",
}
_OBJECT = {"dest": "(box, 64, 0)", "src": "(box + 16, 64, 0)", "sig": "(box + 32, 64, 0)"}


def forms():
    """{form: its names}: the names of a form differ in the type alone."""
    found = {}
    for name, meta in MORI_DEVICE_FUNCTIONS.items():
        if meta["scope"] == "block" and not name.startswith("ctx_"):
            found.setdefault(_TYPE.sub("T", name), []).append(name)
    return found


def call(name):
    """A call of the function that succeeds."""
    meta = MORI_DEVICE_FUNCTIONS[name]
    args = []
    for param, kind in zip(meta["params"], meta["args"]):
        if kind == "memobj":
            args.append(_OBJECT[param])
        elif param.endswith("_off"):
            args.append("0")
        elif param == "op" and meta["family"] == "atomic":
            args.append("4" if "nonfetch" in name else "14")
        elif param == "op" and meta["family"] == "collective":
            args.append("0")
        elif param == "value" and "greater_than" in name:
            args.append("4")
        else:
            args.append(_ARGUMENTS[param])
    return f"d.{name}({', '.join(args)})"


_KERNEL = """
@triton.jit
def {kernel}(a, b, c, box, words, pe, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    x = tl.load(a + at)
    y = tl.load(b + at)
{calls}
    tl.store(c + at, tl.dot(x, y))

"""


def source(groups):
    """The text of a module with one kernel a group; kernel_<i> for the i-th."""
    text = "import triton\nimport triton.language as tl\nimport mori.ir.triton as d\n"
    for i, names in enumerate(groups):
        calls = "\n".join(f"    {call(name)}" for name in names)
        text += _KERNEL.format(kernel=f"kernel_{i}", calls=calls)
    return text


def load(folder, groups):
    """The kernels of the groups, in their order."""
    path = os.path.join(folder, "forms.py")
    with open(path, "w") as file:
        file.write(source(groups))
    spec = importlib.util.spec_from_file_location("forms", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [getattr(module, f"kernel_{i}") for i in range(len(groups))]
