"""Say what each caller passes, by the calls themselves.

    "Who calls keep, and which state does each of them report?"
        ->  called by deliver (…:4-9), by `keep(parcel, State.SENT)` (…:7), and …

If an argument is a plain name with a word of the question, what the caller gives that name is quoted too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.research.claims.outcomes import quote_statement
from repo_mcp.research.findings.citing import join_names, shorten_symbol
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.question.parts import asks_of_callers
from repo_mcp.text.citations import write_citation
from repo_mcp.text.question_words import list_words, shares_word

MOST_SITES, MOST_OF_CALLER, MOST_GIVEN = 8, 4, 3  # calls told, of one caller, and values of one argument
LINE_CHARS = 400  # read of a line, so that none takes long
_ARGUMENT = re.compile(r"(?<![\w.:\"'])[a-z_]\w*(?![\w(.:\"'])")


def describe_call_sites(state: ResearchState, calling: Sequence[Finding]) -> str:
    """Return the callers with what each passes; "" unless the question asks for that."""
    if not asks_of_callers(state.request.query):
        return ""
    words = list_words(state.request.query)
    told = [
        f"{shorten_symbol(one)} ({one.citation}), by {join_names(sites, MOST_OF_CALLER)}"
        for one in calling
        if (sites := [_quote_site(state, one, line, words) for line in one.lines])
    ]
    return "; ".join(told[:MOST_SITES]) + (f"; and {len(told) - MOST_SITES} more" * (len(told) > MOST_SITES))


def _quote_site(state: ResearchState, one: Finding, line: int, words: Sequence[str]) -> str:
    """Return a call with its citation, and what a caller gives the variables that it passes."""
    quoted = quote_statement(state, one, line)
    behind = quoted.partition("(")[2]
    names = [name for name in _ARGUMENT.findall(behind) if shares_word(name, words)]
    given = [place for name in dict.fromkeys(names) for place in _list_given(state, one, name)]
    where = f" where {join_names(given, MOST_GIVEN)}" if given else ""
    return f"`{quoted}` ({write_citation(one.path, line, line)}){where}"


def _list_given(state: ResearchState, one: Finding, name: str) -> list[str]:
    """Return the statements of a caller that give a variable its value, each with its citation."""
    sets = re.compile(rf"\s*+(?:[\w<>]++ ){{0,3}}{re.escape(name)}(?:\s*+:[^=\n]{{1,40}})?\s*+:?=(?![=>])")
    lines = state.source.read_lines(one.path)
    numbers = range(one.start_line, min(one.end_line, len(lines)) + 1)
    setting = [number for number in numbers if sets.match(lines[number - 1][:LINE_CHARS])]
    given = {quote_statement(state, one, number): number for number in reversed(setting)}
    return [
        f"`{quoted}` ({write_citation(one.path, number, number)})"
        for quoted, number in reversed(given.items())
    ]
