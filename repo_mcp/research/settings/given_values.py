"""Read what a statement gives to the name with which it begins, and whether that tells anything. Pure.

LIMIT = 10    limit: 20,    "limit": {    #define LIMIT 10    public int Limit => 3;
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from repo_mcp.bodies.body import says_nothing

MOST_LINES = 5  # of one value; of a longer table, the first ones show what a row looks like
_LITERAL = r"-?\.?\d|[\"'`][^\"'`\s][^\"'`\n]*[\"'`]|(?:true|false|True|False)\b"
_LITERAL += r"|[\[{]\s*[\w\"'&*]|\(\s*(?:[\d\"']|[\w.]+\s*,)"  # a collection
_BEGINS = re.compile(
    rf"(?:new\b[\w<>\[\], ]*)?(?:{_LITERAL})|.{{0,60}}(?:=>|->|\blambda\b|\bfunc\b)", re.DOTALL
)
_HOLDS = re.compile(r"(?<![\w.\[])\d|[\"'`][^\"'`\s]|\b(?:true|false|True|False)\b")
# What is computed from variables: `result.time - 1`, `mean(&times, 2)`.
_VARIES = re.compile(
    r"(?<![\w.])[a-z_]\w*(?:\.|->|::)[a-z_]\w*\b(?!\s*[(.])|\bself\b|\bthis\b|\(\s*[&*]?[a-z_]\w*\s*[,)]"
)
_KEYED = re.compile(rf"(?:{_LITERAL})(?!\s*\|)")  # behind a colon, where a type may stand, too
_NOTHING, _QUOTES = re.compile(r"(?:None|null|nil)\b"), tuple("\"'`")  # a quoted key has no type behind it
_OTHERWISE = re.compile(r"\|\||\?\?|\bor\b|\bunwrap_or\w*\(|\bgetOrElse\(|\?:")
_BEGINNING = re.compile(r"(?:-?[01](?:\.0*)?|true|false|True|False)\s*+[;,]?\s*(?:$|//|#|/\*)")
_FIXED = re.compile(
    r"\b(?:const\w*|final|readonly|define|static|val)\b|[Dd]efault|DEFAULT|^\W*[A-Z][A-Z0-9_]+\b"
)
# What is made, of which a number says no more than how much it holds at first.
_MAKES_HOLDER = re.compile(r"new\s+[\w.]+<[^()]*>\s*\(|[\w.:<>]*\bwith_?[cC]apacity\(")
_LONG_TEXT = re.compile(r"^[^`]*`[^`]*$|\"\"\"|'{3}")


def is_beginning(line: str, value: str) -> bool:
    """Return True for a value with which something that changes begins, and for a text of several lines."""
    return bool((_BEGINNING.match(value) and not _FIXED.search(line)) or _LONG_TEXT.search(line))


def begins_value(value: str) -> bool:
    """Return True for what begins with a literal, a collection or a function: it leads to nothing else."""
    return _BEGINS.match(value) is not None and not _MAKES_HOLDER.match(value)


def tells_value(value: str) -> bool:
    """Return True for a literal, a collection or a function, and for what is computed from literals alone."""
    value = _leave_out_further(_OTHERWISE.split(value)[-1].strip())
    if _MAKES_HOLDER.match(value):
        return False
    return bool(_BEGINS.match(value) or (_HOLDS.search(value) and not _VARIES.search(value)))


def _leave_out_further(text: str) -> str:
    """Return a value without the arguments behind it: `dict, init=False`."""
    found = re.match(r"[^(\[{,\"'`]*+(?=,\s*\w++\s*=(?!=))", text)
    return text if found is None else found[0]


def find_value(name: str, text: str) -> str:
    """Return what a statement gives to the name with which it begins; "" for nothing.

    Modifiers, a type, what has the name as a member, and a quote may stand before the name. A colon alone
    may begin a type, so what stands behind it must be a value.
    """
    quoted = re.escape(name.strip("_"))
    found = re.match(
        rf"\s*(?:#\s*define\s+{quoted}\s+(?P<macro>.+)"
        rf"|(?:[\w.:<>\[\]?,&*@$]+(?:\(\w+\))?\s+)*?(?:[\w$]+(?:\.|->|::)|@)*[\"'`:\[]*_*{quoted}_*[\"'`]?\]?\s*+(?:\?|!(?!=))?"
        r"(?:\s*+\{(?:\s*+\w+;)+\s*+\})?"
        rf"(?:(?:\s*+:\s*+[^=;(){{}}]{{1,80}}?)?\s*+(?:\?\?|\|\||[|&+])?(?::?=(?![=>])|=>)\s*(?P<given>.+)"
        rf"|\s*+:(?!:)\s*(?P<keyed>.+)))",
        text,
        re.DOTALL,
    )
    if found is None:
        return ""
    if found["keyed"] is not None:
        value = found["keyed"].strip()
        nothing = _NOTHING.match(value) if text.lstrip()[:1] in _QUOTES else None
        if nothing is not None:
            return nothing[0]
        return value if _KEYED.match(value) or re.match(r"[\w.?]+\s*(?:\|\||\?\?)|[\w$?]+\.", value) else ""
    return (found["macro"] or found["given"]).strip()


def find_end(
    lines: Sequence[str], first: int, most: int = MOST_LINES, comments: Set[int] = frozenset()
) -> int:
    """Return the last line of the statement that begins in a line, of at most some lines besides comments."""
    depth = 0
    most += sum(at in comments for at in range(first, first + most))
    for at in range(first, min(first + most, len(lines) + 1)):
        if at in comments:
            continue
        line = lines[at - 1]
        depth += sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")
        if depth <= 0 and not line.rstrip().endswith(("=", "=>", "\\")):
            return at
    last = min(first + most - 1, len(lines))
    while last > first and says_nothing(lines[last - 1]):
        last -= 1
    return last
