"""Say what a question's event leads to, by the branch of code that has its words.

    "What happens when no driver is registered"  ->  `if driver is None:` leads to `raise UnknownDriver(name)`

Both lines are quoted and cited, and are shown. Loops are left out. Of several cases of a switch, or handlers
of a `try`, all are told. Where it is asked what happens when something fails, what handles the failure
says it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from repo_mcp.bodies.body import Body
from repo_mcp.bodies.statements import Statement, holds_failure, is_branch, leaves, only_logs
from repo_mcp.graph.nodes import Node
from repo_mcp.research.errors.branches import (
    MOST_STATEMENTS,
    Branch,
    build_body,
    iter_branches,
    list_alike,
    list_done,
    list_own,
    quote,
    read_line,
    show_lines,
)
from repo_mcp.research.errors.handlers import LEAST_HANDLED, Handler, Step, asks_failing, rate_handlers
from repo_mcp.research.errors.lines import OF_ERROR
from repo_mcp.research.findings.citing import join_names, shorten_symbol
from repo_mcp.research.findings.locating import is_test
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.order.lacking_words import weigh_words
from repo_mcp.text.citations import write_citation
from repo_mcp.text.guessed_names import list_own_names
from repo_mcp.text.question_words import list_words, shares_word

LOOKED_AT, NEXT = 4, 0.8  # best findings; factor for each that comes behind another
LEAST_SHARE = 0.55  # of the weight of the event's words, in a branch; half more in a condition of the best
LEAST_ELSEWHERE = 0.75  # of the number of all words, in a branch of another declaration than the best
LEAST_WORDS = 2  # of the question, in a branch: one may stand anywhere, and what no file has does not count
MOST_ALIKE = 4  # handlers of one `try`, or cases of one switch; of more, only the best is told
_BARE_END = re.compile(r"\s*(?:return|raise|throw|break|continue)(?:\s+\w+)?\s*+;?\s*$")
_LEAVES_TURN = re.compile(r"\s*(?:break|continue)\b")
_ASKS = re.compile(
    r"\b(?:what (?:happens|becomes|does)|what if|when (?:does|do|is|are|can|will)|gives? up|until when)\b",
    re.IGNORECASE,
)
# What a condition tests the absence of: `not parcel`, `!parcel`, `no_parcel`, `parcel == null`. It is no
# event of a parcel.
_ABSENT = re.compile(
    r"(?:\bnot |![ (]?|\bno_)[\w.]+|[\w.]+(?: ===? ?| is )(?:null|nil|None|NULL|nullptr|undefined)\b"
)
_NEVER = re.compile(r"(?!)")
_ASKS_ABSENT = re.compile(
    r"\b(?:no|not|without|lacks?|missing|absent|empty|none|nothing|never|cannot|un(?!der|i|t)\w+)\b|n't\b",
    re.IGNORECASE,
)


def describe_outcome(state: ResearchState) -> tuple[str, Node | None]:
    """Return a sentence on what the question's event leads to, and the declaration; "" for none."""
    query = state.request.query
    handled = _describe_handler(state)
    if handled[0] or _ASKS.search(query) is None:
        return handled
    words = list_words(query)
    weighed = weigh_words(words, state.weights) or dict.fromkeys(words, 1.0)
    absent = _NEVER if _ASKS_ABSENT.search(query) else _ABSENT
    best: tuple[tuple[float, int], Finding, Body, Branch] | None = None
    for position, one in enumerate(_list_near(state)):
        # What the function is about by its name, all of its branches are about.
        event = {word: worth for word, worth in weighed.items() if not shares_word(one.symbol, (word,))}
        event = event if event and not position else weighed
        body = build_body(state, one.path, one.start_line, one.end_line)
        for branch in filter(partial(_does, body), iter_branches(body)):
            asked, text = (
                absent.sub("", quote(body, own, 2_000))
                for own in ((branch.condition,), (branch.condition, *branch.inner))
            )
            own = 0.0 if position else _weigh(event, asked) / 2
            share = (_weigh(event, text) + own) / sum(event.values())
            if position and not _fits_elsewhere(body, branch, text, words):
                continue
            rank = (share * NEXT**position, -len(branch.inner))
            is_event = shares_word(text, words) >= min(LEAST_WORDS, len(words)) and _says_lacking(state, text)
            if is_event and share >= LEAST_SHARE and (best is None or rank > best[0]):
                best = rank, one, body, branch
    return ("", None) if best is None else (_tell(state, *best[1:]), best[1].node)


def _weigh(event: Mapping[str, float], text: str) -> float:
    """Return the weight of those words of an event that a text has."""
    return sum(event[word] for word in event if shares_word(text, (word,)))


def _does(body: Body, branch: Branch) -> bool:
    """Return True for a branch that does something: no test of an error that only hands that on."""
    does = [one for one in list_done(body, branch.inner) if not leaves(read_line(body, one))]
    is_error = OF_ERROR.search(read_line(body, branch.condition)) is not None
    return bool(does) or not is_error or holds_failure(read_line(body, branch.end))


def _fits_elsewhere(body: Body, branch: Branch, text: str, words: Sequence[str]) -> bool:
    """Return True for a branch of another declaration than the best that has nearly all words."""
    is_log = only_logs(read_line(body, branch.end))  # which says little elsewhere
    return not is_log and shares_word(text, words) >= LEAST_ELSEWHERE * len(words)


def _says_lacking(state: ResearchState, text: str) -> bool:
    lacking = " ".join(state.word_match.lacking).split()  # by the best declaration
    return not lacking or shares_word(text, lacking) > 0


def _list_near(state: ResearchState) -> list[Finding]:
    near = [one for one in state.findings if not one.hop and one.kind != "section" and one.name]
    return [one for one in near if is_test(one.path, one.symbol) is state.wants_tests][:LOOKED_AT]


def _describe_handler(state: ResearchState) -> tuple[str, Node | None]:
    """Return a sentence on what handles the failure that is asked about, and its declaration.

    Its lines are shown. Return "" for none.
    """
    best: tuple[tuple[float, bool], Finding, Body, Handler] | None = None
    for position, one in enumerate(_list_near(state) if asks_failing(state.request.query) else ()):
        body = build_body(state, one.path, one.start_line, one.end_line)
        for share, handler in rate_handlers(body, state.request.query, one.symbol):
            rank = (share * NEXT**position, handler.catches_all)
            if position and all(holds_failure(read_line(body, step.statement)) for step in handler.done):
                continue  # it says what fails there, and not what becomes of that
            if share >= LEAST_HANDLED and (best is None or rank > best[0]):
                best = rank, one, body, handler
    return ("", None) if best is None else (_tell_handler(state, *best[1:]), best[1].node)


def _tell_handler(state: ResearchState, one: Finding, body: Body, handler: Handler) -> str:
    """Return the sentence on a handler, and show its lines, or those that the sentence quotes."""
    alike = list_alike(body, handler.clause)
    if 1 < len(alike) <= MOST_ALIKE:
        return _tell_alike(state, one, body, alike)
    steps = (*handler.done, *handler.behind)
    told = [own for step in steps for own in (*step.under, step.statement)]
    show_lines(state, one, (handler.clause, *(handler.inner[:MOST_STATEMENTS]), *told))

    def quote_one(own: Statement, path: str = "") -> str:
        return f"`{quote(body, (own,))}` ({path}:{own.first})"

    def tell(step: Step) -> str:
        under = f" inside {join_names(map(quote_one, step.under))}" if step.under else ""
        return f"{quote_one(step.statement)}{under}"

    behind = f", then {join_names(map(tell, handler.behind))}" if handler.behind else ""
    does = join_names(map(tell, handler.done))
    clause = quote_one(handler.clause, one.path)
    return f"In {shorten_symbol(one)}, {clause} handles it: {does}{behind}."


def _tell(state: ResearchState, one: Finding, body: Body, branch: Branch) -> str:
    """Return the sentence on a branch and its alternatives, and show the lines that it quotes."""
    if branch.otherwise:
        where = f"where {_quote(one, body, branch.otherwise)} does not hold, it comes to"
        show_lines(state, one, (branch.otherwise, branch.condition, branch.end))
        return f"In {shorten_symbol(one)}, {where} {_quote(one, body, branch.end)}."
    alike = list_alike(body, branch.condition)
    if len(alike) == 1 or len(alike) > MOST_ALIKE:
        does = _list_ends(state, body, branch.inner, ())
        return _tell_ways(state, one, body, [(branch.condition, _choose_ends(body, branch.end, does))])
    return _tell_alike(state, one, body, alike)


def _tell_alike(
    state: ResearchState,
    one: Finding,
    body: Body,
    alike: Sequence[tuple[Statement, Sequence[Statement]]],
) -> str:
    """Return the sentence on all cases of a switch, or handlers of a `try`.

    If none of them does anything, it tells how each is left.
    """
    does = [(condition, _list_ends(state, body, inner, alike)) for condition, inner in alike]
    ends = [(condition, inner[-1:]) for condition, inner in alike if inner]
    return _tell_ways(state, one, body, [way for way in does if way[1]] or ends)


def _tell_ways(
    state: ResearchState, one: Finding, body: Body, ways: Sequence[tuple[Statement, Sequence[Statement]]]
) -> str:
    """Return the sentence on conditions and what each leads to, and show their lines."""
    show_lines(state, one, (at for condition, ends in ways for at in (condition, *ends)))
    told = [
        f"{_quote(one, body, condition, has_path=not at)} {'to' if at else 'leads to'} "
        + join_names(_quote(one, body, end, has_path=False) for end in dict.fromkeys(ends))
        for at, (condition, ends) in enumerate(ways)
    ]
    return f"In {shorten_symbol(one)}, {join_names(told, MOST_ALIKE)}."


def _choose_ends(body: Body, end: Statement, does: list[Statement]) -> list[Statement]:
    """Return the end of a branch if it tells how that is left, or else what it does."""
    line = read_line(body, end)
    if _is_bare(body, end):
        return [*does, end]
    return [end] if leaves(line) or holds_failure(line) or not does else does


def _is_bare(body: Body, end: Statement) -> bool:
    return _BARE_END.match(read_line(body, end)) is not None


def _list_ends(
    state: ResearchState,
    body: Body,
    inner: Sequence[Statement],
    alike: Sequence[tuple[Statement, Sequence[Statement]]],
) -> list[Statement]:
    """Return what is done in one of several alternatives, and how it is left.

    What others of them do as well says nothing of the one.
    """
    words = list_words(" ".join((state.request.query, *list_own_names(state.request.guesses))))
    common = {quote(body, (one,)) for _, own in alike if own is not inner for one in own}
    own = list_own(inner)
    done = [one for one in list_done(body, own) if not _is_bare(body, one)]
    done = [one for one in done if quote(body, (one,)) not in common] or done
    if done:
        in_order = done if len(alike) > 1 else [*reversed(done)]  # one branch ends with what it leads to
        does = [max(in_order, key=lambda one: shares_word(quote(body, (one,)), words))]
    else:  # all is under conditions
        under = [one for one in list_done(body, inner) if not _is_bare(body, one) and one not in own]
        above = [
            one for one in own if under and one.first < under[0].first and is_branch(read_line(body, one))
        ]
        does = [*above[-1:], *under[:1]]
    leaving = [one for one in own if leaves(read_line(body, one)) and one not in does][-1:]
    return [*does, *(one for one in leaving if not _LEAVES_TURN.match(read_line(body, one)))]


def _quote(one: Finding, body: Body, statement: Statement, *, has_path: bool = True) -> str:
    place = write_citation(one.path, statement.first, statement.first) if has_path else f":{statement.first}"
    return f"`{quote(body, (statement,))}` ({place})"
