"""Find the base of a kind by the lines that declare its types, where no parser knows them.

    class StreamHandler extends AbstractHandler     PHP, Scala, Dart, Groovy
    class StreamHandler < AbstractHandler           Ruby
    class StreamHandler(path: String) : AbstractHandler()    Kotlin

A kind is told by the last part of its types' names. Bases on another line than the name are not seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from repo_mcp.bundler.statements import Body
from repo_mcp.model import ExactMatch, ExactRequest, SearchRequest
from repo_mcp.ranking.query.asked_name import EXACT
from repo_mcp.research.edges.unparsed import read_declared_lines
from repo_mcp.research.findings.reasons import DERIVE, MODEL
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.words.indirect_names import LEAST_COMMON, MODEL_LINES, may_answer
from repo_mcp.research.words.rated_seeds import Seed
from repo_mcp.text.question_words import Action

MAX_DECLARING = 200  # lines that declare a type of the kind
MAX_NAMED = 4  # declarations of the name of a base
MOST_COMPARED = 30  # types of a kind, of which the shortest is to be copied
_TYPE = r"\b(?:class|object|struct|record)\s+"
_PARTS = r"(?:\w+(?:::|[\\.]))*"  # `Depot::`, `Depot\\`, `depot.`
_DECLARED = re.compile(
    _TYPE + rf"{_PARTS}(\w+)(?:<[^<>{{]*>)?(?:\s*(?:\w+\s+)?\([^()]*\))?"  # type parameters, parameters
    rf"\s*(?:\bextends\b|\bimplements\b|[<:])\s*\\?{_PARTS}(\w+)"
)


def find_written_kind(state: ResearchState, action: Action) -> list[Seed]:
    """Return the type from which those of a kind derive and the shortest one to copy; none without a base.

    The base has the name of the kind, or is that of most types whose name ends so.
    """
    for nouns in dict.fromkeys((action.nouns[-2:], action.nouns[-1:])):
        kind = "".join(map(str.capitalize, nouns))
        declaring = _list_declaring(state, kind)
        bases = Counter(base for base, _ in declaring)
        most = max(bases, key=lambda name: (bases[name], name), default="")
        base = kind if kind in bases else most
        found = _find_declared(state, base) if base == kind or bases[base] >= LEAST_COMMON else None
        if found is not None:
            why = f"{DERIVE}, as a new {nouns[-1]} would"
            own = [one for name, one in declaring if name == base]
            return [_build(state, *found, base, why), *_choose_model(state, own, nouns[-1])]
    return []


def _list_declaring(state: ResearchState, kind: str) -> list[tuple[str, ExactMatch]]:
    """Return the lines that declare a type whose name or base ends with a kind, each with the base's name."""
    state.check()
    request = ExactRequest(
        rf"{_TYPE}.*\B{kind}\b|{_TYPE}.*\W{kind}\b", regex=True, include_tests=False, limit=MAX_DECLARING
    )
    find_record = state.graph.scan.find_record
    own = (
        (found, one)
        for one in state.source.search_exact(request).matches
        if may_answer(one.path) and state.admits(one.path) and find_record(one.path) is None
        if (found := _DECLARED.search(one.line)) is not None
    )
    return [(found[2], one) for found, one in own if found[2] == kind or found[1].endswith(kind)]


def _find_declared(state: ResearchState, name: str) -> tuple[str, tuple[int, int]] | None:
    """Return the path and the lines of the declaration of a type; None if none is known by its text."""
    request = SearchRequest(name, MAX_NAMED, symbols_only=True)
    found = (
        (hit.path, read_declared_lines(hit))
        for hit in state.source.search(request).hits
        if dict(hit.explanation).get("name") == EXACT and may_answer(hit.path) and state.admits(hit.path)
    )
    return next(found, None)


def _choose_model(state: ResearchState, declaring: Sequence[ExactMatch], noun: str) -> list[Seed]:
    """Return the shortest of some types with at least MODEL_LINES lines, if there is one."""
    spans = [
        (span.end_line - span.head_line, one.path, span)
        for one in declaring[:MOST_COMPARED]
        for span in state.source.find_layout(one.path).spans
        if span.name_line == one.start_line
    ]
    fitting = [one for one in spans if one[0] >= MODEL_LINES - 1]
    if not fitting:
        return []
    _, path, span = min(fitting, key=lambda one: one[:2])
    why = f"{MODEL}, to be copied for a new {noun}"
    return [_build(state, path, (span.head_line, span.end_line), span.name, why)]


def _build(state: ResearchState, path: str, lines: tuple[int, int], name: str, why: str) -> Seed:
    text, comments = state.source.read_lines(path), state.source.read_comment_lines(path)
    return Seed(path, Body(text, *lines, lines[0], {}, comments), name, None, 1.0, why)
