"""Spend a budget: select the blocks that are worth most for their lines.

What the prompt names is selected first, unless it is a report, which names much in passing; then always the
block with the most worth for its lines. It ends when no lines are left, or only blocks that are worth much
less than the best. For a report it ends much sooner, and the blocks that are left out are returned, to be
named in a warning. Each further block of a file counts less, so that no file fills the bundle, and what a
shown block calls counts more, unless the prompt is a report. Of what is worth less than half of the best, a
few lines are shown only beside others. A block that does not fit gives way to one that does, except for the
best of all and what is named: of these the head and the deciding lines are shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from heapq import heapify, heappop, heappush

from repo_mcp.bundler.block_worth import is_prototype, is_straight
from repo_mcp.bundler.blocks import Block
from repo_mcp.bundler.evidence import SCORE_DECIMALS
from repo_mcp.bundler.file_view import FileView
from repo_mcp.bundler.following import FollowShown, Use
from repo_mcp.bundler.opened_files import RatedFile, find_declaring
from repo_mcp.bundler.packing import Packer, build_selection
from repo_mcp.bundler.records import Selection
from repo_mcp.bundler.weights import Weights
from repo_mcp.languages.patterns.declared_spans import SymbolSpan

LEAST_NAMED = 0.02  # of the worth per line of the best block: what is worth less is noise, and not even named
ALONE_LINES = 5  # a block of fewer lines explains nothing without what stands around it
ALONE_RATE = 0.5  # of the worth per line of the best block, at which it may be what was asked for
LEAST_PART_LINES = 20  # a part of a block is not shown if fewer lines are left
MAX_HEAD_LINES = 6


def mark_named(opened: Sequence[RatedFile], names: Mapping[str, float], *, members: bool = True) -> None:
    """Mark the one declaration of each name that the prompt surely means, with its overloads.

    `members` is true if it may be inside of a small file or class.
    """
    for name in (name for name, sure in names.items() if sure >= 1.0):
        found = [
            (one, at, span.qualified_name)
            for one, declaring in find_declaring(opened, name, members=members)
            for at, span in declaring
            if not is_prototype(one.view, span)
        ]
        most = max((one.priority for one, *_ in found), default=0.0)
        found = [place for place in found if place[0].priority == most]
        if len({(one.candidate.path, qualified) for one, _, qualified in found}) == 1:
            for one, at, _ in found:
                one.named.add(at)


def spend(
    opened: Sequence[RatedFile],
    packer: Packer,
    weights: Weights,
    title: Set[str] = frozenset(),
    follow: FollowShown = lambda _file, _position: [],
) -> list[tuple[RatedFile, Block]]:
    """Select blocks until the budget is used up, or no block is worth showing. `title` has terms of a title.

    `follow` raises the worth of what a shown block calls. Return the blocks that are left out though each
    would fit, because the best are worth so much more.
    """
    return _BlockQueue(opened, packer, weights, title, follow).spend()


class _BlockQueue:
    """The blocks that may still be selected: first what the prompt names, then by worth per line."""

    def __init__(
        self,
        opened: Sequence[RatedFile],
        packer: Packer,
        weights: Weights,
        title: Set[str],
        follow: FollowShown,
    ) -> None:
        self._opened = opened
        self._numbers = {one.candidate.path: at for at, one in enumerate(opened)}
        self._follow = follow
        self._packer = packer
        self._weights = weights
        self._title = title
        self._factors: dict[tuple[int, int], float] = {}  # of worth, by positions of file and block
        self._seen: set[tuple[int, int]] = set()  # positions of file and block: selected or skipped
        found = [
            (at, position)
            for at, one in enumerate(opened)
            for position, worth in enumerate(one.worth)
            if worth > 0.0
        ]
        self._best = max((self._rate(at, position) for at, position in found), default=0.0)
        self._first = self._choose_first(found)
        self._heap = [self._place(at, position) for at, position in found]
        heapify(self._heap)

    def spend(self) -> list[tuple[RatedFile, Block]]:
        """Select blocks, and return those that are left out though they would fit; what is named first."""
        left: list[tuple[RatedFile, Block]] = []
        named: list[tuple[RatedFile, Block]] = []
        best = self._best
        while self._heap and self._packer.lines_left > 0:
            place = heappop(self._heap)
            is_unnamed, rate, at, position = place
            if (at, position) in self._seen:
                continue
            now = self._place(at, position)
            if now > place:  # lines of its file were selected since
                heappush(self._heap, now)
                continue
            if is_unnamed and -rate < LEAST_NAMED * best:
                break
            if is_unnamed and -rate < ALONE_RATE * best and self._is_stray(at, position):
                continue  # unless a neighbour is shown later
            self._seen.add((at, position))
            one = self._opened[at]
            if one.candidate.path not in self._packer.paths and self._packer.files_left < 1:
                self._packer.refuse_file(one.candidate.path, "max_files reached")
            elif is_unnamed and -rate < self._find_least_rate() * best:
                if self._packer.has_room(self._build_whole(one, position)):
                    (named if position in one.named else left).append((one, one.blocks[position]))
            elif self._select(one, position):
                for near in (position - 1, position + 1):  # which cost less now
                    if 0 <= near < len(one.blocks) and one.worth[near] > 0.0:
                        heappush(self._heap, self._place(at, near))
                risen = self._follow(one, position) if self._weights.follows_shown else []
                for file, called in risen:
                    heappush(self._heap, self._place(self._numbers[file.candidate.path], called))
        return named + left

    def _place(self, at: int, position: int) -> tuple[bool, float, int, int]:
        """Return the key that orders blocks, the least first; its end says where the block is."""
        return (at, position) not in self._first, -self._rate(at, position), at, position

    def _choose_first(self, found: Sequence[tuple[int, int]]) -> set[tuple[int, int]]:
        """Return the blocks that come first: those that a prompt names, unless it is a report."""
        if not self._weights.names_first:
            return set()
        return {(at, position) for at, position in found if position in self._opened[at].named}

    def _find_least_rate(self) -> float:
        """Return the share of the best block's worth per line below which a block is left out."""
        weights = self._weights
        is_enough = self._packer.lines >= weights.enough_lines
        share: float = weights.enough_rate if is_enough else weights.least_rate
        return share

    def _rate(self, at: int, position: int) -> float:
        """Return the worth of a block per line, which is less if its file already has excerpts."""
        weights, one = self._weights, self._opened[at]
        if (at, position) not in self._factors:
            self._factors[at, position] = self._weigh(one, position)
        lines = float(one.blocks[position].line_count)
        if not one.touches_shown(position):
            lines += weights.base_lines
        worth: float = self._factors[at, position] * one.worth[position] ** weights.worth_power
        worth /= lines**weights.lines
        return worth / (1.0 + one.lines / weights.repeat_lines)

    def _is_stray(self, at: int, position: int) -> bool:
        """Return True for a few lines of a longer file that touch nothing shown and that no block calls."""
        one = self._opened[at]
        is_part = one.blocks[position].line_count < ALONE_LINES and len(one.blocks) > 1
        is_called = one.origins.get(position, "").startswith(Use.CALL)
        return is_part and not is_called and not one.touches_shown(position)

    def _weigh(self, one: RatedFile, position: int) -> float:
        """Return the factor of a block's worth for its file, its branches and the number of terms in it."""
        weights = self._weights
        share = one.candidate.share or weights.share_if_not_found
        factor: float = one.priority * share**weights.share_power
        block, held = one.blocks[position], one.view.line_terms
        if weights.straight < 1.0 and is_straight(one.view.live.lines[block.start_line - 1 : block.end_line]):
            factor *= weights.straight
        if weights.held_term:
            numbers = range(block.start_line, block.end_line + 1)
            terms = {term for number in numbers for term in held.get(number, ())}
            factor *= 1.0 + weights.held_term * len(terms) + weights.title_term * len(terms & self._title)
        return factor

    def _select(self, one: RatedFile, position: int) -> bool:
        """Select a block, or parts of one that does not fit but is worth it. Return False if nothing was."""
        chosen = [self._build_whole(one, position)]
        if not self._packer.has_room(chosen[0]):
            most = self._count_part_lines(one, position)
            if not most:
                self._packer.note_unfit(chosen[0])
                return False
            parts = choose_parts(one.view, one.blocks[position], most)
            chosen = [_build(one, position, start, end) for start, end in parts]
        for selection in chosen:
            added = self._packer.add(selection)
            if added is not None:
                one.lines += len(added.lines)
                one.shown.add(position)
        return position in one.shown

    def _build_whole(self, one: RatedFile, position: int) -> Selection:
        block = one.blocks[position]
        start, span = block.start_line, block.span
        if not self._weights.leads and span is not None and span.start_line <= start <= span.head_line:
            start = span.head_line
        return _build(one, position, start, block.end_line)

    def _count_part_lines(self, one: RatedFile, position: int) -> int:
        """Return how many lines to show of a block that does not fit; 0 for none.

        The best block of all is always shown in part, and one that the prompt names if there is room. Instead
        of any other, whole blocks are worth more.
        """
        room = self._packer.room
        if len(self._seen) == 1:  # the best of all
            return max(1, room)
        return room if position in one.named and room >= LEAST_PART_LINES else 0


def _build(one: RatedFile, position: int, start: int, end: int) -> Selection:
    score = round(one.worth[position], SCORE_DECIMALS)
    return build_selection(one.view.live, start, end, score)


def choose_parts(view: FileView, block: Block, most_lines: int) -> list[tuple[int, int]]:
    """Return at most `most_lines` lines of a block that does not fit, as spans in order.

    These are its head, then the lines with most of the prompt's terms, each with its neighbours.
    """
    start = block.start_line if block.span is None else max(block.start_line, block.span.head_line)
    head = find_head(view.live.lines, block.span)[1] if block.span is not None else start
    shown = set(range(start, min(head, start + most_lines - 1) + 1))
    numbers = [line for line in view.line_terms if start <= line <= block.end_line]
    comments = view.layout.comment_lines
    ordered = sorted(numbers, key=lambda line: (line in comments, -len(set(view.line_terms[line])), line))
    for line in ordered:
        around = set(range(max(start, line - 2), min(block.end_line, line + 2) + 1))
        if len(shown | around) <= most_lines:
            shown |= around
    return list(_join_lines(sorted(shown)))


def find_head(lines: Sequence[str], around: SymbolSpan) -> tuple[int, int]:
    """Return the first and last line of a declaration's head: its name up to its parameters or bases."""
    end = around.name_line
    while end < min(around.end_line, around.name_line + MAX_HEAD_LINES - 1) and not re.search(
        r"[:{;]\s*(?:#.*|//.*)?$", lines[end - 1]
    ):
        end += 1
    return around.name_line, end


def _join_lines(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of consecutive lines; `lines` ascend."""
    first = 0
    for position, line in enumerate(lines, 1):
        if position == len(lines) or lines[position] != line + 1:
            yield lines[first], line
            first = position
