# SPDX-License-Identifier: MIT
"""The flow of control through a kernel's final code, PTX or AMD's assembly: which instructions can be reached from
which without passing others."""

import re

#: Triton's own barrier, in its IR.
TRITON_BARRIER = r"\b(?:gpu\.barrier|ttg\.barrier|tt\.debug_barrier)\b"

_LABEL = re.compile(r"^\s*([$.\w]+):")
_BRANCH = re.compile(r"^\s*(@\S+\s+)?(bra(?:\.uni)?|s_branch|s_cbranch_\w+)\s+([$.\w]+)")
_JUMP = re.compile(r"^\s*brx\.idx(?:\.uni)?\s+\S+, ([$.\w]+);")
_TABLE = re.compile(r"^\s*([$.\w]+):\s*\.branchtargets\s([^;]*);", re.M)
_END = re.compile(r"^\s*(ret|exit|trap|s_endpgm|s_setpc_b64|s_trap)\b")


class Flow:
    """``lines`` of the kernel's own function, and ``next``: where control may go from each."""

    def __init__(self, text, kernel):
        self.lines = _body(text, kernel)
        labels = {}
        tables = {m[1]: re.findall(r"[$.\w]+", m[2]) for m in _TABLE.finditer("\n".join(self.lines))}
        self.next = []
        for i, line in enumerate(self.lines):
            if label := _LABEL.match(line):
                labels.setdefault(label[1], []).append(i)
        for i, line in enumerate(self.lines):
            after = [i + 1] if i + 1 < len(self.lines) else []
            branch = _BRANCH.match(line)
            if branch:
                always = not branch[1] and branch[2] in ("bra", "bra.uni", "s_branch")
                after = [_nearest(labels[branch[3]], i)] + ([] if always else after)
            elif jump := _JUMP.match(line):
                after = [_nearest(labels[name], i) for name in tables[jump[1]]]
            elif _END.match(line):
                after = []
            else:
                assert "brx." not in line, f"a jump that is not understood: {line}"
            self.next.append(after)

    def find(self, pattern):
        return {i for i, line in enumerate(self.lines) if re.search(pattern, line)}

    def reach(self, starts, stops=frozenset()):
        """What comes after ``starts``, up to and without ``stops``; ``[-1]`` starts with the kernel."""
        return self._walk(starts, stops) - set(stops)

    def first(self, starts, stops):
        """Which of ``stops`` are met first after ``starts``."""
        return self._walk(starts, stops) & set(stops)

    def _walk(self, starts, stops):
        todo = [j for i in starts for j in (self.next[i] if i >= 0 else [0])]
        seen = set()
        while todo:
            i = todo.pop()
            if i not in seen:
                seen.add(i)
                todo += [] if i in stops else self.next[i]
        return seen


def _nearest(places, i):
    """Of the places of a label the one that is meant in line ``i``: Triton's own loops have one
    name, each in its braces."""
    return max((place for place in places if place < i), default=places[0])


def _body(text, kernel):
    """From the kernel's head to its end."""
    lines = text.splitlines()
    head = re.compile(rf"\s*(\.visible )?\.entry {kernel}\(|{kernel}:")
    start = next(i for i, line in enumerate(lines) if head.match(line))
    end = re.compile(r"\s*// -- End function|\.Lfunc_end\d+:")
    return lines[start + 1 : next(i for i in range(start, len(lines)) if end.match(lines[i]))]
