"""Follow names from the blocks that match best to what they call and derive from. Pure.

The words of a question stand where a thing is used or described; the lines that answer it are often one step
on. Which file declares a name, the index says; which of its blocks, the live text. A name that is declared in
several places says less of each, and one that is used everywhere says little at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.file_view import FileView

MAX_NAMES = 200  # followed from one block
MIN_NAME_CHARS = 3
_CALLED = re.compile(r"(?<![\w$])([A-Za-z_$][\w$]*[!?]?)\s?\(")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS = """
if for while switch return catch sizeof and or not in elif assert print except with def function func fn await
yield new throw raise typeof super self this defined lambda isinstance len str int float bool list dict set
tuple range type getattr setattr hasattr
"""
_NO_NAMES = frozenset(_WORDS.split())


class Use(StrEnum):
    """The way in which a block uses a name."""

    BASE = "base of"
    CALL = "called by"
    NAMED = "used by"  # handed on, or read


@dataclass(frozen=True, slots=True)
class Step:
    """A name that a block uses."""

    name: str
    use: Use


def list_steps(view: FileView, block: Block) -> list[Step]:
    """Return the names that a block uses: those that the class it begins derives from, then those that it
    calls, then the others, each once."""
    own = block.span.name if block.span is not None else ""
    found: dict[str, Use] = {}
    if block.span is not None and block.span is block.owner:
        end = min(block.end_line, block.span.name_line + 2)
        head = " ".join(view.live.lines[block.span.name_line - 1 : end]).partition(own)[2]
        names = _NAME.findall(re.split(r"[{:]\s*$", head)[0])
        found |= dict.fromkeys((name for name in names if name[:1].isupper()), Use.BASE)
    comments = view.layout.comment_lines
    numbers = range(block.start_line, block.end_line + 1)
    code = "\n".join(view.live.lines[number - 1] for number in numbers if number not in comments)
    for pattern, use in ((_CALLED, Use.CALL), (_NAME, Use.NAMED)):
        for name in pattern.findall(code):
            found.setdefault(name, use)
    return [
        Step(name, use)
        for name, use in islice(found.items(), MAX_NAMES)
        if len(name) >= MIN_NAME_CHARS and name not in _NO_NAMES and name != own
    ]
