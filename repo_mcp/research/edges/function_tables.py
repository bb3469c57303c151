"""Find the tables that set a member of a type to a function: in C these implement it.

    struct shelf_ops { int (*load)(int); };        static struct shelf_ops disk_ops = { .load = load_disk };

A line that assigns the member of a variable counts as well. What a macro sets is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import EdgeType
from repo_mcp.record_classes import dataclass
from repo_mcp.research.findings.citing import cite, cite_line, join_names, shorten_symbol
from repo_mcp.research.findings.locating import is_test_node
from repo_mcp.research.findings.reasons import Reason, Role
from repo_mcp.research.findings.records import Finding
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines, relocate
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, SymbolKind
from repo_mcp.text.guessed_names import list_own_names

MAX_TABLES, MAX_NAMED = 60, 5  # that are shown, and named in a sentence
MOST_DECLARING = 20  # files that declare a function of one name
_BOUNDS = Bounds(files=400, references=6_000)
_LANGUAGES = frozenset({"c", "cpp", "objective-c"})
_NO_FUNCTIONS = frozenset({"NULL", "nullptr", "true", "false"})


@dataclass(frozen=True, slots=True)
class _Set:
    """A line that sets the member to a function."""

    table: Node
    line: int
    name: str  # of the function
    function: Node | None  # None for one that no file declares


def note_tables(state: ResearchState, member: Node) -> bool:
    """Note the lines that set a member to a function, each with the table. Return False for none.

    Those come first that have a guessed name, and those in tests last.
    """
    if member.symbol.kind is not SymbolKind.PROPERTY or member.language not in _LANGUAGES:
        return False
    guessed = {*list_own_names(state.request.guesses)}
    found = sorted(  # stable
        _iter_set(state, member),
        key=lambda one: (is_test_node(one.table), guessed.isdisjoint((one.name, one.table.symbol.name))),
    )
    for one in found[:MAX_TABLES]:
        where = f" ({cite(one.function)})" if one.function is not None else ""
        reason = Reason(f"sets it to {one.name}{where}", Role.SETS_MEMBER, one.name)
        at = one.line
        place = TextPlace(one.table.path, at, at, one.table.qualified_name, one.name)
        note_lines(state, place, reason, 1, (at,), shown=(at,))
    if len(found) > MAX_TABLES:
        state.limit(f"tables that set {member.qualified_name}", f"{MAX_TABLES} of {len(found)} are shown")
    return bool(found)


def _iter_set(state: ResearchState, member: Node) -> Iterator[_Set]:
    """Yield the lines that set a member to the name of a function or of something that is not declared."""
    sets = re.compile(rf"(?:\.|->){re.escape(member.symbol.name)}\s*=\s*&?([A-Za-z_]\w*)\s*(?:[,;}}]|$)")
    edges = state.graph.find_incoming(member, (EdgeType.REFERENCES,), _BOUNDS).edges
    for edge in edges:
        state.check()
        lines = state.source.read_lines(edge.other.path)
        for holder, own in relocate(state, edge.other, edge.lines):
            table = state.get_node(holder)
            for at in own:
                found = sets.search(lines[at - 1]) if at <= len(lines) else None
                if found is None or found[1] in _NO_FUNCTIONS or not state.admits(table.path):
                    continue
                function = _find_function(state, found[1], table.path)
                if function is not None or not state.graph.scan.find_declared(found[1], 1):
                    yield _Set(table, at, found[1], function)


def _find_function(state: ResearchState, name: str, path: str) -> Node | None:
    """Return the function of a name, that of the same file or folder first; None without one."""
    declared = map(state.get_node, state.graph.scan.find_declared(name, MOST_DECLARING))
    functions = [node for node in declared if node.symbol.kind in CALLABLE_KINDS]
    folder = path.rpartition("/")[0]
    return min(
        functions,
        key=lambda node: (
            node.path != path,
            node.folder != folder,
            node.symbol.start_line == node.symbol.end_line,  # a prototype
            node.path,
        ),
        default=None,
    )


def describe_set(findings: Sequence[Finding], named: str) -> str:
    """Return a sentence on the tables that set a member to functions; "" without any.

    As only MAX_TABLES are noted, there may be more than so many.
    """
    found = [one for one in findings if one.role is Role.SETS_MEMBER]
    places = [f"{shorten_symbol(one)} to {one.reason.about} ({cite_line(one)})" for one in found]
    count = "1 table sets" if len(found) == 1 else f"{len(found)} tables set"
    count = f"At least {count}" if len(found) >= MAX_TABLES else count
    return f"{count} {named}: {join_names(places, MAX_NAMED)}." if found else ""
