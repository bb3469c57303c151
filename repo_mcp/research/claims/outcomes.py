"""Say what a question's event leads to, by the branch of code that has its words.

    "What happens when no driver is registered"  ->  `if driver is None:` leads to `raise UnknownDriver(name)`

Both lines are quoted and cited, and are shown. Loops are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.bundler.body import Body, list_code
from repo_mcp.bundler.statements import (
    Statement,
    cut_statements,
    holds_failure,
    is_branch,
    leaves,
    list_alternatives,
    only_logs,
)
from repo_mcp.record_classes import dataclass, replace
from repo_mcp.research.findings.citing import shorten_symbol
from repo_mcp.research.findings.locating import is_test
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.guards import BARE_ELSE
from repo_mcp.research.words.lacking_words import weigh_words
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

LOOKED_AT, NEXT = 4, 0.8  # best findings; factor for each that comes behind another
LEAST_SHARE = 0.55  # of the weight of the event's words, in a branch
LEAST_ELSEWHERE = 0.75  # of the number of all words, in a branch of another declaration than the best
MOST_STATEMENTS = 10  # of a branch: a longer one has any word somewhere
LINE_CHARS = 400  # read of a line, so that none takes long
QUOTED_CHARS = 90
_ASKS = re.compile(
    r"\b(?:what (?:happens|becomes|does)|what if|when (?:does|do|is|are|can|will)|gives? up|until when)\b",
    re.IGNORECASE,
)
_LOOPS = re.compile(r"\s*+(?:[})]++\s*+)?(?:for|while|switch|match|when)\b(?!.*->)")
_TRIES = re.compile(r"\s*+(?:try|do)\b")
_LEAVES_SWITCH = re.compile(r"\s*+break\b")
_ARM = re.compile(r"\s*+(?:[A-Z_\"'\d&]|\w+::)[^=]*=>\s*\{?\s*$")  # of a `match`, no function with an arrow
_HANDLES = re.compile(r"\s*+[})]*\s*+(?:except|catch|rescue)\b|.*\.(?:catch|exceptionally|recover)\b")


@dataclass(frozen=True, slots=True)
class Branch:
    """A condition and what stands under it."""

    condition: Statement
    inner: tuple[Statement, ...]
    end: Statement  # of `inner`, as `_find_end` finds it
    otherwise: Statement | None = None  # the condition that does not hold, if this is a bare `else`


def describe_outcome(state: ResearchState) -> str:
    """Return a sentence on what the question's event leads to in the best declarations; "" for none."""
    query = state.request.query
    if _ASKS.search(query) is None:
        return ""
    words = list_words(query)
    weighed = weigh_words(words, state.weights) or dict.fromkeys(words, 1.0)
    lacking = " ".join(state.word_match.lacking).split()  # by the best declaration
    best: tuple[tuple[float, int], Finding, Body, Branch] | None = None
    near = [one for one in state.findings if not one.hop and one.kind != "section" and one.name]
    near = [one for one in near if is_test(one.path, one.symbol) is state.wants_tests]
    for position, one in enumerate(near[:LOOKED_AT]):
        # What the function is about by its name, all of its branches are about.
        event = {word: worth for word, worth in weighed.items() if not shares_word(one.symbol, (word,))}
        event = event if event and not position else weighed
        body = _read(state, one)
        for branch in _iter_branches(body):
            text = _quote(body, (branch.condition, *branch.inner), 2_000)
            share = sum(event[word] for word in event if shares_word(text, (word,))) / sum(event.values())
            if share < LEAST_SHARE or (lacking and not shares_word(text, lacking)):
                continue
            if position and shares_word(text, words) < LEAST_ELSEWHERE * len(words):
                continue
            if position and only_logs(_read_line(body, branch.end)):  # a log says little elsewhere
                continue
            rank = (share * NEXT**position, -len(branch.inner))
            if best is None or rank > best[0]:
                best = rank, one, body, branch
    return "" if best is None else _tell(state, *best[1:])


def _read(state: ResearchState, one: Finding) -> Body:
    lines, comments = state.source.read_lines(one.path), state.source.read_comment_lines(one.path)
    return Body(lines, one.start_line, min(one.end_line, len(lines)), one.start_line, {}, comments)


def _read_line(body: Body, one: Statement) -> str:
    return body.lines[one.first - 1][:LINE_CHARS]


def _iter_branches(body: Body) -> Iterator[Branch]:
    """Yield the branches of a body of which the end says something by itself."""
    statements = cut_statements(body, list_code(body))
    for at, one in enumerate(statements):
        line = _read_line(body, one)
        is_arm = _ARM.match(line) is not None and line.count("(") == line.count(")")
        if at and (is_branch(line) or is_arm) and not _LOOPS.match(line):
            inner = _list_inner(statements, at)
            is_else = BARE_ELSE.match(line) is not None
            above = _find_condition(body, statements, at) if is_else else None
            is_short = 0 < len(inner) <= MOST_STATEMENTS
            end = _find_end(body, inner) if is_short and not (is_else and above is None) else None
            if end is not None:
                yield Branch(one, inner, end, above)


def _list_inner(statements: Sequence[Statement], at: int) -> tuple[Statement, ...]:
    end = next(
        (
            below
            for below in range(at + 1, len(statements))
            if statements[below].indent <= statements[at].indent
        ),
        len(statements),
    )
    return tuple(statements[at + 1 : end])


def _find_condition(body: Body, statements: Sequence[Statement], at: int) -> Statement | None:
    """Return the condition to which an `else` belongs."""
    above = list_alternatives(body, statements, at)
    if not above:
        return None
    found = statements[above[0]]
    line = _read_line(body, found)
    return None if _LOOPS.match(line) or _HANDLES.match(line) else found


def _find_end(body: Body, inner: Sequence[Statement]) -> Statement | None:
    """Return the statement with which a branch ends, or else the last one that does more than to log.

    Return None if that is a condition, a loop or a `try`, of which the end says nothing by itself.
    """
    own = [one for one in inner if one.indent == inner[0].indent]
    lines = {one: _read_line(body, one) for one in own}
    own = [one for one in own if not _LEAVES_SWITCH.match(lines[one])] or own  # the end of a `case`
    leaving = [one for one in own if leaves(lines[one]) or holds_failure(lines[one])]
    last = (leaving or [one for one in own if not only_logs(lines[one])] or own)[-1]
    return None if is_branch(lines[last]) or _TRIES.match(lines[last]) else last


def _tell(state: ResearchState, one: Finding, body: Body, branch: Branch) -> str:
    """Return the sentence on a branch, and show the lines that it quotes."""
    end = branch.end
    condition = branch.otherwise or branch.condition
    _show(state, one, (condition, branch.condition, end))
    place = write_citation(one.path, condition.first, condition.first)
    target = write_citation(one.path, end.first, end.first)
    quoted = f"`{_quote(body, (condition,))}` ({place})"
    where = f"where {quoted} does not hold, it comes to" if branch.otherwise else f"{quoted} leads to"
    return f"In {shorten_symbol(one)}, {where} `{_quote(body, (end,))}` ({target})."


def _show(state: ResearchState, one: Finding, told: Iterable[Statement]) -> None:
    lines = {at for own in told for at in (own.first, own.last)}
    place = (one.path, one.start_line, one.symbol)
    for at, known in enumerate(state.findings):
        if (known.path, known.start_line, known.symbol) == place:
            shown = known.shown or (known.start_line, *known.lines)
            state.findings[at] = replace(known, shown=tuple(sorted({*shown, *lines})))


def _quote(body: Body, statements: Sequence[Statement], most: int = QUOTED_CHARS) -> str:
    """Return the text of statements on one line."""
    lines = (line for one in statements for line in body.lines[one.first - 1 : one.last])
    text = " ".join(" ".join(lines).split()).replace("`", "'").strip("{} ").rstrip(":").strip()
    return text if len(text) <= most else f"{text[: most - 1]}…"
