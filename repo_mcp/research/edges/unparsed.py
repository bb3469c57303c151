"""Find names that are declared in a language without a symbol parser. They are in the text, not in the graph.

An answer about such a name says so, and shows what its declarations do and the places that have the name,
without telling calls from other mentions. Left out: names that the graph knows are never looked for here.
"""

from __future__ import annotations

import re

from repo_mcp.bundler.body import Body, trim_margin
from repo_mcp.bundler.chosen_lines import choose_lines
from repo_mcp.languages.patterns.language_registry import find_language
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.model import ExactMatch, ExactRequest, Hit, SearchRequest
from repo_mcp.ranking.query.asked_name import EXACT, split_qualified
from repo_mcp.record_classes import replace
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.records import Finding, Form, Reading, Subject, TakenAs
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.text.roles import FileRole, find_role

MAX_DECLARED = 4  # declarations of one name
MAX_PLACES = 12  # that have the name, beside its declarations
MAX_LINES = 200  # with the name that are read
# Characters of its declarations, and of all that are compared.
SHOWN_CHARS, COMPARED_CHARS = 1_800, 6_500
_PHRASE = re.compile(r"[A-Za-z]\w*(?:[ -]\w+){1,3}")
_BETWEEN_WORDS = re.compile(r"[ _-]+")


def find_unparsed(state: ResearchState, subject: Subject) -> Subject:
    """Return an undeclared subject as an unparsed one if files without symbol records declare its name.

    Return it unchanged otherwise.
    """
    *owners, name = split_qualified(subject.asked.replace("#", "."))
    places = _find_declared(state, subject.asked)
    if not places and _PHRASE.fullmatch(subject.asked):
        name = "".join(word.capitalize() for word in _BETWEEN_WORDS.split(subject.asked))
        places = _find_declared(state, name)
    owned = tuple(hit for hit in places if set(owners) & set(split_qualified(hit.symbol or "")))
    if not places:
        return subject
    return replace(subject, taken_as=TakenAs.UNPARSED, name=name, places=owned or places, near=())


def _find_declared(state: ResearchState, name: str) -> tuple[Hit, ...]:
    """Return the declarations of a name in files without symbol records."""
    graph = state.source.graph
    request = SearchRequest(name, MAX_DECLARED, symbols_only=True)
    return tuple(
        hit
        for hit in state.source.search(request).hits
        if dict(hit.explanation).get("name") == EXACT
        and state.admits(hit.path)
        and (graph is None or graph.scan.find_record(hit.path) is None)
        and not (state.source.is_partial and _has_parser(hit.path))  # it will have a record
    )


def _has_parser(path: str) -> bool:
    return find_parser_task(path, find_language(path).name) is not None


def note_unparsed(state: ResearchState, reading: Reading) -> None:
    """Note the declarations of the subjects, then the places that have their names."""
    room = COMPARED_CHARS if reading.form is Form.DIFFERENCE else SHOWN_CHARS
    room //= max(1, sum(len(subject.places) for subject in reading.subjects))
    for subject in reading.subjects:
        for hit in subject.places:
            lines = read_declared_lines(hit)
            shown = choose_written(state, hit.path, lines, room)
            symbol = hit.symbol or hit.path
            state.add_place(_build(hit.path, symbol, lines, f"declares {subject.name}", 0, shown))
        if subject.places:
            _note_places(state, subject.name, only_tests=reading.form is Form.TESTS)


def read_declared_lines(hit: Hit) -> tuple[int, int]:
    """Return the first and last line of the declaration that a hit is."""
    return hit.symbol_lines or (hit.start_line, hit.end_line)


def choose_written(state: ResearchState, path: str, lines: tuple[int, int], room: int) -> tuple[int, ...]:
    """Return the numbers of the lines of a declaration that tell most, of at most about `room` characters."""
    first, last = lines
    body = Body(state.source.read_lines(path), first, last, first, {}, state.source.read_comment_lines(path))
    return tuple(choose_lines(trim_margin(body), {}, room, keeps_comments=True))


def _note_places(state: ResearchState, name: str, *, only_tests: bool) -> None:
    """Note the declarations around the lines of code that have a name as a word, those of tests last."""
    request = ExactRequest(name, whole_word=True, limit=MAX_LINES, with_symbols=True)
    found = state.source.search_exact(request)
    around: dict[tuple[str, str], list[ExactMatch]] = {}
    for one in sorted(found.matches, key=lambda one: is_test_place(one.path)):  # stable
        role = find_role(one.path)
        if role is FileRole.TEST or (role is FileRole.CODE and not only_tests):
            around.setdefault((one.path, one.symbol or one.path), []).append(one)
    if found.truncated or len(around) > MAX_PLACES:
        state.limit(f"places with the name {name}", f"the first {MAX_PLACES} are shown")
    for (path, symbol), matches in [*around.items()][:MAX_PLACES]:
        first = matches[0]
        lines = first.symbol_lines or (first.start_line, first.start_line)
        shown = tuple(one.start_line for one in matches)
        state.add_place(_build(path, symbol, lines, f"has the name {name}", 1, shown))


def _build(
    path: str, symbol: str, lines: tuple[int, int], why: str, hop: int, shown: tuple[int, ...]
) -> Finding:
    return Finding(path, *lines, symbol, "text", None, Reason(why), hop, "text", shown[:1], shown=shown)
