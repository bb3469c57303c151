"""Chooses which of some lines show most of what is looked for: a window of consecutive ones.

Lines are given by their terms: of each line a number whose bits say which terms it has.
"""

from __future__ import annotations

from collections.abc import Sequence

WINDOW_LINES = 8


def choose_window(
    found: Sequence[int], extra: Sequence[int] | None = None, size: int = WINDOW_LINES
) -> tuple[int, int]:
    """Return the half-open span of at most `size` lines with the highest value; the first on a tie.

    A window's value is the sum over its lines of their terms, where a term's first occurrence counts four
    times: eight lines with one term each show less than one line with all. `extra` is added per line.
    """
    extra = [0] * len(found) if extra is None else extra
    best, most = 0, count_worth(found[:size]) + sum(extra[:size])
    for last in range(size, len(found)):
        if found[last] or extra[last]:  # otherwise the window is worth no more than the one before
            start = last - size + 1
            worth = count_worth(found[start : last + 1]) + sum(extra[start : last + 1])
            if worth > most:
                best, most = start, worth
    return best, min(len(found), best + size)


def count_worth(found: Sequence[int]) -> int:
    """Return what lines are worth together: their terms, the first of each counted four times."""
    shown = worth = 0
    for held in found:
        shown |= held
        worth += held.bit_count()
    return worth + 3 * shown.bit_count()


def find_best_line(found: Sequence[int]) -> int:
    """Return the index of the first line among those that hold the most terms."""
    counts = list(map(int.bit_count, found))
    return counts.index(max(counts)) if counts else 0
