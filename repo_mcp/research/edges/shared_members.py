"""Find the functions that types declare in their own files: those that two share, and those of one alone.

What two types of one kind do differently stands in the functions of the same name, and in the longest of
those that only one of them has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.research.findings.bounds import GLANCE
from repo_mcp.research.findings.named_symbols import count_lines, is_left_out, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import CALLABLE_KINDS, TYPE_KINDS, SymbolKind
from repo_mcp.text.question_words import list_words, shares_word

MOST_SHARED = 6  # names whose functions are shown side by side
MAX_ALONE = 24  # functions that only one of the types has
MAX_DECLARED = 200  # declarations of one name that are looked at
MOST_LEVELS = 3  # of bases whose functions a type inherits


def find_members(state: ResearchState, node: Node) -> dict[str, Node]:
    """Return the first function of each name that a type declares in its file, in the order of its lines."""
    members: dict[str, Node] = {}
    for one in state.graph.outline(node.path):
        is_own = one.qualified_name == f"{node.qualified_name}.{one.symbol.name}"
        if is_own and one.symbol.kind in CALLABLE_KINDS and not is_left_out(state, one):
            members.setdefault(one.symbol.name, one)
    return members


def find_compared_members(state: ResearchState, node: Node, compared: Sequence[Node]) -> dict[str, Node]:
    """Return the functions by which a type differs from others that are compared with it.

    These are its own. Some types only join a mixin and a base: of one that declares none, they are those of
    the bases that are not compared. If another one derives from the type, what the type inherits counts too.
    """
    own = find_members(state, node)
    if any(node in list_bases(state, other) for other in compared):
        return {**find_inherited(state, node), **own}
    for base in () if own else list_bases(state, node):
        for name, one in find_members(state, base).items() if base not in compared else ():
            own.setdefault(name, one)
    return own


def list_shared_members(state: ResearchState, nodes: Sequence[Node]) -> list[Node]:
    """Return the functions whose names two types share, side by side; [] for others.

    Those with a word of the question or a guess in their names come first, then the longest.
    One of them may inherit what the other declares. Two with the same lines tell no difference.
    """
    if len(nodes) != 2 or not all(node.symbol.kind in TYPE_KINDS for node in nodes):
        return []
    declared = [find_compared_members(state, node, nodes) for node in nodes]
    first, second = (
        {**_list_inherited(state, node, other), **own}
        for node, own, other in zip(nodes, declared, reversed(declared), strict=True)
    )
    pairs = [
        (one, second[name])
        for name, one in first.items()
        if name in second and one.symbol.kind is not SymbolKind.CONSTRUCTOR
    ]
    pairs = [pair for pair in pairs if _read_stripped(state, pair[0]) != _read_stripped(state, pair[1])]
    words = list_words(state.request.full_text)
    pairs.sort(key=lambda pair: (-shares_word(pair[0].symbol.name, words), -sum(map(count_lines, pair))))
    return [node for pair in pairs[:MOST_SHARED] for node in pair]


def _list_inherited(state: ResearchState, node: Node, others: Mapping[str, Node]) -> dict[str, Node]:
    """Return the functions that a type inherits and that another type declares itself, by their names."""
    inherited = find_inherited(state, node) if others else {}
    return {name: one for name, one in inherited.items() if name in others and one not in others.values()}


def _read_stripped(state: ResearchState, node: Node) -> list[str]:
    """Return the lines of a function without their margins."""
    return [line.strip() for line in read_body(state, node)]


def list_alone(state: ResearchState, nodes: Sequence[Node]) -> dict[Node, list[Node]]:
    """Return for each of some types up to MAX_ALONE functions that none of the others declares, in any file.

    Of interfaces, those count that they require, so also those of the interfaces that they embed or extend.
    Those with a word of the question in their names come first, then the longest.
    """
    words = list_words(state.request.query)
    required = all(node.symbol.kind in ABSTRACT_KINDS for node in nodes)
    find = _find_required if required else find_members
    members = {node: find(state, node) for node in nodes}
    alone: dict[Node, list[Node]] = {}
    for node in nodes:
        others = [one for one in nodes if one is not node]
        if any(node in list_bases(state, one) for one in others):
            continue  # they have all of it
        known = {one.symbol.name for one in nodes}.union(*(members[one] for one in others))
        own = [one for name, one in members[node].items() if name not in known]
        own.sort(key=lambda one: (-shares_word(one.symbol.name, words), -count_lines(one)))  # stable
        owners = [name_apart(other, nodes) for other in others]
        found = (one for one in own if not any(_declares(state, owner, one.symbol.name) for owner in owners))
        alone[node] = [*islice(found, MAX_ALONE)]
    return alone


def name_apart(node: Node, compared: Sequence[Node]) -> str:
    """Return the name of one of some declarations: the qualified one if another one has the same name."""
    namesakes = sum(one.symbol.name == node.symbol.name for one in compared)
    return node.qualified_name if namesakes > 1 else node.symbol.name


def _find_required(state: ResearchState, node: Node) -> dict[str, Node]:
    """Return the functions that an interface requires of what implements it, its own first."""
    own = find_members(state, node)
    return {**own, **{name: one for name, one in find_inherited(state, node).items() if name not in own}}


def find_inherited(state: ResearchState, node: Node) -> dict[str, Node]:
    """Return the functions that the bases of a type declare, up to MOST_LEVELS above it, the nearest ones."""
    bases: dict[Node, None] = {}
    level = [node]
    for _ in range(MOST_LEVELS):
        state.check()
        level = [one for lower in level for one in list_bases(state, lower) if one not in bases]
        bases.update(dict.fromkeys(level))
    inherited: dict[str, Node] = {}
    for base in bases:
        for name, one in find_members(state, base).items():
            inherited.setdefault(name, one)
    return inherited


def list_bases(state: ResearchState, node: Node) -> list[Node]:
    """Return the types from which a type derives directly, each once."""
    edges = state.graph.find_outgoing(node, IMPLEMENTATIONS, GLANCE).edges
    return list(dict.fromkeys(state.get_node(edge.other) for edge in edges))


def _declares(state: ResearchState, owner: str, name: str) -> bool:
    """Return True if a type declares a name, in whichever file: in an extension, or in a part of its own.

    `owner` is the name of the type, as `name_apart` gives it.
    """
    state.check()
    found = map(state.get_node, state.graph.scan.find_declared(name, MAX_DECLARED))
    return any(f".{one.qualified_name}".endswith(f".{owner}.{name}") for one in found)
