"""Tell where two of a kind that a question names stand together: one more is added in each such place.

    "Where would I add another format, next to csv and json?"
        ->  csv and json stand together in read_table (table.py:12), write_table (table.py:40) and …

Together means within NEAR lines of code, both as whole words. A place is told once for each declaration.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from repo_mcp.model import ExactRequest
from repo_mcp.research.findings.citing import join_names, name_briefly
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.citations import write_citation

MAX_MATCHES = 200  # lines read of each name
NEAR = 4  # lines between two names that stand together
MOST_TOLD, MOST_OF_FILE = 12, 2  # places in all and of one file, before those that are only counted
_BESIDE = re.compile(
    r"\b(?:next to|besides?|alongside|in addition to|as well as|similar to|such as|like)"
    r" (?:the )?[`'\"]?([A-Za-z_][\w-]{1,60})[`'\"]?,? and (?:the )?[`'\"]?([A-Za-z_][\w-]{1,60})",
    re.IGNORECASE,
)


def describe_siblings(state: ResearchState) -> str:
    """Return a sentence on where the two that a question names stand together; "" if it names none."""
    named = _BESIDE.search(state.request.query)
    if named is None:
        return ""
    first, second = (_list_lines(state, name) for name in named.groups())
    paths = sorted(first.keys() & second.keys(), key=lambda one: (_rank(state, one), one))
    places = [_list_together(state, path, first[path], second[path]) for path in paths]
    told = [one for own in places for one in own[:MOST_OF_FILE]]
    told += [one for own in places for one in own[MOST_OF_FILE:]]
    return f"{named[1]} and {named[2]} stand together in {join_names(told, MOST_TOLD)}." if told else ""


def _list_together(state: ResearchState, path: str, first: list[int], second: list[int]) -> list[str]:
    """Return where lines of two kinds stand together in a file, once for each declaration around them."""
    places: list[str] = []
    last, met = "", -NEAR
    for line in first:
        at = bisect_left(second, line - NEAR)
        if at == len(second) or second[at] > line + NEAR:
            continue
        around = state.source.find_around(path, line)
        owner = name_briefly(around).partition(" (")[0] if around is not None else ""
        if owner != last if owner else line > met + NEAR:
            cited = write_citation(path, line, line)
            places.append(f"{owner} ({cited})" if owner else cited)
        last, met = owner, line
    return places


def _rank(state: ResearchState, path: str) -> int:
    """Return the position of the first finding of a file, or the number of the findings."""
    return next((at for at, one in enumerate(state.findings) if one.path == path), len(state.findings))


def _list_lines(state: ResearchState, name: str) -> dict[str, list[int]]:
    """Return the lines of code of each file of the program that have a name."""
    request = ExactRequest(name, whole_word=True, include_tests=False, limit=MAX_MATCHES)
    found: dict[str, list[int]] = {}
    for one in state.source.search_exact(request).matches:
        is_code = is_program(one.path) and one.start_line not in state.source.read_comment_lines(one.path)
        if is_code:
            found.setdefault(one.path, []).append(one.start_line)
    return {path: sorted(lines) for path, lines in found.items()}
