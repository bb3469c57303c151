"""Open candidate files: live text, cut into blocks, each with its worth for the prompt.

A declaration that the prompt names is worth more than any terms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from repo_mcp.blocks.block_worth import Rater
from repo_mcp.blocks.blocks import SMALL_FILE_LINES, Block, Placed, cut_blocks, list_members
from repo_mcp.blocks.evidence import MAX_DECLARING, MAX_DECLARING_FRAME, Candidate, Evidence, is_called
from repo_mcp.blocks.file_view import FileView, PromptTermFinder
from repo_mcp.blocks.layouts import LayoutReader
from repo_mcp.blocks.named_modules import is_below, is_of_module
from repo_mcp.blocks.source import BlockSource
from repo_mcp.blocks.weights import Weights
from repo_mcp.errors import RepoError
from repo_mcp.languages.patterns.declared_spans import SymbolSpan, holds_members
from repo_mcp.ranking.page.rare_words import compute_rarity
from repo_mcp.ranking.query.clues import Clue, ClueKind
from repo_mcp.ranking.query.intent import understand
from repo_mcp.ranking.query.mentions import Mention, number_frames
from repo_mcp.record_classes import dataclass
from repo_mcp.text.generated import is_generated
from repo_mcp.text.lines import compile_name
from repo_mcp.text.roles import FileRole, find_role, is_side_file, list_older_folders

MAX_OPENED = 24
MOST_CONSTANTS = 2_000  # of a file that may be rated: more are a table, such as the registers of a device
LEAST_LAST = 0.5  # rarity of the last part of a qualified name that nothing declares: then it is meant
MAX_HEAD_LINES = 12  # of a function, in which it names what it takes
_WORD = re.compile(r"\w+")
LOADING_LINES = 3  # of a getter that loads a module
_LOADED = re.compile(r"\breturn require\(")
TABLE_SHARE = 0.9  # of the declarations of a table are constants, each in one line


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
            if block.span is not None and block.span.name == last and is_called(block.span, name)
        ]

    def list_holding(self, name: str) -> list[Placed]:
        """Return the declarations of a name in small files and classes, with the positions of these."""
        last = name.rpartition(".")[2]
        spans = [span for span in self.view.layout.spans if span.name == last and is_called(span, name)]
        return list_members(self.view.live.lines, self.blocks, spans)


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


def put_written_last(opened: Sequence[RatedFile], weights: Weights) -> None:
    """Let a file that says that a program wrote it count as little as one whose path says so."""
    for one in opened:
        if is_generated(one.view.live.lines):
            one.priority = min(one.priority, weights.other_role)


class Opener:
    """Opens candidates for one prompt."""

    def __init__(
        self,
        read_layout: LayoutReader,
        evidence: Evidence,
        weights: Weights,
        source: BlockSource,
        refuse: Callable[[str, str], None] = lambda _path, _reason: None,
        small_file_lines: int = SMALL_FILE_LINES,
    ) -> None:
        """Take what all files of one prompt need. A file of at most `small_file_lines` is one block.

        `refuse` takes the path of a file that is not rated, and the reason.
        """
        self._small_file_lines = small_file_lines
        self._read_layout = read_layout
        self._evidence = evidence
        self._weights = weights
        self._source = source
        self._refuse = refuse
        paths = {one.path for one in evidence.candidates}
        self._older_folders = list_older_folders(paths, evidence.prompt.lower())
        self._finder = PromptTermFinder(evidence.term_weights)
        self._roles = understand(evidence.prompt).roles
        self._rater = Rater(evidence.term_weights, self._finder, weights)
        self._frames = number_frames(evidence.mentions)

    def open_best(self, most: int) -> list[RatedFile]:
        """Open the best `most` candidates, and all that may declare a name or that a frame names."""
        wanted = [
            one
            for at, one in enumerate(self._evidence.candidates)
            if at < most or one.may_declare or any(is_frame(mention) for mention in one.mentions)
        ]
        opened = [file for one in wanted if (file := self.open(one)) is not None]
        for name, sure in leave_out_common(
            opened, self._evidence.names, self._source, self._evidence.folder
        ).items():
            self._add_named(opened, name, sure)
        return opened

    def open(self, candidate: Candidate) -> RatedFile | None:
        """Open the live text of a candidate. Return None if it is not readable now."""
        path = candidate.path
        try:
            live = self._source.read(path)
        except RepoError as error:
            self._refuse(path, f"not readable now: {error.code}")
            return None
        layout = self._read_layout(path, live.data)
        if self._is_table(candidate, layout.spans):
            self._refuse(path, "a table of constants, none of which the prompt names")
            return None
        view = FileView(live, layout, self._finder)
        blocks = cut_blocks(live.lines, layout.spans, self._small_file_lines)
        role = find_role(path)
        worth = [0.0] * len(blocks)  # of a file that the search did not find
        if candidate.share > 0.0:
            is_program = role is not FileRole.TEST and FileRole.TEST not in self._roles
            share = candidate.share**self._weights.rank
            worth = [share * one for one in self._rate(view, blocks, is_program=is_program)]
        one = RatedFile(candidate, view, blocks, worth, self._choose_priority(path, role))
        self._add_mentioned(one)
        return one

    def _choose_priority(self, path: str, role: FileRole) -> float:
        """Return the factor of a file by its role: code answers first."""
        asked = role in (FileRole.CODE, *self._roles)
        priority = 1.0 if asked else self._weights.other_role
        if is_side_file(path) and FileRole.DOCS not in self._roles:
            priority *= self._weights.side_file
        if path.startswith(self._older_folders):
            priority *= self._weights.older
        return priority

    def _is_table(self, candidate: Candidate, spans: Sequence[SymbolSpan]) -> bool:
        """Return True for a table of thousands of constants, unless the prompt names it or one of them.

        A table answers no question, and five headers of registers took two thirds of a bundle's time.
        """
        if len(spans) <= MOST_CONSTANTS or candidate.mentions:
            return False
        constants = sum(span.name_line == span.end_line for span in spans)
        names = {name.rpartition(".")[2] for name in self._evidence.names}
        return constants > TABLE_SHARE * len(spans) and not any(span.name in names for span in spans)

    def _rate(self, view: FileView, blocks: Sequence[Block], *, is_program: bool) -> list[float]:
        """Return the worth of each block in itself. Where one has any, each declaration has a little."""
        rated = self._rater.rate(view, blocks, is_program=is_program)
        least = self._weights.any_declaration if any(rated) else 0.0
        return [value + least * (block.span is not None) for block, value in zip(blocks, rated, strict=True)]

    def _add_mentioned(self, one: RatedFile) -> None:
        """Raise the worth of the blocks that the prompt names by line."""
        named: dict[int, float] = {}
        for mention in one.candidate.mentions:
            near = self._weights.named * self._weights.next_frame ** self._frames.get(mention.clue, 0)
            for line in locate(mention.clue, one.view.layout.spans, one.view.live.lines):
                for at, block in enumerate(one.blocks):
                    if block.start_line <= line <= block.end_line:
                        named[at] = max(near, named.get(at, 0.0))
        for at, worth in named.items():
            one.worth[at] += worth

    def _add_named(self, opened: Sequence[RatedFile], name: str, sure: float) -> None:
        """Raise the worth of the blocks that declare a name, unless too many files or blocks do.

        If none declares a qualified name, but a type of its owner's name has its last part as a word, that is
        a value or a field of the type, and no namesake is meant. Otherwise the last part alone may be meant,
        unless it is used everywhere, as the `path` of `sys.path` is.
        """
        members = self._weights.members and sure >= 1.0
        declaring = find_declaring(opened, name, members=members) or _find_in_module(opened, name)
        if not declaring:
            last = name.rpartition(".")[2]
            units = self._source.count_units(last.lower())
            if compute_rarity(units, self._source.unit_count) < LEAST_LAST:
                return
            sure *= self._weights.unsure
            declaring = _find_holding(opened, name) or find_declaring(opened, last, members=members)
        folder = self._evidence.folder
        near = [place for place in declaring if is_below(place[0].candidate.path, folder)] if folder else []
        declaring = near or declaring
        if len(declaring) > MAX_DECLARING:
            return
        for one, found in declaring:
            if len(found) <= MAX_DECLARING:
                for at, _ in found:
                    one.worth[at] += self._weights.named * sure / len(found)


def _find_in_module(opened: Sequence[RatedFile], name: str) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the files of the module of a qualified name that declare its last part outside of all types."""
    last = name.rpartition(".")[2]
    own = [one for one in opened if is_of_module(one.candidate.path, name)]
    declaring = find_declaring(own, last, members=False)
    outer = ((one, [place for place in found if place[1].qualified_name == last]) for one, found in declaring)
    return [place for place in outer if place[1]]


def _find_holding(opened: Sequence[RatedFile], name: str) -> list[tuple[RatedFile, list[Placed]]]:
    """Return the files with a type that holds the last part of a qualified name as a word."""
    owner, _, last = name.rpartition(".")
    if not owner:
        return []
    word = compile_name(last)
    found = []
    for one, declaring in find_declaring(opened, owner.rpartition(".")[2], members=False):
        lines = one.view.live.lines
        placed = [
            (at, span)
            for at, span in declaring
            if holds_members(" ".join(lines[span.head_line - 1 : span.name_line]), span.name)
            and word.search("\n".join(lines[span.name_line - 1 : span.end_line]))
        ]
        if placed:
            found.append((one, placed))
    return found


def is_frame(mention: Mention) -> bool:
    """Return True if a frame of a stack trace names the file."""
    return mention.clue.kind is ClueKind.FRAME


def locate(clue: Clue, spans: Sequence[SymbolSpan], lines: Sequence[str] = ()) -> list[int]:
    """Return the line that a clue names, or that of its function's name if the function has moved.

    Return none for a clue without a line, unless one declaration has its name. Of several overloads, a frame
    that says what its function takes means the one whose head in `lines` is most like that.
    """
    line = clue.line
    named = [span for span in spans if span.name == clue.name]
    arguments = clue.arguments
    if arguments is not None:
        around = clue.text.rpartition(".")[2]  # a type; or a namespace, which may end with its head
        free = [span for span in named if span.qualified_name == span.name]
        holds = any(span.name == around for span in spans)
        named = [span for span in named if is_called(span, f"{around}.{clue.name}")] or free * holds
        named = [max(named, key=lambda span: _rate_head(span, lines, arguments))] if named else []
    elif clue.owner:
        owner = clue.owner.rpartition(".")[2]
        named = [span for span in named if is_called(span, f"{owner}.{clue.name}")] or named
    if line is None:
        return [named[0].name_line] if len(named) == 1 else []
    if not named or any(span.start_line <= line <= span.end_line for span in named):
        return [line]
    return [min((span.name_line for span in named), key=lambda position: (abs(position - line), position))]


def _rate_head(span: SymbolSpan, lines: Sequence[str], arguments: str) -> tuple[int, int]:
    """Return how like the head of a function is to what a frame says that it takes: more is more like."""
    head = " ".join(lines[span.name_line - 1 : min(span.end_line, span.name_line - 1 + MAX_HEAD_LINES)])
    taken = head.partition("(")[2].partition(")")[0]
    own, wanted = set(_WORD.findall(taken)), set(_WORD.findall(arguments))
    return len(own & wanted), -len(own)
