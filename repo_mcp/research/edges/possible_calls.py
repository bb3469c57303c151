"""Find the calls of a subject's name on an object of unknown type: they may mean the subject.

    function clean(test) { return test.fullTitle() }      perhaps `Runnable.fullTitle`

Left out on purpose: tests, names that members of builtin types or many functions have, and names with many
such calls. These rather mean something else. The number of such calls is told instead.
"""

from __future__ import annotations

from repo_mcp.graph.csharp.guesses import COMMON_MEMBERS as CSHARP_MEMBERS
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.program import Confidence, Declaration
from repo_mcp.graph.python.resolver import COMMON_NAMES
from repo_mcp.graph.typed.guesses import is_common_member
from repo_mcp.graph.typescript.resolver import COMMON_MEMBERS as SCRIPT_MEMBERS
from repo_mcp.graph.vocabulary import CALLS
from repo_mcp.research.findings.locating import is_test_node, is_test_place
from repo_mcp.research.findings.records import Link
from repo_mcp.research.findings.research_state import ResearchState, relocate
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS

MAX_DECLARING = 6  # files of the program with a function of the name
MAX_FILES = 40  # that declare the name, also as something else
MAX_CALLS = 60  # of the name on objects of unknown type

# Members of builtin types, by language; others are in one list.
_OF_BUILTINS = {
    "csharp": CSHARP_MEMBERS,
    "javascript": SCRIPT_MEMBERS,
    "python": COMMON_NAMES,
    "typescript": SCRIPT_MEMBERS,
}


def list_unresolved(state: ResearchState, node: Node, bounds: Bounds) -> list[Link]:
    """Return links from the functions around calls that may mean a subject of the question; all are possible.

    Return none for any other symbol, and for a common name.
    """
    is_subject = any(one.node == node and not one.hop for one in state.findings)
    if not is_subject or node.symbol.kind not in CALLABLE_KINDS or _is_common(state, node):
        return []
    found = state.graph.find_incoming(node, CALLS, bounds).unresolved
    unresolved = [place for place in found if not is_test_place(place.path)]
    if sum(place.count for place in unresolved) > MAX_CALLS:
        return []
    links: list[Link] = []
    for place in unresolved:
        holders = relocate(state, Declaration(place.path, 0), place.lines)
        links += [
            Link(holder, node.declaration, "calls", Confidence.POSSIBLE, lines, len(lines))
            for holder, lines in holders
            if holder != node.declaration
        ]
    return links


def _is_common(state: ResearchState, node: Node) -> bool:
    """Return True for a name that builtin types or functions in many files have, outside of tests."""
    name, own = node.symbol.name, _OF_BUILTINS.get(node.language)
    if is_common_member(name) if own is None else name in own:
        return True
    if len(state.graph.scan.list_declaring(name)) > MAX_FILES:
        return True
    declared = map(state.get_node, state.graph.scan.find_declared(name, MAX_FILES))
    functions = (one for one in declared if one.symbol.kind in CALLABLE_KINDS)
    return len({one.path for one in functions if not is_test_node(one)}) > MAX_DECLARING
