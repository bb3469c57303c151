"""Choose the deciding lines of a body: statements with the question's words, their conditions and results.

Pure.

    body -> statements -> worth of each -> the best that fit, each with its conditions -> lines

A body whose code fits is shown without choosing. Its comments and closing brackets are kept only on demand.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from repo_mcp.bodies.body import Body, is_directive, list_code, measure, measure_indent, says_nothing
from repo_mcp.bodies.bound_statements import find_bound, find_makers
from repo_mcp.bodies.statements import (
    Statement,
    cut_statements,
    is_empty,
    list_alternatives,
    list_arms,
    list_conditionals,
    list_inner,
    list_outer,
    list_shown_lines,
    measure_statement,
)
from repo_mcp.record_classes import replace
from repo_mcp.text.lines import trim_blank

OWN_WORDS = 0.8  # part of the worth 1 of all words which those in the body share; the others keep theirs
BOUND_CHARS = 90  # of a statement that is shown because it shares a name with the one beside it
MAKER_CHARS = 220  # of a statement that gives a value to a name which a shown condition or result uses
# In a body of MANY_LINES, a statement is worth less, at least FAR_OFF of what it says, the fewer of the
# question's words stand within NEAR_LINES of it.
MANY_LINES, NEAR_LINES, FAR_OFF = 60, 10, 0.3
SHORT_ROOM, SHORT_HEAD = 800, 2  # in less room only the first lines of a head are shown
LEADS = 0.5  # worth of a statement that leads to another shown declaration; all words together are worth 1
ARMS_CHARS = 600  # of the other arms of a choice, which are shown with one of them
MOST_COMPARED = 400  # statements of one body, those worth most
LEAST_OF_BEST = 0.1  # of the weight of the best term of a body; others tell no line from its neighbours
EVEN_CHARS = 60  # added to the characters of each statement, so that the shortest do not win by that alone


def choose_lines(
    body: Body,
    weights: Mapping[str, float],
    room: int,
    leads: Callable[[str], Sequence[str]] = lambda _text: (),
    *,
    keeps_comments: bool = False,
) -> list[int]:
    """Return the numbers of the lines to show of a body within `room` characters, ascending.

    `weights` are those of the question's terms; `leads` returns the names of other shown declarations to
    which a text leads. The head is always included. With `keeps_comments`, a body that fits has its comments
    and the lines that only close brackets.
    """
    whole = _list_whole(body, room, keeps_comments=keeps_comments)
    return sorted(_rank(body, weights, room, leads)) if whole is None else whole


def rank_lines(
    body: Body,
    weights: Mapping[str, float],
    room: int,
    leads: Callable[[str], Sequence[str]] = lambda _text: (),
    *,
    keeps_comments: bool = False,
    spare: int = 0,
) -> list[int]:
    """Return the lines that `choose_lines` returns, the best first.

    The first statement after the head may take `spare` characters more.
    """
    whole = _list_whole(body, room, keeps_comments=keeps_comments)
    ranked = _rank(body, weights, room, leads, spare)
    return ranked if whole is None else [*dict.fromkeys([*(at for at in ranked if at in whole), *whole])]


def _list_whole(body: Body, room: int, *, keeps_comments: bool) -> list[int] | None:
    """Return all lines of a body, or all that say something; None if these do not fit."""
    _, last = trim_blank(body.lines, body.start_line - 1, body.end_line)
    whole = list(range(body.start_line, last + 1))
    if keeps_comments and measure(body.lines, whole) <= room:
        return whole
    code = list_code(body)
    return code if measure(body.lines, code) <= room else None


def _rank(
    body: Body, weights: Mapping[str, float], room: int, leads: Callable[[str], Sequence[str]], spare: int = 0
) -> list[int]:
    """Return the lines of the statements that are chosen of a body, the best first."""
    code = [
        number
        for number in range(body.head_line, body.end_line + 1)
        if number not in body.comment_lines
        and body.lines[number - 1].strip()
        and not is_directive(body.lines[number - 1])
    ]
    body = _drop_weak(body, weights)
    statements = _discount_far(body, cut_statements(body, code), weights)
    if not statements:
        return []
    if room < SHORT_ROOM:
        head = statements[0]
        statements[0] = replace(head, last=min(head.last, head.first + SHORT_HEAD - 1))
    return _Choice(body, statements, weights, leads, room, spare).take_best()


def _drop_weak(body: Body, weights: Mapping[str, float]) -> Body:
    """Return a body without the terms of lines whose terms all weigh little beside its best one."""
    held = {at: max((weights.get(term, 0.0) for term in own), default=0.0) for at, own in body.terms.items()}
    least = LEAST_OF_BEST * max(held.values(), default=0.0)
    return replace(body, terms={at: own for at, own in body.terms.items() if held[at] >= least})


def _discount_far(body: Body, statements: list[Statement], weights: Mapping[str, float]) -> list[Statement]:
    """Return the statements; in a long body, those far from most of the question's words are worth less."""
    if body.line_count < MANY_LINES or not body.terms:
        return statements
    near = [_weigh_near(body, one, weights) for one in statements]
    most = max(near, default=0.0) or 1.0
    return [
        replace(one, factor=one.factor * (FAR_OFF + (1.0 - FAR_OFF) * weight / most))
        for one, weight in zip(statements, near, strict=True)
    ]


def _weigh_near(body: Body, one: Statement, weights: Mapping[str, float]) -> float:
    """Return the weight of all terms within NEAR_LINES of a statement."""
    around = range(one.first - NEAR_LINES, one.last + NEAR_LINES + 1)
    held = dict.fromkeys(term for at in around for term in body.terms.get(at, ()))
    return sum(weights.get(term, 0.0) for term in held)


class _Choice:
    """The statements of a body that are shown, and what the others are worth beside them.

    A term counts less each time that it is shown, and so does a name that is led to.
    """

    def __init__(
        self,
        body: Body,
        statements: Sequence[Statement],
        weights: Mapping[str, float],
        leads: Callable[[str], Sequence[str]],
        room: int,
        spare: int,
    ) -> None:
        self._body, self._statements, self._weights = body, statements, weights
        self._left, self._spare = room, spare
        held_here = {term for one in statements for term in one.terms}
        own = sum(weight for term, weight in weights.items() if term in held_here)  # never in a set's order
        self._whole = OWN_WORDS * own + (1.0 - OWN_WORDS) * sum(weights.values()) or 1.0
        texts = ("\n".join(body.lines[one.first - 1 : one.last]) for one in statements)
        self._leads = [[f"{name}()" for name in leads(text)] for text in texts]  # no term has brackets
        self._costs = [measure_statement(body, one) for one in statements]
        self._shown: dict[int, None] = {}  # positions of statements, as they were chosen
        self._seen: Counter[str] = Counter()  # how often each term is shown, and each name that is led to
        self._rates: dict[int, float] = {}  # of the statements that are left

    def take_best(self) -> list[int]:
        """Return the lines of the head and of the best statements that fit, the best first."""
        rates = self._rates
        self._take(0)
        rated = {at: self._rate(at) for at in range(1, len(self._statements)) if self._may_be_chosen(at)}
        rates |= dict(sorted(rated.items(), key=lambda one: (-one[1], one[0]))[:MOST_COMPARED])
        while rates and self._left > 0:
            best = max(rates, key=lambda ordinal: (rates[ordinal], -ordinal))
            del rates[best]
            if best not in self._shown and self._take(best):
                self._take_beside(best)
        return self._list_lines()

    def _may_be_chosen(self, ordinal: int) -> bool:
        """Return True for a statement that may be chosen for what it says."""
        one = self._statements[ordinal]
        return bool(one.factor) and not is_empty(self._body, one)

    def _rate(self, ordinal: int) -> float:
        """Return the worth of a statement beside those that are shown, for the room that it takes."""
        one = self._statements[ordinal]
        held = sum(self._weights.get(term, 0.0) / (1 + self._seen.get(term, 0)) for term in one.terms)
        led = max((LEADS / (1 + self._seen.get(name, 0)) for name in self._leads[ordinal]), default=0.0)
        worth = one.factor * (held / self._whole + one.bonus + led)
        return worth / math.sqrt(self._costs[ordinal] + EVEN_CHARS)

    def _take(self, ordinal: int) -> bool:
        """Show a statement with the conditions around it, and those before an `else`.

        Return False if they do not fit; the head does.
        """
        outer = [ordinal, *list_outer(self._body, self._statements, ordinal)]
        wanted = [
            *outer,
            *(one for at in outer for one in list_alternatives(self._body, self._statements, at)),
        ]
        new = [one for one in dict.fromkeys(wanted) if one not in self._shown]
        cost = sum(self._costs[one] for one in new)
        if self._shown and cost > self._left + (self._spare if len(self._shown) == 1 else 0):
            return False
        self._left -= cost
        self._shown |= dict.fromkeys(reversed(new))
        added = Counter(held for one in new for held in self._list_held(one))
        self._seen.update(added)
        for one in self._rates:
            if not added.keys().isdisjoint(self._list_held(one)):
                self._rates[one] = self._rate(one)
        return True

    def _list_held(self, ordinal: int) -> list[str]:
        """Return the terms of a statement and the names to which it leads."""
        return [*self._statements[ordinal].terms, *self._leads[ordinal]]

    def _take_beside(self, ordinal: int) -> None:
        """Show what a statement leads to inside, and short ones that share a name with it, if they fit."""
        body, statements = self._body, self._statements
        inner = list_inner(body, statements, ordinal)
        makers = find_makers(body, statements, ordinal)
        most = dict.fromkeys(find_bound(body, statements, ordinal), BOUND_CHARS)
        most |= dict.fromkeys(makers, MAKER_CHARS) | dict.fromkeys(inner, self._left)
        for one in (*inner, *makers, *most):
            if one not in self._shown and self._costs[one] <= most[one] and self._take(one):
                self._rates.pop(one, None)
        self._take_arms(ordinal)

    def _take_arms(self, ordinal: int) -> None:
        """Show the other arms of every switch around a statement, if all of them fit."""
        for outer in (ordinal, *list_outer(self._body, self._statements, ordinal)):
            arms = list_arms(self._body, self._statements, outer)
            arms = [one for one in arms if one not in self._shown]
            if arms and sum(self._costs[one] for one in arms) <= min(ARMS_CHARS, self._left):
                for one in arms:
                    self._take(one)
                    self._rates.pop(one, None)

    def _list_lines(self) -> list[int]:
        """Return the lines of the statements that are shown, without comments and closing brackets."""
        shown = (self._statements[ordinal] for ordinal in self._shown)
        numbers = [number for one in shown for number in list_shown_lines(self._body, one)]
        return list(dict.fromkeys([*numbers, *list_conditionals(self._body, sorted(numbers))]))


def keep_around(lines: Sequence[str], shown: Iterable[int], used: Sequence[int]) -> tuple[int, ...]:
    """Return those of some lines that are used or enclose a used one, and the first one, the head.

    Others would say what else a function does.
    """
    ordered = sorted(shown)
    kept: list[int] = []
    for number in reversed(ordered):
        inner = lines[number : kept[-1]] if kept else []
        indent = measure_indent(lines[number - 1])
        encloses = bool(inner) and all(
            measure_indent(line) > indent for line in inner if not says_nothing(line)
        )
        if number in used or number == ordered[0] or encloses:
            kept.append(number)
    return tuple(reversed(kept))
