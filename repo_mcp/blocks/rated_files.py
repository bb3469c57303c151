"""Hold opened files with the worth of their blocks, and find those that declare a name or have it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from repo_mcp.blocks.blocks import Block, Placed, list_members
from repo_mcp.blocks.candidates import Candidate
from repo_mcp.blocks.file_view import FileView
from repo_mcp.blocks.mentioned_files import MAX_DECLARING_FRAME
from repo_mcp.blocks.named_modules import is_below
from repo_mcp.blocks.source import BlockSource
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, has_name
from repo_mcp.ranking.query.clues import Clue
from repo_mcp.record_classes import dataclass

LOADING_LINES = 3  # of a getter that loads a module
_LOADED = re.compile(r"\breturn require\(")


@dataclass(slots=True)
class Traced:
    """A block that a stack trace points at."""

    rank: int  # the least is shown first
    frame: Clue | None  # None for the source of a message that no frame names
    lines: list[int] = field(default_factory=list)  # that it names, or that call the frame within


@dataclass(slots=True)
class RatedFile:
    """An opened candidate, its blocks, and the worth of each."""

    candidate: Candidate
    view: FileView
    blocks: Sequence[Block]
    worth: list[float]  # of each block
    priority: float = 1.0  # factor of the worth of its blocks, compared with those of other files
    origins: dict[int, str] = field(default_factory=dict)  # position of a block -> what led to it, in words
    lines: int = 0  # that are selected so far
    shown: set[int] = field(default_factory=set)  # positions of the blocks that are selected
    named: set[int] = field(default_factory=set)  # those that the prompt names, and that come first
    traced: dict[int, Traced] = field(default_factory=dict)  # by position: they come before these
    beside: dict[int, str] = field(default_factory=dict)  # line that is shown for a change -> why

    def touches_shown(self, position: int) -> bool:
        """Return True if a block next to this one is selected."""
        return not self.shown.isdisjoint((position - 1, position + 1))

    def list_declaring(self, name: str) -> list[Placed]:
        """Return the blocks that declare a name, which may be qualified in part, with their positions."""
        last = name.rpartition(".")[2]
        return [
            (at, block.span)
            for at, block in enumerate(self.blocks)
            if block.span is not None and block.span.name == last and has_name(block.span, name)
        ]

    def list_holding(self, name: str) -> list[Placed]:
        """Return the declarations of a name in small files and classes, with the positions of these."""
        last = name.rpartition(".")[2]
        spans = [span for span in self.view.layout.spans if span.name == last and has_name(span, name)]
        return list_members(self.view.live.lines, self.blocks, spans)


Place = tuple[RatedFile, int]  # and the position of one of its blocks


def find_declaring(
    opened: Sequence[RatedFile], name: str, *, members: bool
) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the files that declare a name, with the positions of its blocks.

    If no block is its declaration, and `members` is true, small files and classes that hold one count. What
    stands for a declaration elsewhere counts only if there is none.
    """
    for find in (RatedFile.list_declaring, RatedFile.list_holding)[: 1 + members]:
        declaring = [(one, found) for one in opened if (found := find(one, name))]
        if declaring:
            return _leave_out_stand_ins(declaring) or declaring
    return []


def leave_out_common(
    opened: Sequence[RatedFile], names: Mapping[str, float], source: BlockSource, folder: str = ""
) -> dict[str, float]:
    """Return names without plain ones that so many files declare that none of those opened is meant.

    One below the folder that the prompt begins with is meant.
    """

    def is_common(name: str) -> bool:
        declaring = [] if "." in name else find_declaring(opened, name, members=False)
        if not declaring or (folder and any(is_below(one.candidate.path, folder) for one, _ in declaring)):
            return False
        return not source.find_declaring(name, MAX_DECLARING_FRAME, True)

    return {name: sure for name, sure in names.items() if not is_common(name)}


def _leave_out_stand_ins(
    declaring: Sequence[tuple[RatedFile, list[Placed]]],
) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the declarations but those in `.d.ts` files and getters that load what they are called by."""
    return [
        (one, real)
        for one, found in declaring
        if not one.candidate.path.endswith(".d.ts")
        and (real := [place for place in found if not _loads(one, place[1])])
    ]


def _loads(one: RatedFile, span: SymbolSpan) -> bool:
    """Return whether a declaration only loads a module: `get Router() { return require("./Router"); }`."""
    lines = one.view.live.lines[span.name_line - 1 : span.end_line]
    return len(lines) <= LOADING_LINES and _LOADED.search(" ".join(lines)) is not None


def _number_lines_with(lines: Sequence[str], names: Iterable[str]) -> list[int]:
    """Return the 1-based numbers of the lines that hold any of the names, even as a part of another word."""
    text = "\n".join(lines)
    found: set[int] = set()
    for name in names:
        line, passed, at = 1, 0, text.find(name)
        while at >= 0:
            line += text.count("\n", passed, at)
            found.add(line)
            passed, at = at, text.find(name, at + len(name))
    return sorted(found)


def iter_lines_with(file: RatedFile, names: Collection[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the lines that hold any of the names, without comments: position of the block, number, text."""
    starts = [block.start_line for block in file.blocks]
    lines = file.view.live.lines
    for number in _number_lines_with(lines, names):
        if number not in file.view.layout.comment_lines:
            yield bisect_right(starts, number) - 1, number, lines[number - 1]
