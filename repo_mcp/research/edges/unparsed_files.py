"""Find a file that no parser reads by its path, and the lines in which it says what it needs.

Which of the names in it are declared elsewhere is not known: some languages need no line for that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.languages.patterns.declared_spans import SymbolSpan
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.model import Hit
from repo_mcp.research.findings.locating import list_ending
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.research.question.phrase_names import fold_signs
from repo_mcp.symbol_index.unread_declarations import has_parser

MAX_NEEDED = 60  # lines of a file that say what it needs
_NEEDS = re.compile(
    r"\s*(?:use|require(?:_relative|_once)?|include(?:_once)?|import|load|autoload|source|from|open|extend|prepend"
    r"|alias|defdelegate)\b(?=[\s('\":])"
)


def find_file(state: ResearchState, asked: str) -> Subject | None:
    """Return the code at a path, or the end of one, that no parser reads, with the name of its main type."""
    path = asked.strip("/")
    graph = state.source.graph
    paths = () if graph is None else graph.name_uses.list_source_paths()
    fitting = [one for one in list_ending(paths, path) if state.admits(one)]
    if not fitting:
        return None
    if find_language(fitting[0]).kind != "code" or has_parser(fitting[0]):
        return None
    lines = state.source.read_lines(fitting[0])
    main = choose_main(state.source.find_layout(fitting[0]).spans, fitting[0])
    first, last = (1, max(1, len(lines))) if main is None else (main.head_line, main.end_line)
    symbol = None if main is None else main.qualified_name
    hit = Hit(fitting[0], first, last, "", 0.0, (), symbol, symbol_lines=(first, last))
    name = "" if main is None else main.name
    return Subject(asked, TakenAs.UNPARSED, name=name or asked, left_out=len(fitting) - 1, places=(hit,))


def choose_main(spans: Sequence[SymbolSpan], path: str) -> SymbolSpan | None:
    """Return the declaration with the name of the file, or else the longest that no other one is in."""
    stem = fold_stem(path)
    named = [one for one in spans if fold_signs(one.name.rpartition("::")[2]) == stem]
    outer = [one for one in spans if "." not in one.qualified_name]
    return max(named or outer, key=lambda one: (one.end_line - one.start_line, -one.start_line), default=None)


def fold_stem(path: str) -> str:
    """Return the name of a file without endings and signs, in lower case."""
    return fold_signs(path.rpartition("/")[2].partition(".")[0])


def read_declared_lines(hit: Hit) -> tuple[int, int]:
    """Return the first and last line of the declaration that a hit is."""
    return hit.symbol_lines or (hit.start_line, hit.end_line)


def note_needed(state: ResearchState, subject: Subject) -> None:
    """Note the lines in which the file of a subject says what it needs."""
    for hit in subject.places:
        lines = state.source.read_lines(hit.path)
        found = tuple(at for at, line in enumerate(lines, 1) if _NEEDS.match(line))
        if len(found) > MAX_NEEDED:
            state.limit(f"lines that say what {hit.path} needs", f"{MAX_NEEDED} of {len(found)} are shown")
        if found:
            shown = found[:MAX_NEEDED]
            reason = Reason("lines that say what it needs", Role.NEEDS, subject.asked)
            note_lines(state, TextPlace(hit.path, shown[0], shown[-1]), reason, 1, shown, shown=shown)
