"""Find the tests that import a file: if much of the program does, other files are met long before them."""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.locating import is_test_place
from repo_mcp.research.findings.reasons import Reason
from repo_mcp.research.findings.research_state import ResearchState, TextPlace, note_lines
from repo_mcp.symbols.symbol_record import SymbolKind

MOST_NAMES = 200  # of the file; a test of it uses one of the first
MOST_READ, MOST_NOTED = 60, 12  # files of tests that use a name of the file; that import it


def note_importing(state: ResearchState, nodes: Sequence[Node]) -> None:
    """Note the files of tests that import those of some symbols that are files."""
    for node in nodes:
        if node.symbol.kind is SymbolKind.FILE:
            found = [
                (path, lines)
                for path in _list_using(state, node)
                if (lines := _list_lines(state, path, node))
            ]
            for path, lines in found[:MOST_NOTED]:
                place = TextPlace(path, lines[0], lines[-1])
                note_lines(state, place, Reason("imports it"), 1, lines, shown=lines)


def _list_using(state: ResearchState, node: Node) -> list[str]:
    """Return the first files of tests that use a name which a file declares."""
    scan = state.graph.scan
    names = dict.fromkeys(one.symbol.name for one in state.graph.outline(node.path) if not one.symbol.parent)
    using = (path for name in [*names][:MOST_NAMES] for path in scan.list_using(name))
    return [*dict.fromkeys(filter(is_test_place, using))][:MOST_READ]


def _list_lines(state: ResearchState, path: str, node: Node) -> tuple[int, ...]:
    """Return the lines of a file that import another one."""
    lines = (one.line for one in state.graph.scan.list_imports(path) if one.target == node.path)
    return tuple(dict.fromkeys(lines))
