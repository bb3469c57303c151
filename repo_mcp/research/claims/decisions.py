"""Say by which conditions a function decides, where it leaves early: this answers how it works.

    if not fs.strict:                     It decides: `if not fs.strict` → `return True` (serve.py:2);
        return True                       `if fs.denied(path)` → `return False` (:4).
    if fs.denied(path):
        return False

One such condition is a guard, and says little of the whole, unless what it or the function returns is a
condition, too; neither does one that only hands on an error. Branches that have more words of the question
than any early exit are told first, with what they do. What gives a value to a name in a condition is shown,
too. After the best function, others are told: those to which it leaves a decision, if a question asks for
one, and those near to it whose conditions have words of the question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import partial
from itertools import islice

from repo_mcp.bodies.body import Body, list_code
from repo_mcp.bodies.bound_statements import find_makers
from repo_mcp.bodies.statements import QUOTED, Statement, cut_statements, holds_failure, leaves
from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.branches import (
    READ_CHARS,
    build_body,
    iter_branches,
    list_around,
    list_done,
    list_own,
    quote,
    read_line,
    show_lines,
)
from repo_mcp.research.errors.lines import OF_ERROR
from repo_mcp.research.findings.citing import join_names, shorten_symbol
from repo_mcp.research.findings.named_symbols import computes
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.order.asked_decisions import is_predicate, read_decision
from repo_mcp.research.question.asked_words import MAX_WORDS
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

LEAST, MOST = 2, 3  # conditions that are told
TELLING = 2  # words of the question, in a branch that does not leave a long function
MOST_OTHERS = 2  # functions that are told after the best one, and conditions of each
MOST_UNDER = 40  # statements under a condition that is told with one of them
GIVEN = 0.5  # of a word, for any in what gives a value to a name in a condition
MOST_READ = 30  # conditions of which it is looked for
MOST_GIVEN = 4  # statements that give values to the variables of conditions
LONG_LINES = 60  # of a function; in a longer one, a condition must have a word of the question
# `if (!strict) return true`, `guard let user else { return nil }`, `raise Locked if @locked`
_ON_ONE_LINE = re.compile(
    r"\s*(?:\}\s*)?(?:(?:if|else if|unless|guard)\b.*[\s){](?:return|throw|raise)\b"
    r"|(?:return|raise|throw)\b.*\s(?:if|unless)\s)"
)
_WORD, _SHAPED = re.compile(r"\w+"), re.compile(r"[a-z\d][A-Z]|\w_\w")  # any, and one of several words
_ONLY_HANDS_ON = re.compile(r"\s*(?:raise|throw)\s*+;?\s*$")
_ONLY_LEAVES = re.compile(r"\s*return\s*+;?\s*$")
_IS_BARE = re.compile(r"\s*(?:return|continue|break|raise|throw|pass)\s*+;?\s*$")
_LEAVES_FUNCTION = re.compile(r"\s*(?:return|throw|raise)\b")  # `continue` leaves only a turn of a loop
# More than a name, a constant or a call: `return not path.is_dir()`, no list of what is so.
_RETURNS_RESULT = re.compile(
    r"return\b(?!\s*<|.*\b(?:for|func(?:tion)?|lambda)\b)(?:(?![=-]>\s).)*?"
    r"(?:[=!]=|(?<![<>=-])[<>]=?\s|&&|\|\||!\w|\b(?:and|or|not|in|is)\b)"
)

Told = tuple[int, tuple[Statement, ...]]  # how many words of the question it has, a condition and its effect


def describe_decisions(state: ResearchState, best: Node, guessed: Sequence[Node]) -> str:
    """Return sentences on the conditions by which a function decides, and those of others that are near.

    These are predicates that it calls, if a question asks for a decision, and others with guessed names.
    """
    words = _list_words(state)
    own = _find(state, best)
    told = [] if own is None else [describe_own_decisions(state, own)]
    deciding = _list_deciding(state, best) if read_decision(state.request.query) else []
    others = [one for one in deciding if is_predicate(one.name)]
    others += [one for one in map(partial(_find, state), dict.fromkeys(guessed)) if one and one not in others]
    inner = range(own.start_line, own.end_line) if own else ()  # those of it are told with it
    others = [one for one in others if one.path != best.path or one.start_line not in inner]
    said = (_describe(state, one, words, MOST_OTHERS, least=not is_predicate(one.name)) for one in others)
    return " ".join(filter(None, (*told, *islice(filter(None, said), MOST_OTHERS))))


def describe_own_decisions(state: ResearchState, one: Finding) -> str:
    """Return a sentence on the conditions by which the best function decides, in any language, or ""."""
    return _describe(state, one, _list_words(state), MOST, "It decides")


def _list_words(state: ResearchState) -> list[str]:
    return list_words(" ".join((state.request.query, *list_own_names(state.request.guesses))))[:MAX_WORDS]


def _find(state: ResearchState, node: Node) -> Finding | None:
    """Return the finding of a function that is shown for itself."""
    is_function = node.symbol.kind in CALLABLE_KINDS or computes(node)
    found = (one for one in state.findings if one.node == node and one.hop <= 1)
    return next(found, None) if is_function else None


def _list_deciding(state: ResearchState, best: Node) -> list[Finding]:
    """Return the functions that another one calls, of those that are shown for themselves or with it."""
    called = {link.target for link in state.links.values() if link.source == best.declaration}
    near = (one for one in state.findings if not one.hop)
    return [one for one in near if one.node is not None and one.node.declaration in called]


def _describe(
    state: ResearchState, one: Finding, words: Sequence[str], most: int, lead: str = "", least: int = 0
) -> str:
    """Return a sentence on the conditions under which a function leaves early; "" if too few say anything.

    Of more than `most`, those with most words of the question are told; one must have the `least`. Their
    lines are shown, with those that give values to the names in them.
    """
    body = build_body(state, one.path, one.start_line, one.end_line)
    told = _list_told(body, one, words)
    if max((rank for rank, _ in told), default=-1) < least:
        return ""

    def rate(ranked: Told) -> float:
        said = quote(body, _list_given(body, ranked[1][:1]), READ_CHARS)
        return ranked[0] + GIVEN * bool(shares_word(said, words))

    best_ones = sorted(told[:MOST_READ], key=rate, reverse=True)[:most]  # stable
    best_ones.sort(key=lambda ranked: ranked[1][0].first)
    given = _list_given(body, [own[0] for _, own in best_ones])
    outer = [pair for _, own in best_ones for pair in list_around(body, own[0])]
    around = [condition for pair in outer for condition in pair if condition is not None]
    show_lines(state, one, [*around, *(statement for _, own in best_ones for statement in own), *given])
    told_ones = [own for _, own in best_ones]
    quoted = "; ".join(_tell(one, body, own, told_ones[:at]) for at, own in enumerate(told_ones))
    return f"{lead or f'{shorten_symbol(one)} decides'}: {quoted}."


def _list_told(body: Body, one: Finding, words: Sequence[str]) -> list[Told]:
    """Return the conditions that may be told, with how many words each has; none if they say too little."""
    is_long = one.end_line - one.start_line >= LONG_LINES
    told = [ranked for ranked in _rank(body, _iter_decisions(body, words), words) if ranked[0] or not is_long]
    most = max((rank for rank, _ in told), default=0)
    least = max(most, TELLING - 1 if is_long else 0)
    effects = [ranked for ranked in _rank(body, _iter_effects(body, words), words) if ranked[0] > least]
    known = {own[0] for _, own in effects}
    if most or not effects:
        told = [*effects, *(ranked for ranked in told if ranked[1][0] not in known)]
    else:
        told = effects
    told += [] if is_long else _rank(body, _iter_results(body), words)
    ranked_ones = [ranked for ranked in told if ranked[0]]
    told = ranked_ones if len(ranked_ones) >= LEAST else told
    telling = [own for rank, own in told if rank >= TELLING or _has_result(body, own[-1])]
    # The only error of a long function says little of the rest.
    says_much = any(not (is_long and holds_failure(read_line(body, own[-1]))) for own in telling)
    return told if len(told) >= LEAST or says_much else []


def _iter_results(body: Body) -> Iterator[tuple[Statement, ...]]:
    """Yield the last statement of a body if that returns whether something is so."""
    statements = cut_statements(body, list_code(body))[1:]
    outermost = min((one.indent for one in statements), default=0)
    last = [one for one in statements if leaves(read_line(body, one)) and one.indent == outermost][-1:]
    yield from ((one,) for one in last if _has_result(body, one))


def _has_result(body: Body, last: Statement) -> bool:
    """Return True for a statement that returns whether something is so, and no function."""
    if body.lines[last.last - 1].rstrip().endswith(("{", "=>")):
        return False
    code = QUOTED.sub('""', quote(body, (last,), READ_CHARS))  # a text says nothing of it
    return _RETURNS_RESULT.match(code) is not None


def _rank(body: Body, decisions: Iterable[tuple[Statement, ...]], words: Sequence[str]) -> list[Told]:
    """Return decisions behind the number of words that each has, without those that only test an error.

    What is asked for, such as `ignore_errors`, is no error. A guessed name of several words counts twice.
    """
    names = {*filter(_SHAPED.search, words)}
    asked = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    asking = [own for own in decisions if not OF_ERROR.search(asked.sub("", read_line(body, own[0])))]
    texts = [quote(body, own, READ_CHARS) for own in asking]
    ranks = [shares_word(text, words) + len(names.intersection(_WORD.findall(text))) for text in texts]
    return [*zip(ranks, asking, strict=True)]


def _iter_effects(body: Body, words: Sequence[str]) -> Iterator[tuple[Statement, ...]]:
    """Yield each condition with that statement under it which has most words of a question."""
    for branch in iter_branches(body, MOST_UNDER):
        done = list_done(body, list_own(branch.inner))
        does = [one for one in done if not _IS_BARE.match(read_line(body, one))] or done
        if branch.otherwise is None and does:
            yield branch.condition, _choose_telling(body, does, words)


def _iter_decisions(body: Body, words: Sequence[str]) -> Iterator[tuple[Statement, ...]]:
    """Yield each condition with what is done before the function is left under it.

    Both may be one statement. What another condition decides under it is left under that.
    """
    found: dict[int, tuple[Statement, ...]] = {}
    for branch in iter_branches(body):
        end = read_line(body, branch.end)
        is_last = not any(leaves(read_line(body, one)) for one in branch.inner if one is not branch.end)
        hands_on = _ONLY_HANDS_ON.match(end) is not None or branch.otherwise is not None
        if is_last and not hands_on and (_LEAVES_FUNCTION.match(end) or holds_failure(end)):
            does = [one for one in list_done(body, list_own(branch.inner)) if one is not branch.end]
            is_bare = _ONLY_LEAVES.match(end) is not None and does
            effect = _choose_telling(body, does, words) if is_bare else branch.end
            found[branch.condition.first] = (branch.condition, effect)
    for one in cut_statements(body, list_code(body))[1:]:
        if _ON_ONE_LINE.match(read_line(body, one)):
            found.setdefault(one.first, (one,))
    yield from (found[at] for at in sorted(found))


def _choose_telling(body: Body, does: Sequence[Statement], words: Sequence[str]) -> Statement:
    """Return the statement with most words of a question; of several, the last one."""
    return max(reversed(does), key=lambda one: shares_word(quote(body, (one,)), words))


def _list_given(body: Body, conditions: Sequence[Statement]) -> list[Statement]:
    """Return the statements that give values to the variables of some conditions."""
    statements = cut_statements(body, list_code(body))
    firsts = {one.first for one in conditions}
    asking = [at for at, one in enumerate(statements) if one.first in firsts]
    makers = dict.fromkeys(maker for at in asking for maker in find_makers(body, statements, at))
    return [statements[at] for at in makers][:MOST_GIVEN]


def _tell(
    one: Finding, body: Body, own: tuple[Statement, ...], before: Sequence[tuple[Statement, ...]]
) -> str:
    """Return a condition and what it leads to, as the code has them; the next ones without the path.

    A condition that stands under others is told with these, by the lines of those told before.
    """
    first = own[0].first
    quoted = " → ".join(f"`{quote(body, (statement,))}`" for statement in own)
    known = {told[0].first for told in before}
    around = [_tell_outer(body, known, *outer) for outer in list_around(body, own[0])]
    under = f" inside {join_names(around)}" if around else ""
    return f"{quoted} ({f':{first}' if before else write_citation(one.path, first, first)}){under}"


def _tell_outer(body: Body, known: Set[int], condition: Statement, failed: Statement | None) -> str:
    """Return a condition that encloses another one; an `else` by the condition that it belongs to."""
    told = failed or condition
    which = "the `else` of " if failed else ""
    if told.first in known:
        return f"{which}that of line {told.first}"
    return f"{which}`{quote(body, (told,))}` (:{told.first})"
