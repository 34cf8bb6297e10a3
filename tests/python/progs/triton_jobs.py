# SPDX-License-Identifier: MIT
"""Jobs of PEs of the CPU, one after the other, as lines of standard input ask for them, so that what
takes long to import is imported once: "examples N ROUNDS", "operations N", "lost N". Behind the
output of each stands "job ended with <code>".
"""

import sys

import forked
import triton_examples
import triton_ops

for line in sys.stdin:
    what, n, *more = line.split()
    if what == "examples":
        code = forked.run(int(n), lambda rank, n: triton_examples.body(int(more[0])))
    else:
        code = forked.run(int(n), {"operations": triton_ops.body, "lost": triton_ops.lose}[what])
    forked.say(f"job ended with {code}")
