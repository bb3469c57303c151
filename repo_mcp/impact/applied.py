"""One file of a diff compared with the present file: which side of the diff it has, and the touched lines.

If the diff is applied, its new side fits the file; if it is only proposed, its old side does. A hunk whose
lines are not at their number is applied at the nearest place that has them. The text of the other side
follows from this; comparing both texts shows what a change declares or deletes.

Left out on purpose: differences in white space, and any other fuzz. A hunk that fits nowhere is counted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum

from repo_mcp.record_classes import dataclass
from repo_mcp.text.unified_diff import Hunk

MAX_PLACES = 40  # occurrences of a hunk's first line that are tried as its place, the nearest ones
MAX_LOOKS = 5_000  # places that are tried for all hunks of one file and side: 5 ms


class Side(StrEnum):
    """The side of a diff that the present file has."""

    OLD = "old"  # the diff is not applied
    NEW = "new"
    NEITHER = "neither"  # lines are taken by their numbers on the new side


@dataclass(frozen=True, slots=True)
class TouchedLines:
    """The lines of one text that a diff touches."""

    lines: tuple[int, ...]  # that the other side lacks, from 1, ascending
    gaps: tuple[int, ...]  # numbers of lines after which only the other side has lines
    # The line numbers on the other side, for each gap; empty if its text is not known.
    missing: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class AppliedFile:
    """A file of a diff: the present text, and the text on the diff's other side."""

    side: Side
    here: TouchedLines  # in the present file
    there: TouchedLines  # in the other text
    other: tuple[str, ...]  # the lines of the other text; empty if it is not known
    misplaced: int  # hunks that fit nowhere, and were left out or taken by their numbers


def apply_hunks(lines: Sequence[str], hunks: Sequence[Hunk]) -> AppliedFile:
    """Return how the hunks apply to the present lines of a file."""
    fitting = {side: _place_all(lines, hunks, side) for side in (Side.NEW, Side.OLD)}
    side = max(fitting, key=lambda one: _weigh(fitting[one], hunks, one))
    places = fitting[side]
    if all(one is None for one in places):
        return _take_numbers(lines, hunks)
    placed = sorted(
        ((start, hunk) for start, hunk in zip(places, hunks, strict=True) if start is not None),
        key=lambda pair: pair[0],
    )
    return _apply(lines, placed, side, len(hunks) - len(placed))


def _own_mark(side: Side) -> str:
    return "-" if side is Side.OLD else "+"


def _weigh(places: Sequence[int | None], hunks: Sequence[Hunk], side: Side) -> tuple[int, int]:
    """Return how many hunks have a place, and how many lines these have."""
    found = [hunk for start, hunk in zip(places, hunks, strict=True) if start is not None]
    return len(found), sum(len(hunk.list_side(_own_mark(side))) for hunk in found)


def _place_all(lines: Sequence[str], hunks: Sequence[Hunk], side: Side) -> list[int | None]:
    """Return the index of each hunk's first line in `lines`, or None. No two overlap."""
    lines = list(lines)
    positions: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        positions.setdefault(line, []).append(index)
    found: list[int | None] = []
    shift = end = 0
    looks = MAX_LOOKS
    for hunk in hunks:
        wanted = hunk.list_side(_own_mark(side))
        start = hunk.old_start if side is Side.OLD else hunk.new_start
        expected = max(end, (start - 1 if wanted else start) + shift)
        place = None
        for tried in _iter_places(wanted, expected, end, positions, looks):
            looks -= 1
            if tried + len(wanted) <= len(lines) and lines[tried : tried + len(wanted)] == wanted:
                place = tried
                shift += place - expected
                end = place + len(wanted)
                break
        found.append(place)
    return found


def _iter_places(
    wanted: Sequence[str], expected: int, least: int, positions: dict[str, list[int]], looks: int
) -> Iterator[int]:
    """Yield indexes where a hunk may begin: the one it gives, then those of its first line, nearest first."""
    yield expected
    if not wanted or looks <= 0:
        return
    places = positions.get(wanted[0], [])
    near = bisect_right(places, expected)
    some = places[max(0, near - MAX_PLACES // 2) : near + MAX_PLACES // 2]
    yield from sorted((one for one in some if one >= least), key=lambda one: abs(one - expected))


def _apply(
    lines: Sequence[str], placed: Sequence[tuple[int, Hunk]], side: Side, misplaced: int
) -> AppliedFile:
    """Return both sides of a file whose hunks have places, and the lines that only one of them has."""
    mark = _own_mark(side)
    other: list[str] = []
    here, there = _Touch(), _Touch()

    def end_run() -> None:
        ours, theirs = here.list_run(), there.list_run()
        here.end_run(at, theirs)
        there.end_run(len(other), ours)

    at = 0  # lines of the file that have been passed
    for start, hunk in placed:
        other += lines[at:start]
        at = start
        for line in hunk.lines:
            if line[0] == " ":
                end_run()
                other.append(line[1:])
                at += 1
            elif line[0] == mark:
                at += 1
                here.lines.append(at)
                there.is_behind = True
            else:
                other.append(line[1:])
                there.lines.append(len(other))
                here.is_behind = True
        end_run()
    other += lines[at:]
    return AppliedFile(side, here.take(), there.take(), tuple(other), misplaced)


class _Touch:
    """Collects the lines and gaps of one side."""

    def __init__(self) -> None:
        self.lines: list[int] = []
        self.is_behind = False  # the other side has lines since the last line that both have
        self._ended = 0
        self._gaps: list[int] = []
        self._missing: list[tuple[int, ...]] = []

    def list_run(self) -> tuple[int, ...]:
        """Return the lines of the run of changed lines that has not ended."""
        return tuple(self.lines[self._ended :])

    def end_run(self, at: int, missing: tuple[int, ...] = ()) -> None:
        """End a run of changed lines. If this side has no line in it, there is a gap after line `at`."""
        if self.is_behind and len(self.lines) == self._ended:
            self._gaps.append(at)
            self._missing.append(missing)
        self.is_behind = False
        self._ended = len(self.lines)

    def take(self) -> TouchedLines:
        return TouchedLines(tuple(self.lines), tuple(self._gaps), tuple(self._missing))


def _take_numbers(lines: Sequence[str], hunks: Sequence[Hunk]) -> AppliedFile:
    """Return the lines that the hunks name on their new side, as far as the file has them."""
    touch = _Touch()
    for hunk in hunks:
        at = hunk.new_start - 1 if hunk.list_side("+") else hunk.new_start
        for line in hunk.lines:
            if line[0] == "-":
                touch.is_behind = True
                continue
            if line[0] == " ":
                touch.end_run(at)
            at += 1
            if line[0] == "+":
                touch.lines.append(at)
        touch.end_run(at)
    found = touch.take()
    here = TouchedLines(
        tuple(one for one in found.lines if one <= len(lines)),
        tuple(one for one in found.gaps if one < len(lines)),
    )
    return AppliedFile(Side.NEITHER, here, TouchedLines((), ()), (), len(hunks))
