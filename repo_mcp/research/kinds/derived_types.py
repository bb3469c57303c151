"""List the types that derive from a type: a kind consists of those of its base."""

from __future__ import annotations

import re
from collections.abc import Sequence

from repo_mcp.graph.hierarchy.hierarchy import ABSTRACT_KINDS
from repo_mcp.graph.nodes import Node
from repo_mcp.graph.vocabulary import IMPLEMENTATIONS
from repo_mcp.research.findings.bounds import GLANCE, LOOK
from repo_mcp.research.findings.named_symbols import admits_node, read_body
from repo_mcp.research.findings.research_state import ResearchState
from repo_mcp.symbols.symbol_record import SymbolFlag, SymbolKind

UNFILLED = re.compile(r"\b(?:raise|throw(?: new)?) NotImplemented(?:Error|Exception)\b")
_OWN_PARTS = frozenset({SymbolKind.EXTENSION})  # with the name of a type, part of that type


def list_derived(state: ResearchState, node: Node) -> list[Node]:
    """Return some of the types that derive from a type. An `impl` of the type itself does not.

    A type that is left open is looked for in more files if none is near: it may be used in many places.
    """
    if node not in state.derived:
        state.derived[node] = _find_derived(state, node)
    return [*state.derived[node]]


def _find_derived(state: ResearchState, node: Node) -> list[Node]:
    state.check()
    edges = state.graph.find_incoming(node, IMPLEMENTATIONS, GLANCE)
    if edges.cut and not edges.edges and is_left_open(node):
        edges = state.graph.find_incoming(node, IMPLEMENTATIONS, LOOK)
    found = (state.get_node(edge.other) for edge in edges.edges)
    return [one for one in found if one.symbol.name != node.symbol.name or one.symbol.kind not in _OWN_PARTS]


def list_program_derived(state: ResearchState, base: Node) -> list[Node]:
    """Return some of the types of the program that derive from a type."""
    return [node for node in list_derived(state, base) if admits_node(state, node)]


def list_many_derived(state: ResearchState, base: Node) -> list[Node]:
    """Return the types of the program that derive from a type, of more files than the other functions do."""
    edges = state.graph.find_incoming(base, IMPLEMENTATIONS, LOOK).edges
    found = (state.get_node(edge.other) for edge in edges)
    return [node for node in found if admits_node(state, node) and node.symbol.kind not in _OWN_PARTS]


def count_derived(state: ResearchState, node: Node) -> tuple[int, int]:
    """Return how many types derive from a type: those that are no interfaces themselves, and all."""
    return measure_derived(list_derived(state, node))


def measure_derived(derived: Sequence[Node]) -> tuple[int, int]:
    """Return how many of some types are no interfaces themselves, and how many there are."""
    return sum(one.symbol.kind not in ABSTRACT_KINDS for one in derived), len(derived)


def is_left_open(node: Node) -> bool:
    """Return True for an interface, a trait or an abstract class."""
    return node.symbol.kind in ABSTRACT_KINDS or bool(node.symbol.flags & SymbolFlag.ABSTRACT)


def is_unfilled(state: ResearchState, node: Node) -> bool:
    """Return True for a type with a member that only raises, for what derives from it to fill."""
    return any(map(UNFILLED.search, read_body(state, node)))
