"""Finds the declarations of a file that a question may be about.

The index ranks units of some fifty lines, which begin and end anywhere. In the file of a first hit, the
declaration that answers is often not in the unit with the most words. So all declarations of that file are
rated by the rare words of the question in their own lines, and in the line with their name. The lines of a
page go to those of all first files that are worth most for their length.

Left out on purpose, because none found more answers: the length of a declaration, its docstring, its class,
synonyms of the question's words, and the share of those words that it has.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.late_patterns import compile_late

SATURATION = 1.2  # lines with a word, that are worth half of any number
NAME_WORTH = 1.0  # of a word in the line with the name, as much as of any number of lines
MAX_SHARE = 1 / 3  # of the units: a word that more of them have tells nothing, and is found everywhere
MAX_RATED_LINES = 5_000  # of a file: looking through 1,000 lines takes about a millisecond
SMALL_TYPE_LINES = 30  # of a type that is shown whole
FILE_SHARE = 0.6  # of the worth of a declaration, that it has in the file of the next hit
LENGTH_POWER = 0.25  # of the lines by which a declaration's worth is divided
REPEAT_SHARE = 0.5  # of the worth of a declaration, for each better one of the same name
LEAST_SHARE = 0.25  # of the worth of the best declaration of a page: others are not shown whole
PLACE_LINES = 10  # added to them, so that the shortest are not the best

INNER_TEST = 0.5  # of the worth of a test in a file of the program
_TEST = compile_late(r"(?:^|\.)(?:tests\b|test\.|test_|Test[A-Z])")

Rated = tuple[float, SymbolSpan]  # what a declaration is worth, and its lines


def weigh_terms(
    terms: Sequence[str], count_units: Callable[[str], int], unit_count: int, most: int
) -> dict[str, float]:
    """Return the weights of the `most` telling terms of a query: the logarithms of their rarity."""
    weights = [
        (term, math.log1p(unit_count / units))
        for term in terms
        if 0 < (units := count_units(term)) <= unit_count * MAX_SHARE
    ]
    return dict(sorted(weights, key=itemgetter(1), reverse=True)[:most])


def list_asked(
    declarations: Declarations, found: Sequence[int], weights: Sequence[float], most: int
) -> list[Rated]:
    """Return at most `most` declarations that a question may be about, the best first.

    Each holds a word of the question. `found` has a bit mask for each line of the file: the words in it.
    `weights` has the weight of each bit, from the lowest.
    """
    numbers: dict[int, list[int]] = {}  # by declaration: its lines with words
    spans: dict[int, SymbolSpan] = {}
    for at, span in declarations.list_innermost(1, found):
        if span is not None:
            numbers.setdefault(id(span), []).append(at + 1)
            spans[id(span)] = span
    most_worth = _Worths(weights)
    best: list[SymbolSpan] = []
    worths: list[float] = []  # of the best, less than 0, so that they ascend
    for key, own in numbers.items():
        held = 0
        for number in own:
            held |= found[number - 1]
        named = found[spans[key].name_line - 1]
        least = -worths[-1] if len(best) == most else 0.0
        if most_worth[held] + NAME_WORTH * most_worth[held & named] <= least:
            continue  # most of them: their lines need not be counted
        worth = 0.0
        for place, weight in enumerate(weights):
            bit = 1 << place
            if held & bit:
                count = sum([1 for number in own if found[number - 1] & bit])
                worth += weight * (count / (count + SATURATION) + NAME_WORTH * bool(named & bit))
        if worth > least:
            at = bisect_right(worths, -worth)
            best.insert(at, spans[key])
            worths.insert(at, -worth)
            del best[most:], worths[most:]
    return [(-worth, span) for worth, span in zip(worths, best, strict=True)]


def is_inner_test(name: str) -> bool:
    """Return True for the qualified name of a test, which may be in a file of the program, as in Rust."""
    return _TEST.search(name) is not None


def demote_tests(rated: Sequence[Rated]) -> list[Rated]:
    """Return rated declarations anew, the best first: tests count half, unless all are tests."""
    are_tests = [_TEST.search(span.qualified_name) is not None for _, span in rated]
    if not any(are_tests) or all(are_tests):
        return list(rated)
    demoted = [
        (worth * (INNER_TEST if is_test else 1.0), span)
        for (worth, span), is_test in zip(rated, are_tests, strict=True)
    ]
    return sorted(demoted, key=itemgetter(0), reverse=True)


def demote_repeats(rated: Sequence[Rated]) -> list[Rated]:
    """Return rated declarations anew, the best first: each counts less for every better one of its name."""
    seen: dict[str, int] = {}
    demoted: list[Rated] = []
    for worth, span in rated:
        before = seen.get(span.name, 0)
        seen[span.name] = before + 1
        demoted.append((worth * REPEAT_SHARE**before, span))
    return sorted(demoted, key=itemgetter(0), reverse=True)


def choose_whole(
    files: Sequence[Sequence[Rated]], is_type: Callable[[int, SymbolSpan], bool], room: int
) -> list[list[SymbolSpan]]:
    """Return, for each file, the declarations to be shown whole: together at most `room` lines.

    `files` are the rated declarations of the first files. `is_type` tells, by a file's place, whether one of
    its declarations holds members; a long one is not shown whole, but its members may be.
    """
    offers: list[tuple[float, int, int, SymbolSpan]] = []
    for place, rated in enumerate(files):
        for worth, span in rated:
            lines = span.end_line - span.head_line + 1
            share = FILE_SHARE**place / (lines + PLACE_LINES) ** LENGTH_POWER
            offers.append((worth * share, lines, place, span))
    chosen: list[list[SymbolSpan]] = [[] for _ in files]
    shown: list[set[int]] = [set() for _ in files]
    offers.sort(key=itemgetter(0), reverse=True)  # of equals the first stays so
    least = LEAST_SHARE * offers[0][0] if offers else 0.0
    for worth, lines, place, span in offers:
        if worth < least:
            break
        new = {*range(span.head_line, span.end_line + 1)} - shown[place]
        if not new or len(new) > room or (lines > SMALL_TYPE_LINES and is_type(place, span)):
            continue
        room -= len(new)
        shown[place] |= new
        chosen[place].append(span)
    return chosen


class _Worths(dict[int, float]):
    """The sums of the weights of sets of words, which are bits."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights

    def __missing__(self, held: int) -> float:
        worth = sum([weight for place, weight in enumerate(self._weights) if held >> place & 1])
        self[held] = worth
        return worth
