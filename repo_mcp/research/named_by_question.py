"""Find the declarations that a question such as "how do I register a custom lookup" names without knowing it.

What it asks how to do is often a name of its verb and its noun: `register_lookup`. And what is to be added
derives from a type that is called after the noun: `Lookup`, or `IMessagePackFormatter` for a formatter.
"""

from __future__ import annotations

from repo_mcp.bundler.statements import is_aside
from repo_mcp.graph.edges import Bounds
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.questions import IMPLEMENTATIONS, SymbolFilter
from repo_mcp.research.locating import is_program, is_test_symbol
from repo_mcp.research.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolFlag, SymbolKind
from repo_mcp.text.question_words import Action, count_words, shares_word

MOST_ALIKE = 40  # names that are compared with the words
MOST_ACTIONS = 3  # that are shown
MOST_TYPES = 6  # whose derived types are counted, interfaces and abstract ones first
GLANCE = Bounds(files=20, references=40)
OPEN_TYPES = frozenset({SymbolKind.INTERFACE, SymbolKind.TRAIT})
_ACTING = CALLABLE_KINDS | {SymbolKind.VARIABLE, SymbolKind.CONSTANT, SymbolKind.PROPERTY}


def find_actions(state: ResearchState, action: Action) -> list[Node]:
    """Return what is named by the verb, the noun and at most one more word, the shortest names first,
    functions before values.
    """
    words = (action.verb, action.nouns[-1])
    fitting = [
        node
        for node in _search(state, " ".join(words))
        if node.symbol.kind in _ACTING
        and shares_word(node.symbol.name, words) == len(words)
        and count_words(node.symbol.name) <= len(words) + 1
    ]
    fitting.sort(
        key=lambda node: (
            count_words(node.symbol.name),
            node.symbol.kind not in CALLABLE_KINDS,
            node.symbol.start_line - node.symbol.end_line,
            node.path,
            node.symbol.start_line,
        )
    )
    return fitting[:MOST_ACTIONS]


def find_base(state: ResearchState, action: Action) -> Node | None:
    """Return the type that has the last nouns as its name, or the one whose name ends with them that most
    others derive from; None where none does.
    """
    names = ["".join(map(str.capitalize, nouns)) for nouns in (action.nouns[-2:], action.nouns[-1:])]
    names = list(dict.fromkeys(names))
    for name in names:
        for node in _search(state, name):
            is_meant = node.symbol.name == name and node.symbol.kind in TYPE_KINDS
            if is_meant and (is_left_open(node) or list_derived(state, node)):
                return node
    for name in names:
        # Interfaces are asked for apart: others have the noun oftener.
        types = [
            node
            for kind in ("interface", None)
            for node in _search(state, f"*{name}", kind)
            if node.symbol.kind in TYPE_KINDS
        ]
        compared = sorted(dict.fromkeys(types), key=lambda node: not is_left_open(node))[:MOST_TYPES]
        counts = [(len(list_derived(state, node)), node) for node in compared]
        most, best = max(counts, key=lambda one: one[0], default=(0, None))
        if most:
            return best
    return None


def list_derived(state: ResearchState, node: Node) -> list[Node]:
    """Return some of the types that derive from a type."""
    state.check()
    edges = state.graph.find_incoming(node, IMPLEMENTATIONS, GLANCE).edges
    return [state.get_node(edge.other) for edge in edges]


def is_left_open(node: Node) -> bool:
    """Return True for an interface, a trait or an abstract class."""
    return node.symbol.kind in OPEN_TYPES or bool(node.symbol.flags & SymbolFlag.ABSTRACT)


def _search(state: ResearchState, query: str, kind: str | None = None) -> list[Node]:
    """Return the symbols of the program, of a kind or of all, whose names fit a query best."""
    state.check()
    return [
        node
        for node, _ in state.graph.search(query, SymbolFilter(kind), MOST_ALIKE)
        if is_program(node.path)
        and state.admits(node.path)
        and not (is_aside(node.path) or is_test_symbol(node))
    ]
