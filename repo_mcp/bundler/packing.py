"""Keep a bundle within its budget: the selections so far, the room left, what was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from itertools import accumulate

from repo_mcp.blocks.source import LiveFile
from repo_mcp.bodies.body import are_twins
from repo_mcp.bundler.limits import CHARS_PER_TOKEN
from repo_mcp.bundler.records import Budget, Dropped, Selection
from repo_mcp.record_classes import dataclass, replace

MAX_LINE_CHARS = 500  # of a line in an excerpt; a longer line is data, and open_file shows it
USUAL_LINE_CHARS = 40  # of a line of code, with its number
MAX_JOINED_LINES = 120  # of excerpts that touch: of more, each function has its own name and reason
DUPLICATE_SHARE = 0.8  # excerpts are twins if they share this part of the shorter one's lines
DUPLICATE_LEAST_LINES = 5  # shorter excerpts may be alike


@dataclass(slots=True)
class Packer:
    """Selections within a budget. No limit is ever exceeded."""

    budget: Budget
    selections: list[Selection] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    lines: int = 0  # selected so far, as are the characters and the paths
    chars: int = 0
    paths: dict[str, None] = field(default_factory=dict)
    unfit: list[Selection] = field(default_factory=list)  # whole excerpts for which only tokens were lacking
    _unfit_lines: int = 0
    _bodies: list[set[str]] = field(default_factory=list)  # the lines of each selection, as twins have them

    @contextmanager
    def within(self, budget: Budget) -> Iterator[None]:
        """Keep to a smaller budget for a while, so that there is room for what is selected afterwards."""
        whole, self.budget = self.budget, budget
        try:
            yield
        finally:
            self.budget = whole

    @property
    def lines_left(self) -> int:
        """Return the number of lines that may still be selected."""
        return self.budget.max_total_lines - self.lines

    @property
    def room(self) -> int:
        """Return the number of lines of usual length that may still be selected."""
        if self.budget.max_tokens is None:
            return self.lines_left
        chars_left = self.budget.max_tokens * CHARS_PER_TOKEN - self.chars
        return min(self.lines_left, chars_left // USUAL_LINE_CHARS)

    @property
    def files_left(self) -> int:
        """Return the number of further files that may be selected from."""
        return self.budget.max_files - len(self.paths)

    def has_room(self, selection: Selection) -> bool:
        """Return True when an excerpt fits whole into the lines and tokens that are left."""
        return len(selection.lines) <= self.lines_left and self._count_fitting(selection) == len(
            selection.lines
        )

    def note_unfit(self, selection: Selection) -> None:
        """Record an excerpt that does not fit, if the lines that are left would hold it.

        An excerpt that directly follows the previous one is merged with it.
        """
        if self._unfit_lines + len(selection.lines) <= self.lines_left:
            last = self.unfit.pop() if self.unfit and _touch(self.unfit[-1], selection) else None
            self.unfit.append(selection if last is None else _join(last, selection))
            self._unfit_lines += len(selection.lines)

    def add(self, selection: Selection) -> Selection | None:
        """Select an excerpt, cut to what fits. Return None, and record why, when nothing of it fits."""
        twin = self._find_twin(selection)
        if twin is not None:
            self.refuse(selection, f"almost the same lines as {twin.citation}")
            return None
        if selection.path not in self.paths and self.files_left < 1:
            self.refuse(selection, "max_files reached")
            return None
        fitting = self._fit(selection)
        if fitting is None:
            self.refuse(selection, "budget used up")
            return None
        self.selections.append(fitting)
        self._bodies.append(_strip_lines(fitting))
        self.paths[fitting.path] = None
        self.lines += len(fitting.lines)
        self.chars += len(fitting.content)
        return fitting

    def refuse(self, selection: Selection, reason: str) -> None:
        """Record why an excerpt is not selected."""
        self.dropped.append(Dropped(selection.path, selection.start_line, selection.end_line, reason))

    def refuse_file(self, path: str, reason: str) -> None:
        """Record why nothing of a file is selected, once however often it is refused."""
        refused = Dropped(path, None, None, reason)
        if refused not in self.dropped:
            self.dropped.append(refused)

    def _fit(self, selection: Selection) -> Selection | None:
        """Return the first lines of an excerpt that fit into the budget; None if none do."""
        count = self._count_fitting(selection)
        if not count:
            return None
        end = selection.start_line + count - 1
        return replace(selection, lines=selection.lines[:count], end_line=end)

    def _count_fitting(self, selection: Selection) -> int:
        """Return how many of an excerpt's first lines fit into the lines and tokens that are left."""
        count = min(len(selection.lines), max(0, self.lines_left))
        if self.budget.max_tokens is None:
            return count
        left = self.budget.max_tokens * CHARS_PER_TOKEN - self.chars
        sizes = (
            len(f"{number}\t{line}\n")
            for number, line in enumerate(selection.lines[:count], selection.start_line)
        )
        return sum(size <= left for size in accumulate(sizes))

    def _find_twin(self, selection: Selection) -> Selection | None:
        """Return a selected excerpt of another file with nearly the same lines, or None.

        Declarations of one file may be alike without being copies: `enable` and `disable`.
        """
        own = _strip_lines(selection)
        for other, theirs in zip(self.selections, self._bodies, strict=True):
            is_elsewhere = other.path != selection.path
            if is_elsewhere and are_twins(own, theirs, DUPLICATE_LEAST_LINES, DUPLICATE_SHARE):
                return other
        return None


def _strip_lines(selection: Selection) -> set[str]:
    return {line.strip() for line in selection.lines} - {""}


def build_selection(live: LiveFile, start: int, end: int, score: float) -> Selection:
    """Return lines of a file as a selection, without symbol, evidence and matched words."""
    lines = tuple(map(cut_line, live.lines[start - 1 : end]))
    return Selection(live.path, start, end, None, (), score, (), lines, live.fingerprint.hex())


def cut_line(line: str) -> str:
    """Return a line as it is shown, cut if it is long."""
    return line if len(line) <= MAX_LINE_CHARS else line[:MAX_LINE_CHARS] + "…"


def order_selections(
    selections: Sequence[Selection],
    positions: Mapping[str, int],
    rank: Callable[[Selection], int] = lambda _selection: 0,
    is_asked: Callable[[Selection], bool] = lambda _selection: False,
) -> list[Selection]:
    """Join short selections that touch, and order them by rank, then by file, best first, then by line.

    What the prompt asks for by its name is joined with nothing.

    None begins or ends with an empty line: blocks have these only so that neighbours touch.
    """
    ordered = sorted(selections, key=lambda one: (positions[one.path], one.start_line))
    joined: list[Selection] = []
    for one in ordered:
        last = joined[-1] if joined and not is_asked(one) else None
        is_short = last is not None and len(last.lines) + len(one.lines) <= MAX_JOINED_LINES
        if last is not None and is_short and _touch(last, one) and not is_asked(last):
            joined[-1] = _join(last, one)
        else:
            joined.append(one)
    return [*map(_trim, sorted(joined, key=rank))]


def _trim(one: Selection) -> Selection:
    """Return a selection without the empty lines at its ends, unless it has no others."""
    held = [at for at, line in enumerate(one.lines) if line.strip()]
    if not held or len(held) == len(one.lines):
        return one
    first, last = held[0], held[-1]
    start, end = one.start_line + first, one.start_line + last
    return replace(one, start_line=start, end_line=end, lines=one.lines[first : last + 1])


def _touch(first: Selection, second: Selection) -> bool:
    """Return True if the second of two excerpts begins where the first ends."""
    return first.path == second.path and first.end_line + 1 == second.start_line


def _join(first: Selection, second: Selection) -> Selection:
    """Join two touching excerpts."""
    return replace(
        first,
        end_line=second.end_line,
        score=max(first.score, second.score),
        lines=first.lines + second.lines,
    )
