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
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import compress
from operator import itemgetter

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.enclosing import OUTSIDE, Declarations
from repo_mcp.late_patterns import compile_late
from repo_mcp.ranking.page.line_terms import find_line_terms
from repo_mcp.text.analysis import get_word_terms

SATURATION = 1.2  # lines with a word: so many are worth half as much as any number of lines
NAME_WORTH = 1.0  # words that are a whole name are worth as much as any number of lines with them
OWNER_WORTH = 0.3  # of words in the name of the enclosing declaration
COMMENT_SHARE = 0.5  # a line of a comment counts for this share of a line of code
SYNONYM_SHARE = 0.5  # a synonym weighs this share of a word of the question
MAX_SHARE = 1 / 3  # of the units: a word that more of them have tells nothing, and is found everywhere
NAMED_WORTH = 2.0  # times the worth of a declaration that a report names as code, `merge`,
OWNED_WORTH = 3.0  # and of one that it names with its owner: `Router::merge`
REPEAT_SHARE = 0.5  # of its worth is left to a declaration for each better one of the same name

RATED_AT_ONCE = 128  # declarations whose names are looked through together
INNER_TEST = 0.5  # of the worth of a test in a file of the program
_TEST = compile_late(r"(?:^|\.)(?:tests\b|test\.|test_|Test[A-Z])")

_Bound = tuple[float, float]  # what a declaration is worth for its lines and owner; the most with its name
Rated = tuple[float, SymbolSpan]  # what a declaration is worth, and its lines
Named = tuple[str, str]  # the owner, "" for none, and the name of what a report names: ("Router", "merge")


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
    places = declarations.group_innermost(1, found, with_comments=reads_names)
    places.pop(OUTSIDE, None)
    rater = _Rater(declarations, [*places], is_comment, found, telling, reads_names=reads_names)
    bounds = [rater.bound(at, own) for at, own in enumerate(places.values())]
    numbers = [*places]
    return [(worth, declarations.get(numbers[at])) for at, worth in rater.choose_best(bounds, most)]


class _Rater:
    """Rates the declarations of one file that hold words of a question.

    They are rated in the order of the most that each can be worth for its lines, until no other can be among
    the best. So of the thousands of macros in a header, few names are looked at.
    """

    def __init__(
        self,
        declarations: Declarations,
        numbers: Sequence[int],
        is_comment: Sequence[int],
        found: Sequence[int],
        telling: Mapping[str, float],
        *,
        reads_names: bool,
    ) -> None:
        """`numbers` are those of the declarations that are rated."""
        self._is_comment = is_comment
        self._found = found
        self._telling = telling
        self._worths = _Worths([*telling.values()])
        # What a line alone is worth, by its words and whether it is of a comment.
        self._of_one_line: dict[tuple[int, int], float] = {}
        self._names: list[str] = []
        self._held_by_lines = [0] * len(numbers)  # the words that the lines of each have, once it has a bound
        self._held_names: list[int] = []  # the words of the lines with names, if the names are not read
        self._owned = [0.0] * len(numbers)  # what the words in the names around them are worth
        if not reads_names:
            self._held_names = [found[line - 1] for line in declarations.list_name_lines(numbers)]
        else:
            self._names, outer = declarations.list_names(numbers)
            owners = {
                one: one.removesuffix(".").rpartition(".")[2] for one in outer
            }  # of many it is the same
            held = find_line_terms([*owners.values()], [*telling])
            worths = dict(zip(owners, map(self._worths.__getitem__, held), strict=True))
            self._owned = [OWNER_WORTH * worths[one] for one in outer]

    def bound(self, at: int, places: Sequence[int]) -> _Bound:
        """Return the most that a declaration can be worth, given its position and its lines with words."""
        held = 0
        for place in places:
            held |= self._found[place]
        if len(places) == 1:  # as of macros, thousands of which have the same words
            key = held, self._is_comment[places[0]]
            lines = self._of_one_line.get(key)
            if lines is None:
                lines = self._of_one_line[key] = self._rate_lines(held, places)
        else:
            lines = self._rate_lines(held, places)
        worth = self._owned[at] + lines
        self._held_by_lines[at] = held
        return worth, worth + NAME_WORTH * self._worths[held]

    def choose_best(self, bounds: Sequence[_Bound], most: int) -> list[tuple[int, float]]:
        """Return the positions of the `most` best declarations and what each is worth, the best first.

        `bounds` has what `bound` returned for each. `most` is at least 1.
        """
        order = sorted(range(len(bounds)), key=[*map(itemgetter(1), bounds)].__getitem__, reverse=True)
        rated: list[tuple[int, float]] = []
        best: list[float] = []  # a heap of what the best are worth
        for first in range(0, len(order), RATED_AT_ONCE):
            some = order[first : first + RATED_AT_ONCE]
            if len(best) == most and bounds[some[0]][1] < best[0]:
                break
            if self._names:
                names = find_line_terms([*map(self._names.__getitem__, some)], [*self._telling])
            else:
                names = [*map(self._held_names.__getitem__, some)]
            for at, held in zip(some, names, strict=True):
                name = held & self._held_by_lines[at]
                worth, of_name = bounds[at][0], NAME_WORTH * self._worths[name]
                if len(best) == most and worth + of_name < best[0]:
                    continue
                if name:
                    worth += of_name * (self._find_share(self._names[at]) if self._names else 1.0)
                rated.append((at, worth))
                if len(best) < most:
                    heappush(best, worth)
                else:
                    heappushpop(best, worth)
        return sorted(sorted(rated), key=itemgetter(1), reverse=True)[:most]  # of equals the first stays so

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


def raise_named(rated: Sequence[Rated], named: Collection[Named]) -> list[Rated]:
    """Return the declarations, those that a report names as code being worth more; the best first.

    A qualifier that is a namespace or a module is the owner of none: `detail::is_valid_path`.
    """
    owned = {f"{owner}.{name}" for owner, name in named if owner}
    names = {name for _, name in named}
    raised = [(worth * _find_factor(span, names, owned), span) for worth, span in rated]
    return sorted(raised, key=itemgetter(0), reverse=True)


def _find_factor(span: SymbolSpan, names: Collection[str], owned: Collection[str]) -> float:
    if span.name not in names:
        return 1.0
    return OWNED_WORTH if ".".join(span.qualified_name.split(".")[-2:]) in owned else NAMED_WORTH


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
        worth = sum(compress(self._weights, map(int, bin(held)[:1:-1])))  # the lowest bit is the first
        self[held] = worth
        return worth
