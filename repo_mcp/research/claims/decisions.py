"""Say by which conditions a function decides, where it leaves early: this answers how it works.

    if not fs.strict:                     It decides by `if not fs.strict` with `return True` (serve.py:2) and
        return True                       `if fs.denied(path)` with `return False` (serve.py:4).
    if fs.denied(path):
        return False

One such condition is a guard, and says little of the whole; neither does one that only hands on an error.
Branches that have more words of the question than any early exit are told first, with what they do.
What gives a value to a name in a condition is shown, too. If a question asks how something is decided, the
functions to which this one leaves it are told as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from repo_mcp.bundler.body import Body, list_code
from repo_mcp.bundler.bound_statements import find_makers
from repo_mcp.bundler.statements import Statement, cut_statements, holds_failure, is_branch, only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.citing import join_names, shorten_symbol
from repo_mcp.research.findings.reasons import Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.asked_decisions import read_decision
from repo_mcp.research.words.asked_words import MAX_WORDS
from repo_mcp.research.words.branches import (
    LINE_CHARS,
    Branch,
    build_body,
    iter_branches,
    quote,
    read_line,
    show_lines,
)
from repo_mcp.research.words.error_lines import OF_ERROR
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

LEAST, MOST = 2, 3  # conditions that are told
TELLING = 2  # words of the question, in a branch that does not leave the function
INNER = 3  # statements under a condition; after more, its end says too little
MOST_DECIDERS = 2  # functions to which the best one leaves a decision, and that are told
MOST_GIVEN = 4  # statements that give values to the variables of conditions
LONG_LINES = 60  # of a function; in a longer one, a condition must have a word of the question
# `if (!strict) return true`, `guard let user else { return nil }`, `raise Locked if @locked`
_ON_ONE_LINE = re.compile(
    r"\s*(?:\}\s*)?(?:(?:if|else if|unless|guard)\b.*[\s){](?:return|throw|raise)\b"
    r"|(?:return|raise|throw)\b.*\s(?:if|unless)\s)"
)
_ONLY_HANDS_ON = re.compile(r"\s*(?:raise|throw)\s*;?\s*$")
_ONLY_LEAVES = re.compile(r"\s*return\s*;?\s*$")
_LEAVES_FUNCTION = re.compile(r"\s*(?:return|throw|raise)\b")  # `continue` leaves only a turn of a loop
_RETURNS_RESULT = re.compile(r"return\s+(?:not\s+|!)?\w+[^\w;]+\w")  # more than a name or a constant


def describe_decisions(state: ResearchState, best: Node) -> str:
    """Return sentences on the conditions under which a function leaves early, and on what decides for it."""
    deciders = _list_deciders(state, best) if read_decision(state.request.query) else []
    told = (_describe_decider(state, one) for one in deciders)
    return " ".join(filter(None, (_describe_own(state, best), *told)))


def _list_deciders(state: ResearchState, best: Node) -> list[Finding]:
    """Return the first functions that decide for another one, which calls them."""
    called = {link.target for link in state.links.values() if link.source == best.declaration}
    ids = {node.node_id for declaration, node in state.nodes.items() if declaration in called}
    own = [one for one in state.findings if one.role is Role.DECIDES and one.node_id in ids]
    return own[:MOST_DECIDERS]


def _describe_decider(state: ResearchState, one: Finding) -> str:
    """Return a sentence on the only condition of a short function and on its result; "" for any other."""
    body = build_body(state, one.path, one.start_line, one.end_line)
    decisions = [*_iter_decisions(body)]
    results = [last for last in cut_statements(body, list_code(body))[-1:] if _has_result(body, last)]
    told = [*decisions, *((last,) for last in results)]
    if len(decisions) > 1 or not told:
        return ""
    return f"{shorten_symbol(one)} decides by {join_names(_tell(one, body, own) for own in told)}."


def _has_result(body: Body, last: Statement) -> bool:
    """Return True for a statement that returns more than a name or a constant."""
    return _RETURNS_RESULT.match(quote(body, (last,), LINE_CHARS)) is not None


def _describe_own(state: ResearchState, best: Node) -> str:
    """Return a sentence on the conditions under which a function leaves early; "" if too few say anything.

    Of more than MOST, those with most words of the question are told. Their lines are shown, with those that
    give values to the names in them.
    """
    one = next((one for one in state.findings if one.node_id == best.node_id and not one.hop), None)
    if one is None or best.symbol.kind not in CALLABLE_KINDS:
        return ""
    words = list_words(" ".join((state.request.query, *state.request.guesses)))[:MAX_WORDS]
    body = build_body(state, one.path, one.start_line, one.end_line)
    is_long = one.end_line - one.start_line >= LONG_LINES
    told = _rank(body, _iter_decisions(body), words)
    told = [ranked for ranked in told if ranked[0] or not is_long]
    most = max((rank for rank, _ in told), default=0)
    effects = [
        ranked
        for ranked in _rank(body, _iter_effects(body, words), words)
        if ranked[0] > max(most, TELLING - 1)
    ]
    if not most:
        told = effects
    else:
        known = {own[0] for _, own in effects}
        told = [*effects, *(ranked for ranked in told if ranked[1][0] not in known)]
    if len(told) < (LEAST if most else 1):
        return ""
    best_ones = sorted(
        sorted(told, key=lambda ranked: -ranked[0])[:MOST], key=lambda ranked: ranked[1][0].first
    )
    conditions = [own[0] for _, own in best_ones]
    given = _list_given(body, conditions)
    show_lines(state, one, [*(statement for _, own in best_ones for statement in own), *given])
    return f"It decides by {join_names(_tell(one, body, own) for _, own in best_ones)}."


def _rank(
    body: Body, decisions: Iterable[tuple[Statement, ...]], words: Sequence[str]
) -> list[tuple[int, tuple[Statement, ...]]]:
    """Return decisions behind the number of words that each has, without those that only test an error."""
    return [
        (shares_word(quote(body, own), words), own)
        for own in decisions
        if not OF_ERROR.search(read_line(body, own[0]))
    ]


def _iter_effects(body: Body, words: Sequence[str]) -> Iterator[tuple[Statement, ...]]:
    """Yield each condition with that statement under it which has most words of a question."""
    for branch in iter_branches(body):
        own = [one for one in branch.inner if one.indent == branch.inner[0].indent]
        does = [
            one for one in own if not (only_logs(read_line(body, one)) or is_branch(read_line(body, one)))
        ]
        if branch.otherwise is None and does:
            yield branch.condition, max(does, key=lambda one: shares_word(quote(body, (one,)), words))


def _find_effect(body: Body, branch: Branch) -> Statement:
    """Return the statement with which a branch ends, or the one before it if it only leaves."""
    own = [one for one in branch.inner if one.indent == branch.inner[0].indent]
    at = own.index(branch.end) - 1
    if at < 0 or not _ONLY_LEAVES.match(read_line(body, branch.end)):
        return branch.end
    line = read_line(body, own[at])
    return branch.end if only_logs(line) or is_branch(line) else own[at]


def _iter_decisions(body: Body) -> Iterator[tuple[Statement, ...]]:
    """Yield each condition with the statement that leaves under it, or alone if both are one statement."""
    found: dict[int, tuple[Statement, ...]] = {}
    for branch in iter_branches(body):
        is_short = len(branch.inner) <= INNER and branch.otherwise is None
        end = read_line(body, branch.end)
        hands_on = _ONLY_HANDS_ON.match(end) is not None
        if is_short and not hands_on and (_LEAVES_FUNCTION.match(end) or holds_failure(end)):
            found[branch.condition.first] = (branch.condition, _find_effect(body, branch))
    for one in cut_statements(body, list_code(body))[1:]:
        if _ON_ONE_LINE.match(read_line(body, one)):
            found.setdefault(one.first, (one,))
    yield from (found[at] for at in sorted(found))


def _list_given(body: Body, conditions: Sequence[Statement]) -> list[Statement]:
    """Return the statements that give values to the variables of some conditions."""
    statements = cut_statements(body, list_code(body))
    firsts = {one.first for one in conditions}
    asking = [at for at, one in enumerate(statements) if one.first in firsts]
    makers = dict.fromkeys(maker for at in asking for maker in find_makers(body, statements, at))
    return [statements[at] for at in makers][:MOST_GIVEN]


def _tell(one: Finding, body: Body, own: tuple[Statement, ...]) -> str:
    """Return a condition and what it leads to, as the code has them."""
    first = own[0].first
    quoted = " with ".join(f"`{quote(body, (statement,))}`" for statement in own)
    return f"{quoted} ({write_citation(one.path, first, first)})"
