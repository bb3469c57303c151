"""Say what a question's event leads to, by the branch of code that has its words.

    "What happens when no driver is registered"  ->  `if driver is None:` leads to `raise UnknownDriver(name)`

Both lines are quoted and cited, and are shown. Loops are left out. Where it is asked what happens when
something fails, what handles the failure says it.
"""

from __future__ import annotations

import re

from repo_mcp.bundler.body import Body
from repo_mcp.bundler.statements import Statement, only_logs
from repo_mcp.research.findings.citing import join_names, shorten_symbol
from repo_mcp.research.findings.locating import is_test
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.branches import (
    MOST_STATEMENTS,
    Branch,
    build_body,
    iter_branches,
    quote,
    read_line,
    show_lines,
)
from repo_mcp.research.words.handlers import LEAST_HANDLED, Handler, Step, asks_failing, rate_handlers
from repo_mcp.research.words.lacking_words import weigh_words
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

LOOKED_AT, NEXT = 4, 0.8  # best findings; factor for each that comes behind another
LEAST_SHARE = 0.55  # of the weight of the event's words, in a branch
LEAST_ELSEWHERE = 0.75  # of the number of all words, in a branch of another declaration than the best
_ASKS = re.compile(
    r"\b(?:what (?:happens|becomes|does)|what if|when (?:does|do|is|are|can|will)|gives? up|until when)\b",
    re.IGNORECASE,
)


def describe_outcome(state: ResearchState) -> str:
    """Return a sentence on what the question's event leads to in the best declarations; "" for none."""
    query = state.request.query
    handled = _describe_handler(state)
    if handled or _ASKS.search(query) is None:
        return handled
    words = list_words(query)
    weighed = weigh_words(words, state.weights) or dict.fromkeys(words, 1.0)
    lacking = " ".join(state.word_match.lacking).split()  # by the best declaration
    best: tuple[tuple[float, int], Finding, Body, Branch] | None = None
    for position, one in enumerate(_list_near(state)):
        # What the function is about by its name, all of its branches are about.
        event = {word: worth for word, worth in weighed.items() if not shares_word(one.symbol, (word,))}
        event = event if event and not position else weighed
        body = build_body(state, one.path, one.start_line, one.end_line)
        for branch in iter_branches(body):
            text = quote(body, (branch.condition, *branch.inner), 2_000)
            share = sum(event[word] for word in event if shares_word(text, (word,))) / sum(event.values())
            if share < LEAST_SHARE or (lacking and not shares_word(text, lacking)):
                continue
            if position and shares_word(text, words) < LEAST_ELSEWHERE * len(words):
                continue
            if position and only_logs(read_line(body, branch.end)):  # a log says little elsewhere
                continue
            rank = (share * NEXT**position, -len(branch.inner))
            if best is None or rank > best[0]:
                best = rank, one, body, branch
    return "" if best is None else _tell(state, *best[1:])


def _list_near(state: ResearchState) -> list[Finding]:
    near = [one for one in state.findings if not one.hop and one.kind != "section" and one.name]
    return [one for one in near if is_test(one.path, one.symbol) is state.wants_tests][:LOOKED_AT]


def _describe_handler(state: ResearchState) -> str:
    """Return a sentence on what handles the failure that is asked about, and show its lines; "" for none."""
    best: tuple[tuple[float, bool], Finding, Body, Handler] | None = None
    for position, one in enumerate(_list_near(state) if asks_failing(state.request.query) else ()):
        body = build_body(state, one.path, one.start_line, one.end_line)
        for share, handler in rate_handlers(body, state.request.query, one.symbol):
            rank = (share * NEXT**position, handler.catches_all)
            if share >= LEAST_HANDLED and (best is None or rank > best[0]):
                best = rank, one, body, handler
    return "" if best is None else _tell_handler(state, *best[1:])


def _tell_handler(state: ResearchState, one: Finding, body: Body, handler: Handler) -> str:
    """Return the sentence on a handler, and show its lines, or those that the sentence quotes."""
    steps = (*handler.done, *handler.behind)
    told = [own for step in steps for own in (*step.under, step.statement)]
    show_lines(state, one, (handler.clause, *(handler.inner[:MOST_STATEMENTS]), *told))

    def quote_one(own: Statement, path: str = "") -> str:
        return f"`{quote(body, (own,))}` ({path}:{own.first})"

    def tell(step: Step) -> str:
        under = f" under {join_names(map(quote_one, step.under))}" if step.under else ""
        return f"{quote_one(step.statement)}{under}"

    behind = f", then {join_names(map(tell, handler.behind))}" if handler.behind else ""
    does = join_names(map(tell, handler.done))
    clause = quote_one(handler.clause, one.path)
    return f"In {shorten_symbol(one)}, {clause} handles it: {does}{behind}."


def _tell(state: ResearchState, one: Finding, body: Body, branch: Branch) -> str:
    """Return the sentence on a branch, and show the lines that it quotes."""
    end = branch.end
    condition = branch.otherwise or branch.condition
    show_lines(state, one, (condition, branch.condition, end))
    place = write_citation(one.path, condition.first, condition.first)
    target = write_citation(one.path, end.first, end.first)
    quoted = f"`{quote(body, (condition,))}` ({place})"
    where = f"where {quoted} does not hold, it comes to" if branch.otherwise else f"{quoted} leads to"
    return f"In {shorten_symbol(one)}, {where} `{quote(body, (end,))}` ({target})."
