"""Reads a C++ text once more from the next function on where an error took several functions for one.

The grammar mends most errors within a statement. From some it does not find out again, and one declaration
reaches over all that follow, up to the end of a namespace. A brace alone in the first column, which ends a
function where namespaces are not indented, betrays that. The part that ends with such a brace is read by
itself, and where it has an error, its body is blanked; if that does not help, what stands above it is, too.

Left out on purpose: functions in classes, and namespaces that are indented.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import chain

from repo_mcp.languages.treesitter.blanking import blank, blank_match
from repo_mcp.languages.treesitter.parser import Captures, find_captures

MAX_PARTS = 5_000  # of one text
MAX_READS = 8  # of a text with one more part contained
MAX_FAILURES = 2  # in a row, to contain an error: each reads the whole text
_FAULTY = ("function", "declaration", "error")  # captures that may reach too far
_END = re.compile(rb"\n\}[ \t]*+(?=\n)")
_HEAD = re.compile(rb"\n(?=[A-Za-z_\[~:])(?!\w++[ \t]*+:[ \t]*+\n)")
_BODY = re.compile(rb"\{[ \t]*+(?://[^\n]*+)?\n")
# What lies around a part: namespaces that begin or end in it, and conditions of the preprocessor.
_AROUND = re.compile(
    rb"\n(?:[ \t]*+#[^\n]*+|(?:inline[ \t]++)?namespace\b[^\n;={]*+\{[ \t]*+|\}[ \t]*+//[^\n]*+)(?=\n)"
)


def read_resumed(plain: bytes, found: Captures | None) -> Captures | None:
    """Return the captures of a text in which such errors were contained, or `found` if it has none.

    One part is contained after the other, if fewer functions are swallowed then and no others are lost.
    """
    if found is None or found.is_complete:
        return found
    bounds = [0, *(one.end() for one in _END.finditer(plain))][:MAX_PARTS]
    swallowed, number, reads, failures = _list_swallowed(found, bounds), 0, 0, 0
    while swallowed and failures < MAX_FAILURES and reads < MAX_READS:
        number = max(number, swallowed[0])
        if number + 1 >= len(bounds):
            break
        start, end = bounds[number : number + 2]
        number += 1
        contained = _contain(plain[start:end])
        if contained is None:
            continue
        text = plain[:start] + contained + plain[end:]
        again, reads = find_captures("cpp", ("cpp",), text), reads + 1
        fewer = swallowed if again is None else _list_swallowed(again, bounds)
        if again is not None and len(fewer) < len(swallowed) and _count(again) + 2 >= _count(found):
            plain, found, swallowed, failures = text, Captures(again.nodes, False), fewer, 0
        else:
            failures += 1
    return found


def _count(found: Captures) -> int:
    return len(found.nodes.get("function", ()))


def _list_swallowed(found: Captures, bounds: Sequence[int]) -> list[int]:
    """Return the numbers of the parts whose ends a declaration or an error reaches over."""
    swallowed: set[int] = set()
    for node in chain.from_iterable(found.nodes.get(name, ()) for name in _FAULTY):
        at = bisect_right(bounds, node.start_byte)
        swallowed.update(range(at - 1, bisect_left(bounds, node.end_byte) - 1))
    return sorted(swallowed)


def _contain(part: bytes) -> bytes | None:
    """Return a part that ends with a function without what is wrong in it; None if nothing is, or all."""
    if _is_whole(part):
        return None
    return next((one for one in _iter_contained(part) if _is_whole(one)), None)


def _iter_contained(part: bytes) -> Iterator[bytes]:
    head = _find_head(part)
    body = _BODY.search(part, head)
    if body is None:
        return
    short = part[: body.start() + 1] + blank(part[body.start() + 1 : -2]) + part[-2:]
    yield short
    above = blank(short[:head])
    for one in _AROUND.finditer(short, 0, head):
        above = above[: one.start()] + one[0] + above[one.end() :]
    yield above + short[head:]


def _find_head(part: bytes) -> int:
    """Return where the last declaration of a part begins, which is the function that ends it."""
    *_, head = [0, *(one.start() for one in _HEAD.finditer(part))]
    return head


def _is_whole(part: bytes) -> bool:
    head = _find_head(part)
    found = find_captures(
        "cpp", ("cpp",), _AROUND.sub(blank_match, b"\n" + part[:head] + b"\n") + part[head:]
    )
    return found is None or found.is_complete
