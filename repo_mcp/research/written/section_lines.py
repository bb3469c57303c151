"""Choose the lines of a section of a document that show how something is written: its examples first. Pure.

Then attach it:                  a line that ends with a colon, or a fence, begins a block,
                                 and the block with most of some names says most
    depot.attach(OwnSorter())
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, islice

from repo_mcp.bodies.body import measure, measure_indent
from repo_mcp.record_classes import dataclass

EXAMPLE_CHARS = 1_200  # of a section that shows how something is written
SPARE_CHARS = 300  # of these, for what uses the first example
INTRO_CHARS = 300  # of the text above a block; of more, the last lines are shown
MOST_ROWS = 6  # of a table that compares some names
MOST_INTRO = 20  # lines of this text
MOST_BLOCKS = 400  # of a section; further ones take long to read
_FENCE = re.compile(r"\s*(?:```|~~~~?(?!~))")  # a longer run of tildes underlines a title
_OPENS = re.compile(r".*:{1,2}\s*$|\s*\.\. (?:code|code-block|sourcecode)::.*$")
_SAYS_LITTLE = re.compile(r"\s*(?:$|```|~~~|//|/\*|\*/|\*(?:\s|$)|# )")  # blank, a fence, or a comment
_DECLARES = r"\b(?:class|interface|trait|protocol|type|struct)\s+{}\b"
_DECLARED = re.compile(r"\b(?:class|struct|def|func|function|fun|fn|const|let|var|type)\s+(\w*[A-Z_]\w*)")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Block:
    """A code block or a list, with the text right above it; the numbers of the lines count from 1."""

    intro: tuple[int, ...]
    lines: tuple[int, ...]


def choose_examples(
    lines: Sequence[str], span: tuple[int, int], names: Collection[str], most: int = EXAMPLE_CHARS
) -> list[int]:
    """Return the lines of the blocks of a section that have most of some names, as far as there is room.

    What a chosen block declares is a name as well: the next one may use it. What only declares one of the
    names again says nothing of how it is used. Return none if no block has a name.
    """
    again = re.compile("|".join(_DECLARES.format(re.escape(one)) for one in names) or r"(?!)")
    blocks = islice(_iter_blocks(lines, span), MOST_BLOCKS)
    texts = {one: "\n".join(lines[at - 1] for at in one.lines) for one in blocks}
    held = {one: {*_WORD.findall(text)} for one, text in texts.items() if not again.search(text)}
    declared, met = set[str](), set[str]()
    chosen: set[int] = set()
    left = most
    while held and left > 0:
        wanted = {*names} | declared
        # Of equal ones, the first.
        best = max(held, key=lambda one: (len(held[one] & declared), len(held[one] & wanted - met)))
        has = held.pop(best) & wanted
        if has <= met:
            break
        met |= has
        declared = {*_DECLARED.findall(texts[best])} - {*names}
        room = left if chosen else min(left, most - SPARE_CHARS)
        own = _cut(lines, (*best.intro, *best.lines), room)
        if len(own) <= len(best.intro):
            break
        chosen.update(own)
        left -= measure(lines, own)
    return sorted(chosen)


def _cut(lines: Sequence[str], numbers: Sequence[int], room: int) -> list[int]:
    """Return the first of some lines for which there is room."""
    taken = accumulate(measure(lines, (at,)) for at in numbers)
    return [at for at, chars in zip(numbers, taken, strict=True) if chars <= room]


def choose_rows(lines: Sequence[str], span: tuple[int, int], names: Collection[str]) -> list[int]:
    """Return the rows of some names in the first table of a section that has one for each, below its head.

    Such a table compares them. Return none if there is no such table, or if more than MOST_ROWS have a name.
    """
    at, end = span[0], min(span[1], len(lines))
    named = [re.compile(rf"\b{re.escape(one)}\b") for one in names]
    while at <= end:
        last = at
        while last <= end and lines[last - 1].lstrip().startswith("|"):
            last += 1
        first_cells = {row: lines[row - 1].lstrip().split("|")[1] for row in range(at + 2, last)}
        own = [[row for row, cell in first_cells.items() if one.search(cell)] for one in named]
        rows = {row for found in own for row in found}
        if all(own) and len(rows) >= len(named) and len(rows) <= MOST_ROWS:
            return [at, at + 1, *sorted(rows)]
        at = last + 1
    return []


def find_whole_end(lines: Sequence[str], start: int, end: int) -> int:
    """Return the last line of a section of Markdown with those inside it; `end`, its own, of another one."""
    head = lines[start - 1] if start <= len(lines) else ""
    level = 1 if head.strip() == "---" else len(head) - len(head.lstrip("#"))
    is_code = False
    for at in range(end + 1, len(lines) + 1 if level else end + 1):
        line = lines[at - 1]
        is_code ^= _FENCE.match(line) is not None
        if not is_code and line.startswith("#") and len(line) - len(line.lstrip("#")) <= level:
            return at - 1
    return len(lines) if level else end


def _iter_blocks(lines: Sequence[str], span: tuple[int, int]) -> Iterator[Block]:
    """Yield the blocks of a section in their order."""
    at, end = span
    before: list[int] = []  # the text since the last blank line
    while at <= min(end, len(lines)):
        line = lines[at - 1]
        last = _find_end(lines, at, end)
        if last > at:
            is_fence = _FENCE.match(line) is not None
            above = before if is_fence or _follows(lines, at) else []
            intro = [*above, *([] if is_fence else [at])]
            inside = range(at + 1, last + 1)
            own = [one for one in inside if not _SAYS_LITTLE.match(lines[one - 1])]
            while len(intro) > 1 and measure(lines, intro) > INTRO_CHARS:
                intro.pop(0)
            yield Block(tuple(intro), tuple(own))
            at, before = last + 1, []
            continue
        if line.strip():
            before = [*before, at][-MOST_INTRO:] if _follows(lines, at) else [at]
        at += 1


def _follows(lines: Sequence[str], at: int) -> bool:
    """Return True for a line of the paragraph to which the line above it belongs."""
    return at > 1 and bool(lines[at - 2].strip())


def _find_end(lines: Sequence[str], at: int, end: int) -> int:
    """Return the last line of the block that a line begins; the line itself if it begins none."""
    end = min(end, len(lines))
    line = lines[at - 1]
    if _FENCE.match(line):
        return next((one for one in range(at + 1, end + 1) if _FENCE.match(lines[one - 1])), end)
    if not _OPENS.match(line):
        return at
    first = next((one for one in range(at + 1, end + 1) if lines[one - 1].strip()), at)
    if first == at or _FENCE.match(lines[first - 1]):
        return at
    indent = measure_indent(lines[first - 1])
    is_code = indent > measure_indent(line)
    last = first
    for one in range(first, end + 1):
        text = lines[one - 1]
        if (text.strip() and measure_indent(text) < indent) or (not text.strip() and not is_code):
            break
        last = one if text.strip() else last
    return last
