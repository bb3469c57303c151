"""Find names that are declared in a language without a symbol parser. They are in the text, not in the graph.

An answer about such a name says so, and shows its declarations and the places that have the name, without
telling calls from other mentions. Left out: names that the graph knows are never looked for here.
"""

from __future__ import annotations

import re

from repo_mcp.model import Hit, SearchRequest
from repo_mcp.ranking.intent import EXACT, split_qualified
from repo_mcp.record_classes import replace
from repo_mcp.research.hit_places import split_snippet
from repo_mcp.research.records import Finding, Reading, Subject
from repo_mcp.research.research_state import ResearchState, search_words

MAX_DECLARED = 4  # declarations of one name
MAX_PLACES = 12  # that have the name, beside its declarations
SHOWN_LINES = 40  # of a declaration


def find_unparsed(state: ResearchState, subject: Subject) -> Subject:
    """Return an undeclared subject as an unparsed one if files without symbol records declare its name.

    Return it unchanged otherwise.
    """
    graph = state.source.graph
    name = split_qualified(subject.asked.replace("#", "."))[-1]
    request = SearchRequest(subject.asked, MAX_DECLARED, symbols_only=True)
    places = tuple(
        hit
        for hit in state.source.search(request).hits
        if dict(hit.explanation).get("name") == EXACT
        and state.admits(hit.path)
        and (graph is None or graph.scan.find_record(hit.path) is None)
    )
    return replace(subject, how="unparsed", name=name, places=places, near=()) if places else subject


def note_unparsed(state: ResearchState, reading: Reading) -> None:
    """Note the declarations of the subjects, then the places that have their names."""
    for subject in reading.subjects:
        for hit in subject.places:
            first, last = hit.symbol_lines or (hit.start_line, hit.end_line)
            shown = tuple(range(first, min(last, first + SHOWN_LINES - 1) + 1))
            state.add_place(_build(hit, (first, last), f"declares {subject.name}", 0, shown))
        for hit in search_words(state, subject.name, MAX_PLACES + MAX_DECLARED) if subject.places else ():
            line = _find_line(hit, subject.name)
            if line is not None:
                lines = hit.symbol_lines or (line, line)
                state.add_place(_build(hit, lines, f"has the name {subject.name}", 1, (line,)))


def _find_line(hit: Hit, name: str) -> int | None:
    """Return the first line of a snippet that has a name as a word."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    rows = (row.partition("\t") for row in split_snippet(hit))
    return next((int(number) for number, _, text in rows if word.search(text)), None)


def _build(hit: Hit, lines: tuple[int, int], why: str, hop: int, shown: tuple[int, ...]) -> Finding:
    symbol = hit.symbol or hit.path
    return Finding(hit.path, *lines, symbol, "text", None, why, hop, "text", shown[:1], shown=shown)
