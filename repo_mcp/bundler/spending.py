"""Spend a budget: select the blocks that are worth most for their lines.

What a stack trace points at is selected first, the innermost frame before the others; then what the prompt
names, unless it is a report, which names much in passing; then always the block with the most worth for its
lines. It ends when no lines are left, or only blocks that are worth much less than the best. For a report it
ends much sooner. Each further block of a file counts less, so that no file fills the bundle, and what a shown
block calls counts more, unless the prompt is a report. Of what is worth less than half of the best, a few
lines are shown only beside others. A block that does not fit gives way to one that does, except for the best
of all, what is named and the blocks of a trace: of these the head and the lines with most of the prompt's
terms are shown. What is left out is returned, and the packer knows why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from heapq import heapify, heappop, heappush
from itertools import pairwise

from repo_mcp.blocks.block_worth import is_prototype, is_straight
from repo_mcp.blocks.blocks import Block
from repo_mcp.blocks.candidates import SCORE_DECIMALS
from repo_mcp.blocks.file_view import FileView
from repo_mcp.blocks.following import FollowShown, Use
from repo_mcp.blocks.rated_files import Place, RatedFile, find_declaring
from repo_mcp.blocks.weights import Weights
from repo_mcp.bundler.packing import Packer, build_selection
from repo_mcp.bundler.records import Selection
from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.record_classes import dataclass
from repo_mcp.text.block_heads import list_heads

NAMED, OTHERS = 1_000, 1_001  # groups of blocks, behind those of a trace, whose group is the rank
ALONE_LINES = 5  # a block of fewer lines explains nothing without what stands around it
ALONE_RATE = 0.5  # of the worth per line of the best block, at which it may be what was asked for
LEAST_PART_LINES = 20  # a part of a block is not shown if fewer lines are left
MEMBER_LINES = 60  # shown of a member of a named class that does not fit
MAX_HEAD_LINES = 6
TRACED_LINES, TRACED_SHARE = 80, 5  # of the innermost frame's block, and the part of the budget for it
NEXT_TRACED, LEAST_TRACED = 0.6, 24  # factor for the lines of each further frame, and the least of any
SHORT_TRACED = 40  # a block of no more lines is shown whole
NEAR_LINES = 24  # shown at most before and after a line that a frame names
MOST_GAP = 3  # lines between two excerpts of a block that are shown, too
WORTH_NAMING = 0.5  # of the worth per line of the best block: what is left out of these is named


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


@dataclass(frozen=True, slots=True)
class UnshownBlocks:
    """The blocks that are not shown though they say something, those that matter most first."""

    lesser: Sequence[Place]  # each would fit, but the best are worth so much more
    unfit: Sequence[Place]  # worth about as much as what is shown, or asked for, but there was no room


def spend(
    opened: Sequence[RatedFile],
    packer: Packer,
    weights: Weights,
    title: Set[str] = frozenset(),
    follow: FollowShown = lambda _file, _position: [],
) -> UnshownBlocks:
    """Select blocks until the budget is used up, or no block is worth showing. `title` has terms of a title.

    `follow` raises the worth of what a shown block calls. Return what is left out.
    """
    return _BlockQueue(opened, packer, weights, title, follow).spend()


class _BlockQueue:
    """The blocks that may still be selected: those of a trace, what is named, then by worth per line."""

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
            if worth > 0.0 or position in one.traced
        ]
        self._unfit: list[Place] = []
        self._best = max((self._rate(at, position) for at, position in found), default=0.0)
        self._heap = [self._place(at, position) for at, position in found]
        heapify(self._heap)

    def spend(self) -> UnshownBlocks:
        """Select blocks, and return those that are left out; what is named first."""
        lesser: list[Place] = []
        named: list[Place] = []
        while self._heap and self._packer.lines_left > 0:
            place = heappop(self._heap)
            group, rate, at, position = place
            if (at, position) in self._seen:
                continue
            now = self._place(at, position)
            if now > place:  # lines of its file were selected since
                heappush(self._heap, now)
                continue
            is_other, share = group == OTHERS, -rate / (self._best or 1.0)
            if is_other and share < self._weights.ends_below:
                break
            if is_other and share < ALONE_RATE and self._is_stray(at, position):
                continue  # unless a neighbour is shown later
            self._seen.add((at, position))
            one = self._opened[at]
            if one.candidate.path not in self._packer.paths and self._packer.files_left < 1:
                self._packer.refuse_file(one.candidate.path, "max_files reached")
            elif is_other and share < self._find_least_share():
                if self._packer.has_room(self._build_whole(one, position)):
                    (named if position in one.named else lesser).append((one, position))
            elif self._select(one, position, is_asked=not is_other, share=share):
                for near in (position - 1, position + 1):  # which cost less now
                    if 0 <= near < len(one.blocks) and one.worth[near] > 0.0:
                        heappush(self._heap, self._place(at, near))
                risen = self._follow(one, position) if self._weights.follows_shown else []
                for file, called in risen:
                    heappush(self._heap, self._place(self._numbers[file.candidate.path], called))
        if self._packer.lines_left <= 0:
            self._refuse_rest()
        return UnshownBlocks(named + lesser, self._unfit)

    def _refuse_rest(self) -> None:
        """Record the blocks that were worth showing when the lines were used up."""
        for group, rate, at, position in sorted(self._heap):
            share = -rate / (self._best or 1.0)
            if (at, position) not in self._seen and (group < OTHERS or share >= self._weights.ends_below):
                self._seen.add((at, position))
                one = self._opened[at]
                self._refuse(one, position, "the lines were used up", group < OTHERS or share >= WORTH_NAMING)

    def _refuse(self, one: RatedFile, position: int, reason: str, is_named: bool) -> None:
        block = one.blocks[position]
        self._packer.refuse(_build(one, position, block.start_line, block.end_line), reason)
        if is_named:
            self._unfit.append((one, position))

    def _place(self, at: int, position: int) -> tuple[int, float, int, int]:
        """Return the key that orders blocks, the least first; its end says where the block is."""
        one = self._opened[at]
        group = OTHERS
        if position in one.traced:
            group = one.traced[position].rank
        elif position in one.named and self._weights.names_first:
            group = NAMED
        return group, -self._rate(at, position), at, position

    def _find_least_share(self) -> float:
        """Return the share of the best block's worth per line below which a block is left out."""
        weights = self._weights
        is_enough = self._packer.lines >= weights.enough_lines
        share: float = weights.left_below_then if is_enough else weights.left_below
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

    def _select(self, one: RatedFile, position: int, *, is_asked: bool, share: float) -> bool:
        """Select a block, or parts of one that does not fit but is worth it. Return False if nothing was."""
        chosen = [self._build_whole(one, position)]
        most = self._count_most(one, position)
        if len(chosen[0].lines) > most or not self._packer.has_room(chosen[0]):
            most = min(most, self._count_part_lines(one, position))
            if not most:
                self._pass_over(one, position, is_asked=is_asked, share=share)
                return False
            traced = one.traced.get(position)
            near = traced.lines if traced is not None else ()
            parts = choose_parts(one.view, one.blocks[position], most, near)
            chosen = [_build(one, position, start, end) for start, end in parts]
        for selection in chosen:
            added = self._packer.add(selection)
            if added is not None:
                one.lines += len(added.lines)
                one.shown.add(position)
        return position in one.shown

    def _pass_over(self, one: RatedFile, position: int, *, is_asked: bool, share: float) -> None:
        """Record a block for which there is no room."""
        whole = self._build_whole(one, position)
        lacks = "lines" if len(whole.lines) > self._packer.lines_left else "tokens"
        if not is_asked:
            self._packer.note_unfit(whole)
        is_named = is_asked or (lacks == "lines" and share >= WORTH_NAMING)
        self._refuse(one, position, f"does not fit into the {lacks} that were left", is_named)

    def _count_most(self, one: RatedFile, position: int) -> int:
        """Return how many lines of a block may be shown: of those of a trace the fewer the farther out."""
        total: int = self._packer.budget.max_total_lines
        if position not in one.traced:
            return total
        if one.blocks[position].line_count <= SHORT_TRACED:
            return SHORT_TRACED
        most = min(TRACED_LINES, total // TRACED_SHARE) * NEXT_TRACED ** one.traced[position].rank
        return max(LEAST_TRACED, int(most))

    def _build_whole(self, one: RatedFile, position: int) -> Selection:
        block = one.blocks[position]
        start, span = block.start_line, block.span
        if not self._weights.leads and span is not None and span.start_line <= start <= span.head_line:
            start = span.head_line
        return _build(one, position, start, block.end_line)

    def _count_part_lines(self, one: RatedFile, position: int) -> int:
        """Return how many lines to show of a block that does not fit; 0 for none.

        The best block of all is always shown in part, and one that the prompt names if there is room, as is
        one of a trace, and a little of a member of a class that it names. Instead of any other, whole blocks
        are worth more.
        """
        room = self._packer.room
        if len(self._seen) == 1:  # the best of all
            return max(1, room)
        if room < LEAST_PART_LINES:
            return 0
        if position in one.named or position in one.traced:
            return room
        return min(room, MEMBER_LINES) if _is_of_named(one, position) else 0


def _is_of_named(one: RatedFile, position: int) -> bool:
    """Return whether a block is a member of a class that the prompt names."""
    owner = one.blocks[position].owner
    return owner is not None and any(one.blocks[at].span is owner for at in one.named)


def _build(one: RatedFile, position: int, start: int, end: int) -> Selection:
    score = round(one.worth[position], SCORE_DECIMALS)
    return build_selection(one.view.live, start, end, score)


def choose_parts(
    view: FileView, block: Block, most_lines: int, near: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """Return at most `most_lines` lines of a block that does not fit, as spans in order.

    These are its head, and the lines around those of `near` with what has to hold for them to be reached.
    If there are none, they are the lines with most of the prompt's terms, each with its neighbours.
    """
    lines = view.live.lines
    start = block.start_line if block.span is None else max(block.start_line, block.span.head_line)
    head = find_head(lines, block.span)[1] if block.span is not None else start
    shown = set(range(start, min(head, start + most_lines - 1) + 1))
    for line in near:
        heads = {at + start for at in list_heads(lines[start - 1 : line])} if line > start else set[int]()
        for beside in range(min(NEAR_LINES, most_lines // len(near)), -1, -2):
            around = {*range(max(start, line - beside), min(block.end_line, line + beside) + 1), line}
            if len(shown | around | heads) <= most_lines:
                shown |= around | heads
                break
    if near:
        return list(_join_lines(_fill_gaps(sorted(shown), most_lines)))
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


def _fill_gaps(shown: Sequence[int], most_lines: int) -> list[int]:
    """Return some ascending lines with those between two that are near each other, if they fit."""
    filled = list(shown)
    for first, second in pairwise(shown):
        if 1 < second - first <= MOST_GAP + 1 and len(filled) + second - first - 1 <= most_lines:
            filled += range(first + 1, second)
    return sorted(filled)


def _join_lines(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each run of consecutive lines; `lines` ascend."""
    first = 0
    for position, line in enumerate(lines, 1):
        if position == len(lines) or lines[position] != line + 1:
            yield lines[first], line
            first = position
