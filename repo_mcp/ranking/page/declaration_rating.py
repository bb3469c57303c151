"""Rates the declarations of a file that a question may be about.

The index ranks units of some fifty lines, which begin and end anywhere. In the file of a first hit, the
declaration that answers is often not in the unit with the most words. So all declarations of that file are
rated by the rare words of the question and words of similar meaning in their own lines (comments count less),
in their names, and in the name of the declaration around them.

Left out on purpose, because none found more answers: the length of a declaration, whether it branches, and
the share of the question's words that it has.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import Declarations
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.text.analysis import get_word_terms

SATURATION = 1.2  # lines with a word: so many are worth half as much as any number of lines
NAME_WORTH = 1.0  # words that are a whole name are worth as much as any number of lines with them
OWNER_WORTH = 0.3  # of words in the name of the enclosing declaration
COMMENT_SHARE = 0.5  # a line of a comment counts for this share of a line of code
SYNONYM_SHARE = 0.5  # a synonym weighs this share of a word of the question
MAX_SHARE = 1 / 3  # of the units: a word that more of them have tells nothing, and is found everywhere
REPEAT_SHARE = 0.5  # of its worth is left to a declaration for each better one of the same name

INNER_TEST = 0.5  # of the worth of a test in a file of the program
_TEST = compile_late(r"(?:^|\.)(?:tests\b|test\.|test_|Test[A-Z])")

Rated = tuple[float, SymbolSpan]  # what a declaration is worth, and its lines


def weigh_query_terms(
    terms: Iterable[str],
    synonyms: Collection[str],
    count_units: Callable[[str], int],
    unit_count: int,
    most: int,
) -> dict[str, float]:
    """Return the weights of the `most` telling terms of a query: the logarithms of their rarity.

    Those of `terms` that are `synonyms` weigh less.
    """
    weights = [
        (term, math.log1p(unit_count / units) * (SYNONYM_SHARE if term in synonyms else 1.0))
        for term in terms
        if 0 < (units := count_units(term)) <= unit_count * MAX_SHARE
    ]
    return dict(sorted(weights, key=itemgetter(1), reverse=True)[:most])


def list_asked(
    declarations: Declarations,
    found: Sequence[int],
    is_comment: Sequence[int],
    telling: Mapping[str, float],
    most: int,
    *,
    reads_names: bool,
) -> list[Rated]:
    """Return at most `most` declarations that a question may be about, the best first.

    Each holds a word of the question. `found` has, for each line of the file, a bit mask of the terms in it;
    `telling` has their weights, and its first term is the lowest bit. `is_comment` says which lines are
    comments. With `reads_names`, the names of declarations are compared with the words, too; without it, a
    line with a name only counts for more.
    """
    places: dict[int, list[int]] = {}  # by declaration: its lines with words, from 0
    spans: dict[int, SymbolSpan] = {}
    for at, span in declarations.list_innermost(1, found, with_comments=reads_names):
        if span is not None:
            places.setdefault(id(span), []).append(at)
            spans[id(span)] = span
    rater = _Rater([*spans.values()], is_comment, found, telling, reads_names=reads_names)
    best: list[SymbolSpan] = []
    worths: list[float] = []  # of the best, less than 0, so that they ascend
    for number, (key, own) in enumerate(places.items()):
        worth = rater.rate(number, own, -worths[-1] if len(best) == most else 0.0)
        if worth > 0.0:
            at = bisect_right(worths, -worth)
            best.insert(at, spans[key])
            worths.insert(at, -worth)
            del best[most:], worths[most:]
    return [(-worth, span) for worth, span in zip(worths, best, strict=True)]


class _Rater:
    """Rates the declarations of one file that hold words of a question."""

    def __init__(
        self,
        spans: Sequence[SymbolSpan],
        is_comment: Sequence[int],
        found: Sequence[int],
        telling: Mapping[str, float],
        *,
        reads_names: bool,
    ) -> None:
        terms = [*telling]
        self._reads_names = reads_names
        self._spans = spans
        self._is_comment = is_comment
        self._found = found
        self._telling = telling
        self._worths = _Worths([*telling.values()])
        self._names = [found[span.name_line - 1] for span in spans]
        self._owners = [0] * len(spans)
        if reads_names:
            held = find_line_terms([*(span.name for span in spans), *map(_name_owner, spans)], terms)
            self._names, self._owners = held[: len(spans)], held[len(spans) :]

    def rate(self, number: int, places: Sequence[int], least: float) -> float:
        """Return the worth of a declaration by its lines with words; 0 unless it is more than `least`."""
        found, worths = self._found, self._worths
        held = 0
        for place in places:
            held |= found[place]
        name = self._names[number] & held
        owned = OWNER_WORTH * worths[self._owners[number]]
        if worths[held] + NAME_WORTH * worths[name] + owned <= least:
            return 0.0  # its lines need not be counted
        worth = owned + self._rate_lines(held, places)
        if worth + NAME_WORTH * worths[name] <= least:
            return 0.0  # the parts of its name need not be counted
        if name:
            share = self._find_share(self._spans[number].name) if self._reads_names else 1.0
            worth += NAME_WORTH * worths[name] * share
        return worth if worth > least else 0.0

    def _rate_lines(self, held: int, places: Sequence[int]) -> float:
        found, is_comment = self._found, self._is_comment
        lines = [(found[place], COMMENT_SHARE if is_comment[place] else 1.0) for place in places]
        worth = 0.0
        for at, weight in enumerate(self._telling.values()):
            bit = 1 << at
            if held & bit:
                count = sum([share for one, share in lines if one & bit])
                worth += weight * count / (count + SATURATION)
        return worth

    def _find_share(self, name: str) -> float:
        """Return the share of the parts of a name that the question has."""
        whole, *parts = get_word_terms(name)
        parts = parts or [whole]
        return len([part for part in parts if part in self._telling]) / len(parts)


def _name_owner(span: SymbolSpan) -> str:
    return span.qualified_name.removesuffix(span.name).removesuffix(".").rpartition(".")[2]


def is_inner_test(name: str) -> bool:
    """Return True for the qualified name of a test, which may be in a file of the program, as in Rust."""
    return _TEST.search(name) is not None


def demote_tests(rated: Sequence[Rated]) -> list[Rated]:
    """Return the declarations with tests counting half, unless all are tests; the best first."""
    are_tests = [_TEST.search(span.qualified_name) is not None for _, span in rated]
    if not any(are_tests) or all(are_tests):
        return list(rated)
    demoted = [
        (worth * (INNER_TEST if is_test else 1.0), span)
        for (worth, span), is_test in zip(rated, are_tests, strict=True)
    ]
    return sorted(demoted, key=itemgetter(0), reverse=True)


def demote_repeats(rated: Sequence[Rated]) -> list[Rated]:
    """Return the declarations, each counting less for every better one of its name; the best first."""
    seen: dict[str, int] = {}
    demoted: list[Rated] = []
    for worth, span in rated:
        before = seen.get(span.name, 0)
        seen[span.name] = before + 1
        demoted.append((worth * REPEAT_SHARE**before, span))
    return sorted(demoted, key=itemgetter(0), reverse=True)


class _Worths(dict[int, float]):
    """The sums of the weights of sets of words, which are bits."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights

    def __missing__(self, held: int) -> float:
        worth = sum([weight for place, weight in enumerate(self._weights) if held >> place & 1])
        self[held] = worth
        return worth
