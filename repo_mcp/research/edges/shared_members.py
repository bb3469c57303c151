"""Find the functions that types declare in their own files: those that two share, and those of one alone.

What two types of one kind do differently stands in the functions of the same name, and in the longest of
those that only one of them has.
"""

from __future__ import annotations

from collections.abc import Sequence

from repo_mcp.graph.nodes import Node
from repo_mcp.research.findings.named_symbols import count_lines
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.question_words import list_words, shares_word

MOST_SHARED = 6  # names whose functions are shown side by side
MOST_ALONE = 2  # functions shown that only one of the types has
MAX_DECLARED = 200  # declarations of one name that are looked at


def find_members(state: ResearchState, node: Node) -> dict[str, Node]:
    """Return the first function of each name that a type declares in its file, in the order of its lines."""
    members: dict[str, Node] = {}
    for one in state.graph.outline(node.path):
        is_own = one.qualified_name == f"{node.qualified_name}.{one.symbol.name}"
        if is_own and one.symbol.kind in CALLABLE_KINDS:
            members.setdefault(one.symbol.name, one)
    return members


def list_shared_members(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Return the functions whose names two types share, side by side, the longest first; [] for others."""
    if len(nodes) != 2 or not all(node.symbol.kind in TYPE_KINDS for node in nodes):
        return []
    first, second = (find_members(state, node) for node in nodes)
    pairs = [
        (one, second[name])
        for name, one in first.items()
        if name in second and one.symbol.kind is not SymbolKind.CONSTRUCTOR
    ]
    pairs.sort(key=lambda pair: -sum(map(count_lines, pair)))  # stable
    return [node for pair in pairs[:MOST_SHARED] for node in pair]


def list_alone(state: ResearchState, nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    """Return for each of some types the functions that none of the others declares, in whichever file.

    Those with a word of the question in their names come first, then the longest.
    """
    words = list_words(state.request.query)
    named = {one.symbol.name for one in nodes}
    alone: dict[Node, list[Node]] = {}
    for node in nodes:
        others = [one for one in nodes if one is not node]
        own = [one for name, one in find_members(state, node).items() if name not in named]
        own = [one for one in own if not any(_declares(state, other, one.symbol.name) for other in others)]
        alone[node] = sorted(
            own, key=lambda one: (-shares_word(one.symbol.name, words), -count_lines(one))
        )  # stable
    return alone


def _declares(state: ResearchState, node: Node, name: str) -> bool:
    """Return True if a type declares a name, in whichever file: in an extension, or in a part of its own."""
    found = map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARED))
    return any(one.qualified_name.endswith(f"{node.symbol.name}.{name}") for one in found)
