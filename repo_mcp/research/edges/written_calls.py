"""Find lines that are written as calls of a function where no parser sees a call.

Such lines are in macros, and in what a parser of C or Rust cannot make sense of. They are looked for only if
no call is known, so that an answer never says that nothing calls a function which its own file calls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence
from repo_mcp.model import ExactMatch, ExactRequest
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.locating import is_program
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

MAX_MATCHES = 40  # lines read
MAX_NOTED = 8
MAX_DECLARED = 8  # declarations of a name, of which all but one may be prototypes
_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.MACRO})
_OF_WORDS = re.compile(r"[a-z0-9](?:_[a-z]|[A-Z])")
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\\n]){0,200}\"|'(?:\\.|[^'\\\n]){0,200}'|(?:#|//)[^\n]*")


def note_written(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the lines that are written as calls of functions, unless a call of one is known."""
    if any(one.hop and is_program(one.path) and one.role is not Role.FILLS for one in state.findings):
        return
    for node in nodes:
        if _is_alone(state, node):
            for match in _list_written(state, node)[:MAX_NOTED]:
                _note(state, node, match)


def _is_alone(state: ResearchState, node: Node) -> bool:
    """Return True for a function of whose name all other declarations are prototypes or in its file.

    All others of a method's name must override or implement it, and it must be of two words or more: a plain
    name such as `get` is also that of methods declared outside.
    """
    declared = state.graph.scan.find_declared(node.symbol.name, MAX_DECLARED + 1)
    others = [state.get_node(one) for one in declared if one != node.declaration]
    if len(declared) > MAX_DECLARED:
        return False
    if node.symbol.kind is SymbolKind.METHOD:
        if not _OF_WORDS.search(node.symbol.name):
            return False
        filling = {link.source for link in list_overriding(state, node)}
        return all(one.path == node.path or one.declaration in filling for one in others)
    return node.symbol.kind in _CALLED and all(
        one.path == node.path or one.symbol.flags & SymbolFlag.FORWARD for one in others
    )


def _list_written(state: ResearchState, node: Node) -> list[ExactMatch]:
    """Return the lines of the function's language that have its name and a bracket, and do not declare it."""
    before = r"(?<=[.>:])" if node.symbol.kind is SymbolKind.METHOD else r"(?<![\w.$])"
    called = re.compile(rf"{before}{re.escape(node.symbol.name)}!?\(")
    request = ExactRequest(node.symbol.name, whole_word=True, include_tests=False, limit=MAX_MATCHES)
    found = state.source.search_exact(request).matches
    return [
        one
        for one in found
        if is_program(one.path)
        and state.graph.scan.find_language(one.path) == node.language
        and called.search(_QUOTED.sub('""', one.line))
        and one.start_line not in state.source.read_comment_lines(one.path)
        and not _declares(state, node, one)
    ]


def _declares(state: ResearchState, node: Node, match: ExactMatch) -> bool:
    """Return True for a line in a declaration of the name: its head, a prototype, or a call of itself."""
    around = state.source.find_around(match.path, match.start_line)
    return around is not None and around.symbol.name == node.symbol.name


def _note(state: ResearchState, node: Node, match: ExactMatch) -> None:
    reason = Reason(f"has a line written as a call of {node.symbol.name}", Role.WRITTEN_CALL)
    lines = (match.start_line,)
    around = state.source.find_around(match.path, match.start_line)
    if around is not None and state.add(around, reason, 1, Confidence.POSSIBLE, lines):
        return
    place = Finding(
        match.path, match.start_line, match.start_line, match.path, "text", None, reason, 1, "text", lines
    )
    state.add_place(place)
