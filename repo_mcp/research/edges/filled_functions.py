"""Find the functions that stand in for one which does nothing itself, but leaves its work to others.

    def find(self, key):                class MemoryStore(Store):
        raise NotImplementedError           def find(self, key): ...

What such a function raises, a call of it never meets where another overrides it.
"""

from __future__ import annotations

from repo_mcp.graph.nodes import Node
from repo_mcp.research.edges.open_functions import is_open
from repo_mcp.research.edges.structural import list_overriding
from repo_mcp.research.findings.locating import may_answer
from repo_mcp.research.findings.named_symbols import admits_node, count_lines
from repo_mcp.research.findings.research_state import ResearchState

MOST_OVERRIDING = 2  # functions that override an open one, and stand in for it


def fill(state: ResearchState, node: Node) -> list[Node]:
    """Return a function; for one that does nothing itself, those that override it, the longest first."""
    return list_standing_in(state, node)[:MOST_OVERRIDING]


def list_standing_in(state: ResearchState, node: Node) -> list[Node]:
    """Return all functions of which `fill` returns the first."""
    if not is_open(state, node):
        return [node]
    others = [state.get_node(link.source) for link in list_overriding(state, node)]
    own = [other for other in others if may_answer(other.path) and admits_node(state, other)]
    return sorted(own, key=lambda other: (-count_lines(other), other.path, other.symbol.start_line))
