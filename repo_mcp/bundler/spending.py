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

from collections.abc import Iterator, Sequence, Set
from heapq import heapify, heappop, heappush

from repo_mcp.blocks.block_worth import is_straight
from repo_mcp.blocks.candidates import SCORE_DECIMALS
from repo_mcp.blocks.following import FollowShown, Use
from repo_mcp.blocks.rated_files import Place, RatedFile
from repo_mcp.blocks.weights import Weights
from repo_mcp.bundler.block_parts import choose_parts
from repo_mcp.bundler.packing import Packer, build_selection
from repo_mcp.bundler.records import Selection
from repo_mcp.record_classes import dataclass

NAMED, OTHERS = 1_000, 1_001  # groups of blocks, behind those of a trace, whose group is the rank
ALONE_LINES = 5  # a block of fewer lines explains nothing without what stands around it
ALONE_RATE = 0.5  # of the worth per line of the best block, at which it may be what was asked for
LEAST_PART_LINES = 20  # a part of a block is not shown if fewer lines are left
MEMBER_LINES = 60  # shown of a member of a named class that does not fit
TRACED_LINES, TRACED_SHARE = 80, 5  # of the innermost frame's block, and the part of the budget for it
NEXT_TRACED, LEAST_TRACED = 0.6, 24  # factor for the lines of each further frame, and the least of any
SHORT_TRACED = 40  # a block of no more lines is shown whole
WORTH_NAMING = 0.5  # of the worth per line of the best block: what is left out of these is named


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


@dataclass(frozen=True, slots=True)
class _Offer:
    """A block whose turn it is."""

    file: RatedFile
    position: int  # of the block
    is_asked: bool  # by a trace or by its name, whatever it is worth
    share: float  # its worth per line, as a share of that of the best block


# A group, the negative worth per line, and the positions of a file and of its block: the least comes first.
_Key = tuple[int, float, int, int]


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
        self._numbers = {one.candidate.path: number for number, one in enumerate(opened)}
        self._follow = follow
        self._packer = packer
        self._weights = weights
        self._title = title
        self._factors: dict[tuple[int, int], float] = {}  # of worth, by positions of file and block
        self._seen: set[tuple[int, int]] = set()  # positions of file and block: selected or skipped
        self._unfit: list[Place] = []
        self._lesser: list[Place] = []
        found = [
            (number, position)
            for number, one in enumerate(opened)
            for position, worth in enumerate(one.worth)
            if worth > 0.0 or position in one.traced
        ]
        self._best = max((self._rate(*place) for place in found), default=0.0) or 1.0
        self._heap = [self._build_key(*place) for place in found]
        heapify(self._heap)

    def spend(self) -> UnshownBlocks:
        """Select blocks, and return those that are left out; what is named first."""
        for offer in self._iter_offers():
            one = offer.file
            if one.candidate.path not in self._packer.paths and self._packer.files_left < 1:
                self._packer.refuse_file(one.candidate.path, "max_files reached")
            elif not offer.is_asked and offer.share < self._find_least_share():
                if self._packer.has_room(self._build_whole(one, offer.position)):
                    self._lesser.append((one, offer.position))
            elif self._select(offer):
                self._offer_again(one, offer.position)
        if self._packer.lines_left <= 0:
            self._refuse_rest()
        lesser = sorted(self._lesser, key=lambda place: place[1] not in place[0].named)  # stable
        return UnshownBlocks(lesser, self._unfit)

    def _iter_offers(self) -> Iterator[_Offer]:
        """Yield the blocks, the best first as the selections stand, until no lines or only noise is left."""
        while self._heap and self._packer.lines_left > 0:
            key = heappop(self._heap)
            group, rate, number, position = key
            if (number, position) in self._seen:
                continue
            now = self._build_key(number, position)
            if now > key:  # lines of its file were selected since
                heappush(self._heap, now)
                continue
            is_asked, share = group < OTHERS, -rate / self._best
            if not is_asked and share < self._weights.ends_below:
                return
            if not is_asked and share < ALONE_RATE and self._is_stray(number, position):
                continue  # unless a neighbour is shown later
            self._seen.add((number, position))
            yield _Offer(self._opened[number], position, is_asked, share)

    def _offer_again(self, shown: RatedFile, position: int) -> None:
        """Put into the queue what is worth more, or costs less, now that a block is shown."""
        number = self._numbers[shown.candidate.path]
        for near in (position - 1, position + 1):
            if 0 <= near < len(shown.blocks) and shown.worth[near] > 0.0:
                heappush(self._heap, self._build_key(number, near))
        for file, called in self._follow(shown, position) if self._weights.follows_shown else ():
            heappush(self._heap, self._build_key(self._numbers[file.candidate.path], called))

    def _refuse_rest(self) -> None:
        """Record the blocks that were worth showing when the lines were used up."""
        for group, rate, number, position in sorted(self._heap):
            offer = _Offer(self._opened[number], position, group < OTHERS, -rate / self._best)
            is_worth_it = offer.is_asked or offer.share >= self._weights.ends_below
            if is_worth_it and (number, position) not in self._seen:
                self._seen.add((number, position))
                is_named = offer.is_asked or offer.share >= WORTH_NAMING
                self._refuse(offer, "the lines were used up", is_named=is_named)

    def _refuse(self, offer: _Offer, reason: str, *, is_named: bool) -> None:
        """Record why a block is not shown. A warning names it if `is_named` is true."""
        block = offer.file.blocks[offer.position]
        self._packer.refuse(_build(offer.file, offer.position, block.start_line, block.end_line), reason)
        if is_named:
            self._unfit.append((offer.file, offer.position))

    def _build_key(self, number: int, position: int) -> _Key:
        """Return the key that orders blocks."""
        one = self._opened[number]
        group = OTHERS
        if position in one.traced:
            group = one.traced[position].rank
        elif position in one.named and self._weights.names_first:
            group = NAMED
        return group, -self._rate(number, position), number, position

    def _find_least_share(self) -> float:
        """Return the share of the best block's worth per line below which a block is left out."""
        weights = self._weights
        is_enough = self._packer.lines >= weights.enough_lines
        share: float = weights.left_below_then if is_enough else weights.left_below
        return share

    def _rate(self, number: int, position: int) -> float:
        """Return the worth of a block per line, which is less if its file already has excerpts."""
        weights, one = self._weights, self._opened[number]
        if (number, position) not in self._factors:
            self._factors[number, position] = self._weigh(one, position)
        lines = float(one.blocks[position].line_count)
        if not one.touches_shown(position):
            lines += weights.base_lines
        worth: float = self._factors[number, position] * one.worth[position] ** weights.worth_power
        worth /= lines**weights.lines
        return worth / (1.0 + one.lines / weights.repeat_lines)

    def _is_stray(self, number: int, position: int) -> bool:
        """Return True for a few lines of a longer file that touch nothing shown and that no block calls."""
        one = self._opened[number]
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

    def _select(self, offer: _Offer) -> bool:
        """Select a block, or parts of one that does not fit but is worth it. Return False if nothing was."""
        one, position = offer.file, offer.position
        chosen = [self._build_whole(one, position)]
        most = self._count_most(one, position)
        if len(chosen[0].lines) > most or not self._packer.has_room(chosen[0]):
            most = min(most, self._count_part_lines(one, position))
            if not most:
                self._pass_over(offer)
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

    def _pass_over(self, offer: _Offer) -> None:
        """Record a block for which there is no room."""
        whole = self._build_whole(offer.file, offer.position)
        lacks = "lines" if len(whole.lines) > self._packer.lines_left else "tokens"
        if not offer.is_asked:
            self._packer.note_unfit(whole)
        is_named = offer.is_asked or (lacks == "lines" and offer.share >= WORTH_NAMING)
        self._refuse(offer, f"does not fit into the {lacks} that were left", is_named=is_named)

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
