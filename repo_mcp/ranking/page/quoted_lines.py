"""Finds a line of code that a report quotes: the file has it verbatim, but for its indentation. Pure.

Who quotes code has looked at it already, so the place is near. Lines that are short, or that have no sign of
code, are also written by chance, and one that the file has several times says too little.
"""

from __future__ import annotations

import re
from collections.abc import Collection

MIN_LINE_CHARS = 20
MAX_LINES = 1_000  # of a report that are looked at
_LEAD = re.compile(
    r"^(?:[-+>$]|E |>>> )\s*"
)  # of a diff, of a quotation, and of what pytest and shells print
_SIGN = re.compile(r"[(){}\[\]=;]|::|->")
_WORD = re.compile(r"[^\W\d]{4}")


def list_quotable(text: str) -> tuple[str, ...]:
    """Return the lines of a report that may be quoted code, each once and without indentation."""
    lines = dict.fromkeys(_LEAD.sub("", line.strip()) for line in text.splitlines()[:MAX_LINES])
    return tuple(
        [line for line in lines if len(line) >= MIN_LINE_CHARS and _SIGN.search(line) and _WORD.search(line)]
    )


def find_quoted(data: bytes, quotable: Collection[str]) -> int:
    """Return the number of the first quoted line that a file has once, in the order of the report, or 0."""
    present = [line for line in quotable if data.count(line.encode()) == 1]
    if not present:
        return 0
    numbers = {line.strip(): at for at, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1)}
    return next((numbers[line] for line in present if line in numbers), 0)
