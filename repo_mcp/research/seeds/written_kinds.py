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

from repo_mcp.bodies.body import Body
from repo_mcp.languages.patterns.language_registry import LANGUAGES
from repo_mcp.languages.symbol_parsers import find_parser_task
from repo_mcp.model import ExactMatch, ExactRequest, SearchRequest
from repo_mcp.ranking.query.asked_name import EXACT
from repo_mcp.research.edges.unparsed_files import read_declared_lines
from repo_mcp.research.findings.locating import count_shared_folders, may_answer
from repo_mcp.research.findings.reasons import BASES, MODEL, Reason, Role
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.research.kinds.base_types import LEAST_COMMON
from repo_mcp.research.kinds.examples import MODEL_LINES
from repo_mcp.research.seeds.seed import Seed
from repo_mcp.text.question_words import Action

MAX_DECLARING = 200  # lines that declare a type of the kind
MAX_NAMED = 12  # declarations of the name of a base, which may be as plain as `Base`
MOST_COMPARED = 30  # types of a kind, of which the shortest is to be copied
# Names of the base of a kind.
_AFFIXED = ("{}", "{}Interface", "I{}", "{}Contract", "Base{}", "Abstract{}", "{}Base")
_TYPE = r"\b(?:class|object|struct|record)\s+"
_PARTS = r"(?:\w+(?:::|[\\.]))*"  # `Depot::`, `Depot\\`, `depot.`
_TYPED = r"<(?:[^<>{}]|<[^<>{}]*>)*>"  # type parameters: `<T : Comparable<T>>`; a base is behind `< `
_DECLARED = re.compile(
    _TYPE + rf"{_PARTS}(\w++)(?:{_TYPED})?(?:\s*(?:\w+\s+)?\([^()]*\))?"
    rf"\s*(?:\bextends\b|\bimplements\b|<(?=\s)|:)\s*\\?{_PARTS}(\w+)"
)


def find_written_kind(state: ResearchState, action: Action) -> list[Seed]:
    """Return the type from which those of a kind derive and the shortest one to copy; none without a base.

    The base has the name of the kind, perhaps with a word that says that it is one, or is that of most types
    whose name ends so. If both are declared, the latter comes first.
    """
    for nouns in dict.fromkeys((action.nouns[-2:], action.nouns[-1:])):
        kind = "".join(map(str.capitalize, nouns))
        declaring = _list_declaring(state, kind)
        bases = Counter(base for base, _ in declaring)
        own_name = next((name for affixed in _AFFIXED if (name := affixed.format(kind)) in bases), "")
        others = [one for one in bases if one != own_name]
        most = max(others, key=lambda name: (bases[name], name), default="")
        is_common = bases[most] >= max(LEAST_COMMON, bases[own_name] + 1)
        named = _find_base(state, own_name, declaring, BASES[Role.BASE]) if own_name else []
        nearest = BASES[Role.INNER_BASE if named else Role.BASE]
        inner = _find_base(state, most, declaring, nearest) if is_common else []
        if named or inner:
            own = [one for name, one in declaring if name == (most if inner else own_name)]
            return [*inner, *named, *_choose_model(state, own)]
    return []


def _list_declaring(state: ResearchState, kind: str) -> list[tuple[str, ExactMatch]]:
    """Return the lines that declare a type whose name or base ends with a kind, each with the base's name."""
    state.check()
    pattern = rf"{_TYPE}.*\B{kind}\b|{_TYPE}.*\W{kind}\b"
    unread = tuple(name for name in LANGUAGES if find_parser_task("", name) is None)
    request = ExactRequest(
        pattern, regex=True, include_tests=False, limit=MAX_DECLARING, by_role=True, languages=unread
    )
    find_record = state.graph.scan.find_record
    own = (
        (found, one)
        for one in state.source.search_exact(request).matches
        if may_answer(one.path) and state.admits(one.path) and find_record(one.path) is None
        if (found := _DECLARED.search(one.line)) is not None
    )
    return [(found[2], one) for found, one in own if found[2] == kind or found[1].endswith(kind)]


def _find_base(
    state: ResearchState, name: str, declaring: Sequence[tuple[str, ExactMatch]], reason: Reason
) -> list[Seed]:
    """Return the declaration of a type that is nearest to those that derive from it, or none.

    `declaring` are the lines that declare types, each with the name of the type's base.
    """
    deriving = [one.path for base, one in declaring if base == name][:MOST_COMPARED]
    request = SearchRequest(name, MAX_NAMED, symbols_only=True)
    found = [
        hit
        for hit in state.source.search(request).hits
        if dict(hit.explanation).get("name") == EXACT and may_answer(hit.path) and state.admits(hit.path)
    ]
    near = [sum(count_shared_folders(hit.path, path) for path in deriving) for hit in found]
    best = max(range(len(found)), key=lambda at: (near[at], -at), default=None)
    if best is None:
        return []
    return [_build(state, found[best].path, read_declared_lines(found[best]), name, reason)]


def _choose_model(state: ResearchState, declaring: Sequence[ExactMatch]) -> list[Seed]:
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
    return [_build(state, path, (span.head_line, span.end_line), span.name, MODEL)]


def _build(state: ResearchState, path: str, lines: tuple[int, int], name: str, reason: Reason) -> Seed:
    text, comments = state.source.read_lines(path), state.source.read_comment_lines(path)
    return Seed(path, Body(text, *lines, lines[0], {}, comments), name, name, None, 1.0, reason)
